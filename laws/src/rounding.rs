//! How much of a number is rounding, as the function that computes it shows by itself.
//!
//! A number that is what is left of much greater ones does not say how inexact it is, but its neighbours do: a smooth function has no differences of high order at small distances, so what is there is rounding.
//! Nothing here may take a jump of the function for rounding: inputs stay on their side of a boundary that they sit on.

use pullback_scalar::{Scalar, SplitMix64};

use crate::approximate::{Approximate, digits};
use crate::trial::times;

/// Numbers at another input, with cotangents that are as close; nothing where that is outside of the domain.
pub(crate) type Again<'a, T> = &'a dyn Fn(&[T], Near) -> Option<Vec<T>>;

/// A cotangent, or one that is close to it.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    steps: i64,
    /// A step is two to the power of minus this.
    power: u32,
}

impl Near {
    /// As it is.
    pub(crate) const HERE: Near = Near { steps: 0, power: 0 };

    /// The cotangent that is so many steps away: each number has a step of its own, so that no two are rounded alike.
    pub(crate) fn of<T: Scalar>(self, u: &[T]) -> Vec<T> {
        if self.steps == 0 {
            return u.to_vec();
        }
        let mut bits = SplitMix64(u.len() as u64);
        let mut near = |u: &T| {
            let share = i64::from((bits.next_u64() >> 48) as u16) + (1 << 16);
            u.clone() + u.clone() * T::from_ratio(self.steps * share, 1 << (17 + self.power))
        };
        u.iter().map(&mut near).collect()
    }

    /// All of an input, so many steps away: one factor for all, so that ties, zeros and signs stay what they are.
    fn of_all<T: Scalar>(self, x: &[T]) -> Vec<T> {
        let factor = T::one() + T::from_ratio(self.steps * 731, 1000 << self.power);
        times(&factor, x)
    }
}

/// By how many units in the last place of the greatest number around a number may be rounded.
pub(crate) const ROUNDINGS: f64 = 64.0;

/// The greatest magnitude in a list.
pub(crate) fn greatest<T: Approximate>(list: &[T]) -> f64 {
    list.iter().fold(0.0, |most, number| f64::max(most, number.to_f64().abs()))
}

/// How large the numbers inside of a rule may be beside its cotangent: as its input, and not below one.
pub(crate) fn beside<T: Approximate>(x: &[T]) -> f64 {
    greatest(x).max(1.0)
}

/// How far two numbers may be apart, in their [`unsteadiness`].
pub(crate) const STEADY: f64 = 8.0;

/// How much of numbers is rounding, as functions of a factor of all of `x`, and of the cotangents, that is close to one; nothing for exact scalars.
///
/// Two spacings, and the larger of what they show: one rounding may be the same at all inputs that are too close to each other.
/// Where one of the inputs sits on a boundary, one side leaves it and the other need not: the smoother side counts.
pub(crate) fn unsteadiness<T: Approximate>(x: &[T], of: Again<'_, T>) -> Vec<f64> {
    let (Some(digits), Some(here)) = (digits::<T>(), of(x, Near::HERE)) else { return vec![] };
    let on_side = |sign: i64| -> Option<Vec<f64>> {
        let mut most = vec![0.0_f64; here.len()];
        for power in [digits / 2 + 3, digits / 4 + 1] {
            let at = |step: i64| {
                let near = Near { steps: sign * step, power };
                of(&near.of_all(x), near)
            };
            let lists: Vec<Vec<T>> = (1..NEIGHBOURS).map(at).collect::<Option<_>>()?;
            for (place, most) in most.iter_mut().enumerate() {
                // The change alone, so that no more is rounded here than there.
                let change =
                    |list: &Vec<T>| list.get(place).map(|there| (there.clone() - here[place].clone()).to_f64());
                let changes: Option<Vec<f64>> = [Some(0.0)].into_iter().chain(lists.iter().map(change)).collect();
                *most = most.max(deviation(changes?));
            }
        }
        Some(most)
    };
    match (on_side(1), on_side(-1)) {
        (Some(above), Some(below)) => above.into_iter().zip(below).map(|(above, below)| above.min(below)).collect(),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => vec![],
    }
}

/// How many values at equal distances [`deviation`] gets.
pub(crate) const NEIGHBOURS: i64 = 8;

/// The standard deviation of what is no smooth function in values at equal distances: what is left of them in differences of high order.
///
/// # Source
///
/// Moré and Wild, *Estimating computational noise*, SIAM Journal on Scientific Computing 33, 2011.
pub(crate) fn deviation(values: Vec<f64>) -> f64 {
    const ORDERS: std::ops::RangeInclusive<usize> = 4..=6;
    let (mut differences, mut most) = (values, 0.0_f64);
    // (k!)² / (2k)!: the inverse of what independent errors of size one add up to in differences of order k.
    let mut share = 1.0;
    for order in 1..=*ORDERS.end() {
        differences = differences.windows(2).map(|two| two[1] - two[0]).collect();
        share *= order as f64 / (2.0 * (2 * order - 1) as f64);
        if ORDERS.contains(&order) {
            let squares: f64 = differences.iter().map(|difference| difference * difference).sum();
            most = most.max((share * squares / differences.len() as f64).sqrt());
        }
    }
    most
}
