//! ```text
//!        x ── f̂ ──   ≈   x ── f ──
//! ```

use proptest::prelude::*;
use pullback::laws::{adjoint, rounded};
use pullback::{Dual, Scalar};

use super::strategy::both;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, each, running, square, toy};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_singles(x in both::<f32>(), u in both::<f32>()) {
        let (inputs, seeds) = ((&x.rounded, &x.exact), (&u.rounded, &u.exact));
        rounded::<f32, Q, _, _>(&square(), &square(), inputs, seeds)?;
        rounded::<f32, Q, _, _>(&running(), &running(), inputs, seeds)?;
    }

    #[test]
    fn holds_for_doubles(x in both::<f64>(), u in both::<f64>()) {
        let (inputs, seeds) = ((&x.rounded, &x.exact), (&u.rounded, &u.exact));
        rounded::<f64, Q, _, _>(&square(), &square(), inputs, seeds)?;
    }

    /// A constant that was cut short: to its own derivative the float is as good as ever.
    #[test]
    fn rejects_a_constant_cut_short(x in both::<f64>(), u in both::<f64>()) {
        fn third<T: Scalar>(cut: bool) -> crate::toys::Toy<T, V<T>, V<T>> {
            if cut {
                toy(|x| each(x, x, |x, _| T::from_ratio(333, 1000) * x), |_, u| each(u, u, |u, _| T::from_ratio(333, 1000) * u))
            } else {
                toy(|x| each(x, x, |x, _| T::from_ratio(1, 3) * x), |_, u| each(u, u, |u, _| T::from_ratio(1, 3) * u))
            }
        }
        adjoint::<f64, _, _>(&third(true), &third::<Dual<f64>>(true), &x.rounded, &u.rounded, &x.rounded)?;
        let (inputs, seeds) = ((&x.rounded, &x.exact), (&u.rounded, &u.exact));
        breaks("rounded", rounded::<f64, Q, _, _>(&third(true), &third(false), inputs, seeds));
    }
}

/// A rule that overflows gives no number, and no tolerance passes it.
#[test]
fn rejects_what_is_not_finite() {
    let wrong = toy::<f32, V<f32>, V<f32>>(|x| x.to_vec(), |_, u| u.iter().map(|u| u * 1e30 * 1e30).collect());
    let right = toy::<f64, V<f64>, V<f64>>(|x| x.to_vec(), |_, u| u.to_vec());
    let (x, fine) = (V::full(1.0_f32), V::full(1.0_f64));
    breaks("rounded", rounded::<f32, f64, _, _>(&wrong, &right, (&x, &fine), (&x, &fine)));
}
