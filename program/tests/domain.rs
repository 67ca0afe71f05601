//! The domain of a program in its own inputs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_kernel::Rational;
use pullback_program::evaluate::EvaluateError;
use pullback_program::execute::{Executable, Numerics};
use pullback_program::random::Random;
use pullback_program::{Binding, DynProgram, IndexData, Literal};
use support::{Net, dims};

fn domain(program: &DynProgram) -> Vec<String> {
    program.domain().iter().map(ToString::to_string).collect()
}

/// `log(1 - x²)` and `log(1 + x²)` in the operations of the library.
fn logarithm(sign: &str) -> DynProgram {
    let mut net = Net::new();
    let x = net.input("x", &[2, 3]);
    let on: &[&[usize]] = &[&[2, 3]];
    let s = net.op("square", on, &[x]);
    let s = if sign == "-" { net.op("negate", on, &[s]) } else { net.op("tanh", on, &[s]) };
    let one = Binding { params: vec![Literal::integer(1)], ..dims(on) };
    let t = net.with("shift", one, &[s])[0];
    let y = net.op("log", on, &[t]);
    net.finish(&[y])
}

#[test]
fn conditions_stand_in_the_names_of_the_inputs() {
    assert_eq!(domain(&logarithm("-")), ["1 - x[i, j]^2 > 0 (instruction 3, log)"]);
    // tanh(x²) is not negative.
    assert_eq!(domain(&logarithm("+")), Vec::<String>::new());
    let all = logarithm("+").conditions();
    assert_eq!(all.iter().map(|c| (c.condition.instruction, c.follows)).collect::<Vec<_>>(), [(3, true)]);
    // A run asks it all the same, and says so.
    let run = Executable::<f64>::new(&logarithm("+"), Numerics::default()).unwrap();
    let asked: Vec<_> = run.conditions().iter().map(|c| (c.instruction, c.operator.clone())).collect();
    assert_eq!(asked, [(3, "log".to_owned())]);
}

#[test]
fn sums_and_quotients_and_what_stands_twice() {
    let mut net = Net::new();
    let (x, w) = (net.input("x", &[2, 3]), net.input("layer.weight", &[3, 2]));
    let y = net.op("matmul", &[&[2], &[3], &[2]], &[x, w]);
    let z = net.op("log", &[&[2, 2]], &[y]);
    let r = net.op("reciprocal", &[&[2, 2]], &[y]);
    let q = net.op("divide", &[&[2, 2]], &[z, y]);
    let program = net.finish(&[r, q]);
    // What is positive is not zero: the later conditions follow.
    assert_eq!(domain(&program), ["sum(k) x[i, k] * layer.weight[k, j] > 0 (instruction 1, log)"]);
}

#[test]
fn a_square_alone_is_not_positive() {
    let mut net = Net::new();
    let x = net.input("x", &[4]);
    let s = net.op("square", &[&[4]], &[x]);
    let y = net.op("log", &[&[4]], &[s]);
    assert_eq!(domain(&net.finish(&[y])), ["x[i]^2 > 0 (instruction 1, log)"]);
}

#[test]
fn what_does_not_compose_stands_as_a_value() {
    let mut net = Net::new();
    let x = net.input("x", &[2, 3]);
    let order = Binding { maps: vec![IndexData::RowMajor], ..dims(&[&[2, 3], &[3, 2]]) };
    let r = net.with("reshape", order, &[x])[0];
    let n = net.op("negate", &[&[3, 2]], &[r]);
    let y = net.op("log", &[&[3, 2]], &[n]);
    assert_eq!(domain(&net.finish(&[y])), ["-%1[i, j] > 0 (instruction 2, log)"]);
}

#[test]
fn what_grows_past_reading_keeps_the_words_of_its_statement() {
    let mut net = Net::new();
    let mut x = net.input("x", &[4]);
    for _ in 0..9 {
        let s = net.op("square", &[&[4]], &[x]);
        x = net.op("subtract", &[&[4]], &[s, x]);
    }
    let y = net.op("log", &[&[4]], &[x]);
    assert_eq!(domain(&net.finish(&[y])), ["x[i..] > 0 in the names of `log` (instruction 18)"]);
}

/// A random program of elementwise operations, some of them with a domain.
fn random_program(random: &mut Random) -> DynProgram {
    let on: &[&[usize]] = &[&[2]];
    let mut net = Net::new();
    let mut values = vec![net.input("x", &[2]), net.input("y", &[2])];
    for _ in 0..6 {
        let (a, b) = (values[random.below(values.len())], values[random.below(values.len())]);
        let number = |n: i64| Binding { params: vec![Literal::integer(n)], ..dims(on) };
        let next = match random.below(8) {
            0 => net.op("square", on, &[a]),
            1 => net.op("negate", on, &[a]),
            2 => net.with("shift", number(1), &[a])[0],
            3 => net.with("shift", number(-1), &[a])[0],
            4 => net.op("add", on, &[a, b]),
            5 => net.op("multiply", on, &[a, b]),
            6 => net.op("reciprocal", on, &[a]),
            _ => net.op("divide", on, &[a, b]),
        };
        values.push(next);
    }
    let last = values[values.len() - 1];
    net.finish(&[last])
}

/// Random programs at small whole numbers, zeros and ones among them: no point breaks a condition that was left out.
#[test]
fn no_input_breaks_what_was_left_out() {
    let (mut left_out, mut kept, mut broken) = (0, 0, 0);
    let mut random = Random(11);
    for _ in 0..600 {
        let program = random_program(&mut random);
        let conditions = program.conditions();
        left_out += conditions.iter().filter(|c| c.follows).count();
        kept += conditions.iter().filter(|c| !c.follows).count();
        for _ in 0..12 {
            let mut number = || Rational::from_integer((random.below(5) as i64 - 2).into());
            let point = vec![vec![number(), number()], vec![number(), number()]];
            if let Err(EvaluateError::Domain { instruction, condition, .. }) = program.evaluate(&point) {
                broken += 1;
                let of = |c: &&pullback_program::domain::ProgramCondition| {
                    c.condition.instruction == instruction && c.condition.condition == condition
                };
                let found = conditions.iter().find(of).expect("a condition of the program");
                assert!(!found.follows, "{condition} at instruction {instruction} of\n{program}");
            }
        }
    }
    assert!(left_out >= 50 && kept >= 300 && broken >= 1000, "{left_out} left out, {kept} kept, {broken} broken");
}
