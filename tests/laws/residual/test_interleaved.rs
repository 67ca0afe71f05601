//! ```text
//!        x ── F ──r── K ──   =   x ── F ──r──┄┄┄┄┄┄┄┄┄┄┄┄┄ K ──
//!                                       y ── F ──s── K ──
//! ```

use std::sync::Mutex;

use proptest::prelude::*;
use pullback::laws::{deterministic, interleaved, reusable};
use pullback::{Contract, Cotangent, Declared, DomainError, Space, Unproved};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, running, scale};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds(((x, u), (y, w)) in points::<V, V>()) {
        interleaved::<Q, _>(&running(), &x, &u, &y, &w)?;
    }

    #[test]
    fn holds_for_two_arguments(((x, u), (y, w)) in points::<(V, V), V>()) {
        interleaved::<Q, _>(&scale(), &x, &u, &y, &w)?;
    }
}

/// What it is about `x` that the rule uses lies in storage of its own.
struct Aliasing {
    storage: Mutex<V>,
    /// Whether the backward rule overwrites it.
    consumes: bool,
}

impl Contract for Aliasing {
    type Input = V;
    type Output = V;
    type Residual = ();
    type Evidence = Declared<Unproved>;
    fn forward(&self, input: V) -> Result<(V, ()), DomainError> {
        *self.storage.lock().unwrap() = input.clone();
        Ok((input.map(|x: Q| x.clone() * x), ()))
    }
    fn pullback(&self, (): &(), seed: Cotangent<V>) -> Cotangent<V> {
        let mut storage = self.storage.lock().unwrap();
        let pulled = storage.zip_map(seed.as_inner(), |x: Q, u: Q| (x.clone() + x) * u);
        if self.consumes {
            *storage = V::zero();
        }
        Cotangent::new(pulled)
    }
}

fn aliasing(consumes: bool) -> Aliasing {
    Aliasing { storage: Mutex::new(V::zero()), consumes }
}

/// The stale residual of the seed: same shape, other numbers.
#[test]
fn rejects_storage_that_a_later_run_overwrites() {
    let (x, u, y, w): (V, V, V, V) = (ints(&[1, 2, 3]), ints(&[1, 1, 2]), ints(&[4, 5, 6]), ints(&[1, 0, 0]));
    deterministic::<Q, _>(&aliasing(false), &x, &u).unwrap();
    let violation = breaks("interleaved", interleaved::<Q, _>(&aliasing(false), &x, &u, &y, &w));
    assert!(violation.to_string().contains("K(r, u) after F(y)"), "{violation}");
}

#[test]
fn rejects_a_residual_that_is_used_up() {
    let (x, u): (V, V) = (ints(&[1, 2, 3]), ints(&[1, 1, 2]));
    let violation = breaks("reusable", reusable::<Q, _>(&aliasing(true), &x, &u));
    assert!(violation.to_string().contains("K(r, u) a second time"), "{violation}");
}
