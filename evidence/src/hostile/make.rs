//! Documents that ask for much: numbers replaced by large ones, parts repeated and nested, names chained.

use std::fmt::Write;
use std::ops::Range;

use pullback_program::random::{self, Options, Random};
use pullback_program::{Builder, DynProgram, Limits, Operation, Operator, STATEMENTS};
use serde_json::Value;

/// Large and small numbers that stand for a size, a count, an exponent, an index.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "16",
    "63",
    "64",
    "65",
    "255",
    "1000",
    "4096",
    "65536",
    "1000000",
    "16777216",
    "60000000",
    "268435456",
    "268435457",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "1e400",
    "1e-400",
    "-1",
    "0.3333333333333333",
    "12345678901234567890123456789012345678901234567890",
];

fn pick<'a>(list: &[&'a str], random: &mut Random) -> &'a str {
    list[random.below(list.len())]
}

/// A statement of the library.
pub(super) fn library(random: &mut Random) -> &'static str {
    STATEMENTS[random.below(STATEMENTS.len())].1
}

/// The tokens of a text: words, numbers, single marks; spaces go with what is before them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = false;
    for c in text.chars() {
        let inside = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if (inside && word) || c.is_whitespace() => last.push(c),
            _ => tokens.push(c.to_string()),
        }
        word = inside;
    }
    tokens
}

/// A text with some of its tokens changed, moved, repeated or nested.
pub(super) fn changed(text: &str, random: &mut Random) -> String {
    let mut all = tokens(text);
    for _ in 0..1 + random.below(4) {
        if all.is_empty() {
            break;
        }
        let at = random.below(all.len());
        let numbers: Vec<usize> =
            (0..all.len()).filter(|k| all[*k].starts_with(|c: char| c.is_ascii_digit())).collect();
        match random.below(9) {
            0..=3 if !numbers.is_empty() => {
                all[numbers[random.below(numbers.len())]] = format!("{} ", pick(NUMBERS, random))
            }
            4 => drop(all.remove(at)),
            5 => {
                let other = all[random.below(all.len())].clone();
                all[at] = other;
            }
            6 => {
                let other = random.below(all.len());
                all.swap(at, other);
            }
            7 => {
                // A part over and over.
                let end = (at + 1 + random.below(12)).min(all.len());
                let part = all[at..end].concat();
                all[at] = part.repeat(1 << random.below(10));
            }
            _ => {
                // Within itself, as deep as it goes.
                let (open, close) = [("(", ")"), ("[", "]"), ("{", "}"), ("exp(", ")"), ("-(", ")"), ("sum(i) (", ")")]
                    [random.below(6)];
                let depth = 1 << random.below(14);
                all[at] = format!("{}{}{}", open.repeat(depth), all[at], close.repeat(depth));
            }
        }
    }
    all.concat()
}

/// A statement that asks for much in a few lines.
pub(super) fn statement(random: &mut Random) -> String {
    let arity = 1 + random.below(16);
    let many = |of: &str| vec![of; arity].join(" * ");
    let at = vec!["i"; arity].join(", ");
    let length = 1 + random.below(24);
    let dims = (0..=length).map(|k| format!("d{k}")).collect::<Vec<_>>().join(", ");
    let body = match random.below(8) {
        0 => format!(
            "dims a, n\nmap q: {} -> n\ninput x[n]\noutput y[i: a] = max(x[q({at})], 0)\ndeclares subgradient \"0\"",
            many("a")
        ),
        1 => {
            let up = random.below(2) == 0;
            let mut chain: Vec<String> =
                (1..=length).map(|k| format!("bijection b{k}: {} -> d{k}", many(&format!("d{}", k - 1)))).collect();
            if up {
                chain.reverse();
            }
            format!("dims {dims}\n{}\ninput x[d{length}]\noutput y[i] = tanh(x[i])", chain.join("\n"))
        }
        2 => {
            let splits: Vec<String> = (1..=length)
                .map(|k| {
                    format!(
                        "split {} -> d{k}",
                        (0..arity).map(|p| format!("s{k}_{p}: d{}", k - 1)).collect::<Vec<_>>().join(", ")
                    )
                })
                .collect();
            format!("dims {dims}\n{}\ninput x[d{length}]\noutput y = sum(i: d{length}) x[i]^2", splits.join("\n"))
        }
        3 => {
            let lets: Vec<String> = (1..=length)
                .map(|k| format!("let a{k}[i] = a{p}[i] {} a{p}[i]", ["*", "+", "/", "-"][random.below(4)], p = k - 1))
                .collect();
            format!(
                "dims n\ninput x[n]\nlet a0[i] = x[i] * x[i] + 1\n{}\noutput y[i] = {}(a{length}[i])",
                lets.join("\n"),
                pick(&["log", "exp", "tanh", "recip", "sqrt", "sin", ""], random)
            )
        }
        4 => {
            let lets: Vec<String> = (1..=length).map(|k| format!("let a{k}[i] = a{}[q({at})]", k - 1)).collect();
            format!(
                "dims n\nmap q: {} -> n\ninput x[n]\nlet a0[i] = x[i]\n{}\noutput y[i] = a{length}[i]",
                many("n"),
                lets.join("\n")
            )
        }
        5 => format!(
            "dims n\ninput x[n]\noutput y = (sum(i) x[i])^{} * (sum(i) x[i] * exp(x[i]))^{}",
            1 + random.below(64),
            random.below(20)
        ),
        6 => {
            let axes = vec!["n"; arity].join(", ");
            let index = (0..arity).map(|k| format!("i{k}")).collect::<Vec<_>>().join(", ");
            format!("dims n\ninput x[{axes}]\noutput y[{index}] = max(x[{index}], 0)\ndeclares subgradient \"0\"")
        }
        _ => {
            let deep = format!("{}x[i]{}", "max(".repeat(length), ", x[i] * x[i])".repeat(length));
            format!("dims n\ninput x[n]\noutput y[i] = {deep}\ndeclares convention \"ties\"")
        }
    };
    format!("contract hostile version 1\n{body}\n")
}

/// The document of a random program, with a number or two changed: where it stands, or wherever the same stands.
pub(super) fn program(random: &mut Random) -> Option<String> {
    const SMALL: [&str; 5] = ["1", "2", "3", "5", "64"];
    let options = Options { instructions: 1 + random.below(6), ..Options::default() };
    let mut text = random::sample(random.next_u64(), &options)?.program.to_json().ok()?;
    if random.below(8) == 0 {
        return Some(changed(&text, random));
    }
    for _ in 0..1 + random.below(8) / 7 {
        let numbers = numbers(&text);
        // Any number once in a while: mostly one that is not a reference, which would only lead nowhere.
        let any = random.below(8) == 0;
        let data =
            |n: &&(Range<usize>, String)| any || ["shape", "dims", "params", "constants"].contains(&n.1.as_str());
        let those: Vec<Range<usize>> = numbers.iter().filter(data).map(|n| n.0.clone()).collect();
        let chosen = those.get(random.below(those.len()))?.clone();
        let new = if random.below(3) == 0 { pick(NUMBERS, random) } else { pick(&SMALL, random) };
        let old = text[chosen.clone()].to_owned();
        let everywhere = random.below(4) > 0;
        for at in those.into_iter().rev() {
            if at == chosen || (everywhere && text[at.clone()] == old) {
                text.replace_range(at, new);
            }
        }
    }
    Some(text)
}

/// Where the numbers of a document stand, with the string before each; digits within strings are none.
fn numbers(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let (mut quoted, mut escaped, mut string) = (false, false, String::new());
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => {
                quoted = !quoted;
                if quoted {
                    string.clear();
                }
            }
            _ if quoted => string.push(c),
            '0'..='9' | '-' | '.' => match found.last_mut() {
                Some((last, _)) if last.end == at => last.end += 1,
                _ => found.push((at..at + 1, string.clone())),
            },
            _ => {}
        }
    }
    found
}

/// Layers whose numbers, `#`, are to be drawn.
const LAYERS: [&str; 10] = [
    r##"{"pooling":{"kind":"sum","stencil":{"window":[#],"stride":[#],"padding":[[#,#]],"dilation":[#]}}}"##,
    r##"{"pooling":{"kind":"average_inside","stencil":{"window":[#],"padding":[[#,#]]}}}"##,
    r##"{"pooling":{"kind":"max","stencil":{"window":[#],"padding":[[#,#]]}}}"##,
    r##"{"dense":{"features":#,"bias":true}}"##,
    r##"{"reshape":[#,#]}"##,
    r##"{"permute":[0,2,1]}"##,
    r##""flatten""##,
    r##"{"activation":"gelu_tanh"}"##,
    r##"{"activation":"tanh"}"##,
    r##"{"reduce":{"kind":"sum","axes":[#]}}"##,
];

/// An architecture with numbers that ask for much.
pub(super) fn architecture(random: &mut Random) -> String {
    let count = 1 + random.below(4);
    let layers: Vec<&str> = (0..count).map(|_| pick(&LAYERS, random)).collect();
    let text = format!(r##"{{"version":1,"inputs":[[#,#,#]],"layer":{{"sequential":[{}]}}}}"##, layers.join(","));
    let mut parts = text.split('#');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Small ones mostly: of several that are large one refuses, and the others are never met.
        filled.push_str(match random.below(8) {
            0..=4 => pick(&["1", "2", "3", "4", "8"], random),
            5 | 6 => pick(&["100", "4096", "65536", "1000000"], random),
            _ => pick(NUMBERS, random),
        });
        filled.push_str(part);
    }
    filled
}

/// A program of one statement over and over: long, large, or both.
pub(super) fn chain(random: &mut Random) -> String {
    const SIZES: [&str; 6] = ["1", "2", "1000", "1000000", "16777216", "268435456"];
    let (size, length) = (pick(&SIZES, random), 1 + random.below(64));
    // Some take two arguments, some one.
    let name = pick(&["square", "exponential", "tanh", "multiply", "recip"], random);
    let arguments = if name == "multiply" { 2 } else { 1 };
    let mut instructions = String::new();
    for k in 0..length {
        let comma = if k == 0 { "" } else { ", " };
        let _ = write!(instructions, "{comma}[0, {:?}]", vec![k; arguments]);
    }
    format!(
        "{{\"version\": 1, \"inputs\": [{{\"name\": \"x\", \"shape\": [{size}]}}], \
         \"statements\": [{{\"name\": \"{name}\"}}], \
         \"operations\": [{{\"apply\": {{\"statement\": 0, \"binding\": {{\"dims\": [[{size}]]}}}}}}], \
         \"instructions\": [{instructions}], \"outputs\": [{{\"name\": \"y\", \"value\": {length}}}]}}"
    )
}

/// A program of one statement that is written in it, and asks for much.
pub(super) fn own(random: &mut Random) -> Option<String> {
    let text = if random.below(3) > 0 { statement(random) } else { changed(library(random), random) };
    let operator = Operator::from_text(&text).ok()?;
    let statement = operator.statement();
    // Small ones: the maps of large ones would take their time here.
    let dims = statement.dims().iter().map(|_| vec![1 + random.below(2)]).collect();
    let operation = Operation::new(operator.clone(), random.binding(statement, dims), &Limits::default()).ok()?;
    let mut builder = Builder::new(Limits::default());
    let mut arguments = Vec::new();
    for (k, shape) in operation.inputs().to_vec().into_iter().enumerate() {
        arguments.push(builder.input(&format!("x{k}"), shape).ok()?);
    }
    for (k, value) in builder.apply(operation, &arguments).ok()?.into_iter().enumerate() {
        builder.output(&format!("y{k}"), value);
    }
    builder.finish().to_json().ok()
}

/// Arrays of one number each, or of what the change of a text makes of them.
pub(super) fn arrays(program: &DynProgram, random: &mut Random) -> String {
    let entries: Vec<String> = program
        .inputs()
        .iter()
        .map(|i| {
            let (name, shape) = (Value::from(i.name.as_str()), i.shape.sizes());
            let number = if random.below(2) == 0 { "0.5" } else { pick(NUMBERS, random) };
            format!("{name}: {{\"shape\": {shape:?}, \"data\": {number}}}")
        })
        .collect();
    let text = format!("{{{}}}", entries.join(", "));
    if random.below(3) > 0 { text } else { changed(&text, random) }
}
