//! Every limit ends in its own message, in time, and on a small stack.

use pullback_kernel::source::Diagnostic;
use pullback_kernel::{limits, load, load_bytes};

fn only(source: &str) -> Diagnostic {
    let (statements, mut found) = load(source);
    assert!(statements.is_empty());
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}
fn message(source: &str) -> (&'static str, String) {
    let found = only(source);
    (found.code, found.message)
}
fn list(count: usize, item: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(between)
}
const HEAD: &str = "contract f version 1 dims n input x[n]";

#[test]
fn bytes_that_are_no_text() {
    let (statements, found) = load_bytes(b"contract f \xff version 1");
    assert!(statements.is_empty());
    assert_eq!(found[0].code, "E0200");
    assert_eq!(found[0].labels[0].0.range(), 11..12);
    let (_, found) = load_bytes(b"contract \xe2\x82");
    assert_eq!((found[0].code, found[0].labels[0].0.range()), ("E0200", 9..11));
}

#[test]
fn source() {
    let source = " ".repeat(limits::SOURCE_BYTES + 1);
    assert_eq!(message(&source), ("E0210", "a source of 1048577 bytes".into()));
}

#[test]
fn tokens() {
    let source = format!("{HEAD} saves x{}", ", x".repeat(50_001));
    assert_eq!(message(&source), ("E0211", "more than 100000 tokens".into()));
}

#[test]
fn statements() {
    let all = list(limits::STATEMENTS + 1, |i| format!("contract f{i} version 1 output y = 1"), "\n");
    let (statements, found) = load(&all);
    assert_eq!(statements.len(), limits::STATEMENTS);
    assert_eq!((found[0].code, found[0].message.as_str()), ("E0213", "more than 1024 statements"));
}

#[test]
fn declarations() {
    let cases = [
        (format!("dims {}", list(65, |i| format!("n{i}"), ", ")), "64 dimensions"),
        (list(65, |i| format!("param p{i}"), " "), "64 parameters"),
        (format!("dims n map {}", list(129, |i| format!("m{i}: n -> n"), ", ")), "128 index maps"),
        (format!("input {}", list(257, |i| format!("x{i}"), ", ")), "256 tensors"),
        (format!("param p where {}", list(257, |_| "p > 0".into(), ", ")), "256 clauses"),
        (
            format!(
                "dims n output y = {}",
                list(60, |_| format!("(sum({}) 1)", list(16, |i| format!("i{i}: n"), ", ")), " + ")
            ) + &format!(
                "output z = {}",
                list(60, |_| format!("(sum({}) 1)", list(16, |i| format!("i{i}: n"), ", ")), " + ")
            ),
            "1024 index variables",
        ),
    ];
    for (items, what) in cases {
        let (code, text) = message(&format!("contract f version 1 {items} output o = 1"));
        assert_eq!((code, text), ("E0214", format!("a statement of more than {what}")));
    }
}

#[test]
fn numbers() {
    let digits = "1".repeat(limits::DIGITS + 1);
    assert_eq!(message(&format!("{HEAD} output y[i] = x[i] + {digits}")), ("E0215", "a number of 101 digits".into()));
    let digits = "1".repeat(500_000);
    assert_eq!(message(&format!("{HEAD} output y[i] = x[i] + {digits}")).0, "E0215");
    let digits = "1".repeat(limits::DIGITS);
    assert!(load(&format!("{HEAD} output y[i] = x[i] * {digits}e-400")).1.is_empty());
    for exponent in ["401", "-401", "99999999999999999999", "4000000000"] {
        assert_eq!(message(&format!("{HEAD} output y[i] = x[i] + 1e{exponent}")).0, "E0216");
    }
    assert!(load(&format!("{HEAD} output y[i] = x[i]^-64")).1.is_empty());
    assert_eq!(message(&format!("{HEAD} output y[i] = x[i]^-65")).0, "E0217");
    assert_eq!(message(&format!("{HEAD} output y[i] = x[i]^99999999999999999999")).0, "E0217");
}

#[test]
fn arity() {
    let sixteen = list(16, |_| "n".into(), ", ");
    let cases = [
        format!("dims n map m: {sixteen}, n -> n output y = 1"),
        format!("dims n output y = sum({}) 1", list(17, |i| format!("i{i}: n"), ", ")),
        format!("dims n output y[{}] = 1", list(17, |i| format!("i{i}: n"), ", ")),
        format!("dims n input x[n] output y = x[{}]", list(17, |i| format!("i{i}"), ", ")),
    ];
    for items in cases {
        assert_eq!(message(&format!("contract f version 1 {items}")).0, "E0218");
    }
}

#[test]
fn written_out_twice_is_counted() {
    let mut value = "x[i]".to_owned();
    for _ in 0..12 {
        value = format!("max({value}, {value})");
    }
    let found = message(&format!("{HEAD} output y[i] = {value} declares convention \"c\""));
    assert_eq!(found, ("E0219", "the expressions of a statement have more than 10000 nodes".into()));
    // A few letters stand for 3^20 nodes.
    let value = format!("{}x[i]{}", "abs(".repeat(20), ")".repeat(20));
    assert_eq!(message(&format!("{HEAD} output y[i] = {value} declares convention \"c\"")).0, "E0219");
}

#[test]
fn errors() {
    let (_, found) = load(&"@ x ".repeat(10_000));
    assert_eq!(found.len(), limits::DIAGNOSTICS + 1);
    assert_eq!(
        found.last().map(|d| (d.code, d.message.as_str())),
        Some(("E0299", "more than 100 errors; the rest is not shown"))
    );
    let (_, found) = load(&"contract output contract dims ".repeat(10_000));
    assert_eq!(found.len(), limits::DIAGNOSTICS + 1);
}

/// Every way to nest, far beyond the limit and just within it, on 512 KiB of stack in a debug build.
#[test]
fn depth() {
    let shapes: [(&str, &str, &str); 14] = [
        ("(", "x[i]", ")"),
        ("-", "x[i]", ""),
        ("exp(", "x[i]", ")"),
        ("abs(", "x[i]", ")"),
        ("max(1, ", "x[i]", ")"),
        ("1 + (", "x[i]", ")"),
        ("1 * -(", "x[i]", ")^2"),
        ("sum(k: n) ", "x[i]", ""),
        ("max(k: n) ", "x[i]", ""),
        ("if 1 > 0 then 1 else ", "x[i]", ""),
        ("if ", "x[i]", " > 0 then 1 else 2"),
        ("1 + ", "x[i]", ""),
        ("1 / ", "x[i]", ""),
        ("x[", "i", "]"),
    ];
    let run = move || {
        for (open, middle, close) in shapes {
            for count in [1_000, 40_000, 65, 64, 63, 62, 31] {
                let source = format!(
                    "{HEAD} map a: n -> n output y[i] = {}{middle}{} declares convention \"c\"",
                    open.repeat(count),
                    close.repeat(count)
                );
                let (statements, found) = load(&source);
                for statement in &statements {
                    let (again, found) = load(&statement.to_string());
                    assert_eq!(again.len(), 1, "{open} {count} {found:?}");
                }
                if count > 64 && open != "x[" && (count > 128 || open != "(") {
                    let known = found.iter().all(|d| matches!(d.code, "E0212" | "E0211" | "E0210"));
                    assert!(!found.is_empty() && known, "{open} {count} {found:?}");
                }
            }
        }
        let nested = |n: usize| format!("{HEAD} map a: n -> n output y[i] = x[{}i{}]", "a(".repeat(n), ")".repeat(n));
        assert_eq!(load(&nested(20_000)).1[0].code, "E0212");
        assert!(load(&nested(63)).1.is_empty());
        let sums =
            format!("{HEAD} output y[i] = {}x[i]", list(62, |i| format!("sum(k{i}: n) (1 + "), "") + &")".repeat(0));
        assert_eq!(load(&sums).1.len(), 1);
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run);
    thread.expect("a thread").join().expect("no overflow");
}

/// A source of the largest size ends soon, whatever it repeats: no step looks at all of it again.
#[test]
fn large_sources() {
    let pieces = [
        "contract f version 1 ",
        "contract ",
        "x[",
        "x[i] = ",
        "x = 1 ",
        "max(a, b) ",
        "max(a, ",
        "1e-400 + ",
        "// c\n",
        "\"",
        "> ",
        ".",
        "a..:b,",
        "dims n ",
        "otuput y[i] version ",
        "let t = 1e400 * 1e400 ",
        "é",
        "sum(i, j, k",
    ];
    for head in ["", "contract f version 1 dims n input x[n] output y[i] = "] {
        for piece in pieces {
            let source = format!("{head}{}", piece.repeat((limits::SOURCE_BYTES - head.len()) / piece.len()));
            let start = std::time::Instant::now();
            let (statements, found) = load(&source);
            assert!(!statements.is_empty() || !found.is_empty(), "{piece}");
            // Far above what it takes, for machines that are busy.
            assert!(start.elapsed().as_secs() < 20, "{piece}: {:?}", start.elapsed());
        }
    }
}
