//! Documents with something changed: refused with a typed error, or a program that evaluates or says why not.

use pullback_program::interchange::{Arrays, JsonError};
use pullback_program::random::Random;
use pullback_program::{Budget, DynProgram, Limits, Literal};

use crate::support::{own, programs};

/// Small: so that what is accepted is evaluated at once.
const LIMITS: Limits =
    Limits { instructions: 200, elements: 256, total: 1 << 14, derivations: 3, budget: Budget::UNLIMITED };

/// What stands for a number.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "100",
    "256",
    "257",
    "1000000000",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "0.5",
    "-0.0",
    "1e400",
    "1e-400",
    "null",
    "true",
    "\"1/3\"",
    "\"1/0\"",
    "\"2/4\"",
    "[]",
    "{}",
    "[[[[[[1]]]]]]",
    "\"x\"",
    "[0]",
    "1, 1",
    "",
];

/// What is put in anywhere.
const BITS: &[&str] = &[
    "\"",
    "\\",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1",
    "-",
    "e9",
    "\n",
    "\u{0}",
    "é",
    "\"version\": 1,",
    "\"dims\": [[2]]",
    "\"taped\"",
    "{\"pullback\": {\"seeds\": [0], \"wanted\": [0]}}",
    "{\"pushforward\": {\"moving\": [0], \"wanted\": [0]}}",
    "\"row_major\"",
    "{\"partial\": [null]}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

/// The places of the tokens for which a test holds of the first byte and of the further ones.
fn tokens(text: &str, first: fn(u8) -> bool, further: fn(u8) -> bool) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        if first(bytes[start]) {
            while at < bytes.len() && further(bytes[at]) {
                at += 1;
            }
            found.push((start, at));
        }
    }
    found
}

fn replace(text: &str, (start, end): (usize, usize), by: &str) -> String {
    format!("{}{by}{}", &text[..start], &text[end..])
}

pub(crate) fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    let pick =
        |list: &[(usize, usize)], random: &mut Random| list.get(random.below(list.len())).copied().unwrap_or((0, 0));
    let numbers = || tokens(text, |b| b.is_ascii_digit(), |b| b.is_ascii_digit() || b == b'.');
    let lines: Vec<&str> = text.lines().collect();
    let line = random.below(lines.len());
    match random.below(10) {
        0 => {
            let mut bytes = text.as_bytes().to_vec();
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            return bytes;
        }
        1..=3 => replace(text, pick(&numbers(), random), NUMBERS[random.below(NUMBERS.len())]),
        // One number by another of the document: references forward, swapped sizes.
        4 => {
            let (from, to) = (pick(&numbers(), random), pick(&numbers(), random));
            replace(text, to, &text[from.0..from.1])
        }
        // A key twice, or under another name.
        5 => {
            let keys = tokens(text, |b| b == b'"', |b| b.is_ascii_alphanumeric() || b == b'_');
            let (from, to) = (pick(&keys, random), pick(&keys, random));
            replace(text, to, &text[from.0..from.1])
        }
        6 => [&lines[..line], &lines[line + 1..]].concat().join("\n"),
        7 => [&lines[..line], &lines[random.below(lines.len())..]].concat().join("\n"),
        8 => {
            let mut lines = lines.clone();
            let other = random.below(lines.len());
            lines.swap(line, other);
            lines.join("\n")
        }
        _ => {
            let at = (0..=random.below(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            replace(text, (at, at), BITS[random.below(BITS.len())])
        }
    }
    .into_bytes()
}

/// Values, and the gradient where there is one.
fn evaluated(program: &DynProgram) {
    let ones: Vec<Vec<f64>> = program.inputs().iter().map(|i| vec![1.0; i.shape.elements()]).collect();
    if let Ok(outputs) = program.evaluate(&ones) {
        let written = Arrays::of_outputs(program, &outputs).map(|arrays| arrays.to_json());
        assert!(written.is_err() || written.is_ok_and(|text| text.is_ok()));
    }
    if let Ok((outputs, tape)) = program.linearize(&ones) {
        let _ = program.pullback(&tape, &outputs);
    }
    let text = program.to_json().unwrap();
    assert_eq!(DynProgram::from_json(&text, &LIMITS).unwrap(), *program);
}

#[test]
fn a_changed_document_is_refused_or_a_program() {
    let mut random = Random(11);
    let mut documents: Vec<String> = programs(0..200).map(|program| program.to_json().unwrap()).collect();
    documents.retain(|text| text.len() < 6000);
    documents.push(own(Literal::Float(0.5)).to_json().unwrap());
    let (mut form, mut faults, mut programs) = (0, 0, 0);
    for _ in 0..10_000 {
        let text = &documents[random.below(documents.len())];
        let mut bytes = mutated(text, &mut random);
        while random.below(4) == 0 {
            bytes = match String::from_utf8(bytes) {
                Ok(text) if !text.is_empty() => mutated(&text, &mut random),
                Ok(text) => text.into_bytes(),
                Err(error) => {
                    bytes = error.into_bytes();
                    break;
                }
            };
        }
        match DynProgram::read_json(bytes.as_slice(), &LIMITS) {
            Err(JsonError::Program(_)) => faults += 1,
            Err(_) => form += 1,
            Ok(program) => {
                programs += 1;
                evaluated(&program);
            }
        }
    }
    // All three happen often: the changes are neither blunt nor idle.
    assert!(
        form > 1000 && faults > 500 && programs > 300,
        "{form} of another form, {faults} wrong, {programs} programs"
    );
}
