//! The contract.

use super::{DomainError, EvidenceFor, Proved};
use crate::space::{Cotangent, Space};

/// A differentiable operation: a forward function, what it saves, and the backward rule (the triple F, R, K of the theory).
///
/// # Laws
///
/// For every input of the domain, with `(output, residual) = forward(input)?`:
///
/// - `pullback(residual, ·)` is linear.
/// - For [`Proved`](super::Proved) contracts it is the adjoint of the derivative at `input`: the pairing of `pullback(residual, u)` with `v` is that of `u` with the derivative of `forward` in direction `v`.
/// - Both are functions of their arguments alone.
///
/// Outside of the domain `forward` returns the error; what `pullback` gives for a residual that no `forward` made is not specified, but it does not panic.
///
/// # Example
///
/// A rule written by hand is declared, not proved:
///
/// ```
/// use pullback::{Contract, Cotangent, Declared, DomainError, Tensor, Unproved};
///
/// struct Square;
///
/// impl Contract for Square {
///     type Input = Tensor<()>;
///     type Output = Tensor<()>;
///     type Residual = Tensor<()>;
///     type Evidence = Declared<Unproved>;
///
///     fn forward(&self, input: Tensor<()>) -> Result<(Tensor<()>, Tensor<()>), DomainError> {
///         Ok((input.map(|x| x * x), input))
///     }
///
///     fn pullback(&self, residual: &Tensor<()>, seed: Cotangent<Tensor<()>>) -> Cotangent<Tensor<()>> {
///         Cotangent::new(residual.zip_map(seed.as_inner(), |x, dy| 2.0 * x * dy))
///     }
/// }
///
/// let (output, residual) = Square.forward(Tensor::scalar(3.0))?;
/// let gradient = Square.pullback(&residual, Cotangent::new(Tensor::scalar(1.0)));
/// assert_eq!((output.to_scalar(), gradient.into_inner().to_scalar()), (9.0, 6.0));
/// # Ok::<(), DomainError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a contract",
    label = "needs a forward function and a backward rule"
)]
pub trait Contract {
    /// What the forward function takes.
    type Input: Space;
    /// What it gives.
    type Output: Space;
    /// What it saves for the backward rule.
    type Residual: Space;
    /// Why the backward rule may be believed.
    type Evidence: EvidenceFor<Self>;

    /// The output and what the backward rule needs of the input.
    ///
    /// # Errors
    ///
    /// [`DomainError`] for an input outside of the domain.
    fn forward(&self, input: Self::Input) -> Result<(Self::Output, Self::Residual), DomainError>;

    /// The cotangent of the input, for a cotangent of the output.
    #[must_use]
    fn pullback(&self, residual: &Self::Residual, seed: Cotangent<Self::Output>) -> Cotangent<Self::Input>;
}

/// A contract whose backward rule was proved: what a function takes or gives where declared rules will not do.
///
/// It is short for `Contract<Evidence = Proved>`, and every such contract is one.
///
/// ```
/// use pullback::ops::tanh;
/// use pullback::{N, ProvedContract, Tensor};
///
/// fn activation() -> impl ProvedContract<Input = Tensor<(N<3>,)>, Output = Tensor<(N<3>,)>> {
///     tanh()
/// }
/// # let _ = activation();
/// ```
pub trait ProvedContract: Contract<Evidence = Proved> {}

impl<C: Contract<Evidence = Proved>> ProvedContract for C {}
