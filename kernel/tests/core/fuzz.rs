//! Claims that random calls make, each checked by evaluation in small models.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use num_traits::One;
use pullback_kernel::Rational;
use pullback_kernel::core::{
    Claim, Context, Core, Function, Index, MapSignature, Name, Node, Proven, RULES, Sign, Term, Terms,
};

use crate::eval::{Env, Model, holds};

/// Dimension 0 is split into 1 and 2 by the maps 0 and 1; 3 is their product by the bijection 2, whose inverse is 3;
/// 4 is a partial map from 0 to 1, 5 a map from 0 to 2.
pub(crate) fn context() -> Context {
    let map = |from: &[u32], to: &[u32], total, inverse| MapSignature {
        from: from.to_vec(),
        to: to.to_vec(),
        total,
        inverse,
    };
    Context {
        maps: vec![
            map(&[1], &[0], true, None),
            map(&[2], &[0], true, None),
            map(&[1, 2], &[3], true, Some(3)),
            map(&[3], &[1, 2], true, Some(2)),
            map(&[0], &[1], false, None),
            map(&[0], &[2], true, None),
        ],
        splits: vec![(0, vec![0, 1])],
        directions: vec![vec![(0, 20), (1, 21), (3, 23)], vec![(2, 22), (6, 26)], vec![(4, 24)]],
    }
}

pub(crate) fn name(dimension: u32, number: u32) -> Name {
    Name { dimension, number }
}

/// Axes of the tensors from 0.
pub(crate) const AXES: [&[u32]; 8] = [&[0], &[0], &[0], &[0], &[2], &[1, 1], &[1], &[3]];

/// What the models satisfy.
pub(crate) fn assumptions(t: &Terms) -> Vec<Claim> {
    let (one, v, w) = (t.num(1), name(0, 0), name(0, 1));
    let read = |x, v| t.read(x, t.names(&[v]));
    let apart = |e| t.mul(one, t.sub(one, e));
    let half = t.number(Rational::new(1.into(), 2.into()));
    let gap = |a| t.sub(a, t.apply(Function::Floor, a));
    let (to, other) = (t.map(5, t.free(v)), t.map(5, t.free(w)));
    let at = |a| t.read(4, t.tuple(&[a]));
    vec![
        Claim::Fact(Sign::Pos, one, read(0, v)),
        Claim::Fact(Sign::NonZero, apart(t.delta(t.free(v), t.free(w))), t.sub(read(1, v), read(1, w))),
        Claim::Fact(Sign::NonZero, one, read(2, v)),
        Claim::Fact(Sign::NonZero, one, gap(read(3, v))),
        Claim::Fact(Sign::NonZero, one, gap(t.add(read(3, v), half))),
        Claim::Fact(Sign::NonZero, apart(t.delta(to, other)), t.sub(at(to), at(other))),
        Claim::Eq(t.read(5, t.names(&[name(1, 0), name(1, 1)])), t.mul(read(6, name(1, 0)), read(6, name(1, 1)))),
        Claim::Same(t.proj(0, t.map(5, t.free(v))), t.map(5, t.free(v))),
        Claim::Fact(Sign::NonNeg, one, t.sub(read(0, v), read(2, v))),
    ]
}
pub(crate) const ASSUMED: u32 = 9;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n as u64) as usize
    }
    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

fn hash(seed: u64, x: u32, l: &[usize]) -> u64 {
    let mut h = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(x).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    for n in l {
        h = (h ^ (*n as u64 + 1)).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^= h >> 29;
    }
    h
}

pub(crate) fn model(seed: u64) -> Model {
    let (n1, n2) = (1 + (seed % 2) as usize, 1 + (seed / 2 % 2) as usize);
    let map = move |m: u32, l: &[usize]| {
        let h = hash(seed, 100 + m, l);
        match (m, l) {
            (0, [n]) => Some(vec![*n]),
            (1, [n]) => Some(vec![n + n1]),
            (2, [n, k]) => Some(vec![n * n2 + k]),
            (3, [n]) => Some(vec![n / n2, n % n2]),
            (4, [_]) => (!h.is_multiple_of(3)).then(|| vec![(h / 3) as usize % n1]),
            (5, [_]) => Some(vec![h as usize % n2]),
            _ => None,
        }
    };
    let tensor = move |x: u32, l: &[usize]| tensor(seed, x, l);
    Model { sizes: vec![n1 + n2, n1, n2, n1 * n2], map: Box::new(map), tensor: Box::new(tensor) }
}

fn tensor(seed: u64, x: u32, l: &[usize]) -> Rational {
    let h = hash(seed, x, l);
    let whole = |n: i64| Rational::from_integer(n.into());
    let third = |n: i64| Rational::new(n.into(), 3.into());
    let first = l.first().copied().unwrap_or(0) as i64;
    match x {
        0 => Rational::new((1 + (h % 5) as i64).into(), (1 + (h / 5 % 3) as i64).into()),
        // Distinct along the first axis.
        1 | 4 => whole((first * 5 + seed as i64 * 2) % 7 - 3),
        // Not zero, and not greater than number 0 at the same place.
        2 if h.is_multiple_of(2) => tensor(seed, 0, l),
        2 => -Rational::one() - third((h % 4) as i64),
        // No integer and not half way.
        3 => whole((h % 5) as i64 - 2) + third(1 + (h / 5 % 2) as i64),
        5 => l.iter().map(|n| tensor(seed, 6, &[*n])).product(),
        _ => Rational::new(((h % 7) as i64 - 3).into(), (1 + (h / 7 % 2) as i64).into()),
    }
}

/// Random terms, and the claims so far by their forms.
pub(crate) struct Fuzz {
    pub(crate) core: Core,
    pub(crate) t: Rc<Terms>,
    pub(crate) random: Random,
    /// The claims so far, of those that are small.
    pub(crate) claims: Vec<(Proven, Claim)>,
    pub(crate) pool: Vec<Term>,
}

impl Fuzz {
    pub(crate) fn new(seed: u64) -> Fuzz {
        let core = Core::new(context(), assumptions);
        Fuzz { t: core.terms().clone(), core, random: Random(seed), claims: Vec::new(), pool: Vec::new() }
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }
    pub(crate) fn name(&mut self) -> Name {
        name(self.random.below(4) as u32, self.random.below(3) as u32)
    }
    pub(crate) fn name_of(&mut self, dimension: u32) -> Name {
        name(dimension, self.random.below(3) as u32)
    }
    /// An index of a dimension; sometimes one that need not be defined.
    pub(crate) fn index_of(&mut self, d: u32) -> Index {
        let t = self.t.clone();
        let plain = self.name_of(d);
        match (d, self.below(6)) {
            (0, 0) => t.map(0, self.index_of(1)),
            (0, 1) => t.map(1, self.index_of(2)),
            (1, 0 | 1) => t.map(4, self.index_of(0)),
            (1 | 2, 2) => t.proj(d - 1, t.map(3, self.index_of(3))),
            (2, 0 | 1) => t.map(5, self.index_of(0)),
            (3, 0 | 1) => t.map(2, t.pair(self.index_of(1), self.index_of(2))),
            _ => t.free(plain),
        }
    }
    pub(crate) fn index(&mut self) -> Index {
        let t = self.t.clone();
        let d = self.below(4) as u32;
        match self.below(6) {
            0 => t.pair(self.index_of(d), t.unit()),
            1 => {
                let e = self.below(4) as u32;
                t.pair(self.index_of(d), self.index_of(e))
            }
            2 => t.unit(),
            _ => self.index_of(d),
        }
    }
    pub(crate) fn read(&mut self) -> Term {
        let x = self.below(AXES.len());
        let at: Vec<Index> = AXES[x].iter().map(|d| self.index_of(*d)).collect();
        self.t.read(x as u32, self.t.tuple(&at))
    }
    pub(crate) fn number(&mut self) -> Term {
        let n = self.below(7) as i64 - 3;
        let d = 1 + self.below(2) as i64;
        self.t.number(Rational::new(n.into(), d.into()))
    }
    pub(crate) fn term(&mut self, depth: usize) -> Term {
        let t = self.t.clone();
        if depth == 0 {
            return match self.below(8) {
                0 => self.number(),
                1 => t.size(self.random.below(4) as u32),
                2 => {
                    let d = self.below(4) as u32;
                    t.delta(self.index_of(d), self.index_of(d))
                }
                3 => t.def(self.index()),
                _ => self.read(),
            };
        }
        if !self.pool.is_empty() && self.below(4) == 0 {
            return self.random.pick(&self.pool.clone());
        }
        let term = match self.below(9) {
            0 | 1 => t.add(self.term(depth - 1), self.term(depth - 1)),
            2 | 3 => t.mul(self.term(depth - 1), self.term(depth - 1)),
            4 => {
                let f = Function::ALL[self.below(Function::ALL.len())].0;
                t.apply(f, self.term(depth - 1))
            }
            5 => t.guard(self.term(depth - 1)),
            6 => {
                let v = self.name();
                t.sum(v, self.term(depth - 1))
            }
            7 => {
                let v = self.name();
                t.max(v, self.term(depth - 1))
            }
            _ => self.term(0),
        };
        if self.pool.len() < 60 {
            self.pool.push(term);
        } else {
            let k = self.below(60);
            self.pool[k] = term;
        }
        term
    }
    pub(crate) fn small(&mut self) -> Term {
        let depth = self.below(3);
        self.term(depth)
    }
    /// Another way to write a term.
    pub(crate) fn rewritten(&mut self, s: Term) -> Term {
        let t = self.t.clone();
        match (self.below(4), t.view(s)) {
            (0, Node::Add(a, b)) => t.add(b, a),
            (1, Node::Mul(a, b)) => t.mul(b, a),
            (2, _) => t.mul(t.num(1), s),
            _ => t.add(s, t.num(0)),
        }
    }
    pub(crate) fn guard(&mut self) -> Term {
        match self.below(3) {
            0 => self.small(),
            _ => self.t.num(1),
        }
    }
    pub(crate) fn sign(&mut self) -> Sign {
        let k = self.below(3);
        Sign::ALL[k].0
    }
}

/// A tree's size, up to a limit.
fn size(t: &Terms, s: Term, left: usize) -> usize {
    if left == 0 {
        return 1;
    }
    let size = |a, used: usize| size(t, a, left.saturating_sub(used));
    1 + match t.view(s) {
        Node::Add(a, b) | Node::Mul(a, b) => {
            let first = size(a, 1);
            first + size(b, 1 + first)
        }
        Node::Fn(_, a) | Node::Guard(a) => size(a, 1),
        Node::Sum(_, a) | Node::Max(_, a) => 2 * size(a, 1),
        _ => 0,
    }
}

const LARGEST: usize = 60;

struct Count {
    made: BTreeMap<&'static str, usize>,
    checked: usize,
    equations: usize,
}

/// Makes claims until so many equations were checked.
fn run(seed: u64, wanted: usize) -> Count {
    let models: Vec<Model> = (0..8).map(model).collect();
    let mut count = Count { made: BTreeMap::new(), checked: 0, equations: 0 };
    let rules: Vec<&'static str> = RULES.iter().flat_map(|r| r.iter()).map(|r| r.name).collect();
    let mut round = seed;
    while count.equations < wanted {
        round += 1;
        let mut fuzz = Fuzz::new(round.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
        for k in 0..rules.len() * 40 {
            let rule = rules[k % rules.len()];
            let Some(Ok(p)) = fuzz.call(rule) else { continue };
            let claim = fuzz.core.claim(p).expect("it was derived");
            *count.made.entry(rule).or_default() += 1;
            let terms = match claim {
                Claim::Eq(a, b) => vec![a, b],
                Claim::Same(..) => vec![],
                Claim::Fact(_, a, b) => vec![a, b],
                Claim::Deriv(_, a, b, c) => vec![a, b, c],
            };
            if terms.iter().any(|s| size(&fuzz.t, *s, LARGEST) >= LARGEST) {
                continue;
            }
            fuzz.claims.push((p, claim));
            if fuzz.claims.len() > 600 {
                let k = fuzz.below(600);
                fuzz.claims.swap_remove(k);
            }
            let mut known = false;
            for _ in 0..2 {
                let model = &models[fuzz.below(models.len())];
                let mut env: Env = HashMap::new();
                for d in 0..4u32 {
                    for n in 0..10 {
                        env.insert(name(d, n), fuzz.random.below(model.sizes[d as usize]));
                    }
                }
                if let Some(holds) = holds(&fuzz.core, claim, model, &env) {
                    known = true;
                    assert!(holds, "`{rule}` claims {claim:?}, seed {round}, {}", show(&fuzz.core, claim));
                }
            }
            count.checked += usize::from(known);
            count.equations += usize::from(known && matches!(claim, Claim::Eq(..)));
        }
    }
    count
}

fn show(core: &Core, claim: Claim) -> String {
    fn index(t: &Terms, a: Index) -> String {
        match t.view(a) {
            Node::Free(v) => format!("{}:{}", v.dimension, v.number),
            Node::Pair(a, b) => format!("{}, {}", index(t, a), index(t, b)),
            Node::Proj(k, a) => format!("{}.{k}", index(t, a)),
            Node::Map(m, a) => format!("m{m}({})", index(t, a)),
            other => format!("{other:?}"),
        }
    }
    fn term(t: &Terms, s: Term) -> String {
        match t.view(s) {
            Node::Num(q) => t.value(q).to_string(),
            Node::Read(x, a) => format!("x{x}[{}]", index(t, a)),
            Node::Delta(a, b) => format!("[{} == {}]", index(t, a), index(t, b)),
            Node::Def(a) => format!("def({})", index(t, a)),
            Node::Add(a, b) => format!("({} + {})", term(t, a), term(t, b)),
            Node::Mul(a, b) => format!("({} * {})", term(t, a), term(t, b)),
            Node::Fn(f, a) => format!("{f:?}({})", term(t, a)),
            Node::Guard(a) => format!("guard({})", term(t, a)),
            Node::Sum(d, a) => format!("sum{d}({})", term(t, a)),
            Node::Max(d, a) => format!("max{d}({})", term(t, a)),
            other => format!("{other:?}"),
        }
    }
    let t = core.terms();
    match claim {
        Claim::Eq(a, b) => format!("{} = {}", term(t, a), term(t, b)),
        Claim::Same(a, b) => format!("{} same {}", index(t, a), index(t, b)),
        Claim::Fact(k, g, e) => format!("{k:?} under {}: {}", term(t, g), term(t, e)),
        Claim::Deriv(_, g, s, d) => format!("under {}: d {} = {}", term(t, g), term(t, s), term(t, d)),
    }
}

/// The assumptions hold in the models, or nothing is tested.
#[test]
fn the_models_satisfy_the_assumptions() {
    let core = Core::new(context(), assumptions);
    for seed in 0..8 {
        let model = model(seed);
        for claim in core.assumptions() {
            for values in 0..64usize {
                let env: Env = (0..4u32)
                    .flat_map(|d| (0..10u32).map(move |n| (d, n)))
                    .map(|(d, n)| (name(d, n), (values / (1 + 3 * n as usize)) % model.sizes[d as usize]))
                    .collect();
                assert_eq!(holds(&core, *claim, &model, &env), Some(true), "{}", show(&core, *claim));
            }
        }
    }
}

#[test]
fn claims_made_at_random_hold() {
    let count = run(1, 10_000);
    for rule in RULES.iter().flat_map(|r| r.iter()) {
        let made = count.made.get(rule.name).copied().unwrap_or(0);
        assert!(made >= 10, "`{}` was reached {made} times", rule.name);
    }
}

/// The same, with a million equations: `cargo test --release -p pullback-kernel --test core -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_million_equations_made_at_random_hold() {
    let count = run(1_000_000, 1_000_000);
    for (rule, made) in &count.made {
        println!("{made:>8} {rule}");
        assert!(*made >= 500, "`{rule}` was reached {made} times");
    }
    println!("{} claims checked, {} of them equations", count.checked, count.equations);
}
