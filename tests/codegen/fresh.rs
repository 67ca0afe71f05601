//! Writes `random.rs`: random statements as `contract!`s, with the sizes that each runs at.
//!
//! The file is checked in, for a macro needs its text while compiling, and held to what the generator gives.
//! `UPDATE=1 cargo test --test codegen` makes it anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use pullback_kernel::statement::{MapKind, Statement};
use pullback_kernel::{Outcome, load, prove};
use pullback_program::random::statement::{Style, text};
use pullback_program::random::{Extent, Random, sizes};

/// Statements of each style, at most.
const EACH: usize = 6;
/// Longer ones take long to compile, and say no more.
const LONGEST: usize = 560;

/// What all dimensions together are, at most, where it can be: the evaluator is slow.
const VOLUME: usize = 2000;
/// With more dimensions nothing is small.
const DIMS: usize = 6;

/// Sizes whose product is small.
fn small(statement: &Statement, extent: Extent, seed: usize) -> Vec<Vec<usize>> {
    let draws = (0..64).map(|k| sizes(statement, extent, &mut Random((seed + k) as u64)));
    let volume = |sizes: &Vec<Vec<usize>>| sizes.iter().flatten().product::<usize>();
    let mut best: Option<Vec<Vec<usize>>> = None;
    for draw in draws {
        if best.as_ref().is_none_or(|best| volume(&draw) < volume(best)) {
            best = Some(draw);
        }
        if best.as_ref().is_some_and(|best| volume(best) <= VOLUME) {
            break;
        }
    }
    best.unwrap_or_default()
}

/// What a statement has that the others may not have: which map stands around a variable of a sum, of the result, on the left.
fn features(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with("output") || line.starts_with("let")) {
        let Some((left, right)) = line.split_once(" = ") else { continue };
        for map in ["f", "g", "r", "flat", "lo", "hi"] {
            for (side, part) in [("left", left), ("right", right)] {
                for of in ["c", "i", "f(", "g(", "r("] {
                    if [" ", "[", "("].iter().any(|before| part.contains(&format!("{before}{map}({of}"))) {
                        found.insert(format!("{side} {map}({of}"));
                    }
                }
            }
        }
        for plain in ["..", ": e", ": k"] {
            if right.contains("sum(") && line.contains(plain) {
                found.insert(plain.into());
            }
        }
    }
    found
}

/// The statement of that number, as the generator gives it.
fn numbered(rational: bool, number: u64) -> String {
    let mut random = Random(number * 2 + u64::from(rational));
    let style = Style { rational, mild: true, products: true };
    let kind = if rational { "exact" } else { "real" };
    text(&format!("{kind}_{number}"), style, &mut || random.next_u64())
}

/// The numbers of statements that together have as many features as so few can. It hangs on what is proved, and so is done once.
fn chosen(rational: bool) -> Vec<u64> {
    let (mut seen, mut made) = (BTreeSet::new(), vec![]);
    for number in 0..2000 {
        let text = numbered(rational, number);
        let features = features(&text);
        // The first ones bring several at once.
        let wanted = 4_usize.saturating_sub(made.len()).max(1);
        if text.len() > LONGEST || features.difference(&seen).count() < wanted {
            continue;
        }
        let statement = load(&text).0.remove(0);
        let ruled = statement.with_derived_rule();
        let proved = matches!(prove(&ruled), Outcome::Proved(_));
        if !proved || statement.inputs().is_empty() || statement.dims().len() > DIMS {
            continue;
        }
        seen.extend(features);
        made.push(number);
        if made.len() == EACH {
            break;
        }
    }
    made
}

/// The numbers of the statements in the file, exact ones and others.
fn numbers(file: &str, rational: bool) -> Vec<u64> {
    let start = if rational { "    contract exact_" } else { "    contract real_" };
    file.lines().filter_map(|line| line.strip_prefix(start)?.split(' ').next()?.parse().ok()).collect()
}

fn file(of: &dyn Fn(bool) -> Vec<u64>) -> String {
    let mut out = String::from(
        "//! Random statements as generated code, at three lists of sizes.\n//!\n\
         //! Written by `fresh`, and not by hand: `UPDATE=1 cargo test --test codegen` makes it anew.\n\n\
         use pullback::{N, contract};\n\nuse super::cases::random;\n",
    );
    for rational in [true, false] {
        for number in of(rational) {
            let text = numbered(rational, number);
            let statement = load(&text).0.remove(0);
            let maps = statement.maps().iter().filter(|m| !matches!(m.kind, MapKind::Part { .. })).count();
            let arguments = vec!["_"; maps].join(" ");
            let _ = write!(out, "\ncontract! {{\n");
            text.lines().for_each(|line| _ = writeln!(out, "    {line}"));
            let (kind, name) = (if rational { "exact" } else { "real" }, &statement.name().text);
            let _ = write!(out, "}}\nrandom! {{\n    {kind} {name}({arguments})\n");
            for extent in [Extent::Ones, Extent::Primes, Extent::Forty] {
                let sizes = small(&statement, extent, text.len());
                let types: Vec<String> = sizes
                    .iter()
                    .zip(statement.dims())
                    .map(|(sizes, dim)| {
                        let each: String = sizes.iter().map(|n| format!("N<{n}>,")).collect();
                        if dim.pack { format!("({each})") } else { each.trim_end_matches(',').to_owned() }
                    })
                    .collect();
                let _ = writeln!(out, "    [{}]", types.join(", "));
            }
            let quoted: Vec<String> = text.lines().map(|line| format!("    {line:?}")).collect();
            let _ = write!(out, "    concat!(\n{}\n    )\n}}\n", quoted.join(", \"\\n\",\n"));
        }
    }
    out
}

#[test]
fn the_statements_are_those_of_the_generator() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/codegen/random.rs");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, file(&chosen)).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap();
    let made = file(&|rational| numbers(&there, rational));
    assert!(there == made, "`random.rs` is not what the generator gives: UPDATE=1 cargo test --test codegen");
    let statements = made.matches("contract! {").count();
    assert_eq!(statements, 10);
    // Every kind of index.
    let all = [true, false]
        .into_iter()
        .flat_map(|rational| numbers(&there, rational).into_iter().map(move |n| (rational, n)));
    let texts: BTreeSet<String> = all.flat_map(|(rational, number)| features(&numbered(rational, number))).collect();
    for feature in
        ["right f(c", "right f(i", "right g(c", "right r(c", "right lo(c", "right lo(i", "left r(i", "left lo(i", ".."]
    {
        assert!(texts.contains(feature), "{feature} of {texts:?}");
    }
}
