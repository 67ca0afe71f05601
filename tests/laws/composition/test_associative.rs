//! ```text
//!        ┌─────────┐                     ┌─────────┐
//!        │ f ── g ─┼─ h ──   =   ── f ───┼─ g ── h │
//!        └─────────┘                     └─────────┘
//!         ((r,  s),  t)      ~     (r,  (s,   t))
//! ```

use proptest::prelude::*;
use pullback::laws::associative;
use pullback::{Contract, ContractExt, Cotangent, Declared, DomainError, Unproved};

use crate::strategy::{few, point};
use crate::toys::{Q, Toy, V, affine, breaks, ints, running, square, total};

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_then(x in point::<Q, V>(), u in point::<Q, V>(), w in point::<Q, _>()) {
        let (f, g, h) = (square::<Q>(), running::<Q>(), affine::<Q>());
        associative::<Q, _, _, _, _, _>(&f.then(g).then(h), &f.then(g.then(h)), &x, &u)?;
        associative::<Q, _, _, _, _, _>(&h.then(f).then(total()), &h.then(f.then(total())), &x, &w)?;
    }
}

/// Nested to the right, and wrong in one way.
struct Wrong {
    saves_the_input_twice: bool,
}

type Step = Toy<Q, V, V>;

fn steps() -> (Step, Step, Step) {
    (square(), affine(), running())
}

impl Contract for Wrong {
    type Input = V;
    type Output = V;
    type Residual = (V, (V, V));
    type Evidence = Declared<Unproved>;
    fn forward(&self, input: V) -> Result<(V, Self::Residual), DomainError> {
        let (f, g, h) = steps();
        let (output, (r, (s, t))) = f.then(g.then(h)).forward(input)?;
        // The rules of `affine` and `running` do not look at their residuals, so only the law on residuals sees this.
        let s = if self.saves_the_input_twice { r.clone() } else { s };
        Ok((output, (r, (s, t))))
    }
    fn pullback(&self, (r, (s, t)): &Self::Residual, seed: Cotangent<V>) -> Cotangent<V> {
        let (f, g, h) = steps();
        if self.saves_the_input_twice {
            return f.then(g.then(h)).pullback(&(r.clone(), (s.clone(), t.clone())), seed);
        }
        // In the order of the forward function.
        h.pullback(t, g.pullback(s, f.pullback(r, seed)))
    }
}

#[test]
fn rejects_the_order_of_the_forward_function() {
    let (f, g, h) = steps();
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 3, 9]));
    let wrong = Wrong { saves_the_input_twice: false };
    breaks("associative", associative::<Q, _, _, _, _, _>(&f.then(g).then(h), &wrong, &x, &u));
}

#[test]
fn rejects_another_residual() {
    let (f, g, h) = steps();
    let (x, u) = (ints(&[1, 2, 3]), ints(&[1, 3, 9]));
    let wrong = Wrong { saves_the_input_twice: true };
    let violation = breaks("associative", associative::<Q, _, _, _, _, _>(&f.then(g).then(h), &wrong, &x, &u));
    assert!(violation.to_string().contains("the residual of the first"), "{violation}");
    // The second residual starts after the three coordinates of the first, and 1² is 1.
    assert_eq!(violation.index(), Some(4));
}
