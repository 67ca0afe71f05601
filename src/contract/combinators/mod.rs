//! Contracts made of contracts.
//!
//! Below, `f: A → B` with residual `R`, `g: B → C` with residual `Q`; `x: A`, `w: C` or what the output calls for.
//! `f(x)` is the forward value, `r` and `q` what was saved, `f*` and `g*` the backward rules.
//!
//! | combinator | type | forward | backward | residual | law |
//! | --- | --- | --- | --- | --- | --- |
//! | [`identity`] | `A → A` | `x` | `w` | `()` | unit of `then`, up to the residual's `()` |
//! | [`f.then(g)`](crate::ContractExt::then) | `A → C` | `g(f(x))` | `f*(r, g*(q, w))` | `(R, Q)` | associative up to re-association of residuals |
//! | [`f.then_with(g)`](crate::ContractExt::then_with), with `f: (P, A) → B` and `g: (Q, B) → C` | `((P, Q), A) → C` | `g(q, f(p, x))` | as `then`; each gets its own parameters' cotangent | both | associative up to re-association of parameters and residuals |
//! | [`f.par(h)`](crate::ContractExt::par) | `(A, D) → (B, E)` | `(f(x), h(z))` | `(f*(r, u), h*(s, v))` | both | componentwise; `par` of `then`s is `then` of `par`s |
//! | [`f.fan_out(h)`](crate::ContractExt::fan_out), with `h: A → D` | `A → (B, D)` | `(f(x), h(x))` | `f*(r, u) + h*(s, v)` | both | is `duplicate` then `par` |
//! | [`duplicate`] | `A → (A, A)` | `(x, x)` | `u + v` | `()` | the pullback of sharing adds |
//! | [`discard`] | `A → ()` | `()` | `0` | `()` | what is not used gets zero |
//! | [`swap`] | `(A, B) → (B, A)` | `(y, x)` | `(v, u)` | `()` | twice is the identity |
//! | [`first`], [`second`] | `(A, B) → A`, `→ B` | `x`, `y` | `(w, 0)`, `(0, w)` | `()` | `duplicate` then a projection is the identity |
//! | [`associate`], [`unassociate`] | `((A, B), C) ⇄ (A, (B, C))` | regrouped | regrouped | `()` | inverse to each other |
//! | [`unpack`], [`regroup`] | `P ⇄ P::Parts` for a struct `P` | the fields | the fields | `()` | inverse to each other |
//! | [`f.with_parameters::<P>()`](crate::ContractExt::with_parameters) | `(P, A) → B` | `f` of the fields, nested to the left | the struct of the fields' cotangents | `R` | is `f` after regrouping |
//! | [`f.repeat::<T>()`](crate::ContractExt::repeat), with `f: (P, A) → A` | `(P, A) → A` | `f(p, … f(p, x))` | `T` steps back; cotangents of `p` added | `[R; T]` | is the chain with `p` shared |
//! | [`f.map_over::<N>()`](crate::ContractExt::map_over), with `f: Tensor<S> → Tensor<Z>` | `Tensor<(N, S..)> → Tensor<(N, Z..)>` | row by row | row by row | [`Each<R, N>`](crate::Each) | is `par` of `N` copies |
//! | [`f.map_over_with::<N>()`](crate::ContractExt::map_over_with), with `f: (P, Tensor<S>) → Tensor<Z>` | `(P, Tensor<(N, S..)>) → Tensor<(N, Z..)>` | row by row | row by row; cotangents of `p` added | [`Each<R, N>`](crate::Each) | is `map_over` with `p` shared |
//! | [`f.checkpoint()`](crate::ContractExt::checkpoint) | `A → B` | `f(x)` | runs `f` again, then `f*` | `A` | is `f` but for the residual |
//! | [`f.erase()`](crate::ContractExt::erase) | `A → B` | `f(x)` | `f*(r, w)` | [`ErasedResidual`] | is `f` but for the type |
//!
//! The evidence of each is that of its parts together.
//! A chain nests its type once a step: with the compiler's default recursion limit, about 120 layers deep.
//! [`repeat`](crate::ContractExt::repeat) and [`erase`](crate::ContractExt::erase) go past that.
//!
//! Nothing here computes a number; a combinator must never round, reorder or drop what its parts gave it.
//! Sums of cotangents are made in the order that the table says, left before right and late steps before early ones, so results are the same to the bit.

mod compose;
mod erased;
mod iterate;
mod parameters;
mod product;
mod reference;
mod store;
mod structure;

pub use compose::{Then, ThenWith};
pub use erased::{Erased, ErasedResidual};
pub use iterate::{MapOver, MapOverWith, Repeat};
pub use parameters::{Nest, WithParameters};
pub use product::{FanOut, Par};
pub use store::Checkpoint;
pub use structure::{
    Associate, Discard, Duplicate, First, Identity, Regroup, Second, Swap, Unassociate, Unpack, associate, discard,
    duplicate, first, identity, regroup, second, swap, unassociate, unpack,
};
