//! Which conditions an expression needs, and which of them follow from its shape: positivity reasoning.
//!
//! The domain of a statement is its `where` clauses plus the conditions of its functions that do not
//! follow from signs: a sum of exponentials is positive, a square plus a positive parameter is positive.
//! Signs are computed on the expression as written (a square is no longer visible in the normal form).
//! It must never say that a condition follows when some input of the domain breaks it.

use crate::budget::Meter;
use crate::normal::{Atom, Env, Ix, Normal, Poly, Rules, Stuck};
use crate::source::Span;
use crate::statement::{
    Comparison, Condition, Expr, ExprKind, Function, Index, LocalKind, MapKind, Sign, Statement, Tensor, VarId,
};
use num_traits::{Signed, Zero};

/// Expressions whose signs are looked at, at most.
const MAX_STEPS: u32 = 20_000;
/// Expressions inside of each other that are looked at, at most.
const MAX_DEPTH: u32 = 160;

/// The signs that a value may have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Signs(u8);

impl Signs {
    const NEGATIVE: Signs = Signs(1);
    const ZERO: Signs = Signs(2);
    const POSITIVE: Signs = Signs(4);
    const ANY: Signs = Signs(7);

    fn or(self, o: Signs) -> Signs {
        Signs(self.0 | o.0)
    }
    fn and(self, o: Signs) -> Signs {
        Signs(self.0 & o.0)
    }
    fn within(self, o: Signs) -> bool {
        self.0 & !o.0 == 0
    }
    fn negate(self) -> Signs {
        Signs((self.0 & 2) | ((self.0 & 1) << 2) | ((self.0 & 4) >> 2))
    }
    fn parts(self) -> impl Iterator<Item = Signs> {
        [Self::NEGATIVE, Self::ZERO, Self::POSITIVE].into_iter().filter(move |s| s.within(self))
    }
    fn pairs(self, o: Signs, f: fn(Signs, Signs) -> Signs) -> Signs {
        let mut out = Signs(0);
        for a in self.parts() {
            for b in o.parts() {
                out = out.or(f(a, b));
            }
        }
        out
    }
    fn add(self, o: Signs) -> Signs {
        self.pairs(o, |a, b| match (a, b) {
            (Signs::ZERO, s) | (s, Signs::ZERO) => s,
            (a, b) if a == b => a,
            _ => Signs::ANY,
        })
    }
    fn mul(self, o: Signs) -> Signs {
        self.pairs(o, |a, b| match (a, b) {
            (Signs::ZERO, _) | (_, Signs::ZERO) => Signs::ZERO,
            (a, b) if a == b => Signs::POSITIVE,
            _ => Signs::NEGATIVE,
        })
    }
    fn of(sign: Sign) -> Signs {
        match sign {
            Sign::Positive => Self::POSITIVE,
            Sign::NonNegative => Self::POSITIVE.or(Self::ZERO),
            Sign::NonZero => Self::POSITIVE.or(Self::NEGATIVE),
        }
    }
}

/// A value known to have certain signs, for all values of its variables.
struct Fact {
    value: Poly,
    variables: Vec<u32>,
    signs: Signs,
}

/// A condition that does not follow, and the function that asks for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Needed {
    /// The condition.
    pub condition: Condition,
    /// The function application that needs it.
    pub span: Span,
}

/// Signs and conditions of one statement.
pub(crate) struct Domain<'s> {
    rules: Rules<'s>,
    facts: Vec<Fact>,
    /// `where` clauses and what the forward expressions need beside them.
    pub(crate) conditions: Vec<Condition>,
    /// Conditions of backward expressions that do not follow.
    pub(crate) unmet: Vec<Needed>,
    backward: bool,
    /// Why some part was not looked at, if one was not: nothing may then be concluded.
    pub(crate) stuck: Option<Stuck>,
    steps: u32,
    depth: u32,
}

impl<'s> Domain<'s> {
    /// Collects the domain of the forward part.
    pub(crate) fn forward(statement: &'s Statement, meter: Meter) -> Domain<'s> {
        let mut d = Domain {
            rules: Rules::new(statement, meter),
            facts: Vec::new(),
            conditions: statement.wheres().to_vec(),
            unmet: Vec::new(),
            backward: false,
            stuck: None,
            steps: 0,
            depth: 0,
        };
        for c in statement.wheres() {
            d.assume(&c.vars, &c.value, Signs::of(c.sign));
        }
        // What `where` itself needs: a logarithm in it has a domain of its own.
        for c in statement.wheres() {
            d.clause(&c.vars, &c.value);
        }
        for local in statement.locals() {
            if local.kind == LocalKind::Let {
                d.clause(&local.vars, &local.value);
            }
        }
        for output in statement.outputs() {
            for c in &output.clauses {
                d.clause(&c.vars, &c.value);
            }
        }
        d
    }

    /// Checks the backward part against the domain.
    pub(crate) fn check_backward(&mut self) {
        self.backward = true;
        let statement = self.rules.statement;
        for local in statement.backward_locals() {
            self.clause(&local.vars, &local.value);
        }
        for g in statement.gradients().unwrap_or_default() {
            for c in &g.clauses {
                self.clause(&c.vars, &c.value);
            }
        }
    }

    /// All ways the variables can range; none, with a mark, if there are too many.
    fn scopes(&mut self, vars: &[VarId], env: &Env) -> Vec<(Vec<crate::normal::Free>, Env)> {
        self.rules.scopes(vars, env).unwrap_or_else(|why| {
            self.stuck = Some(why);
            Vec::new()
        })
    }

    fn assume(&mut self, vars: &[VarId], value: &Expr, signs: Signs) {
        for (leaves, env) in self.scopes(vars, &Env::new()) {
            if let Ok(value) = self.rules.build(value, &env) {
                self.facts.push(Fact { value, variables: leaves.iter().map(|v| v.0).collect(), signs });
            }
        }
    }

    fn clause(&mut self, vars: &[VarId], value: &Expr) {
        for (_, env) in self.scopes(vars, &Env::new()) {
            self.walk(value, &env);
        }
    }

    fn need(&mut self, value: &Expr, sign: Sign, span: Span, env: &Env) {
        if self.signs(value, env).within(Signs::of(sign)) {
            return;
        }
        let mut vars = Vec::new();
        free_variables(value, &mut Vec::new(), &mut vars);
        let condition = Condition { vars: vars.clone(), sign, value: value.clone(), written: false };
        if self.backward {
            if !self.unmet.iter().any(|n| n.span == span) {
                self.unmet.push(Needed { condition, span });
            }
        } else if !self.conditions.iter().any(|c| c.value == condition.value && c.sign == sign) {
            self.assume(&vars, value, Signs::of(sign));
            self.conditions.push(condition);
        }
    }

    /// Visits every function application.
    fn walk(&mut self, e: &Expr, env: &Env) {
        match &e.kind {
            ExprKind::Number(_)
            | ExprKind::Param(_)
            | ExprKind::Size(_)
            | ExprKind::Access(..)
            | ExprKind::Equal(..) => {}
            ExprKind::Neg(a) => self.walk(a, env),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) => {
                self.walk(a, env);
                self.walk(b, env);
            }
            ExprKind::Div(a, b) => {
                self.walk(a, env);
                self.walk(b, env);
                self.need(b, Sign::NonZero, e.span, env);
            }
            ExprKind::Pow(a, k) => {
                self.walk(a, env);
                if *k < 0 {
                    self.need(a, Sign::NonZero, e.span, env);
                }
            }
            ExprKind::Call(f, a) => {
                self.walk(a, env);
                match f {
                    Function::Recip => self.need(a, Sign::NonZero, e.span, env),
                    Function::Rsqrt | Function::Sqrt | Function::Log => self.need(a, Sign::Positive, e.span, env),
                    _ => {}
                }
            }
            ExprKind::Sum(vars, body) | ExprKind::Max(vars, body) => {
                for (_, env) in self.scopes(vars, env) {
                    self.walk(body, &env);
                }
            }
            ExprKind::If { comparison, left, right, then, otherwise } => {
                self.walk(left, env);
                self.walk(right, env);
                let (yes, no) = match comparison {
                    Comparison::Greater => (Signs::POSITIVE, Signs::NEGATIVE.or(Signs::ZERO)),
                    Comparison::GreaterOrEqual => (Signs::POSITIVE.or(Signs::ZERO), Signs::NEGATIVE),
                };
                for (branch, signs) in [(then, yes), (otherwise, no)] {
                    let kept = self.guard(left, right, signs, env);
                    self.walk(branch, env);
                    self.facts.truncate(kept);
                }
            }
        }
    }

    /// Assumes `left - right` to have the signs; gives the number of facts before.
    fn guard(&mut self, left: &Expr, right: &Expr, signs: Signs, env: &Env) -> usize {
        let kept = self.facts.len();
        let difference: Normal<Poly> = (|| {
            let (l, r) = (self.rules.build(left, env)?, self.rules.build(right, env)?);
            Ok(self.rules.sub(&l, &r))
        })();
        if let Ok(value) = difference {
            self.facts.push(Fact { value, variables: Vec::new(), signs });
        }
        kept
    }

    /// The signs that an expression may have.
    fn signs(&mut self, e: &Expr, env: &Env) -> Signs {
        // Local names are looked through: one that reads another twice, and so on, would take for ever.
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            if self.steps > MAX_STEPS {
                self.stuck = Some(Stuck::TooLarge);
            }
            return Signs::ANY;
        }
        self.depth += 1;
        let signs = self.signs_within(e, env);
        self.depth -= 1;
        signs
    }

    fn signs_within(&mut self, e: &Expr, env: &Env) -> Signs {
        let shape = self.shape_signs(e, env);
        if shape.0.count_ones() == 1 || self.facts.is_empty() {
            return shape;
        }
        match self.rules.build(e, env) {
            Ok(p) => shape.and(self.known(&p)),
            Err(_) => shape,
        }
    }

    fn shape_signs(&mut self, e: &Expr, env: &Env) -> Signs {
        let number = |q: &crate::Rational| {
            if q.is_positive() {
                Signs::POSITIVE
            } else if q.is_zero() {
                Signs::ZERO
            } else {
                Signs::NEGATIVE
            }
        };
        match &e.kind {
            ExprKind::Number(q) => number(q),
            ExprKind::Param(p) => self.rules.statement.params()[p.0 as usize].sign.map_or(Signs::ANY, Signs::of),
            ExprKind::Size(_) => Signs::POSITIVE,
            ExprKind::Access(t, at) => {
                let mut signs = self.tensor_signs(*t, at, env);
                if at.iter().any(|i| self.may_be_undefined(i)) {
                    signs = signs.or(Signs::ZERO);
                }
                signs
            }
            ExprKind::Neg(a) => self.signs(a, env).negate(),
            ExprKind::Add(a, b) => self.signs(a, env).add(self.signs(b, env)),
            ExprKind::Sub(a, b) => self.signs(a, env).add(self.signs(b, env).negate()),
            ExprKind::Mul(a, b) => {
                let (s, t) = (self.signs(a, env), self.signs(b, env));
                let product = s.mul(t);
                if product.0.count_ones() > 1 && self.same(a, b, env) {
                    return if Signs::ZERO.within(s) { Signs::POSITIVE.or(Signs::ZERO) } else { Signs::POSITIVE };
                }
                product
            }
            // The divisor is not zero on the domain, or the condition is asked for elsewhere.
            ExprKind::Div(a, b) => {
                let t = self.signs(b, env);
                self.signs(a, env).mul(Signs(t.0 & !Signs::ZERO.0))
            }
            ExprKind::Pow(a, k) => {
                let s = self.signs(a, env);
                let s = if *k < 0 { Signs(s.0 & !Signs::ZERO.0) } else { s };
                if *k == 0 {
                    Signs::POSITIVE
                } else if k % 2 == 0 {
                    s.pairs(Signs::POSITIVE, |a, _| if a == Signs::ZERO { a } else { Signs::POSITIVE })
                } else {
                    s
                }
            }
            ExprKind::Call(f, a) => match f {
                Function::Exp | Function::Rsqrt | Function::Sqrt => Signs::POSITIVE,
                Function::Recip => Signs(self.signs(a, env).0 & !Signs::ZERO.0),
                Function::Tanh => self.signs(a, env),
                Function::Round => {
                    let s = self.signs(a, env);
                    s.or(Signs::ZERO)
                }
                Function::Log | Function::Sin | Function::Cos => Signs::ANY,
            },
            // Dimensions are positive: a sum has at least one term.
            ExprKind::Sum(vars, body) => {
                let one = self.over(vars, body, env);
                let sum = one.add(one);
                if sum == Signs::POSITIVE.or(Signs::ZERO) && self.weighted(vars, body, env) {
                    return Signs::POSITIVE;
                }
                sum
            }
            ExprKind::Max(vars, body) => self.over(vars, body, env),
            ExprKind::Equal(..) => Signs::POSITIVE.or(Signs::ZERO),
            ExprKind::If { comparison, left, right, then, otherwise } => {
                let (yes, no) = match comparison {
                    Comparison::Greater => (Signs::POSITIVE, Signs::NEGATIVE.or(Signs::ZERO)),
                    Comparison::GreaterOrEqual => (Signs::POSITIVE.or(Signs::ZERO), Signs::NEGATIVE),
                };
                let mut out = Signs(0);
                for (branch, signs) in [(then, yes), (otherwise, no)] {
                    let kept = self.guard(left, right, signs, env);
                    out = out.or(self.signs(branch, env));
                    self.facts.truncate(kept);
                }
                out
            }
        }
    }

    /// A sum of nonnegative weights times positive values is positive if the sum of the weights is.
    fn weighted(&mut self, vars: &[VarId], body: &Expr, env: &Env) -> bool {
        self.scopes(vars, env).into_iter().any(|(leaves, env)| {
            let Ok(p) = self.rules.build(body, &env) else { return false };
            match self.rules.without_positive_factors(&p).and_then(|w| self.rules.sum(&leaves, &w)) {
                Ok(total) => self.known(&total) == Signs::POSITIVE,
                Err(_) => false,
            }
        })
    }

    fn over(&mut self, vars: &[VarId], body: &Expr, env: &Env) -> Signs {
        let mut out = Signs(0);
        for (_, env) in self.scopes(vars, env) {
            out = out.or(self.signs(body, &env));
        }
        out
    }

    fn tensor_signs(&mut self, t: Tensor, at: &[Index], env: &Env) -> Signs {
        let statement = self.rules.statement;
        match t {
            Tensor::Local(i) | Tensor::BackwardLocal(i) => {
                let locals =
                    if matches!(t, Tensor::Local(_)) { statement.locals() } else { statement.backward_locals() };
                let Some(local) = locals.get(i as usize) else { return Signs::ANY };
                if local.kind == LocalKind::Any {
                    return Signs::ANY;
                }
                let ixs: Normal<Vec<Ix>> = at.iter().map(|x| self.rules.index(x, env)).collect();
                let Ok(ixs) = ixs else { return Signs::ANY };
                let env: Env = local.vars.iter().copied().zip(ixs).collect();
                self.signs(&local.value, &env)
            }
            Tensor::Output(i) => {
                let Some(output) = statement.outputs().get(i as usize) else { return Signs::ANY };
                let mut out = Signs(0);
                // Every clause at every place: enough, though not sharp.
                for c in &output.clauses {
                    let plain = c.at.iter().all(|x| matches!(x, Index::Variable(_)));
                    if plain {
                        let ixs: Normal<Vec<Ix>> = at.iter().map(|x| self.rules.index(x, env)).collect();
                        let Ok(ixs) = ixs else { return Signs::ANY };
                        let env: Env =
                            c.at.iter()
                                .zip(ixs)
                                .filter_map(|(p, ix)| if let Index::Variable(v) = p { Some((*v, ix)) } else { None })
                                .collect();
                        out = out.or(self.signs(&c.value, &env));
                    } else {
                        for (_, env) in self.scopes(&c.vars, &Env::new()) {
                            out = out.or(self.signs(&c.value, &env));
                        }
                    }
                }
                out
            }
            Tensor::Input(_) | Tensor::Constant(_) | Tensor::Cotangent(_) => Signs::ANY,
        }
    }

    fn may_be_undefined(&self, index: &Index) -> bool {
        match index {
            Index::Variable(_) => false,
            Index::Map(m, args) => {
                self.rules.statement.maps()[m.0 as usize].kind == MapKind::Partial
                    || args.iter().any(|a| self.may_be_undefined(a))
            }
        }
    }

    fn same(&mut self, a: &Expr, b: &Expr, env: &Env) -> bool {
        matches!((self.rules.build(a, env), self.rules.build(b, env)), (Ok(p), Ok(q)) if p == q)
    }

    /// What the facts say of a value: it equals a multiple of one of them.
    fn known(&mut self, p: &Poly) -> Signs {
        let mut out = Signs::ANY;
        for k in 0..self.facts.len() {
            let fact = self.facts[k].value.clone();
            let variables = self.facts[k].variables.clone();
            let signs = self.facts[k].signs;
            for choice in candidates(&fact, &variables, p) {
                // The fact speaks of points that exist; a read at an undefined one is zero.
                let mut undefined = Vec::new();
                choice.iter().for_each(|c| self.rules.definedness(&c.1, &mut undefined));
                if !undefined.is_empty() {
                    continue;
                }
                let instance = if choice.is_empty() {
                    Ok(fact.clone())
                } else {
                    self.rules.substitute(&fact, &|id| choice.iter().find(|c| c.0 == id).map(|c| c.1.clone()))
                };
                let Ok(instance) = instance else { continue };
                let (Some(a), Some(b)) = (p.leading(), instance.leading()) else { continue };
                let ratio = a / b;
                if instance.scaled(&ratio) == *p {
                    out = out.and(if ratio.is_positive() { signs } else { signs.negate() });
                }
            }
        }
        out
    }
}

/// Ways to choose the fact's variables so that one of its reads becomes one of the value's.
fn candidates(fact: &Poly, variables: &[u32], p: &Poly) -> Vec<Vec<(u32, Ix)>> {
    if variables.is_empty() {
        return vec![Vec::new()];
    }
    let reads = |p: &Poly| {
        let mut out: Vec<(Tensor, Vec<Ix>)> = Vec::new();
        p.contains(&mut |a| {
            if let Atom::Access(t, at) = a {
                out.push((*t, at.clone()));
            }
            false
        });
        out
    };
    let (patterns, targets) = (reads(fact), reads(p));
    let mut out = Vec::new();
    for (t, pattern) in &patterns {
        for (u, at) in &targets {
            if t != u {
                continue;
            }
            let mut found = Vec::new();
            let fits = pattern.iter().zip(at).all(|(x, y)| unify(x, y, variables, &mut found));
            if fits && variables.iter().all(|v| found.iter().any(|f: &(u32, Ix)| f.0 == *v)) && !out.contains(&found) {
                out.push(found);
            }
        }
    }
    out
}

fn unify(x: &Ix, y: &Ix, variables: &[u32], found: &mut Vec<(u32, Ix)>) -> bool {
    match (x, y) {
        // An index bound inside the value would lose its binder.
        (Ix::Free(id, _), y) if variables.contains(id) && y.any(0, &mut |ix, _| matches!(ix, Ix::Bound(..))) => false,
        (Ix::Free(id, _), y) if variables.contains(id) => match found.iter().find(|f| f.0 == *id) {
            Some(f) => f.1 == *y,
            None => {
                found.push((*id, y.clone()));
                true
            }
        },
        (Ix::Map(m, xs), Ix::Map(n, ys)) => {
            m == n && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| unify(x, y, variables, found))
        }
        (Ix::Inverse(m, k, x), Ix::Inverse(n, l, y)) => m == n && k == l && unify(x, y, variables, found),
        (x, y) => x == y,
    }
}

/// Index variables that occur free.
pub(crate) fn free_variables(e: &Expr, bound: &mut Vec<VarId>, out: &mut Vec<VarId>) {
    fn index(i: &Index, bound: &[VarId], out: &mut Vec<VarId>) {
        match i {
            Index::Variable(v) => {
                if !bound.contains(v) && !out.contains(v) {
                    out.push(*v);
                }
            }
            Index::Map(_, args) => args.iter().for_each(|a| index(a, bound, out)),
        }
    }
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Param(_) | ExprKind::Size(_) => {}
        ExprKind::Access(_, at) => at.iter().for_each(|i| index(i, bound, out)),
        ExprKind::Equal(a, b) => {
            index(a, bound, out);
            index(b, bound, out);
        }
        ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Call(_, a) => free_variables(a, bound, out),
        ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Div(a, b) => {
            free_variables(a, bound, out);
            free_variables(b, bound, out);
        }
        ExprKind::Sum(vars, body) | ExprKind::Max(vars, body) => {
            let kept = bound.len();
            bound.extend_from_slice(vars);
            free_variables(body, bound, out);
            bound.truncate(kept);
        }
        ExprKind::If { left, right, then, otherwise, .. } => {
            for part in [left, right, then, otherwise] {
                free_variables(part, bound, out);
            }
        }
    }
}
