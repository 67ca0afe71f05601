//! What terms denote in small models, by their definition: exact where that is rational, else with a bound of the error.
//!
//! It shares no code with the core: it sees terms as they are made, and nothing of what is derived.

use std::collections::HashMap;

use num_traits::{One, Signed, ToPrimitive, Zero};
use pullback_kernel::Rational;
use pullback_kernel::core::{Claim, Core, Function, Index, Name, Node, Sign, Term, Terms};

type Tuple = Option<Vec<usize>>;
/// A function of a map or tensor and a tuple.
type At<T> = Box<dyn Fn(u32, &[usize]) -> T>;

/// Sizes, maps and tensors.
pub(crate) struct Model {
    pub(crate) sizes: Vec<usize>,
    pub(crate) map: At<Tuple>,
    pub(crate) tensor: At<Rational>,
}

pub(crate) type Env = HashMap<Name, usize>;

/// Numbers in which terms are evaluated. `None`: not known here.
pub(crate) trait Value: Clone {
    fn rational(q: &Rational) -> Self;
    fn add(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    fn apply(&self, f: Function) -> Option<Self>;
    /// Less than zero, zero, greater.
    fn sign(&self) -> Option<i32>;
    fn less(&self, other: &Self) -> Option<bool> {
        Some(other.add(&self.mul(&Self::rational(&-Rational::one()))).sign()? > 0)
    }
    /// Of two that are equal, one; `None` if it matters which.
    fn either(&self, other: &Self) -> Option<Self>;
    /// A number that stands still as this one does not jump here.
    fn still(&self, value: i64) -> Option<Self>;
}

impl Value for Rational {
    fn rational(q: &Rational) -> Self {
        q.clone()
    }
    fn add(&self, other: &Self) -> Self {
        self + other
    }
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
    fn apply(&self, f: Function) -> Option<Self> {
        match f {
            Function::Inv => Some(if self.is_zero() { self.clone() } else { self.recip() }),
            Function::Floor => Some(self.floor()),
            Function::Round => {
                let (floor, half) = (self.floor(), Rational::new(1.into(), 2.into()));
                let gap = self - &floor;
                let even = (floor.to_integer() % 2i32).is_zero();
                Some(if gap < half || (gap == half && even) { floor } else { floor + Rational::one() })
            }
            Function::Sqrt | Function::Log if self.is_negative() => Some(Rational::zero()),
            Function::Exp | Function::Cos if self.is_zero() => Some(Rational::one()),
            Function::Log if self.is_one() => Some(Rational::zero()),
            Function::Sqrt | Function::Tanh | Function::Sin | Function::Erf | Function::Atan | Function::Log
                if self.is_zero() =>
            {
                Some(Rational::zero())
            }
            _ => None,
        }
    }
    fn sign(&self) -> Option<i32> {
        Some(i32::from(self.is_positive()) - i32::from(self.is_negative()))
    }
    fn either(&self, _: &Self) -> Option<Self> {
        Some(self.clone())
    }
    fn still(&self, value: i64) -> Option<Self> {
        Some(Rational::from_integer(value.into()))
    }
}

/// A number within a distance of another.
#[derive(Clone, Debug)]
pub(crate) struct Near(pub(crate) f64, pub(crate) f64);

const ROUND: f64 = 1e-14;

impl Near {
    fn new(v: f64, e: f64) -> Near {
        Near(v, e + v.abs() * ROUND)
    }
}

fn erf(x: f64) -> f64 {
    // The alternating series; its terms stay small in this range.
    let (mut term, mut sum) = (x, x);
    for n in 1..120 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

impl Value for Near {
    fn rational(q: &Rational) -> Self {
        let v = q.to_f64().unwrap_or(f64::NAN);
        let exact = Rational::from_float(v).is_some_and(|r| r == *q);
        Near(v, if exact { 0.0 } else { v.abs() * ROUND })
    }
    fn add(&self, other: &Self) -> Self {
        let v = self.0 + other.0;
        Near(v, self.1 + other.1 + (self.0.abs() + other.0.abs()) * ROUND)
    }
    fn mul(&self, other: &Self) -> Self {
        Near::new(self.0 * other.0, self.0.abs() * other.1 + other.0.abs() * self.1 + self.1 * other.1)
    }
    fn apply(&self, f: Function) -> Option<Self> {
        let (v, e) = (self.0, self.1);
        let lowest = v.abs() - e;
        match f {
            Function::Exp if v < 30.0 => Some(Near::new(v.exp(), v.exp() * e.exp_m1() + 1e-300)),
            Function::Tanh => Some(Near::new(v.tanh(), e)),
            Function::Sin if v.abs() < 1e3 => Some(Near::new(v.sin(), e + ROUND)),
            Function::Cos if v.abs() < 1e3 => Some(Near::new(v.cos(), e + ROUND)),
            Function::Atan => Some(Near::new(v.atan(), e)),
            Function::Erf if v.abs() < 2.5 => Some(Near::new(erf(v), 1.2 * e + 1e-11)),
            Function::Inv if v == 0.0 && e == 0.0 => Some(Near(0.0, 0.0)),
            Function::Inv if lowest > 0.0 => Some(Near::new(1.0 / v, e / (lowest * v.abs()))),
            Function::Log | Function::Sqrt if v + e < 0.0 || (v == 0.0 && e == 0.0) => Some(Near(0.0, 0.0)),
            Function::Log if v > 0.0 && lowest > 0.0 => Some(Near::new(v.ln(), e / lowest + ROUND)),
            Function::Sqrt if v > 0.0 && lowest > 0.0 => Some(Near::new(v.sqrt(), e / lowest.sqrt())),
            Function::Floor if (v - e).floor() == (v + e).floor() => Some(Near(v.floor(), 0.0)),
            Function::Round => {
                let (low, high) = ((v - e).round_ties_even(), (v + e).round_ties_even());
                let exact = e == 0.0 || ((v - e).fract().abs() != 0.5 && (v + e).fract().abs() != 0.5);
                (low == high && exact).then_some(Near(low, 0.0))
            }
            _ => None,
        }
    }
    fn sign(&self) -> Option<i32> {
        match (self.0, self.1) {
            (v, e) if !v.is_finite() || !e.is_finite() => None,
            (0.0, 0.0) => Some(0),
            (v, e) if v.abs() > e => Some(if v > 0.0 { 1 } else { -1 }),
            _ => None,
        }
    }
    fn either(&self, _: &Self) -> Option<Self> {
        Some(self.clone())
    }
    fn still(&self, value: i64) -> Option<Self> {
        Some(Near(value as f64, 0.0))
    }
}

/// A number that moves, with its velocity.
#[derive(Clone)]
pub(crate) struct Dual<V>(pub(crate) V, pub(crate) V);

impl<V: Value> Value for Dual<V> {
    fn rational(q: &Rational) -> Self {
        Dual(V::rational(q), V::rational(&Rational::zero()))
    }
    fn add(&self, other: &Self) -> Self {
        Dual(self.0.add(&other.0), self.1.add(&other.1))
    }
    fn mul(&self, other: &Self) -> Self {
        Dual(self.0.mul(&other.0), self.1.mul(&other.0).add(&self.0.mul(&other.1)))
    }
    fn apply(&self, f: Function) -> Option<Self> {
        let (x, number) = (&self.0, |n: i64| V::rational(&Rational::from_integer(n.into())));
        let value = x.apply(f)?;
        let minus = |v: &V| v.mul(&number(-1));
        if self.1.sign() == Some(0) {
            return Some(Dual(value, number(0)));
        }
        let half = V::rational(&Rational::new(1.into(), 2.into()));
        let slope = match f {
            Function::Exp => value.clone(),
            Function::Tanh => number(1).add(&minus(&value.mul(&value))),
            Function::Sin => x.apply(Function::Cos)?,
            Function::Cos => minus(&x.apply(Function::Sin)?),
            Function::Inv if x.sign()? != 0 => minus(&value.mul(&value)),
            Function::Log if x.sign()? > 0 => x.apply(Function::Inv)?,
            Function::Sqrt if x.sign()? > 0 => half.mul(&value.apply(Function::Inv)?),
            Function::Log | Function::Sqrt if x.sign()? < 0 => number(0),
            // 2 / √π, as a number.
            Function::Erf => {
                let c = number(4).mul(&number(1).apply(Function::Atan)?);
                let c = number(2).mul(&c.apply(Function::Sqrt)?.apply(Function::Inv)?);
                c.mul(&minus(&x.mul(x)).apply(Function::Exp)?)
            }
            Function::Atan => number(1).add(&x.mul(x)).apply(Function::Inv)?,
            Function::Floor if value.less(x)? => number(0),
            Function::Round => {
                let shifted = x.add(&half);
                if shifted.apply(Function::Floor)?.less(&shifted)? { number(0) } else { return None }
            }
            _ => return None,
        };
        Some(Dual(value, slope.mul(&self.1)))
    }
    fn sign(&self) -> Option<i32> {
        self.0.sign()
    }
    fn either(&self, other: &Self) -> Option<Self> {
        let minus = V::rational(&-Rational::one());
        (self.1.add(&other.1.mul(&minus)).sign()? == 0).then(|| self.clone())
    }
    fn still(&self, value: i64) -> Option<Self> {
        let moves = self.1.sign()? != 0;
        let kink = self.0.sign()? == 0;
        (!moves || !kink).then(|| Dual::rational(&Rational::from_integer(value.into())))
    }
}

pub(crate) struct Eval<'a, V> {
    pub(crate) terms: &'a Terms,
    pub(crate) model: &'a Model,
    pub(crate) env: &'a Env,
    pub(crate) read: &'a dyn Fn(u32, &[usize]) -> V,
}

impl<V: Value> Eval<'_, V> {
    pub(crate) fn index(&self, a: Index, stack: &[usize]) -> Tuple {
        match self.terms.view(a) {
            Node::Free(v) => Some(vec![*self.env.get(&v).expect("every name has a value")]),
            Node::Bound(k) => stack.len().checked_sub(1 + k as usize).map(|k| vec![stack[k]]),
            Node::Unit => Some(vec![]),
            Node::Pair(a, b) => Some([self.index(a, stack)?, self.index(b, stack)?].concat()),
            Node::Proj(k, a) => Some(vec![*self.index(a, stack)?.get(k as usize)?]),
            Node::Map(m, a) => (self.model.map)(m, &self.index(a, stack)?),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn term(&self, t: Term, stack: &mut Vec<usize>) -> Option<V> {
        let number = |n: i64| V::rational(&Rational::from_integer(n.into()));
        Some(match self.terms.view(t) {
            Node::Num(q) => V::rational(&self.terms.value(q)),
            Node::Size(d) => number(self.model.sizes[d as usize] as i64),
            Node::Read(x, a) => self.index(a, stack).map_or_else(|| number(0), |l| (self.read)(x, &l)),
            Node::Delta(a, b) => {
                let (a, b) = (self.index(a, stack), self.index(b, stack));
                number(i64::from(a.is_some() && a == b))
            }
            Node::Def(a) => number(i64::from(self.index(a, stack).is_some())),
            Node::Add(a, b) => self.term(a, stack)?.add(&self.term(b, stack)?),
            Node::Mul(a, b) => self.term(a, stack)?.mul(&self.term(b, stack)?),
            Node::Fn(f, a) => self.term(a, stack)?.apply(f)?,
            Node::Guard(a) => {
                let value = self.term(a, stack)?;
                value.still(i64::from(value.sign()? > 0))?
            }
            Node::Sum(d, b) => {
                let mut sum = number(0);
                for n in 0..self.model.sizes[d as usize] {
                    stack.push(n);
                    let one = self.term(b, stack);
                    stack.pop();
                    sum = sum.add(&one?);
                }
                sum
            }
            Node::Max(d, b) => {
                let mut max: Option<V> = None;
                for n in 0..self.model.sizes[d as usize] {
                    stack.push(n);
                    let one = self.term(b, stack);
                    stack.pop();
                    let one = one?;
                    max = Some(match max {
                        None => one,
                        Some(max) if max.less(&one)? => one,
                        Some(max) if one.less(&max)? => max,
                        Some(max) => max.either(&one)?,
                    });
                }
                max?
            }
            other => panic!("{other:?}"),
        })
    }
}

/// Whether a claim holds in a model at values of its free indices; `None` if that is not known.
pub(crate) fn holds(core: &Core, claim: Claim, model: &Model, env: &Env) -> Option<bool> {
    let exact = |x: u32, l: &[usize]| (model.tensor)(x, l);
    holds_in::<Rational>(core, claim, model, env, &exact).or_else(|| {
        let near = |x: u32, l: &[usize]| Near::rational(&(model.tensor)(x, l));
        holds_in::<Near>(core, claim, model, env, &near)
    })
}

fn holds_in<V: Value>(
    core: &Core,
    claim: Claim,
    model: &Model,
    env: &Env,
    read: &dyn Fn(u32, &[usize]) -> V,
) -> Option<bool> {
    let terms = core.terms();
    let eval = Eval { terms, model, env, read };
    let minus = V::rational(&-Rational::one());
    // Equal, or so near that it is not known; only a difference that is known is one.
    let equal = |a: &V, b: &V| a.add(&b.mul(&minus)).sign().is_none_or(|s| s == 0);
    match claim {
        Claim::Eq(s, t) => Some(equal(&eval.term(s, &mut vec![])?, &eval.term(t, &mut vec![])?)),
        Claim::Same(a, b) => Some(eval.index(a, &[]) == eval.index(b, &[])),
        Claim::Fact(k, g, e) => {
            if eval.term(g, &mut vec![])?.sign()? == 0 {
                return Some(true);
            }
            let sign = eval.term(e, &mut vec![])?.sign()?;
            Some(match k {
                Sign::Pos => sign > 0,
                Sign::NonNeg => sign >= 0,
                Sign::NonZero => sign != 0,
            })
        }
        Claim::Deriv(d, g, s, ds) => {
            if eval.term(g, &mut vec![])?.sign()? == 0 {
                return Some(true);
            }
            let directions = &core.context().directions[d.0 as usize];
            let moving = |x: u32, l: &[usize]| {
                let tangent = directions.iter().find(|(y, _)| *y == x).map(|(_, h)| read(*h, l));
                Dual(read(x, l), tangent.unwrap_or_else(|| V::rational(&Rational::zero())))
            };
            let dual = Eval { terms, model, env, read: &moving };
            Some(equal(&dual.term(s, &mut vec![])?.1, &eval.term(ds, &mut vec![])?))
        }
    }
}
