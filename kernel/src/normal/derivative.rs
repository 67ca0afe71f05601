//! The derivative of a normal form by one coordinate of one tensor.
//!
//! The one place where a derivative of a function is written down for proofs.

use std::rc::Rc;

use num_traits::{One, Zero};

use super::rules::{Normal, Rules, add_exponents};
use super::stuck::Stuck;
use super::term::{Atom, Exponent, Ix, Poly};
use crate::Rational;
use crate::statement::{Function, Tensor};

impl Rules<'_> {
    /// `d p / d t[at]`: the product rule over every factor of every term.
    pub(crate) fn derivative(&mut self, p: &Poly, t: Tensor, at: &[Ix]) -> Normal<Poly> {
        let mut out = Poly::zero();
        for (m, c) in &p.terms {
            if !m.factors.iter().any(|(a, _)| reads(a, t)) {
                continue;
            }
            let (c, vars, factors) = self.open(m, c);
            for i in 0..factors.len() {
                let (a, e) = &factors[i];
                if !reads(a, t) {
                    continue;
                }
                let da = self.atom_derivative(a, t, at)?;
                if da.is_zero() {
                    continue;
                }
                // (a^e)' = e a^(e-1) a'
                let mut rest = factors.clone();
                rest[i].1 = add_exponents(rest[i].1, -Exponent::one())?;
                if rest[i].1.is_zero() {
                    rest.remove(i);
                }
                let scale = Rational::new((*e.numer()).into(), (*e.denom()).into());
                for (n, k) in &da.terms {
                    let (k, more, fs) = self.open(n, k);
                    let vars = vars.iter().copied().chain(more).collect();
                    let all = rest.iter().cloned().chain(fs).collect();
                    let q = self.close((&c * &scale * k, vars, all))?;
                    out.add_all(q);
                }
            }
        }
        Ok(out)
    }

    fn atom_derivative(&mut self, a: &Atom, t: Tensor, at: &[Ix]) -> Normal<Poly> {
        match a {
            Atom::Access(u, ixs) if *u == t => {
                let mut out = Poly::constant(Rational::one());
                for (x, y) in ixs.iter().zip(at) {
                    let d = self.equality(x.clone(), y.clone())?;
                    out = self.mul(&out, &d)?;
                }
                Ok(out)
            }
            // Locally constant: index data, and what jumps only at a boundary.
            Atom::Access(..)
            | Atom::Equal(..)
            | Atom::Defined(..)
            | Atom::Positive(_)
            | Atom::Zero(_)
            | Atom::Attains(..)
            | Atom::Size(_)
            | Atom::Param(_) => Ok(Poly::zero()),
            Atom::Exp(m) => {
                let mut body = Poly::zero();
                body.add_term((**m).clone(), Rational::one());
                let d = self.derivative(&body, t, at)?;
                let e = self.atom(a.clone())?;
                self.mul(&e, &d)
            }
            // The base of an exponent: the exponent is the caller's.
            Atom::Power(p) => self.derivative(p, t, at),
            Atom::Call(f, p) => {
                let d = self.derivative(p, t, at)?;
                if d.is_zero() {
                    return Ok(d);
                }
                let outer = match f {
                    Function::Tanh => {
                        let y = self.atom(a.clone())?;
                        let y2 = self.mul(&y, &y)?;
                        self.sub(&Poly::constant(Rational::one()), &y2)
                    }
                    Function::Log => self.power(p, Exponent::from_integer(-1))?,
                    Function::Sin => self.called(Function::Cos, p)?,
                    Function::Cos => self.called(Function::Sin, p)?.scaled(&-Rational::one()),
                    Function::Erf => {
                        // 2 exp(-p^2) / sqrt(pi), and pi is 4 atan 1.
                        let square = self.mul(p, p)?;
                        let e = self.exp(&square.scaled(&-Rational::one()))?;
                        let quarter = self.call(Function::Atan, &Poly::constant(Rational::one()))?;
                        let root = self.power(&quarter, Exponent::new(-1, 2))?;
                        self.mul(&e, &root)?
                    }
                    Function::Atan => {
                        let square = self.mul(p, p)?;
                        let sum = self.add(&square, &Poly::constant(Rational::one()));
                        self.power(&sum, Exponent::from_integer(-1))?
                    }
                    Function::Round | Function::Floor => Poly::zero(),
                    // These are no calls in the normal form.
                    Function::Exp
                    | Function::Recip
                    | Function::Rsqrt
                    | Function::Sqrt
                    | Function::Erfc
                    | Function::Log1p
                    | Function::Expm1 => return Err(Stuck::Malformed("a call that the normal form does not have")),
                };
                self.mul(&outer, &d)
            }
            // Where one argument attains the maximum, the maximum is that argument. Where several do, each has
            // an even share: their count is one or more, since a maximum is attained. Arguments that are one
            // function make no boundary, and their shares add up to its derivative; at any other tie the shares
            // are an element of the subdifferential.
            Atom::Max(dims, body) => {
                let (vars, opened) = self.body_at(dims, body);
                let d = self.derivative(&opened, t, at)?;
                if d.is_zero() {
                    return Ok(d);
                }
                let ixs: Vec<Ix> = vars.iter().map(|v| Ix::Free(v.0, v.1)).collect();
                let attains = self.atom(Atom::Attains(dims.clone(), Rc::clone(body), ixs))?;
                let count = self.sum(&vars, &attains)?;
                let each = self.power(&count, -Exponent::one())?;
                let moved = self.mul(&attains, &d)?;
                let moved = self.sum(&vars, &moved)?;
                self.mul(&moved, &each)
            }
        }
    }
}

fn reads(a: &Atom, t: Tensor) -> bool {
    a.contains(&mut |b| matches!(b, Atom::Access(u, _) if *u == t))
}
