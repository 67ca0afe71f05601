//! Arrays by name.

use pullback_kernel::Rational;
use pullback_program::interchange::{Arrays, ArraysError, JsonError, Scalar};
use pullback_program::random::{self, Options, Random};
use pullback_program::{Array, DynProgram, Elements, Limits, Literal, Shape};

use crate::support::{own, programs};

fn array(text: &str) -> Array {
    Arrays::from_json(&format!("{{\"x\": {text}}}")).unwrap().get("x").unwrap().clone()
}

#[test]
fn forms() {
    let exact = |n: i64| Literal::integer(n);
    let matrix = array(r#"{"shape": [2, 2], "data": [1, 2.5, "3", "-1/2"]}"#);
    assert_eq!(matrix, array(r#"{"data": [1, 2.5, "3", "-1/2"], "shape": [2, 2]}"#));
    assert_eq!(matrix, array(r#"[[1, 2.5], ["3", "-1/2"]]"#));
    assert_eq!(array(r#"{"shape": [5, 5], "data": "0"}"#), Array::splat(Shape::new(&[5, 5]), exact(0)));
    for scalar in ["2.0", "2", "{\"shape\": [], \"data\": [2]}"] {
        assert_eq!(array(scalar), Array::floats(Shape::new(&[]), &[2.0]), "{scalar}");
    }
    assert_eq!(array("[[[1]], [[2]]]").shape, Shape::new(&[2, 1, 1]));
}

#[test]
fn refusals() {
    for (text, message) in [
        ("[]", "invalid type: sequence, expected an object of arrays by name"),
        (r#"{"x": 1, "x": 2}"#, "line 1, column 12: the name `x` comes twice"),
        (r#"{"x": []}"#, "an empty list in a nested list"),
        (r#"{"x": [[1], []]}"#, "an empty list in a nested list"),
        (r#"{"x": [[1, 2], [3]]}"#, "a list of 1 elements beside one of 2"),
        (r#"{"x": [[1, 2], 3]}"#, "a number and a list side by side"),
        (r#"{"x": [3, [1, 2]]}"#, "a number and a list side by side"),
        (r#"{"x": [[[1]], [2]]}"#, "a number and a list side by side"),
        (r#"{"x": {"shape": [1]}}"#, "missing field `data`"),
        (r#"{"x": {"shape": [1], "data": [1], "dtype": "f32"}}"#, "unknown field `dtype`"),
        (r#"{"x": {"shape": [1], "data": [[1]]}}"#, "expected a number, or an exact number in a string"),
        (r#"{"x": "2/4"}"#, "write `1/2`"),
        (
            r#"{"x": null}"#,
            "expected an array: an object with `shape` and `data`, a nested list of numbers, or a number",
        ),
        (r#"{"x": 1} 2"#, "trailing characters"),
    ] {
        let found = Arrays::from_json(text).unwrap_err().to_string();
        assert!(found.contains(message), "expected `{message}`, found `{found}` for {text}");
    }
    let deep = format!("{{\"x\": {}", "[".repeat(1_000_000));
    assert!(matches!(Arrays::from_json(&deep).unwrap_err(), JsonError::Syntax { .. }));
}

fn fit(text: &str) -> Result<Vec<Vec<f32>>, ArraysError> {
    Arrays::from_json(text).unwrap().for_inputs(&own(Literal::integer(1)))
}

#[test]
fn arrays_of_a_program() {
    assert_eq!(fit(r#"{"x": [1, "1/3"]}"#).unwrap(), [[1.0, 1.0 / 3.0]]);
    assert_eq!(fit(r#"{"x": {"shape": [2], "data": 3}}"#).unwrap(), [[3.0, 3.0]]);
    for (text, message) in [
        ("{}", "there is no array for the input `x`, of shape [2]"),
        (r#"{"x": [1, 2], "y": 1}"#, "the program has no input `y`; it has `x`"),
        (r#"{"x": [1]}"#, "the array for the input `x` has shape [1], expected [2]"),
        (r#"{"x": {"shape": [2], "data": [1]}}"#, "has 1 elements, its shape [2] has 2"),
        (r#"{"x": [1, 1e300]}"#, "element 1 of the array for the input `x` is past the largest f32"),
        (r#"{"x": {"shape": [1000000000000, 1000000000000], "data": 1}}"#, "expected [2]"),
    ] {
        assert_eq!(fit(text).map_err(|e| e.to_string().contains(message)), Err(true), "{text}: {:?}", fit(text));
    }
    let program = own(Literal::integer(1));
    let nan = Arrays::of_outputs(&program, &[vec![1.0, f64::NAN]]).unwrap_err();
    assert_eq!(nan.to_string(), "element 1 of `y` is not finite in f64");
}

#[test]
fn minus_zero_is_another_zero() {
    let read =
        Arrays::from_json(r#"{"x": [-0.0, 0.0]}"#).unwrap().for_inputs::<f64>(&own(Literal::integer(1))).unwrap();
    assert_eq!(read[0].iter().map(|x| x.is_sign_negative()).collect::<Vec<_>>(), [true, false]);
}

/// write ; read = id on numbers, to the bit.
fn again<N: Scalar + PartialEq + std::fmt::Debug>(program: &DynProgram, arrays: &[Vec<N>]) {
    let written = Arrays::of_inputs(program, arrays).unwrap();
    let text = written.to_json().unwrap();
    let read = Arrays::read_json(text.as_bytes()).unwrap();
    assert_eq!(read, written);
    assert_eq!(read.to_json().unwrap(), text);
    assert_eq!(read.for_inputs::<N>(program).unwrap(), arrays);
}

#[test]
fn random_numbers() {
    let mut random = Random(3);
    for program in programs(0..100) {
        let exact: Vec<Vec<Rational>> = program.inputs().iter().map(|i| random.rationals(i.shape.elements())).collect();
        again(&program, &exact);
        let finite = |random: &mut Random| loop {
            let x = f64::from_bits(random.next_u64());
            if x.is_finite() {
                break x;
            }
        };
        let of = |n: usize, random: &mut Random| (0..n).map(|_| finite(random)).collect::<Vec<_>>();
        let doubles: Vec<Vec<f64>> = program.inputs().iter().map(|i| of(i.shape.elements(), &mut random)).collect();
        again(&program, &doubles);
    }
    for _ in 0..100_000 {
        let x = f32::from_bits(random.next_u64() as u32);
        if let Some(literal) = x.literal() {
            assert_eq!(f32::of_literal(&literal).map(f32::to_bits), Some(x.to_bits()), "{literal}");
        }
    }
}

#[test]
fn an_evaluation_goes_through_documents() {
    let sample = random::sample(5, &Options { rational: true, ..Options::default() }).unwrap();
    let text = sample.program.to_json().unwrap();
    let inputs = Arrays::of_inputs(&sample.program, &sample.inputs).unwrap().to_json().unwrap();
    let program = DynProgram::from_json(&text, &Limits::default()).unwrap();
    let inputs = Arrays::from_json(&inputs).unwrap().for_inputs::<Rational>(&program).unwrap();
    let outputs = program.evaluate(&inputs).unwrap();
    assert_eq!(outputs, sample.program.evaluate(&sample.inputs).unwrap());
    let outputs = Arrays::of_outputs(&program, &outputs).unwrap();
    assert!(outputs.iter().all(|(_, array)| matches!(array.elements, Elements::Each(_))));
}
