//! The laws of backward rules, for rules that live anywhere: two closures over slices are enough.
//!
//! A backward rule is right if it is the adjoint of the derivative, and usable if it depends on nothing but what was saved for it.
//! Both are equations, and an equation can be tried at points.
//! This crate has the equations, points that look for trouble, and reports; it knows no tensor, no type of a shape, and no derivative rule.
//! It must never let a law pass because it could not be tried: such a point is undecided, and a law that is decided nowhere is a violation.
//!
//! ```
//! use pullback_laws::{Options, check_rule};
//!
//! // The operation may be of candle, burn, ndarray or nalgebra: it is asked for numbers.
//! let report = check_rule(
//!     &"n -> n".parse()?,
//!     |x| x[0].iter().map(|x| x.exp()).collect::<Vec<f64>>(),
//!     |tape, u| tape.output.iter().zip(u.iter()).map(|(y, u)| y * u).collect::<Vec<f64>>(),
//!     &Options::new(),
//! )?;
//! // Where the exponential is greater than all numbers there is nothing to check.
//! assert!(report.held("adjoint") > 15 && report.held("interleaved") > 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In the equations, `f(x)` is the forward value at `x` and `r` what was saved there, together `F(x)`; `K(r, u)` is the backward rule at a cotangent `u`; `Df(x)·v` is the derivative in direction `v`; `;` is composition.
//!
//! | law | equation |
//! | --- | --- |
//! | `shape` | `f(x) ∈ B, K(r, u) ∈ A₁ × … × Aₙ` |
//! | `defined` | `x ∈ D ⇒ F(x) and K(r, u) are defined` |
//! | `refused` | `x ∉ D ⇒ F(x) is refused` |
//! | `value` | `F(x) = (f(x), r)` |
//! | `homogeneous` | `K(r, c·u) = c·K(r, u)` |
//! | `additive` | `K(r, u + w) = K(r, u) + K(r, w)` |
//! | `zero_to_zero` | `K(r, 0) = 0` |
//! | `primal` | `f(x + ε·v) = f(x) + ε·Df(x)·v` |
//! | `tangent` | `⟨u, Df(x)·v⟩ at dual numbers = lim (⟨u, f(x + h·v)⟩ − ⟨u, f(x − h·v)⟩) / 2h` |
//! | `adjoint` | `⟨K(r, u), v⟩ = ⟨u, Df(x)·v⟩` |
//! | `exact` | `K(r, u)ᵢ = ⟨u, Df(x)·eᵢ⟩, to the last digit` |
//! | `rounded` | `f̂(x) ≈ f(x), K̂(r̂, u) ≈ K(r, u)` |
//! | `convention` | `⟨K(r, u), v⟩ is among Σᵢ uᵢ·Dfᵢ(x + δ)·v for small δ` |
//! | `duplicated` | `⟨K(r, u), Δv⟩ = ⟨u, D(Δ ; f)(z)·v⟩ at x = Δz, where Δ repeats numbers and Δ ; f is smooth` |
//! | `deterministic` | `F(x) = F(x)` |
//! | `reusable` | `K(r, u) = K(r, u)` |
//! | `interleaved` | `K(r, u) after F(y), K(s, w) = K(r, u)` |
//! | `recomputable` | `K(r', u) = K(r, u) for r' of F(x) after F(y), as checkpointing has it` |
//! | `residual_suffices` | `K(r, u) once x is overwritten = K(r, u)` |
//! | `unchanged` | `x after F(x) = x, u after K(r, u) = u` |
//! | `one_storage` | `F(x, x) with one storage = F(x, x) with two` |
//! | `tracked` | `K(r, u)ₖ where not all arguments are tracked = K(r, u)ₖ` |
//! | `moved` | `K(r, u) on another thread = K(r, u)` |
//! | `same_contract` | `f(x) = g(x), K_f(r, u) = K_g(s, u)` |
//! | `composite` | `h(x) = g(f(x)), K_h(t, w) = K_f(r, K_g(s, w))` |
//! | `associative` | `(f ; g) ; h = f ; (g ; h), ((r, s), t) ~ (r, (s, t))` |
//! | `left_unit` | `id ; f = f, ((), r) ~ r` |
//! | `right_unit` | `f ; id = f, (r, ()) ~ r` |
//! | `recomputed` | `g(x) = f(x), K_g(x, u) = K_f(r, u)` |
//! | `componentwise` | `h(x, y) = (f(x), g(y)), K_h(t, (u, w)) = (K_f(r, u), K_g(s, w))` |
//! | `fanned_out` | `h(x) = (f(x), g(x)), K_h(t, (u, w)) = K_f(r, u) + K_g(s, w)` |
//! | `sharing_adds` | `Δ(x) = (x, x), K(r, (u, w)) = u + w` |
//! | `discarding_is_zero` | `K(r, ()) = 0` |
//! | `shared_argument` | `h(x) = f(x, x), K_h(t, u) = p + q for (p, q) = K_f(r, u)` |
//! | `repeated` | `h(p, x) = f(p, … f(p, x)), K_h(t, u) = (Σₖ pₖ, x₀) for (pₖ, xₖ) = K_f(rₖ, xₖ₊₁)` |
//! | `row_by_row` | `h(x)ᵢ = f(xᵢ), K_h(t, u)ᵢ = K_f(rᵢ, uᵢ)` |
//!
//! The derivative is taken by the forward function itself: at dual numbers where it is given at them, else by differences that say how wrong they may be (see [`equations::Measured`]).
//! At a corner, where the derivatives from both sides differ, the adjoint is undecided; the rule is held to the law `convention` there, that is to the derivatives around, or to what its author says that it gives.
//! Where numbers of an input are equal, a function may have a corner that it has not as a function of the one number that they are: there the cotangents of equal numbers add up to its derivative, whatever was chosen for each of them, which is the law `duplicated`.
//! A rule that is declared a surrogate is held to all laws but those about the derivative, and the report says so.
//!
//! | what is checked | with |
//! | --- | --- |
//! | two closures over slices | [`check_rule`] |
//! | closures at another scalar, with dual numbers, over storage that they may change | [`Rule`] |
//! | a rule beside its parts, its rational twin | [`Subject`] |
//! | one equation at one point | [`equations`] |

mod approximate;
mod check;
mod copies;
mod draw;
pub mod equations;
mod evidence;
mod flat;
mod options;
mod place;
mod points;
mod report;
mod rounding;
mod rule;
mod shrink;
mod signature;
mod storage;
mod suite;
mod table;
mod trial;
mod violation;
mod watch;
mod whole;

pub use approximate::Approximate;
pub use check::check_rule;
pub use draw::{Domain, Draw};
pub use equations::{LAWS, Outcome};
pub use evidence::{Declared, Evidence};
pub use flat::{Call, Flat, Moving, Pushed, Refusal, Remembers, Run, Saved, Shaped};
pub use options::{Options, OptionsError};
pub use points::Points;
pub use report::{Report, Skipped, Tried};
pub use rule::{AtSizes, Cotangents, Finished, Forward, Given, Rule, Saving, Several, Tape, View};
pub use signature::{Signature, SignatureError};
pub use storage::Storage;
pub use suite::Subject;
pub use violation::{Law, LawViolation};
pub use whole::Whole;
