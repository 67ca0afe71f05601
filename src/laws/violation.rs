//! A law that does not hold, and where.

use core::fmt;

use thiserror::Error;

use super::approximate::{Approximate, magnitude};
use crate::contract::DomainError;

/// An equation that contracts must satisfy: a name and the equation itself.
///
/// All of them are in [`LAWS`](super::LAWS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    /// The name of the function that checks it.
    pub name: &'static str,
    /// The equation; the module's page explains the letters.
    pub equation: &'static str,
}

/// A law that a contract does not satisfy at some point.
///
/// It prints the law and its equation, the shapes, the seed, the point, both sides, and the first coordinate in which they differ.
///
/// # Example
///
/// ```
/// use pullback::laws::{self, zero_to_zero};
/// use pullback::{Contract, Cotangent, Declared, DomainError, Tensor, Unproved};
///
/// /// A bias that was meant for the forward function.
/// struct Off;
///
/// impl Contract for Off {
///     type Input = Tensor<(), f64>;
///     type Output = Tensor<(), f64>;
///     type Residual = ();
///     type Evidence = Declared<Unproved>;
///     fn forward(&self, input: Self::Input) -> Result<(Self::Output, ()), DomainError> {
///         Ok((input, ()))
///     }
///     fn pullback(&self, _: &(), seed: Cotangent<Self::Output>) -> Cotangent<Self::Input> {
///         Cotangent::new(seed.into_inner().map(|u| u + 0.5))
///     }
/// }
///
/// let violation = zero_to_zero::<f64, _>(&Off, &Tensor::scalar(3.0)).unwrap_err();
/// assert_eq!(
///     violation.named("off").with_seed(7).to_string(),
///     "off does not satisfy the law `zero_to_zero`
///   equation  K(r, 0) = 0
///   takes     Tensor()
///   gives     Tensor()
///   seed      7
///   at        x = [3.0]
///   left      K(r, 0) = [0.5]
///   right     0 = [0.0]
///   differ    at coordinate 0: 0.5 and 0.0, by 0.5"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct LawViolation(Box<Details>);

/// The law could not be tried: the point is outside of a domain.
#[derive(Clone, Debug, PartialEq)]
enum Found {
    Differ { left: Side, right: Side, index: usize, difference: String },
    Outside(DomainError),
}

#[derive(Clone, Debug, PartialEq)]
struct Side {
    what: &'static str,
    coordinates: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Details {
    law: Law,
    contract: Option<String>,
    takes: String,
    gives: String,
    seed: Option<u64>,
    at: Vec<Side>,
    found: Found,
}

impl LawViolation {
    /// The law.
    #[must_use]
    pub fn law(&self) -> Law {
        self.0.law
    }

    /// The name of the contract, if [`named`](LawViolation::named) gave one.
    #[must_use]
    pub fn contract(&self) -> Option<&str> {
        self.0.contract.as_deref()
    }

    /// The seed of the point, if [`with_seed`](LawViolation::with_seed) gave one.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        self.0.seed
    }

    /// The first coordinate in which the two sides differ; nothing where a side has no value.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        match &self.0.found {
            Found::Differ { index, .. } => Some(*index),
            Found::Outside(_) => None,
        }
    }

    /// The error, where the law could not be tried because the point is outside of the domain.
    #[must_use]
    pub fn domain_error(&self) -> Option<DomainError> {
        match &self.0.found {
            Found::Differ { .. } => None,
            Found::Outside(error) => Some(*error),
        }
    }

    /// The same, of the contract with this name.
    #[must_use]
    pub fn named(mut self, contract: impl Into<String>) -> Self {
        self.0.contract = Some(contract.into());
        self
    }

    /// The same, at the point that was drawn from this seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.0.seed = Some(seed);
        self
    }
}

/// A list longer than this would bury the message that it stands in.
const SHOWN: usize = 24;

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = [", self.what)?;
        for (index, coordinate) in self.coordinates.iter().take(SHOWN).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(formatter, "{comma}{coordinate}")?;
        }
        if self.coordinates.len() > SHOWN {
            write!(formatter, ", … {} more", self.coordinates.len() - SHOWN)?;
        }
        formatter.write_str("]")
    }
}

impl fmt::Display for Details {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contract = self.contract.as_deref().unwrap_or("the contract");
        writeln!(formatter, "{contract} does not satisfy the law `{}`", self.law.name)?;
        writeln!(formatter, "  equation  {}", self.law.equation)?;
        writeln!(formatter, "  takes     {}", self.takes)?;
        writeln!(formatter, "  gives     {}", self.gives)?;
        if let Some(seed) = self.seed {
            writeln!(formatter, "  seed      {seed}")?;
        }
        for side in &self.at {
            writeln!(formatter, "  at        {side}")?;
        }
        match &self.found {
            Found::Differ { left, right, index, difference } => {
                let missing = || "nothing".to_string();
                let one = left.coordinates.get(*index).cloned().unwrap_or_else(missing);
                let other = right.coordinates.get(*index).cloned().unwrap_or_else(missing);
                writeln!(formatter, "  left      {left}")?;
                writeln!(formatter, "  right     {right}")?;
                write!(formatter, "  differ    at coordinate {index}: {one} and {other}, by {difference}")
            }
            Found::Outside(error) => write!(formatter, "  outside   {error}"),
        }
    }
}

/// What a trial of a law reports about itself when it fails.
pub(super) struct Place<'a, T> {
    pub(super) law: Law,
    /// The shapes of the input and of the output.
    pub(super) spaces: &'a dyn Fn() -> (String, String),
    /// The points, by name.
    pub(super) at: &'a [(&'static str, &'a [T])],
}

impl<T: Approximate> Place<'_, T> {
    fn violation(&self, found: Found) -> LawViolation {
        let (takes, gives) = (self.spaces)();
        let at = self.at.iter().map(|(what, coordinates)| side(what, coordinates)).collect();
        LawViolation(Box::new(Details { law: self.law, contract: None, takes, gives, seed: None, at, found }))
    }

    #[cold]
    pub(super) fn differ(
        &self,
        (left_name, left): (&'static str, &[T]),
        (right_name, right): (&'static str, &[T]),
        index: usize,
    ) -> LawViolation {
        let difference = match (left.get(index), right.get(index)) {
            (Some(left), Some(right)) => magnitude(&(left.clone() - right.clone())).show(),
            _ => "their lengths".to_string(),
        };
        let (left, right) = (side(left_name, left), side(right_name, right));
        self.violation(Found::Differ { left, right, index, difference })
    }

    #[cold]
    pub(super) fn outside(&self, error: DomainError) -> LawViolation {
        self.violation(Found::Outside(error))
    }
}

fn side<T: Approximate>(what: &'static str, coordinates: &[T]) -> Side {
    Side { what, coordinates: coordinates.iter().map(Approximate::show).collect() }
}
