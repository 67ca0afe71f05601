//! What is wrong is refused, with its place and what would be right.

use pullback_program::interchange::JsonError;
use pullback_program::{DynProgram, Limits, Literal};

use crate::support::{document, library, own};

fn refusal(text: &str) -> JsonError {
    let limits = Limits { elements: 1 << 20, total: 1 << 22, ..Limits::default() };
    match DynProgram::from_json(text, &limits) {
        Ok(program) => panic!("it is a program:\n{program}"),
        Err(error) => error,
    }
}

fn refused(text: &str, message: &str) {
    let found = refusal(text).to_string();
    assert!(found.contains(message), "expected `{message}`, found `{found}` for\n{text}");
}

/// `y = tanh(x)` with a part of it changed.
fn tanh(part: &str, by: &str) -> String {
    let operation = r#"{"apply": {"statement": 0, "binding": {"dims": [[2]]}}}"#;
    let text = document(
        r#"{"name": "x", "shape": [2]}"#,
        &library("tanh"),
        operation,
        "[0, [0]]",
        r#"{"name": "y", "value": 1}"#,
    );
    assert!(DynProgram::from_json(&text, &Limits::default()).is_ok());
    assert!(text.contains(part), "{part}");
    text.replacen(part, by, 1)
}

#[test]
fn no_json() {
    refused("", "line 1, column 1: EOF while parsing a value");
    refused("{", "EOF while parsing an object");
    refused("[1, 2", "a program: an object that begins with `\"version\": 1`");
    assert!(matches!(refusal("{\"version\": 1"), JsonError::Syntax { line: 1, .. }));
    refused(&tanh("[2]", "[2,]"), "trailing comma");
    refused(&(tanh("[2]", "[2]") + " {}"), "trailing characters");
    refused(&tanh("\"x\"", "\"\\ud800\""), "unexpected end of hex escape");
    refused("\n", "line 2, column 1: EOF");
    refused("\u{feff}\u{feff}{}", "expected value");
}

#[test]
fn versions() {
    refused("{}", "the first field must be `version`, there is none");
    refused("{\"inputs\": [], \"version\": 1}", "the first field is `inputs`, it must be `version`");
    refused(
        &tanh("\"version\": 1", "\"version\": 2"),
        "line 1, column 13: version 2 is not known; this library reads version 1",
    );
    refused(&tanh("\"version\": 1", "\"version\": \"1\""), "version \"1\" is not known");
    refused(&tanh("\"version\": 1", "\"version\": 1.0"), "version 1.0 is not known");
    assert!(
        matches!(refusal(&tanh("\"version\": 1", "\"version\": 99")), JsonError::Version { found, .. } if found == "99")
    );
    refused(&tanh("\"version\": 1", "\"version\": 1, \"version\": 1"), "unknown field `version`");
}

#[test]
fn fields() {
    let found = refusal(&tanh("\"outputs\"", "\"output\""));
    let JsonError::Form { line, column, message } = found else { panic!("{found}") };
    assert_eq!((line, column), (2, 36));
    assert!(message.starts_with("unknown field `output`, expected one of `inputs`"), "{message}");
    refused(&tanh(", \"shape\": [2]", ""), "missing field `shape`");
    refused(&tanh("\"shape\"", "\"name\""), "duplicate field `name`");
    refused(&tanh("\"outputs\": [", "\"inputs\": ["), "duplicate field `inputs`");
    refused(&tanh("{\"statement\": 0,", "{\"statement\": 0, \"statement\": 0,"), "duplicate field `statement`");
    refused(&tanh("{\"dims\": [[2]]}", "{\"dims\": [[2]], \"dims\": [[2]]}"), "duplicate field `dims`");
    refused(&tanh("{\"dims\": [[2]]}", "{\"dims\": [[2]], \"sizes\": []}"), "unknown field `sizes`");
    refused(&tanh("{\"apply\":", "{\"call\":"), "unknown variant `call`, expected `apply` or `derive`");
}

#[test]
fn types() {
    // A structure is an object, never the list of its fields.
    refused(
        &tanh("{\"name\": \"x\", \"shape\": [2]}", "[\"x\", [2]]"),
        "expected an input: an object with `name` and `shape`",
    );
    refused(
        &tanh("{\"statement\": 0, \"binding\": {\"dims\": [[2]]}}", "[0, {\"dims\": [[2]]}]"),
        "invalid type: sequence",
    );
    refused(&tanh("[0, [0]]", "[0, [0], 1]"), "trailing characters");
    refused(&tanh("[0, [0]]", "[0]"), "invalid length 1");
    refused(&tanh("[0, [0]]", "[0, [0.0]]"), "invalid type: floating point `0.0`, expected usize");
    refused(&tanh("[0, [0]]", "[-1, [0]]"), "invalid value: integer `-1`, expected usize");
    refused(&tanh("\"shape\": [2]", "\"shape\": [99999999999999999999]"), "expected usize");
    refused(&tanh("\"shape\": [2]", "\"shape\": null"), "invalid type: null");
    let text = own(Literal::integer(1)).to_json().unwrap();
    let (before, rest) = text.split_once("\"text\": ").unwrap();
    refused(
        &format!("{before}\"text\": null{}", rest.split_once("\\n\"").unwrap().1),
        "invalid type: null, expected a string",
    );
}

#[test]
fn numbers() {
    let with = |number: &str| own(Literal::integer(12_345)).to_json().unwrap().replace("\"12345\"", number);
    for number in ["\"3\"", "\"1/3\"", "3", "0.5", "1e3", "\"1e-5\"", "\"2.50E+3\"", "\"0.1\""] {
        assert!(DynProgram::from_json(&with(number), &Limits::default()).is_ok(), "{number}");
    }
    refused(&with("\"2/4\""), "line 10, column ");
    refused(&with("\"2/4\""), "`2/4` is not in lowest terms: write `1/2`");
    refused(&with("\"3/1\""), "write `3`");
    refused(&with("\"1/0\""), "`1/0` has a denominator of zero");
    refused(&with("\"0/1\""), "write `0`");
    for form in [
        "", "+1", "01", "-0", "1/-2", "1.", ".5", "1.5/2", "1e", "01.5", "1e+-3", "--1e3", "1/2/3", " 1", "0x1", "NaN",
        "1/02", "/2", "1/", "٣",
    ] {
        refused(
            &with(&format!("\"{form}\"")),
            "is no exact number: an integer such as \"-3\", a fraction such as \"3/4\"",
        );
    }
    refused(&with(&format!("\"{}\"", "9".repeat(10_001))), "an exact number has 10001 digits, at most 10000 are read");
    refused(&with("1e400"), "number out of range");
    refused(&with("-1e999999999999999999999"), "number out of range");
    refused(&with("NaN"), "expected value");
    refused(&with("Infinity"), "expected value");
    refused(&with("null"), "expected a number, or an exact number in a string");
    refused(&with("true"), "expected a number, or an exact number in a string");
    // Not of the form, but of what the statement asks for.
    refused(&with("\"-1\""), "operation 0: parameter `c` is -1; it must be > 0");
    refused(&with("-0.0"), "operation 0: parameter `c` is -0; it must be > 0");
}

#[test]
fn references() {
    refused(&tanh("[0, [0]]", "[0, [1]]"), "instruction 0: value 1 is not there; 1 stand before");
    refused(&tanh("[0, [0]]", "[0, [2]], [0, [1]]"), "instruction 0: value 2 is not there; 1 stand before");
    refused(&tanh("[0, [0]]", "[0, [4294967296]]"), "instruction 0: value 4294967296 is not there");
    refused(&tanh("[0, [0]]", "[1, [0]]"), "instruction 0: operation 1 is not there; 1 stand before");
    refused(&tanh("\"value\": 1", "\"value\": 2"), "output 0: value 2 is not there; 2 stand before");
    refused(&tanh("\"statement\": 0", "\"statement\": 1"), "operation 0: statement 1 is not there");
    refused(&tanh("[0, [0]]", "[0, [0, 0]]"), "instruction 0: `tanh` takes 1 arguments, 2 are given");
    let derived = |of: usize| {
        format!(
            r#"]}}}}}}, {{"derive": {{"of": {of}, "derivation": {{"pullback": {{"seeds": [0], "wanted": [0]}}}}}}}}]"#
        )
    };
    // Of itself, and of one after it.
    refused(&tanh("]}}}]", &derived(1)), "operation 1: operation 1 is not there; 1 stand before");
    refused(&tanh("]}}}]", &derived(7)), "operation 1: operation 7 is not there");
    assert!(DynProgram::from_json(&tanh("]}}}]", &derived(0)), &Limits::default()).is_ok());
    let again = tanh("]}}}]", &(derived(0).trim_end_matches(']').to_owned() + &derived(1)["]}}}".len()..]));
    let once = Limits { derivations: 1, ..Limits::default() };
    let found = DynProgram::from_json(&again, &once).unwrap_err().to_string();
    assert_eq!(found, "operation 2: an operation is derived more than 1 times");
    assert!(DynProgram::from_json(&again, &Limits::default()).is_ok());
}

#[test]
fn names() {
    refused(
        &tanh(
            "{\"name\": \"x\", \"shape\": [2]}",
            "{\"name\": \"x\", \"shape\": [2]}, {\"name\": \"x\", \"shape\": []}",
        ),
        "input 1: the name `x` is taken",
    );
    refused(
        &tanh("{\"name\": \"y\", \"value\": 1}", "{\"name\": \"y\", \"value\": 1}, {\"name\": \"y\", \"value\": 0}"),
        "output 1: the name `y` is taken",
    );
}

#[test]
fn sizes() {
    refused(&tanh("\"shape\": [2]", "\"shape\": [0]"), "input 0: axis 0 has size 0; sizes are positive");
    refused(
        &tanh("\"shape\": [2]", "\"shape\": [1000000000]"),
        "input 0: shape [1000000000] has more than 1048576 elements",
    );
    refused(
        &tanh("[[2]]", "[[4294967296, 4294967296]]"),
        "operation 0: `s` has shape [4294967296, 4294967296], more than 1048576 elements",
    );
    refused(&tanh("[[2]]", "[[18446744073709551615, 18446744073709551615]]"), "more than 1048576 elements");
    refused(&tanh("[[2]]", "[[0]]"), "axis 0 of dimension `s` has size 0");
    refused(&tanh("[[2]]", "[]"), "0 dimensions are given, the statement has 1");
    refused(&tanh("[[2]]", "[[3]]"), "argument 0, `x` of `tanh`, has shape [2], expected [3]");
    let many = "[0, [0]], ".repeat(2_000_000) + "[0, [0]]";
    let limits = Limits { instructions: 1_000, ..Limits::default() };
    let found = DynProgram::from_json(&tanh("[0, [0]]", &many), &limits).unwrap_err().to_string();
    assert!(found.contains("the program has more than 1000 instructions"), "{}", found.len());
}

#[test]
fn splits() {
    let split = |sizes: [usize; 3], whole: usize| {
        let [rest, a, b] = sizes;
        let operation =
            format!(r#"{{"apply": {{"statement": 0, "binding": {{"dims": [[{rest}], [{a}], [{b}], [{whole}]]}}}}}}"#);
        let input = |name: &str, n: usize| format!(r#"{{"name": "{name}", "shape": [{rest}, {n}]}}"#);
        let inputs = format!("{}, {}", input("a", a), input("b", b));
        document(&inputs, &library("concatenate"), &operation, "[0, [0, 1]]", r#"{"name": "y", "value": 2}"#)
    };
    assert!(DynProgram::from_json(&split([1, 2, 3], 5), &Limits::default()).is_ok());
    refused(&split([1, 2, 3], 4), "operation 0: the parts of `n` have 5 positions together; `n` has 4");
    refused(&split([1, 2, 3], 6), "operation 0: the parts of `n` have 5 positions together; `n` has 6");
}

#[test]
fn statements() {
    refused(
        &tanh("\"name\": \"tanh\"", "\"name\": \"tan\""),
        "statement 0: the library has no statement `tan` (did you mean `atan`?); a statement of your own needs its text",
    );
    refused(&tanh("\"name\": \"tanh\"", "\"name\": \"sine\""), "statement 0: `sine` has the content ");
    refused(&tanh("\"sha256\": \"", "\"sha256\": \"0"), "is not a content hash: 64 hexadecimal digits in lower case");
    let text = own(Literal::integer(1)).to_json().unwrap();
    refused(&text.replacen("2 * x[", "3 * x[", 1), "statement 0: the backward rule of `doubled` is refuted");
    refused(&text.replace("2 * x[", "3 * x[").replace("2 * dy[", "3 * dy["), "the statement was changed");
    refused(
        &text.replace("\"name\": \"doubled\"", "\"name\": \"tripled\""),
        "the text is that of `doubled`, not of `tripled`",
    );
    refused(&text.replace("contract doubled", "contract doubled doubled"), "statement 0: ");
    let (before, rest) = text.split_once("\"text\": \"").unwrap();
    let twice = rest.split_once("\"}").unwrap().0;
    refused(&format!("{before}\"text\": \"{twice}{rest}"), "is given twice");
    refused(
        &format!("{before}\"text\": \"\"}}{}", rest.split_once("\"}").unwrap().1),
        "statement 0: E0227: no statement in this source",
    );
}

#[test]
fn nesting() {
    for (open, close) in [("[", "]"), ("{\"version\":", "}"), ("{\"a\":", "}")] {
        let deep = open.repeat(100_000) + "0" + &close.repeat(100_000);
        for text in [
            deep.clone(),
            tanh("[2]", &deep),
            tanh("[0, [0]]", &deep),
            tanh("\"version\": 1", &format!("\"version\": {deep}")),
        ] {
            let found = refusal(&text);
            assert!(matches!(found, JsonError::Form { .. } | JsonError::Syntax { .. }), "{found}");
        }
    }
    refused(&tanh("\"version\": 1", &format!("\"version\": {}", "[".repeat(1000))), "recursion limit exceeded");
}

#[test]
fn every_fault_is_said() {
    let text = tanh("[0, [0]]", "[0, [9]], [3, [0]], [0, [0]]").replace("\"value\": 1", "\"value\": 77");
    let JsonError::Program(faults) = refusal(&text) else { panic!() };
    assert_eq!(faults.0.len(), 2, "{faults}");
}
