//! Kernels against the reference evaluator: all statements of the library, both sides.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails where it unwraps nothing, and reports counts"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pullback_kernel::eval::{self, Forward, Point};
use pullback_kernel::statement::{Condition, MapKind, Sign, Statement, Tensor};
use pullback_kernel::{domain, load};
use pullback_schedule::{Index, Role, Routine, Step, schedule, schedule_forward};

use super::{Machine, Setting, Violation, code, nest};
use crate::execute::memory::{Inputs, Memory, Segment, Slot};
use crate::random::statement::{Style, text};

/// A small generator of our own: the same draws on every machine.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() as f64 / (1u64 << 53) as f64)
    }
}

fn library() -> Vec<(PathBuf, Statement)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts");
    let mut files = vec![];
    for family in std::fs::read_dir(root).unwrap() {
        let family = family.unwrap().path();
        if family.is_dir() {
            files.extend(std::fs::read_dir(family).unwrap().map(|f| f.unwrap().path()));
        }
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let (statements, diagnostics) = load(&std::fs::read_to_string(&path).unwrap());
            assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", path.display());
            let statement = statements[0].clone();
            (path, if statement.gradients().is_none() { statement.with_derived_rule() } else { statement })
        })
        .collect()
}

fn product(sizes: &[usize], dims: &[pullback_kernel::statement::DimId]) -> usize {
    dims.iter().map(|d| sizes[d.0 as usize]).product()
}

/// Sizes up to `largest` that fit the statement's bijections and splits.
fn sizes(statement: &Statement, draws: &mut Draws, largest: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = statement.dims().iter().map(|_| 1 + draws.below(largest)).collect();
    for split in statement.splits() {
        let whole = split.parts.iter().map(|m| product(&sizes, &statement.maps()[m.0 as usize].from)).sum();
        sizes[split.whole.0 as usize] = whole;
    }
    for map in statement.maps().iter().filter(|m| m.kind == MapKind::Bijection) {
        sizes[map.to.0 as usize] = product(&sizes, &map.from);
    }
    sizes
}

fn maps(statement: &Statement, sizes: &[usize], draws: &mut Draws) -> Vec<Vec<Option<usize>>> {
    let mut filled = vec![0; statement.splits().len()];
    let straight = draws.below(2) == 0;
    statement
        .maps()
        .iter()
        .map(|map| {
            let (from, to) = (product(sizes, &map.from), sizes[map.to.0 as usize]);
            match map.kind {
                MapKind::Part { split, .. } => {
                    let start = filled[split as usize];
                    filled[split as usize] += from;
                    (start..start + from).map(Some).collect()
                }
                MapKind::Bijection => {
                    let mut order: Vec<usize> = (0..to).collect();
                    if !straight {
                        (1..to).for_each(|i| order.swap(i, draws.below(i + 1)));
                    }
                    order.into_iter().map(Some).collect()
                }
                MapKind::Total => (0..from).map(|i| Some(if straight { i % to } else { draws.below(to) })).collect(),
                MapKind::Partial => (0..from).map(|_| Some(draws.below(to + 1)).filter(|t| *t < to)).collect(),
            }
        })
        .collect()
}

fn point(statement: &Statement, draws: &mut Draws, largest: usize) -> Point<f64> {
    let sizes = sizes(statement, draws, largest);
    let maps = maps(statement, &sizes, draws);
    let low = if draws.below(4) == 0 { -1.5 } else { 0.2 };
    let mut data = |axes: &[pullback_kernel::statement::DimId]| -> Vec<f64> {
        (0..product(&sizes, axes)).map(|_| draws.real(low, 1.8)).collect()
    };
    let constants = statement.constants().iter().map(|c| data(&c.axes)).collect();
    let inputs = statement.inputs().iter().map(|c| data(&c.axes)).collect();
    let params = statement.params().iter().map(|_| draws.real(0.1, 1.0)).collect();
    Point { sizes, maps, params, constants, inputs }
}

/// What a routine makes, by role.
type Made = Vec<(Role, Vec<f64>)>;

/// Runs a routine.
fn run(
    routine: &Routine,
    statement: &Statement,
    point: &Point<f64>,
    given: &dyn Fn(Tensor) -> Vec<f64>,
) -> Result<Made, (Violation, Arc<str>)> {
    let maps: Vec<&[Option<usize>]> = point.maps.iter().map(Vec::as_slice).collect();
    let setting = Setting { statement, sizes: &point.sizes, maps: &maps, params: &point.params };
    let code = code(nest(routine, setting)).unwrap();
    let mut arena = vec![f64::NAN; 3];
    let mut slots = vec![];
    for (buffer, length) in routine.buffers.iter().zip(&code.lengths) {
        slots.push(Slot { segment: Segment::Arena, at: arena.len() as u32 });
        match buffer.role {
            Role::Given(tensor) => arena.extend(given(tensor)),
            _ => arena.extend(std::iter::repeat_n(f64::NAN, *length)),
        }
    }
    let mut machine = Machine::new();
    machine.fit(&code);
    for _ in 0..2 {
        let mut memory = Memory {
            arena: &mut arena,
            constants: &[],
            inputs: Inputs::Given(&[]),
            seeds: &[],
            outputs: &mut [],
            gradients: &mut [],
        };
        machine
            .run(&code, &slots, &mut memory)
            .map_err(|v| (v, code.checks[v.check as usize].condition.text.clone()))?;
    }
    let made = routine.buffers.iter().zip(&slots).zip(&code.lengths).filter_map(|((buffer, slot), length)| {
        let values = arena[slot.at as usize..slot.at as usize + length].to_vec();
        (!matches!(buffer.role, Role::Given(_) | Role::Local)).then_some((buffer.role, values))
    });
    Ok(made.collect())
}

fn close(what: &dyn std::fmt::Debug, expected: &[f64], got: &[f64]) -> Result<(), String> {
    let scale = expected.iter().fold(1e-3f64, |s, v| s.max(v.abs()));
    let near = |e: f64, g: f64| (e - g).abs() <= 1e-12 * scale;
    match expected.iter().zip(got).position(|(e, g)| !near(*e, *g)) {
        None if expected.len() == got.len() => Ok(()),
        at => Err(format!("{what:?} at {at:?}: expected {expected:?}, got {got:?}")),
    }
}

fn compare(what: &str, statement: &Statement, point: &Point<f64>, draws: &mut Draws) -> bool {
    agrees(statement, point, draws, &|routine| routine).unwrap_or_else(|difference| panic!("{what}: {difference}"))
}

/// The routines of a statement, after something was done to them, against the evaluator: whether the point is in the domain.
fn agrees(
    statement: &Statement,
    point: &Point<f64>,
    draws: &mut Draws,
    changed: &dyn Fn(Routine) -> Routine,
) -> Result<bool, String> {
    let conditions = domain(statement);
    let named: Vec<(Condition, String)> = conditions.iter().map(|c| (c.clone(), statement.show_condition(c))).collect();
    let schedule = schedule(statement, &named).unwrap();
    let (forward, backward) = (changed(schedule.forward), changed(schedule.backward));
    let of_inputs = |t: Tensor| match t {
        Tensor::Input(i) => point.inputs[i as usize].clone(),
        Tensor::Constant(i) => point.constants[i as usize].clone(),
        other => panic!("{other:?} is not given"),
    };
    let got = run(&forward, statement, point, &of_inputs);
    let values: Forward<f64> = match eval::forward(statement, point) {
        Ok(values) if eval::outside(statement, &conditions, point, &values) == Ok(None) => values,
        _ => {
            return match got {
                Err((_, text)) if named.iter().any(|(_, t)| **t == *text) => Ok(false),
                other => Err(format!("outside of the domain: {other:?}")),
            };
        }
    };
    let value = |t: Tensor| match t {
        Tensor::Output(i) => values.outputs[i as usize].clone(),
        Tensor::Local(i) => values.locals[i as usize].clone(),
        other => of_inputs(other),
    };
    let made = |role: &Role| match role {
        Role::Result(t) => value(*t),
        other => panic!("{other:?} in a forward routine"),
    };
    let inside = |(_, text): (Violation, Arc<str>)| format!("outside of `{text}`");
    for (role, got) in got.map_err(inside)? {
        close(&role, &made(&role), &got)?;
    }
    for (role, got) in run(&schedule_forward(statement, &named), statement, point, &of_inputs).map_err(inside)? {
        assert!(matches!(role, Role::Result(Tensor::Output(_))), "{role:?}");
        close(&("alone", role), &made(&role), &got)?;
    }
    let cotangents: Vec<Vec<f64>> =
        values.outputs.iter().map(|o| o.iter().map(|_| draws.real(-1.0, 1.0)).collect()).collect();
    let expected = eval::backward(statement, point, &values, &cotangents).map_err(|e| e.to_string())?;
    let given = |t: Tensor| match t {
        Tensor::Cotangent(i) => cotangents[i as usize].clone(),
        other => value(other),
    };
    for (role, got) in run(&backward, statement, point, &given).map_err(inside)? {
        let Role::Gradient(i) = role else { panic!("{role:?} in a backward routine") };
        close(&role, &expected[i as usize], &got)?;
    }
    Ok(true)
}

#[test]
fn every_statement_of_the_library_computes_what_it_says() {
    for (path, statement) in library() {
        let mut inside = 0;
        for seed in 1..25u64 {
            let mut draws = Draws(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let largest = if statement.dims().len() > 6 { 3 } else { 5 };
            let point = point(&statement, &mut draws, largest);
            let what = format!("{} seed {seed} sizes {:?}", path.display(), point.sizes);
            inside += usize::from(compare(&what, &statement, &point, &mut draws));
        }
        assert!(inside > 5, "{}: only {inside} of the draws were inside of the domain", path.display());
    }
}

/// Whether each kind of index that a product may have stands in a matrix product of the routine: plain, part, another map.
#[derive(Default, Debug)]
struct Kinds {
    products: usize,
    target_in_part: usize,
    operand_in_part: usize,
}

impl Kinds {
    fn see(&mut self, statement: &Statement, steps: &[Step]) {
        let in_part = |at: &[Index]| {
            at.iter().any(|i| {
                matches!(i, Index::Map(m, _) if matches!(statement.maps()[m.0 as usize].kind, MapKind::Part { .. }))
            })
        };
        for step in steps {
            match step {
                Step::Loop { body, .. } => self.see(statement, body),
                Step::Gemm(g) => {
                    self.products += 1;
                    self.target_in_part += usize::from(in_part(&g.target.at));
                    self.operand_in_part += usize::from(in_part(&g.left.at) || in_part(&g.right.at));
                }
                _ => {}
            }
        }
    }
}

/// A random statement with a derived rule.
fn random(seed: u64) -> Option<Statement> {
    let mut bits = pullback_scalar::SplitMix64(seed);
    let style = Style { rational: seed.is_multiple_of(2), mild: true, products: seed % 4 != 3 };
    let text = text(&format!("random_{seed}"), style, &mut || bits.next_u64());
    let (statements, diagnostics) = load(&text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    Some(statements[0].with_derived_rule()).filter(|s| s.gradients().is_some())
}

/// Sums of products whose indices are of every kind, at ones and at other sizes.
#[test]
fn random_statements_compute_what_they_say() {
    let count: u64 = std::env::var("STATEMENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let (mut inside, mut kinds) = (0, Kinds::default());
    for seed in 0..count {
        let Some(statement) = random(seed) else { continue };
        let scheduled = schedule(&statement, &[]).unwrap();
        kinds.see(&statement, &scheduled.forward.steps);
        kinds.see(&statement, &scheduled.backward.steps);
        for largest in [1, 2, 4] {
            let mut draws = Draws((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ largest as u64);
            let point = point(&statement, &mut draws, largest);
            match agrees(&statement, &point, &mut draws, &|routine| routine) {
                Ok(defined) => inside += u64::from(defined),
                Err(difference) => {
                    panic!("{difference}\nsizes {:?}, maps {:?}, of\n{statement}", point.sizes, point.maps)
                }
            }
        }
    }
    println!("{inside} points, {kinds:?}");
    assert_eq!(inside, 3 * count);
    assert!(kinds.products as u64 > count / 2 && kinds.target_in_part as u64 > count / 30, "{kinds:?}");
    assert!(kinds.operand_in_part as u64 > count / 8, "{kinds:?}");
}

/// Does something to each step, those in loops too.
fn each_step(steps: &mut [Step], f: &mut impl FnMut(&mut Step)) {
    for step in steps {
        if let Step::Loop { body, .. } = step {
            each_step(body, f);
        }
        f(step);
    }
}

/// The comparison sees what was wrong once, and what is wrong in the same way:
/// a product that does not step through a part of a split, a part that is taken for its neighbour, an addition that overwrites.
#[test]
fn wrong_routines_are_seen() {
    /// Every product stays at the first place of a part that its variables run through.
    fn without_steps(mut routine: Routine) -> Routine {
        each_step(&mut routine.steps, &mut |step| {
            let Step::Gemm(g) = step else { return };
            let own: Vec<_> = g.m.iter().chain(&g.n).chain(&g.k).copied().collect();
            for index in g.target.at.iter_mut().chain(&mut g.left.at).chain(&mut g.right.at) {
                if matches!(index, Index::Map(..)) {
                    *index = index.replace(&|v| own.contains(&v).then_some(Index::First));
                }
            }
        });
        routine
    }
    fn overwriting(mut routine: Routine) -> Routine {
        each_step(&mut routine.steps, &mut |step| {
            if let Step::Add { target, at, value } = step {
                *step = Step::Set { target: *target, at: at.clone(), value: value.clone() };
            }
        });
        routine
    }
    let wrongs: [(&dyn Fn(Routine) -> Routine, usize); 2] = [(&without_steps, 8), (&overwriting, 20)];
    for (wrong, least) in wrongs {
        let seen = (0..150u64).filter_map(random).filter(|statement| {
            let mut draws = Draws(77);
            let point = point(statement, &mut draws, 4);
            agrees(statement, &point, &mut draws, wrong).is_err()
        });
        let seen = seen.count();
        println!("{seen} statements show it");
        assert!(seen >= least, "{seen}");
    }
}

/// A product whose matrices are none, because maps stand around their variables, is the loops that say the same.
#[test]
fn a_product_through_any_map_is_a_sum() {
    let source = "contract through version 1\ndims m, n, k\nmap f: m -> n\nbijection r: n -> n\npartial map g: k -> n\n\
                  input x[n, n], w[n, n]\noutput y[i: m, j: n] = sum(c: k) x[f(i), g(c)] * w[g(c), r(j)]\n";
    let statement = load(source).0.remove(0);
    let var = |at: usize| statement.variables().iter().position(|v| v.name.text == ["i", "j", "c"][at]).unwrap() as u32;
    let [i, j, c] = [0, 1, 2].map(|at| pullback_schedule::Var(var(at)));
    let through = |map: &str, v| {
        let at = statement.maps().iter().position(|m| m.name.text == map).unwrap();
        Index::Map(pullback_kernel::statement::MapId(at as u32), vec![Index::Var(v)])
    };
    let mut routine = schedule_forward(&statement, &[]);
    let buffer =
        |name: &str| pullback_schedule::BufferId(routine.buffers.iter().position(|b| b.name == name).unwrap() as u32);
    let operand = |name: &str, at| pullback_schedule::Operand { buffer: buffer(name), at };
    let product = pullback_schedule::Gemm {
        target: operand("y", vec![Index::Var(i), Index::Var(j)]),
        left: operand("x", vec![through("f", i), through("g", c)]),
        right: operand("w", vec![through("g", c), through("r", j)]),
        m: vec![i],
        n: vec![j],
        k: vec![c],
    };
    routine.steps = vec![Step::Gemm(product)];
    for seed in 0..40 {
        let mut draws = Draws(seed + 1);
        let point = point(&statement, &mut draws, 4);
        let expected = eval::forward(&statement, &point).unwrap().outputs;
        let given = |t: Tensor| match t {
            Tensor::Input(i) => point.inputs[i as usize].clone(),
            other => panic!("{other:?}"),
        };
        let made = run(&routine, &statement, &point, &given).unwrap();
        close(&point, &expected[0], &made[0].1).unwrap();
    }
}

#[test]
fn blocks_of_lanes_and_what_is_left() {
    for (path, statement) in library() {
        if statement.dims().len() > 3 {
            continue;
        }
        for dim in 0..statement.dims().len() {
            let mut draws = Draws(77 + dim as u64);
            let mut point = point(&statement, &mut draws, 2);
            point.sizes[dim] = 256 * 2 + 1 + draws.below(9);
            let sizes = point.sizes.clone();
            let maps = maps(&statement, &sizes, &mut draws);
            let fits = maps.iter().zip(statement.maps()).all(|(table, map)| {
                let to = sizes[map.to.0 as usize];
                let part = matches!(map.kind, MapKind::Part { .. } | MapKind::Bijection);
                table.iter().flatten().all(|t| *t < to) && (!part || statement.maps().len() > 9)
            });
            if !fits {
                continue;
            }
            let mut data = |axes: &[pullback_kernel::statement::DimId]| -> Vec<f64> {
                (0..product(&sizes, axes)).map(|_| draws.real(0.2, 1.8)).collect()
            };
            point.constants = statement.constants().iter().map(|c| data(&c.axes)).collect();
            point.inputs = statement.inputs().iter().map(|c| data(&c.axes)).collect();
            point.maps = maps;
            let what = format!("{} sizes {:?}", path.display(), point.sizes);
            compare(&what, &statement, &point, &mut draws);
        }
    }
}

#[test]
fn a_violated_condition_names_the_first_place() {
    let (statements, _) = load(
        "contract log version 1\ndims s..\ninput x[s..]\nwhere x[i..] > 0\noutput y[i..] = log(x[i..])\nsaves x\ndx[i..] = dy[i..] / x[i..]\n",
    );
    let statement = &statements[0];
    let conditions: Vec<_> = domain(statement).into_iter().map(|c| (c.clone(), statement.show_condition(&c))).collect();
    assert_eq!(conditions[0].0.sign, Sign::Positive);
    for at in [0, 5, 255, 256, 600] {
        let mut x = vec![1.0; 700];
        x[at] = 0.0;
        x[650] = f64::NAN;
        let point = Point { sizes: vec![700], maps: vec![], params: vec![], constants: vec![], inputs: vec![x] };
        let routine = schedule_forward(statement, &conditions);
        let (violation, text) = run(&routine, statement, &point, &|_| point.inputs[0].clone()).unwrap_err();
        assert_eq!((violation.at, &*text), (at, conditions[0].1.as_str()));
    }
}
