//! The equations, each a function of a rule on coordinates and of the points that it is checked at.
//!
//! They allow for rounding as [`Approximate`](crate::Approximate) says, and none over the rationals.
//! A point outside of the domain is a violation: no law holds because it could not be tried.

pub(crate) mod adjoint;
pub(crate) mod composition;
pub(crate) mod corner;
pub(crate) mod duplicated;
pub(crate) mod iteration;
pub(crate) mod linear;
pub(crate) mod measured;
pub(crate) mod product;
pub(crate) mod residual;
pub(crate) mod rounded;
pub(crate) mod shape;
pub(crate) mod usage;

pub use adjoint::{adjoint, coordinatewise, primal};
pub use composition::{associative, composite, left_unit, recomputed, right_unit, same_contract};
pub use corner::convention;
pub use duplicated::duplicated;
pub use iteration::{repeated, row_by_row};
pub use linear::{additive, homogeneous, zero_to_zero};
pub use measured::{Measured, Outcome, measured, smooth_at, tangent};
pub use product::{componentwise, discarding_is_zero, fanned_out, shared_argument, sharing_adds};
pub use residual::{deterministic, interleaved, recomputable, reusable};
pub use rounded::rounded;
pub use shape::{defined, refused, shape, value};
pub use usage::{moved, one_storage, residual_suffices, tracked, unchanged};

use crate::violation::Law;

/// Fragments: the module of each law, and its name.
macro_rules! laws {
    ($($module:ident $law:ident,)*) => {
        /// All laws, in the order of the table of this crate.
        pub const LAWS: &[Law] = &[$($module::$law),*];

        /// The laws by name.
        impl Law {
            $(
                #[doc = concat!("The law `", stringify!($law), "`; its equation is in the table of this crate.")]
                pub const $law: Law = $module::$law;
            )*
        }
    };
}

laws! {
    shape SHAPE,
    shape DEFINED,
    shape REFUSED,
    shape VALUE,
    linear HOMOGENEOUS,
    linear ADDITIVE,
    linear ZERO_TO_ZERO,
    adjoint PRIMAL,
    measured TANGENT,
    adjoint ADJOINT,
    adjoint EXACT,
    rounded ROUNDED,
    corner CONVENTION,
    duplicated DUPLICATED,
    residual DETERMINISTIC,
    residual REUSABLE,
    residual INTERLEAVED,
    residual RECOMPUTABLE,
    usage RESIDUAL_SUFFICES,
    usage UNCHANGED,
    usage ONE_STORAGE,
    usage TRACKED,
    usage MOVED,
    composition SAME_CONTRACT,
    composition COMPOSITE,
    composition ASSOCIATIVE,
    composition LEFT_UNIT,
    composition RIGHT_UNIT,
    composition RECOMPUTED,
    product COMPONENTWISE,
    product FANNED_OUT,
    product SHARING_ADDS,
    product DISCARDING_IS_ZERO,
    product SHARED_ARGUMENT,
    iteration REPEATED,
    iteration ROW_BY_ROW,
}
