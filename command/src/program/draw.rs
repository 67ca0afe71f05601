//! `pullback draw`: a picture of a program.

use crate::arguments::{self, Picture};
use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::source::Origin;
use crate::status::Status;

use super::{document, read};

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Draw, console: &mut Console) -> Result<Status, Closed> {
    let (path, format, limits) = (arguments.program.clone(), arguments.format, arguments.within.limits());
    document(console, &arguments.program, arguments.output.as_deref(), move |tell| {
        tell("reading");
        let program = read::program(&path, &limits)?;
        tell("drawing");
        let picture = match format {
            Picture::Svg => program.to_svg(),
            Picture::Dot => program.to_dot(),
        };
        let problem = |message| vec![Problem::of_program(ProgramProblem::Picture, &Origin::of(&path).name(), message)];
        picture.map_err(|error| problem(error.to_string()))
    })
}
