//! Four ways to one gradient: the tape, the directional interpreter, the reverse program, the forward program.
//!
//!
//! The comparison is the library's own, `agreement`; here it runs over many programs, in more numbers, and is shown to see a fault.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

#[path = "../../kernel/tests/support/mod.rs"]
mod numbers;
mod support;

use std::collections::BTreeSet;

use numbers::Fixed;
use pullback_kernel::Rational;
use pullback_kernel::eval::Number;
use pullback_program::DynProgram;
use pullback_program::agreement::{Agreement, Close, draw, four_ways};
use pullback_program::random::{self, Options, Random, Sample};

/// 256 binary places: what is ill-conditioned in doubles is told apart from what is wrong.
impl Close for Fixed {
    fn differ(a: &[Self], b: &[Self], scale: f64) -> Option<usize> {
        let scale = a.iter().chain(b).fold(scale.max(1.0), |s, x| s.max(x.size()));
        a.iter().zip(b).position(|(a, b)| a.add(&b.neg()).size() > 1e-40 * scale)
    }
    fn size(&self) -> f64 {
        self.to_f64().abs()
    }
}

/// All four ways, at one point; whether the numbers can say.
fn agree<N: Close>(program: &DynProgram, inputs: &[Vec<N>], random: &mut Random) -> bool {
    match four_ways(program, inputs, random) {
        Ok(agreement) => agreement == Agreement::Agree,
        Err(disagreement) => panic!("{disagreement}"),
    }
}

fn inputs_of<N: Number>(sample: &Sample) -> Vec<Vec<N>> {
    sample.inputs.iter().map(|x| x.iter().map(N::rational).collect()).collect()
}

fn used(program: &DynProgram, seen: &mut BTreeSet<String>) {
    program.operations().iter().for_each(|o| {
        seen.insert(o.operator().name().to_owned());
    });
}

/// Programs of the kind, each operation of the library in turn.
fn samples(count: u64, rational: bool) -> impl Iterator<Item = (u64, Sample)> {
    let names: Vec<&'static str> = random::operations().collect();
    (0u64..)
        .filter_map(move |seed| {
            let operation = Some(names[seed as usize % names.len()]);
            let instructions = 1 + (seed as usize / names.len()) % 8;
            let options = Options { instructions, rational, operation, ..Options::default() };
            random::sample(seed, &options).map(|sample| (seed, sample))
        })
        .take(count as usize)
}

#[test]
fn two_thousand_programs_agree_on_floats() {
    let mut seen = BTreeSet::new();
    for (seed, sample) in samples(2000, false) {
        used(&sample.program, &mut seen);
        agree::<f64>(&sample.program, &inputs_of(&sample), &mut Random(seed));
    }
    let missing: Vec<_> = random::operations().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}

#[test]
fn two_thousand_programs_agree_exactly() {
    let mut seen = BTreeSet::new();
    let mut told = 0;
    for (seed, sample) in samples(2000, true) {
        if agree::<Rational>(&sample.program, &inputs_of(&sample), &mut Random(seed)) {
            used(&sample.program, &mut seen);
            told += 1;
        }
    }
    println!("{told} programs, {} operations", seen.len());
    assert!(told > 1900, "{told} of 2000 could be told");
    assert!(seen.len() > 80, "{} operations", seen.len());
}

type Transform = fn(&DynProgram) -> DynProgram;

const TRANSFORMS: [Transform; 2] = [|p| p.reverse().unwrap(), |p| p.forward_mode().unwrap()];

/// The four ways of every program that so many transforms make of one.
fn agree_after<N: Close>(program: &DynProgram, inputs: &[Vec<N>], transforms: usize, random: &mut Random) {
    if transforms == 0 {
        agree(program, inputs, random);
        return;
    }
    for transform in TRANSFORMS {
        let next = transform(program);
        let more = next.inputs()[inputs.len()..].iter().map(|i| random.rationals(i.shape.elements()));
        let more: Vec<Vec<N>> = more.map(|x| x.iter().map(N::rational).collect()).collect();
        let inputs: Vec<Vec<N>> = inputs.iter().cloned().chain(more).collect();
        agree_after(&next, &inputs, transforms - 1, random);
    }
}

/// A transform of a transform is a program like any other: second derivatives of every operation, in 256-bit numbers.
#[test]
fn second_derivatives_agree() {
    let mut seen = BTreeSet::new();
    for (seed, sample) in samples(256, false) {
        used(&sample.program, &mut seen);
        agree_after::<Fixed>(&sample.program, &inputs_of(&sample), 1, &mut Random(seed));
    }
    assert_eq!(seen.len(), random::operations().count());
}

#[test]
fn third_derivatives_agree() {
    for (seed, sample) in samples(128, false) {
        agree_after::<Fixed>(&sample.program, &inputs_of(&sample), 2, &mut Random(seed));
    }
}

#[test]
fn third_derivatives_agree_exactly() {
    for (seed, sample) in samples(128, true) {
        agree_after::<Rational>(&sample.program, &inputs_of(&sample), 2, &mut Random(seed));
    }
}

/// The comparison sees a fault: a reverse program with one accumulation dropped does not agree.
#[test]
fn a_dropped_accumulation_is_seen() {
    use pullback_program::{Builder, Limits, ValueId};
    let mut net = support::Net::new();
    let x = net.input("x", &[2]);
    let y = net.op("multiply", &[&[2]], &[x, x]);
    let program = net.finish(&[y]);
    let reverse = program.reverse().unwrap();
    // The same instructions, with each `add` replaced by its first argument.
    let mut builder = Builder::new(Limits::default());
    let mut place: Vec<ValueId> = Vec::new();
    for input in reverse.inputs() {
        place.push(builder.input(&input.name, input.shape.clone()).unwrap());
    }
    for instruction in reverse.instructions() {
        let operation = reverse.operation_of(&instruction);
        let arguments: Vec<ValueId> = instruction.arguments.iter().map(|a| place[a.index()]).collect();
        if operation.operator().name() == "add" {
            place.push(arguments[0]);
        } else {
            let at = builder.intern(operation.clone());
            let first = builder.apply_interned(at, &arguments).unwrap();
            place.extend(instruction.results().enumerate().map(|(k, _)| ValueId(first.0 + k as u32)));
        }
    }
    for output in reverse.outputs() {
        builder.output(&output.name, place[output.value.index()]);
    }
    let wrong = builder.finish();
    let mut random = Random(1);
    let shapes = |p: &DynProgram| -> Vec<usize> { p.inputs().iter().map(|i| i.shape.elements()).collect() };
    let inputs: Vec<Vec<Rational>> = shapes(&program).into_iter().map(|n| random.rationals(n)).collect();
    let (outputs, tape) = program.linearize(&inputs).unwrap();
    let u = draw(&mut random, &outputs);
    let ends: Vec<Vec<Rational>> = inputs.iter().chain(&u).cloned().collect();
    let right = program.pullback(&tape, &u).unwrap();
    assert_eq!(right, reverse.evaluate(&ends).unwrap());
    assert_ne!(right, wrong.evaluate(&ends).unwrap());
}
