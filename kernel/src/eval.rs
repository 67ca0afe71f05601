//! The reference evaluator: a statement read as it is written, loops and all.
//!
//! It is generic over the number: exact rationals, intervals with outward rounding, floats, dual numbers.
//! It shares no code with the normal form, so each checks the other. It walks the tree as it is:
//! what does not change in one run is looked up once, and nothing is rearranged.

use std::borrow::Cow;
use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::Rational;
use crate::budget::{Budget, Exceeded, Meter};
pub use crate::interval::Interval;
use crate::statement::{
    Clause, Comparison, Condition, Defined, DimId, Expr, ExprKind, Function, Index, Local, Sign, Statement, Tensor,
    VarId,
};

/// Why an expression has no value here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// Outside of a function's domain: a zero divisor, a logarithm of a nonpositive number.
    Undefined(&'static str),
    /// An exact number type has no such value: a transcendental function of a rational, an irrational root.
    /// Intervals and floats have one.
    Inexact(&'static str),
    /// The number type cannot say: a comparison of intervals that overlap, a point on a boundary.
    Unknown(&'static str),
    /// The number type can't hold it: a condition's value is infinite or a NaN.
    NotFinite(&'static str),
    /// Data that does not fit the statement: a name of what is wrong.
    Mismatch(String),
    /// More work or bytes than the budget has.
    Limit(Exceeded),
}

impl From<Exceeded> for EvalError {
    fn from(exceeded: Exceeded) -> Self {
        EvalError::Limit(exceeded)
    }
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EvalError::Undefined(what) => write!(f, "{what} is not defined here"),
            EvalError::Inexact(what) | EvalError::Unknown(what) => {
                write!(f, "{what} cannot be told with this number type")
            }
            EvalError::NotFinite(what) => write!(f, "{what} is not finite"),
            EvalError::Mismatch(what) => f.write_str(what),
            EvalError::Limit(exceeded) => exceeded.fmt(f),
        }
    }
}

impl std::error::Error for EvalError {}

type Eval<T> = Result<T, EvalError>;

/// What the evaluator needs of a number.
pub trait Number: Clone {
    /// Whether a result may be another number than the real that it stands for: a float's is.
    const ROUNDS: bool = false;
    /// An exact rational.
    fn rational(q: &Rational) -> Self;
    /// A finite float, which is a rational; of the two zeros a float type keeps the one it is.
    fn float(x: f64) -> Self {
        Self::rational(&Rational::from_float(x).unwrap_or_else(Rational::zero))
    }
    /// Sum.
    fn add(&self, o: &Self) -> Self;
    /// Negative.
    fn neg(&self) -> Self;
    /// Product.
    fn mul(&self, o: &Self) -> Self;
    /// One over it.
    fn recip(&self) -> Eval<Self>;
    /// An elementary function.
    fn call(&self, f: Function) -> Eval<Self>;
    /// Quotient. A float type divides once, so that a small divisor does not overflow on the way.
    ///
    /// # Errors
    /// As [`recip`](Number::recip).
    fn over(&self, o: &Self) -> Eval<Self> {
        Ok(self.mul(&o.recip()?))
    }
    /// Whether it is a real: neither infinite nor a NaN. What is exact always is.
    fn is_finite(&self) -> bool {
        true
    }
    /// Its sign, if it can be told.
    fn sign(&self) -> Option<Ordering>;
    /// What an operation on it costs, in [units of work](crate::budget): exact numbers grow.
    fn cost(&self) -> u64 {
        16
    }
    /// What a maximum is where these attain it. They have one value; what else they carry is shared evenly.
    fn tied(attaining: &[Self]) -> Self {
        attaining[0].clone()
    }
    /// What an elementary function of it costs.
    fn cost_of_call(&self) -> u64 {
        self.cost().saturating_mul(4)
    }
    /// What an operation on the two costs: asked for before it is done.
    fn cost_with(&self, o: &Self) -> u64 {
        self.cost().max(o.cost())
    }
    /// The bytes that it takes, those that it points to included.
    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64
    }
    /// Its `n`-th power. `charge` is given each partial product before the next, and what it returns as an error ends the work.
    ///
    /// # Errors
    /// Those of `charge`.
    fn power(&self, n: u32, charge: &mut dyn FnMut(&Self) -> Eval<()>) -> Eval<Self> {
        let mut p = Self::rational(&Rational::one());
        for _ in 0..n {
            p = p.mul(self);
            charge(&p)?;
        }
        Ok(p)
    }
    /// Its `k`-th power: of a negative `k`, one over the power of `-k`.
    ///
    /// # Errors
    /// As [`recip`](Number::recip).
    fn powi(&self, k: i32) -> Eval<Self> {
        let p = self.power(k.unsigned_abs(), &mut |_| Ok(()))?;
        if k < 0 { p.recip() } else { Ok(p) }
    }
}

impl Number for Rational {
    fn rational(q: &Rational) -> Self {
        q.clone()
    }
    fn add(&self, o: &Self) -> Self {
        self + o
    }
    fn neg(&self) -> Self {
        -self.clone()
    }
    fn mul(&self, o: &Self) -> Self {
        self * o
    }
    fn recip(&self) -> Eval<Self> {
        if self.is_zero() { Err(EvalError::Undefined("1/0")) } else { Ok(num_rational::Ratio::recip(self)) }
    }
    fn call(&self, f: Function) -> Eval<Self> {
        match f {
            Function::Recip => Number::recip(self),
            Function::Round => {
                let half = Rational::new(1.into(), 2.into());
                let floor = self.floor();
                let rest = self - &floor;
                let up = match rest.cmp(&half) {
                    Ordering::Less => false,
                    Ordering::Greater => true,
                    // Half to even.
                    Ordering::Equal => (floor.numer() % 2u32) != Zero::zero(),
                };
                Ok(if up { floor + Rational::one() } else { floor })
            }
            Function::Sqrt | Function::Rsqrt if !self.is_positive() => Err(EvalError::Undefined("a root of it")),
            Function::Sqrt | Function::Rsqrt => {
                let (n, d) = (self.numer().sqrt(), self.denom().sqrt());
                if &n * &n != *self.numer() || &d * &d != *self.denom() {
                    return Err(EvalError::Inexact("an irrational root"));
                }
                Ok(if f == Function::Sqrt { Rational::new(n, d) } else { Rational::new(d, n) })
            }
            Function::Log if !self.is_positive() => Err(EvalError::Undefined("its logarithm")),
            Function::Floor => Ok(self.floor()),
            Function::Log1p if *self <= -Rational::one() => Err(EvalError::Undefined("its logarithm")),
            Function::Exp | Function::Cos | Function::Erfc if self.is_zero() => Ok(Rational::one()),
            Function::Tanh | Function::Sin | Function::Erf | Function::Atan | Function::Log1p | Function::Expm1
                if self.is_zero() =>
            {
                Ok(Rational::zero())
            }
            Function::Log if self.is_one() => Ok(Rational::zero()),
            _ => Err(EvalError::Inexact("a transcendental value")),
        }
    }
    fn sign(&self) -> Option<Ordering> {
        Some(self.cmp(&Rational::zero()))
    }
    fn cost(&self) -> u64 {
        exact(words(self))
    }
    fn cost_with(&self, o: &Self) -> u64 {
        exact(words(self).saturating_add(words(o)))
    }
    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + 8 * (2 + words(self))
    }
}

/// Words of numerator and denominator past the first.
fn words(q: &Rational) -> u64 {
    (q.numer().bits() + q.denom().bits()) / 64
}

/// What an operation on rationals of so many words costs: the common divisor goes through their bits, and through all words for each.
fn exact(words: u64) -> u64 {
    256u64.saturating_add(words.saturating_mul(words.saturating_mul(48).saturating_add(1024)))
}

/// A float type as a [`Number`], with the platform's functions: `floats!(f32)`.
macro_rules! floats {
    ($($float:ident),*) => {$(
        impl Number for $float {
            const ROUNDS: bool = true;
            fn float(x: f64) -> Self {
                x as $float
            }
            fn rational(q: &Rational) -> Self {
                // A quotient of two floats that are exact is rounded correctly.
                let exact = |n: &BigInt| n.to_i64().filter(|n| n.unsigned_abs() < 1 << <$float>::MANTISSA_DIGITS);
                match (exact(q.numer()), exact(q.denom())) {
                    (Some(n), Some(d)) => n as $float / d as $float,
                    _ => crate::nearest::$float(q),
                }
            }
            fn add(&self, o: &Self) -> Self {
                self + o
            }
            fn neg(&self) -> Self {
                -self
            }
            fn mul(&self, o: &Self) -> Self {
                self * o
            }
            fn recip(&self) -> Eval<Self> {
                if *self == 0.0 { Err(EvalError::Undefined("1/0")) } else { Ok(1.0 / self) }
            }
            fn call(&self, f: Function) -> Eval<Self> {
                // What is no number has no sign that could be wrong: it goes on, for whoever asks whether the result is finite.
                let inside = *self > 0.0 || self.is_nan();
                let positive =
                    |v: $float| if inside { Ok(v) } else { Err(EvalError::Undefined("a root or logarithm of it")) };
                match f {
                    Function::Exp => Ok(self.exp()),
                    Function::Tanh => Ok(self.tanh()),
                    Function::Recip => Number::recip(self),
                    Function::Rsqrt => positive(1.0 / self.sqrt()),
                    Function::Sqrt => positive(self.sqrt()),
                    Function::Log => positive(self.ln()),
                    Function::Sin => Ok(self.sin()),
                    Function::Cos => Ok(self.cos()),
                    Function::Round => Ok(self.round_ties_even()),
                    Function::Floor => Ok(self.floor()),
                    Function::Atan => Ok(self.atan()),
                    Function::Expm1 => Ok(self.exp_m1()),
                    Function::Log1p if *self <= -1.0 => Err(EvalError::Undefined("a root or logarithm of it")),
                    Function::Log1p => Ok(self.ln_1p()),
                    // The platform has none: the middle of an enclosure, which is a neighbour of the true value.
                    Function::Erf | Function::Erfc if self.is_nan() => Ok(*self),
                    Function::Erf | Function::Erfc => {
                        Ok(Interval::point(f64::from(*self)).call(f)?.middle() as $float)
                    }
                }
            }
            fn over(&self, o: &Self) -> Eval<Self> {
                if *o == 0.0 { Err(EvalError::Undefined("1/0")) } else { Ok(self / o) }
            }
            fn is_finite(&self) -> bool {
                <$float>::is_finite(*self)
            }
            fn sign(&self) -> Option<Ordering> {
                self.partial_cmp(&0.0)
            }
        }
    )*};
}

floats!(f32, f64);

/// A value and its derivative along one direction.
#[derive(Clone, PartialEq, Debug)]
pub struct Dual<N> {
    /// The value.
    pub value: N,
    /// Its derivative.
    pub tangent: N,
}

/// The slope of `erf`: 2 exp(-x²)/√π, and π is 4 atan 1.
fn gauss<N: Number>(x: &N) -> Eval<N> {
    let quarter = N::rational(&Rational::one()).call(Function::Atan)?;
    Ok(x.mul(x).neg().call(Function::Exp)?.mul(&quarter.call(Function::Rsqrt)?))
}

impl<N: Number> Number for Dual<N> {
    const ROUNDS: bool = N::ROUNDS;
    fn rational(q: &Rational) -> Self {
        Dual { value: N::rational(q), tangent: N::rational(&Rational::zero()) }
    }
    fn add(&self, o: &Self) -> Self {
        Dual { value: self.value.add(&o.value), tangent: self.tangent.add(&o.tangent) }
    }
    fn neg(&self) -> Self {
        Dual { value: self.value.neg(), tangent: self.tangent.neg() }
    }
    fn mul(&self, o: &Self) -> Self {
        Dual { value: self.value.mul(&o.value), tangent: self.tangent.mul(&o.value).add(&self.value.mul(&o.tangent)) }
    }
    fn recip(&self) -> Eval<Self> {
        let value = self.value.recip()?;
        let tangent = self.tangent.mul(&value).mul(&value).neg();
        Ok(Dual { value, tangent })
    }
    fn call(&self, f: Function) -> Eval<Self> {
        let value = self.value.call(f)?;
        let half = || N::rational(&Rational::new((-1).into(), 2.into()));
        let slope = match f {
            Function::Exp => value.clone(),
            Function::Tanh => N::rational(&Rational::one()).add(&value.mul(&value).neg()),
            Function::Recip => value.mul(&value).neg(),
            Function::Rsqrt => value.mul(&value).mul(&value).mul(&half()),
            Function::Sqrt => value.recip()?.mul(&half()).neg(),
            Function::Log => self.value.recip()?,
            Function::Sin => self.value.call(Function::Cos)?,
            Function::Cos => self.value.call(Function::Sin)?.neg(),
            Function::Round | Function::Floor => N::rational(&Rational::zero()),
            Function::Erf => gauss(&self.value)?,
            Function::Erfc => gauss(&self.value)?.neg(),
            Function::Atan => self.value.mul(&self.value).add(&N::rational(&Rational::one())).recip()?,
            Function::Log1p => self.value.add(&N::rational(&Rational::one())).recip()?,
            Function::Expm1 => self.value.call(Function::Exp)?,
        };
        Ok(Dual { value, tangent: slope.mul(&self.tangent) })
    }
    fn over(&self, o: &Self) -> Eval<Self> {
        let value = self.value.over(&o.value)?;
        let tangent = self.tangent.add(&value.mul(&o.tangent).neg()).over(&o.value)?;
        Ok(Dual { value, tangent })
    }
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.tangent.is_finite()
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
    fn tied(attaining: &[Self]) -> Self {
        if let [one] = attaining {
            return one.clone();
        }
        let mut sum = N::rational(&Rational::zero());
        attaining.iter().for_each(|a| sum = sum.add(&a.tangent));
        let share = N::rational(&Rational::new(1.into(), attaining.len().into()));
        let values: Vec<N> = attaining.iter().map(|a| a.value.clone()).collect();
        Dual { value: N::tied(&values), tangent: sum.mul(&share) }
    }
    fn cost(&self) -> u64 {
        self.value.cost().saturating_add(self.tangent.cost())
    }
    fn cost_with(&self, o: &Self) -> u64 {
        let tangents = self.value.cost_with(&o.tangent).saturating_add(self.tangent.cost_with(&o.value));
        self.value.cost_with(&o.value).saturating_add(tangents)
    }
    fn cost_of_call(&self) -> u64 {
        // The function and its slope, which is one more of its kind.
        self.value.cost_of_call().saturating_mul(2).saturating_add(self.cost_with(self))
    }
    fn bytes(&self) -> u64 {
        self.value.bytes().saturating_add(self.tangent.bytes())
    }
    fn power(&self, n: u32, charge: &mut dyn FnMut(&Self) -> Eval<()>) -> Eval<Self> {
        let mut p = Self::rational(&Rational::one());
        for _ in 0..n {
            p = p.mul(self);
            charge(&p)?;
        }
        if n < 2 {
            return Ok(p);
        }
        // The same numbers by the powers of the value alone, which an interval knows better than their products.
        let free = &mut |_: &N| Ok(());
        let slope = self.value.power(n - 1, free)?.mul(&N::rational(&Rational::from_integer(n.into())));
        Ok(Dual { value: self.value.power(n, free)?, tangent: slope.mul(&self.tangent) })
    }
}

/// Everything a statement is evaluated at.
#[derive(Clone, PartialEq, Debug)]
pub struct Point<N> {
    /// The size of each dimension (of a pack: the product of its sizes).
    pub sizes: Vec<usize>,
    /// The value of each map at each flat position of its arguments; `None` where it is undefined.
    pub maps: Vec<Vec<Option<usize>>>,
    /// Scalar parameters.
    pub params: Vec<N>,
    /// Constants, flat in row-major order.
    pub constants: Vec<Vec<N>>,
    /// Inputs, flat in row-major order.
    pub inputs: Vec<Vec<N>>,
}

/// The values of the forward part.
#[derive(Clone, PartialEq, Debug)]
pub struct Forward<N> {
    /// Locals, in order.
    pub locals: Vec<Vec<N>>,
    /// Outputs, in order.
    pub outputs: Vec<Vec<N>>,
}

struct Run<'a, N: Clone> {
    statement: &'a Statement,
    point: &'a Point<N>,
    shapes: Shapes,
    numbers: Numbers<N>,
    forward: Cow<'a, Forward<N>>,
    cotangents: &'a [Vec<N>],
    backward_locals: Vec<Vec<N>>,
    /// What happens on the boundary between two branches.
    boundary: Boundary,
    /// How often the element that is evaluated met one.
    met: std::cell::Cell<usize>,
    /// Where boundaries were met.
    found: std::cell::RefCell<Vec<Met>>,
    meter: &'a Meter,
}

/// What a node of an expression costs beside the work on numbers, in units of work.
const NODE: u64 = 16;
/// What a node of an index costs.
const INDEX: u64 = 4;
/// What asks for work here.
const EVALUATION: &str = "the evaluation";
/// What asks for bytes here.
const VALUES: &str = "its values";

/// What happens on a boundary of a nonsmooth function: a tie of a maximum, the zero of an `if`, a jump of `round`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// Nothing: one side is taken.
    Ignore,
    /// The value is [`EvalError::Unknown`].
    Unknown,
    /// One side is taken, and it is noted which element met it.
    Note,
}

/// An element whose value is on a boundary of a nonsmooth function. See [`boundaries`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Met {
    /// A local or an output.
    pub tensor: Tensor,
    /// The position of the element, in row-major order.
    pub at: usize,
    /// How often evaluating it met a boundary: once for each tie, `if` and jump.
    pub times: usize,
}

/// The sizes of the axes of each tensor and of the arguments of each map.
struct Shapes {
    inputs: Vec<Vec<usize>>,
    constants: Vec<Vec<usize>>,
    locals: Vec<Vec<usize>>,
    /// Those of their cotangents as well.
    outputs: Vec<Vec<usize>>,
    backward_locals: Vec<Vec<usize>>,
    maps: Vec<Vec<usize>>,
    /// The size of each index variable.
    variables: Vec<usize>,
}

impl Shapes {
    fn of(statement: &Statement, sizes: &[usize]) -> Self {
        let all = |dims: &[DimId]| dims.iter().map(|d| sizes[d.0 as usize]).collect::<Vec<_>>();
        let local = |l: &Local| l.vars.iter().map(|v| sizes[statement.dim_of(*v).0 as usize]).collect();
        Shapes {
            inputs: statement.inputs().iter().map(|t| all(&t.axes)).collect(),
            constants: statement.constants().iter().map(|t| all(&t.axes)).collect(),
            locals: statement.locals().iter().map(local).collect(),
            outputs: statement.outputs().iter().map(|o| all(&o.tensor.axes)).collect(),
            backward_locals: statement.backward_locals().iter().map(local).collect(),
            maps: statement.maps().iter().map(|m| all(&m.from)).collect(),
            variables: statement.variables().iter().map(|v| sizes[v.dim.0 as usize]).collect(),
        }
    }
    fn tensor(&self, t: Tensor) -> &[usize] {
        match t {
            Tensor::Input(i) => &self.inputs[i as usize],
            Tensor::Constant(i) => &self.constants[i as usize],
            Tensor::Local(i) => &self.locals[i as usize],
            Tensor::Output(i) | Tensor::Cotangent(i) => &self.outputs[i as usize],
            Tensor::BackwardLocal(i) => &self.backward_locals[i as usize],
        }
    }
}

/// Numbers that are met again and again.
struct Numbers<N> {
    zero: N,
    one: N,
    /// The size of each dimension.
    sizes: Vec<N>,
}

impl<N: Number> Numbers<N> {
    fn of(sizes: &[usize]) -> Self {
        let size = |n: &usize| N::rational(&Rational::from_integer((*n).into()));
        Numbers { zero: size(&0), one: size(&1), sizes: sizes.iter().map(size).collect() }
    }
}

/// The position of each index variable, by its number; [`OUT_OF_SCOPE`] where it has none.
type Scope = [usize];

const OUT_OF_SCOPE: usize = usize::MAX;

/// Evaluates the forward part.
///
/// # Errors
/// [`EvalError`] where a value is undefined or cannot be told, or the data does not fit.
pub fn forward<N: Number>(statement: &Statement, point: &Point<N>) -> Result<Forward<N>, EvalError> {
    forward_within(statement, point, &Meter::unlimited())
}

/// As [`forward`], within what is left of a budget. The bytes of the values that it gives stay held.
///
/// # Errors
/// As [`forward`]; [`EvalError::Limit`] past the budget.
pub fn forward_within<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    meter: &Meter,
) -> Result<Forward<N>, EvalError> {
    means_something(statement)?;
    forward_with(statement, point, Boundary::Ignore, meter)
}

/// Where the forward part meets a boundary of a nonsmooth function, element by element in order: a derivative there is what a rule declares.
/// What `any` names is left out, since its value does not matter, and a tie below a maximum is none.
///
/// # Errors
/// As [`forward_within`].
pub fn boundaries<N: Number>(statement: &Statement, point: &Point<N>, meter: &Meter) -> Result<Vec<Met>, EvalError> {
    means_something(statement)?;
    Ok(run_forward(statement, point, Boundary::Note, meter)?.found.into_inner())
}

/// As [`forward`], but a point on the boundary of a nonsmooth function is [`EvalError::Unknown`]:
/// a tie of a maximum, the zero of an `if`, a jump of `round`. There is no derivative there.
/// A value that takes more than so much work is [`EvalError::Limit`].
///
/// # Errors
/// As [`forward`].
pub fn forward_off_boundary<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    work: u64,
) -> Result<Forward<N>, EvalError> {
    means_something(statement)?;
    forward_with(statement, point, Boundary::Unknown, &Meter::new(Budget::UNLIMITED.with_work(work)))
}

/// Statements are not only made from text: see [`Statement::well_formed`].
fn means_something(statement: &Statement) -> Eval<()> {
    statement.well_formed().map_err(|malformed| EvalError::Mismatch(malformed.to_string()))
}

/// As [`forward`] and [`forward_off_boundary`], of a statement that is known to be well formed.
pub(crate) fn forward_with<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    boundary: Boundary,
    meter: &Meter,
) -> Eval<Forward<N>> {
    Ok(run_forward(statement, point, boundary, meter)?.forward.into_owned())
}

fn run_forward<'a, N: Number>(
    statement: &'a Statement,
    point: &'a Point<N>,
    boundary: Boundary,
    meter: &'a Meter,
) -> Eval<Run<'a, N>> {
    fits(statement, point, meter)?;
    let nothing = Forward { locals: Vec::new(), outputs: Vec::new() };
    let mut run = Run::new(statement, point, Cow::Owned(nothing), &[], meter);
    for (k, local) in (0..).zip(statement.locals()) {
        // The value of an `any` does not matter, ties included.
        let counts = local.kind == crate::statement::LocalKind::Let;
        run.boundary = if counts { boundary } else { Boundary::Ignore };
        let v = run.local(local, Tensor::Local(k))?;
        run.forward.to_mut().locals.push(v);
    }
    run.boundary = boundary;
    for (k, output) in (0..).zip(statement.outputs()) {
        let v = run.defined(output, Tensor::Output(k))?;
        run.forward.to_mut().outputs.push(v);
    }
    Ok(run)
}

/// Evaluates the backward rule at a point, given its forward values and a cotangent of each output.
///
/// # Errors
/// As [`forward`]; also if the statement has no rule.
pub fn backward<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    values: &Forward<N>,
    cotangents: &[Vec<N>],
) -> Result<Vec<Vec<N>>, EvalError> {
    means_something(statement)?;
    backward_within(statement, point, values, cotangents, &Meter::unlimited())
}

/// As [`backward`], within what is left of a budget. The bytes of the values that it gives stay held.
///
/// # Errors
/// As [`backward`]; [`EvalError::Limit`] past the budget.
pub fn backward_within<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    values: &Forward<N>,
    cotangents: &[Vec<N>],
    meter: &Meter,
) -> Result<Vec<Vec<N>>, EvalError> {
    let Some(gradients) = statement.gradients() else {
        return Err(EvalError::Mismatch("the statement gives no backward rule".into()));
    };
    let mut run = Run::new(statement, point, Cow::Borrowed(values), cotangents, meter);
    for (k, local) in (0..).zip(statement.backward_locals()) {
        let v = run.local(local, Tensor::BackwardLocal(k))?;
        run.backward_locals.push(v);
    }
    (0..).zip(gradients).map(|(k, g)| run.defined(g, Tensor::Input(k))).collect()
}

/// Whether the point lies in the open domain: `Ok(None)` if so, else the first condition that fails.
///
/// # Errors
/// As [`forward`].
pub fn outside<'c, N: Number>(
    statement: &Statement,
    conditions: &'c [Condition],
    point: &Point<N>,
    values: &Forward<N>,
) -> Result<Option<&'c Condition>, EvalError> {
    outside_within(statement, conditions, point, values, &Meter::unlimited())
}

/// As [`outside`], within what is left of a budget.
///
/// # Errors
/// As [`outside`]; [`EvalError::Limit`] past the budget.
pub fn outside_within<'c, N: Number>(
    statement: &Statement,
    conditions: &'c [Condition],
    point: &Point<N>,
    values: &Forward<N>,
    meter: &Meter,
) -> Result<Option<&'c Condition>, EvalError> {
    let run = Run::new(statement, point, Cow::Borrowed(values), &[], meter);
    for c in conditions {
        let mut fails = false;
        run.each(&c.vars, &mut run.scope(), &mut |scope| {
            let v = run.eval(&c.value, scope)?;
            let Some(sign) = v.sign() else {
                let unknown = EvalError::Unknown("a sign");
                return Err(if v.is_finite() { unknown } else { EvalError::NotFinite("a condition's value") });
            };
            fails |= match c.sign {
                Sign::Positive => sign != Ordering::Greater,
                Sign::NonNegative => sign == Ordering::Less,
                Sign::NonZero => sign == Ordering::Equal,
            };
            Ok(())
        })?;
        if fails {
            return Ok(Some(c));
        }
    }
    Ok(None)
}

fn fits<N>(statement: &Statement, point: &Point<N>, meter: &Meter) -> Eval<()> {
    let wrong = |what: &str| Err(EvalError::Mismatch(format!("{what} does not fit the statement")));
    if point.sizes.len() != statement.dims().len() || point.sizes.contains(&0) {
        return wrong("the number or a value of the sizes");
    }
    let length = |dims: &[DimId]| dims.iter().try_fold(1usize, |n, d| n.checked_mul(point.sizes[d.0 as usize]));
    if point.maps.len() != statement.maps().len() || point.params.len() != statement.params().len() {
        return wrong("the number of maps or parameters");
    }
    for (map, table) in statement.maps().iter().zip(&point.maps) {
        meter.spend(EVALUATION, table.len() as u64)?;
        let to = point.sizes[map.to.0 as usize];
        if Some(table.len()) != length(&map.from) || table.iter().flatten().any(|t| *t >= to) {
            return wrong("a map");
        }
    }
    for (decls, data) in [(statement.constants(), &point.constants), (statement.inputs(), &point.inputs)] {
        if decls.len() != data.len() || decls.iter().zip(data).any(|(d, v)| length(&d.axes) != Some(v.len())) {
            return wrong("a tensor");
        }
    }
    Ok(())
}

impl<'a, N: Number> Run<'a, N> {
    fn new(
        statement: &'a Statement,
        point: &'a Point<N>,
        forward: Cow<'a, Forward<N>>,
        cotangents: &'a [Vec<N>],
        meter: &'a Meter,
    ) -> Self {
        Run {
            statement,
            point,
            shapes: Shapes::of(statement, &point.sizes),
            numbers: Numbers::of(&point.sizes),
            forward,
            cotangents,
            backward_locals: Vec::new(),
            boundary: Boundary::Ignore,
            met: std::cell::Cell::new(0),
            found: std::cell::RefCell::default(),
            meter,
        }
    }

    /// The scope in which nothing is bound.
    fn scope(&self) -> Vec<usize> {
        vec![OUT_OF_SCOPE; self.statement.variables().len()]
    }

    /// Calls `f` for all positions of the variables, the last one fastest.
    fn each(&self, vars: &[VarId], scope: &mut Scope, f: &mut dyn FnMut(&mut Scope) -> Eval<()>) -> Eval<()> {
        let Some((v, rest)) = vars.split_first() else { return f(scope) };
        let v = v.0 as usize;
        let (outer, mut r) = (scope[v], Ok(()));
        for i in 0..self.shapes.variables[v] {
            scope[v] = i;
            r = self.each(rest, scope, f);
            if r.is_err() {
                break;
            }
        }
        scope[v] = outer;
        r
    }

    /// Asks for an array of that many numbers, and gives its length.
    fn array(&self, sizes: &[usize]) -> Eval<usize> {
        let length = sizes.iter().fold(1usize, |n, size| n.saturating_mul(*size));
        self.meter.hold(VALUES, (length as u64).saturating_mul(size_of::<N>() as u64))?;
        Ok(length)
    }

    /// Asks for what a number of an array takes beside its place.
    fn kept(&self, value: N) -> Eval<N> {
        self.meter.hold(VALUES, value.bytes().saturating_sub(size_of::<N>() as u64))?;
        Ok(value)
    }

    /// A boundary is met.
    fn at_boundary(&self, what: &'static str) -> Eval<()> {
        match self.boundary {
            Boundary::Ignore => {}
            Boundary::Unknown => return Err(EvalError::Unknown(what)),
            Boundary::Note => self.met.set(self.met.get() + 1),
        }
        Ok(())
    }

    /// Writes down what the element met.
    fn note(&self, tensor: Tensor, at: usize) {
        let times = self.met.take();
        if times > 0 {
            self.found.borrow_mut().push(Met { tensor, at, times });
        }
    }

    fn local(&self, local: &Local, tensor: Tensor) -> Eval<Vec<N>> {
        let sizes: Vec<usize> = local.vars.iter().map(|v| self.shapes.variables[v.0 as usize]).collect();
        let mut out = Vec::with_capacity(self.array(&sizes)?);
        self.each(&local.vars, &mut self.scope(), &mut |scope| {
            out.push(self.kept(self.eval(&local.value, scope)?)?);
            self.note(tensor, out.len() - 1);
            Ok(())
        })?;
        Ok(out)
    }

    fn defined(&self, defined: &Defined, tensor: Tensor) -> Eval<Vec<N>> {
        let sizes: Vec<usize> = defined.tensor.axes.iter().map(|d| self.point.sizes[d.0 as usize]).collect();
        let mut out = vec![self.numbers.zero.clone(); self.array(&sizes)?];
        for clause in &defined.clauses {
            self.clause(clause, tensor, &sizes, &mut out)?;
        }
        Ok(out)
    }

    fn clause(&self, clause: &Clause, tensor: Tensor, sizes: &[usize], out: &mut [N]) -> Eval<()> {
        self.each(&clause.vars, &mut self.scope(), &mut |scope| {
            let value = self.eval(&clause.value, scope)?;
            if let Some(at) = self.position(&clause.at, sizes, scope)? {
                out[at] = self.kept(value)?;
                self.note(tensor, at);
            }
            self.met.set(0);
            Ok(())
        })
    }

    /// The flat position; `None` if an index is undefined.
    fn position(&self, at: &[Index], sizes: &[usize], scope: &Scope) -> Eval<Option<usize>> {
        let mut flat = 0;
        for (i, n) in at.iter().zip(sizes) {
            match self.index(i, scope)? {
                Some(k) => flat = flat * n + k,
                None => return Ok(None),
            }
        }
        Ok(Some(flat))
    }

    fn index(&self, i: &Index, scope: &Scope) -> Eval<Option<usize>> {
        self.meter.spend(EVALUATION, INDEX)?;
        match i {
            Index::Variable(v) => match scope.get(v.0 as usize) {
                Some(k) if *k != OUT_OF_SCOPE => Ok(Some(*k)),
                _ => Err(EvalError::Mismatch("an index variable is not in scope".into())),
            },
            Index::Map(m, args) => {
                let m = m.0 as usize;
                Ok(self.position(args, &self.shapes.maps[m], scope)?.and_then(|k| self.point.maps[m][k]))
            }
        }
    }

    /// Asks for work.
    fn work(&self, work: u64) -> Eval<()> {
        Ok(self.meter.spend(EVALUATION, work)?)
    }

    /// A number that an operation is done on.
    fn one(&self, a: &Expr, cost: fn(&N) -> u64, scope: &mut Scope) -> Eval<N> {
        let a = self.eval(a, scope)?;
        self.work(cost(&a))?;
        Ok(a)
    }

    /// Two numbers that an operation is done on: each may be of any length.
    fn two(&self, a: &Expr, b: &Expr, scope: &mut Scope) -> Eval<(N, N)> {
        let (a, b) = (self.eval(a, scope)?, self.eval(b, scope)?);
        self.work(a.cost_with(&b))?;
        Ok((a, b))
    }

    fn eval(&self, e: &Expr, scope: &mut Scope) -> Eval<N> {
        self.work(NODE)?;
        let value = self.eval_within(e, scope)?;
        // One over what overflowed is no zero, and a comparison with it no answer: a NaN takes part in nothing.
        Ok(if value.is_finite() { value } else { value.add(&value.add(&value.neg())) })
    }

    fn eval_within(&self, e: &Expr, scope: &mut Scope) -> Eval<N> {
        let zero = || self.numbers.zero.clone();
        let one = || self.numbers.one.clone();
        Ok(match &e.kind {
            ExprKind::Number(q) => {
                self.work((q.numer().bits() + q.denom().bits()) / 8)?;
                N::rational(q)
            }
            ExprKind::Param(p) => self.point.params[p.0 as usize].clone(),
            ExprKind::Size(d) => self.numbers.sizes[d.0 as usize].clone(),
            ExprKind::Access(t, at) => {
                let data = match t {
                    Tensor::Input(i) => self.point.inputs.get(*i as usize),
                    Tensor::Constant(i) => self.point.constants.get(*i as usize),
                    Tensor::Local(i) => self.forward.locals.get(*i as usize),
                    Tensor::Output(i) => self.forward.outputs.get(*i as usize),
                    Tensor::Cotangent(i) => self.cotangents.get(*i as usize),
                    Tensor::BackwardLocal(i) => self.backward_locals.get(*i as usize),
                };
                match self.position(at, self.shapes.tensor(*t), scope)? {
                    None => zero(),
                    Some(k) => {
                        let value = data.and_then(|d| d.get(k));
                        let missing = || EvalError::Mismatch("a tensor is not there yet or too short".into());
                        let value = value.ok_or_else(missing)?;
                        self.work(value.bytes() / 8)?;
                        value.clone()
                    }
                }
            }
            ExprKind::Neg(a) => self.one(a, N::cost, scope)?.neg(),
            ExprKind::Add(a, b) => {
                let (a, b) = self.two(a, b, scope)?;
                a.add(&b)
            }
            ExprKind::Sub(a, b) => {
                let (a, b) = self.two(a, b, scope)?;
                a.add(&b.neg())
            }
            ExprKind::Mul(a, b) => {
                let (a, b) = self.two(a, b, scope)?;
                a.mul(&b)
            }
            ExprKind::Div(a, b) => {
                let (a, b) = self.two(a, b, scope)?;
                a.over(&b)?
            }
            ExprKind::Pow(a, k) => {
                // As `powi`, but a power that grows too large is given up on the way.
                let a = self.eval(a, scope)?;
                let p = a.power(k.unsigned_abs(), &mut |p| self.work(p.cost_with(&a)))?;
                if *k < 0 && p.is_finite() { p.recip()? } else { p }
            }
            ExprKind::Call(f, a) => {
                let a = self.one(a, N::cost_of_call, scope)?;
                if self.boundary != Boundary::Ignore && *f == Function::Round {
                    // A jump: the double is an odd integer.
                    let twice = a.add(&a);
                    let odd = twice.call(Function::Round)?.add(&twice.neg()).sign() == Some(Ordering::Equal)
                        && a.call(Function::Round)?.add(&a.neg()).sign() != Some(Ordering::Equal);
                    if odd {
                        self.at_boundary("a jump")?;
                    }
                }
                // A jump: it is an integer.
                if self.boundary != Boundary::Ignore
                    && *f == Function::Floor
                    && a.call(Function::Floor)?.add(&a.neg()).sign() == Some(Ordering::Equal)
                {
                    self.at_boundary("a jump")?;
                }
                a.call(*f)?
            }
            ExprKind::Sum(vars, body) => {
                let mut total = zero();
                self.each(vars, scope, &mut |scope| {
                    let term = self.eval(body, scope)?;
                    self.work(total.cost_with(&term))?;
                    total = total.add(&term);
                    Ok(())
                })?;
                total
            }
            ExprKind::Max(vars, body) => {
                let mut best: Vec<N> = Vec::new();
                let mut there = scope.to_vec();
                let mut tied = false;
                self.each(vars, scope, &mut |scope| {
                    let v = self.eval(body, scope)?;
                    if let Some(b) = best.first() {
                        self.work(b.cost_with(&v))?;
                    }
                    let order = match best.first() {
                        None => Ordering::Greater,
                        Some(b) => match v.add(&b.neg()).sign() {
                            Some(order @ (Ordering::Greater | Ordering::Less)) => order,
                            // A NaN is the result, wherever it stands.
                            None if !(v.is_finite() && b.is_finite()) => {
                                if v.sign().is_none() {
                                    Ordering::Greater
                                } else {
                                    Ordering::Less
                                }
                            }
                            // One function of the inputs, met twice: no boundary.
                            _ if self.same((body, scope), (body, &there)) => Ordering::Equal,
                            Some(order) => {
                                tied = true;
                                order
                            }
                            None => return Err(EvalError::Unknown("which is larger")),
                        },
                    };
                    match order {
                        Ordering::Less => {}
                        Ordering::Equal => best.push(v),
                        Ordering::Greater => {
                            // Ties below it are none.
                            tied = false;
                            best = vec![v];
                            there.copy_from_slice(scope);
                        }
                    }
                    Ok(())
                })?;
                if best.is_empty() {
                    return Err(EvalError::Mismatch("a maximum over nothing".into()));
                }
                if tied {
                    self.at_boundary("a tie")?;
                }
                N::tied(&best)
            }
            ExprKind::Equal(a, b) => match (self.index(a, scope)?, self.index(b, scope)?) {
                (Some(a), Some(b)) if a == b => one(),
                _ => zero(),
            },
            ExprKind::If { comparison, left, right, then, otherwise } => {
                let (l, r) = self.two(left, right, scope)?;
                let d = l.add(&r.neg());
                let sign = match d.sign() {
                    // No branch is taken for what is no number, so that none hides it.
                    None if !d.is_finite() => return Ok(d),
                    Some(sign @ (Ordering::Less | Ordering::Greater)) => sign,
                    // Equal whatever the inputs near this point: no boundary.
                    _ if self.coincide(left, right, scope) => Ordering::Equal,
                    Some(sign) => {
                        self.at_boundary("a boundary")?;
                        sign
                    }
                    None => return Err(EvalError::Unknown("which side of an `if`")),
                };
                let holds = match comparison {
                    Comparison::Greater => sign == Ordering::Greater,
                    Comparison::GreaterOrEqual => sign != Ordering::Less,
                };
                self.eval(if holds { then } else { otherwise }, scope)?
            }
        })
    }

    /// Whether two sides that are equal here are equal for all inputs, as far as their form tells: then
    /// the comparison has no boundary here. A mask that is zero, two reads of one coordinate.
    fn coincide(&self, left: &Expr, right: &Expr, scope: &Scope) -> bool {
        if self.same((left, scope), (right, scope)) {
            return true;
        }
        match &left.kind {
            // `abs(a - b)` compares the difference with zero.
            ExprKind::Sub(a, b) if matches!(&right.kind, ExprKind::Number(q) if q.is_zero()) => {
                self.same((a, scope), (b, scope))
            }
            _ => self.value(left, scope).is_some_and(|l| {
                self.value(right, scope).is_some_and(|r| l.add(&r.neg()).sign() == Some(Ordering::Equal))
            }),
        }
    }

    /// The value of what does not depend on the inputs.
    fn value(&self, e: &Expr, scope: &Scope) -> Option<N> {
        self.still(e, scope).then(|| self.eval(e, &mut scope.to_vec()).ok()).flatten()
    }

    /// A node of a form was looked at: past the budget, the next that asks for work hears of it.
    fn looked(&self) {
        let _ = self.meter.spend(EVALUATION, INDEX);
    }

    /// Whether it reads constants, parameters and undefined points only.
    fn still(&self, e: &Expr, scope: &Scope) -> bool {
        self.looked();
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Param(_) | ExprKind::Size(_) | ExprKind::Equal(..) => true,
            ExprKind::Access(Tensor::Constant(_), _) => true,
            ExprKind::Access(t, at) => self.place(*t, at, scope) == Some(None),
            ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Call(_, a) => self.still(a, scope),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Div(a, b) => {
                self.still(a, scope) && self.still(b, scope)
            }
            ExprKind::Sum(..) | ExprKind::Max(..) | ExprKind::If { .. } => false,
        }
    }

    /// Whether two expressions, each in its scope, are one function of the inputs by their form.
    fn same(&self, (a, here): (&Expr, &Scope), (b, there): (&Expr, &Scope)) -> bool {
        self.looked();
        let both = |a: &Expr, b: &Expr| self.same((a, here), (b, there));
        match (&a.kind, &b.kind) {
            (ExprKind::Number(p), ExprKind::Number(q)) => p == q,
            (ExprKind::Param(p), ExprKind::Param(q)) => p == q,
            (ExprKind::Size(m), ExprKind::Size(n)) => m == n,
            (ExprKind::Access(t, p), ExprKind::Access(u, q)) => {
                match (self.place(*t, p, here), self.place(*u, q, there)) {
                    (Some(Some(p)), Some(Some(q))) => t == u && p == q,
                    (Some(None), Some(None)) => true,
                    _ => false,
                }
            }
            (ExprKind::Neg(a), ExprKind::Neg(b)) => both(a, b),
            (ExprKind::Pow(a, j), ExprKind::Pow(b, k)) => j == k && both(a, b),
            (ExprKind::Call(f, a), ExprKind::Call(g, b)) => f == g && both(a, b),
            (ExprKind::Add(a, c), ExprKind::Add(b, d))
            | (ExprKind::Sub(a, c), ExprKind::Sub(b, d))
            | (ExprKind::Mul(a, c), ExprKind::Mul(b, d))
            | (ExprKind::Div(a, c), ExprKind::Div(b, d)) => both(a, b) && both(c, d),
            _ => false,
        }
    }

    /// Where a read falls: `Some(None)` at an undefined point.
    fn place(&self, t: Tensor, at: &[Index], scope: &Scope) -> Option<Option<usize>> {
        self.position(at, self.shapes.tensor(t), scope).ok()
    }
}
