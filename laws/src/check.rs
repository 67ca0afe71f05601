//! The one call for two closures.

use crate::approximate::Approximate;
use crate::draw::Draw;
use crate::evidence::Evidence;
use crate::flat::Shaped;
use crate::options::{Options, OptionsError};
use crate::points::case_seed;
use crate::report::Report;
use crate::rule::{Cotangents, Forward, Rule, View};
use crate::signature::Signature;
use crate::suite::{Subject, settled};
use crate::violation::LawViolation;

impl<T: Approximate> Rule<'_, T> {
    /// Checks all laws that apply, at sizes that vary with the case.
    ///
    /// # Errors
    ///
    /// The first violation, shrunk, with the options that reproduce it; also where a law was tried and could be decided nowhere.
    pub fn check(&self, options: &Options) -> Result<Report, LawViolation> {
        let mut report: Option<Report> = None;
        // At sizes of one, an array is empty only where its shape says so.
        let least = self.at(&self.signature().least());
        if least.dimensions().0 == 0 {
            return Err(LawViolation::options(OptionsError::NoNumbers, least.spaces()));
        }
        let mut spaces = (String::new(), String::new());
        for case in options.numbers() {
            // Where nothing varies, one instance has all cases.
            let fixed = self.signature().names().is_empty();
            let sizes = self.signature().sizes(case, &mut Draw::new(case_seed(options.seed, case)), options.empty);
            let rule = self.at(&sizes);
            let (plain, stated) = (|x: &[T]| rule.plain(x), |x: &[T], u: &[T]| rule.stated(x, u));
            let mut subject = Subject::new(&rule);
            if self.has_duals() {
                subject = subject.on_duals(&rule);
            }
            if self.is_plain() {
                subject = subject.computes(&plain);
            }
            if self.is_stated() {
                subject = subject.declares(&stated);
            }
            if fixed {
                return subject.check(options);
            }
            let one = subject.tried(&options.clone().case(case))?;
            match &mut report {
                Some(report) => report.add(one),
                None => report = Some(one),
            }
            spaces = rule.spaces();
        }
        // There is a case at least, so there is a report.
        let report = report.unwrap_or_else(|| Report {
            evidence: Evidence::default(),
            seed: options.seed,
            cases: 0,
            laws: vec![],
            skipped: vec![],
        });
        settled(&report, options, spaces)?;
        Ok(report)
    }
}

/// Checks all laws that apply to a forward function and a backward rule, given as closures over slices, at doubles.
///
/// `forward` of the arguments gives what [`Forward`] says: the output, or the output and what it saves, or a result of either.
/// `backward` of what was saved (a [`Tape`](crate::Tape) of the inputs and the output, where nothing was said) and a cotangent gives what [`Cotangents`] says.
/// Arguments, tape and cotangents have their shapes; of several outputs the cotangents are [`View::parts`].
/// A rule that computes in single precision is no rule at doubles: it is checked as a [`Rule`] at `f32`.
/// See [`Rule`] for other scalars, for dual numbers, for rules that work in place, and for declared rules.
///
/// # Errors
///
/// The first violation, shrunk, with the options that reproduce it; also where a law was tried and could be decided nowhere.
///
/// # Example
///
/// ```
/// use pullback_laws::{Options, check_rule};
///
/// let signature = "n -> ".parse()?;
/// // Half of the sum of squares, whose rule forgot the cotangent.
/// let violation = check_rule(
///     &signature,
///     |x| vec![x[0].iter().map(|x| x * x / 2.0).sum()],
///     |tape, _| tape.inputs[0].clone(),
///     &Options::new(),
/// )
/// .unwrap_err();
/// assert_eq!(violation.law().name, "homogeneous");
/// # Ok::<(), pullback_laws::SignatureError>(())
/// ```
pub fn check_rule<F, B, S, K>(
    signature: &Signature,
    forward: F,
    backward: B,
    options: &Options,
) -> Result<Report, LawViolation>
where
    F: Fn(&[View<'_, f64>]) -> S + Send + Sync,
    S: Forward<f64>,
    B: Fn(&S::Residual, View<'_, f64>) -> K + Send + Sync,
    K: Cotangents<f64>,
{
    Rule::new(signature.clone(), forward, backward).check(options)
}
