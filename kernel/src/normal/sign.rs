//! What a normal form says of its own sign, and what follows when a value is supposed to be zero.
//!
//! Each rule looks at terms: their coefficients, and factors whose sign does not depend on the inputs.
//! It must never claim a sign that some input of the domain breaks.

use num_traits::{One, Signed, Zero};

use super::rules::{Normal, Rules};
use super::term::{Atom, Exponent, Mono, Poly};
use crate::Rational;
use crate::statement::{Condition, DimId, ExprKind, Index, Sign, Statement, Tensor, VarId};

/// What is known of a factor or a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Positive,
    NonNegative,
    Nothing,
}

impl Rules<'_> {
    /// Takes the conditions of a domain for granted: tensors of which each element is positive.
    ///
    /// A condition is open, so that what is rewritten under it has the derivative of what it was.
    pub(crate) fn assume(&mut self, conditions: &[Condition]) {
        self.positive.extend(conditions.iter().filter_map(|c| everywhere_positive(self.statement, c)));
        // What was read so far was read without it.
        self.read.clear();
    }

    /// Whether each term is positive, wherever the sum is defined; `false` where that can't be seen.
    pub(crate) fn has_positive_terms(&self, p: &Poly) -> bool {
        let terms: Vec<Known> = p.terms.iter().map(|(m, c)| self.term(m, c)).collect();
        terms.contains(&Known::Positive) && !terms.contains(&Known::Nothing)
    }

    /// Whether no term is negative, wherever the sum is defined.
    pub(crate) fn has_nonnegative_terms(&self, p: &Poly) -> bool {
        p.terms.iter().all(|(m, c)| self.term(m, c) != Known::Nothing)
    }

    /// Dimensions are positive: a term under bound indices is a sum of at least one.
    fn term(&self, m: &Mono, c: &Rational) -> Known {
        if !c.is_positive() {
            return Known::Nothing;
        }
        m.factors.iter().fold(Known::Positive, |so_far, (a, e)| match (so_far, self.factor(a, *e)) {
            (Known::Nothing, _) | (_, Known::Nothing) => Known::Nothing,
            (Known::NonNegative, _) | (_, Known::NonNegative) => Known::NonNegative,
            _ => Known::Positive,
        })
    }

    fn factor(&self, a: &Atom, e: Exponent) -> Known {
        if self.surely_positive(a, e) {
            return Known::Positive;
        }
        if a.is_indicator() {
            return if e.is_positive() { Known::NonNegative } else { Known::Nothing };
        }
        match a {
            // A square, or one over a square: where it is defined it is not zero.
            _ if e.is_integer() && (e.to_integer() % 2).is_zero() => {
                if e.is_negative() && !self.partial(a) {
                    Known::Positive
                } else {
                    Known::NonNegative
                }
            }
            Atom::Param(p) => match self.statement.params()[p.0 as usize].sign {
                Some(Sign::NonNegative) => Known::NonNegative,
                _ => Known::Nothing,
            },
            Atom::Power(p) if self.has_positive_terms(p) => Known::Positive,
            Atom::Power(p) if self.has_nonnegative_terms(p) => {
                if e.is_negative() && !self.partial(a) {
                    Known::Positive
                } else {
                    Known::NonNegative
                }
            }
            _ => Known::Nothing,
        }
    }

    /// What `of` would be if `p` were zero, in all ways in which `p = 0` gives one of its factors:
    /// a term that is this factor alone, which stands nowhere else in `p`.
    pub(crate) fn where_zero(&mut self, p: &Poly, of: &Poly) -> Normal<Vec<Poly>> {
        let mut out = Vec::new();
        for (m, c) in &p.terms {
            let [(a, e)] = m.factors.as_slice() else { continue };
            let plain = m.bound.is_empty() && e.is_one() && !a.is_indicator() && !self.partial(a);
            let alone = p.terms.keys().all(|n| n == m || !n.factors.iter().any(|(b, _)| b.contains(&mut |x| x == a)));
            if !plain || !alone || !of.contains(&mut |x| x == a) {
                continue;
            }
            let mut rest = p.clone();
            rest.add_term(m.clone(), -c.clone());
            let value = rest.scaled(&-c.recip());
            out.push(self.rewrite(of, &|x| (x == a).then(|| value.clone()))?);
        }
        Ok(out)
    }
}

/// The tensor whose every element the condition says to be positive, if it says that.
fn everywhere_positive(statement: &Statement, condition: &Condition) -> Option<Tensor> {
    let ExprKind::Access(t @ (Tensor::Input(_) | Tensor::Constant(_)), at) = &condition.value.kind else { return None };
    let axes: &[DimId] = &statement.tensor(*t).axes;
    let vars: Vec<VarId> = at.iter().filter_map(|i| if let Index::Variable(v) = i { Some(*v) } else { None }).collect();
    let each = vars
        .iter()
        .zip(axes)
        .enumerate()
        .all(|(k, (v, d))| statement.dim_of(*v) == *d && condition.vars.contains(v) && !vars[..k].contains(v));
    (condition.sign == Sign::Positive && vars.len() == axes.len() && each).then_some(*t)
}
