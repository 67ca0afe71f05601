//! Architectures as documents: what is written is read, what is wrong is refused with its place.

use pullback_program::architecture::random::{KINDS, Options, sample};
use pullback_program::architecture::{self, Activation, Architecture, Dense, Initializer, Layer, Positional};
use pullback_program::interchange::JsonError;
use pullback_program::random::Random;
use pullback_program::{Array, Literal, Shape};
use serde_json::Value;

use crate::mutations::mutated;
use crate::schema::{fresh, literal};
use crate::validate::validate;

/// Random architectures, of every kind in turn.
fn architectures(seeds: std::ops::Range<u64>) -> impl Iterator<Item = Architecture> {
    seeds.filter_map(|seed| {
        let options = Options { kind: Some(KINDS[seed as usize % KINDS.len()]), ..Options::default() };
        sample(seed, &options).map(|sample| sample.architecture)
    })
}

/// A document with this for its layer.
fn document(layer: &str) -> String {
    format!("{{\"version\": 1, \"inputs\": [[2, 3]],\n\"layer\": {layer}}}")
}

/// What it is refused with, and where.
fn refused(text: &str) -> (usize, usize, String) {
    match Architecture::from_json(text).unwrap_err() {
        JsonError::Form { line, column, message } | JsonError::Syntax { line, column, message } => {
            (line, column, message)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn the_published_schema_is_fresh() {
    let schema = architecture::schema();
    fresh("architecture", &schema);
    let text = schema.to_string();
    assert!(KINDS.iter().all(|kind| text.contains(&format!("\"{kind}\""))), "{text}");
}

#[test]
fn what_is_written_is_read_and_validates() {
    let schema = architecture::schema();
    let mut count = 0;
    for architecture in architectures(0..400) {
        let text = architecture.to_json().unwrap();
        let read = Architecture::from_json(&text).unwrap();
        assert_eq!(read, architecture);
        assert_eq!(Architecture::read_json(text.as_bytes()).unwrap(), architecture);
        assert_eq!(read.to_json().unwrap(), text);
        let document: Value = serde_json::from_str(&text).unwrap();
        validate(&document, &schema, &schema, literal).unwrap_or_else(|why| panic!("{why}\n{text}"));
        count += 1;
    }
    assert!(count >= 300, "{count}");
}

#[test]
fn other_documents_do_not_validate_and_are_not_read() {
    let schema = architecture::schema();
    let good = document("{\"dense\": {\"features\": 3, \"bias\": true}}");
    let document: Value = serde_json::from_str(&good).unwrap();
    validate(&document, &schema, &schema, literal).unwrap();
    for (path, value) in [
        ("/version", Value::from(2)),
        ("/inputs", Value::from("x")),
        ("/inputs/0/0", Value::from(-1)),
        ("/layer", Value::from("dense")),
        ("/layer/dense", Value::from(3)),
        ("/layer/dense/features", Value::from(0.5)),
        ("/layer/dense/bias", Value::from("true")),
    ] {
        let mut other = document.clone();
        *other.pointer_mut(path).unwrap() = value;
        assert!(validate(&other, &schema, &schema, literal).is_err(), "{other}");
        assert!(Architecture::from_json(&other.to_string()).is_err(), "{other}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (layer, line, words) in [
        ("{\"dense\": {\"features\": 3, \"bias\": true, \"width\": 1}}", 2, "unknown field `width`"),
        ("{\"dense\": {\"features\": 3, \"features\": 3, \"bias\": true}}", 2, "duplicate field `features`"),
        ("{\"dense\": {\"features\": 3}}", 2, "missing field `bias`"),
        ("{\"dense\": [3, true]}", 2, "invalid type: sequence"),
        ("{\"thick\": {}}", 2, "unknown variant `thick`"),
        ("{\"flatten\": null, \"dense\": null}", 2, "expected"),
        ("{\"dense\": {\"features\": -3, \"bias\": true}}", 2, "invalid value: integer `-3`"),
        ("{\"dense\": {\"features\": 18446744073709551616, \"bias\": true}}", 2, "invalid type: floating point"),
        ("{\"activation\": {\"scale\": \"1/0\"}}", 2, "1/0"),
        ("\"flatten\"}, {", 2, "trailing characters"),
        ("\"flatten\", \"layer\": \"flatten\"", 2, "duplicate field `layer`"),
    ] {
        let (at, column, message) = refused(&document(layer));
        assert!(message.contains(words) && at == line && column > 0, "{layer}: {at}:{column}: {message}");
    }
    let (line, column, message) = refused("{\"inputs\": []}");
    assert_eq!((line, column), (1, 9));
    assert_eq!(message, "the first field is `inputs`, it must be `version`");
    let later = Architecture::from_json("{\"version\": 2, \"anything\": 0}").unwrap_err();
    assert!(matches!(later, JsonError::Version { line: 1, .. }), "{later}");
}

/// What is no kind of layer is told what one is, at its place.
#[test]
fn a_kind_is_a_word_or_an_object_with_one_key() {
    const LAYER: &str = "expected a layer: an object with one key, the kind; `flatten` is the word alone";
    const ACTIVATION: &str = "expected an activation: a word such as `tanh`, or an object with `scale`, `shift`, `leaky_relu` or `elu` and its number";
    for (layer, words, expected) in [
        ("\"dense\"", "`dense` as a word, without its content `{\"dense\": …}`", LAYER),
        (
            "{\"activation\": \"leaky_relu\"}",
            "`leaky_relu` as a word, without its content `{\"leaky_relu\": …}`",
            ACTIVATION,
        ),
        ("{\"flatten\": null}", "`flatten` with content, it is the word alone: `\"flatten\"`", LAYER),
        ("{\"activation\": {\"tanh\": 1}}", "`tanh` with content, it is the word alone: `\"tanh\"`", ACTIVATION),
        (
            "{\"dense\": {\"features\": 3, \"bias\": true}, \"flatten\": null}",
            "a second key `flatten` after `dense`",
            LAYER,
        ),
        ("{}", "an object without a key", LAYER),
        ("[]", "invalid type: sequence", LAYER),
        ("3", "invalid type: integer `3`", LAYER),
        ("null", "invalid type: null", LAYER),
        ("{\"residual\": {}}", "an object without a key", LAYER),
        ("{\"activation\": {}}", "an object without a key", ACTIVATION),
    ] {
        let (line, at, message) = refused(&document(layer));
        assert_eq!(message, format!("{words}, {expected}"), "{layer}");
        // The layer begins at column 10 of line 2.
        assert!(line == 2 && (10..=10 + layer.len()).contains(&at), "{layer}: {line}:{at}");
    }
}

/// A field that is not there is refused in every object of every layer, so that none is a field misspelt.
#[test]
fn unknown_fields_are_refused_everywhere() {
    fn objects(value: &Value, path: &str, all: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                all.push(path.to_owned());
                fields.iter().for_each(|(key, value)| objects(value, &format!("{path}/{key}"), all));
            }
            Value::Array(entries) => {
                entries.iter().enumerate().for_each(|(k, value)| objects(value, &format!("{path}/{k}"), all));
            }
            _ => {}
        }
    }
    let schema = architecture::schema();
    let (mut count, mut windows) = (0, 0);
    for architecture in architectures(0..200) {
        let document: Value = serde_json::from_str(&architecture.to_json().unwrap()).unwrap();
        let mut places = Vec::new();
        objects(&document, "", &mut places);
        for place in places {
            let mut other = document.clone();
            other.pointer_mut(&place).unwrap()["more"] = Value::from(1);
            assert!(validate(&other, &schema, &schema, literal).is_err(), "{place}: {other}");
            // The version comes first, which a value does not keep.
            other.as_object_mut().unwrap().remove("version");
            let text = other.to_string().replacen('{', "{\"version\": 1, ", 1);
            assert!(Architecture::from_json(&text).is_err(), "{place}: {text}");
            windows += usize::from(place.ends_with("/window"));
            count += 1;
        }
    }
    assert!(count > 1000 && windows > 0, "{count} objects, {windows} windows of masks");
}

#[test]
fn unknown_fields_of_initialisers_are_refused() {
    let read = serde_json::from_str::<Initializer>;
    assert!(read("{\"uniform\": {\"low\": 0, \"high\": 1}}").is_ok());
    for text in [
        "{\"uniform\": {\"low\": 0, \"high\": 1, \"mean\": 0}}",
        "{\"normal\": {\"mean\": 0, \"deviation\": 1, \"low\": 0}}",
    ] {
        assert!(read(text).unwrap_err().to_string().contains("unknown field"), "{text}");
    }
}

/// The depth of a document is bounded where it is read, and so is what is written.
#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| format!("{}\"flatten\"{}", "{\"residual\": ".repeat(depth), "}".repeat(depth));
    assert!(Architecture::from_json(&document(&nested(100))).is_ok());
    for depth in [1_000, 100_000] {
        assert!(refused(&document(&nested(depth))).2.contains("recursion limit"));
        assert!(refused(&document(&"{\"sequential\": [".repeat(depth))).2.contains("recursion limit"));
    }
    let deep = (0..200).fold(Layer::Flatten, |layer, _| Layer::Residual(Box::new(layer)));
    let error = Architecture::new(&[2, 3], deep).to_json().unwrap_err();
    assert!(matches!(&error, JsonError::Unwritable(why) if why.contains("recursion limit")), "{error}");
}

#[test]
fn what_could_not_be_read_is_not_written() {
    for number in [f64::NAN, f64::INFINITY] {
        let layers = [
            Layer::Activation(Activation::Scale(Literal::Float(number))),
            Layer::Positional(Positional::Table(Array::splat(Shape::new(&[2, 3]), Literal::Float(number)))),
        ];
        for layer in layers {
            let error = Architecture::new(&[2, 3], layer).to_json().unwrap_err();
            assert!(matches!(error, JsonError::Unwritable(_)), "{error}");
        }
    }
    let whole = Architecture::new(&[2, 3], Layer::Dense(Dense { features: usize::MAX, bias: false }));
    assert_eq!(Architecture::from_json(&whole.to_json().unwrap()).unwrap(), whole);
}

#[test]
fn a_changed_document_is_refused_or_an_architecture() {
    let mut random = Random(5);
    let documents: Vec<String> =
        architectures(0..120).map(|a| a.to_json().unwrap()).filter(|text| text.len() < 6000).collect();
    let (mut form, mut wrong, mut compiled) = (0, 0, 0);
    for _ in 0..4_000 {
        let mut bytes = mutated(&documents[random.below(documents.len())], &mut random);
        while random.below(4) == 0
            && let Ok(text) = std::str::from_utf8(&bytes)
            && !text.is_empty()
        {
            bytes = mutated(text, &mut random);
        }
        let Ok(architecture) = Architecture::read_json(bytes.as_slice()) else {
            form += 1;
            continue;
        };
        assert_eq!(Architecture::from_json(&architecture.to_json().unwrap()).unwrap(), architecture);
        let Ok(signature) = architecture.verify() else {
            wrong += 1;
            assert_eq!(architecture.compile().unwrap_err(), architecture.verify().unwrap_err());
            continue;
        };
        let sizes = signature.inputs().map(|(_, shape)| shape.elements());
        // What large sizes are refused for is tested by itself.
        if sizes.sum::<usize>() > 1 << 16 {
            continue;
        }
        let Ok(program) = architecture.compile() else { continue };
        let shapes: Vec<&Shape> = program.outputs().iter().map(|o| program.shape_of(o.value)).collect();
        assert_eq!(shapes, signature.outputs.iter().collect::<Vec<_>>());
        compiled += 1;
    }
    // All three happen often: the changes are neither blunt nor idle.
    assert!(form > 400 && wrong > 100 && compiled > 300, "{form} of another form, {wrong} wrong, {compiled} compiled");
}

/// What the README shows is read, and fits together.
#[test]
fn the_document_of_the_readme_compiles() {
    let readme = include_str!("../../../README.md");
    let block = readme.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let signature = Architecture::from_json(block).unwrap().verify().unwrap();
    assert_eq!(signature.outputs, [Shape::new(&[32, 10])]);
}
