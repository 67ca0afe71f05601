//! How large a source may be, and what the prover tries. Every limit of the kernel that does not depend on who asks is here;
//! what does is a [`Budget`](crate::Budget).
//!
//! Those of the front end have a message each:
//!
//! | limit | value | code |
//! | --- | --- | --- |
//! | [`SOURCE_BYTES`]: bytes of a source | 1 MiB | `E0210` |
//! | [`TOKENS`]: tokens of a source | 100 000 | `E0211` |
//! | [`DEPTH`]: nesting of an expression, operators included | 64 | `E0212` |
//! | [`STATEMENTS`]: statements of a source | 1 024 | `E0213` |
//! | [`DIMS`]: dimensions of a statement | 64 | `E0214` |
//! | [`PARAMS`]: parameters of a statement | 64 | `E0214` |
//! | [`MAPS`]: index maps of a statement, parts of splits included | 128 | `E0214` |
//! | [`TENSORS`]: inputs, constants, locals and outputs of a statement | 256 | `E0214` |
//! | [`CLAUSES`]: clauses and conditions of a statement | 256 | `E0214` |
//! | [`VARIABLES`]: index variables of a statement | 1 024 | `E0214` |
//! | [`DIGITS`]: digits of a number | 100 | `E0215` |
//! | [`EXPONENT`]: magnitude of a decimal exponent | 400 | `E0216` |
//! | [`POWER`]: magnitude of an integer power | 64 | `E0217` |
//! | [`INDICES`]: axes of a tensor, arguments of a map, binders of a sum | 16 | `E0218` |
//! | [`NODES`]: nodes of all expressions of a statement, `max(a, b)` and `abs(a)` written out | 10 000 | `E0219` |
//! | [`NAME_BYTES`]: length of a name | 64 | `E0204` |
//! | [`DIAGNOSTICS`]: diagnostics of one run | 100 | `E0299` |
//!
//! Those of the search for a counterexample say how large a point may be; what is larger is not tried:
//!
//! | limit | value |
//! | --- | --- |
//! | [`TRIALS`]: points with each number type | 48 |
//! | [`COORDINATES`]: elements of all inputs of a point | 120 |
//! | [`ELEMENTS`]: elements of all its tables, constants, inputs and cotangents | 16 384 |
//! | [`EVALUATED`]: units of work of one evaluation | 2²⁴ |
//!
//! Those of the normal form and of signs end in `undecided`, with the limit and the place:
//!
//! | limit | value |
//! | --- | --- |
//! | [`TERMS`]: terms of one sum | 4 000 |
//! | [`BITS`]: bits of a coefficient | 8 192 |
//! | [`FRACTION`]: numerator and denominator of an exponent | 2³¹ |
//! | [`TERM_DEPTH`]: terms closed inside of others; functions of functions half of it | 96 |
//! | [`RANGES`]: ways that the indices of one binder can look | 4 096 |
//! | [`LEAVES`]: indices that one index is made of by bijections and splits, and ways to; past it a dimension is one of its own | 64 |
//! | [`INDEX`]: maps and leaves in the arguments of one map | 1 024 |
//! | [`REWRITTEN`]: those of an index that is written with another bijection | 64 |
//! | [`READING`]: names and expressions that are read inside of each other | 256 |
//! | [`SLOTS`]: indices of one binder | 256 |
//! | [`ORDERS`]: orders of indistinguishable bound indices; past it one is taken | 720 |
//! | [`REWRITES`]: rewrites of a leading term; past it the difference is left as it is | 400 |
//! | [`SIGNS`]: expressions whose sign is asked for | 20 000 |
//! | [`SIGN_DEPTH`]: those inside of each other; past it a sign is not known | 160 |
//! | [`INSTANCES`]: places that the variables of one fact are tried at | 64 |
//! | [`DERIVED`]: nodes of a derived rule, estimated | 400 000 |
//! | [`DERIVED_DEPTH`]: nesting of an expression of a derived rule | 160 |
//!
//! [`DEPTH`] keeps every recursion over a tree, dropping it included, within a stack of 512 KiB in a
//! debug build.

/// Bytes of a source.
pub const SOURCE_BYTES: usize = 1 << 20;
/// Tokens of a source.
pub const TOKENS: usize = 100_000;
/// Nesting of an expression: parentheses, calls, sums and operators on the way from the root to a leaf.
pub const DEPTH: usize = 64;
/// Statements of a source.
pub const STATEMENTS: usize = 1024;
/// Dimensions of a statement.
pub const DIMS: usize = 64;
/// Parameters of a statement.
pub const PARAMS: usize = 64;
/// Index maps of a statement, the parts of splits included.
pub const MAPS: usize = 128;
/// Inputs, constants, locals and outputs of a statement.
pub const TENSORS: usize = 256;
/// Clauses and conditions of a statement.
pub const CLAUSES: usize = 256;
/// Index variables of a statement.
pub const VARIABLES: usize = 1024;
/// Digits of a number, the fraction's included.
pub const DIGITS: usize = 100;
/// Magnitude of a decimal exponent.
pub const EXPONENT: u32 = 400;
/// Magnitude of an integer power.
pub const POWER: i32 = 64;
/// Axes of a tensor, arguments of a map, binders of a sum.
pub const INDICES: usize = 16;
/// Nodes of all expressions of a statement.
pub const NODES: usize = 10_000;
/// Bytes of a name.
pub const NAME_BYTES: usize = 64;
/// Diagnostics of one run; what comes after is counted as one more.
pub const DIAGNOSTICS: usize = 100;
/// Points of the search for a counterexample, with each number type.
pub const TRIALS: u64 = 48;
/// Elements of all inputs of such a point: the derivative by each is evaluated.
pub const COORDINATES: usize = 120;
/// Elements of all tables, constants, inputs and cotangents of such a point.
pub const ELEMENTS: usize = 1 << 14;
/// Units of work of one evaluation at such a point.
pub const EVALUATED: u64 = 1 << 24;
/// Terms of one sum of a normal form.
pub const TERMS: usize = 4_000;
/// Bits of a coefficient.
pub const BITS: u64 = 8_192;
/// Numerator and denominator of an exponent.
pub const FRACTION: i64 = 1 << 31;
/// Terms closed inside of others; functions of functions may be half as deep.
pub const TERM_DEPTH: usize = 96;
/// Ways that the indices of one binder can look.
pub const RANGES: usize = 4_096;
/// Indices that one index is made of by bijections and splits, and ways that it can be made: past it a dimension is one of its own.
pub const LEAVES: usize = 64;
/// Maps and leaves in the arguments of one map.
pub const INDEX: usize = 1_024;
/// Maps and leaves of an index that is written with another bijection: writing it so doubles it.
pub const REWRITTEN: usize = 64;
/// Reads of names inside of each other, each with the expressions above it.
pub const READING: usize = 256;
/// Indices of one binder.
pub const SLOTS: usize = 256;
/// Orders of indistinguishable bound indices that are tried.
pub const ORDERS: usize = 720;
/// Rewrites of a leading term.
pub const REWRITES: usize = 400;
/// Expressions whose sign is asked for.
pub const SIGNS: u32 = 20_000;
/// Those of them inside of each other.
pub const SIGN_DEPTH: u32 = 160;
/// Places that the variables of one fact are tried at.
pub const INSTANCES: usize = 64;
/// Nodes of a derived rule, estimated before it is made.
pub const DERIVED: usize = 400_000;
/// Nesting of an expression of a derived rule: every pass over one recurs.
pub const DERIVED_DEPTH: usize = 160;
