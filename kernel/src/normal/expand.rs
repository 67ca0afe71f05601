//! Functions written with others: what a difference is looked at with when its terms alone don't cancel.

use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive};

use super::rules::{Normal, Rules};
use super::term::{Atom, Mono, Poly};
use crate::Rational;
use crate::statement::Function;

/// A multiple of an angle that is written with the angle, at most.
const MAX_MULTIPLE: i64 = 16;
/// Terms of an angle, at most.
const MAX_ANGLES: usize = 4;
/// Parts that an angle is divided into, at most.
const MAX_PARTS: i64 = 64;

/// How functions are written with others: `tanh` with exponentials, `sin` and `cos` of a sum with those of its
/// terms, each term a multiple of one that is divided into so many parts.
#[derive(Clone, Copy)]
pub(super) struct Expansion {
    parts: i64,
}

impl Expansion {
    /// What a sum asks for: the least parts of which all its angles are multiples. `None` if it has no such function.
    pub(super) fn of(p: &Poly) -> Option<Expansion> {
        let mut parts = Some(1i64);
        let found = p.contains(&mut |a| {
            if let Atom::Call(Function::Sin | Function::Cos, angle) = a {
                for c in angle.terms.values() {
                    let denominator = c.denom().to_i64().filter(|d| *d <= MAX_PARTS);
                    parts = parts.zip(denominator).map(|(p, d)| p.lcm(&d)).filter(|p| *p <= MAX_PARTS);
                }
            }
            false
        });
        debug_assert!(!found);
        let expands = p.contains(&mut |a| matches!(a, Atom::Call(Function::Tanh | Function::Sin | Function::Cos, _)));
        expands.then(|| Expansion { parts: parts.unwrap_or(1) })
    }
}

impl Rules<'_> {
    /// The terms of an angle as multiples of their parts; `None` where one is no small multiple.
    pub(super) fn multiples(&self, angle: &Poly, by: Expansion) -> Option<Vec<(Mono, Rational, i64)>> {
        let part = Rational::new(One::one(), by.parts.into());
        let multiple = |(m, c): (&Mono, &Rational)| {
            let n = (c / &part).is_integer().then(|| (c / &part).to_integer().to_i64()).flatten()?;
            (n.abs() <= MAX_MULTIPLE).then(|| (m.clone(), part.clone(), n))
        };
        let angles: Vec<_> = angle.terms.iter().map(multiple).collect::<Option<_>>()?;
        (!angles.is_empty() && angles.len() <= MAX_ANGLES).then_some(angles)
    }

    /// Sine and cosine of a sum of multiples, by `sin(a + b) = sin a cos b + cos a sin b` and
    /// `cos(a + b) = cos a cos b - sin a sin b`.
    pub(super) fn circular(&mut self, angles: &[(Mono, Rational, i64)]) -> Normal<(Poly, Poly)> {
        let (mut sine, mut cosine) = (Poly::zero(), Poly::constant(Rational::one()));
        for (m, part, n) in angles {
            let mut angle = Poly::zero();
            angle.add_term(m.clone(), part.clone());
            let s = plain(Function::Sin, &angle).scaled(&Rational::from_integer(n.signum().into()));
            let c = plain(Function::Cos, &angle);
            for _ in 0..n.abs() {
                let next = {
                    let (a, b) = (self.mul(&sine, &c)?, self.mul(&cosine, &s)?);
                    self.add(&a, &b)
                };
                let (a, b) = (self.mul(&cosine, &c)?, self.mul(&sine, &s)?);
                cosine = self.sub(&a, &b);
                sine = next;
            }
        }
        Ok((sine, cosine))
    }
}

/// A function of an angle that is looked at no further.
fn plain(f: Function, angle: &Poly) -> Poly {
    debug_assert!(angle.leading().is_some_and(Signed::is_positive));
    let mut m = Mono::default();
    m.factors.push((Atom::Call(f, std::rc::Rc::new(angle.clone())), One::one()));
    let mut out = Poly::zero();
    out.add_term(m, Rational::one());
    out
}
