//! Index data: the maps that a statement declares, as values.
//!
//! | type | statement | read at a point | made by |
//! | --- | --- | --- | --- |
//! | [`IndexMap`] | `map at: m -> n` | a point | a list or a function of indices, checked |
//! | [`PartialMap`] | `partial map row: oh, kh -> h` | a point or nothing | a list, or a sliding window |
//! | [`Bijection`] | `bijection r: s -> t` | a point, and back | row-major order, a permutation of axes, or a list, checked |
//!
//! All are immutable and cheap to clone.
//! Points are flat indices in row-major order.
//! An index map must never hold an index outside of its shapes: the constructors check, and everything after relies on it.

mod bijection;
mod partial;
mod total;

pub use bijection::Bijection;
pub use partial::PartialMap;
pub use total::IndexMap;
