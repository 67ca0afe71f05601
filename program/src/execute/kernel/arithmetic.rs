//! The functions of the bytecode on numbers, and side by side on slices.

use pullback_kernel::statement::{Function, Sign};
use pullback_scalar::Real;
use pullback_schedule::Reduction;

use super::nest::{Binary, Requirement, Unary};

/// An operand of a step over lanes.
#[derive(Clone, Copy)]
pub(crate) enum Side<'a, T> {
    /// One number for each lane.
    Lanes(&'a [T]),
    /// One number for all.
    All(&'a T),
}

impl<T> Side<'_, T> {
    /// The number for a lane.
    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> &T {
        match self {
            Side::Lanes(lanes) => &lanes[lane],
            Side::All(one) => one,
        }
    }
}

/// A function of the language.
#[inline(always)]
pub(crate) fn call<T: Real>(f: Function, a: T) -> T {
    match f {
        Function::Exp => a.exp(),
        Function::Tanh => a.tanh(),
        Function::Recip => a.recip(),
        Function::Rsqrt => a.rsqrt(),
        Function::Sqrt => a.sqrt(),
        Function::Log => a.log(),
        Function::Sin => a.sin(),
        Function::Cos => a.cos(),
        Function::Erf => a.erf(),
        Function::Erfc => a.erfc(),
        Function::Atan => a.atan(),
        Function::Log1p => a.log1p(),
        Function::Expm1 => a.expm1(),
        Function::Round => a.round(),
        Function::Floor => a.floor(),
    }
}

/// A function of one number.
#[inline(always)]
pub(crate) fn unary<T: Real>(op: Unary, a: T) -> T {
    match op {
        Unary::Neg => -a,
        Unary::Call(f) => call(f, a),
        Unary::Sound => sound(a),
    }
}

/// The number itself; a NaN where it is not finite.
#[inline(always)]
pub(crate) fn sound<T: Real>(a: T) -> T {
    // Zero, or a NaN; minus, so that minus zero stays.
    a.clone() - (a.clone() - a)
}

/// Whether it is a NaN.
#[inline(always)]
pub(crate) fn is_nan<T: Real>(a: &T) -> bool {
    let again = a.clone();
    *a != again
}

/// A function of two numbers.
#[inline(always)]
pub(crate) fn binary<T: Real>(op: Binary, a: T, b: T) -> T {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
    }
}

/// `then` where left is greater than right, or, not strict, equal to it; `otherwise` where not, and a NaN where nobody can say.
#[inline(always)]
pub(crate) fn choose<T: Real>(strict: bool, left: T, right: T, then: T, otherwise: T) -> T {
    let difference = left - right;
    let taken = if difference.is_positive() || !strict && difference.is_zero() { then } else { otherwise };
    if is_nan(&difference) { difference } else { taken }
}

/// Whether a condition holds. One on the sign of a NaN does not fail: what is no number is another matter, and asked for by itself.
#[inline(always)]
pub(crate) fn holds<T: Real>(required: Requirement, a: &T) -> bool {
    match required {
        Requirement::Sign(Sign::Positive) => !(a.is_zero() || (-a.clone()).is_positive()),
        Requirement::Sign(Sign::NonNegative) => !(-a.clone()).is_positive(),
        Requirement::Sign(Sign::NonZero) => !a.is_zero(),
        Requirement::Finite => (a.clone() - a.clone()).is_zero(),
    }
}

/// How many sums run side by side where numbers are looked at.
const SUMS: usize = 16;

/// The first number for which a condition does not hold. All are asked before any is looked for: side by side.
pub(crate) fn first_failure<T: Real>(required: Requirement, lanes: &[T]) -> Option<usize> {
    let all = match required {
        Requirement::Finite => {
            // Zero unless one of them is not finite: then a NaN.
            let add = |sum: T, a: &T| sum + (a.clone() - a.clone());
            let (whole, rest) = lanes.as_chunks::<SUMS>();
            let mut nothing = rest.iter().fold(T::zero(), add);
            if !whole.is_empty() {
                // Several sums, so that none waits for another.
                let mut sums: [T; SUMS] = std::array::from_fn(|_| T::zero());
                for chunk in whole {
                    sums.iter_mut().zip(chunk).for_each(|(sum, a)| *sum = add(sum.clone(), a));
                }
                nothing = sums.into_iter().fold(nothing, |sum, a| sum + a);
            }
            nothing.is_zero()
        }
        Requirement::Sign(_) => lanes.iter().fold(true, |all, a| all & holds(required, a)),
    };
    if all { None } else { lanes.iter().position(|a| !holds(required, a)) }
}

/// Brings a number into an accumulator.
#[inline(always)]
pub(crate) fn fold<T: Real>(how: Reduction, acc: T, a: T) -> T {
    match how {
        Reduction::Sum => acc + a,
        Reduction::Max => acc.maximum(a),
    }
}

#[inline(always)]
fn each<T: Real>(dst: &mut [T], a: &[T], f: impl Fn(T) -> T) {
    for (dst, a) in dst.iter_mut().zip(a) {
        *dst = f(a.clone());
    }
}

#[inline(always)]
fn pairs<T: Real>(dst: &mut [T], a: Side<'_, T>, b: Side<'_, T>, f: impl Fn(T, T) -> T) {
    match (a, b) {
        (Side::Lanes(a), Side::Lanes(b)) => {
            for ((dst, a), b) in dst.iter_mut().zip(a).zip(b) {
                *dst = f(a.clone(), b.clone());
            }
        }
        (Side::Lanes(a), Side::All(b)) => each(dst, a, |a| f(a, b.clone())),
        (Side::All(a), Side::Lanes(b)) => each(dst, b, |b| f(a.clone(), b)),
        (Side::All(a), Side::All(b)) => dst.fill(f(a.clone(), b.clone())),
    }
}

/// [`unary`] side by side.
pub(crate) fn unary_lanes<T: Real>(op: Unary, dst: &mut [T], a: &[T]) {
    match op {
        Unary::Neg => each(dst, a, |a| -a),
        // One loop a function, without a choice in it.
        Unary::Call(f) => match f {
            Function::Exp => each(dst, a, T::exp),
            Function::Tanh => each(dst, a, T::tanh),
            Function::Recip => each(dst, a, T::recip),
            Function::Rsqrt => each(dst, a, T::rsqrt),
            Function::Sqrt => each(dst, a, T::sqrt),
            Function::Log => each(dst, a, T::log),
            Function::Sin => each(dst, a, T::sin),
            Function::Cos => each(dst, a, T::cos),
            Function::Erf => each(dst, a, T::erf),
            Function::Erfc => each(dst, a, T::erfc),
            Function::Atan => each(dst, a, T::atan),
            Function::Log1p => each(dst, a, T::log1p),
            Function::Expm1 => each(dst, a, T::expm1),
            Function::Round => each(dst, a, T::round),
            Function::Floor => each(dst, a, T::floor),
        },
        Unary::Sound => each(dst, a, sound),
    }
}

/// [`binary`] side by side.
pub(crate) fn binary_lanes<T: Real>(op: Binary, dst: &mut [T], a: Side<'_, T>, b: Side<'_, T>) {
    match op {
        Binary::Add => pairs(dst, a, b, |a, b| a + b),
        Binary::Sub => pairs(dst, a, b, |a, b| a - b),
        Binary::Mul => pairs(dst, a, b, |a, b| a * b),
        Binary::Div => pairs(dst, a, b, |a, b| a / b),
    }
}

/// The choice side by side: both branches are there, and one is taken.
pub(crate) fn choose_lanes<T: Real>(strict: bool, dst: &mut [T], parts: [&[T]; 4]) {
    let [left, right, then, otherwise] = parts;
    let sides = left.iter().zip(right).zip(then.iter().zip(otherwise));
    for (dst, ((l, r), (t, o))) in dst.iter_mut().zip(sides) {
        *dst = choose(strict, l.clone(), r.clone(), t.clone(), o.clone());
    }
}

/// [`fold`] side by side.
pub(crate) fn fold_lanes<T: Real>(how: Reduction, acc: &mut [T], a: Side<'_, T>) {
    match (how, a) {
        (Reduction::Sum, Side::Lanes(a)) => acc.iter_mut().zip(a).for_each(|(acc, a)| acc.accumulate(a.clone())),
        (Reduction::Sum, Side::All(a)) => acc.iter_mut().for_each(|acc| acc.accumulate(a.clone())),
        (Reduction::Max, Side::Lanes(a)) => {
            acc.iter_mut().zip(a).for_each(|(acc, a)| *acc = acc.clone().maximum(a.clone()));
        }
        (Reduction::Max, Side::All(a)) => acc.iter_mut().for_each(|acc| *acc = acc.clone().maximum(a.clone())),
    }
}

/// All lanes brought together, the upper half into the lower until one is left: an order that depends on their number only.
pub(crate) fn combine<T: Real>(how: Reduction, lanes: &mut [T]) -> Option<&T> {
    let mut left = lanes.len();
    while left > 1 {
        let half = left.div_ceil(2);
        let (low, high) = lanes[..left].split_at_mut(half);
        fold_lanes(how, &mut low[..left - half], Side::Lanes(high));
        left = half;
    }
    lanes.first()
}
