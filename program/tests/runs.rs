//! What a run says: numbers that are none, numbers that were lost to rounding, boundaries that were touched.
//! One policy for the statements as they are written, for the tape and for executables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_kernel::Rational;
use pullback_kernel::statement::Label;
use pullback_program::architecture::{Activation, Architecture, Layer};
use pullback_program::bounded::Float;
use pullback_program::evaluate::{AtBoundary, EvaluateError};
use pullback_program::execute::{CompileError, Executable, ExecuteError, Numerics};
use pullback_program::random::{Options, operations, sample};
use pullback_program::{Array, Binding, DynProgram, Literal, Number, Part, Shape};
use pullback_scalar::Real;
use support::{Net, dims};

/// What came of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Value,
    NotFinite(usize, Part),
    Outside(usize),
    Given,
    Rounded,
}

fn of_evaluation<T>(result: Result<T, EvaluateError>) -> Verdict {
    match result {
        Ok(_) => Verdict::Value,
        Err(EvaluateError::NotFinite { instruction, part, .. }) => Verdict::NotFinite(instruction, part),
        Err(EvaluateError::Domain { instruction, .. }) => Verdict::Outside(instruction),
        Err(EvaluateError::Given { .. }) => Verdict::Given,
        Err(EvaluateError::Rounded { .. }) => Verdict::Rounded,
        Err(error) => panic!("{error}"),
    }
}

fn of_execution(result: Result<(), ExecuteError>) -> Verdict {
    match result {
        Ok(()) => Verdict::Value,
        Err(ExecuteError::NotFinite { instruction, part, .. }) => Verdict::NotFinite(instruction, part),
        Err(ExecuteError::Domain { instruction, .. }) => Verdict::Outside(instruction),
        Err(ExecuteError::Given { .. }) => Verdict::Given,
        Err(error) => panic!("{error}"),
    }
}

fn zeros<T: Real>(program: &DynProgram) -> Vec<Vec<T>> {
    program.outputs().iter().map(|o| vec![T::zero(); program.shape_of(o.value).elements()]).collect()
}

/// The verdicts of the statements and of an executable: on the value, and on value and gradient.
fn verdicts<T: Real + Number>(program: &DynProgram, inputs: &[Vec<T>], seeds: &[Vec<T>]) -> [(Verdict, Verdict); 2] {
    let slices = |arrays: &[Vec<T>]| arrays.iter().map(|x| x.as_slice()).collect::<Vec<_>>().len();
    assert_eq!(slices(inputs), program.inputs().len());
    let x: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let u: Vec<&[T]> = seeds.iter().map(Vec::as_slice).collect();
    let mut y = zeros::<T>(program);
    let mut y: Vec<&mut [T]> = y.iter_mut().map(Vec::as_mut_slice).collect();
    let mut dx: Vec<Vec<T>> = inputs.to_vec();
    let mut dx: Vec<&mut [T]> = dx.iter_mut().map(Vec::as_mut_slice).collect();
    let value = match Executable::<T>::new(program, Numerics::default()) {
        Ok(mut run) => of_execution(run.run(&x, &mut y)),
        Err(CompileError::Rounded { .. }) => Verdict::Rounded,
        Err(error) => panic!("{error}"),
    };
    let gradient = match Executable::<T>::with_gradient(program, Numerics::default()) {
        Ok(mut run) => of_execution(run.value_and_gradient(&x, &u, &mut y, &mut dx)),
        Err(CompileError::Rounded { .. }) => Verdict::Rounded,
        Err(error) => panic!("{error}"),
    };
    let taped = program.linearize(inputs).and_then(|(_, tape)| program.pullback(&tape, seeds));
    [(of_evaluation(program.evaluate(inputs)), value), (of_evaluation(taped), gradient)]
}

fn exponential_over_itself() -> DynProgram {
    let mut net = Net::new();
    let x = net.input("x", &[1]);
    let e = net.op("exponential", &[&[1]], &[x]);
    let q = net.op("divide", &[&[1]], &[e, e]);
    let y = net.op("relu", &[&[1]], &[q]);
    net.finish(&[y])
}

#[test]
fn what_overflows_is_named_and_not_hidden() {
    let program = exponential_over_itself();
    assert_eq!(program.evaluate(&[vec![10.0]]), Ok(vec![vec![1.0]]));
    let expected = (Verdict::NotFinite(0, Part::Value), Verdict::NotFinite(0, Part::Value));
    assert_eq!(verdicts::<f64>(&program, &[vec![1000.0]], &[vec![1.0]]), [expected; 2]);
    let words = program.evaluate(&[vec![1000.0]]).unwrap_err().to_string();
    assert_eq!(words, "instruction 0 (`exponential`): a value is not finite, at 0");
    // Allowed, it goes on, and a comparison with it has no answer.
    assert!(program.evaluate_with(&[vec![1000.0_f64]], Numerics::ALLOW).unwrap()[0][0].is_nan());
    let mut y = [0.0];
    Executable::<f64>::new(&program, Numerics::ALLOW).unwrap().run(&[&[1000.0]], &mut [&mut y]).unwrap();
    assert!(y[0].is_nan());
}

#[test]
fn a_statement_hides_nothing_either() {
    // One statement whose own steps overflow: a quotient of what overflowed would be zero, and the true value is a half.
    let text = "contract share version 1\ndims s..\ninput x[s..], z[s..]\n\
                output y[i..] = exp(x[i..]) / (exp(x[i..]) + exp(z[i..]))";
    let operator = pullback_program::Operator::from_text(text);
    // A statement without a rule is derived one.
    let operator = operator.unwrap();
    for n in [1, 3, 300] {
        let mut net = Net::new();
        let (x, z) = (net.input("x", &[n]), net.input("z", &[n]));
        let operation =
            pullback_program::Operation::new(operator.clone(), dims(&[&[n]]), &pullback_program::Limits::default());
        let y = net.builder.apply(operation.unwrap(), &[x, z]).unwrap()[0];
        let program = net.finish(&[y]);
        for (at, expected) in [(1.0_f32, Verdict::Value), (88.5, Verdict::NotFinite(0, Part::Value))] {
            let inputs = [vec![at; n], vec![at; n]];
            assert_eq!(verdicts(&program, &inputs, &[vec![1.0; n]])[0], (expected, expected), "{n} {at}");
        }
    }
}

#[test]
fn three_ways_have_one_answer() {
    // log(1 / (1 + exp(-x))): -200 in the reals, and in singles the exponential overflows.
    for n in [1, 40] {
        let mut net = Net::new();
        let x = net.input("x", &[n]);
        let m = net.op("negate", &[&[n]], &[x]);
        let e = net.op("exponential", &[&[n]], &[m]);
        let shift = Binding { params: vec![Literal::integer(1)], ..dims(&[&[n]]) };
        let s = net.with("shift", shift, &[e])[0];
        let r = net.op("reciprocal", &[&[n]], &[s]);
        let y = net.op("log", &[&[n]], &[r]);
        let program = net.finish(&[y]);
        let expected = Verdict::NotFinite(1, Part::Value);
        assert_eq!(verdicts::<f32>(&program, &[vec![-200.0; n]], &[vec![1.0; n]]), [(expected, expected); 2]);
        assert_eq!(
            verdicts::<f64>(&program, &[vec![-200.0; n]], &[vec![1.0; n]]),
            [(Verdict::Value, Verdict::Value); 2]
        );
    }
}

#[test]
fn what_is_given_is_named_as_what_it_is() {
    let mut net = Net::new();
    let x = net.input("x", &[2]);
    let y = net.op("tanh", &[&[2]], &[x]);
    let program = net.named(&[("y", y)]);
    let (mut y, mut dx) = ([0.0; 2], [0.0; 2]);
    let mut run = Executable::<f64>::with_gradient(&program, Numerics::default()).unwrap();
    let error = run.value_and_gradient(&[&[0.5, 1.0]], &[&[1.0, f64::NAN]], &mut [&mut y], &mut [&mut dx]).unwrap_err();
    assert_eq!(error.to_string(), "the cotangent of `y` has a value that is not finite, at 1");
    let (_, tape) = program.linearize(&[vec![0.5, 1.0]]).unwrap();
    assert_eq!(program.pullback(&tape, &[vec![1.0, f64::NAN]]).unwrap_err().to_string(), error.to_string());
    let tangent = program.directional(&[vec![0.5, 1.0]], &[vec![f64::INFINITY, 1.0]]).unwrap_err();
    assert_eq!(tangent.to_string(), "the tangent of `x` has a value that is not finite, at 0");
    assert_eq!(
        program.evaluate(&[vec![f64::NAN, 1.0]]).unwrap_err().to_string(),
        "the input `x` has a value that is not finite, at 0"
    );
}

#[test]
fn a_cotangent_that_overflows_is_called_one_at_its_instruction() {
    let mut net = Net::new();
    let x = net.input("x", &[2]);
    let t = net.op("negate", &[&[2]], &[x]);
    let s = net.op("square", &[&[2]], &[t]);
    let y = net.op("negate", &[&[2]], &[s]);
    let program = net.finish(&[y]);
    let inputs = [vec![1e100, 1.0]];
    let expected = (Verdict::NotFinite(1, Part::Cotangent), Verdict::NotFinite(1, Part::Cotangent));
    let found = verdicts::<f64>(&program, &inputs, &[vec![1e250, 1.0]]);
    assert_eq!(found, [(Verdict::Value, Verdict::Value), expected]);
}

#[test]
fn numbers_that_a_scalar_can_not_hold_are_refused_by_name() {
    let constant = |literal: Literal| {
        let mut net = Net::new();
        let constants = vec![Array::splat(Shape::new(&[2]), literal)];
        let y = net.with("constant", Binding { constants, ..dims(&[&[2]]) }, &[])[0];
        net.finish(&[y])
    };
    for (literal, words) in [
        (1e-60, "instruction 0 (`constant`): the constant `value` is 1e-60, which f32 rounds to zero"),
        (1e60, "instruction 0 (`constant`): the constant `value` is 1e60, which f32 rounds to infinity"),
    ] {
        let program = constant(Literal::Float(literal));
        assert_eq!(program.evaluate::<f32>(&[]).unwrap_err().to_string(), words);
        assert_eq!(Executable::<f32>::new(&program, Numerics::default()).unwrap_err().to_string(), words);
        assert_eq!(program.evaluate::<f64>(&[]), Ok(vec![vec![literal; 2]]));
        assert!(Executable::<f64>::new(&program, Numerics::default()).is_ok());
    }
    assert_eq!(constant(Literal::integer(0)).evaluate::<f32>(&[]), Ok(vec![vec![0.0; 2]]));
    let mut net = Net::new();
    let x = net.input("x", &[2]);
    let scale = Binding { params: vec![Literal::Float(1e-60)], ..dims(&[&[2]]) };
    let y = net.with("scale", scale, &[x])[0];
    let error = net.finish(&[y]).evaluate(&[vec![1.0_f32; 2]]).unwrap_err();
    assert!(error.to_string().contains("the parameter `"), "{error}");
}

/// The edges of a float's range, and what is none of its numbers.
fn edges<T: Real + Float>(max: T, least: T, subnormal: T) -> Vec<T> {
    let zero = T::zero();
    let infinite = max + max;
    let nan = zero * infinite;
    vec![max, -max, least, -least, subnormal, zero, -zero, infinite, -infinite, nan]
}

/// Every operation of the library, each input in turn at each edge, everywhere or in one element.
fn at_the_edges<T: Real + Float>(edges: &[T]) -> (usize, Vec<String>) {
    let (mut compared, mut reordered, mut wrong) = (0, 0, Vec::new());
    for name in operations() {
        let options = Options { instructions: 1, operation: Some(name), ..Options::default() };
        let Some(sample) = (0..20).find_map(|seed| sample(seed, &options)) else { panic!("{name} has no sample") };
        let program = &sample.program;
        let base: Vec<Vec<T>> =
            sample.inputs.iter().map(|x| x.iter().map(|q| <T as Number>::rational(q)).collect()).collect();
        let seeds: Vec<Vec<T>> = zeros::<T>(program).iter().map(|y| vec![T::one(); y.len()]).collect();
        for input in 0..base.len() {
            for (edge, everywhere) in edges.iter().flat_map(|e| [(*e, true), (*e, false)]) {
                let mut inputs = base.clone();
                let whole = inputs[input].len();
                inputs[input][..if everywhere { whole } else { 1 }].fill(edge);
                for (way, (plain, planned)) in ["value", "gradient"].iter().zip(verdicts(program, &inputs, &seeds)) {
                    compared += 1;
                    // Where large terms cancel, a sum overflows in one order and not in another.
                    let order = |a, b| a == Verdict::Value && matches!(b, Verdict::NotFinite(..));
                    let summed = sample.program.operations().iter().any(|o| o.operator().text().contains("sum("));
                    if edge.double().abs() > 1e38 && summed && (order(plain, planned) || order(planned, plain)) {
                        reordered += 1;
                        continue;
                    }
                    if plain != planned {
                        wrong.push(format!("{name}: {way}, input {input} at {edge:?}: {plain:?}, planned {planned:?}"));
                    }
                }
            }
        }
    }
    assert!(reordered <= 12, "{reordered} differ by the order of a sum");
    (compared, wrong)
}

#[test]
fn every_operation_at_the_edges_of_the_range() {
    let singles = edges(f32::MAX, f32::MIN_POSITIVE, 1e-45);
    let doubles = edges(f64::MAX, f64::MIN_POSITIVE, 5e-324);
    for (scalar, (compared, wrong)) in [("f32", at_the_edges(&singles)), ("f64", at_the_edges(&doubles))] {
        assert!(compared > 6000, "{scalar}: {compared}");
        assert!(wrong.is_empty(), "{scalar}: {} of {compared}\n{}", wrong.len(), wrong.join("\n"));
    }
}

fn attention() -> Architecture {
    let text = include_str!("runs/core_attention.architecture.json");
    Architecture::from_json(text).expect("an architecture")
}

/// Large logits: in singles the square of a reciprocal underflows on the way back, and the gradient was 114.6 for 0.81.
#[test]
fn the_core_form_has_its_digits_or_says_where_they_went() {
    let (core, fused) = (attention().lower().unwrap(), attention().compile().unwrap());
    assert!(core.is_core_form() && !fused.is_core_form());
    fn inputs<T: From<f32>>(x: [f32; 2]) -> Vec<Vec<T>> {
        let number = |x: f32| vec![T::from(x)];
        let x = x.map(T::from).into_iter().collect();
        vec![x, number(1.0), number(1.0), number(1.0), number(1.0)]
    }
    let gradient = |program: &DynProgram, x: [f32; 2]| {
        let (_, tape) = program.linearize::<f64>(&inputs(x)).unwrap();
        program.pullback(&tape, &[vec![1.0, 0.5]]).unwrap()
    };
    let large = [8.0, 7.99];
    let found = core.pullback_bounded::<f32>(&inputs(large), &[vec![1.0, 0.5]]).unwrap_err();
    assert!(matches!(&found, EvaluateError::Digits { part: Part::Cotangent, .. }), "{found}");
    // Doubles have the range, singles have it for small logits: the numbers of the fused form.
    let near = |a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64| {
        let scale = b.iter().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
        a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() <= tolerance * scale)
    };
    let doubles = core.pullback_bounded::<f64>(&inputs(large), &[vec![1.0, 0.5]]).unwrap();
    assert!(near(&doubles, &gradient(&fused, large), 1e-9), "{doubles:?}");
    let small = [0.5, 0.25];
    let singles = core.pullback_bounded::<f32>(&inputs(small), &[vec![1.0, 0.5]]).unwrap();
    let singles: Vec<Vec<f64>> = singles.iter().map(|x| x.iter().map(|x| f64::from(*x)).collect()).collect();
    assert!(near(&singles, &gradient(&fused, small), 1e-4), "{singles:?}");
    // Logits that overflow a double: the exponential is named.
    let found = core.evaluate_bounded::<f64>(&inputs([40.0, 39.0])).unwrap_err();
    assert!(matches!(&found, EvaluateError::NotFinite { operator, .. } if operator == "exponential"), "{found}");
}

/// Random points of random core softmaxes: every number that comes out is near the exact one, in singles judged by doubles.
#[test]
fn no_number_of_the_core_form_is_wrong() {
    let architecture = Architecture::new(&[1, 3], Layer::Activation(Activation::Softmax));
    let (core, fused) = (architecture.lower().unwrap(), architecture.compile().unwrap());
    let mut bits = pullback_scalar::SplitMix64(5);
    let (mut right, mut refused) = (0, 0);
    for case in 0..400 {
        let scale = [1.0, 10.0, 40.0, 90.0][case % 4];
        let mut number = || ((bits.next_u64() >> 40) as f32 / (1 << 24) as f32 - 0.5) * 2.0 * scale;
        let (x, u) = (vec![number(), number(), number()], vec![number(), number(), number()]);
        let double = |x: &[f32]| vec![x.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>()];
        let (_, tape) = fused.linearize(&double(&x)).unwrap();
        let truth = fused.pullback(&tape, &double(&u)).unwrap().concat();
        match core.pullback_bounded::<f32>(std::slice::from_ref(&x), std::slice::from_ref(&u)) {
            Ok(found) => {
                let size = truth.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
                let far = found.concat().iter().zip(&truth).any(|(a, b)| (f64::from(*a) - b).abs() > 1e-3 * size);
                assert!(!far, "{found:?} for {truth:?}");
                right += 1;
            }
            Err(EvaluateError::Digits { .. } | EvaluateError::NotFinite { .. } | EvaluateError::Value { .. }) => {
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(right >= 150 && refused >= 50, "{right} right, {refused} refused");
}

#[test]
fn boundaries_are_said() {
    let mut net = Net::new();
    let x = net.input("x", &[4]);
    let y = net.op("relu", &[&[4]], &[x]);
    let z = net.op("square", &[&[4]], &[y]);
    let program = net.finish(&[z]);
    let checked = |x: [f64; 4], boundary| program.evaluate_checked(&[x.to_vec()], Numerics::default(), boundary);
    let smooth = checked([1.0, -1.0, 2.0, 3.0], AtBoundary::Refuse).unwrap();
    assert_eq!((smooth.value, smooth.touched), (vec![vec![1.0, 0.0, 4.0, 9.0]], vec![]));
    let found = checked([1.0, 0.0, 2.0, -0.0], AtBoundary::Say).unwrap();
    assert_eq!(found.value, [[1.0, 0.0, 4.0, 0.0]]);
    let [touched] = found.touched.as_slice() else { panic!("{:?}", found.touched) };
    assert_eq!((touched.instruction, &*touched.operator, &*touched.tensor), (0, "relu", "y"));
    assert_eq!((touched.first, touched.elements, touched.times), (1, 2, 2));
    assert_eq!((touched.label, &*touched.convention), (Label::Subgradient, ""));
    assert!(touched.to_string().ends_with("; the rule declares subgradient"), "{touched}");
    let refused = checked([1.0, 0.0, 2.0, -0.0], AtBoundary::Refuse).unwrap_err();
    assert!(matches!(&refused, EvaluateError::Boundary(first) if **first == *touched), "{refused}");
    // Exact numbers, and the reverse program: the boundary is that of the statement that it is derived from.
    let exact: Vec<Rational> = [1, 0, 2, 0].map(|n: i64| Rational::from_integer(n.into())).to_vec();
    assert_eq!(program.touched(std::slice::from_ref(&exact), Numerics::default()).unwrap().len(), 1);
    let reverse = program.reverse().unwrap();
    let one = Rational::from_integer(1.into());
    let touched = reverse.touched(&[exact, vec![one; 4]], Numerics::default()).unwrap();
    assert!(touched.iter().any(|t| t.operator != "square" && t.elements == 2), "{touched:?}");
}

#[test]
fn a_tie_below_the_maximum_is_none() {
    let mut net = Net::new();
    let x = net.input("x", &[2, 3]);
    let y = net.op("reduce_max", &[&[2], &[3]], &[x]);
    let program = net.finish(&[y]);
    let touched = |x: [f64; 6]| program.touched(&[x.to_vec()], Numerics::default()).unwrap();
    assert_eq!(touched([1.0, 1.0, 2.0, 3.0, 0.0, 0.0]), []);
    let found = touched([1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    assert_eq!(found.iter().map(|t| (t.first, t.elements)).collect::<Vec<_>>(), [(0, 2)]);
}
