//! What a contract must carry to be called proved.

use super::digest::digest;

/// A mark that the kernel proved a statement, or that a type is one of this library's combinators.
///
/// `contract!` makes it while compiling, after the proof, from the text of the statement and a digest of it.
/// A digest is no signature: it stops accidents and edits of generated code, not an author who sets out to deceive.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    statement: &'static str,
}

impl Seal {
    /// The seal of a proved statement.
    ///
    /// # Panics
    ///
    /// While compiling, where the digest is not that of the text.
    #[must_use]
    pub const fn of(statement: &'static str, proof: u128) -> Self {
        assert!(digest(statement) == proof, "the text of a proved statement was changed after its proof");
        Seal { statement }
    }

    /// The seal of a combinator, whose evidence is computed from its parts.
    pub(crate) const COMBINATOR: Seal = Seal { statement: "" };

    /// The text of the proved statement; empty for a combinator.
    #[must_use]
    pub const fn statement(&self) -> &'static str {
        self.statement
    }
}

/// Implemented by `contract!` for what the kernel proved, and by this library for its combinators.
///
/// The latter is sound because only this library can implement `Contract` for its own types, and the evidence of each combinator is `Evidence::And` of that of its parts.
#[doc(hidden)]
pub trait FromKernel {
    /// The mark.
    const SEAL: Seal;
}
