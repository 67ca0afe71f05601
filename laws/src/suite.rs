//! All laws that apply to a rule, at points that look for trouble.

use pullback_scalar::{Rational, Scalar};

use crate::approximate::Approximate;
use crate::draw::Draw;
use crate::equations::{self, Outcome};
use crate::flat::{Flat, Moving, Remembers};
use crate::options::{Options, OptionsError};
use crate::place::At;
use crate::points::Points;
use crate::report::{Report, Skipped, Tried};
use crate::shrink::shrunk;
use crate::table::table;
use crate::violation::{Law, LawViolation};
use crate::watch::Watch;
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
            let watch = Watch::new(self.rule, &points);
            let watched = Subject { rule: &watch, ..self.clone() };
            let place = At::new(&watched, options, case, points, exact);
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
            // Who lets what ran before matter, in whatever way, is not asked.
            let asked = [Law::DETERMINISTIC, Law::REUSABLE, Law::INTERLEAVED, Law::RECOMPUTABLE];
            if let Some(violation) = watch.found().filter(|_| asked.iter().all(|law| options.wants(*law))) {
                return Err(violation.in_case(options, case, false));
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
        // Who drew them has no number of a case: what takes turns from case to case does so from point to point.
        let mixed = points.v.iter().fold(0, |mixed, v| Draw::new(v.to_f64().to_bits() ^ mixed).bits());
        let case = (mixed % TURNS) as usize;
        let place = At::new(self, &options, case, points.clone(), None);
        for entry in table::<T>() {
            if (entry.applies)(self, &options).is_ok() {
                sink(entry.law, place.outcome(&entry));
            }
        }
    }
}

/// As many cases as anything takes turns over.
const TURNS: u64 = 1 << 10;

const NOT_ASKED: &str = "it was not asked for";

/// A law that applies has to be decided somewhere, and one that was asked for has to apply.
pub(crate) fn settled(report: &Report, options: &Options, spaces: (String, String)) -> Result<(), LawViolation> {
    let asked = |law: Law| options.only.contains(&law);
    if let Some(skipped) = report.skipped.iter().find(|skipped| asked(skipped.law)) {
        return Err(LawViolation::silent(skipped.law, spaces, skipped.why));
    }
    // A function need not have a corner, and none be smooth where numbers are equal.
    let silent = [equations::corner::CONVENTION, equations::duplicated::DUPLICATED];
    let may_be_silent = |tried: &&Tried| silent.contains(&tried.law) && !asked(tried.law);
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
