//! Suite `edges`: ten places where a rule of thumb ends, each with what must happen there.
//!
//! The first is a counterexample of the theory: removing an identity reshape keeps the real function and its pullback, and
//! changes what doubles make of them.

use pullback_kernel::Rational;
use pullback_kernel::eval::Number;
use pullback_program::architecture::{Activation, Architecture, Layer};
use pullback_program::execute::{Executable, ExecuteError, Nonfinite, Numerics};
use pullback_program::{
    ApplyError, Array, Binding, Builder, DynProgram, EvaluateError, IndexData, Limits, Literal, Operation, Operator,
    Shape, ValueId,
};

use crate::graphs::structural::{Hand, mapped, sized};
use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite =
    Suite { name: "edges", about: "what happens at ten edges is what is said to happen there", draws: false, run };

/// A place, and what must happen there.
struct Edge {
    name: &'static str,
    check: fn() -> Result<(), String>,
}

#[rustfmt::skip]
const EDGES: &[Edge] = &[
    Edge { name: "an identity reshape on a shared branch regroups sums of doubles", check: regrouped },
    Edge { name: "a point outside of the domain is refused with its instruction",   check: outside },
    Edge { name: "an overflow in the core softmax is reported, the fused one has none", check: overflow },
    Edge { name: "an argument that is given twice gets both contributions",         check: twice },
    Edge { name: "a place that is gathered twice gets both contributions",          check: gathered },
    Edge { name: "an input that nothing reads gets zeros of its shape",             check: unread },
    Edge { name: "a scalar is an array without axes",                               check: scalar },
    Edge { name: "a program of constants has no inputs and no gradient",            check: constants },
    Edge { name: "a program without outputs has gradients of zeros",                check: terminal },
    Edge { name: "another shape is refused with its axis",                          check: shape },
];

fn run(_: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    watch(Event::Steps(EDGES.len()));
    let mut count = 0;
    for Edge { name, check } in EDGES {
        match check() {
            Ok(()) => count += 1,
            Err(message) => outcome.fail(name, format!("it is not so that {name}: {message}")),
        }
        watch(Event::Step);
    }
    outcome.count("checks", count, 10);
    outcome
}

/// Whether two things are the same.
fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found:?}, not {expected:?}")) }
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The gradient by the tape, for cotangents of ones.
fn gradient<N: Number>(program: &DynProgram, inputs: &[Vec<N>]) -> Result<Vec<Vec<N>>, String> {
    let (values, tape) = program.linearize(inputs).map_err(words)?;
    let one = N::rational(&Rational::from_integer(1.into()));
    let ones: Vec<Vec<N>> = values.iter().map(|y| vec![one.clone(); y.len()]).collect();
    program.pullback(&tape, &ones).map_err(words)
}

/// `10¹⁶ r − 10¹⁶ r + x`, where `r` is `x` itself, or an identity reshape of it.
pub(crate) fn branches(reshape: bool) -> Result<DynProgram, String> {
    const N: &[usize] = &[1];
    let mut hand = Hand::new();
    let x = hand.input("x", N)?;
    let identity = Binding { maps: vec![IndexData::RowMajor], ..sized(&[N, N]) };
    let r = if reshape { hand.apply("reshape", identity, &[x])? } else { x };
    let scaled = |hand: &mut Hand, factor: i64, of: ValueId| {
        hand.apply("scale", Binding { params: vec![Literal::integer(factor)], ..sized(&[N]) }, &[of])
    };
    let large = scaled(&mut hand, 10_000_000_000_000_000, r)?;
    let opposite = scaled(&mut hand, -10_000_000_000_000_000, r)?;
    // Read last, and so the first to contribute on the way back.
    let alone = scaled(&mut hand, 1, x)?;
    let both = hand.plain("add", &[N], &[large, opposite])?;
    let all = hand.plain("add", &[N], &[both, alone])?;
    Ok(hand.finish(&[all]))
}

fn regrouped() -> Result<(), String> {
    let (before, after) = (branches(true)?, branches(false)?);
    equal("instructions less", before.len() - after.len(), 1)?;
    equal("the gradient before, in doubles", gradient(&before, &[vec![1.0]])?, vec![vec![1.0]])?;
    equal("the gradient after, in doubles", gradient(&after, &[vec![1.0]])?, vec![vec![0.0]])?;
    let one = || vec![Rational::from_integer(1.into())];
    equal("the gradient before, exactly", gradient(&before, &[one()])?, vec![one()])?;
    equal("the gradient after, exactly", gradient(&after, &[one()])?, vec![one()])?;
    equal("the value", after.evaluate(&[one()]), before.evaluate(&[one()]))
}

fn outside() -> Result<(), String> {
    let mut hand = Hand::new();
    let x = hand.input("x", &[2])?;
    let negative = hand.plain("negate", &[&[2]], &[x])?;
    let y = hand.plain("reciprocal", &[&[2]], &[negative])?;
    let program = hand.finish(&[y]);
    let domain = |found: Result<(), EvaluateError>| match found {
        Err(EvaluateError::Domain { instruction: 1, operator, .. }) if operator == "reciprocal" => Ok(()),
        other => Err(format!("{other:?}")),
    };
    domain(program.evaluate(&[vec![1.0, 0.0]]).map(|_| ()))?;
    domain(program.linearize(&[vec![0.0, 1.0]]).map(|_| ()))?;
    let mut ready = Executable::<f64>::new(&program, Numerics::default()).map_err(words)?;
    match ready.run(&[&[1.0, 0.0]], &mut [&mut [0.0; 2]]) {
        Err(ExecuteError::Domain { instruction: 1, operator, at: 1, .. }) if operator == "reciprocal" => {}
        other => return Err(format!("the executable says {other:?}")),
    }
    equal("inside, the value", program.evaluate(&[vec![1.0, 2.0]]), Ok(vec![vec![-1.0, -0.5]]))
}

fn overflow() -> Result<(), String> {
    let architecture = Architecture::new(&[1, 2], Layer::Activation(Activation::Softmax));
    let refuse = Numerics { nonfinite: Nonfinite::Refuse };
    let run = |program: &DynProgram| {
        let mut y = [f64::NAN; 2];
        let mut ready = Executable::<f64>::new(program, refuse).map_err(words)?;
        Ok::<_, String>(ready.run(&[&[1e4, 0.0]], &mut [&mut y]).map(|()| y))
    };
    let core = architecture.lower().map_err(words)?;
    match run(&core)? {
        Err(ExecuteError::NotFinite { operator, .. }) if operator == "exponential" => {}
        other => return Err(format!("the core softmax says {other:?}")),
    }
    // Over the reals both are the same, and where nothing overflows they are in doubles, nearly.
    let fused = architecture.compile().map_err(words)?;
    equal("the fused softmax", run(&fused)?, Ok([1.0, 0.0]))?;
    let small = [vec![0.5_f64, -0.25]];
    let (a, b) = (core.evaluate(&small).map_err(words)?.concat(), fused.evaluate(&small).map_err(words)?.concat());
    let near = a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-15);
    if near { Ok(()) } else { Err(format!("{a:?} and {b:?} differ where nothing overflows")) }
}

fn twice() -> Result<(), String> {
    let mut hand = Hand::new();
    let x = hand.input("x", &[3])?;
    let y = hand.plain("multiply", &[&[3]], &[x, x])?;
    equal("the gradient of x · x", gradient(&hand.finish(&[y]), &[vec![1.0, -2.0, 0.5]])?, vec![vec![2.0, -4.0, 1.0]])
}

fn gathered() -> Result<(), String> {
    let mut hand = Hand::new();
    let x = hand.input("x", &[3])?;
    let y = hand.apply("gather", mapped(&[&[3], &[3], &[]], &[2, 0, 2]), &[x])?;
    let program = hand.finish(&[y]);
    let (value, tape) = program.linearize(&[vec![1.0, 3.0, 5.0]]).map_err(words)?;
    equal("the value", value, vec![vec![5.0, 1.0, 5.0]])?;
    equal("the pullback", program.pullback(&tape, &[vec![1.0, 2.0, -3.0]]), Ok(vec![vec![2.0, 0.0, -2.0]]))
}

fn unread() -> Result<(), String> {
    let mut hand = Hand::new();
    let (x, _) = (hand.input("x", &[2])?, hand.input("unread", &[2, 3])?);
    let y = hand.plain("tanh", &[&[2]], &[x])?;
    let program = hand.finish(&[y]);
    let inputs = [vec![0.0; 2], vec![7.0; 6]];
    equal("the gradient", gradient(&program, &inputs)?, vec![vec![1.0; 2], vec![0.0; 6]])?;
    let seeded = [inputs.to_vec(), vec![vec![1.0; 2]]].concat();
    let reverse = program.reverse().map_err(words)?;
    equal("the reverse program", reverse.evaluate(&seeded), Ok(vec![vec![1.0; 2], vec![0.0; 6]]))
}

fn scalar() -> Result<(), String> {
    let mut hand = Hand::new();
    let x = hand.input("x", &[])?;
    let y = hand.plain("square", &[&[]], &[x])?;
    let program = hand.finish(&[y]);
    equal("the shape", program.shape_of(program.outputs()[0].value).rank(), 0)?;
    equal("the value", program.evaluate(&[vec![3.0]]), Ok(vec![vec![9.0]]))?;
    equal("the gradient", gradient(&program, &[vec![3.0]])?, vec![vec![6.0]])
}

fn constants() -> Result<(), String> {
    let mut hand = Hand::new();
    let value = vec![Array::floats(Shape::new(&[2]), &[1.5, -2.0])];
    let y = hand.apply("constant", Binding { constants: value, ..sized(&[&[2]]) }, &[])?;
    let program = hand.finish(&[y]);
    equal("the value", program.evaluate::<f64>(&[]), Ok(vec![vec![1.5, -2.0]]))?;
    equal("the gradient", gradient::<f64>(&program, &[])?, Vec::new())?;
    equal("the reverse program", program.reverse().map_err(words)?.evaluate(&[vec![1.0, 1.0]]), Ok(Vec::new()))
}

fn terminal() -> Result<(), String> {
    let mut hand = Hand::new();
    let x = hand.input("x", &[2])?;
    hand.plain("tanh", &[&[2]], &[x])?;
    let program = hand.finish(&[]);
    equal("the value", program.evaluate(&[vec![1.0, 2.0]]), Ok(Vec::new()))?;
    equal("the gradient", gradient(&program, &[vec![1.0, 2.0]])?, vec![vec![0.0, 0.0]])?;
    equal("the reverse program", program.reverse().map_err(words)?.evaluate(&[vec![1.0, 2.0]]), Ok(vec![vec![0.0; 2]]))
}

fn shape() -> Result<(), String> {
    let mut builder = Builder::new(Limits::default());
    let x = builder.input("x", Shape::new(&[2, 3])).map_err(words)?;
    let y = builder.input("y", Shape::new(&[2, 4])).map_err(words)?;
    let add = Operator::library("add").map_err(words)?;
    let add = Operation::new(add, sized(&[&[2, 3]]), &Limits::default()).map_err(|faults| format!("{faults:?}"))?;
    match builder.apply(add, &[x, y]) {
        Err(ApplyError::Shape { argument: 1, axis: Some(1), .. }) => {}
        other => return Err(format!("{other:?}")),
    }
    builder.output("x", x);
    match builder.finish().evaluate(&[vec![0.0; 6], vec![0.0; 6]]) {
        Err(EvaluateError::Length { name, found: 6, .. }) if name == "y" => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_edges_hold() {
        let outcome = run(&Options::default(), &mut |_| {});
        assert!(outcome.holds(), "{:#?}", outcome.failures);
        assert_eq!(outcome.counts[0].found, EDGES.len());
    }

    #[test]
    fn a_difference_is_said() {
        assert_eq!(equal("it", 1, 2), Err("it is 1, not 2".to_owned()));
    }
}
