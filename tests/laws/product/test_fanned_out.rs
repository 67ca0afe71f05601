//! ```text
//!           ┌── f ──            u ── K_f ─┐
//!        x ─●                             + ──
//!           └── g ──            w ── K_g ─┘
//! ```

use proptest::prelude::*;
use pullback::laws::fanned_out;
use pullback::{Contract, ContractExt, Cotangent, Declared, DomainError, Unproved};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, S, Toy, V, breaks, ints, running, square, total};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_fan_out((x, u) in points::<V, (V, V)>()) {
        let (f, g) = (square::<Q>(), running::<Q>());
        fanned_out::<Q, _, _, _>(&f, &g, &f.fan_out(g), &x, &u)?;
    }

    #[test]
    fn holds_for_outputs_of_two_shapes((x, u) in points::<V, (S, V)>()) {
        let (f, g) = (total::<Q>(), square::<Q>());
        fanned_out::<Q, _, _, _>(&f, &g, &f.fan_out(g), &x, &u)?;
    }
}

/// `x² + x` of the seed, where the second contribution overwrites the first.
struct Overwrites;

impl Contract for Overwrites {
    type Input = V;
    type Output = (V, V);
    type Residual = V;
    type Evidence = Declared<Unproved>;
    fn forward(&self, input: V) -> Result<((V, V), V), DomainError> {
        let (output, residual) = square::<Q>().forward(input.clone())?;
        Ok(((output, input), residual))
    }
    fn pullback(&self, residual: &V, seed: Cotangent<(V, V)>) -> Cotangent<V> {
        let (square_seed, direct_seed) = seed.split();
        let mut pulled = square::<Q>().pullback(residual, square_seed);
        if direct_seed.as_inner().as_slice().len() == 3 {
            pulled = direct_seed;
        }
        pulled
    }
}

#[test]
fn rejects_a_contribution_that_overwrites() {
    let direct: Toy<Q, V, V> = crate::toys::toy(|x| x.to_vec(), |_, u| u.to_vec());
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 1, 1, 2, 2, 2]));
    breaks("fanned_out", fanned_out::<Q, _, _, _>(&square(), &direct, &Overwrites, &x, &u));
}
