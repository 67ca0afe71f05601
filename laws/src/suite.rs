//! All laws that apply to a rule, at points that look for trouble.

use pullback_scalar::{Rational, Scalar};

use crate::approximate::Approximate;
use crate::equations::{self, Outcome};
use crate::flat::{Flat, Moving, Remembers};
use crate::options::Options;
use crate::points::{Points, directions, domains};
use crate::report::{Report, Skipped, Tried};
use crate::shrink::shrunk;
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
    /// The first violation, shrunk, with the options that reproduce it; also where a law was tried and could be decided nowhere.
    pub fn check(&self, options: &Options) -> Result<Report, LawViolation> {
        let report = self.tried(options)?;
        settled(&report, self.rule.spaces())?;
        Ok(report)
    }

    /// The same, where nothing has to be decided: more cases follow.
    pub(crate) fn tried(&self, options: &Options) -> Result<Report, LawViolation> {
        let mut report = Report {
            evidence: self.rule.evidence().to_owned(),
            seed: options.seed,
            cases: options.cases,
            laws: vec![],
            skipped: vec![],
        };
        let mut entries = vec![];
        for entry in table::<T>() {
            if !options.wants(entry.law.name) {
                report.skipped.push(Skipped { law: entry.law, why: "it was not asked for" });
            } else if let Err(why) = (entry.applies)(self, options) {
                report.skipped.push(Skipped { law: entry.law, why });
            } else {
                report.laws.push(Tried { law: entry.law, held: 0, undecided: 0, why: None });
                entries.push(entry);
            }
        }
        for case in options.first..options.first.saturating_add(options.cases) {
            let place = At {
                subject: self,
                options,
                case,
                points: Points::of_case(self.rule, options, case),
                exact: self.exact.map(|(rule, _)| Points::of_case(rule, options, case)),
            };
            for (entry, tried) in entries.iter().zip(&mut report.laws) {
                match place.outcome(entry) {
                    Ok(Outcome::Held) => tried.held += 1,
                    Ok(Outcome::Elsewhere) => {}
                    Ok(Outcome::Undecided(why)) => {
                        tried.undecided += 1;
                        tried.why = Some(why);
                    }
                    Err(violation) => return Err(shrunk(&place, entry, violation).in_case(options.seed, case)),
                }
            }
        }
        Ok(report)
    }

    /// Every law that applies at points that somebody else drew, and what came of it.
    pub fn visit(&self, points: &Points<T>, sink: &mut dyn FnMut(Law, Result<Outcome, LawViolation>)) {
        let options = Options::new();
        let place = At { subject: self, options: &options, case: 0, points: points.clone(), exact: None };
        for entry in table::<T>() {
            if (entry.applies)(self, &options).is_ok() {
                sink(entry.law, place.outcome(&entry));
            }
        }
    }
}

/// A law that was tried has to be decided somewhere.
pub(crate) fn settled(report: &Report, spaces: (String, String)) -> Result<(), LawViolation> {
    let nowhere = report.laws.iter().find(|tried| tried.held == 0 && tried.undecided > 0);
    match nowhere {
        Some(tried) => {
            let why = tried.why.unwrap_or("nothing was tried");
            Err(LawViolation::undecided(tried.law, spaces, tried.undecided, why))
        }
        None => Ok(()),
    }
}

/// A subject at the points of a case.
#[derive(Clone)]
pub(crate) struct At<'c, 'a, T: Scalar> {
    pub(crate) subject: &'c Subject<'a, T>,
    pub(crate) options: &'c Options,
    pub(crate) case: usize,
    pub(crate) points: Points<T>,
    pub(crate) exact: Option<Points<Rational>>,
}

/// A law of the suite: when it applies, and how it is tried.
pub(crate) struct Entry<T: Scalar> {
    pub(crate) law: Law,
    applies: fn(&Subject<'_, T>, &Options) -> Result<(), &'static str>,
    check: fn(&At<'_, '_, T>) -> Result<Outcome, LawViolation>,
}

impl<T: Approximate> At<'_, '_, T> {
    pub(crate) fn outcome(&self, entry: &Entry<T>) -> Result<Outcome, LawViolation> {
        // Where the function is not defined, one law says so and the others say nothing.
        let defined = |x: &[T]| self.subject.rule.run(x).is_ok_and(|run| run.value.iter().all(T::is_finite));
        if entry.law != equations::shape::DEFINED && !(defined(&self.points.x) && defined(&self.points.y)) {
            return Ok(Outcome::Undecided("the function is not defined there"));
        }
        (entry.check)(self)
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

    fn directions(&self) -> Vec<Vec<T>> {
        directions(&self.points.x, &self.points.v, &|at| self.is_constant(at), self.case)
    }

    /// Whether there is a corner: never where a rule is proved, for its domain has none.
    ///
    /// Two corners can cancel along one direction, so all are tried; over exact scalars one in general position has to do, for their numbers grow with every step.
    fn at_corner(&self) -> bool {
        let Points { x, u, .. } = &self.points;
        let rule = self.subject.rule;
        let count = if T::TOLERANCE == 0.0 { 1 } else { usize::MAX };
        let is_smooth = |v: &Vec<T>| equations::smooth_at(rule, x, u, v).unwrap_or(false);
        rule.evidence() != "proved" && !self.directions().iter().take(count).all(is_smooth)
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
    if subject.rule.evidence() == "surrogate" {
        return Err("the rule is declared a surrogate: another map than the adjoint, on purpose");
    }
    has_output(subject, options)
}

/// The place of two arguments of equal length.
fn twins<T: Scalar>(subject: &Subject<'_, T>) -> Option<(usize, usize)> {
    let lengths = subject.rule.arguments();
    (0..lengths.len()).find_map(|other| {
        lengths[..other].iter().position(|length| *length == lengths[other] && *length > 0).map(|one| (one, other))
    })
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
                Some(plain) => held(equations::value(at.subject.rule, &plain(&at.points.x), &at.points.x)),
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
            check: |at| match (at.subject.moving, at.directions().first()) {
                (Some(moving), Some(v)) => equations::tangent(at.subject.rule, moving, &at.points.x, &at.points.u, v),
                _ => Ok(Outcome::Elsewhere),
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
            law: equations::measured::CONVENTION,
            applies: |subject, _| match subject.rule.evidence() {
                "subgradient" => Ok(()),
                _ if subject.stated.is_some() => Ok(()),
                "convention" => Err("the convention was declared in words only: `declares` says it in numbers"),
                _ => Err("no convention was declared"),
            },
            check: |at| {
                let Points { x, u, .. } = &at.points;
                let stated = at.subject.stated.map(|stated| stated(x, u));
                equations::convention(at.subject.rule, x, u, &at.directions(), stated.as_deref())
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
                twins(subject).map(|_| ()).ok_or("no two arguments have the same length")
            },
            check: |at| match twins(at.subject) {
                Some(twins) => held(equations::one_storage(at.subject.rule, &at.points.x, &at.points.u, twins)),
                None => Ok(Outcome::Elsewhere),
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
    let Some(moving) = at.subject.moving else {
        return equations::measured::adjoint_measured(rule, x, u, &at.directions());
    };
    if at.at_corner() {
        return CORNER;
    }
    if at.options.constants.is_empty() {
        equations::coordinatewise(rule, moving, x, u)?;
    } else {
        for v in at.directions() {
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
