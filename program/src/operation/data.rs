//! The data of an operation: shapes, literals, dense arrays and index maps.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pullback_kernel::Rational;
use pullback_kernel::eval::Number;

/// Sizes of axes, outermost first. Every size is positive; the empty shape is that of a scalar.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shape(Arc<[usize]>);

impl Shape {
    /// A shape with these sizes.
    pub fn new(sizes: &[usize]) -> Shape {
        Shape(sizes.into())
    }

    /// The sizes of the axes.
    pub fn sizes(&self) -> &[usize] {
        &self.0
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The number of elements, or `None` past `usize`.
    pub fn checked_len(&self) -> Option<usize> {
        self.0.iter().try_fold(1usize, |n, size| n.checked_mul(*size))
    }

    /// The number of elements.
    ///
    /// Shapes of a program were checked when it was made; of another shape that is past `usize` it is `usize::MAX`.
    pub fn elements(&self) -> usize {
        self.checked_len().unwrap_or(usize::MAX)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.0.iter().map(usize::to_string).collect();
        write!(f, "[{}]", sizes.join(", "))
    }
}

/// A real that a program names: an exact rational, or a float as it is.
#[derive(Clone, Debug)]
pub enum Literal {
    /// An exact rational.
    Exact(Rational),
    /// A finite float; its value is the rational that it is.
    Float(f64),
}

impl Literal {
    /// An integer.
    pub fn integer(n: i64) -> Literal {
        Literal::Exact(Rational::from_integer(n.into()))
    }

    /// Its value in a number type: rounded once where the type is not exact.
    pub fn to<N: Number>(&self) -> N {
        match self {
            Literal::Exact(q) => N::rational(q),
            Literal::Float(x) => N::float(*x),
        }
    }

    /// Whether it is zero, of either sign.
    pub fn is_zero(&self) -> bool {
        match self {
            Literal::Exact(q) => q.numer().sign() == num_bigint::Sign::NoSign,
            Literal::Float(x) => *x == 0.0,
        }
    }

    /// Whether it is finite, and so a real.
    pub fn is_finite(&self) -> bool {
        match self {
            Literal::Exact(_) => true,
            Literal::Float(x) => x.is_finite(),
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Literal::Exact(p), Literal::Exact(q)) => p == q,
            // By bits: the two zeros are two literals.
            (Literal::Float(x), Literal::Float(y)) => x.to_bits() == y.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Literal::Exact(q) => q.hash(state),
            Literal::Float(x) => x.to_bits().hash(state),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Exact(q) => q.fmt(f),
            Literal::Float(x) => x.fmt(f),
        }
    }
}

/// The elements of an array, in row-major order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Elements {
    /// The same everywhere.
    Splat(Literal),
    /// One literal each.
    Each(Vec<Literal>),
}

/// A dense array of the program's own: data, not a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, expecting = "an array: an object with `shape` and `data`")
)]
pub struct Array {
    /// Its shape.
    pub shape: Shape,
    /// Its elements.
    #[cfg_attr(feature = "json", serde(rename = "data"))]
    pub elements: Elements,
}

impl Array {
    /// The same literal everywhere.
    pub fn splat(shape: Shape, literal: Literal) -> Array {
        Array { shape, elements: Elements::Splat(literal) }
    }

    /// An array of floats, in row-major order. One whose number of elements is not the shape's is refused where it is used.
    pub fn floats(shape: Shape, elements: &[f64]) -> Array {
        Array { shape, elements: Elements::Each(elements.iter().map(|x| Literal::Float(*x)).collect()) }
    }

    /// An array of exact rationals, in row-major order.
    pub fn rationals(shape: Shape, elements: &[Rational]) -> Array {
        Array { shape, elements: Elements::Each(elements.iter().cloned().map(Literal::Exact).collect()) }
    }

    /// Its elements in a number type.
    pub fn to<N: Number>(&self) -> Vec<N> {
        match &self.elements {
            Elements::Splat(literal) => vec![literal.to(); self.shape.elements()],
            Elements::Each(all) => all.iter().map(Literal::to).collect(),
        }
    }
}

/// The values of an index map, from flat row-major positions of its arguments to positions of its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case", expecting = "an index map: `row_major`, or an object with `table` or `partial`")
)]
pub enum IndexData {
    /// Each position to itself: a reshape.
    RowMajor,
    /// A value at each position.
    Table(Vec<usize>),
    /// A value at some positions.
    Partial(Vec<Option<usize>>),
}

impl IndexData {
    /// The value at a flat position; `None` where it is undefined.
    pub fn at(&self, flat: usize) -> Option<usize> {
        match self {
            IndexData::RowMajor => Some(flat),
            IndexData::Table(table) => table.get(flat).copied(),
            IndexData::Partial(table) => table.get(flat).copied().flatten(),
        }
    }

    /// All values, for arguments with so many positions.
    pub fn table(&self, positions: usize) -> Vec<Option<usize>> {
        (0..positions).map(|flat| self.at(flat)).collect()
    }
}
