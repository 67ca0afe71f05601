//! Random forward formulas: the derived rule is proved, it is the adjoint at points, and a rule changed
//! in one place is proved only where it is equal.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

mod support;

use pullback_kernel::statement::Statement;
use pullback_kernel::syntax::{Contract, Expr, ExprKind, ItemKind, Operator, Place};
use pullback_kernel::{Outcome, parse, prove};
use support::{Points, Random, Truth, recheck, statement};

/// Dimensions of the statements: `m` and `n`, with `f: m -> n`, a partial `g: n -> m` and a bijection `r` of `n`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dim {
    M,
    N,
}

struct Generator {
    random: Random,
    /// Index variables in scope.
    scope: Vec<(String, Dim)>,
    names: usize,
    /// Names of tensors and their axes; the first `inputs` are inputs.
    tensors: Vec<(String, Vec<Dim>)>,
    /// Sums that are open: each doubles the size of the normal form.
    sums: usize,
}

impl Generator {
    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len())].clone()
    }

    /// An index for an axis: a variable in scope, or one through a map.
    fn index(&mut self, dim: Dim) -> Option<String> {
        let mut ways = Vec::new();
        for (v, d) in &self.scope {
            match (*d, dim) {
                (a, b) if a == b => {
                    ways.extend([v.clone(), v.clone(), v.clone()]);
                    if a == Dim::N {
                        ways.push(format!("r({v})"));
                    } else {
                        ways.push(format!("g(f({v}))"));
                    }
                }
                (Dim::M, Dim::N) => ways.push(format!("f({v})")),
                (Dim::N, Dim::M) => ways.push(format!("g({v})")),
                _ => {}
            }
        }
        (!ways.is_empty()).then(|| self.pick(&ways))
    }

    fn read(&mut self) -> String {
        for _ in 0..8 {
            let tensors = self.tensors.clone();
            let (name, axes) = self.pick(&tensors);
            let at: Option<Vec<String>> = axes.iter().map(|d| self.index(*d)).collect();
            match at {
                Some(at) if at.is_empty() => return name,
                Some(at) => return format!("{name}[{}]", at.join(", ")),
                None => {}
            }
        }
        "2".into()
    }

    /// Something positive, for denominators and roots.
    fn positive(&mut self, depth: usize) -> String {
        let inner = self.expression(depth.saturating_sub(1));
        match self.random.below(3) {
            0 => format!("(1 + ({inner})^2)"),
            1 => format!("(2 + sin({inner})^2)"),
            _ => format!("exp({inner} / 4)"),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(8) {
                0 => ["1", "2", "0.5", "|n|", "3"][self.random.below(5)].into(),
                1 if self.scope.len() >= 2 => {
                    let scope = self.scope.clone();
                    let (a, d) = self.pick(&scope);
                    match self.index(d) {
                        Some(b) => format!("[{a} == {b}]"),
                        None => a,
                    }
                }
                _ => self.read(),
            };
        }
        let d = depth - 1;
        match self.random.below(14) {
            0..=2 => format!("({} + {})", self.expression(d), self.expression(d)),
            3 => format!("({} - {})", self.expression(d), self.expression(d)),
            4..=6 => format!("{} * {}", self.factor(d), self.factor(d)),
            7 if self.sums < 2 => {
                self.names += 1;
                let v = format!("k{}", self.names);
                let (dim, name) = if self.random.chance(2) { (Dim::M, "m") } else { (Dim::N, "n") };
                self.scope.push((v.clone(), dim));
                self.sums += 1;
                let body = self.factor(d);
                self.sums -= 1;
                self.scope.pop();
                format!("(sum({v}: {name}) {body})")
            }
            8 => {
                let f = ["tanh", "sin", "cos", "erf", "atan", "expm1"][self.random.below(6)];
                format!("{f}({})", self.expression(d))
            }
            9 => format!("exp({} / 4)", self.factor(d)),
            10 => format!("{} / {}", self.factor(d), self.positive(d)),
            11 => {
                let f = ["log", "sqrt", "rsqrt", "recip"][self.random.below(4)];
                format!("{f}({})", self.positive(d))
            }
            12 => format!("{}^{}", self.factor(d), 2 + self.random.below(2)),
            _ => self.expression(d),
        }
    }

    fn factor(&mut self, depth: usize) -> String {
        let e = self.expression(depth);
        format!("({e})")
    }

    /// A whole statement, without a rule.
    fn contract(&mut self, seed: u64) -> String {
        let shapes: [&[Dim]; 5] = [&[], &[Dim::M], &[Dim::N], &[Dim::M, Dim::N], &[Dim::N, Dim::N]];
        let text = |axes: &[Dim]| {
            let names: Vec<&str> = axes.iter().map(|d| if *d == Dim::M { "m" } else { "n" }).collect();
            if names.is_empty() { String::new() } else { format!("[{}]", names.join(", ")) }
        };
        let mut out = format!(
            "contract random_{seed} version 1\ndims m, n\nmap f: m -> n\npartial map g: n -> m\nbijection r: n -> n\n"
        );
        let count = 1 + self.random.below(3);
        let inputs: Vec<String> = (0..count)
            .map(|k| {
                let axes = self.pick(&shapes).to_vec();
                let name = ["x", "u", "w"][k].to_owned();
                let declared = format!("{name}{}", text(&axes));
                self.tensors.push((name, axes));
                declared
            })
            .collect();
        out.push_str(&format!("input {}\n", inputs.join(", ")));
        let lets = self.random.below(2);
        for k in 0..=lets {
            let axes = self.pick(&shapes).to_vec();
            let (word, name) = if k < lets { ("let", "a") } else { ("output", "y") };
            self.scope = axes.iter().enumerate().map(|(k, d)| (["i", "j"][k].to_owned(), *d)).collect();
            let at: Vec<String> =
                self.scope.iter().map(|(v, d)| format!("{v}: {}", if *d == Dim::M { "m" } else { "n" })).collect();
            let at = if at.is_empty() { String::new() } else { format!("[{}]", at.join(", ")) };
            let depth = 2 + self.random.below(2);
            let value = self.expression(depth);
            out.push_str(&format!("{word} {name}{at} = {value}\n"));
            self.tensors.push((name.to_owned(), axes));
        }
        out
    }
}

fn random(seed: u64) -> String {
    let mut g = Generator { random: Random(seed), scope: vec![], names: 0, tensors: vec![], sums: 0 };
    g.contract(seed)
}

/// A clause of the rule, changed in one place.
fn perturbed(contract: &Contract, random: &mut Random) -> Contract {
    fn count(e: &Expr) -> usize {
        1 + match &e.kind {
            ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Call(_, a) | ExprKind::Reduce(_, _, a) => count(a),
            ExprKind::Binary(_, a, b) => count(a) + count(b),
            _ => 0,
        }
    }
    fn change(e: &mut Expr, at: &mut usize, random: &mut Random) {
        if *at == 0 {
            let old = e.clone();
            let boxed = |k: ExprKind| Box::new(Expr { kind: k, place: Place::default() });
            let number = |n: &str| ExprKind::Number(pullback_kernel::syntax::Number::new(n).unwrap());
            e.kind = match (&old.kind, random.below(3)) {
                (ExprKind::Binary(Operator::Add, a, b), 0) => ExprKind::Binary(Operator::Sub, a.clone(), b.clone()),
                (ExprKind::Binary(Operator::Sub, a, b), 0) => ExprKind::Binary(Operator::Add, a.clone(), b.clone()),
                (ExprKind::Binary(_, a, _), 1) => a.kind.clone(),
                (ExprKind::Binary(_, _, b), 2) => b.kind.clone(),
                (ExprKind::Pow(a, k), _) => ExprKind::Pow(a.clone(), k + 1),
                (ExprKind::Neg(a), _) => a.kind.clone(),
                (ExprKind::Call(_, a), 0) => a.kind.clone(),
                (_, 1) => ExprKind::Binary(Operator::Mul, boxed(number("2")), Box::new(old)),
                _ => ExprKind::Binary(Operator::Mul, Box::new(old.clone()), Box::new(old)),
            };
            *at = usize::MAX;
            return;
        }
        *at -= 1;
        let parts: Vec<&mut Expr> = match &mut e.kind {
            ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Call(_, a) | ExprKind::Reduce(_, _, a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            _ => vec![],
        };
        for p in parts {
            if *at != usize::MAX {
                change(p, at, random);
            }
        }
    }
    let mut out = contract.clone();
    let gradients: Vec<usize> =
        (0..out.items.len()).filter(|k| matches!(out.items[*k].kind, ItemKind::Gradient(_))).collect();
    let k = gradients[random.below(gradients.len())];
    if let ItemKind::Gradient(clause) = &mut out.items[k].kind {
        let mut at = random.below(count(&clause.value));
        change(&mut clause.value, &mut at, random);
    }
    out
}

#[derive(Default)]
struct Tally {
    statements: usize,
    proved: usize,
    undecided: Vec<String>,
    wrong: Vec<String>,
    changed: usize,
    refuted: usize,
    equal: usize,
    undecided_changes: usize,
    /// Counterexamples out of the range of the oracle's numbers.
    untold: usize,
}

fn decide(seed: u64, tally: &mut Tally) {
    let source = random(seed);
    let s = statement(&source);
    let derived = s.with_derived_rule();
    tally.statements += 1;
    let points = Points::draw(&derived, 5);
    let (truth, told) = points.judge(&derived);
    if truth == Truth::Differs {
        tally.wrong.push(format!("the derived rule differs:\n{derived}"));
    }
    match prove(&derived) {
        Outcome::Proved(_) => tally.proved += 1,
        Outcome::Refuted(c) => tally.wrong.push(format!("refuted\n{c}\n{derived}")),
        Outcome::Undecided(d) => tally.undecided.push(format!("{d}\n{derived}")),
    }
    assert!(told > 0 || points.len() == 0, "{told}\n{derived}");
    // The printed rule, changed.
    let (contracts, errors) = parse(&derived.to_string());
    assert!(errors.is_empty(), "{errors:?}\n{derived}");
    let mut random = Random(seed ^ 0x5eed);
    for _ in 0..3 {
        let changed = perturbed(&contracts[0], &mut random);
        let Ok(changed) = Statement::resolve(&changed) else { continue };
        tally.changed += 1;
        match (prove(&changed), points.judge(&changed).0) {
            (Outcome::Proved(_), Truth::Equal) => tally.equal += 1,
            (Outcome::Proved(_), Truth::Differs) => tally.wrong.push(format!("proved, but different:\n{changed}")),
            (Outcome::Refuted(c), _) => {
                tally.refuted += 1;
                match recheck(&changed, &c) {
                    Ok(true) => {}
                    Ok(false) => tally.untold += 1,
                    Err(e) => tally.wrong.push(format!("no counterexample: {e}\n{c}\n{changed}")),
                }
            }
            (Outcome::Undecided(_), _) => tally.undecided_changes += 1,
        }
    }
}

#[test]
fn derived_rules_are_proved_and_changed_ones_are_not() {
    // For a longer run: STATEMENTS=5000; for one: STATEMENTS=1 FIRST=4711.
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (first, count) = (number("FIRST", 1), number("STATEMENTS", 300));
    let mut tally = Tally::default();
    for seed in first..first + count {
        let start = std::time::Instant::now();
        decide(seed, &mut tally);
        let took = start.elapsed().as_secs_f64();
        if took > 1.0 {
            println!("{took:.1} s for {}", random(seed));
        }
    }
    println!(
        "{} statements, {} derived rules proved; {} changed rules: {} refuted, {} proved and equal, {} undecided",
        tally.statements, tally.proved, tally.changed, tally.refuted, tally.equal, tally.undecided_changes
    );
    for u in tally.undecided.iter().take(3) {
        println!("undecided: {u}");
    }
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.untold * 20 <= tally.refuted, "{} counterexamples were not evaluated again", tally.untold);
    // The normal form does not reach everything: sums of different denominators, mostly.
    assert!(tally.proved * 100 >= tally.statements * 95, "{} of {} are proved", tally.proved, tally.statements);
}
