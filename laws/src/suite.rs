//! All laws that apply to a rule, at points that look for trouble.

use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pullback_scalar::{Rational, Scalar};

use crate::approximate::Approximate;
use crate::equations::measured::{Slope, slope};
use crate::equations::{self, Measured, Outcome};
use crate::evidence::{Declared, Evidence};
use crate::flat::{Flat, Moving, Refusal, Remembers, Run, Shaped};
use crate::options::{Options, OptionsError};
use crate::points::{Points, directions, domains, is_inside};
use crate::report::{Report, Skipped, Tried};
use crate::shrink::shrunk;
use crate::storage::Storage;
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};
use crate::whole::Whole;

/// A plain function of an input, or a cotangent of an input and a cotangent.
type Plain<'a, T> = &'a (dyn Fn(&[T]) -> Vec<T> + Sync);
type Stated<'a, T> = &'a (dyn Fn(&[T], &[T]) -> Vec<T> + Sync);

/// A rule, and what is known about it beside the rule itself: each piece lets more laws be tried.
///
/// # Example
///
/// A fused rule is held to its parts:
///
/// ```
/// use pullback_laws::{Options, Rule, Subject, View, Whole};
///
/// type X<'a, 'b> = &'a [View<'b, f64>];
/// let each = |numbers: &[f64], f: fn(f64) -> f64| numbers.iter().copied().map(f).collect::<Vec<f64>>();
/// let pair = |x: &[f64], u: &[f64], f: fn(f64, f64) -> f64| x.iter().zip(u).map(|(x, u)| f(*x, *u)).collect::<Vec<_>>();
///
/// let square = Rule::new("3 -> 3".parse()?, |x: X| each(&x[0], |x| x * x), |t, u| pair(&t.inputs[0], &u, |x, u| 2.0 * x * u));
/// let double = Rule::new("3 -> 3".parse()?, |x: X| each(&x[0], |x| 2.0 * x), |_, u| each(&u, |u| 2.0 * u));
/// let fused = Rule::new("3 -> 3".parse()?, |x: X| each(&x[0], |x| 2.0 * x * x), |t, u| pair(&t.inputs[0], &u, |x, u| 4.0 * x * u));
///
/// let (square, double, fused) = (square.at(&[]), double.at(&[]), fused.at(&[]));
/// Subject::new(&fused).is(Whole::Composite(&square, &double)).check(&Options::new())?;
/// let violation = Subject::new(&fused).is(Whole::Composite(&double, &square)).check(&Options::new()).unwrap_err();
/// assert_eq!(violation.law().name, "composite");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Subject<'a, T: Scalar> {
    pub(crate) rule: &'a dyn Flat<T>,
    pub(crate) moving: Option<&'a dyn Moving<T>>,
    pub(crate) exact: Option<(&'a dyn Flat<Rational>, &'a dyn Moving<Rational>)>,
    pub(crate) plain: Option<Plain<'a, T>>,
    pub(crate) stated: Option<Stated<'a, T>>,
    pub(crate) remembers: Option<&'a dyn Remembers<T>>,
    pub(crate) wholes: Vec<Whole<'a, T>>,
}

impl<'a, T: Approximate> Subject<'a, T> {
    /// A rule about which nothing more is known.
    #[must_use]
    pub fn new(rule: &'a dyn Flat<T>) -> Self {
        Subject { rule, moving: None, exact: None, plain: None, stated: None, remembers: None, wholes: vec![] }
    }

    /// The same forward function at dual numbers: derivatives need not be measured.
    #[must_use]
    pub fn on_duals(mut self, moving: &'a dyn Moving<T>) -> Self {
        self.moving = Some(moving);
        self
    }

    /// The same rule over the rationals, and at their dual numbers: the laws leave no room for rounding there.
    #[must_use]
    pub fn exactly(mut self, rule: &'a dyn Flat<Rational>, moving: &'a dyn Moving<Rational>) -> Self {
        self.exact = Some((rule, moving));
        self
    }

    /// The plain function that the forward one should compute.
    #[must_use]
    pub fn computes(mut self, plain: Plain<'a, T>) -> Self {
        self.plain = Some(plain);
        self
    }

    /// What the rule is declared to give where the function has a corner: the cotangent, from the input and the cotangent of the output.
    #[must_use]
    pub fn declares(mut self, stated: Stated<'a, T>) -> Self {
        self.stated = Some(stated);
        self
    }

    /// The rule again, with a residual that has coordinates: laws about regrouping compare them.
    #[must_use]
    pub fn remembers(mut self, rule: &'a dyn Remembers<T>) -> Self {
        self.remembers = Some(rule);
        self
    }

    /// The rule is made of others in this way.
    #[must_use]
    pub fn is(mut self, whole: Whole<'a, T>) -> Self {
        self.wholes.push(whole);
        self
    }

    /// Checks all laws that apply.
    ///
    /// # Errors
    ///
    /// The first violation, shrunk, with the options that reproduce it; also where a law was tried and could be decided nowhere, where one that was asked for does not apply, and where the options fit no such rule.
    pub fn check(&self, options: &Options) -> Result<Report, LawViolation> {
        let report = self.tried(options)?;
        settled(&report, options, self.rule.spaces())?;
        Ok(report)
    }

    /// The same, where nothing has to be decided: more cases follow.
    pub(crate) fn tried(&self, options: &Options) -> Result<Report, LawViolation> {
        T::try_all(self, options)
    }

    pub(crate) fn try_all(&self, options: &Options) -> Result<Report, LawViolation> {
        let unfit = |error| LawViolation::options(error, self.rule.spaces());
        options.fit::<T>(self.rule.arguments().len()).map_err(unfit)?;
        let mut report = Report {
            evidence: self.rule.evidence(),
            seed: options.seed,
            cases: options.cases,
            laws: vec![],
            skipped: vec![],
        };
        let mut entries = vec![];
        for entry in table::<T>() {
            if !options.wants(entry.law) {
                report.skipped.push(Skipped { law: entry.law, why: NOT_ASKED });
            } else if let Err(why) = (entry.applies)(self, options) {
                report.skipped.push(Skipped { law: entry.law, why });
            } else {
                report.laws.push(Tried { law: entry.law, held: 0, undecided: 0, why: None });
                entries.push(entry);
            }
        }
        for case in options.numbers() {
            let points = Points::of_case(self.rule, options, case).map_err(unfit)?;
            let exact = match self.exact {
                Some((rule, _)) => Some(Points::of_case(rule, options, case).map_err(unfit)?),
                None => None,
            };
            let place = At::new(self, options, case, points, exact);
            for (entry, tried) in entries.iter().zip(&mut report.laws) {
                match place.outcome(entry) {
                    Ok(Outcome::Held) => tried.held += 1,
                    Ok(Outcome::Elsewhere) => {}
                    Ok(Outcome::Undecided(why)) => {
                        tried.undecided += 1;
                        tried.why = Some(why);
                    }
                    Err(violation) => {
                        // A rule with a memory may be right the second time.
                        let alone = violation.panic().is_some() || place.anew().outcome(entry).is_err();
                        let violation = if alone { shrunk(&place, entry, violation) } else { violation };
                        return Err(place.advised(violation).in_case(options, case, alone));
                    }
                }
            }
        }
        Ok(report)
    }

    /// Every law that applies at points that somebody else drew, and what came of it.
    pub fn visit(&self, points: &Points<T>, sink: &mut dyn FnMut(Law, Result<Outcome, LawViolation>)) {
        T::visit_all(self, points, sink);
    }

    pub(crate) fn visit_all(&self, points: &Points<T>, sink: &mut dyn FnMut(Law, Result<Outcome, LawViolation>)) {
        let options = Options::new();
        let place = At::new(self, &options, 0, points.clone(), None);
        for entry in table::<T>() {
            if (entry.applies)(self, &options).is_ok() {
                sink(entry.law, place.outcome(&entry));
            }
        }
    }
}

const NOT_ASKED: &str = "it was not asked for";

/// A law that applies has to be decided somewhere, and one that was asked for has to apply.
pub(crate) fn settled(report: &Report, options: &Options, spaces: (String, String)) -> Result<(), LawViolation> {
    let asked = |law: Law| options.only.contains(&law);
    if let Some(skipped) = report.skipped.iter().find(|skipped| asked(skipped.law)) {
        return Err(LawViolation::silent(skipped.law, spaces, skipped.why));
    }
    // A function need not have a corner.
    let may_be_silent = |tried: &&Tried| tried.law == equations::corner::CONVENTION && !asked(tried.law);
    match report.laws.iter().find(|tried| tried.held == 0 && !may_be_silent(tried)) {
        Some(tried) if tried.undecided > 0 => {
            let why = tried.why.unwrap_or("nothing was tried");
            return Err(LawViolation::undecided(tried.law, spaces, tried.undecided, why));
        }
        Some(tried) => {
            return Err(LawViolation::silent(tried.law, spaces, "there was nothing for it to say at any point"));
        }
        None => {}
    }
    match report.checks() {
        0 => Err(LawViolation::options(OptionsError::NoLaws, spaces)),
        _ => Ok(()),
    }
}

/// A subject at the points of a case.
pub(crate) struct At<'c, 'a, T: Scalar> {
    pub(crate) subject: &'c Subject<'a, T>,
    pub(crate) options: &'c Options,
    pub(crate) case: usize,
    pub(crate) points: Points<T>,
    pub(crate) exact: Option<Points<Rational>>,
    /// The only direction that is measured, where a violation was found in it.
    along: Option<usize>,
    /// What is asked by several laws: whether the rule is defined there, and the derivatives.
    defined: OnceCell<Defined>,
    slopes: OnceCell<Result<Vec<Slope<T>>, Refusal>>,
}

/// Whether a rule gives numbers at the points of a case.
#[derive(Clone, PartialEq)]
enum Defined {
    Everywhere,
    /// An input is refused, or its value is no number.
    Nowhere,
    /// A value or a cotangent is greater than all numbers, and so are not few of the inputs.
    Overflows,
    /// With this message.
    Panics(String),
}

/// A law of the suite: when it applies, and how it is tried.
pub(crate) struct Entry<T: Scalar> {
    pub(crate) law: Law,
    applies: fn(&Subject<'_, T>, &Options) -> Result<(), &'static str>,
    check: fn(&At<'_, '_, T>) -> Result<Outcome, LawViolation>,
}

/// What a function gives, or what it said when it panicked.
fn caught<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    // Nothing that is seen afterwards was changed: points are read only, and what a rule keeps is its own business.
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("without a message").to_owned()
    })
}

/// Inputs beyond may make a function overflow without a fault of its own.
const GREAT: f64 = 8.0;

impl<'c, 'a, T: Approximate> At<'c, 'a, T> {
    fn new(
        subject: &'c Subject<'a, T>,
        options: &'c Options,
        case: usize,
        points: Points<T>,
        exact: Option<Points<Rational>>,
    ) -> Self {
        At { subject, options, case, points, exact, along: None, defined: OnceCell::new(), slopes: OnceCell::new() }
    }

    /// The same points, as if nothing had been asked.
    pub(crate) fn anew(&self) -> Self {
        let anew = At::new(self.subject, self.options, self.case, self.points.clone(), self.exact.clone());
        At { along: self.along, ..anew }
    }

    /// The same points, where a law that measures derivatives asks for one of them only; nothing where there is no such direction.
    pub(crate) fn along(&self, direction: usize) -> Option<Self> {
        (direction < self.directions().len()).then(|| At { along: Some(direction), ..self.anew() })
    }

    /// A law there. A rule that panics breaks it.
    pub(crate) fn outcome(&self, entry: &Entry<T>) -> Result<Outcome, LawViolation> {
        // Where the function is not defined, one law says so and the others say nothing.
        let in_question = entry.law == equations::shape::DEFINED;
        match self.defined() {
            Defined::Everywhere => {}
            Defined::Nowhere if in_question => {}
            Defined::Nowhere => return Ok(Outcome::Undecided("the function is not defined there")),
            Defined::Overflows => return Ok(Outcome::Undecided("the function is greater than all numbers there")),
            Defined::Panics(message) => return Err(self.panicked(equations::shape::DEFINED, message.clone())),
        }
        caught(|| (entry.check)(self)).unwrap_or_else(|message| Err(self.panicked(entry.law, message)))
    }

    fn inside(&self) -> Inside<'_, T> {
        Inside { rule: self.subject.rule, options: self.options }
    }

    fn trial(&self, law: Law) -> Trial<'_, T> {
        Trial { law, about: self.subject.rule, at: &[] }
    }

    fn panicked(&self, law: Law, message: String) -> LawViolation {
        let at = [("x", &self.points.x[..]), ("u", &self.points.u[..])];
        LawViolation::panicked(law, self.subject.rule.spaces(), &at, message)
    }

    fn defined(&self) -> &Defined {
        self.defined.get_or_init(|| {
            let Points { x, y, u, .. } = &self.points;
            let rule = self.subject.rule;
            let is_great = |x: &[T]| x.iter().any(|x| x.to_f64().abs() > GREAT);
            let of = |x: &[T]| {
                let Ok(run) = rule.run(x) else { return Defined::Nowhere };
                let pulled = run.pull(u);
                // What is no number at all is no overflow.
                let is_infinite = |y: &T| y.to_f64().is_infinite();
                let overflows = |numbers: &[T]| {
                    is_great(x)
                        && numbers.iter().all(|y| y.is_finite() || is_infinite(y))
                        && numbers.iter().any(is_infinite)
                };
                if run.value.iter().all(T::is_finite) {
                    // The derivative of what is nearly too great is.
                    let nearly = run.value.iter().any(|y| y.to_f64().abs() > T::GREATEST.powf(0.75));
                    if nearly && overflows(&pulled) { Defined::Overflows } else { Defined::Everywhere }
                } else if overflows(&run.value) {
                    Defined::Overflows
                } else {
                    Defined::Nowhere
                }
            };
            match caught(|| (of(x), of(y))) {
                Err(message) => Defined::Panics(message),
                Ok((Defined::Everywhere, other) | (other, Defined::Everywhere)) => other,
                Ok((one, _)) => one,
            }
        })
    }

    /// The derivatives of `⟨u, f⟩` at `x`, in directions that are as large as its coordinates.
    fn slopes(&self) -> Result<&[Slope<T>], Refusal> {
        let slopes = self.slopes.get_or_init(|| {
            let Points { x, u, .. } = &self.points;
            let inside = self.inside();
            // Of a proved rule only the dual numbers are in question, and rational numbers grow with every step.
            let count = match (self.subject.rule.evidence(), self.subject.moving) {
                (Evidence::Proved, Some(_)) => 1,
                _ if T::TOLERANCE == 0.0 => 2,
                _ => usize::MAX,
            };
            self.directions().into_iter().take(count).map(|direction| slope(&inside, x, u, direction)).collect()
        });
        slopes.as_deref().map_err(Clone::clone)
    }

    /// What may be done about a violation beside mending the rule.
    fn advised(&self, violation: LawViolation) -> LawViolation {
        let rule = self.subject.rule;
        let gives_nothing = || {
            let Points { x, u, .. } = &self.points;
            caught(|| {
                rule.run(x).is_ok_and(|run| run.saved.answer(&Storage::new(u.clone())).iter().any(Option::is_none))
            })
        };
        let help = if violation.panic().is_some() {
            None
        } else if violation.refusal().is_some() {
            Some("the point is one that the options call inside: `Options::domain` and `Options::inside` say which are")
        } else if violation.law() == Law::DEFINED && rule.has_axis_of_one() {
            Some(
                "`Options::domain` and `Options::inside` say where the rule is defined; an axis of two at least is written `n+1`",
            )
        } else if violation.law() == Law::DEFINED {
            Some("`Options::domain` and `Options::inside` say where the rule is defined")
        } else if violation.law() == Law::CONVENTION && rule.evidence() == Evidence::Declared(Declared::Unproved) {
            Some(
                "a rule that gives something else on a corner on purpose says so: `declared(Declared::Convention)`, and what it gives with `declares`",
            )
        } else if violation.law() == Law::ADJOINT && gives_nothing() == Ok(true) {
            Some("the rule gives nothing for some argument: `Options::constant` says that it needs no gradient")
        } else {
            None
        };
        violation.helped(help)
    }

    fn is_constant(&self, coordinate: usize) -> bool {
        let mut end = 0;
        for (argument, length) in self.subject.rule.arguments().into_iter().enumerate() {
            end += length;
            if coordinate < end {
                return self.options.constants.contains(&argument);
            }
        }
        false
    }

    fn directions(&self) -> Vec<(Vec<T>, Option<Vec<T>>)> {
        let all = directions(&self.points.x, &self.points.v, &|at| self.is_constant(at), self.case);
        match self.along {
            Some(direction) => all.into_iter().skip(direction).take(1).collect(),
            None => all,
        }
    }

    /// Whether there is a corner: never where a rule is proved, for its domain has none.
    ///
    /// Two corners can cancel along one direction, so all are tried.
    fn at_corner(&self) -> bool {
        if self.subject.rule.evidence() == Evidence::Proved {
            return false;
        }
        let is_smooth = |(_, found): &Slope<T>| matches!(found, Measured::Smooth { .. });
        !self.slopes().is_ok_and(|slopes| slopes.iter().all(is_smooth))
    }
}

/// A rule that refuses what lies outside of the domain of the options: no difference is taken across its boundary.
struct Inside<'a, T: Scalar> {
    rule: &'a dyn Flat<T>,
    options: &'a Options,
}

impl<T: Scalar> Shaped for Inside<'_, T> {
    fn dimensions(&self) -> (usize, usize) {
        self.rule.dimensions()
    }
    fn spaces(&self) -> (String, String) {
        self.rule.spaces()
    }
    fn evidence(&self) -> Evidence {
        self.rule.evidence()
    }
}

impl<T: Approximate> Flat<T> for Inside<'_, T> {
    fn run<'s>(&'s self, input: &[T]) -> Result<Run<'s, T>, Refusal> {
        if !is_inside(self.rule, self.options, input) {
            return Err(Refusal::new("outside of the domain of the options"));
        }
        self.rule.run(input)
    }
}

const HELD: Result<Outcome, LawViolation> = Ok(Outcome::Held);
const CORNER: Result<Outcome, LawViolation> = Ok(Outcome::Undecided("the function has a corner there"));

fn held(result: Result<(), LawViolation>) -> Result<Outcome, LawViolation> {
    result.map(|()| Outcome::Held)
}

fn always<T: Scalar>(_: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    Ok(())
}

fn has_output<T: Scalar>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    let gives = subject.rule.dimensions().1;
    if gives == 0 { Err("the output has no coordinates: `discarding_is_zero` says it all") } else { Ok(()) }
}

fn is_adjoint<T: Scalar>(subject: &Subject<'_, T>, options: &Options) -> Result<(), &'static str> {
    if subject.rule.evidence() == Evidence::Declared(Declared::Surrogate) {
        return Err("the rule is declared a surrogate: another map than the adjoint, on purpose");
    }
    if subject.rule.arguments().iter().all(|length| *length == 0) {
        return Err("it takes no number");
    }
    has_output(subject, options)
}

/// The places of any two arguments of equal length.
fn twins<T: Scalar>(rule: &dyn Flat<T>) -> impl Iterator<Item = (usize, usize)> + use<T> {
    let lengths = rule.arguments();
    let pairs: Vec<(usize, usize)> = (0..lengths.len())
        .flat_map(|other| (0..other).map(move |one| (one, other)))
        .filter(|&(one, other)| lengths[one] == lengths[other] && lengths[one] > 0)
        .collect();
    pairs.into_iter()
}

/// The laws of a rule by itself; those of wholes are in their own table.
pub(crate) fn table<T: Approximate>() -> Vec<Entry<T>> {
    let alone: Vec<Entry<T>> = vec![
        Entry {
            law: equations::shape::SHAPE,
            applies: always,
            check: |at| held(equations::shape(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::shape::DEFINED,
            applies: always,
            check: |at| held(equations::defined(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::shape::REFUSED,
            applies: |subject, options| {
                if !domains(subject.rule, options).into_iter().any(|domain| !domain.outside::<T>().is_empty()) {
                    return Err("the domain is everything");
                }
                if subject.rule.refuses() { Ok(()) } else { Err("the forward function has no way to refuse its input") }
            },
            check: |at| {
                for (place, domain) in domains(at.subject.rule, at.options).into_iter().enumerate() {
                    for outside in domain.outside::<T>() {
                        let mut x = at.points.x.clone();
                        x[place] = outside;
                        equations::refused(at.subject.rule, &x)?;
                    }
                }
                HELD
            },
        },
        Entry {
            law: equations::shape::VALUE,
            applies: |subject, _| subject.plain.map(|_| ()).ok_or("no plain function was given"),
            check: |at| match at.subject.plain {
                Some(plain) => held(equations::value(at.subject.rule, plain, &at.points.x)),
                None => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::linear::HOMOGENEOUS,
            applies: has_output,
            check: |at| held(equations::homogeneous(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::linear::ADDITIVE,
            applies: has_output,
            check: |at| held(equations::additive(at.subject.rule, &at.points.x, &at.points.u, &at.points.w)),
        },
        Entry {
            law: equations::linear::ZERO_TO_ZERO,
            applies: has_output,
            check: |at| held(equations::zero_to_zero(at.subject.rule, &at.points.x)),
        },
        Entry {
            law: equations::adjoint::PRIMAL,
            applies: has_duals,
            check: |at| match at.subject.moving {
                Some(moving) => held(equations::primal(at.subject.rule, moving, &at.points.x, &at.points.v)),
                None => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::measured::TANGENT,
            applies: |subject, options| {
                if T::TOLERANCE == 0.0 {
                    return Err("over exact scalars the dual numbers are the derivative");
                }
                has_output(subject, options).and_then(|()| has_duals(subject, options))
            },
            check: |at| {
                let trial = at.trial(equations::measured::TANGENT);
                match (at.subject.moving, trial.inside(at.slopes())?.first()) {
                    (Some(moving), Some(slope)) => {
                        let Points { x, u, .. } = &at.points;
                        equations::measured::tangent_measured(at.subject.rule, moving, x, u, slope)
                    }
                    _ => Ok(Outcome::Elsewhere),
                }
            },
        },
        Entry { law: equations::adjoint::ADJOINT, applies: is_adjoint, check: adjoint },
        Entry {
            law: equations::adjoint::EXACT,
            applies: |subject, options| is_adjoint(subject, options).and_then(|()| is_exact(subject, options)),
            check: |at| match (at.subject.exact, &at.exact) {
                _ if at.at_corner() => CORNER,
                (Some((rule, moving)), Some(Points { x, u, .. })) => {
                    held(equations::adjoint::each_coordinate(equations::adjoint::EXACT, rule, moving, x, u))
                }
                _ => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::rounded::ROUNDED,
            applies: is_exact,
            check: |at| match (at.subject.exact, &at.exact) {
                (Some((rule, _)), Some(exact)) => {
                    let (x, u) = (&at.points.x, &at.points.u);
                    held(equations::rounded(at.subject.rule, rule, (x, &exact.x), (u, &exact.u)))
                }
                _ => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::corner::CONVENTION,
            applies: |subject, options| {
                is_adjoint(subject, options)?;
                match subject.rule.evidence() {
                    Evidence::Proved => Err("the rule is proved: its domain has no corner"),
                    Evidence::Declared(Declared::Convention) if subject.stated.is_none() => {
                        Err("the convention was declared in words only: `declares` says it in numbers")
                    }
                    Evidence::Declared(_) => Ok(()),
                }
            },
            check: |at| {
                let Points { x, u, .. } = &at.points;
                let stated = at.subject.stated.map(|stated| stated(x, u));
                let slopes = at.trial(equations::corner::CONVENTION).inside(at.slopes())?;
                equations::corner::convention_measured(&at.inside(), x, u, slopes, stated.as_deref())
            },
        },
        Entry {
            law: equations::residual::DETERMINISTIC,
            applies: always,
            check: |at| held(equations::deterministic(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::residual::REUSABLE,
            applies: always,
            check: |at| held(equations::reusable(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::residual::INTERLEAVED,
            applies: always,
            check: |at| {
                let Points { x, y, u, w, .. } = &at.points;
                held(equations::interleaved(at.subject.rule, x, u, y, w))
            },
        },
        Entry {
            law: equations::residual::RECOMPUTABLE,
            applies: always,
            check: |at| held(equations::recomputable(at.subject.rule, &at.points.x, &at.points.u, &at.points.y)),
        },
        Entry {
            law: equations::usage::RESIDUAL_SUFFICES,
            applies: always,
            check: |at| held(equations::residual_suffices(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::usage::UNCHANGED,
            applies: always,
            check: |at| held(equations::unchanged(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::usage::ONE_STORAGE,
            applies: |subject, _| {
                if !subject.rule.shares_storage() {
                    return Err("the rule does not see the storage of its arguments");
                }
                twins(subject.rule).next().map(|_| ()).ok_or("no two arguments have the same length")
            },
            check: |at| {
                twins(at.subject.rule)
                    .try_for_each(|twins| equations::one_storage(at.subject.rule, &at.points.x, &at.points.u, twins))?;
                HELD
            },
        },
        Entry {
            law: equations::usage::TRACKED,
            applies: |subject, _| {
                if !subject.rule.tracks() {
                    return Err("the rule is not told which arguments are tracked");
                }
                if subject.rule.arguments().len() > 1 { Ok(()) } else { Err("there is one argument only") }
            },
            check: |at| held(equations::tracked(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::usage::MOVED,
            applies: always,
            check: |at| held(equations::moved(at.subject.rule, &at.points.x, &at.points.u)),
        },
    ];
    alone.into_iter().chain(WHOLES.map(whole)).collect()
}

fn has_duals<T: Scalar>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    subject.moving.map(|_| ()).ok_or("the rule was not given at dual numbers")
}

fn is_exact<T: Scalar>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    subject.exact.map(|_| ()).ok_or("the rule was not given over the rationals")
}

fn adjoint<T: Approximate>(at: &At<'_, '_, T>) -> Result<Outcome, LawViolation> {
    let Points { x, u, v, .. } = &at.points;
    let rule = at.subject.rule;
    // Where dual numbers overflow and the function does not, they are no derivative.
    let overflows =
        |moving: &dyn Moving<T>| moving.push(x, v).is_ok_and(|pushed| !pushed.tangent.iter().all(T::is_finite));
    let Some(moving) = at.subject.moving.filter(|moving| !overflows(*moving)) else {
        let slopes = at.trial(equations::adjoint::ADJOINT).inside(at.slopes())?;
        return equations::measured::adjoint_measured(&at.inside(), x, u, slopes);
    };
    if at.at_corner() {
        return CORNER;
    }
    if at.options.constants.is_empty() {
        equations::coordinatewise(rule, moving, x, u)?;
    } else {
        for (v, _) in at.directions() {
            equations::adjoint(rule, moving, x, u, &v)?;
        }
    }
    held(equations::adjoint(rule, moving, x, u, v))
}

/// The laws that say how a whole is made of parts.
const WHOLES: [Law; 13] = [
    equations::composition::SAME_CONTRACT,
    equations::composition::COMPOSITE,
    equations::composition::ASSOCIATIVE,
    equations::composition::LEFT_UNIT,
    equations::composition::RIGHT_UNIT,
    equations::composition::RECOMPUTED,
    equations::product::COMPONENTWISE,
    equations::product::FANNED_OUT,
    equations::product::SHARING_ADDS,
    equations::product::DISCARDING_IS_ZERO,
    equations::product::SHARED_ARGUMENT,
    equations::iteration::REPEATED,
    equations::iteration::ROW_BY_ROW,
];

fn whole<T: Approximate>(law: Law) -> Entry<T> {
    // The functions of an entry know no law: each is made for one place in the list.
    fn made_so<T: Scalar, const PLACE: usize>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
        let said = subject.wholes.iter().any(|whole| whole.law() == WHOLES[PLACE]);
        if said { Ok(()) } else { Err("nobody said that the rule is made so") }
    }
    fn check<T: Approximate, const PLACE: usize>(at: &At<'_, '_, T>) -> Result<Outcome, LawViolation> {
        for whole in at.subject.wholes.iter().filter(|whole| whole.law() == WHOLES[PLACE]) {
            whole.check(at.subject, &at.points)?;
        }
        HELD
    }
    macro_rules! place {
        ($($place:literal)*) => {
            match WHOLES.iter().position(|other| *other == law) {
                $(Some($place) => Entry { law, applies: made_so::<T, $place>, check: check::<T, $place> },)*
                _ => Entry { law, applies: |_, _| Err("it is about several rules"), check: |_| Ok(Outcome::Elsewhere) },
            }
        };
    }
    place!(0 1 2 3 4 5 6 7 8 9 10 11 12)
}
