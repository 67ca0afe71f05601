//! The macros of `pullback`; use them through that crate, which re-exports them.
//!
//! An entry here only hands over; a macro has a file or a folder of its own.

mod contract;
mod digest;
mod dims;
mod space;

use proc_macro::TokenStream;

/// Defines named axes.
///
/// A line is a name and a size: a whole number, an axis defined above in the same list, or `+ - * /` of such (division must be exact).
/// Docs, attributes and visibility go before the name; lines are separated by `;`.
///
/// ```text
/// dims! {
///     /// Images at a time.
///     pub Batch = 32;
///     Height = 28;
///     Width = 28;
///     Pixel = Height * Width
/// }
/// ```
#[proc_macro]
pub fn dims(input: TokenStream) -> TokenStream {
    dims::dims(input.into()).into()
}

/// Makes a typed contract of a statement, after proving its backward rule.
///
/// `contract! { contract name version 1 … }` takes the statement itself, `contract!(file = "…")` a file relative to the folder of `Cargo.toml`.
/// A refuted rule is a compile error at the clause, with the point that refutes it.
///
/// For a statement `softmax` it gives the type `Softmax`, with a type parameter for each dimension and one for the scalar, and the function `softmax` that makes it of its maps, parameters and constants in the order of their declaration.
/// Of more than twelve inputs, outputs or saved values, the twelfth part of the tuple is the tuple of the rest.
///
/// Every name that the language allows is allowed here: keywords of Rust, names of items beside the statement, one name for a map, a parameter and a constant (the later arguments are then called `name_param` and `name_constant`).
/// A fragment of another macro, such as its `$e:expr`, is one thing: `$e * x` with `1 + 2` for `$e` is `(1 + 2) * x`.
///
/// Attributes, docs and visibility go before the statement; without one it is public.
/// `cfg` covers everything that is made; `deprecated`, `must_use` and `doc` the type and the function; `allow`, `expect`, `warn`, `deny` and `forbid` all code that is made; `cfg_attr` goes where its attributes go.
/// Other attributes are refused, and so are attributes and doc comments inside of a statement.
#[proc_macro]
pub fn contract(input: TokenStream) -> TokenStream {
    contract::contract(input.into()).into()
}

/// Makes a struct a space: its fields are spaces, and it is isomorphic to the tuple of them.
///
/// Named, tuple, unit and generic structs are supported, with at most twelve fields; the struct must be `Clone` and `Debug`.
///
/// For a struct `Layer` it also makes the struct `LayerVars`, with the same fields, whose values are variables of a program; `#[space(vars = Name)]` calls it something else.
#[proc_macro_derive(Space, attributes(space))]
pub fn derive_space(input: TokenStream) -> TokenStream {
    space::derive(input.into()).into()
}

/// The anonymous axes, for `pullback` itself.
#[doc(hidden)]
#[proc_macro]
pub fn __numerals(_input: TokenStream) -> TokenStream {
    dims::numerals().into()
}
