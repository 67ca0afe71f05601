//! The laws of contracts, as equations that are checked at points.
//!
//! The kernel proves a rule for all inputs; a law is an equation at one, and it asks the code that runs.
//! So laws find what proofs can't see: a generated loop with a wrong stride, a residual that goes stale, a combinator that forgets a contribution, a rule that was declared and not proved.
//! Laws ask no derivative of this library: derivatives come from the forward function at dual numbers.
//! This module must never let a law pass because it could not be tried: a point outside of a domain is a violation.
//!
//! In the equations, `f(x)` is the forward value at `x` and `r` what was saved there, together `F(x)`; `K(r, u)` is the backward rule at a cotangent `u`; `Df(x)·v` is the derivative in direction `v`; `;` is [`then`](crate::ContractExt::then).
//!
//! | law | equation |
//! | --- | --- |
//! | [`homogeneous`] | `K(r, c·u) = c·K(r, u)` |
//! | [`additive`] | `K(r, u + w) = K(r, u) + K(r, w)` |
//! | [`zero_to_zero`] | `K(r, 0) = 0` |
//! | [`primal`] | `f(x + ε·v) = f(x) + ε·Df(x)·v` |
//! | [`adjoint`] | `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩` |
//! | [`coordinatewise`] | `K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩` |
//! | [`deterministic`] | `F(x) = F(x)` |
//! | [`residual_suffices`] | `K(r, u) after F(y), K(s, w) = K(r, u)` |
//! | [`same_contract`] | `f(x) = g(x), K_f(r, u) = K_g(s, u)` |
//! | [`composite`] | `h(x) = g(f(x)), K_h(t, w) = K_f(r, K_g(s, w))` |
//! | [`associative`] | `(f ; g) ; h = f ; (g ; h), ((r, s), t) ~ (r, (s, t))` |
//! | [`left_unit`], [`right_unit`] | `id ; f = f, ((), r) ~ r`, and `f ; id = f, (r, ()) ~ r` |
//! | [`recomputed`] | `g(x) = f(x), K_g(x, u) = K_f(r, u)` |
//! | [`componentwise`] | `h(x, y) = (f(x), g(y)), K_h(t, (u, w)) = (K_f(r, u), K_g(s, w))` |
//! | [`fanned_out`] | `h(x) = (f(x), g(x)), K_h(t, (u, w)) = K_f(r, u) + K_g(s, w)` |
//! | [`sharing_adds`] | `Δ(x) = (x, x), K(r, (u, w)) = u + w` |
//! | [`discarding_is_zero`] | `K(r, ()) = 0` |
//! | [`shared_argument`] | `h(x) = f(x, x), K_h(t, u) = p + q for (p, q) = K_f(r, u)` |
//! | [`repeated`] | `h(p, x) = f(p, … f(p, x)), K_h(t, u) = (Σₖ pₖ, x₀) for (pₖ, xₖ) = K_f(rₖ, xₖ₊₁)` |
//! | [`row_by_row`] | `h(x)ᵢ = f(xᵢ), K_h(t, u)ᵢ = K_f(rᵢ, uᵢ)` |
//! | [`rounded`] | `f̂(x) ≈ f(x), K̂(r̂, u) ≈ K(r, u)` |
//!
//! A law is exact over the rationals and allows for rounding over floats: see [`Approximate`].
//! Laws about combinators take the whole as an argument, so they hold a hand-written fused contract to its parts too.
//! [`check_contract`] runs the laws of one contract, [`check_library`] those of every operation of the library.

mod adjoint;
mod approximate;
mod composition;
mod draw;
mod flat;
mod iteration;
mod library;
mod linear;
mod product;
mod residual;
mod rounded;
mod violation;

pub use adjoint::{adjoint, coordinatewise, primal};
pub use approximate::Approximate;
pub use composition::{associative, composite, left_unit, recomputed, right_unit, same_contract};
pub use draw::{Domain, Draw};
pub use flat::Subject;
pub use iteration::{repeated, row_by_row};
pub use library::{OperationReport, Report, check_contract, check_library, check_operation, operation_names};
pub use linear::{additive, homogeneous, zero_to_zero};
pub use product::{componentwise, discarding_is_zero, fanned_out, shared_argument, sharing_adds};
pub use residual::{deterministic, residual_suffices};
pub use rounded::rounded;
pub use violation::{Law, LawViolation};

/// All laws, in the order of the table above.
pub const LAWS: &[Law] = &[
    linear::HOMOGENEOUS,
    linear::ADDITIVE,
    linear::ZERO_TO_ZERO,
    adjoint::PRIMAL,
    adjoint::ADJOINT,
    adjoint::COORDINATEWISE,
    residual::DETERMINISTIC,
    residual::RESIDUAL_SUFFICES,
    composition::SAME_CONTRACT,
    composition::COMPOSITE,
    composition::ASSOCIATIVE,
    composition::LEFT_UNIT,
    composition::RIGHT_UNIT,
    composition::RECOMPUTED,
    product::COMPONENTWISE,
    product::FANNED_OUT,
    product::SHARING_ADDS,
    product::DISCARDING_IS_ZERO,
    product::SHARED_ARGUMENT,
    iteration::REPEATED,
    iteration::ROW_BY_ROW,
    rounded::ROUNDED,
];
