//! Natural numbers in types, with arithmetic that always has an answer.
//!
//! The numbers are typenum's: binary, the least significant bit outermost.
//! The arithmetic is ours, as generic associated types, for one reason: `<A as Extent>::Times<B>` exists for every `A` and `B`, so generic code over axes needs no bound for the length of a shape, where typenum's `Prod<A, B>` asks for one in every signature.
//! A test compares the two.

use typenum::{B0, B1, U1, U2, U3, U4, U5, U6, U7, U8, U9, U10, U11, U12, U13, U14, U15, U16, UInt, UTerm, Unsigned};

use crate::scalar::Scalar;
use crate::tensor::storage::{Inline, Shared, Storage};

/// A natural number in a type; closed: the impls here are all there are.
///
/// A user meets it behind [`Dim::Size`](super::Dim::Size) and [`Shape::Length`](super::Shape::Length) and never has to write one.
pub trait Extent: Unsigned + Send + Sync + 'static {
    /// Twice the number.
    type Double: Extent;
    /// One more.
    type Succ: Extent;
    /// One less; zero for zero.
    type Pred: Extent;
    /// The sum.
    type Plus<E: Extent>: Extent;
    /// The product.
    type Times<E: Extent>: Extent;
    /// Whether the number is at most `E`.
    type AtMost<E: Extent>: Flag;

    // The steps of the recursions; each says what it computes of `Self` and the higher bits `U` of the other number.

    /// `2·U + Self`.
    #[doc(hidden)]
    type PlusEven<U: Extent>: Extent;
    /// `2·U + 1 + Self`.
    #[doc(hidden)]
    type PlusOdd<U: Extent>: Extent;
    /// `2·U ≤ Self`, for a positive `U`.
    #[doc(hidden)]
    type AboveEven<U: Extent>: Flag;
    /// `2·U + 1 ≤ Self`.
    #[doc(hidden)]
    type AboveOdd<U: Extent>: Flag;
    /// Whether the number is at most 16, and which one.
    #[doc(hidden)]
    type Class: Class;
}

/// Zero.
impl Extent for UTerm {
    type Double = UTerm;
    type Succ = UInt<UTerm, B1>;
    type Pred = UTerm;
    type Plus<E: Extent> = E;
    type Times<E: Extent> = UTerm;
    type AtMost<E: Extent> = Yes;
    type Class = UTerm;

    type PlusEven<U: Extent> = U::Double;
    type PlusOdd<U: Extent> = UInt<U, B1>;
    type AboveEven<U: Extent> = No;
    type AboveOdd<U: Extent> = No;
}

/// An even positive number, by induction on its half.
impl<H: Extent> Extent for UInt<H, B0> {
    type Double = UInt<Self, B0>;
    type Succ = UInt<H, B1>;
    type Pred = UInt<H::Pred, B1>;
    type Plus<E: Extent> = E::PlusEven<H>;
    type Times<E: Extent> = <H::Times<E> as Extent>::Double;
    type AtMost<E: Extent> = E::AboveEven<H>;
    type Class = <H::Class as Class>::Even;

    type PlusEven<U: Extent> = UInt<U::Plus<H>, B0>;
    type PlusOdd<U: Extent> = UInt<U::Plus<H>, B1>;
    type AboveEven<U: Extent> = U::AtMost<H>;
    type AboveOdd<U: Extent> = <U::Succ as Extent>::AtMost<H>;
}

/// An odd number, by induction on the half of its predecessor.
impl<H: Extent> Extent for UInt<H, B1> {
    type Double = UInt<Self, B0>;
    type Succ = UInt<H::Succ, B0>;
    type Pred = H::Double;
    type Plus<E: Extent> = E::PlusOdd<H>;
    type Times<E: Extent> = E::Plus<<H::Times<E> as Extent>::Double>;
    type AtMost<E: Extent> = E::AboveOdd<H>;
    type Class = <H::Class as Class>::Odd;

    type PlusEven<U: Extent> = UInt<U::Plus<H>, B1>;
    type PlusOdd<U: Extent> = UInt<<U::Plus<H> as Extent>::Succ, B0>;
    type AboveEven<U: Extent> = U::AtMost<H>;
    type AboveOdd<U: Extent> = U::AtMost<H>;
}

/// How many scalars there are to store: one of the numbers up to 16, or [`Large`].
///
/// The classes are listed one by one because generic-array knows the layout of a concrete length only.
#[doc(hidden)]
pub trait Class: 'static {
    /// The class of twice the number.
    type Even: Class;
    /// The class of twice the number and one.
    type Odd: Class;
    /// Storage for that many scalars.
    type Store<T: Scalar>: Storage<T>;
}

/// More than 16.
#[doc(hidden)]
pub struct Large;

impl Class for Large {
    type Even = Large;
    type Odd = Large;
    type Store<T: Scalar> = Shared<T>;
}

macro_rules! classes {
    ($($length:ident $even:ident $odd:ident;)*) => {$(
        impl Class for $length {
            type Even = $even;
            type Odd = $odd;
            type Store<T: Scalar> = Inline<T, $length>;
        }
    )*};
}

classes! {
    UTerm UTerm U1;
    U1  U2  U3;
    U2  U4  U5;
    U3  U6  U7;
    U4  U8  U9;
    U5  U10 U11;
    U6  U12 U13;
    U7  U14 U15;
    U8  U16 Large;
    U9  Large Large;
    U10 Large Large;
    U11 Large Large;
    U12 Large Large;
    U13 Large Large;
    U14 Large Large;
    U15 Large Large;
    U16 Large Large;
}

/// How a tensor of that many scalars is stored: up to 16 inline, more in a shared buffer.
pub(crate) type Store<L, T> = <<L as Extent>::Class as Class>::Store<T>;

/// A truth value in a type; closed.
pub trait Flag: 'static {
    /// Both.
    type And<F: Flag>: Flag;
    /// At least one.
    type Or<F: Flag>: Flag;
    /// The opposite.
    type Not: Flag;
    /// The truth value as a value.
    const HOLDS: bool;
}

/// The true one of the truth values in types; a user never writes it.
#[derive(Clone, Copy, Debug)]
pub struct Yes;

/// The false one of the truth values in types; a user never writes it.
#[derive(Clone, Copy, Debug)]
pub struct No;

impl Flag for Yes {
    type And<F: Flag> = F;
    type Or<F: Flag> = Yes;
    type Not = No;
    const HOLDS: bool = true;
}

impl Flag for No {
    type And<F: Flag> = No;
    type Or<F: Flag> = F;
    type Not = Yes;
    const HOLDS: bool = false;
}
