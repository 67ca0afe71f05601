//! Extrapolation of differences to a step of zero, with an estimate of its own error.
//!
//! Differences at steps that halve have an error of powers of the step; Neville's tableau takes one power after the other away.
//! An entry is as good as it is near to the two that it was made from, and the best entry is not the last: smaller steps round more.
//! The estimate is of a function that is smooth as far as the steps reach: a corner among them may go unseen, and whoever can't exclude one compares tableaus of fewer steps or from one side.
//! This module must never choose steps or a tolerance: it says what was found, and how far that may be off.
//!
//! # Source
//!
//! Ridders, *Accurate computation of F′(x) and F′(x)F″(x)*, Advances in Engineering Software 4, 1982.

/// A number, or a list of numbers, that differences are made of.
pub trait Entry: Clone {
    /// `(self · power − before) / (power − 1)`: the entry without the term of the error that shrinks by `power` from `before` to `self`.
    #[must_use]
    fn without(&self, before: &Self, power: f64) -> Self;

    /// How far apart two entries are: of lists, the most of any two numbers.
    ///
    /// What is no number is at no distance below infinity.
    fn distance(&self, other: &Self) -> f64;
}

impl Entry for f64 {
    fn without(&self, before: &Self, power: f64) -> Self {
        (self * power - before) / (power - 1.0)
    }
    fn distance(&self, other: &Self) -> f64 {
        let apart = (self - other).abs();
        if apart.is_nan() { f64::INFINITY } else { apart }
    }
}

impl<E: Entry> Entry for Vec<E> {
    fn without(&self, before: &Self, power: f64) -> Self {
        self.iter().zip(before).map(|(own, before)| own.without(before, power)).collect()
    }
    fn distance(&self, other: &Self) -> f64 {
        self.iter().zip(other).fold(0.0, |most, (a, b)| most.max(a.distance(b)))
    }
}

/// What differences at a step of zero would be, and by how much that may be wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extrapolated<E> {
    /// The entry of the least estimated error.
    pub value: E,
    /// The estimate: the larger distance to the two entries that it was made from, and twice the noise.
    pub error: f64,
}

/// Neville's tableau of differences at steps of which each is half of the one before.
///
/// Central differences have an error of even powers of the step, so that it shrinks by a `factor` of 4, then 16, then 64; one-sided ones have all powers, and a `factor` of 2.
///
/// # Complexity
///
/// Entries linear in the number of differences for each difference; one row is kept.
///
/// # Example
///
/// ```
/// use pullback_scalar::extrapolation::Tableau;
///
/// let mut tableau = Tableau::new(4.0);
/// for step in (3..12).map(|power| 0.5_f64.powi(power)) {
///     let difference = ((1.0 + step).exp() - (1.0 - step).exp()) / (2.0 * step);
///     tableau.push(difference, f64::EPSILON / step);
/// }
/// let found = tableau.best().expect("two differences make an entry");
/// assert!((found.value - 1_f64.exp()).abs() <= found.error && found.error < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Tableau<E> {
    factor: f64,
    /// The last difference, and what was made of it.
    row: Vec<E>,
    best: Option<Extrapolated<E>>,
    /// How far apart the last entries of the last two rows are.
    moved: f64,
}

impl<E: Entry> Tableau<E> {
    /// A tableau without differences: `factor` is 4 for central ones, 2 for one-sided ones.
    #[must_use]
    pub fn new(factor: f64) -> Self {
        Tableau { factor, row: Vec::new(), best: None, moved: 0.0 }
    }

    /// The difference at the next step, and by how much rounding may have moved it; zero, where the numbers have digits to spare.
    pub fn push(&mut self, difference: E, noise: f64) {
        let mut row = Vec::with_capacity(self.row.len() + 1);
        let (mut last, mut power) = (difference, self.factor);
        for before in &self.row {
            let entry = last.without(before, power);
            let error = entry.distance(&last).max(entry.distance(before)) + 2.0 * noise;
            if error.is_finite() && self.best.as_ref().is_none_or(|best| error < best.error) {
                self.best = Some(Extrapolated { value: entry.clone(), error });
            }
            row.push(last);
            last = entry;
            power *= self.factor;
        }
        self.moved = self.row.last().map_or(0.0, |before| before.distance(&last));
        row.push(last);
        self.row = row;
    }

    /// The entry of the least estimated error, the first of several; none before two differences, or where nothing is finite.
    #[must_use]
    pub fn best(&self) -> Option<&Extrapolated<E>> {
        self.best.as_ref()
    }

    /// Whether smaller steps only add rounding: the last row ends further from the one before than twice the best estimate.
    #[must_use]
    pub fn is_past_best(&self) -> bool {
        self.best.as_ref().is_some_and(|best| self.moved >= 2.0 * best.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn central(f: impl Fn(f64) -> f64, at: f64, steps: std::ops::Range<i32>) -> Tableau<f64> {
        let mut tableau = Tableau::new(4.0);
        for step in steps.map(|power| 0.5_f64.powi(power)) {
            tableau.push((f(at + step) - f(at - step)) / (2.0 * step), f64::EPSILON * f(at).abs() / step);
        }
        tableau
    }

    #[test]
    fn a_polynomial_is_found_exactly_and_one_difference_says_nothing() {
        assert_eq!(central(|x| x * x * x, 1.0, 2..3).best(), None);
        // 3x² + h² at the two steps: one extrapolation takes h² away.
        let mut tableau = Tableau::new(4.0);
        tableau.push(3.25, 0.0);
        tableau.push(3.0625, 0.0);
        assert_eq!(tableau.best(), Some(&Extrapolated { value: 3.0, error: 0.25 }));
        tableau.push(3.015_625, 0.0);
        assert_eq!(tableau.best(), Some(&Extrapolated { value: 3.0, error: 0.0 }));
        assert!(tableau.is_past_best());
    }

    #[test]
    fn the_estimate_covers_the_error() {
        let found = central(f64::sin, 0.7, 3..17);
        let best = found.best().expect("an entry");
        assert!((best.value - 0.7_f64.cos()).abs() <= best.error && best.error < 1e-12, "{best:?}");
    }

    #[test]
    fn lists_are_as_good_as_their_worst_number_and_a_nan_is_never_taken() {
        let mut tableau = Tableau::new(2.0);
        tableau.push(vec![1.0, 0.0], 0.0);
        tableau.push(vec![1.0, 1.0], 0.0);
        assert_eq!(tableau.best(), Some(&Extrapolated { value: vec![1.0, 2.0], error: 2.0 }));
        let mut tableau = Tableau::new(2.0);
        tableau.push(vec![1.0, f64::NAN], 0.0);
        tableau.push(vec![1.0, 1.0], 0.0);
        assert_eq!(tableau.best(), None);
        assert!(!tableau.is_past_best());
    }
}
