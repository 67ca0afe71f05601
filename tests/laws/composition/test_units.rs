//! ```text
//!        ── id ── f ──   =   ── f ──   =   ── f ── id ──
//!          ((),   r)    ~       r     ~      (r,   ())
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use pullback::laws::{left_unit, right_unit};
use pullback::{Contract, Cotangent, Declared, DomainError, Scalar, Unproved};

use crate::strategy::{few, point};
use crate::toys::{Q, V, breaks, int, ints, running, scale, square};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn hold(x in point::<Q, V>(), u in point::<Q, V>()) {
        left_unit::<Q, _>(&square(), &x, &u)?;
        right_unit::<Q, _>(&square(), &x, &u)?;
        left_unit::<Q, _>(&running(), &x, &u)?;
        right_unit::<Q, _>(&running(), &x, &u)?;
    }

    #[test]
    fn hold_for_two_arguments(x in point::<Q, (V, V)>(), u in point::<Q, V>()) {
        left_unit::<Q, _>(&scale(), &x, &u)?;
        right_unit::<Q, _>(&scale(), &x, &u)?;
    }
}

/// Composition applies a contract once, and so does the law to each side; one that counts is told apart from itself.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Contract for Counting {
    type Input = V;
    type Output = V;
    type Residual = V;
    type Evidence = Declared<Unproved>;
    fn forward(&self, input: V) -> Result<(V, V), DomainError> {
        let run = int::<Q>(self.0.fetch_add(1, Ordering::Relaxed) as i64);
        Ok((input.map(|x: Q| x * Q::one()), V::full(run)))
    }
    fn pullback(&self, runs: &V, seed: Cotangent<V>) -> Cotangent<V> {
        Cotangent::new(runs.zip_map(seed.as_inner(), |n: Q, u: Q| n * u))
    }
}

#[test]
fn reject_a_contract_that_is_not_itself() {
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 3, 9]));
    breaks("left_unit", left_unit::<Q, _>(&Counting::default(), &x, &u));
    breaks("right_unit", right_unit::<Q, _>(&Counting::default(), &x, &u));
}
