//! `pullback architecture`: layers as data, verified and compiled to a program.

use std::path::Path;

use pullback_program::Limits;
use pullback_program::architecture::{Architecture, ArchitectureError, Role};
use serde::Serialize;

use crate::arguments;
use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::render;
use crate::source::Origin;
use crate::status::Status;
use crate::target::Target;

use super::check::Port;
use super::{Problems, failed, job, read, unwritable};

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Architecture, console: &mut Console) -> Result<Status, Closed> {
    let (path, lower, written) = (arguments.architecture.clone(), arguments.lower, arguments.output.is_some());
    let limits = arguments.within.limits();
    let file = arguments.output.as_deref().filter(|path| path.as_os_str() != "-");
    // Better now than after all the work.
    let target = match file.map(Target::new).transpose() {
        Ok(target) => target,
        Err(error) => return failed(console, &unwritable(file, &error), arguments.json),
    };
    let compiled = job(console, &arguments.architecture, move |tell| {
        tell("reading");
        let architecture = read::architecture(&path)?;
        tell("compiling");
        Compiled::new(&path, &architecture, &limits, lower, written)
    });
    let compiled = match compiled {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(error)) => {
            let file = Origin::of(&arguments.architecture).name();
            let problem = Problem::of_program(ProgramProblem::Architecture, &file, error.to_string());
            failed(console, &[problem], arguments.json)?;
            return Ok(Status::Fails);
        }
        Err(problems) => return failed(console, &problems, arguments.json),
    };
    match (&target, &compiled.program) {
        (Some(target), Some(text)) => {
            if let Err(error) = target.write(text.as_bytes()) {
                return failed(console, &unwritable(file, &error), arguments.json);
            }
        }
        // Nothing else: it is for another run to read.
        (None, Some(text)) => {
            console.result(text)?;
            return Ok(Status::Holds);
        }
        _ => {}
    }
    if arguments.json {
        render::line(console, &compiled)?;
    } else {
        console.result(&render::program::compiled(&compiled))?;
    }
    Ok(Status::Holds)
}

/// An architecture that fits together, and its program.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Compiled {
    /// Where it stands.
    pub(crate) file: String,
    /// Whether the program is in the core language.
    pub(crate) core: bool,
    /// The number of its instructions.
    pub(crate) instructions: usize,
    /// The data inputs.
    pub(crate) inputs: Vec<Port>,
    /// Parameters and initial states, which follow the data among the program's inputs.
    pub(crate) parameters: Vec<Parameter>,
    /// Numbers in all of them.
    pub(crate) numbers: usize,
    /// The outputs.
    pub(crate) outputs: Vec<Port>,
    /// The program as a document, where it is written.
    #[serde(skip)]
    program: Option<String>,
}

/// A parameter or an initial state.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Parameter {
    pub(crate) path: String,
    pub(crate) shape: Vec<usize>,
    /// What it is for: `weight`, `bias`, `gain`, `table` or `state`.
    pub(crate) role: &'static str,
    /// How many numbers it holds.
    pub(crate) numbers: usize,
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Weight { .. } => "weight",
        Role::Bias => "bias",
        Role::Gain => "gain",
        Role::Table => "table",
        Role::State => "state",
        Role::Free => "free",
    }
}

impl Compiled {
    /// What is known of an architecture; what is wrong with it is an answer as well.
    fn new(
        path: &Path,
        architecture: &Architecture,
        limits: &Limits,
        core: bool,
        written: bool,
    ) -> Result<Result<Compiled, ArchitectureError>, Problems> {
        let made = architecture.verify().and_then(|signature| {
            let program =
                if core { architecture.lower_within(limits)? } else { architecture.compile_within(limits)? };
            Ok((signature, program))
        });
        let (signature, program) = match made {
            Ok(made) => made,
            Err(error) => return Ok(Err(error)),
        };
        let port = |name: &str, sizes: &[usize]| Port { name: name.to_owned(), shape: sizes.to_vec() };
        let parameters: Vec<Parameter> = signature
            .parameters
            .iter()
            .map(|p| Parameter {
                path: p.path.clone(),
                shape: p.shape.sizes().to_vec(),
                role: role(p.role),
                numbers: p.shape.elements(),
            })
            .collect();
        let text = if written { Some(program.to_json().map_err(|error| read::unwritten(path, &error))?) } else { None };
        Ok(Ok(Compiled {
            file: Origin::of(path).name(),
            core,
            instructions: program.len(),
            inputs: signature.data.iter().map(|i| port(&i.name, i.shape.sizes())).collect(),
            numbers: parameters.iter().fold(0, |sum, p| sum.saturating_add(p.numbers)),
            parameters,
            outputs: program.outputs().iter().map(|o| port(&o.name, program.shape_of(o.value).sizes())).collect(),
            program: text,
        }))
    }
}
