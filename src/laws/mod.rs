//! The laws of contracts, as equations that are checked at points.
//!
//! The kernel proves a rule for all inputs; a law is an equation at one, and it asks the code that runs.
//! So laws find what proofs can't see: a generated loop with a wrong stride, a residual that goes stale, a combinator that forgets a contribution, a rule that was declared and not proved.
//! Laws ask no derivative of this library: derivatives come from the forward function, at dual numbers or by differences.
//! This module must never let a law pass because it could not be tried: a point outside of a domain is a violation, and a law that is decided nowhere is one too.
//!
//! In the equations, `f(x)` is the forward value at `x` and `r` what was saved there, together `F(x)`; `K(r, u)` is the backward rule at a cotangent `u`; `Df(x)·v` is the derivative in direction `v`; `;` is [`then`](crate::ContractExt::then).
//!
//! | law | equation |
//! | --- | --- |
//! | `shape` | `f(x) ∈ B, K(r, u) ∈ A₁ × … × Aₙ` |
//! | `defined` | `x ∈ D ⇒ F(x) and K(r, u) are defined` |
//! | `refused` | `x ∉ D ⇒ F(x) is refused` |
//! | `value` | `F(x) = (f(x), r)` |
//! | [`homogeneous`] | `K(r, c·u) = c·K(r, u)` |
//! | [`additive`] | `K(r, u + w) = K(r, u) + K(r, w)` |
//! | [`zero_to_zero`] | `K(r, 0) = 0` |
//! | [`primal`] | `f(x + ε·v) = f(x) + ε·Df(x)·v` |
//! | `tangent` | `⟨u, Df(x)·v⟩ at dual numbers = lim (⟨u, f(x + h·v)⟩ − ⟨u, f(x − h·v)⟩) / 2h` |
//! | [`adjoint`] | `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩` |
//! | `exact` | `K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩, to the last digit` |
//! | [`rounded`] | `f̂(x) ≈ f(x), K̂(r̂, u) ≈ K(r, u)` |
//! | `convention` | `⟨K(r, u), v⟩ is among Σᵢ uᵢ·Dfᵢ(x + δ)·v for small δ` |
//! | `duplicated` | `⟨K(r, u), Δv⟩ = ⟨u, D(Δ ; f)(z)·v⟩ at x = Δz, where Δ repeats numbers and Δ ; f is smooth` |
//! | [`deterministic`] | `F(x) = F(x)` |
//! | [`reusable`] | `K(r, u) = K(r, u)` |
//! | [`interleaved`] | `K(r, u) after F(y), K(s, w) = K(r, u)` |
//! | `recomputable` | `K(r', u) = K(r, u) for r' of F(x) after F(y), as checkpointing has it` |
//! | `residual_suffices` | `K(r, u) once x is overwritten = K(r, u)` |
//! | `unchanged` | `x after F(x) = x, u after K(r, u) = u` |
//! | `one_storage` | `F(x, x) with one storage = F(x, x) with two` |
//! | `tracked` | `K(r, u)ₖ where not all arguments are tracked = K(r, u)ₖ` |
//! | `moved` | `K(r, u) on another thread = K(r, u)` |
//! | [`same_contract`] | `f(x) = g(x), K_f(r, u) = K_g(s, u)` |
//! | [`composite`] | `h(x) = g(f(x)), K_h(t, w) = K_f(r, K_g(s, w))` |
//! | [`associative`] | `(f ; g) ; h = f ; (g ; h), ((r, s), t) ~ (r, (s, t))` |
//! | [`left_unit`] | `id ; f = f, ((), r) ~ r` |
//! | [`right_unit`] | `f ; id = f, (r, ()) ~ r` |
//! | [`recomputed`] | `g(x) = f(x), K_g(x, u) = K_f(r, u)` |
//! | [`componentwise`] | `h(x, y) = (f(x), g(y)), K_h(t, (u, w)) = (K_f(r, u), K_g(s, w))` |
//! | [`fanned_out`] | `h(x) = (f(x), g(x)), K_h(t, (u, w)) = K_f(r, u) + K_g(s, w)` |
//! | [`sharing_adds`] | `Δ(x) = (x, x), K(r, (u, w)) = u + w` |
//! | [`discarding_is_zero`] | `K(r, ()) = 0` |
//! | [`shared_argument`] | `h(x) = f(x, x), K_h(t, u) = p + q for (p, q) = K_f(r, u)` |
//! | [`repeated`] | `h(p, x) = f(p, … f(p, x)), K_h(t, u) = (Σₖ pₖ, x₀) for (pₖ, xₖ) = K_f(rₖ, xₖ₊₁)` |
//! | [`row_by_row`] | `h(x)ᵢ = f(xᵢ), K_h(t, u)ᵢ = K_f(rᵢ, uᵢ)` |
//!
//! A law is exact over the rationals and allows for rounding over floats: see [`Approximate`].
//! Laws about combinators take the whole as an argument, so they hold a hand-written fused contract to its parts too.
//!
//! | what is checked | with |
//! | --- | --- |
//! | a contract, in a test for each law | [`laws!`](macro@laws) |
//! | a contract, without a test runner | [`check`], [`check_with_duals`], [`check_exactly`] |
//! | a contract beside its parts | [`Checked`], on contracts [`On`] coordinates |
//! | two closures over slices, of another library | [`check_rule`] |
//! | one law at one point | the functions of the table, or [`equations`] |
//! | every operation of this library | [`check_library`] |
//!
//! The equations, the points and the reports are those of [`pullback_laws`], which knows no types of shapes and builds without this library.

mod adjoint;
mod check;
mod composition;
mod contract;
mod draw;
mod iteration;
mod library;
mod linear;
mod product;
mod residual;
mod rounded;

pub use pullback_laws::{
    Approximate, Declared, Domain, Draw, Evidence, LAWS, Law, LawViolation, Options, OptionsError, Outcome, Refusal,
    Report, Rule, Storage, Subject as Checked, View, Whole, check_rule, equations,
};

pub use crate::laws;
pub use adjoint::{adjoint, coordinatewise, primal};
pub use check::{check, check_exactly, check_with_duals};
pub use composition::{associative, composite, left_unit, recomputed, right_unit, same_contract};
pub use contract::{On, Subject};
pub use draw::TypedDraw;
pub use iteration::{repeated, row_by_row};
pub use library::{LibraryReport, OperationReport, check_library, check_operation, operation_names};
pub use linear::{additive, homogeneous, zero_to_zero};
pub use product::{componentwise, discarding_is_zero, fanned_out, shared_argument, sharing_adds};
pub use residual::{deterministic, interleaved, reusable};
pub use rounded::rounded;
