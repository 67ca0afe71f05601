//! The syntax tree: what was written, with names and places, before anything is looked up.
//!
//! Equality of trees looks at what was written and not at where ([`Place`] equals any other), so that
//! printing a tree and parsing it again gives an equal one. A tree promises nothing: only
//! [`Statement::resolve`](crate::statement::Statement::resolve) makes a statement of it.

use crate::Rational;
use crate::limits;
use crate::source::{Name, Span};
use crate::statement::{Function, Label, Sign};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Where a part of a tree was written. Any two are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}
impl Eq for Place {}

/// One `contract`.
#[derive(Clone, PartialEq, Debug)]
pub struct Contract {
    /// Its name.
    pub name: Name,
    /// The number after `version`.
    pub version: u32,
    /// The comment lines directly above.
    pub doc: String,
    /// What follows, in order.
    pub items: Vec<Item>,
    /// The whole of it.
    pub place: Place,
}

/// An item and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The whole of it.
    pub place: Place,
}

/// The items of a contract.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// `dims s.., n`
    Dims(Vec<DimRef>),
    /// `param eps > 0`
    Param {
        /// Its name.
        name: Name,
        /// What is required of it.
        sign: Option<Sign>,
    },
    /// `map at: m -> n`, `partial map …`, `bijection …`
    Maps(MapWord, Vec<Map>),
    /// `split left: a, right: b -> n`
    Split {
        /// The parts, in order.
        parts: Vec<Part>,
        /// What they make up.
        whole: DimRef,
    },
    /// `input x[s.., n]`
    Inputs(Vec<Tensor>),
    /// `constant mask[m, n]`
    Constants(Vec<Tensor>),
    /// `where x[i] > 0`
    Where(Vec<Condition>),
    /// `let e[i] = …`
    Let(Clause),
    /// `any m[i] = …`
    Any(Clause),
    /// `output y[i] = …`
    Output(Clause),
    /// `saves x, y`
    Saves(Vec<Name>),
    /// `dx[i] = …`
    Gradient(Clause),
    /// `declares convention at x[i] == 0: dx[i] = 0 "…"`
    Declares {
        /// The label.
        label: Label,
        /// What is named at boundaries.
        named: Vec<Named>,
        /// Whether `as written` stands there.
        written: bool,
        /// The author's words. May be empty.
        text: String,
    },
}

/// `at x[i] == 0: dx[i] = 0`
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// What stands before `==`.
    pub left: Expr,
    /// What stands after it.
    pub right: Expr,
    /// What the rule gives there.
    pub clause: Clause,
}

/// How index maps are introduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapWord {
    /// `map`
    Total,
    /// `partial map`
    Partial,
    /// `bijection`
    Bijection,
}

/// A dimension, `n` or `s..`.
#[derive(Clone, PartialEq, Debug)]
pub struct DimRef {
    /// Its name.
    pub name: Name,
    /// Whether it was written with dots.
    pub pack: bool,
}

/// `row: oh * kh -> h`
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Its name.
    pub name: Name,
    /// The dimensions of its arguments.
    pub from: Vec<DimRef>,
    /// The dimension of its value.
    pub to: DimRef,
}

/// `left: a`
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Its name.
    pub name: Name,
    /// Its dimension.
    pub dim: DimRef,
}

/// `x[s.., n]`
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: Name,
    /// Its axes.
    pub axes: Vec<DimRef>,
}

/// `expr > 0`
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// What stands before the sign.
    pub value: Expr,
    /// What is required of it.
    pub sign: Sign,
}

/// `y[i.., left(j)] = …`
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// What is defined.
    pub name: Name,
    /// Where.
    pub at: Vec<Target>,
    /// The right side.
    pub value: Expr,
    /// The whole clause, without its keyword.
    pub place: Place,
}

/// A position on the left side of a clause.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// An index variable.
    Binder(Binder),
    /// A bijection or a part of a split applied to index variables.
    Map(Name, Vec<Binder>),
}

/// An index variable where it is bound: `i`, `i..`, `i: n`.
#[derive(Clone, PartialEq, Debug)]
pub struct Binder {
    /// Its name.
    pub name: Name,
    /// Whether it was written with dots.
    pub pack: bool,
    /// Its dimension, where it was written.
    pub dim: Option<DimRef>,
}

/// A position in an access.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// What it is.
    pub kind: IndexKind,
    /// Where.
    pub place: Place,
}

/// The forms of a position.
#[derive(Clone, PartialEq, Debug)]
pub enum IndexKind {
    /// An index variable, and whether it was written with dots.
    Variable(Name, bool),
    /// A map applied to positions.
    Map(Name, Vec<Index>),
}

/// An expression and its place (its parentheses included).
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub place: Place,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

/// A comparison, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
}

/// `max(a, b)` or `min(a, b)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// `max`
    Max,
    /// `min`
    Min,
}

/// `sum(…) e` or `max(…) e`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// `sum`
    Sum,
    /// `max`
    Max,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `0.5`
    Number(Number),
    /// `x[i.., j]`, or a scalar or a parameter without indices.
    Access(Name, Vec<Index>),
    /// `|n|`
    Size(DimRef),
    /// `[p == q]`
    Equal(Index, Index),
    /// `-a`
    Neg(Box<Expr>),
    /// `a + b` and the like
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `a^k`
    Pow(Box<Expr>, i32),
    /// `exp(a)`
    Call(Function, Box<Expr>),
    /// `max(a, b)`, `min(a, b)`
    Extremum(Extremum, Box<Expr>, Box<Expr>),
    /// `abs(a)`
    Abs(Box<Expr>),
    /// `sum(i, j) e`, `max(k) e`
    Reduce(Reduction, Vec<Binder>, Box<Expr>),
    /// `if a > b then c else d`
    If(Box<Choice>),
}

/// `if left > right then then else otherwise`
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// Which comparison.
    pub comparison: Comparison,
    /// Its left side.
    pub left: Expr,
    /// Its right side.
    pub right: Expr,
    /// The value where it holds.
    pub then: Expr,
    /// The value where it does not.
    pub otherwise: Expr,
}

/// A literal: what was written, and its exact value.
#[derive(Clone, Debug)]
pub struct Number {
    text: String,
    value: Rational,
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.text == other.text
    }
}

impl Number {
    /// The number that a text of the form `digits [ "." digits ] [ "e" ["+" | "-"] digits ]` writes,
    /// if it is one within [`limits::DIGITS`] and [`limits::EXPONENT`].
    pub fn new(text: &str) -> Option<Number> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
            None => (text, 0),
        };
        if exponent.unsigned_abs() > u64::from(limits::EXPONENT) {
            return None;
        }
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let plain = digits.iter().all(u8::is_ascii_digit);
        if whole.is_empty() || digits.len() > limits::DIGITS || !plain {
            return None;
        }
        let digits = BigInt::parse_bytes(&digits, 10)?;
        let scale = exponent - i64::try_from(fraction.len()).ok()?;
        Some(Number { text: text.to_owned(), value: scaled(digits, scale)? })
    }
    /// A literal of a statement that nobody wrote, whatever its length.
    pub(crate) fn exact(text: String, value: Rational) -> Number {
        Number { text, value }
    }
    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Its exact value.
    pub fn value(&self) -> &Rational {
        &self.value
    }
}

/// `digits · 10^scale` in lowest terms: only twos and fives can cancel, so no general gcd is needed.
fn scaled(mut digits: BigInt, scale: i64) -> Option<Rational> {
    let power = u32::try_from(scale.unsigned_abs()).ok()?;
    if digits.is_zero() {
        return Some(Rational::zero());
    }
    if scale >= 0 {
        return Some(Rational::new_raw(digits * BigInt::from(10).pow(power), BigInt::one()));
    }
    let twos = u32::try_from(digits.trailing_zeros()?.min(u64::from(power))).ok()?;
    digits >>= twos;
    let (five, mut fives) = (BigInt::from(5), 0);
    while fives < power && (&digits % &five).is_zero() {
        digits /= &five;
        fives += 1;
    }
    let denominator = five.pow(power - fives) << (power - twos);
    Some(Rational::new_raw(digits, denominator))
}
