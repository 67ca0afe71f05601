//! What to try.

use core::fmt::{self, Write};
use std::sync::Arc;

use pullback_scalar::Scalar;
use thiserror::Error;

use crate::draw::Domain;
use crate::violation::Law;

/// How to check a rule: the points, the laws, the domain.
///
/// The same options try the same points on every machine.
/// What does not fit the rule, such as a constant argument that it has not, is a violation and never a check of nothing: see [`OptionsError`].
///
/// # Example
///
/// ```
/// use pullback_laws::{Domain, Options};
///
/// // The first argument is positive, the second anything, the third needs no gradient.
/// let options = Options::new().domains(&[Domain::Positive, Domain::Any, Domain::Any]).constant(2).cases(100);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub(crate) seed: u64,
    pub(crate) first: usize,
    pub(crate) cases: usize,
    pub(crate) domains: Vec<Domain>,
    pub(crate) inside: Option<Inside>,
    pub(crate) constants: Vec<usize>,
    pub(crate) corners: Vec<(i64, i64)>,
    pub(crate) scales: Vec<i32>,
    pub(crate) only: Vec<Law>,
    also: Vec<Law>,
    pub(crate) without: Vec<Law>,
    pub(crate) empty: bool,
    pub(crate) varies: bool,
}

/// A domain that is no product of domains, as a function of all arguments.
#[derive(Clone)]
pub(crate) struct Inside(Arc<Predicate>);

type Predicate = dyn Fn(&[&[f64]]) -> bool + Send + Sync;

impl Inside {
    pub(crate) fn contains(&self, arguments: &[&[f64]]) -> bool {
        (self.0)(arguments)
    }
}

impl fmt::Debug for Inside {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Inside(…)")
    }
}

impl PartialEq for Inside {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The magnitudes that points are scaled to where nothing is said.
const SCALES: [i32; 4] = [4, -20, 10, -40];

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            first: 0,
            cases: 32,
            domains: vec![],
            inside: None,
            constants: vec![],
            corners: vec![],
            scales: SCALES.to_vec(),
            only: vec![],
            also: vec![],
            without: vec![],
            empty: false,
            varies: false,
        }
    }
}

impl Options {
    /// All laws at 32 points, from seed 0, and every input in the domain.
    #[must_use]
    pub fn new() -> Self {
        Options::default()
    }

    /// The seed of all points.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many points to try; one at least.
    #[must_use]
    pub fn cases(mut self, cases: usize) -> Self {
        self.cases = cases.max(1);
        self
    }

    /// One point only, that of this number: what a violation names.
    #[must_use]
    pub fn case(mut self, case: usize) -> Self {
        (self.first, self.cases) = (case, 1);
        self
    }

    /// The domain of every argument.
    #[must_use]
    pub fn domain(mut self, domain: Domain) -> Self {
        self.domains = vec![domain];
        self
    }

    /// The domain of each argument; that of the last one for those which are not named.
    #[must_use]
    pub fn domains(mut self, domains: &[Domain]) -> Self {
        self.domains = domains.to_vec();
        self
    }

    /// A domain that says how the numbers of an input belong together: whether a list for each argument lies inside.
    ///
    /// Points are drawn until one does, and no derivative is measured across its boundary.
    /// The law `refused` knows nothing of it: whether the boundary itself is inside is not said.
    ///
    /// # Example
    ///
    /// A matrix that is far from being singular:
    ///
    /// ```
    /// use pullback_laws::Options;
    ///
    /// let options = Options::new().inside(|x| (x[0][0] * x[0][3] - x[0][1] * x[0][2]).abs() > 0.5);
    /// ```
    #[must_use]
    pub fn inside(mut self, contains: impl Fn(&[&[f64]]) -> bool + Send + Sync + 'static) -> Self {
        self.inside = Some(Inside(Arc::new(contains)));
        self
    }

    /// An argument that needs no gradient, such as a mask: it is drawn, and no derivative by it is asked for.
    #[must_use]
    pub fn constant(mut self, argument: usize) -> Self {
        self.constants.push(argument);
        self
    }

    /// A number at which the function may have a corner, `numerator / denominator`: points are tried on it, beside zero, ±1 and a few others.
    #[must_use]
    pub fn corner(mut self, numerator: i64, denominator: i64) -> Self {
        self.corners.push((numerator, denominator));
        self
    }

    /// The magnitudes that points are scaled to, as powers of two; 2⁴, 2⁻²⁰, 2¹⁰ and 2⁻⁴⁰ where nothing is said.
    #[must_use]
    pub fn scales(mut self, powers: &[i32]) -> Self {
        self.scales = powers.to_vec();
        self
    }

    /// Axes of size zero are tried too.
    #[must_use]
    pub fn empty_axes(mut self) -> Self {
        self.empty = true;
        self
    }

    /// What is added up in an order that varies from run to run, as atomic additions have it: two runs at one point agree up to rounding, and need not agree to the bit.
    ///
    /// Without it, the laws `deterministic` and `reusable` are held to the last digit.
    #[must_use]
    pub fn rounding_varies(mut self) -> Self {
        self.varies = true;
        self
    }

    /// This law and those named so before, and no other: each of them has to apply, and to say something somewhere.
    #[must_use]
    pub fn only(mut self, law: Law) -> Self {
        self.only.push(law);
        self
    }

    /// Beside those of [`only`](Options::only), this law too where it applies.
    #[must_use]
    pub fn also(mut self, law: Law) -> Self {
        self.also.push(law);
        self
    }

    /// All laws but this one and those named so before.
    #[must_use]
    pub fn without(mut self, law: Law) -> Self {
        self.without.push(law);
        self
    }

    pub(crate) fn wants(&self, law: Law) -> bool {
        (self.only.is_empty() || self.only.contains(&law) || self.also.contains(&law)) && !self.without.contains(&law)
    }

    /// The numbers of the points.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.first;
        (0..self.cases).map(move |number| first.wrapping_add(number))
    }

    /// The domain of an argument.
    pub(crate) fn domain_of(&self, argument: usize) -> Domain {
        self.domains.get(argument).or(self.domains.last()).copied().unwrap_or(Domain::Any)
    }

    /// Whether they fit a rule with so many arguments.
    pub(crate) fn fit<T: Scalar>(&self, arguments: usize) -> Result<(), OptionsError> {
        if let Some(law) = self.only.iter().find(|law| self.without.contains(law)) {
            return Err(OptionsError::Contradiction(*law));
        }
        if let Some(&argument) = self.constants.iter().find(|&&argument| argument >= arguments) {
            return Err(OptionsError::NoSuchArgument { argument, arguments });
        }
        if (0..arguments).all(|argument| self.constants.contains(&argument)) {
            return Err(OptionsError::AllConstant);
        }
        if self.domains.len() > arguments {
            return Err(OptionsError::TooManyDomains { domains: self.domains.len(), arguments });
        }
        if let Some(&domain) = self.domains.iter().find(|domain| !domain.is_drawable::<T>()) {
            return Err(OptionsError::Domain(domain));
        }
        if let Some(&(numerator, denominator)) = self.corners.iter().find(|(_, denominator)| *denominator == 0) {
            return Err(OptionsError::Corner { numerator, denominator });
        }
        if let Some(&power) = self.scales.iter().find(|power| power.unsigned_abs() > LARGEST_POWER) {
            return Err(OptionsError::Scale { power });
        }
        Ok(())
    }

    /// The text that makes these options for one law at one point, or for all points up to it where it depends on them.
    pub(crate) fn again(&self, law: Law, case: usize, alone: bool) -> String {
        let mut text = format!("Options::new().seed({})", self.seed);
        let mut say = |part: fmt::Arguments<'_>| text.write_fmt(part).unwrap_or(());
        if alone {
            say(format_args!(".case({case})"));
        } else {
            say(format_args!(".cases({})", case.saturating_add(1)));
        }
        match &self.domains[..] {
            [] => {}
            [domain] => say(format_args!(".domain(Domain::{domain:?})")),
            several => {
                let several: Vec<String> = several.iter().map(|domain| format!("Domain::{domain:?}")).collect();
                say(format_args!(".domains(&[{}])", several.join(", ")));
            }
        }
        if self.inside.is_some() {
            say(format_args!(".inside(…)"));
        }
        for argument in &self.constants {
            say(format_args!(".constant({argument})"));
        }
        for (numerator, denominator) in &self.corners {
            say(format_args!(".corner({numerator}, {denominator})"));
        }
        if self.scales != SCALES {
            say(format_args!(".scales(&{:?})", self.scales));
        }
        if self.empty {
            say(format_args!(".empty_axes()"));
        }
        if self.varies {
            say(format_args!(".rounding_varies()"));
        }
        say(format_args!(".only(Law::{})", law.name.to_uppercase()));
        text
    }
}

/// Powers beyond are no doubles when they are multiplied.
const LARGEST_POWER: u32 = 500;

/// Options that do not fit the rule that they are about: nothing was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// A law is asked for and excluded.
    #[error("`{name}` is asked for alone and excluded too: take one of `only` and `without` away", name = .0.name)]
    Contradiction(Law),
    /// A constant argument that the rule has not.
    #[error("argument {argument} is said to be constant, and the rule has {arguments}, numbered from 0")]
    NoSuchArgument {
        /// The number that was given.
        argument: usize,
        /// How many there are.
        arguments: usize,
    },
    /// No argument needs a gradient.
    #[error("all arguments are said to be constant: leave one that needs a gradient")]
    AllConstant,
    /// More domains than arguments.
    #[error("{domains} domains are given for {arguments} arguments: give one for each, or one for all")]
    TooManyDomains {
        /// How many were given.
        domains: usize,
        /// How many arguments there are.
        arguments: usize,
    },
    /// A domain without a number in it, or so far out that none can be drawn.
    #[error(
        "no number can be drawn from `{0:?}`: bounds are below 2⁴⁰ in size and have a sixteenth beside them, the lower one first and below the other"
    )]
    Domain(Domain),
    /// A corner at no number.
    #[error("a corner at {numerator}/{denominator} is no number: the denominator must not be zero")]
    Corner {
        /// The numerator.
        numerator: i64,
        /// The denominator.
        denominator: i64,
    },
    /// A magnitude that is no number.
    #[error("points can't be scaled by 2 to the power of {power}: powers lie between -500 and 500")]
    Scale {
        /// The power.
        power: i32,
    },
    /// No point was found that [`Options::inside`] accepts.
    #[error(
        "none of {tried} points that were drawn lies inside of the domain that `Options::inside` says: shift the rule to where they do, or say `Options::domain` too"
    )]
    NothingInside {
        /// How many were drawn.
        tried: usize,
    },
    /// No argument has a number in it.
    #[error("no argument has a number in it, at any of the sizes that were tried: there is no derivative to speak of")]
    NoNumbers,
    /// All laws are excluded.
    #[error("no law is left: each is excluded or does not apply")]
    NoLaws,
}
