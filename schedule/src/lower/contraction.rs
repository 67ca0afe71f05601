//! Recognises a sum of products as matrix products.
//!
//! The factors are dealt to two sides. A variable of the result that one side alone has is a row or a column; one that both
//! have runs around the product; a variable of the sum that both have is contracted.
//! A group of variables is one axis of the matrix if it lies at neighbouring axes of the buffer, in order.
//! Where it does not, a row or column moves to the loop around, and a contracted group is copied into order.

use pullback_kernel::statement::MapKind;

use super::Lower;
use super::sum::{Want, variables};
use crate::ir::{BufferId, Gemm, Index, Operand, Scalar, Step, Var};
use crate::term::{Factor, Product, Term};

/// One side of a product after its layout was chosen.
struct Side {
    buffer: BufferId,
    at: Vec<Index>,
}

/// A variable at an axis of a buffer; a part of a split is a stretch of it.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    var: Var,
    part: bool,
}

/// A deal of the factors.
struct Deal {
    left: Vec<Factor>,
    right: Vec<Factor>,
    around: Vec<Var>,
    m: Vec<Var>,
    n: Vec<Var>,
}

impl Lower<'_> {
    /// The sum as matrix products, if it is one.
    pub(super) fn contract(
        &mut self,
        free: &[Var],
        bound: &[Var],
        factors: &[Factor],
        want: Want<'_>,
    ) -> Option<(BufferId, Vec<Index>)> {
        let deal = self.deal(free, bound, factors)?;
        let Deal { left, right, mut around, mut m, mut n } = deal;
        let (left_plain, right_plain) = (self.plain(&left), self.plain(&right));

        // Rows and columns: in the order of the target if there is one, else of the plain operand that has them.
        let target_order: Option<Vec<Place>> = want.and_then(|(_, at)| self.layout(at));
        let sort = |group: &mut Vec<Var>, by: &Option<Vec<Place>>| {
            if let Some(by) = by {
                group.sort_by_key(|v| by.iter().position(|w| w.var == *v).unwrap_or(usize::MAX));
            }
        };
        let first_by = |a: &Option<Vec<Place>>, b: &Option<Vec<Place>>| a.clone().or_else(|| b.clone());
        sort(&mut m, &first_by(&target_order, &left_plain));
        sort(&mut n, &first_by(&target_order, &right_plain));
        for layout in [&target_order, &left_plain].into_iter().flatten() {
            keep_run(&mut m, layout, &mut around);
        }
        for layout in [&target_order, &right_plain].into_iter().flatten() {
            keep_run(&mut n, layout, &mut around);
        }
        // Patches of a whole batch would be a large copy: a leading axis that only passes through runs around instead.
        for (side, group) in [(&left, &mut m), (&right, &mut n)] {
            let leads = target_order.as_ref().is_some_and(|l| l.first().map(|p| p.var) == group.first().copied());
            if group.len() > 1 && leads && gathers(side) {
                let passes = |v: Var| side.iter().all(|f| !under_map(&f.term, v));
                while group.len() > 1 && passes(group[0]) && group.iter().any(|v| !passes(*v)) {
                    around.push(group.remove(0));
                }
            }
        }

        // What is contracted: in the order of a plain operand.
        let mut k: Vec<Var> = bound.to_vec();
        let by = match (&left_plain, &right_plain) {
            // The larger operand keeps its order.
            (Some(l), Some(r)) => Some(if l.len() >= r.len() { l.clone() } else { r.clone() }),
            (l, r) => first_by(l, r),
        };
        sort(&mut k, &by);
        let regular = |layout: &Option<Vec<Place>>, group: &[Var]| layout.as_ref().is_none_or(|l| runs(group, l));
        let (left_fits, right_fits) = (regular(&left_plain, &k), regular(&right_plain, &k));
        if !(left_fits && right_fits) && (gathers(&left) || gathers(&right)) {
            // The operand that is gathered would have to be gathered whole: sum around the product instead.
            let layout = if left_fits { &right_plain } else { &left_plain };
            let mut outer = vec![];
            if let Some(layout) = layout {
                keep_run(&mut k, layout, &mut outer);
            }
            if !outer.is_empty() && !k.is_empty() {
                let scope: Vec<Var> = outer.iter().chain(free).copied().collect();
                let inner = self.sum(&k, &Product::term(factors), &scope, None);
                let factor = Factor { term: Term::from(&inner), inverse: false };
                return Some(self.accumulate(free, &outer, &[factor], want));
            }
        }
        around.sort_by_key(|v| free.iter().position(|w| w == v));

        let keep_left = left_plain.is_some() && left_fits;
        let keep_right = right_plain.is_some() && right_fits;
        let left = self.side(&left, keep_left, &around, &m, &k)?;
        let right = self.side(&right, keep_right, &around, &k, &n)?;
        let (buffer, at) = match want {
            Some((buffer, at)) => (buffer, at.to_vec()),
            None => {
                let order: Vec<Var> = around.iter().chain(&m).chain(&n).copied().collect();
                (self.local("t", &order), order.into_iter().map(Index::Var).collect())
            }
        };
        let operand = |side: Side| Operand { buffer: side.buffer, at: side.at };
        let gemm = Step::Gemm(Gemm {
            target: Operand { buffer, at: at.clone() },
            left: operand(left),
            right: operand(right),
            m,
            n,
            k,
        });
        self.emit(around, vec![gemm]);
        Some((buffer, at))
    }

    /// The deal that copies least, if there is one that makes a product.
    fn deal(&self, free: &[Var], bound: &[Var], factors: &[Factor]) -> Option<Deal> {
        let count = factors.len();
        if !(2..=6).contains(&count) {
            return None;
        }
        let all = free.len() + bound.len();
        let mut best: Option<((usize, usize, usize), Deal)> = None;
        // The first factor is always on the left; the sides are swapped below if the target asks for it.
        for mask in 0..(1usize << (count - 1)) {
            let side = |right: bool| -> Vec<Factor> {
                factors
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| (*i > 0 && mask >> (i - 1) & 1 == 1) == right)
                    .map(|(_, f)| f.clone())
                    .collect()
            };
            let (left, right) = (side(false), side(true));
            if right.is_empty() || left.iter().all(|f| f.inverse) || right.iter().all(|f| f.inverse) {
                continue;
            }
            let (l, r) = (variables(left.iter()), variables(right.iter()));
            if !bound.iter().all(|v| l.contains(v) && r.contains(v)) || l.len() == all || r.len() == all {
                continue;
            }
            let only = |a: &[Var], b: &[Var]| -> Vec<Var> {
                free.iter().copied().filter(|v| a.contains(v) && !b.contains(v)).collect()
            };
            let (m, n) = (only(&l, &r), only(&r, &l));
            let around: Vec<Var> = free.iter().copied().filter(|v| l.contains(v) && r.contains(v)).collect();
            let flat = m.is_empty() || n.is_empty();
            let (lp, rp) = (self.plain(&left), self.plain(&right));
            if m.is_empty() && n.is_empty() {
                continue;
            }
            if flat
                && !(around.is_empty()
                    && lp.is_some_and(|o| runs_any(bound, &o))
                    && rp.is_some_and(|o| runs_any(bound, &o)))
            {
                // A product with a vector is a product only if nothing has to be copied for it.
                continue;
            }
            let copies = usize::from(!self.simple(&left)) + usize::from(!self.simple(&right));
            let score = (l.len().max(r.len()), copies, around.len());
            if best.as_ref().is_none_or(|(s, _)| score < *s) {
                best = Some((score, Deal { left, right, around, m, n }));
            }
        }
        let mut deal = best?.1;
        // Columns run along the memory of the target.
        let last = free.iter().rev().find(|v| deal.m.contains(v) || deal.n.contains(v));
        if last.is_some_and(|v| deal.m.contains(v)) {
            std::mem::swap(&mut deal.left, &mut deal.right);
            std::mem::swap(&mut deal.m, &mut deal.n);
        }
        Some(deal)
    }

    /// The variables of a read at distinct variables and parts of a split.
    fn layout(&self, at: &[Index]) -> Option<Vec<Place>> {
        let places: Option<Vec<Place>> = at
            .iter()
            .map(|i| match i {
                Index::Var(v) => Some(Place { var: *v, part: false }),
                Index::Map(m, args) => match (self.statement.maps()[m.0 as usize].kind, args.as_slice()) {
                    (MapKind::Part { .. }, [Index::Var(v)]) => Some(Place { var: *v, part: true }),
                    _ => None,
                },
                Index::First => None,
            })
            .collect();
        places.filter(|p| (1..p.len()).all(|i| p[..i].iter().all(|q| q.var != p[i].var)))
    }

    /// The layout of a side that is one plain read.
    fn plain(&self, side: &[Factor]) -> Option<Vec<Place>> {
        match side {
            [Factor { term: Term::Read(_, at), inverse: false }] => self.layout(at),
            _ => None,
        }
    }

    /// Whether a side will be one plain read when it is lowered.
    fn simple(&self, side: &[Factor]) -> bool {
        self.plain(side).is_some() || matches!(side, [Factor { term: Term::Sum(..), inverse: false }])
    }

    /// An operand: read where it lies, or laid out as a matrix first.
    fn side(&mut self, factors: &[Factor], keep: bool, around: &[Var], rows: &[Var], columns: &[Var]) -> Option<Side> {
        let has = variables(factors.iter());
        let around: Vec<Var> = around.iter().copied().filter(|v| has.contains(v)).collect();
        let order: Vec<Var> = around.iter().chain(rows).chain(columns).copied().collect();
        let value = self.lower(&Product::term(factors), &order);
        if let Scalar::Read(buffer, at) = &value {
            let layout = self.layout(at);
            if (keep || layout.as_ref().is_some_and(|l| runs(rows, l) && runs(columns, l))) && layout.is_some() {
                return Some(Side { buffer: *buffer, at: at.clone() });
            }
        }
        let buffer = self.local("p", &order);
        let at: Vec<Index> = order.iter().map(|v| Index::Var(*v)).collect();
        self.emit(order, vec![Step::Set { target: buffer, at: at.clone(), value }]);
        Some(Side { buffer, at })
    }
}

fn gathers(side: &[Factor]) -> bool {
    fn reads(t: &Term) -> bool {
        matches!(t, Term::Read(_, at) if at.iter().any(|i| matches!(i, Index::Map(..))))
            || t.parts().iter().any(|p| reads(p))
    }
    side.iter().any(|f| reads(&f.term))
}

fn under_map(term: &Term, v: Var) -> bool {
    match term {
        Term::Read(_, at) => at.iter().any(|i| matches!(i, Index::Map(..)) && i.has(v)),
        _ => term.parts().iter().any(|p| under_map(p, v)),
    }
}

/// Whether the group stands at neighbouring places of the layout, in order. A part has no neighbour before it:
/// the next row of it is a whole axis further.
fn runs(group: &[Var], layout: &[Place]) -> bool {
    let places: Option<Vec<usize>> = group.iter().map(|v| layout.iter().position(|w| w.var == *v)).collect();
    places.is_some_and(|p| p.windows(2).all(|w| w[0] + 1 == w[1] && !layout[w[1]].part))
}

/// Whether the group in some order stands at neighbouring places of the layout.
fn runs_any(group: &[Var], layout: &[Place]) -> bool {
    let mut places: Vec<usize> = group.iter().filter_map(|v| layout.iter().position(|w| w.var == *v)).collect();
    places.sort_unstable();
    places.len() == group.len() && places.windows(2).all(|w| w[0] + 1 == w[1] && !layout[w[1]].part)
}

/// Keeps the longest run of the group in the layout, the last of equally long ones; the rest moves around the product.
fn keep_run(group: &mut Vec<Var>, layout: &[Place], around: &mut Vec<Var>) {
    let mut best = 0..0;
    for start in 0..group.len() {
        for end in (start + 1)..=group.len() {
            if runs(&group[start..end], layout) && end - start >= best.len() {
                best = start..end;
            }
        }
    }
    let kept: Vec<Var> = group[best].to_vec();
    around.extend(group.iter().filter(|v| !kept.contains(v)));
    *group = kept;
}
