//! Function calls that several loops need are computed once, into a buffer.

use std::collections::HashMap;

use pullback_kernel::statement::Function;

use super::{Item, Lower};
use crate::ir::{Index, Var};
use crate::term::Term;

/// Where a call stands: which loop (by number) and under which variables.
struct Place {
    term: Term,
    loops: Vec<usize>,
    scope: Vec<Var>,
    item: usize,
}

/// Whether a call costs more than writing its value to memory and reading it back.
fn dear(function: Function) -> bool {
    !matches!(function, Function::Recip | Function::Rsqrt | Function::Sqrt | Function::Round | Function::Floor)
}

impl Lower<'_> {
    /// A dear call that stands in two different loops, or in a loop that it does not depend on, becomes a local.
    pub(super) fn share_calls(&mut self) {
        // Every round takes out one call; the statement has finitely many.
        loop {
            let mut places: HashMap<String, Place> = HashMap::new();
            let mut next = 0;
            for (item, (vars, value)) in self.items.iter().map(Item::parts).enumerate() {
                next += 1;
                let scope = (next, vars.to_vec());
                self.places(value, item, &scope, &mut next, &mut places);
            }
            let best = places
                .into_iter()
                .filter(|(_, p)| {
                    let free = p.term.free();
                    let invariant = p.scope.iter().any(|v| !free.contains(v));
                    let shared = p.loops.len() > 1 && matches!(p.term, Term::Call(f, _) if dear(f));
                    let alone = matches!(&self.items[p.item], Item::Define { value, .. } if *value == p.term);
                    (shared || invariant) && !alone
                })
                // The largest first, then by text, so that the choice does not hang on the map's order.
                .max_by(|(a, _), (b, _)| (a.len(), b).cmp(&(b.len(), a)));
            let Some((text, place)) = best else { return };
            self.take_out(&text, &place);
        }
    }

    fn take_out(&mut self, text: &str, place: &Place) {
        let free = place.term.free();
        let order: Vec<Var> = place.scope.iter().copied().filter(|v| free.contains(v)).collect();
        let buffer = self.local("e", &order);
        // The definition gets variables of its own.
        let mut value = place.term.clone();
        let mut own = vec![];
        for v in &order {
            let fresh = self.fresh(*v);
            value = value.substitute(*v, &Index::Var(fresh));
            own.push(fresh);
        }
        value = self.rebind(&value);
        let (_, canonical) = self.key(&place.term);
        let axes: Vec<usize> = order.iter().map(|v| canonical.iter().position(|c| c == v).unwrap_or(0)).collect();
        let mut items = std::mem::take(&mut self.items);
        let keys = &*self;
        let first = items.iter().position(|i| keys.contains(i.parts().1, text)).unwrap_or(0);
        for item in &mut items {
            let value = match item {
                Item::Check { value, .. } | Item::Define { value, .. } => value,
            };
            *value = keys.swap(value, text, &|free: &[Var]| {
                Term::Read(buffer, axes.iter().map(|a| Index::Var(free[*a])).collect())
            });
        }
        let at = own.iter().map(|v| Index::Var(*v)).collect();
        items.insert(first, Item::Define { target: buffer, vars: own, at, value });
        self.items = items;
    }

    /// The term with fresh binders.
    pub(super) fn rebind(&mut self, term: &Term) -> Term {
        match term {
            Term::Sum(vars, body) | Term::Max(vars, body) => {
                let mut body = (**body).clone();
                let mut own = vec![];
                for v in vars {
                    let fresh = self.fresh(*v);
                    body = body.substitute(*v, &Index::Var(fresh));
                    own.push(fresh);
                }
                let body = Box::new(self.rebind(&body));
                if matches!(term, Term::Sum(..)) { Term::Sum(own, body) } else { Term::Max(own, body) }
            }
            _ => term.map(&mut |t| self.rebind(t)),
        }
    }

    fn places(
        &self,
        term: &Term,
        item: usize,
        scope: &(usize, Vec<Var>),
        next: &mut usize,
        out: &mut HashMap<String, Place>,
    ) {
        match term {
            Term::Sum(vars, body) | Term::Max(vars, body) => {
                *next += 1;
                let mut inner = scope.1.clone();
                inner.extend(vars);
                // A sum that does not depend on all of the scope is computed outside of it.
                let free = body.free();
                inner.retain(|v| free.contains(v));
                self.places(body, item, &(*next, inner), next, out);
            }
            // The branch that is not chosen is not evaluated, so nothing is taken out of it.
            Term::If { left, right, .. } => {
                self.places(left, item, scope, next, out);
                self.places(right, item, scope, next, out);
            }
            _ => {
                if let Term::Call(..) = term {
                    let (text, _) = self.key(term);
                    let place = out.entry(text).or_insert_with(|| Place {
                        term: term.clone(),
                        loops: vec![],
                        scope: scope.1.clone(),
                        item,
                    });
                    if !place.loops.contains(&scope.0) {
                        place.loops.push(scope.0);
                    }
                }
                for part in term.parts() {
                    self.places(part, item, scope, next, out);
                }
            }
        }
    }

    fn contains(&self, term: &Term, text: &str) -> bool {
        (matches!(term, Term::Call(..)) && self.key(term).0 == text)
            || term.parts().iter().any(|p| self.contains(p, text))
    }

    fn swap(&self, term: &Term, text: &str, by: &impl Fn(&[Var]) -> Term) -> Term {
        if let Term::Call(..) = term {
            let (own, free) = self.key(term);
            if own == text {
                return by(&free);
            }
        }
        term.map(&mut |t| self.swap(t, text, by))
    }
}

impl Item {
    fn parts(&self) -> (&[Var], &Term) {
        match self {
            Item::Check { vars, value, .. } | Item::Define { vars, value, .. } => (vars, value),
        }
    }
}
