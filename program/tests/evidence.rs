//! Domains, certificates and tapes, before anything runs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_program::evidence::Certificate;
use pullback_program::{DynProgram, EvaluateError, Operation, Operator, Standing};
use support::{Net, dims};

fn perceptron(activation: &str) -> DynProgram {
    let mut net = Net::new();
    let x = net.input("x", &[2, 3]);
    let (w, b) = (net.input("w", &[3, 4]), net.input("b", &[4]));
    let y = net.op("linear", &[&[2], &[3], &[4]], &[x, w, b]);
    let y = net.op(activation, &[&[2, 4]], &[y]);
    net.finish(&[y])
}

#[test]
fn a_program_of_proved_operations_is_proved_and_so_are_its_derivatives() {
    let program = perceptron("tanh");
    assert_eq!(program.certify(), Certificate::Proved);
    let reverse = program.reverse().unwrap();
    assert_eq!(reverse.certify(), Certificate::Proved);
    assert_eq!(program.forward_mode().unwrap().certify(), Certificate::Proved);
    assert_eq!(reverse.forward_mode().unwrap().certify(), Certificate::Proved);
    assert_eq!(reverse.reverse().unwrap().reverse().unwrap().certify(), Certificate::Proved);
}

#[test]
fn what_stands_in_the_way_is_named() {
    let Certificate::Obstacles(obstacles) = perceptron("relu").certify() else { panic!("relu has a kink") };
    let words: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    assert_eq!(words, ["instruction 1 (`relu`) declares subgradient"]);
    // Its reverse is a program of its own, with boundaries of its own.
    let Certificate::Obstacles(obstacles) = perceptron("relu").reverse().unwrap().certify() else {
        panic!("the pullback of relu steps")
    };
    assert!(obstacles.iter().any(|o| o.operator == "relu_pullback"), "{obstacles:?}");
}

#[test]
fn an_unproved_rule_is_declared_and_shown() {
    let text = "contract sign_like version 1\ndims s..\ninput x[s..]\noutput y[i..] = tanh(3 * x[i..])\n\
                dx[i..] = 2 * dy[i..]\ndeclares unproved \"a guess\"\n";
    // A rule that is refuted is refused whatever it declares; one that only differs as a surrogate says so.
    let refused = Operator::from_text(text).unwrap_err().to_string();
    assert!(refused.contains("is refuted"), "{refused}");
    let surrogate = Operator::from_text(&text.replace("unproved", "surrogate")).unwrap();
    assert!(matches!(surrogate.standing(), Standing::Declared(..)));
    let mut net = Net::new();
    let x = net.input("x", &[3]);
    let operation = Operation::new(surrogate, dims(&[&[3]]), &pullback_program::Limits::default()).unwrap();
    let y = net.builder.apply(operation, &[x]).unwrap()[0];
    let program = net.finish(&[y]);
    let Certificate::Obstacles(obstacles) = program.certify() else { panic!("a surrogate is not proved") };
    assert_eq!(obstacles[0].to_string(), "instruction 0 (`sign_like`) declares surrogate \"a guess\"");
    // All ways take the declared rule.
    let x = [vec![0.5, -1.0, 2.0]];
    let (_, tape) = program.linearize(&x).unwrap();
    let u = [vec![1.0, 10.0, 100.0]];
    assert_eq!(program.pullback(&tape, &u).unwrap(), [vec![2.0, 20.0, 200.0]]);
    assert_eq!(program.directional(&x, &u).unwrap().1, [vec![2.0, 20.0, 200.0]]);
    assert_eq!(
        program.forward_mode().unwrap().evaluate(&[x[0].clone(), u[0].clone()]).unwrap(),
        [vec![2.0, 20.0, 200.0]]
    );
}

#[test]
fn domains_are_pulled_back_and_checked() {
    let mut net = Net::new();
    let x = net.input("x", &[2]);
    let y = net.op("log", &[&[2]], &[x]);
    let z = net.op("sqrt", &[&[2]], &[y]);
    let program = net.finish(&[z]);
    let words: Vec<String> =
        program.domain().iter().map(|c| format!("{} {}: {}", c.instruction, c.operator, c.condition)).collect();
    assert_eq!(words, ["0 log: x[i..] > 0", "1 sqrt: x[i..] > 0"]);
    assert!(program.evaluate(&[vec![3.0, 2.0]]).is_ok());
    let error = program.evaluate(&[vec![3.0, 0.5]]).unwrap_err();
    assert!(matches!(error, EvaluateError::Domain { instruction: 1, .. }));
    assert_eq!(error.to_string(), "instruction 1 (`sqrt`): outside of the domain `x[i..] > 0`");
    let count = program.evaluate::<f64>(&[]).unwrap_err();
    assert_eq!(count.to_string(), "0 arrays are given, the program has 1 inputs");
    let length = program.evaluate(&[vec![1.0]]).unwrap_err();
    assert_eq!(length.to_string(), "the array for `x` has 1 elements, shape [2] has 2");
}

#[test]
fn a_rational_has_no_exponential() {
    let program = perceptron("exponential");
    let one = || pullback_kernel::Rational::from_integer(1.into());
    let inputs: Vec<Vec<_>> = program.inputs().iter().map(|i| vec![one(); i.shape.elements()]).collect();
    let error = program.evaluate(&inputs).unwrap_err();
    assert_eq!(
        error.to_string(),
        "instruction 1 (`exponential`): a transcendental value cannot be told with this number type"
    );
}

#[test]
fn the_tape_is_known_before_anything_runs() {
    let program = perceptron("tanh");
    let report = program.tape_report();
    let rows: Vec<String> = report
        .entries
        .iter()
        .map(|e| format!("{} reads {} {} {:?} made by {:?}", e.reader, e.name, e.shape, e.value.map(|v| v.0), e.maker))
        .collect();
    assert_eq!(
        rows,
        [
            "0 reads x [2, 3] Some(0) made by None",
            "0 reads weight [3, 4] Some(1) made by None",
            "1 reads y [2, 4] Some(4) made by Some(1)",
        ]
    );
    assert_eq!(report.elements, 6 + 12 + 8);
    // When the first operation is pulled back: x and weight, the cotangent that it takes, and the three that it gives.
    assert_eq!(report.peak, 6 + 12 + 8 + 6 + 12 + 4);
    assert!(report.peak >= report.elements);
}

#[test]
fn a_local_that_is_saved_is_counted() {
    let mut net = Net::new();
    let x = net.input("x", &[5]);
    let y = net.op("silu", &[&[5]], &[x]);
    let report = net.finish(&[y]).tape_report();
    let names: Vec<&str> = report.entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["x", "gate"]);
    assert_eq!(report.elements, 10);
}

/// The intervals of the kernel are numbers like any other: values and gradients are enclosed.
#[test]
fn intervals_enclose_values_and_gradients() {
    use pullback_kernel::eval::Interval;
    let program = perceptron("tanh");
    let point: Vec<Vec<f64>> = program
        .inputs()
        .iter()
        .enumerate()
        .map(|(k, i)| (0..i.shape.elements()).map(|j| (k as f64 - 1.0) / 3.0 + j as f64 / 7.0).collect())
        .collect();
    let around = |x: &f64| Interval { low: x - 1e-3, high: x + 1e-3 };
    let boxes: Vec<Vec<Interval>> = point.iter().map(|x| x.iter().map(around).collect()).collect();
    let (value, tape) = program.linearize(&point).unwrap();
    let (enclosed, wide) = program.linearize(&boxes).unwrap();
    let seed = vec![vec![1.0; 8]];
    let gradient = program.pullback(&tape, &seed).unwrap();
    let seeds = vec![vec![Interval { low: 1.0, high: 1.0 }; 8]];
    let gradients = program.pullback(&wide, &seeds).unwrap();
    let inside = |x: &[Vec<f64>], i: &[Vec<Interval>]| {
        x.iter().flatten().zip(i.iter().flatten()).all(|(x, i)| i.low <= *x && *x <= i.high && i.high - i.low < 0.1)
    };
    assert!(inside(&value, &enclosed));
    assert!(inside(&gradient, &gradients));
}

/// The table of the library's statements has each once, with what it declares.
#[test]
fn the_table_of_statements_says_what_each_declares() {
    let table = include_str!("../../contracts/README.md");
    for (path, text) in pullback_program::STATEMENTS {
        let (statements, _) = pullback_kernel::load(text);
        let [statement] = statements.as_slice() else { panic!("{path}") };
        let (name, link) = (statement.name(), path.trim_start_matches("contracts/"));
        let start = format!("| [`{name}`]({link}) |");
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with(&start)).collect();
        let evidence = match statement.declaration() {
            None => "| proved |".to_owned(),
            Some(declaration) => format!("| declares {}: ", declaration.label),
        };
        assert!(matches!(rows[..], [row] if row.contains(&evidence)), "{name}: {rows:?}, where {evidence} is so");
    }
}
