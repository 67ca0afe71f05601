//! A million instructions: read, verified, reversed and written, together in under 10 s and 2 GiB.
//!
//! ```text
//! cargo bench -p pullback-program --features json --bench million
//! ```
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench reports on a terminal")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use pullback_program::{Draft, Limits};
use support::chain;

const SECONDS: f64 = 10.0;
const MIB: usize = 2048;

fn main() {
    let text = chain(1_000_000).to_json().unwrap();
    let since = Instant::now();
    let mut lap = since;
    let mut step = |what: &str| {
        println!("{what}: {:.2} s, {} MiB at most so far", lap.elapsed().as_secs_f64(), peak());
        lap = Instant::now();
    };
    let draft = Draft::read_json(text.as_bytes()).unwrap();
    step(&format!("{} MiB read", text.len() >> 20));
    let program = draft.verify(&Limits::default()).unwrap();
    drop(draft);
    step("verified");
    let reverse = program.reverse().unwrap();
    step(&format!("reversed to {} instructions", reverse.len()));
    let mut written = 0;
    reverse.write_json(Counting(&mut written)).unwrap();
    step(&format!("{} MiB written", written >> 20));
    let together = since.elapsed().as_secs_f64();
    println!("together: {together:.2} s");
    assert!(together < SECONDS && peak() < MIB);
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
