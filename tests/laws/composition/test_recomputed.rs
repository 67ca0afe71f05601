//! ```text
//!        x ──●── f ──        u ── K_f ──
//!            │                     r
//!            x                x ── F_f ┘
//! ```

use proptest::prelude::*;
use pullback::laws::recomputed;
use pullback::{Contract, ContractExt, Cotangent, Declared, DomainError, Unproved};

use super::strategy::composable;
use crate::strategy::few;
use crate::toys::{Q, V, breaks, ints, square};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_checkpoint(([f, g], x, u) in composable::<2>()) {
        let f = f.then(g);
        recomputed::<Q, _, _>(&f, &f.clone().checkpoint(), &x, &u)?;
    }
}

/// Saves what its rule does not start from.
struct Wrong {
    saves_the_output: bool,
}

impl Contract for Wrong {
    type Input = V;
    type Output = V;
    type Residual = V;
    type Evidence = Declared<Unproved>;
    fn forward(&self, input: V) -> Result<(V, V), DomainError> {
        let (output, _) = square::<Q>().forward(input.clone())?;
        Ok((output.clone(), if self.saves_the_output { output } else { input.map(|x: Q| -x) }))
    }
    fn pullback(&self, saved: &V, seed: Cotangent<V>) -> Cotangent<V> {
        let input = if self.saves_the_output { saved.clone() } else { saved.map(|x: Q| -x) };
        square::<Q>().pullback(&input, seed)
    }
}

#[test]
fn rejects_a_rule_at_another_point() {
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 3, 9]));
    breaks("recomputed", recomputed::<Q, _, _>(&square(), &Wrong { saves_the_output: true }, &x, &u));
}

/// Right in all but what it saves.
#[test]
fn rejects_another_residual() {
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 3, 9]));
    let violation = breaks("recomputed", recomputed::<Q, _, _>(&square(), &Wrong { saves_the_output: false }, &x, &u));
    assert!(violation.to_string().contains("the residual"), "{violation}");
}
