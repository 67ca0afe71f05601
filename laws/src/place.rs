//! A rule at the points of a case: whether it is defined there, its derivatives, and what came of a law.
//!
//! What several laws ask is found once.
//! A rule that panics breaks a law; it must never stop who checks it.

use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pullback_scalar::{Rational, Scalar};

use crate::approximate::Approximate;
use crate::equations::measured::{Slope, slope};
use crate::equations::{self, Measured, Outcome};
use crate::evidence::{Declared, Evidence};
use crate::flat::{Flat, Refusal, Run, shaped_as};
use crate::options::Options;
use crate::points::{LARGE, Points, directions, is_inside, probes};
use crate::storage::Storage;
use crate::suite::Subject;
use crate::table::Entry;
use crate::trial::Trial;
use crate::violation::{Law, LawViolation};

/// A subject at the points of a case.
pub(crate) struct At<'c, 'a, T: Scalar> {
    pub(crate) subject: &'c Subject<'a, T>,
    pub(crate) options: &'c Options,
    pub(crate) case: usize,
    pub(crate) points: Points<T>,
    pub(crate) exact: Option<Points<Rational>>,
    /// The only direction that is measured beside the general one, where a violation was found in it.
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

/// What a function gives, or what it said when it panicked.
pub(crate) fn caught<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    // Nothing that is seen afterwards was changed: points are read only, and what a rule keeps is its own business.
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("without a message").to_owned()
    })
}

/// Inputs beyond may make a function overflow without a fault of its own.
const GREAT: f64 = 8.0;

impl<'c, 'a, T: Approximate> At<'c, 'a, T> {
    pub(crate) fn new(
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

    /// The same points, where a law that measures derivatives asks for one of them and the general one; nothing where there is no such direction.
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

    pub(crate) fn inside(&self) -> Inside<'_, T> {
        Inside { rule: self.subject.rule, options: self.options }
    }

    pub(crate) fn trial(&self, law: Law) -> Trial<'_, T> {
        Trial { law, about: self.subject.rule, at: &[] }
    }

    fn panicked(&self, law: Law, message: String) -> LawViolation {
        let at = [("x", &self.points.x[..]), ("u", &self.points.u[..])];
        LawViolation::panicked(law, self.subject.rule, &at, message)
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
    pub(crate) fn slopes(&self) -> Result<&[Slope<T>], Refusal> {
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
    pub(crate) fn advised(&self, violation: LawViolation) -> LawViolation {
        let rule = self.subject.rule;
        let help = if violation.panic().is_some() {
            None
        } else if violation.refusal().is_some() {
            Some(
                "the point is one that the options call inside: `Options::domain` and `Options::inside` say which are"
                    .into(),
            )
        } else if violation.law() == Law::DEFINED {
            Some(self.undefined())
        } else if violation.law() == Law::CONVENTION && rule.evidence() == Evidence::Declared(Declared::Unproved) {
            Some(
                "a rule that gives something else on a corner on purpose says so: `declared(Declared::Convention)`, and what it gives with `declares`".into(),
            )
        } else if violation.law() == Law::DUPLICATED {
            Some(
                "equal numbers share what the function gives to them, each an equal part or the first all of it; a rule that gives something else on purpose is no derivative and says so: `declared(Declared::Surrogate)`".into(),
            )
        } else if violation.law() == Law::ADJOINT {
            self.idle()
        } else {
            None
        };
        violation.helped(help)
    }

    /// What is not defined: the function, whose domain can be said, or the rule alone, which no domain mends.
    fn undefined(&self) -> String {
        let Points { x, y, .. } = &self.points;
        let has_value = |x: &[T]| self.subject.rule.run(x).is_ok_and(|run| run.value.iter().all(T::is_finite));
        if caught(|| has_value(x) && has_value(y)) == Ok(true) {
            return "the function has a value there, and its rule has none: the rule is to be mended, no domain makes up for it"
                .into();
        }
        let axis = if self.subject.rule.has_axis_of_one() { "; an axis of two at least is written `n+1`" } else { "" };
        format!(
            "the function itself has no value there: `Options::domain` and `Options::inside` say where it is defined{axis}"
        )
    }

    /// An argument whose cotangent is nothing or zero wherever one looks, as that of a mask.
    fn idle(&self) -> Option<String> {
        let Points { x, y, u, w, .. } = &self.points;
        let answer = |x: &[T], u: &[T]| {
            caught(|| self.subject.rule.run(x).map(|run| run.saved.answer(&Storage::new(u.to_vec()))).ok()).ok()?
        };
        let answers: Vec<Vec<Option<Vec<T>>>> =
            [(x, u), (y, w)].into_iter().map(|(x, u)| answer(x, u)).collect::<Option<_>>()?;
        let arguments = self.subject.rule.arguments();
        let asked = (0..arguments.len()).filter(|k| arguments[*k] > 0 && !self.options.constants.contains(k));
        let of = |is: &dyn Fn(&Option<Vec<T>>) -> bool| {
            asked.clone().find(|k| answers.iter().all(|answer| answer.get(*k).is_some_and(is)))
        };
        let (given, k) = match of(&Option::is_none) {
            Some(k) => ("nothing", k),
            None => ("zero", of(&|piece| piece.as_ref().is_some_and(|piece| piece.iter().all(Scalar::is_zero)))?),
        };
        // Something has to be left that needs a gradient.
        if asked.clone().count() < 2 {
            return None;
        }
        Some(format!(
            "the rule gives {given} for argument {k}: if that needs no gradient, as a mask, `Options::constant({k})` says so"
        ))
    }

    /// Whether there are more coordinates than evaluations that one may ask for.
    pub(crate) fn is_large(&self) -> bool {
        self.points.x.len() > LARGE
    }

    /// The coordinates that are looked at one by one: all, or some of many.
    pub(crate) fn probed(&self) -> Vec<usize> {
        let length = self.points.x.len();
        if self.is_large() { probes(length, self.case) } else { (0..length).collect() }
    }

    pub(crate) fn is_probed(&self, coordinate: usize) -> bool {
        !self.is_large() || self.probed().contains(&coordinate)
    }

    /// The coordinates that a gradient is asked for.
    pub(crate) fn moving(&self) -> Vec<bool> {
        let arguments = self.subject.rule.arguments().into_iter().enumerate();
        arguments.flat_map(|(k, length)| vec![!self.options.constants.contains(&k); length]).collect()
    }

    pub(crate) fn directions(&self) -> Vec<(Vec<T>, Option<Vec<T>>)> {
        let all = directions(&self.points.x, &self.points.v, &self.moving(), self.case);
        // The one in general position stays: it shows corners that the others do not.
        let is_asked = |at: usize| self.along.is_none_or(|direction| at == direction || at == 0);
        all.into_iter().enumerate().filter(|(at, _)| is_asked(*at)).map(|(_, direction)| direction).collect()
    }

    /// Whether there is a corner: never where a rule is proved, for its domain has none.
    ///
    /// Two corners can cancel along one direction, so all are tried.
    pub(crate) fn at_corner(&self) -> bool {
        if self.subject.rule.evidence() == Evidence::Proved {
            return false;
        }
        let is_smooth = |(_, found): &Slope<T>| matches!(found, Measured::Smooth { .. });
        !self.slopes().is_ok_and(|slopes| slopes.iter().all(is_smooth))
    }
}

/// A rule that refuses what lies outside of the domain of the options: no difference is taken across its boundary.
pub(crate) struct Inside<'a, T: Scalar> {
    rule: &'a dyn Flat<T>,
    options: &'a Options,
}

shaped_as!([T: Scalar] Inside<'_, T>, rule);

impl<T: Approximate> Flat<T> for Inside<'_, T> {
    fn run<'s>(&'s self, input: &[T]) -> Result<Run<'s, T>, Refusal> {
        if !is_inside(self.rule, self.options, input) {
            return Err(Refusal::new("outside of the domain of the options"));
        }
        self.rule.run(input)
    }
}
