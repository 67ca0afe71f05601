//! Writing and reading again.

use pullback_program::interchange::JsonError;
use pullback_program::{Draft, DynProgram, Limits, Literal};

use crate::support::{OWN, own, programs};

fn round(program: &DynProgram) {
    let text = program.to_json().unwrap();
    let read = DynProgram::from_json(&text, &Limits::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(read, *program, "{text}");
    assert_eq!(read.to_json().unwrap(), text);
    let streamed = DynProgram::read_json(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(streamed, *program);
    assert_eq!(Draft::from_json(&text).unwrap(), program.draft());
}

/// write ; read = id on programs, read ; write = id on documents that were written.
#[test]
fn random_programs() {
    let programs = programs(0..1100).inspect(round).count();
    assert!(programs >= 1000, "only {programs} programs");
}

#[test]
fn a_document_looks_like_this() {
    let program = own(Literal::Float(0.1));
    let text = program.to_json().unwrap();
    let digest = program.operations()[0].operator().digest();
    let canonical = program.operations()[0].operator().text().replace('\n', "\\n");
    let expected = format!(
        r#"{{
  "version": 1,
  "inputs": [
    {{"name": "x", "shape": [2]}}
  ],
  "statements": [
    {{"name": "doubled", "sha256": "{digest}", "text": "{canonical}"}}
  ],
  "operations": [
    {{"apply": {{"statement": 0, "binding": {{"dims": [[2]], "params": [0.1]}}}}}}
  ],
  "instructions": [
    [0, [0]]
  ],
  "outputs": [
    {{"name": "y", "value": 1}}
  ]
}}
"#
    );
    assert_eq!(text, expected);
    // The text of a statement is that of any layout: its content is what counts.
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let other = text.replace(&format!("\"{canonical}\""), &quoted(&OWN.replace("dims", "// a comment\n  dims")));
    assert_ne!(other, text);
    assert_eq!(DynProgram::from_json(&other, &Limits::default()).unwrap(), program);
}

#[test]
fn every_float_survives() {
    let floats = [f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.1 + 0.2, 1e16, 1e-7, 123_456_789_012_345_680.0, 1.0];
    for x in floats {
        let program = own(Literal::Float(x));
        round(&program);
        let read = DynProgram::from_json(&program.to_json().unwrap(), &Limits::default()).unwrap();
        assert_eq!(read.operations()[0].binding().params, [Literal::Float(x)]);
    }
    // Many, for the parser rounds and the writer shortens.
    let mut random = pullback_program::random::Random(7);
    for _ in 0..20_000 {
        let x = f64::from_bits(random.next_u64());
        if x.is_finite() {
            let text = serde_json::to_string(&Literal::Float(x)).unwrap();
            assert_eq!(serde_json::from_str::<Literal>(&text).unwrap(), Literal::Float(x), "{text}");
        }
    }
    for (text, x) in
        [("-0.0", -0.0), ("-0", -0.0), ("0", 0.0), ("7", 7.0), ("9007199254740993", 9_007_199_254_740_992.0)]
    {
        assert_eq!(serde_json::from_str::<Literal>(text).unwrap(), Literal::Float(x), "{text}");
    }
}

#[test]
fn names_of_any_text() {
    for name in ["", "\"", "\\", "a\nb", "\u{1b}[31m", "\u{202e}", "é漢😀", "0.weight"] {
        let mut draft = own(Literal::integer(1)).draft();
        draft.inputs[0].name = name.to_owned();
        draft.outputs[0].name = name.to_owned();
        round(&draft.verify(&Limits::default()).unwrap());
    }
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let mut draft = own(Literal::integer(1)).draft();
    draft.outputs.push(draft.outputs[0].clone());
    assert_eq!(draft.to_json().unwrap_err().to_string(), "output 1: the name `y` is taken");

    let huge = pullback_kernel::Rational::from_integer(num_bigint::BigInt::from(10).pow(20_000));
    let found = own(Literal::Exact(huge)).to_json().unwrap_err();
    assert_eq!(found.to_string(), "it can't be written as JSON: an exact number has more than 10000 digits");
    let most = num_bigint::BigInt::from(10).pow(9_999);
    round(&own(Literal::Exact(pullback_kernel::Rational::from_integer(most.clone()))));
    assert!(own(Literal::Exact(pullback_kernel::Rational::new(1.into(), most))).to_json().is_err());
}

/// A stream that fails, after so many bytes.
struct Failing(usize);

impl std::io::Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn streams_that_fail() {
    let found = own(Literal::integer(1)).write_json(Failing(100)).unwrap_err();
    assert!(matches!(found, JsonError::Io { kind: std::io::ErrorKind::StorageFull, .. }), "{found:?}");
}

/// An output `dx` and an input `x`: the names of a transformed program stay apart.
#[test]
fn names_of_transformed_programs() {
    let mut draft = own(Literal::integer(3)).draft();
    draft.outputs[0].name = "dx".to_owned();
    draft.outputs.push(pullback_program::program::OutputDraft { name: "tdx".to_owned(), value: 0 });
    let program = draft.verify(&Limits::default()).unwrap();
    let reverse = program.with_reverse().unwrap();
    assert_eq!(reverse.outputs().iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["dx", "tdx", "dx'"]);
    round(&reverse);
    let forward = program.with_forward_mode().unwrap();
    assert_eq!(forward.outputs().iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["dx", "tdx", "tdx'", "ttdx"]);
    round(&forward);
}
