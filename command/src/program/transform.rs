//! `pullback transform`: the reverse or the forward program.

use crate::arguments::{self, Mode};
use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::source::Origin;
use crate::status::Status;

use super::{document, read};

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Transform, console: &mut Console) -> Result<Status, Closed> {
    let (path, to, with_value) = (arguments.program.clone(), arguments.to, arguments.with_value);
    let limits = arguments.within.limits();
    document(console, &arguments.program, arguments.output.as_deref(), move |tell| {
        tell("reading");
        let program = read::program(&path, &limits)?;
        tell("transforming");
        let transformed = match (to, with_value) {
            (Mode::Reverse, false) => program.reverse(),
            (Mode::Reverse, true) => program.with_reverse(),
            (Mode::Forward, false) => program.forward_mode(),
            (Mode::Forward, true) => program.with_forward_mode(),
        };
        let problem =
            |message| vec![Problem::of_program(ProgramProblem::Transform, &Origin::of(&path).name(), message)];
        let transformed = transformed.map_err(|error| problem(error.to_string()))?;
        tell("writing");
        transformed.to_json().map_err(|error| read::unwritten(&path, &error))
    })
}
