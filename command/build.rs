//! Lets the command say which compiler and which platform it was built with.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let set = |name: &str| std::env::var(name).ok();
    let compiler = set("RUSTC").and_then(|rustc| Command::new(rustc).arg("--version").output().ok());
    let compiler = compiler.and_then(|output| String::from_utf8(output.stdout).ok());
    let of = |text: Option<String>| text.map_or("unknown".to_owned(), |text| text.trim().to_owned());
    println!("cargo::rustc-env=PULLBACK_COMPILER={}", of(compiler));
    println!("cargo::rustc-env=PULLBACK_TARGET={}", of(set("TARGET")));
}
