//! What drives the core by hand: derivatives by recursion, equations in chains.

use std::rc::Rc;

use pullback_kernel::core::log::{Log, replay};
use pullback_kernel::core::{
    Along, Assumption, Claim, Conclusion, Core, Function, Name, Node, Proven, Sign, Term, Terms, Theorem,
};
use pullback_kernel::{Statement, load};

/// The only statement of a source.
pub(crate) fn statement(source: &str) -> Statement {
    let (statements, diagnostics) = load(source);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    statements.into_iter().next().expect("a statement")
}

pub(crate) struct Drive {
    pub(crate) core: Core,
    pub(crate) t: Rc<Terms>,
    fresh: u32,
}

impl Drive {
    pub(crate) fn about(statement: &Statement) -> Drive {
        let core = Core::read(statement).expect("a statement");
        let fresh = core.reading().expect("a reading").fresh;
        Drive { t: core.terms().clone(), core, fresh }
    }

    pub(crate) fn name(&mut self, dimension: u32) -> Name {
        self.fresh += 1;
        Name { dimension, number: self.fresh }
    }
    pub(crate) fn one(&self) -> Term {
        self.t.num(1)
    }
    /// The body of a sum or maximum, with its name.
    pub(crate) fn open(&mut self, t: Term) -> (Name, Term) {
        let (Node::Sum(d, body) | Node::Max(d, body)) = self.t.view(t) else { panic!("no binder") };
        let v = self.name(d);
        (v, self.t.open(body, v))
    }
    pub(crate) fn sides(&self, p: Proven) -> (Term, Term) {
        self.core.sides(p).expect("an equation")
    }
    /// A derivative's value.
    pub(crate) fn slope(&self, p: Proven) -> Term {
        match self.core.claim(p) {
            Some(Claim::Deriv(_, _, _, ds)) => ds,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn ring(&mut self, s: Term, t: Term) -> Proven {
        self.core.ring(s, t).expect("one polynomial")
    }
    pub(crate) fn refl(&mut self, s: Term) -> Proven {
        self.core.refl(s).unwrap()
    }
    pub(crate) fn sym(&mut self, p: Proven) -> Proven {
        self.core.sym(p).unwrap()
    }
    pub(crate) fn chain(&mut self, steps: &[Proven]) -> Proven {
        let mut all = steps[0];
        for next in &steps[1..] {
            all = self.core.trans(all, *next).expect("the steps meet");
        }
        all
    }
    /// Under sums, the first outermost.
    pub(crate) fn under(&mut self, names: &[Name], p: Proven) -> Proven {
        names.iter().rev().fold(p, |p, v| self.core.c_sum(*v, p).unwrap())
    }
    pub(crate) fn add(&mut self, p: Proven, q: Proven) -> Proven {
        self.core.c_add(p, q).unwrap()
    }
    pub(crate) fn mul(&mut self, p: Proven, q: Proven) -> Proven {
        self.core.c_mul(p, q).unwrap()
    }
    /// `c * sum(v) f = sum(v) c * f`.
    pub(crate) fn in_sum(&mut self, v: Name, c: Term, f: Term) -> Proven {
        let p = self.core.sum_scale(v, c, f).expect("the factor does not mention the index");
        self.sym(p)
    }
    /// An equation without its guard of one.
    pub(crate) fn unguard(&mut self, p: Proven) -> Proven {
        let (s, t) = self.sides(p);
        let (Node::Mul(_, a), b) = (self.t.view(s), t) else { panic!("no guard") };
        let b = match self.t.view(b) {
            Node::Mul(_, b) => b,
            _ => b,
        };
        let (to, from) = (self.ring(a, s), self.ring(t, b));
        self.chain(&[to, p, from])
    }
    /// An equation under a guard.
    pub(crate) fn guarded(&mut self, g: Term, p: Proven) -> Proven {
        let g = self.refl(g);
        self.mul(g, p)
    }

    /// The derivative of a term. Facts that functions need come from outside.
    pub(crate) fn derive(
        &mut self,
        along: u32,
        g: Term,
        s: Term,
        fact: &mut impl FnMut(&mut Drive, Function, Term) -> Proven,
    ) -> Proven {
        let along = Along(along);
        if let Ok(p) = self.core.d_const(along, g, s) {
            return p;
        }
        match self.t.view(s) {
            Node::Read(x, a) => self.core.d_read(along, g, x, a).expect("the tensor moves"),
            Node::Add(a, b) => {
                let (p, q) = (self.derive(along.0, g, a, fact), self.derive(along.0, g, b, fact));
                self.core.d_add(p, q).unwrap()
            }
            Node::Mul(a, b) => {
                let (p, q) = (self.derive(along.0, g, a, fact), self.derive(along.0, g, b, fact));
                self.core.d_mul(p, q).unwrap()
            }
            Node::Sum(..) => {
                let (v, body) = self.open(s);
                let p = self.derive(along.0, g, body, fact);
                self.core.d_sum(v, p).unwrap()
            }
            Node::Fn(f, a) => {
                let p = self.derive(along.0, g, a, fact);
                if let Ok(q) = self.core.d_fn(f, p) {
                    return q;
                }
                let needed = fact(self, f, a);
                self.core.d_fn_at(f, needed, p).expect("the fact is what the function needs")
            }
            Node::Guard(a) => {
                let p = self.derive(along.0, g, a, fact);
                let needed = fact(self, Function::Inv, a);
                self.core.d_guard(needed, p).expect("the fact is that it is not zero")
            }
            other => panic!("no derivative of {other:?}"),
        }
    }

    /// The assumption that makes a claim.
    pub(crate) fn assume(&mut self, claim: Claim) -> Proven {
        let n = self.core.assumptions().iter().position(|a| *a == claim).expect("it is assumed");
        self.core.assume(Assumption(n as u32)).unwrap()
    }
    pub(crate) fn weaken(&mut self, k: Sign, p: Proven) -> Proven {
        self.core.f_weaken(k, p).unwrap()
    }

    /// The theorem; its log through text and replay says the same.
    pub(crate) fn conclude(&self, conclusion: &Conclusion) -> (Theorem, Log) {
        let theorem = self.core.conclude(conclusion).unwrap_or_else(|m| panic!("{m}"));
        let log = Log::of(&self.core, conclusion).expect("a log");
        let text = log.to_string();
        let read: Log = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(read, log);
        assert_eq!(read.to_string(), text);
        let again = replay(theorem.statement(), &read).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again.statement(), theorem.statement());
        assert_eq!(again.domain(), theorem.domain());
        (again, log)
    }
}

/// No function of the statement needs a fact.
pub(crate) fn none(_: &mut Drive, f: Function, _: Term) -> Proven {
    panic!("{f:?} needs a fact")
}
