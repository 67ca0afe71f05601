//! `pullback check`: what is known of a program.

use std::collections::BTreeMap;

use pullback_program::evidence::Certificate;
use pullback_program::{DynProgram, Shape, Standing, ValueId};
use serde::Serialize;

use crate::arguments::{self, Float};
use crate::output::{Closed, Console};
use crate::render;
use crate::source::Origin;
use crate::status::Status;

use super::{failed, job, read};

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Check, console: &mut Console) -> Result<Status, Closed> {
    let (path, scalar, limits) = (arguments.program.clone(), arguments.scalar, arguments.within.limits());
    let checked = job(console, &arguments.program, move |tell| {
        tell("reading");
        let program = read::program(&path, &limits)?;
        tell("proving");
        Ok(Checked::new(&Origin::of(&path).name(), &program, scalar))
    });
    let checked = match checked {
        Ok(checked) => checked,
        Err(problems) => return failed(console, &problems, arguments.json),
    };
    if arguments.json {
        render::line(console, &checked)?;
    } else {
        let text = render::program::checked(&checked, console.results);
        console.result(&text)?;
    }
    Ok(if arguments.require_proof && !checked.evidence.proved { Status::Fails } else { Status::Holds })
}

/// A well-formed program and what is known of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Checked {
    /// Where it stands.
    pub(crate) file: String,
    /// The number of its instructions.
    pub(crate) instructions: usize,
    /// Its inputs.
    pub(crate) inputs: Vec<Port>,
    /// Its outputs.
    pub(crate) outputs: Vec<Port>,
    /// Whose statements it is made of.
    pub(crate) statements: Vec<Whose>,
    /// The conditions of its domain; none where all inputs are in it.
    pub(crate) domain: Vec<Condition>,
    /// Whether its gradient is proved.
    pub(crate) evidence: Evidence,
    /// What is saved for the backward rules.
    pub(crate) saved: Saved,
}

/// An input or an output.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
}

/// A statement that the instructions apply, or are derived from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Whose {
    pub(crate) name: String,
    /// Its content hash.
    pub(crate) sha256: String,
    /// Whether it is the library's, to the letter.
    pub(crate) library: bool,
}

/// A condition of the domain.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Condition {
    /// The instruction that asks for it.
    pub(crate) instruction: usize,
    /// Its operator.
    pub(crate) operator: String,
    /// In the names of the statement.
    pub(crate) condition: String,
    /// In the names of the program's inputs; nothing where it grows past reading.
    pub(crate) in_inputs: Option<String>,
    /// As it is shown.
    #[serde(skip)]
    pub(crate) text: String,
}

/// Why the gradient may be believed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Evidence {
    /// Whether every rule is proved, and so the gradient of the whole.
    pub(crate) proved: bool,
    /// What stands in the way.
    pub(crate) obstacles: Vec<Obstacle>,
}

/// An instruction whose rule is not proved.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Obstacle {
    pub(crate) instruction: usize,
    pub(crate) operator: String,
    /// `undecided`, or what its author declares: `convention`, `subgradient`, `surrogate`, `unproved`.
    pub(crate) kind: String,
    /// What it is derived from, if that is what is declared or undecided: `the pullback of relu`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) derived: Option<String>,
    /// The author's words, or the kernel's reason.
    pub(crate) text: String,
}

/// What is saved for the backward rules.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Saved {
    /// The scalar whose bytes are counted.
    pub(crate) scalar: &'static str,
    /// The values.
    pub(crate) values: Vec<Value>,
    /// Elements of all of them.
    pub(crate) elements: usize,
    /// Bytes of all of them.
    pub(crate) bytes: usize,
    /// The most elements that are held at one time, forward and back, saved or not.
    pub(crate) peak_elements: usize,
    /// Their bytes.
    pub(crate) peak_bytes: usize,
}

/// A saved value.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Value {
    /// Its number in the program; nothing for a local of a statement.
    pub(crate) value: Option<usize>,
    /// The name of the input, or its name in the statement that makes it.
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: usize,
    pub(crate) bytes: usize,
    /// The instruction that makes it; nothing for an input.
    pub(crate) made_by: Option<usize>,
    /// Its operator.
    pub(crate) maker: Option<String>,
    /// The instructions whose rules read it.
    pub(crate) read_by: Vec<usize>,
    /// Their operators.
    pub(crate) readers: Vec<String>,
}

impl Checked {
    fn new(file: &str, program: &DynProgram, scalar: Float) -> Checked {
        let port = |name: &str, shape: &Shape| Port { name: name.to_owned(), shape: shape.sizes().to_vec() };
        Checked {
            file: file.to_owned(),
            instructions: program.len(),
            inputs: program.inputs().iter().map(|i| port(&i.name, &i.shape)).collect(),
            outputs: program.outputs().iter().map(|o| port(&o.name, program.shape_of(o.value))).collect(),
            statements: Whose::of(program),
            domain: program
                .domain()
                .into_iter()
                .map(|c| Condition {
                    text: c.to_string(),
                    instruction: c.instruction,
                    operator: c.operator,
                    condition: c.condition,
                    in_inputs: c.in_inputs,
                })
                .collect(),
            evidence: Evidence::new(program),
            saved: Saved::new(program, scalar),
        }
    }
}

impl Whose {
    /// Each once, in the order of names.
    fn of(program: &DynProgram) -> Vec<Whose> {
        let whose = |operation: &std::sync::Arc<pullback_program::Operation>| {
            let operator = operation.operator();
            Whose {
                name: operator.name().to_owned(),
                sha256: operator.digest().to_string(),
                library: operator.is_in_library(),
            }
        };
        let all: std::collections::BTreeSet<Whose> = program.operations().iter().map(whose).collect();
        all.into_iter().collect()
    }
}

impl Evidence {
    fn new(program: &DynProgram) -> Evidence {
        let obstacles = match program.certify() {
            Certificate::Proved => Vec::new(),
            Certificate::Obstacles(obstacles) => obstacles,
        };
        let obstacle = |found: pullback_program::evidence::Obstacle| {
            let (kind, text) = match found.standing.origin() {
                Standing::Declared(label, text) => (label.to_string(), text.clone()),
                Standing::Undecided(reason) => ("undecided".to_owned(), reason.clone()),
                _ => ("proved".to_owned(), String::new()),
            };
            let mut derived = None;
            let mut standing = &found.standing;
            while let Standing::Derived { what, from, standing: theirs } = standing {
                derived = Some(
                    derived.map_or_else(|| format!("{what} of {from}"), |so_far| format!("{so_far}, {what} of {from}")),
                );
                standing = theirs;
            }
            Obstacle { instruction: found.instruction, operator: found.operator, kind, derived, text }
        };
        Evidence { proved: obstacles.is_empty(), obstacles: obstacles.into_iter().map(obstacle).collect() }
    }
}

/// The name of an instruction's operator.
fn operator(program: &DynProgram, instruction: usize) -> String {
    program.operation_of(&program.instruction(instruction)).operator().shown().to_owned()
}

/// A value by its program's name: of an input the input's, of a result that in its statement.
fn name_of(program: &DynProgram, value: ValueId) -> String {
    match program.producer(value) {
        None => program.inputs()[value.index()].name.clone(),
        Some((at, result)) => {
            let instruction = program.instruction(at);
            program.operation_of(&instruction).statement().outputs()[result].tensor.name.text.clone()
        }
    }
}

impl Saved {
    fn new(program: &DynProgram, scalar: Float) -> Saved {
        let (scalar, size) = match scalar {
            Float::F32 => ("f32", 4),
            Float::F64 => ("f64", 8),
        };
        let report = program.tape_report();
        let mut values: Vec<Value> = Vec::new();
        let mut at: BTreeMap<ValueId, usize> = BTreeMap::new();
        for entry in &report.entries {
            let known = entry.value.and_then(|value| at.get(&value).copied());
            let place = known.unwrap_or(values.len());
            if known.is_none() {
                let elements = entry.shape.elements();
                // A local is made by the instruction that reads it.
                let made_by = entry.value.map_or(Some(entry.reader), |_| entry.maker);
                values.push(Value {
                    value: entry.value.map(ValueId::index),
                    name: entry.value.map_or_else(|| entry.name.clone(), |value| name_of(program, value)),
                    shape: entry.shape.sizes().to_vec(),
                    elements,
                    bytes: elements.saturating_mul(size),
                    made_by,
                    maker: made_by.map(|k| operator(program, k)),
                    read_by: Vec::new(),
                    readers: Vec::new(),
                });
                entry.value.map(|value| at.insert(value, place));
            }
            if values[place].read_by.last() != Some(&entry.reader) {
                values[place].read_by.push(entry.reader);
                values[place].readers.push(operator(program, entry.reader));
            }
        }
        Saved {
            scalar,
            values,
            elements: report.elements,
            bytes: report.elements.saturating_mul(size),
            peak_elements: report.peak,
            peak_bytes: report.peak.saturating_mul(size),
        }
    }
}
