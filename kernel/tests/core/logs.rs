//! Logs: what is edited is refused, at its line, or proves what it proved.

use pullback_kernel::core::log::{Fault, Log, replay};
use pullback_kernel::core::{Core, Theorem};
use pullback_kernel::load;

use crate::fuzz::Random;
use crate::proofs::{exp, gather, logarithm, matmul, maximum, relu, softmax};
use crate::support::statement;

fn all() -> Vec<(Theorem, Log)> {
    vec![exp(), matmul(), softmax(), gather(), logarithm(), maximum(), relu()]
}

fn lines(log: &Log) -> Vec<String> {
    log.to_string().lines().map(str::to_owned).collect()
}

/// What becomes of a text.
fn fate(theorem: &Theorem, text: &str) -> Result<Theorem, (usize, Fault)> {
    let log: Log = text.parse().map_err(|e: pullback_kernel::core::log::LogError| (e.line, e.fault))?;
    replay(theorem.statement(), &log).map_err(|e| (e.line, e.fault))
}

#[test]
fn a_log_that_lacks_a_line_is_refused() {
    for (theorem, log) in all() {
        let lines = lines(&log);
        for k in 0..lines.len() {
            let mut less = lines.clone();
            less.remove(k);
            assert!(fate(&theorem, &(less.join("\n") + "\n")).is_err(), "without line {}: {}", k + 1, lines[k]);
        }
    }
}

#[test]
fn each_fault_is_told_with_its_line() {
    let (theorem, log) = logarithm();
    let text = log.to_string();
    let lines = lines(&log);
    let line = |start: &str| 1 + lines.iter().position(|l| l.starts_with(start)).unwrap();
    let edit = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}\n{text}");
        fate(&theorem, &text.replacen(from, to, 1)).unwrap_err()
    };
    assert_eq!(edit("log 1", "log 2"), (1, Fault::Version));
    assert_eq!(edit("statement ", "statement f"), (2, Fault::Digest));
    assert_eq!(edit("fn log", "fn lug"), (line("fn log"), Fault::Line));
    assert_eq!(edit("! d_fn_at log", "! d_fn_at"), (line("! d_fn_at"), Fault::Line));
    assert_eq!(edit("! d_sum", "! d_some"), (line("! d_sum"), Fault::Line));
    assert!(
        matches!(edit("! d_fn_at log", "! d_fn_at tanh"), (n, Fault::Refused(r)) if n == line("! d_fn_at") && r.rule == "d_fn_at")
    );
    assert!(matches!(edit("adjoint ", "immaterial 0 0\nadjoint "), (n, Fault::Line) if n == lines.len() + 1));
    let last = lines.len();
    let end = &lines[last - 1];
    let words: Vec<&str> = end.split(' ').collect();
    let without = words[..words.len() - 1].join(" ");
    assert!(matches!(edit(end, &without), (n, Fault::Missing(_)) if n == last));
    // A forward reference, and a term where an index belongs.
    let read = lines.iter().find(|l| l.starts_with("read")).unwrap();
    assert_eq!(edit(read, "read 0 99999").1, Fault::Unknown);
    let number = lines.iter().position(|l| l.starts_with("num")).unwrap() - 2;
    assert_eq!(edit(read, &format!("read 0 {number}")).1, Fault::Unknown);
    assert_eq!(fate(&theorem, "").unwrap_err(), (1, Fault::Version));
    assert_eq!(edit(end, "").1, Fault::Line);
}

#[test]
fn a_log_is_of_its_statement() {
    let (theorem, log) = exp();
    let other = statement(
        "contract exponential version 1 dims n input x[n] output y[i] = exp(x[i]) saves y dx[i] = 2 * dy[i] * y[i]",
    );
    assert_eq!(replay(&other, &log).unwrap_err().fault, Fault::Digest);
    // With the digest forged, the proof is not one of the other rule.
    let own = Core::read(theorem.statement()).unwrap();
    assert!(own.reading().unwrap().claimed.is_some());
    let digest = |s| pullback_kernel::core::digest::of(s);
    let forged = log.to_string().replace(&digest(theorem.statement()), &digest(&other));
    let forged: Log = forged.parse().unwrap();
    assert!(matches!(replay(&other, &forged).unwrap_err().fault, Fault::Missing(_)));
}

/// Edits of words and lines: none panics, and what is still accepted says what was said.
fn edits(count: usize) -> usize {
    let all = all();
    let mut random = Random(99);
    let mut accepted = 0;
    for k in 0..count {
        let (theorem, log) = &all[k % all.len()];
        let mut lines = lines(log);
        for _ in 0..1 + random.below(2) {
            let (at, other) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(6) {
                0 => lines.swap(at, other),
                1 => lines[at] = lines[other].clone(),
                2 => {
                    lines.remove(at);
                }
                _ => {
                    let taken: Vec<String> = lines[other].split(' ').map(str::to_owned).collect();
                    let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                    let w = random.below(words.len());
                    words[w] = match random.below(4) {
                        0 => taken[random.below(taken.len())].clone(),
                        1 => random.below(lines.len()).to_string(),
                        2 => words[w].parse::<u32>().map_or("-1".into(), |n| n.wrapping_add(1).to_string()),
                        _ => words[w].parse::<u32>().map_or(String::new(), |n| n.wrapping_sub(1).to_string()),
                    };
                    lines[at] = words.join(" ");
                }
            }
        }
        if let Ok(again) = fate(theorem, &(lines.join("\n") + "\n")) {
            accepted += 1;
            assert_eq!(again.statement(), theorem.statement());
            assert!(again.domain().len() >= theorem.domain().len() || !again.is_immaterial());
        }
    }
    accepted
}

#[test]
fn edited_logs_prove_nothing_else() {
    assert!(edits(3_000) < 1_500);
}

#[test]
#[ignore = "takes a minute"]
fn fifty_thousand_edited_logs_prove_nothing_else() {
    println!("{} accepted", edits(50_000));
}

/// A rule that is wrong has no such proof: the log of the right one does not do for it, with any digest.
#[test]
fn a_wrong_rule_is_not_concluded() {
    let (_, log) = matmul();
    let (statements, _) = load(
        "contract matmul version 1 dims m, k, n input a[m, k], b[k, n]
         output c[i, j] = sum(l) a[i, l] * b[l, j] saves a, b
         da[i, l] = sum(j) dc[i, j] * b[l, j]
         db[l, j] = sum(i) a[i, l] * dc[i, j] * 2",
    );
    let digest = pullback_kernel::core::digest::of(&statements[0]);
    let text = log.to_string();
    let old = text.lines().nth(1).unwrap().trim_start_matches("statement ");
    let forged: Log = text.replace(old, &digest).parse().unwrap();
    assert!(matches!(replay(&statements[0], &forged).unwrap_err().fault, Fault::Missing(_)));
}
