//! Inputs outside of a contract's domain.

use thiserror::Error;

/// A condition that a contract puts on its input, such as `x > 0`.
#[derive(Debug, PartialEq, Eq)]
pub struct Condition {
    /// The name of the contract.
    pub contract: &'static str,
    /// The condition as its statement says it.
    pub text: &'static str,
}

impl Condition {
    /// A condition of a contract.
    #[must_use]
    pub const fn new(contract: &'static str, text: &'static str) -> Self {
        Condition { contract, text }
    }
}

/// An input outside of the domain of a contract: which contract, which condition, and where.
///
/// It is two words, so that the results of contracts stay cheap to pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}: the condition `{}` does not hold{}", condition.contract, condition.text, at(*index))]
pub struct DomainError {
    condition: &'static Condition,
    index: usize,
}

impl DomainError {
    /// The condition fails at a flat index of the tensor or of the loop that it speaks about.
    #[cold]
    #[must_use]
    pub const fn new(condition: &'static Condition, index: usize) -> Self {
        DomainError { condition, index }
    }

    /// The condition fails, and nobody says where: programs know the instruction only.
    #[cold]
    #[must_use]
    pub const fn somewhere(condition: &'static Condition) -> Self {
        DomainError { condition, index: usize::MAX }
    }

    /// The name of the contract.
    #[must_use]
    pub const fn contract(&self) -> &'static str {
        self.condition.contract
    }

    /// The condition that does not hold.
    #[must_use]
    pub const fn condition(&self) -> &'static str {
        self.condition.text
    }

    /// The flat index at which it does not hold; `usize::MAX` where nobody says.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }
}

fn at(index: usize) -> String {
    if index == usize::MAX { String::new() } else { format!(" at flat index {index}") }
}
