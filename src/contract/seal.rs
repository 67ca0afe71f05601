//! What a contract must carry to be called proved.
//!
//! The type [`Proved`](super::Proved) is evidence of a contract that [`MayCarryProof`], and of no other.
//! Such a contract names its [grounds](MayCarryProof::Grounds), and grounds are tied to the type that they are about:
//!
//! | grounds of `C` | made by | say |
//! | --- | --- | --- |
//! | [`Seal<C, DIGEST>`](Seal) | `contract!`, after the proof | the kernel proved the statement with that digest, and `C` was made from it |
//! | [`OfItsParts<C>`](OfItsParts) | this library | `C` is a combinator, whose evidence is `Evidence::And` of that of its parts |
//!
//! Grounds are types and no values, so they are checked where they are claimed, whether anything runs or not.
//! The grounds of another type, reached by whatever projection, are about that type, and the compiler refuses them.
//!
//! What this can't stop: an author who writes the hidden names `MayCarryProof` and `Seal` into a program of his own says what the kernel did not say.
//! Code that names neither can't.

use core::marker::PhantomData;

use super::digest::digest;

mod closed {
    /// Grounds that this library knows.
    pub trait Known {}
}

/// Implemented by `contract!` for what the kernel proved, and by this library for its combinators.
///
/// The latter is sound because only this library can implement `Contract` for its own types, and the evidence of each combinator is that of its parts.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "E0109: `{Self}` can't carry a proof",
    label = "made by nothing that the kernel proved",
    note = "write the rule in `contract! {{ … }}`, which proves it while compiling"
)]
pub trait MayCarryProof {
    /// Why: a proof of the kernel's, or of the parts.
    type Grounds: GroundsOf<Self>;
}

/// Grounds on which `C` may carry a proof; closed.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "E0109: `{Self}` is no proof of `{C}`",
    label = "a proof is about the type that it was made for",
    note = "write the rule in `contract! {{ … }}`, which proves it while compiling"
)]
pub trait GroundsOf<C: ?Sized>: closed::Known {}

/// A mark that the kernel proved the statement that `C` was made from; `DIGEST` is that of its text.
///
/// A digest is no signature: it stops accidents and edits of generated code, not an author who sets out to deceive.
#[doc(hidden)]
pub struct Seal<C: ?Sized, const DIGEST: u128>(PhantomData<fn(&C) -> &C>);

/// A mark that `C` is a combinator of this library. Nothing outside of it can name the type.
#[doc(hidden)]
pub struct OfItsParts<C: ?Sized>(PhantomData<fn(&C) -> &C>);

impl<C: ?Sized, const DIGEST: u128> closed::Known for Seal<C, DIGEST> {}
impl<C: ?Sized> closed::Known for OfItsParts<C> {}

#[diagnostic::do_not_recommend]
impl<C: ?Sized, const DIGEST: u128> GroundsOf<C> for Seal<C, DIGEST> {}
#[diagnostic::do_not_recommend]
impl<C: ?Sized> GroundsOf<C> for OfItsParts<C> {}

/// The digest of a proved statement, for its seal.
///
/// # Panics
///
/// While compiling, where the digest is not that of the text.
#[doc(hidden)]
#[must_use]
pub const fn proved(statement: &str, proof: u128) -> u128 {
    assert!(digest(statement) == proof, "the text of a proved statement was changed after its proof");
    proof
}
