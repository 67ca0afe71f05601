//! ```text
//!        x ── F ──   =   x ── F ──     on another day
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use pullback::laws::deterministic;
use pullback::{Contract, Cotangent, Declared, DomainError, Scalar, Unproved};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, running, scale};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds(((x, u), _) in points::<V, V>()) {
        deterministic::<Q, _>(&running(), &x, &u)?;
    }

    #[test]
    fn holds_for_two_arguments(((x, u), _) in points::<(V, V), V>()) {
        deterministic::<Q, _>(&scale(), &x, &u)?;
    }
}

/// Dropout with a hidden state: each run masks another element, in the value or in the residual alone.
struct Dropping {
    runs: AtomicUsize,
    in_value: bool,
}

impl Contract for Dropping {
    type Input = V;
    type Output = V;
    type Residual = V;
    type Evidence = Declared<Unproved>;
    fn forward(&self, input: V) -> Result<(V, V), DomainError> {
        let dropped = self.runs.fetch_add(1, Ordering::Relaxed) % 3;
        let mask = V::from_fn(|index| if index == dropped { Q::zero() } else { Q::one() });
        let output = if self.in_value { mask.zip_map(&input, |m: Q, x: Q| m * x) } else { input };
        Ok((output, mask))
    }
    fn pullback(&self, mask: &V, seed: Cotangent<V>) -> Cotangent<V> {
        Cotangent::new(mask.zip_map(seed.as_inner(), |m: Q, u: Q| m * u))
    }
}

#[test]
fn rejects_a_hidden_random_state() {
    let x = ints(&[1, 2, 3]);
    let value = breaks("deterministic", deterministic::<Q, _>(&dropping(true), &x, &x));
    assert!(value.to_string().contains("f(x) again"));
    let residual = breaks("deterministic", deterministic::<Q, _>(&dropping(false), &x, &x));
    assert!(residual.to_string().contains("of the second run"));
}

fn dropping(in_value: bool) -> Dropping {
    Dropping { runs: AtomicUsize::new(0), in_value }
}
