//! Hostile inputs: each ends within its budget, in a process that has 512 MiB, and none aborts or panics.
//!
//! Inputs are made from what exists, statements of the library and random programs, by changes that ask for much:
//! numbers replaced by large ones, parts repeated and nested, names chained. Each goes through the entry points that take
//! data from outside. The inputs run in a child process whose address space is bounded, so that what takes too much memory
//! aborts there and is seen here; the child says at which input it is.
//! For a longer run: `HOSTILE=100000 cargo test --release -p pullback-program --all-features --test hostile`.
#![cfg(feature = "json")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and the child reports through its output"
)]

use std::process::Command;
use std::time::{Duration, Instant};

use pullback_kernel::Rational;
use pullback_program::architecture::Architecture;
use pullback_program::execute::{Executable, Numerics};
use pullback_program::interchange::Arrays;
use pullback_program::random::{self, Options, Random};
use pullback_program::{DynProgram, Limits, STATEMENTS};

/// Inputs by default.
const INPUTS: u64 = 400;
/// How long one may take. Work is what bounds it; this is for what counted too little, on a machine that does other things too.
const LIMIT: Duration = if cfg!(debug_assertions) { Duration::from_secs(60) } else { Duration::from_secs(2) };
/// Kilobytes of address space of the child.
const MEMORY: u32 = 512 << 10;

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
fn changed(text: &str, random: &mut Random) -> String {
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
fn statement(random: &mut Random) -> String {
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

/// An architecture with numbers that ask for much.
fn architecture(random: &mut Random) -> String {
    let number = |random: &mut Random| match random.below(3) {
        0 => pick(&["1", "2", "3", "4", "8"], random).to_owned(),
        1 => pick(&["100", "4096", "65536", "1000000"], random).to_owned(),
        _ => pick(NUMBERS, random).to_owned(),
    };
    let mut n = || number(random);
    let layers = [
        format!(
            "{{\"pooling\":{{\"kind\":\"sum\",\"stencil\":{{\"window\":[{}],\"stride\":[{}],\"padding\":[[{},{}]],\"dilation\":[{}]}}}}}}",
            n(),
            n(),
            n(),
            n(),
            n()
        ),
        format!(
            "{{\"pooling\":{{\"kind\":\"average_inside\",\"stencil\":{{\"window\":[{}],\"padding\":[[{},{}]]}}}}}}",
            n(),
            n(),
            n()
        ),
        format!(
            "{{\"pooling\":{{\"kind\":\"max\",\"stencil\":{{\"window\":[{}],\"padding\":[[{},{}]]}}}}}}",
            n(),
            n(),
            n()
        ),
        format!("{{\"dense\":{{\"features\":{},\"bias\":true}}}}", n()),
        format!("{{\"reshape\":[{},{}]}}", n(), n()),
        "{\"permute\":[0,2,1]}".to_owned(),
        "\"flatten\"".to_owned(),
        "{\"activation\":\"gelu\"}".to_owned(),
    ];
    let inputs = format!("[{},{},{}]", n(), n(), n());
    let count = 1 + random.below(4);
    let chosen: Vec<&str> = (0..count).map(|_| layers[random.below(layers.len())].as_str()).collect();
    format!("{{\"version\":1,\"inputs\":[{inputs}],\"layer\":{{\"sequential\":[{}]}}}}", chosen.join(","))
}

/// Arrays of one number each, or of what the change of a text makes of them.
fn arrays(program: &DynProgram, random: &mut Random) -> String {
    let entries: Vec<String> = program
        .inputs()
        .iter()
        .map(|i| format!("\"{}\": {{\"shape\": {:?}, \"data\": {}}}", i.name, i.shape.sizes(), pick(NUMBERS, random)))
        .collect();
    let text = format!("{{{}}}", entries.join(", "));
    if random.below(2) == 0 { text } else { changed(&text, random) }
}

/// Everything that may be done with a program of a document.
fn run(program: &DynProgram, arrays: &str) -> bool {
    let _ = program.certify();
    let reverse = program.with_reverse();
    if let Ok(reverse) = &reverse {
        let _ = reverse.to_json();
    }
    let Ok(given) = Arrays::from_json(arrays) else { return false };
    let floats = given.for_inputs::<f64>(program).map(|x| {
        if let Ok(mut executable) = Executable::<f64>::new(program, Numerics::default()) {
            let mut outputs: Vec<Vec<f64>> = program
                .outputs()
                .iter()
                .map(|o| vec![0.0; program.shape_of(o.value).elements().min(1 << 20)])
                .collect();
            let inputs: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            let mut slots: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
            let _ = executable.run(&inputs, &mut slots);
        }
        let _ = program.evaluate(&x);
    });
    let exact = given.for_inputs::<Rational>(program).map(|x| {
        let _ = program.evaluate(&x);
    });
    floats.is_ok() || exact.is_ok()
}

/// One input through its entry points; what kind it is, and whether it was accepted.
fn input(seed: u64) -> (&'static str, bool) {
    let mut random = Random(seed);
    let limits = Limits::default();
    let library = |random: &mut Random| STATEMENTS[random.below(STATEMENTS.len())].1;
    match seed % 5 {
        0 => {
            let (statements, _) = pullback_kernel::load(&statement(&mut random));
            statements.iter().for_each(|s| drop(pullback_kernel::prove(s)));
            ("statements that ask for much", !statements.is_empty())
        }
        1 => {
            let text = changed(library(&mut random), &mut random);
            let (statements, _) = pullback_kernel::load(&text);
            statements.iter().for_each(|s| drop(pullback_kernel::prove(s)));
            ("changed statements", !statements.is_empty())
        }
        2 => {
            let options = Options { instructions: 1 + random.below(6), ..Options::default() };
            let Some(sample) = random::sample(seed, &options) else { return ("changed programs", false) };
            let text = changed(&sample.program.to_json().unwrap(), &mut random);
            let program = DynProgram::from_json(&text, &limits);
            ("changed programs", program.is_ok_and(|program| run(&program, &arrays(&program, &mut random))))
        }
        3 => {
            let text = architecture(&mut random);
            let text = if random.below(3) == 0 { changed(&text, &mut random) } else { text };
            let Ok(architecture) = Architecture::from_json(&text) else { return ("architectures", false) };
            let _ = architecture.lower();
            let compiled = architecture.compile();
            (
                "architectures",
                compiled.is_ok_and(|program| run(&program, &arrays(&program, &mut random)) || !program.is_empty()),
            )
        }
        _ => {
            // Sizes and lengths of programs: one statement over and over.
            let (size, length) =
                (pick(&["1", "2", "1000", "1000000", "16777216", "268435456"], &mut random), 1 + random.below(64));
            let name = pick(&["square", "exp", "tanh", "multiply"], &mut random);
            let operator = pullback_program::Operator::library(name).unwrap();
            let arguments = operator.statement().inputs().len();
            let instructions: Vec<String> = (0..length).map(|k| format!("[0, {:?}]", vec![k; arguments])).collect();
            let text = format!(
                "{{\"version\": 1, \"inputs\": [{{\"name\": \"x\", \"shape\": [{size}]}}], \"statements\": [{{\"name\": \"{name}\", \"sha256\": \"{}\"}}], \"operations\": [{{\"apply\": {{\"statement\": 0, \"binding\": {{\"dims\": [[{size}]]}}}}}}], \"instructions\": [{}], \"outputs\": [{{\"name\": \"y\", \"value\": {length}}}]}}",
                operator.digest(),
                instructions.join(", ")
            );
            let program = DynProgram::from_json(&text, &limits);
            ("long programs", program.is_ok_and(|program| run(&program, &arrays(&program, &mut random))))
        }
    }
}

/// What the child does, where it is the child.
#[test]
fn child() {
    let Some(range) = std::env::var("HOSTILE_CHILD").ok() else { return };
    let (from, to) = range.split_once(' ').unwrap();
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        println!("at {seed}");
        let since = Instant::now();
        let (kind, accepted) = input(seed);
        println!("did {} {accepted} {kind}", since.elapsed().as_millis());
    }
}

#[test]
fn hostile_inputs_end_within_their_limits() {
    let inputs = std::env::var("HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(INPUTS);
    let program = std::env::current_exe().unwrap();
    let command = format!("ulimit -v {MEMORY} && exec \"$0\" --exact child --nocapture --test-threads 1");
    let mut counts: std::collections::BTreeMap<String, (u64, u64)> = Default::default();
    let (mut slowest, mut faults) = ((0, 0), Vec::new());
    for from in (0..inputs).step_by(1000) {
        let mut next = from;
        let to = (from + 1000).min(inputs);
        // After an input that ends the child, the rest.
        while next < to {
            let output = Command::new("sh")
                .args(["-c", &command])
                .arg(&program)
                .env("HOSTILE_CHILD", format!("{next} {to}"))
                .env("MALLOC_ARENA_MAX", "1")
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let mut at = next;
            for line in text.lines() {
                if let Some(seed) = line.rsplit_once("at ").and_then(|(_, seed)| seed.parse().ok()) {
                    at = seed;
                } else if let Some((_, did)) = line.split_once("did ") {
                    let mut words = did.splitn(3, ' ');
                    let (milliseconds, accepted) =
                        (words.next().unwrap().parse::<u64>().unwrap(), words.next() == Some("true"));
                    let count = counts.entry(words.next().unwrap().to_owned()).or_default();
                    *count = (count.0 + 1, count.1 + u64::from(accepted));
                    slowest = slowest.max((milliseconds, at));
                    if Duration::from_millis(milliseconds) > LIMIT {
                        faults.push(format!("input {at} took {milliseconds} ms"));
                    }
                }
            }
            if output.status.success() {
                break;
            }
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            faults.push(format!("input {at} ended its process: {}", error.chars().take(400).collect::<String>()));
            next = at + 1;
        }
    }
    println!("{counts:?}, slowest {slowest:?}");
    assert!(faults.is_empty(), "{} of {inputs}: {faults:#?}", faults.len());
    assert_eq!(counts.values().map(|c| c.0).sum::<u64>(), inputs);
    // Neither blunt nor idle: of each kind some are accepted, and some are not.
    assert!(counts.len() == 5 && counts.values().all(|(tried, accepted)| *accepted * 50 > *tried), "{counts:?}");
}
