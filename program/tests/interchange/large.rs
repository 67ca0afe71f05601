//! Large documents.

use std::time::Instant;

use pullback_program::{Binding, Builder, Draft, DynProgram, Limits, Operation, Operator, Shape};

/// `v₀ = x`, `v₁ = tanh v₀`, `v₂ = v₁ · v₀`, `v₃ = tanh v₂`, …
fn chain(instructions: usize) -> DynProgram {
    let limits = Limits { total: usize::MAX, ..Limits::default() };
    let mut builder = Builder::new(limits);
    let x = builder.input("x", Shape::new(&[4])).unwrap();
    let mut operation = |name: &str| {
        let binding = Binding { dims: vec![vec![4]], ..Binding::default() };
        builder.intern(Operation::new(Operator::library(name).unwrap(), binding, &limits).unwrap())
    };
    let (tanh, multiply) = (operation("tanh"), operation("multiply"));
    let (mut before, mut last) = (x, x);
    for k in 0..instructions {
        let next = match k % 2 {
            0 => builder.apply_interned(tanh, &[last]),
            _ => builder.apply_interned(multiply, &[last, before]),
        };
        (before, last) = (last, next.unwrap());
    }
    builder.output("y", last);
    builder.finish()
}

#[test]
fn a_hundred_thousand_instructions() {
    let program = chain(100_000);
    let text = program.to_json().unwrap();
    assert_eq!(text.lines().count(), 100_000 + 19);
    let limits = Limits { total: usize::MAX, ..Limits::default() };
    assert_eq!(DynProgram::read_json(text.as_bytes(), &limits).unwrap(), program);
    let reverse = program.reverse().unwrap().to_json().unwrap();
    assert!(DynProgram::from_json(&reverse, &limits).is_ok());
}

/// Verified, reversed and written together: under 10 s and 2 GiB in a release build.
#[test]
#[ignore = "a measurement: cargo test --release --features json --test interchange -- --ignored --nocapture"]
#[allow(clippy::print_stdout, reason = "a measurement is read by people")]
fn a_million_instructions() {
    let text = chain(1_000_000).to_json().unwrap();
    let limits = Limits { total: usize::MAX, ..Limits::default() };
    let since = Instant::now();
    let mut lap = since;
    let mut step = |what: &str| {
        println!("{what}: {:.2} s, {} MiB at most so far", lap.elapsed().as_secs_f64(), peak());
        lap = Instant::now();
    };
    let draft = Draft::read_json(text.as_bytes()).unwrap();
    step(&format!("{} MiB read", text.len() >> 20));
    let program = draft.verify(&limits).unwrap();
    drop(draft);
    step("verified");
    let reverse = program.reverse().unwrap();
    step(&format!("reversed to {} instructions", reverse.len()));
    let mut written = 0;
    reverse.write_json(Counting(&mut written)).unwrap();
    step(&format!("{} MiB written", written >> 20));
    println!("together: {:.2} s", since.elapsed().as_secs_f64());
    assert!(since.elapsed().as_secs_f64() < 10.0 && peak() < 2048);
}

/// Bytes that go nowhere.
struct Counting<'a>(&'a mut usize);

impl std::io::Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        *self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The most memory that the process had, in MiB, where the system says it.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    kib.unwrap_or(0usize) >> 10
}
