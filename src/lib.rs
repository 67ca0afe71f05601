//! Shape-safe tensors, and backward rules that are proved while compiling.
//!
//! | noun | what it is | where |
//! | --- | --- | --- |
//! | axis, shape | a name and a size in a type; a tuple of axes | [`shape`] |
//! | tensor | a shared immutable array with its shape in the type | [`tensor`] |
//! | space | a finite product of tensors: what contracts take and give | [`space`] |
//! | contract | a forward function, its backward rule, and what the one saves for the other | [`mod@contract`] |
//! | program | a finite list of operations, from a closure over typed variables | [`program`] |
//! | layer | a typed function with parameters | [`layers`] |
//! | evidence | why the backward rule may be believed | [`Evidence`] |
//! | law | an equation that contracts must satisfy, checked at points | [`mod@laws`] |
//!
//! Dependencies point one way: scalars, shapes, tensors, spaces, contracts, programs, operations, layers, laws.
//! A library call never prints and never panics on a user's data.

// Generated code and derives say `::pullback`, in this crate too.
extern crate self as pullback;

pub mod contract;
pub mod laws;
pub mod layers;
pub mod ops;
pub mod program;
pub mod shape;
pub mod space;
pub mod tensor;

#[doc(inline)]
pub use pullback_scalar as scalar;

pub use contract::combinators::{
    associate, discard, duplicate, first, identity, regroup, second, swap, unassociate, unpack,
};
pub use contract::{
    Contract, ContractExt, Convention, Declared, DomainError, Evidence, EvidenceFor, Proved, ProvedContract,
    Subgradient, Surrogate, Unproved,
};
pub use program::{Program, Symbolic, TraceError, Traced, Var};
pub use scalar::{Dual, Rational, Real, Scalar};
pub use shape::{Dim, Join, Joined, N, Shape};
pub use space::{Composite, Cotangent, Each, Over, Pair, Space};
pub use tensor::{Bijection, Draft, IndexError, IndexMap, LengthError, PartialMap, Tensor};

pub use pullback_macros::{contract, dims};

/// What generated code names; not for users, and without promise between versions.
#[doc(hidden)]
pub mod __macro {
    pub use crate::contract::{
        Condition, Contract, ContractExt, Convention, Declared, DomainError, Evidence, EvidenceFor, Label,
        MayCarryProof, Proved, Seal, Subgradient, Surrogate, Unproved, proved,
    };
    pub use crate::layers::{Parameter, Parametric};
    pub use crate::program::{Exact, Indices, Path, Port, Slot, Stated, Symbolic, Traced, array};
    pub use crate::scalar::{Real, Scalar};
    pub use crate::shape::{
        ConvOut, Count, Dim, Divides, Extent, FactorsOf, Join, Joined, N, PartsOf, SameLength, SameSizes, Shape,
        SplitFirst, SplitLast, SplitOf,
    };
    pub use crate::space::{Composite, Cotangent, Each, Over, Pair, Space};
    pub use crate::tensor::{Bijection, Draft, IndexError, IndexMap, LengthError, PartialMap, Tensor};
    pub use ::pullback_program::Binding;
    pub use ::typenum;

    /// Ends the compilation where a literal has no number of the scalar: why there is no single, or no double; empty for none.
    pub const fn holds(precision: ::pullback_scalar::Precision, single: &str, double: &str) {
        let reason = match precision {
            ::pullback_scalar::Precision::Single => single,
            ::pullback_scalar::Precision::Double => double,
            ::pullback_scalar::Precision::Other => "",
        };
        if !reason.is_empty() {
            panic!("{}", reason);
        }
    }

    /// The rational that a literal is, from the digits that the macro wrote.
    pub fn exact(numerator: &str, denominator: &str) -> ::num_rational::BigRational {
        let whole = |digits: &str| digits.parse().unwrap_or_default();
        ::num_rational::BigRational::new_raw(whole(numerator), whole(denominator))
    }
}

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadMe;
