//! The `pullback` command: proves statements, and runs all evidence that the library has.
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`arguments`] | what may be written on the command line, and its help |
//! | [`prove`], [`verify`], [`program`] | the subcommands: what is run, in which order, and what that makes of the exit code |
//! | [`files`], [`source`] | finding and reading files; nothing is trusted about a path or its bytes |
//! | [`target`] | writing files, whole or not at all |
//! | [`work`] | running a job that may take too long or fail |
//! | [`record`], [`problem`] | results as plain data: what `--json` prints |
//! | [`render`] | the same data for people and for machines |
//! | [`output`] | the only place that touches standard output and standard error |
//!
//! The command decides nothing about a statement: the kernel does, and the command shows its verdict.
//! It must never panic, whatever it is given, and must never print anything but results to standard output.
#![forbid(unsafe_code)]

mod arguments;
mod files;
mod output;
mod problem;
mod program;
mod prove;
mod record;
mod render;
mod source;
mod status;
mod target;
mod verify;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    work::quiet_panics();
    let arguments = match arguments::parse() {
        Ok(arguments) => arguments,
        Err(status) => return status.into(),
    };
    let mut console = output::Console::new();
    let status = match arguments {
        arguments::Task::Prove(arguments) => prove::run(&arguments, &mut console),
        arguments::Task::Verify(arguments) => verify::run(&arguments, &mut console),
        arguments::Task::Check(arguments) => program::check::run(&arguments, &mut console),
        arguments::Task::Eval(arguments) => program::evaluate::eval(&arguments, &mut console),
        arguments::Task::Jvp(arguments) => program::evaluate::jvp(&arguments, &mut console),
        arguments::Task::Vjp(arguments) => program::evaluate::vjp(&arguments, &mut console),
        arguments::Task::Transform(arguments) => program::transform::run(&arguments, &mut console),
        arguments::Task::Draw(arguments) => program::draw::run(&arguments, &mut console),
        arguments::Task::Program(arguments) => program::statement::run(&arguments, &mut console),
        arguments::Task::Architecture(arguments) => program::architecture::run(&arguments, &mut console),
        arguments::Task::Worker(arguments) => verify::work(&arguments, &mut console),
    };
    match status.and_then(|status| console.finish().map(|()| status)) {
        Ok(status) => status.into(),
        Err(closed) => console.closed(&closed).into(),
    }
}
