//! Why a backward rule may be believed.

use core::fmt;

/// What the author of a rule says that it is.
///
/// There is no word for "proved": that is the kernel's to say, and a rule of closures was never shown to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Declared {
    /// Nothing was shown: it is held to the adjoint law, and to the derivatives around each corner.
    #[default]
    Unproved,
    /// The adjoint between the boundaries; on them a value was chosen, and it is held to what was stated.
    Convention,
    /// The adjoint between the boundaries; on them an element of the generalised gradient.
    Subgradient,
    /// Another map than the adjoint, on purpose: it is held to all other laws.
    Surrogate,
}

/// Why a backward rule may be believed.
///
/// # Example
///
/// ```
/// use pullback_laws::{Declared, Evidence};
///
/// assert_eq!(Evidence::Declared(Declared::Surrogate).to_string(), "surrogate");
/// assert_eq!(Evidence::labelled("proved"), Evidence::Proved);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The kernel proved it for all inputs of its domain, where it has no corner.
    Proved,
    /// Somebody said so.
    Declared(Declared),
}

impl Default for Evidence {
    fn default() -> Self {
        Evidence::Declared(Declared::Unproved)
    }
}

/// Each kind and its word in reports.
const WORDS: [(Evidence, &str); 5] = [
    (Evidence::Proved, "proved"),
    (Evidence::Declared(Declared::Unproved), "unproved"),
    (Evidence::Declared(Declared::Convention), "convention"),
    (Evidence::Declared(Declared::Subgradient), "subgradient"),
    (Evidence::Declared(Declared::Surrogate), "surrogate"),
];

impl Evidence {
    /// The evidence that has this word in reports; what nobody knows is unproved.
    #[must_use]
    pub fn labelled(word: &str) -> Evidence {
        WORDS.iter().find(|(_, known)| *known == word).map_or_else(Evidence::default, |(evidence, _)| *evidence)
    }

    /// Its word in reports.
    #[must_use]
    pub fn label(self) -> &'static str {
        WORDS.iter().find(|(known, _)| *known == self).map_or("unproved", |(_, word)| word)
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.label())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Evidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}
