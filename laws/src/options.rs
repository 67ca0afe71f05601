//! What to try.

use crate::draw::Domain;

/// How to check a rule: the points, the laws, the domain.
///
/// The same options try the same points on every machine.
///
/// # Example
///
/// ```
/// use pullback_laws::{Domain, Options};
///
/// // The first argument is positive, the second anything, the third needs no gradient.
/// let options = Options::new().domains(&[Domain::Positive, Domain::Any, Domain::Any]).constant(2).cases(100);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub(crate) seed: u64,
    pub(crate) first: usize,
    pub(crate) cases: usize,
    pub(crate) domains: Vec<Domain>,
    pub(crate) constants: Vec<usize>,
    pub(crate) corners: Vec<(i64, i64)>,
    pub(crate) scales: Vec<i32>,
    pub(crate) only: Vec<String>,
    pub(crate) without: Vec<String>,
    pub(crate) empty: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            first: 0,
            cases: 32,
            domains: vec![],
            constants: vec![],
            corners: vec![],
            scales: vec![4, -20],
            only: vec![],
            without: vec![],
            empty: false,
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

    /// The magnitudes that points are scaled to, as powers of two; 2⁴ and 2⁻²⁰ where nothing is said.
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

    /// This law and those named so before, and no other.
    #[must_use]
    pub fn only(mut self, law: &str) -> Self {
        self.only.push(law.to_owned());
        self
    }

    /// All laws but this one and those named so before.
    #[must_use]
    pub fn without(mut self, law: &str) -> Self {
        self.without.push(law.to_owned());
        self
    }

    pub(crate) fn wants(&self, law: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|name| name == law))
            && self.without.iter().all(|name| name != law)
    }

    /// The domain of an argument.
    pub(crate) fn domain_of(&self, argument: usize) -> Domain {
        self.domains.get(argument).or(self.domains.last()).copied().unwrap_or(Domain::Any)
    }
}
