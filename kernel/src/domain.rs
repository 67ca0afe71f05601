//! Which conditions an expression needs, and which of them follow from its shape: positivity reasoning.
//!
//! The domain of a statement is its `where` clauses plus the conditions of its functions that do not
//! follow from signs: a sum of exponentials is positive, a square plus a positive parameter is positive.
//! Signs are computed on the expression as written (a square is no longer visible in the normal form).
//! It must never say that a condition follows when some input of the domain breaks it.

use crate::budget::Meter;
use crate::derive::each;
use crate::limits::{INSTANCES, SIGN_DEPTH, SIGNS};
use crate::normal::{Atom, Env, Ix, Normal, Poly, Rules, Stuck, instances};
use crate::source::Span;
use crate::statement::{
    Comparison, Condition, Expr, ExprKind, Function, Index, LocalKind, MapKind, Sign, Statement, Tensor, VarId,
};
use num_traits::{One, Signed, Zero};

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
    /// What the branches say that are being looked at.
    guards: Vec<Fact>,
    /// `where` clauses and what the forward expressions need beside them.
    pub(crate) conditions: Vec<Condition>,
    /// Conditions of backward expressions that do not follow.
    pub(crate) unmet: Vec<Needed>,
    backward: bool,
    /// Whether the value of an `any` is looked at, which others are then what they are computed as.
    in_any: bool,
    /// Why some part was not looked at, if one was not: nothing may then be concluded.
    pub(crate) stuck: Option<Stuck>,
    steps: u32,
    depth: u32,
}

impl<'s> Domain<'s> {
    /// Nothing is known yet.
    fn new(statement: &'s Statement, meter: Meter) -> Domain<'s> {
        Domain {
            rules: Rules::new(statement, meter),
            facts: Vec::new(),
            guards: Vec::new(),
            conditions: Vec::new(),
            unmet: Vec::new(),
            backward: false,
            in_any: false,
            stuck: None,
            steps: 0,
            depth: 0,
        }
    }

    /// Collects the domain of the forward part: what is computed has its conditions, the values of `any` too.
    pub(crate) fn forward(statement: &'s Statement, meter: Meter) -> Domain<'s> {
        Domain::collect(statement, meter, true)
    }

    /// The domain whatever the values of `any` are: that of the forward part evaluated without them.
    pub(crate) fn without_any(statement: &'s Statement, meter: Meter) -> Domain<'s> {
        Domain::collect(statement, meter, false)
    }

    /// Each condition stands after those that it takes to evaluate it, and is assumed from there on only:
    /// one that is not defined where it fails would else vouch for itself.
    fn collect(statement: &'s Statement, meter: Meter, values_of_any: bool) -> Domain<'s> {
        let mut d = Domain::new(statement, meter);
        // Which locals are still to be looked at.
        let mut left: Vec<bool> =
            statement.locals().iter().map(|l| l.kind == LocalKind::Let || values_of_any).collect();
        let mut wheres: Vec<&Condition> = statement.wheres().iter().collect();
        while !wheres.is_empty() {
            // One that needs nothing beside those before it, or else the first with what it needs.
            let at = if wheres.len() == 1 { None } else { (0..wheres.len()).find(|k| d.is_ready(wheres[*k], &left)) };
            let c = wheres.remove(at.unwrap_or(0));
            d.walk_condition(c, &mut left);
            d.assume(&c.vars, &c.value, Signs::of(c.sign));
            d.conditions.push(c.clone());
        }
        for k in 0..left.len() {
            d.walk_local(k, &mut left);
        }
        for output in statement.outputs() {
            for c in &output.clauses {
                d.clause(&c.vars, &c.value);
            }
        }
        d
    }

    /// Signs where these conditions hold, and no others.
    pub(crate) fn knowing(statement: &'s Statement, known: &[Condition], meter: Meter) -> Domain<'s> {
        let mut d = Domain::new(statement, meter);
        d.conditions = known.to_vec();
        known.iter().for_each(|c| d.assume(&c.vars, &c.value, Signs::of(c.sign)));
        d
    }

    /// Whether evaluating the condition needs nothing that is not known yet.
    fn is_ready(&mut self, c: &Condition, left: &[bool]) -> bool {
        let (facts, conditions) = (self.facts.len(), self.conditions.len());
        self.walk_condition(c, &mut left.to_vec());
        let ready = self.conditions.len() == conditions;
        self.facts.truncate(facts);
        self.conditions.truncate(conditions);
        ready
    }

    /// What a condition itself needs: a logarithm in it, or in a local that it reads, has a domain of its own.
    fn walk_condition(&mut self, c: &Condition, left: &mut [bool]) {
        let statement = self.rules.statement;
        // Locals read earlier ones: the last first.
        let mut read = vec![false; left.len()];
        let note = |e: &Expr, read: &mut Vec<bool>| {
            each(e, &mut |x| {
                if let ExprKind::Access(Tensor::Local(k), _) = &x.kind
                    && let Some(read) = read.get_mut(*k as usize)
                {
                    *read = true;
                }
            });
        };
        note(&c.value, &mut read);
        for k in (0..read.len()).rev() {
            if read[k] {
                note(&statement.locals()[k].value, &mut read);
            }
        }
        for (k, read) in read.into_iter().enumerate() {
            if read {
                self.walk_local(k, left);
            }
        }
        self.clause(&c.vars, &c.value);
    }

    /// What a local needs, once.
    fn walk_local(&mut self, k: usize, left: &mut [bool]) {
        if std::mem::take(&mut left[k]) {
            let local = &self.rules.statement.locals()[k];
            self.in_any = local.kind == LocalKind::Any;
            self.clause(&local.vars, &local.value);
            self.in_any = false;
        }
    }

    /// Whether a condition holds at all points of the domain. What it takes to evaluate it is not asked.
    pub(crate) fn implies(&mut self, c: &Condition) -> bool {
        let asked = Signs::of(c.sign);
        let scopes = self.scopes(&c.vars, &Env::new());
        let follows = scopes.into_iter().all(|(_, env)| self.signs(&c.value, &env).within(asked));
        (follows || self.is_given(c)) && self.stuck.is_none()
    }

    /// Whether one of the conditions says the same, up to the names of its variables.
    fn is_given(&mut self, c: &Condition) -> bool {
        let statement = self.rules.statement;
        let dims = |c: &Condition| c.vars.iter().map(|v| statement.dim_of(*v)).collect::<Vec<_>>();
        for given in self.conditions.clone() {
            if dims(&given) != dims(c) || !Signs::of(given.sign).within(Signs::of(c.sign)) {
                continue;
            }
            let same = self.scopes(&c.vars, &Env::new()).into_iter().all(|(_, env)| {
                let at = |v: &VarId| env.get(v).cloned();
                let theirs: Env = given.vars.iter().zip(&c.vars).filter_map(|(g, v)| Some((*g, at(v)?))).collect();
                matches!(
                    (self.rules.build(&given.value, &theirs), self.rules.build(&c.value, &env)),
                    (Ok(p), Ok(q)) if p == q
                )
            });
            if same {
                return true;
            }
        }
        false
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

    fn reads_any(&self, p: &Poly) -> bool {
        let locals = self.rules.statement.locals();
        let any = |k: u32| locals.get(k as usize).is_some_and(|l| l.kind == LocalKind::Any);
        p.contains(&mut |a| matches!(a, Atom::Access(Tensor::Local(k), _) if any(*k)))
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
            // The condition stands without the guards of the branch that asks for it, and is defined without them.
            let guards = std::mem::take(&mut self.guards);
            if !guards.is_empty() {
                self.walk(value, env);
            }
            self.guards = guards;
            let known = self.facts.len();
            self.assume(&vars, value, Signs::of(sign));
            // The rest must be defined whatever these values are, so that a condition on them tells it nothing.
            if self.facts[known..].iter().any(|f| self.reads_any(&f.value)) {
                self.facts.truncate(known);
            }
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
                    Function::Log1p => {
                        let one = Expr { kind: ExprKind::Number(crate::Rational::one()), span: a.span };
                        let sum = ExprKind::Add(Box::new(one), a.clone());
                        self.need(&Expr { kind: sum, span: a.span }, Sign::Positive, e.span, env);
                    }
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
                    self.guards.truncate(kept);
                }
            }
        }
    }

    /// Assumes `left - right` to have the signs, in a branch; gives the number of such facts before.
    fn guard(&mut self, left: &Expr, right: &Expr, signs: Signs, env: &Env) -> usize {
        let kept = self.guards.len();
        let difference: Normal<Poly> = (|| {
            let (l, r) = (self.rules.build(left, env)?, self.rules.build(right, env)?);
            Ok(self.rules.sub(&l, &r))
        })();
        if let Ok(value) = difference {
            self.guards.push(Fact { value, variables: Vec::new(), signs });
        }
        kept
    }

    /// The signs that an expression may have.
    fn signs(&mut self, e: &Expr, env: &Env) -> Signs {
        // Local names are looked through: one that reads another twice, and so on, would take for ever.
        self.steps += 1;
        if self.steps > SIGNS || self.depth > SIGN_DEPTH {
            if self.steps > SIGNS {
                let why = Stuck::past("expressions whose sign is asked for", SIGNS.into());
                self.stuck = Some(why.at(e.span));
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
        if shape.0.count_ones() == 1 {
            return shape;
        }
        match self.rules.build(e, env) {
            Ok(p) => shape.and(self.term_signs(&p)).and(self.known(&p)),
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
                Function::Exp | Function::Rsqrt | Function::Sqrt | Function::Erfc => Signs::POSITIVE,
                Function::Recip => Signs(self.signs(a, env).0 & !Signs::ZERO.0),
                Function::Tanh | Function::Erf | Function::Atan | Function::Log1p | Function::Expm1 => {
                    self.signs(a, env)
                }
                Function::Round => {
                    let s = self.signs(a, env);
                    s.or(Signs::ZERO)
                }
                Function::Floor => {
                    let s = self.signs(a, env);
                    if Signs::POSITIVE.within(s) { s.or(Signs::ZERO) } else { s }
                }
                Function::Log | Function::Sin | Function::Cos => Signs::ANY,
            },
            // Dimensions are positive: a sum has at least one term.
            ExprKind::Sum(vars, body) => {
                let one = self.over(vars, body, env);
                let sum = one.add(one);
                let not_negative = sum == Signs::POSITIVE.or(Signs::ZERO);
                if not_negative
                    && (self.weighted(vars, body, env) || self.attained(vars, body, env) || self.counts_ties(e, env))
                {
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
                    self.guards.truncate(kept);
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

    /// A sum of values that are not negative is positive if one of them is: that at an index which the body reads.
    fn attained(&mut self, vars: &[VarId], body: &Expr, env: &Env) -> bool {
        self.scopes(vars, env).into_iter().any(|(leaves, env)| {
            let Ok(p) = self.rules.build(body, &env) else { return false };
            if !p.contains(&mut |a| matches!(a, Atom::Equal(..))) {
                return false;
            }
            let mut others: Vec<Ix> = Vec::new();
            p.any(0, &mut |ix, _| {
                if matches!(ix, Ix::Free(id, _) if leaves.iter().all(|l| l.0 != *id)) && !others.contains(ix) {
                    others.push(ix.clone());
                }
                false
            });
            let (mut instances, mut left) = (vec![p], INSTANCES);
            for leaf in &leaves {
                let mut next = Vec::new();
                for (p, ix) in instances.iter().flat_map(|p| others.iter().map(move |ix| (p, ix))) {
                    let fits = matches!(ix, Ix::Free(_, d) if *d == leaf.1);
                    if !fits || left == 0 {
                        continue;
                    }
                    left -= 1;
                    next.extend(self.rules.substitute(p, &|id| (id == leaf.0).then(|| ix.clone())));
                }
                instances = next;
            }
            instances.iter().any(|p| self.term_signs(p).and(self.known(p)) == Signs::POSITIVE)
        })
    }

    /// What the terms of a normal form say.
    fn term_signs(&self, p: &Poly) -> Signs {
        let one_side = |p: &Poly| match (self.rules.has_positive_terms(p), self.rules.has_nonnegative_terms(p)) {
            (true, _) => Signs::POSITIVE,
            (_, true) => Signs::POSITIVE.or(Signs::ZERO),
            _ => Signs::ANY,
        };
        one_side(p).and(one_side(&p.scaled(&-crate::Rational::one())).negate())
    }

    /// A maximum is attained: the number of arguments that attain it, counted over all of them, is at least one.
    fn counts_ties(&mut self, sum: &Expr, env: &Env) -> bool {
        let Ok(p) = self.rules.build(sum, env) else { return false };
        let mut terms = p.terms.iter();
        let (Some((m, c)), None) = (terms.next(), terms.next()) else { return false };
        let [(Atom::Attains(dims, _, at), _)] = m.factors.as_slice() else { return false };
        // Every place of the maximum once.
        let slot = |ix: &Ix| match ix {
            Ix::Bound(0, slot) => m.bound.get(usize::from(*slot)).map(|dim| (*slot, *dim)),
            _ => None,
        };
        let slots: Option<Vec<_>> = at.iter().map(slot).collect();
        let Some(slots) = slots else { return false };
        let all = (0..m.bound.len()).all(|k| slots.iter().any(|s| usize::from(s.0) == k));
        let own = slots.iter().map(|s| s.1).eq(dims.iter().copied());
        c.is_positive() && all && own && dims.len() == m.bound.len()
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
                if local.kind == LocalKind::Any && !self.in_any {
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

    /// What the facts say of a value, each at all instances that its reads suggest.
    fn known(&mut self, p: &Poly) -> Signs {
        let mut out = Signs::ANY;
        for k in 0..self.facts.len() + self.guards.len() {
            let fact = self.facts.get(k).or_else(|| self.guards.get(k - self.facts.len()));
            let Some((value, variables, signs)) = fact.map(|f| (f.value.clone(), f.variables.clone(), f.signs)) else {
                continue;
            };
            for choice in instances(self.rules.statement, &value, &variables, p) {
                // The fact speaks of points that exist; a read at an undefined one is zero.
                let mut undefined = Vec::new();
                choice.iter().for_each(|c| self.rules.definedness(&c.1, &mut undefined));
                if !undefined.is_empty() {
                    continue;
                }
                let instance = if choice.is_empty() {
                    Ok(value.clone())
                } else {
                    self.rules.substitute(&value, &|id| choice.iter().find(|c| c.0 == id).map(|c| c.1.clone()))
                };
                let Ok(instance) = instance else { continue };
                out = out.and(self.multiple(p, &instance, signs)).and(self.not_zero(p, &instance, signs));
            }
        }
        out
    }

    /// `p` is a multiple of something of known signs, and a rest whose sign its terms tell: x - y > 0 says that
    /// x - y + 1 is positive.
    fn multiple(&self, p: &Poly, known: &Poly, signs: Signs) -> Signs {
        let Some((leading, b)) = known.terms.last_key_value() else { return Signs::ANY };
        let Some(a) = p.terms.get(leading) else { return Signs::ANY };
        let ratio = a / b;
        let rest = self.rules.sub(p, &known.scaled(&ratio));
        let rest = if rest.is_zero() { Signs::ZERO } else { self.term_signs(&rest) };
        rest.add(if ratio.is_positive() { signs } else { signs.negate() })
    }

    /// `p` is not zero if something of known signs would have none of them where p is: x^2 > 0 says that x is not
    /// zero, and so does |x| > 1.
    fn not_zero(&mut self, p: &Poly, known: &Poly, signs: Signs) -> Signs {
        let Ok(there) = self.rules.where_zero(p, known) else { return Signs::ANY };
        let breaks = |v: &Poly| {
            let v = if v.is_zero() { Signs::ZERO } else { self.term_signs(v) };
            v.and(signs) == Signs(0)
        };
        if there.iter().any(breaks) { Signs::POSITIVE.or(Signs::NEGATIVE) } else { Signs::ANY }
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
