//! What a program that comes from outside must be, and what is said where it is not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_program::program::{InputDraft, InstructionDraft, OperationDraft, OutputDraft, StatementDraft};
use pullback_program::{Array, Binding, Derivation, Draft, DynProgram, IndexData, Limits, Operation, Operator, Shape};
use support::{Net, dims, exact};

fn statement(name: &str) -> StatementDraft {
    let digest = Operator::library(name).unwrap().digest().to_string();
    StatementDraft { name: Some(name.into()), digest: Some(digest), text: None }
}

fn apply(statement: usize, binding: Binding) -> OperationDraft {
    OperationDraft::Apply { statement, binding }
}

fn instruction(operation: usize, arguments: &[usize]) -> InstructionDraft {
    InstructionDraft { operation, arguments: arguments.to_vec() }
}

fn input(name: &str, shape: &[usize]) -> InputDraft {
    InputDraft { name: name.into(), shape: shape.to_vec() }
}

fn output(name: &str, value: usize) -> OutputDraft {
    OutputDraft { name: name.into(), value }
}

/// `matmul(x, w)`, then `tanh`.
fn layer() -> Draft {
    Draft {
        inputs: vec![input("x", &[2, 3]), input("w", &[3, 4])],
        statements: vec![statement("matmul"), statement("tanh")],
        operations: vec![apply(0, dims(&[&[2], &[3], &[4]])), apply(1, dims(&[&[2, 4]]))],
        instructions: vec![instruction(0, &[0, 1]), instruction(1, &[2])],
        outputs: vec![output("y", 3)],
    }
}

fn faults(draft: &Draft) -> Vec<String> {
    match draft.verify(&Limits::default()) {
        Ok(program) => panic!("accepted:\n{program}"),
        Err(faults) => faults.0.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_right_program_is_accepted() {
    let program = layer().verify(&Limits::default()).unwrap();
    assert_eq!(program.len(), 2);
    assert_eq!(program.draft(), layer());
}

#[test]
fn all_faults_are_reported_at_once() {
    let mut draft = layer();
    draft.inputs[1].shape = vec![5, 4];
    draft.instructions.push(instruction(0, &[0]));
    draft.instructions.push(instruction(1, &[9]));
    draft.instructions.push(instruction(7, &[0]));
    draft.outputs.push(output("y", 0));
    assert_eq!(
        faults(&draft),
        [
            "instruction 0: argument 1, `b` of `matmul`, has shape [5, 4], expected [3, 4] (they differ at axis 0)",
            "instruction 2: `matmul` takes 2 arguments, 1 are given",
            "instruction 3: value 9 is not there; 5 stand before",
            "instruction 4: operation 7 is not there; 2 stand before",
            "output 1: the name `y` is taken",
        ]
    );
}

#[test]
fn references_are_to_what_stands_before() {
    let mut forward = layer();
    forward.instructions[0].arguments[0] = 3;
    assert_eq!(faults(&forward), ["instruction 0: value 3 is not there; 2 stand before"]);
    let mut own = layer();
    own.instructions[1].arguments[0] = 3;
    assert_eq!(faults(&own), ["instruction 1: value 3 is not there; 3 stand before"]);
    let mut missing = layer();
    missing.outputs[0].value = 4;
    assert_eq!(faults(&missing), ["output 0: value 4 is not there; 4 stand before"]);
}

/// The faults of one operation of that statement with that data.
fn data(name: &str, binding: Binding) -> Vec<String> {
    let draft = Draft { statements: vec![statement(name)], operations: vec![apply(0, binding)], ..Draft::default() };
    faults(&draft)
}

#[test]
fn data_fits_the_statement() {
    assert_eq!(
        data("matmul", dims(&[&[2], &[0], &[4, 4]])),
        [
            "operation 0: axis 0 of dimension `k` has size 0; sizes are positive",
            "operation 0: dimension `n` has one size, 2 are given; only a pack has several",
        ]
    );
    assert_eq!(data("matmul", dims(&[&[2]])), ["operation 0: 1 dimensions are given, the statement has 3"]);
    assert_eq!(data("scale", dims(&[&[2]])), ["operation 0: 0 parameters are given, the statement has 1"]);
    assert_eq!(
        data("layer_norm", Binding { params: vec![exact(0, 1)], ..dims(&[&[2], &[3]]) }),
        ["operation 0: parameter `eps` is 0; it must be > 0"]
    );
    let gather = |table: Vec<usize>| Binding { maps: vec![IndexData::Table(table)], ..dims(&[&[3], &[4], &[]]) };
    assert_eq!(
        data("gather", gather(vec![0, 1])),
        ["operation 0: map `at` has 2 values; its arguments have 3 positions"]
    );
    assert_eq!(
        data("gather", gather(vec![0, 4, 1])),
        ["operation 0: map `at` takes position 1 to 4; `n` has 4 positions"]
    );
    let holes = Binding { maps: vec![IndexData::Partial(vec![None, Some(1), Some(2)])], ..gather(vec![]) };
    assert_eq!(
        data("gather", holes),
        ["operation 0: map `at` is not defined at position 0; only a partial map may be"]
    );
    let permute = |table: Vec<usize>| Binding { maps: vec![IndexData::Table(table)], ..dims(&[&[], &[3]]) };
    assert_eq!(
        data("permute", permute(vec![0, 2, 0])),
        ["operation 0: map `place` takes positions 0 and 2 both to 0; a bijection does not"]
    );
    let reshape = Binding { maps: vec![IndexData::RowMajor], ..dims(&[&[2, 3], &[5]]) };
    assert_eq!(
        data("reshape", reshape),
        ["operation 0: map `order` is a bijection of 6 positions and 5; they must be equally many"]
    );
    assert_eq!(
        data("concatenate", dims(&[&[], &[2], &[3], &[6]])),
        ["operation 0: the parts of `n` have 5 positions together; `n` has 6"]
    );
    let constant = |array| Binding { constants: vec![array], ..dims(&[&[2]]) };
    assert_eq!(
        data("constant", constant(support::zeros(&[3]))),
        ["operation 0: constant `value` has shape [3], the statement asks for [2]"]
    );
    assert_eq!(
        data("constant", constant(Array::floats(Shape::new(&[2]), &[1.0]))),
        ["operation 0: constant `value` has 1 elements, its shape [2] has 2"]
    );
    assert_eq!(
        data("constant", constant(Array::floats(Shape::new(&[2]), &[1.0, f64::NAN]))),
        ["operation 0: constant `value` is not finite"]
    );
}

#[test]
fn sizes_do_not_overflow() {
    let huge = usize::MAX / 2 + 1;
    assert_eq!(
        data("tanh", dims(&[&[huge, 4]])),
        [format!("operation 0: `s` has shape [{huge}, 4], more than 268435456 elements")]
    );
    // Each axis is small, the local of the backward rule is not.
    let large = data("outer_product", dims(&[&[1 << 10], &[1 << 10], &[1 << 10]]));
    assert_eq!(large, ["operation 0: `z` has shape [1024, 1024, 1024], more than 268435456 elements"]);
    let mut draft = layer();
    draft.inputs[0].shape = vec![1_000_000_000];
    assert_eq!(faults(&draft)[0], "input 0: shape [1000000000] has more than 268435456 elements");
}

#[test]
fn statements_are_what_they_say() {
    let mut draft = layer();
    draft.statements[0].name = Some("matmull".into());
    draft.statements[1].digest = Some("00".repeat(32));
    let tanh = Operator::library("tanh").unwrap().digest();
    assert_eq!(
        faults(&draft),
        [
            "statement 0: the library has no statement `matmull` (did you mean `matmul`?); a statement of your own needs its text".to_string(),
            format!("statement 1: `tanh` has the content {tanh}, not {}: the statement was changed", "00".repeat(32)),
        ]
    );
    draft = layer();
    draft.statements[1].digest = Some("xyz".into());
    assert_eq!(faults(&draft), ["statement 1: `xyz` is not a content hash: 64 hexadecimal digits in lower case"]);
}

/// A statement of a user's own is proved before it is let in.
#[test]
fn a_wrong_rule_is_no_operator() {
    let wrong = "contract cubed version 1\ndims s..\ninput x[s..]\noutput y[i..] = x[i..]^3\nsaves x\ndx[i..] = 2 * dy[i..] * x[i..]^2\n";
    let error = Operator::from_text(wrong).unwrap_err().to_string();
    assert!(error.starts_with("the backward rule of `cubed` is refuted"), "{error}");
    let right = wrong.replace("= 2 *", "= 3 *");
    let operator = Operator::from_text(&right).unwrap();
    assert!(!operator.is_in_library());
    // The same content is the same operator, and the library's own text is the library's.
    assert!(std::sync::Arc::ptr_eq(&operator, &Operator::from_text(&right).unwrap()));
    let library = Operator::library("cube").unwrap();
    assert!(std::sync::Arc::ptr_eq(&library, &Operator::from_text(library.text()).unwrap()));

    let draft = |text: &str, digest: String| Draft {
        statements: vec![StatementDraft { name: Some("cubed".into()), digest: Some(digest), text: Some(text.into()) }],
        ..Draft::default()
    };
    assert!(draft(&right, operator.digest().to_string()).verify(&Limits::default()).is_ok());
    assert!(faults(&draft(wrong, operator.digest().to_string()))[0].contains("is refuted"));
}

#[test]
fn derivations_are_bounded_and_of_what_is_there() {
    let derive =
        |of| OperationDraft::Derive { of, derivation: Derivation::Pullback { seeds: vec![0], wanted: vec![0] } };
    let mut draft = layer();
    draft.operations.push(derive(7));
    assert_eq!(faults(&draft), ["operation 2: operation 7 is not there; 2 stand before"]);
    let mut draft = layer();
    for k in 0..12 {
        draft.operations.push(OperationDraft::Derive { of: 1 + k, derivation: Derivation::Taped });
    }
    assert_eq!(faults(&draft), ["operation 10: an operation is derived more than 8 times"]);
    // The pullback of a sum by an input that it has not.
    let mut draft = layer();
    draft
        .operations
        .push(OperationDraft::Derive { of: 1, derivation: Derivation::Pullback { seeds: vec![3], wanted: vec![0] } });
    assert!(draft.verify(&Limits::default()).is_err());
}

#[test]
fn counts_and_memory_are_limited() {
    let limits = Limits { instructions: 1, total: 30, ..Limits::default() };
    let words: Vec<String> = layer().verify(&limits).unwrap_err().0.iter().map(ToString::to_string).collect();
    assert_eq!(words[0], "input 1: the program has more than 1 inputs");
    let limits = Limits { total: 20, ..Limits::default() };
    let words: Vec<String> = layer().verify(&limits).unwrap_err().0.iter().map(ToString::to_string).collect();
    assert_eq!(words[0], "instruction 0: the program has more than 20 elements in its values");
}

fn structure(program: &DynProgram) -> Vec<&str> {
    program.instructions().map(|i| program.operation_of(&i).statement().name().text.as_str()).collect()
}

/// The reverse program of `(x + x) w`: one addition for the argument used twice, nothing for what is constant or stopped.
#[test]
fn a_reverse_program_has_no_dead_code() {
    let mut net = Net::new();
    let x = net.input("x", &[2, 3]);
    let unused = net.input("unused", &[5]);
    let w = net.with("constant", Binding { constants: vec![support::zeros(&[3, 4])], ..dims(&[&[3, 4]]) }, &[])[0];
    let y = net.op("matmul", &[&[2], &[3], &[4]], &[x, w]);
    let stopped = net.op("stop_gradient", &[&[2, 4]], &[y]);
    let z = net.op("multiply", &[&[2, 4]], &[y, stopped]);
    let _ = unused;
    let program = net.finish(&[z]);
    let reverse = program.reverse().unwrap();
    assert_eq!(
        structure(&reverse),
        ["constant", "matmul", "stop_gradient", "multiply_pullback", "matmul_pullback", "constant"]
    );
    // The constant's cotangent is not asked for, and an unused input has zeros of its shape.
    let matmul = reverse.instruction(4);
    assert_eq!(matmul.results().len(), 1);
    assert_eq!(reverse.shape_of(reverse.outputs()[1].value).sizes(), [5]);
}

#[test]
fn accumulations_are_instructions_of_their_own() {
    let mut net = Net::new();
    let x = net.input("x", &[]);
    let square = net.op("multiply", &[&[]], &[x, x]);
    let y = net.op("add", &[&[]], &[square, x]);
    let reverse = net.finish(&[y, square]).reverse().unwrap();
    assert_eq!(structure(&reverse), ["add_pullback", "add", "multiply_pullback", "add", "add"]);
}

/// Operations that are equal are one, however they came about.
#[test]
fn operations_are_interned() {
    let mut net = Net::new();
    let mut x = net.input("x", &[4]);
    for _ in 0..10 {
        x = net.op("tanh", &[&[4]], &[x]);
    }
    let program = net.finish(&[x]);
    assert_eq!((program.len(), program.operations().len()), (10, 1));
    let reverse = program.reverse().unwrap();
    assert_eq!(reverse.operations().len(), 2);
    let operation = Operation::new(Operator::library("tanh").unwrap(), dims(&[&[4]]), &Limits::default()).unwrap();
    assert_eq!(operation, *program.operations()[0]);
}

/// `a + a + … + a`, so many times, without depth.
fn long_sum(term: &str, times: usize) -> String {
    if times == 1 {
        term.into()
    } else {
        format!("({} + {})", long_sum(term, times / 2), long_sum(term, times - times / 2))
    }
}

fn scalar_program(text: &str, after: &str) -> DynProgram {
    let mut net = Net::new();
    let operator = Operator::from_text(text).unwrap();
    let inputs: Vec<_> = operator.statement().inputs().iter().map(|t| net.input(&t.name.text, &[])).collect();
    let operation = Operation::new(operator, Binding::default(), &Limits::default()).unwrap();
    let y = net.builder.apply(operation, &inputs).unwrap()[0];
    let z = net.op(after, &[&[]], &[y]);
    net.finish(&[z])
}

/// A saved local whose own rule is past the limits: the gradient is right, and the second derivative is refused.
#[test]
fn a_local_that_is_too_long_to_derive_is_still_saved() {
    let text = format!(
        "contract tapedlong version 1\ninput x\nlet e = {}\noutput y = e * e\nsaves e\ndx = 1000 * e * dy\n",
        long_sum("x", 500)
    );
    let program = scalar_program(&text, "tanh");
    let x = [vec![0.001]];
    let (_, tape) = program.linearize(&x).unwrap();
    let pulled = program.pullback(&tape, &[vec![1.0]]).unwrap();
    let reverse = program.reverse().unwrap();
    assert_eq!(pulled, reverse.evaluate(&[x[0].clone(), vec![1.0]]).unwrap());
    let refused = reverse.reverse().unwrap_err().to_string();
    assert!(refused.contains("past the kernel's limits"), "{refused}");
}

/// What can't be derived is not zero.
#[test]
fn what_is_past_the_limits_is_an_error_and_not_zero() {
    let text = format!("contract big version 1\ninput x, w\noutput y = {}\n", long_sum("x * w", 200));
    let program = scalar_program(&text, "tanh");
    let inputs = [vec![0.01], vec![0.02]];
    let moved = [vec![1.0], vec![1.0]];
    match program.forward_mode() {
        Err(error) => assert!(error.to_string().contains("past the kernel's limits"), "{error}"),
        Ok(forward) => {
            let given: Vec<Vec<f64>> = inputs.iter().chain(&moved).cloned().collect();
            assert_eq!(forward.evaluate(&given).unwrap(), program.directional(&inputs, &moved).unwrap().1);
        }
    }
}

/// Hundreds of reads of one value: sums of a derived rule are balanced, so that no stack is deep.
#[test]
fn derived_rules_are_not_deep() {
    let lets: String = (0..200).map(|k| format!("let a{k} = {}\n", long_sum("x", 20))).collect();
    let sum: Vec<String> = (0..200).map(|k| format!("a{k}")).collect();
    fn balanced(terms: &[String]) -> String {
        match terms {
            [one] => one.clone(),
            _ => format!("({} + {})", balanced(&terms[..terms.len() / 2]), balanced(&terms[terms.len() / 2..])),
        }
    }
    let text = format!("contract wide version 1\ninput x\n{lets}output y = {}\n", balanced(&sum));
    let program = scalar_program(&text, "tanh");
    let (_, tape) = program.linearize(&[vec![1e-5]]).unwrap();
    assert!(program.pullback(&tape, &[vec![1.0]]).unwrap()[0][0] > 0.0);
    let _ = program.reverse().and_then(|reverse| reverse.reverse());
}

#[test]
fn a_derivation_has_one_name() {
    let tanh = Operator::library("lstm_cell").unwrap();
    for (seeds, wanted) in [(vec![0, 0], vec![0]), (vec![1, 0], vec![0]), (vec![0, 7], vec![0]), (vec![0], vec![2, 1])]
    {
        assert!(tanh.derive(&Derivation::Pullback { seeds, wanted }).is_err());
    }
    assert!(tanh.derive(&Derivation::Pullback { seeds: vec![0, 1], wanted: vec![0, 2] }).is_ok());
}
