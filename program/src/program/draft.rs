//! Programs as they come from outside, and their verification.

use std::fmt;
use std::sync::Arc;

use super::{ApplyError, Builder, DynProgram, ValueId};
use crate::operation::{
    Binding, Derivation, Digest, Limits, Operation, OperationFault, Operator, OperatorError, Shape,
};

/// An unverified program: what a file says. [`verify`](Draft::verify) makes a program of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "json",
    derive(serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, expecting = "the rest of a program")
)]
pub struct Draft {
    /// The inputs.
    pub inputs: Vec<InputDraft>,
    /// The statements that operations apply.
    pub statements: Vec<StatementDraft>,
    /// The operations that instructions apply.
    pub operations: Vec<OperationDraft>,
    /// The instructions, in order.
    pub instructions: Vec<InstructionDraft>,
    /// The outputs.
    pub outputs: Vec<OutputDraft>,
}

/// An input: a name and the sizes of its axes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, expecting = "an input: an object with `name` and `shape`"),
    schemars(rename = "Input")
)]
pub struct InputDraft {
    /// Its name.
    pub name: String,
    /// The sizes of its axes.
    #[cfg_attr(feature = "json", schemars(inner(range(min = 1))))]
    pub shape: Vec<usize>,
}

/// A statement: one of the library's by name, a user's own by its text.
/// What is written by a machine says both the name and the content hash, so that a statement that was changed is not taken for the one that was meant.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        deny_unknown_fields,
        expecting = "a statement: an object with `name`, or with `text` if it is your own, and `sha256` if it must not have changed"
    ),
    schemars(rename = "Statement")
)]
pub struct StatementDraft {
    /// Its name; with a text, the name in it.
    #[cfg_attr(
        feature = "json",
        serde(default, deserialize_with = "crate::interchange::given", skip_serializing_if = "Option::is_none"),
        schemars(with = "String")
    )]
    pub name: Option<String>,
    /// The SHA-256 of its canonical text, in hexadecimal: what it must be.
    #[cfg_attr(
        feature = "json",
        serde(
            rename = "sha256",
            default,
            deserialize_with = "crate::interchange::given",
            skip_serializing_if = "Option::is_none"
        ),
        schemars(with = "String", regex(pattern = "^[0-9a-f]{64}$"))
    )]
    pub digest: Option<String>,
    /// Its text, if it is not one of the library's.
    #[cfg_attr(
        feature = "json",
        serde(default, deserialize_with = "crate::interchange::given", skip_serializing_if = "Option::is_none"),
        schemars(with = "String")
    )]
    pub text: Option<String>,
}

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        deny_unknown_fields,
        expecting = "an operation: an object with `apply` or `derive`"
    ),
    schemars(rename = "Operation")
)]
pub enum OperationDraft {
    /// A statement with its data.
    Apply {
        /// Which statement, as a position among the statements.
        statement: usize,
        /// Its data.
        binding: Binding,
    },
    /// The operation derived from an earlier one, with the same data.
    Derive {
        /// Which operation, as a position among the operations before.
        of: usize,
        /// How.
        derivation: Derivation,
    },
}

/// An instruction: an operation and the values that it is applied to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionDraft {
    /// Which operation, as a position among the operations.
    pub operation: usize,
    /// Which values.
    pub arguments: Vec<usize>,
}

/// An output: a name and a value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, expecting = "an output: an object with `name` and `value`"),
    schemars(rename = "Output")
)]
pub struct OutputDraft {
    /// Its name.
    pub name: String,
    /// Which value.
    pub value: usize,
}

/// Where in a program something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// That input.
    Input(usize),
    /// That statement.
    Statement(usize),
    /// That operation.
    Operation(usize),
    /// That instruction.
    Instruction(usize),
    /// That output.
    Output(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Input(k) => write!(f, "input {k}"),
            Place::Statement(k) => write!(f, "statement {k}"),
            Place::Operation(k) => write!(f, "operation {k}"),
            Place::Instruction(k) => write!(f, "instruction {k}"),
            Place::Output(k) => write!(f, "output {k}"),
        }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// A size of zero.
    #[error("axis {axis} has size 0; sizes are positive")]
    Empty {
        /// The axis.
        axis: usize,
    },
    /// Sizes whose product is past the limits.
    #[error("shape {shape} has more than {limit} elements")]
    TooLarge {
        /// The shape.
        shape: Shape,
        /// The most elements of one array.
        limit: usize,
    },
    /// A statement that can't be used.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// Data that does not fit the statement.
    #[error(transparent)]
    Operation(#[from] OperationFault),
    /// A reference to something that is not there, or not there yet.
    #[error("{what} {found} is not there; {known} stand before")]
    Reference {
        /// To what.
        what: &'static str,
        /// The position that is named.
        found: usize,
        /// How many there are.
        known: usize,
    },
    /// Arguments that do not fit the operation.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Too many derivations on top of each other.
    #[error("an operation is derived more than {limit} times")]
    Derivations {
        /// The limit.
        limit: usize,
    },
    /// Two inputs or two outputs of one name.
    #[error("the name `{0}` is taken")]
    Name(String),
}

/// One thing that is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {kind}")]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What.
    #[source]
    pub kind: FaultKind,
}

/// Everything that is wrong with a program; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, fault) in self.0.iter().enumerate() {
            if k > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Faults of one program, at most: a large file that is wrong everywhere says so briefly.
const MOST_FAULTS: usize = 1000;

impl Draft {
    /// Checks everything that a program must be, and makes it.
    ///
    /// # Errors
    ///
    /// All faults, each with its place: unknown or changed statements, wrong rules, sizes, index data, references, shapes, limits.
    ///
    /// # Complexity
    ///
    /// Linear in the length of the program and its data, and the time of a proof for each statement of a user's own.
    pub fn verify(&self, limits: &Limits) -> Result<DynProgram, Faults> {
        let mut verifier = Verifier { limits, faults: Vec::new() };
        match verifier.run(self) {
            Some(program) if verifier.faults.is_empty() => Ok(program),
            _ => Err(Faults(verifier.faults)),
        }
    }
}

struct Verifier<'a> {
    limits: &'a Limits,
    faults: Vec<Fault>,
}

impl Verifier<'_> {
    fn fault(&mut self, place: Place, kind: impl Into<FaultKind>) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault { place, kind: kind.into() });
        }
    }

    fn run(&mut self, draft: &Draft) -> Option<DynProgram> {
        let mut builder = Builder::new(*self.limits);
        self.names(&mut draft.inputs.iter().map(|i| i.name.as_str()), Place::Input);
        for (k, input) in draft.inputs.iter().enumerate() {
            self.input(&mut builder, k, input);
        }
        let statements: Vec<Option<Arc<Operator>>> =
            draft.statements.iter().enumerate().map(|(k, s)| self.statement(k, s)).collect();
        let mut operations: Vec<Option<(Arc<Operation>, usize)>> = Vec::new();
        for (k, operation) in draft.operations.iter().enumerate() {
            let made = self.operation(k, operation, &statements, &operations);
            operations.push(made);
        }
        if self.faults.is_empty() {
            // A program without bad inputs and operations: instructions can be checked one by one.
            let interned: Vec<usize> =
                operations.into_iter().flatten().map(|(operation, _)| builder.intern(operation)).collect();
            let mut place = Numbering::new(draft.inputs.len());
            for (k, instruction) in draft.instructions.iter().enumerate() {
                self.instruction(&mut builder, k, instruction, &interned, &mut place);
            }
            self.names(&mut draft.outputs.iter().map(|o| o.name.as_str()), Place::Output);
            for (k, output) in draft.outputs.iter().enumerate() {
                let known = place.known();
                match place.real(output.value) {
                    Some(value) => {
                        if !builder.output(&output.name, value) {
                            let limit = self.limits.instructions;
                            self.fault(Place::Output(k), ApplyError::TooMany { what: "outputs", limit });
                        }
                    }
                    None if output.value < known => {}
                    None => self.fault(Place::Output(k), reference("value", output.value, known)),
                }
            }
            return Some(builder.finish());
        }
        self.wiring(draft, &operations);
        None
    }

    fn names(&mut self, names: &mut dyn Iterator<Item = &str>, place: fn(usize) -> Place) {
        let mut seen = std::collections::HashSet::new();
        for (k, name) in names.enumerate() {
            if !seen.insert(name) {
                self.fault(place(k), FaultKind::Name(name.chars().take(80).collect()));
            }
        }
    }

    fn input(&mut self, builder: &mut Builder, k: usize, input: &InputDraft) {
        let shape = Shape::new(&input.shape);
        let limit = self.limits.elements;
        if let Some(axis) = input.shape.iter().position(|size| *size == 0) {
            self.fault(Place::Input(k), FaultKind::Empty { axis });
        } else if shape.checked_len().is_none_or(|n| n > limit) {
            self.fault(Place::Input(k), FaultKind::TooLarge { shape, limit });
        } else if let Err(error) = builder.input(&input.name, shape) {
            self.fault(Place::Input(k), error);
        }
    }

    fn statement(&mut self, k: usize, draft: &StatementDraft) -> Option<Arc<Operator>> {
        let found = match (&draft.text, &draft.name) {
            (Some(text), _) => Operator::from_text(text),
            (None, Some(name)) => Operator::library(name),
            (None, None) => Err(OperatorError::Nothing),
        };
        let checked = found.and_then(|operator| {
            let name = operator.name().to_owned();
            if let Some(said) = &draft.name
                && *said != name
            {
                return Err(OperatorError::Name { expected: said.chars().take(80).collect(), found: name });
            }
            if let Some(said) = &draft.digest {
                let expected: Digest = said.parse()?;
                if operator.digest() != expected {
                    let (expected, found) = (expected.to_string(), operator.digest().to_string());
                    return Err(OperatorError::Changed { name, expected, found });
                }
            }
            Ok(operator)
        });
        checked.map_err(|error| self.fault(Place::Statement(k), error)).ok()
    }

    fn operation(
        &mut self,
        k: usize,
        draft: &OperationDraft,
        statements: &[Option<Arc<Operator>>],
        before: &[Option<(Arc<Operation>, usize)>],
    ) -> Option<(Arc<Operation>, usize)> {
        let place = Place::Operation(k);
        match draft {
            OperationDraft::Apply { statement, binding } => {
                let Some(operator) = statements.get(*statement) else {
                    self.fault(place, reference("statement", *statement, statements.len()));
                    return None;
                };
                match Operation::new(operator.clone()?, binding.clone(), self.limits) {
                    Ok(operation) => Some((operation.into(), 0)),
                    Err(faults) => {
                        faults.into_iter().for_each(|fault| self.fault(place, fault));
                        None
                    }
                }
            }
            OperationDraft::Derive { of, derivation } => {
                let Some(base) = before.get(*of) else {
                    self.fault(place, reference("operation", *of, before.len()));
                    return None;
                };
                let (base, depth) = base.as_ref()?;
                let limit = self.limits.derivations;
                if *depth >= limit {
                    self.fault(place, FaultKind::Derivations { limit });
                    return None;
                }
                let derived = base.derive(derivation).map_err(|error| self.fault(place, error)).ok()?;
                Some((derived.into(), depth + 1))
            }
        }
    }

    fn instruction(
        &mut self,
        builder: &mut Builder,
        k: usize,
        draft: &InstructionDraft,
        operations: &[usize],
        place: &mut Numbering,
    ) {
        let Some(operation) = operations.get(draft.operation) else {
            self.fault(Place::Instruction(k), reference("operation", draft.operation, operations.len()));
            return place.lose();
        };
        let known = place.known();
        let mut arguments = Vec::with_capacity(draft.arguments.len());
        for value in &draft.arguments {
            match place.real(*value) {
                Some(real) => arguments.push(real),
                // A result of an instruction that is wrong itself was reported there.
                None if *value < known => {}
                None => self.fault(Place::Instruction(k), reference("value", *value, known)),
            }
        }
        let results = builder.results_of(*operation);
        if arguments.len() < draft.arguments.len() {
            return place.skip(results);
        }
        match builder.apply_interned(*operation, &arguments) {
            Ok(first) => place.add(first, results),
            Err(error) => {
                self.fault(Place::Instruction(k), error);
                place.skip(results);
            }
        }
    }

    /// References only, where shapes can't be told.
    fn wiring(&mut self, draft: &Draft, operations: &[Option<(Arc<Operation>, usize)>]) {
        let mut known = Some(draft.inputs.len());
        for (k, instruction) in draft.instructions.iter().enumerate() {
            let Some(operation) = operations.get(instruction.operation) else {
                self.fault(Place::Instruction(k), reference("operation", instruction.operation, operations.len()));
                known = None;
                continue;
            };
            if let Some(known) = known {
                for value in instruction.arguments.iter().filter(|value| **value >= known) {
                    self.fault(Place::Instruction(k), reference("value", *value, known));
                }
            }
            // Past an operation that is not known nobody can say how many values there are.
            known = known.zip(operation.as_ref()).map(|(known, (operation, _))| known + operation.outputs().len());
        }
        if let Some(known) = known {
            for (k, output) in draft.outputs.iter().enumerate().filter(|(_, output)| output.value >= known) {
                self.fault(Place::Output(k), reference("value", output.value, known));
            }
        }
    }
}

fn reference(what: &'static str, found: usize, known: usize) -> FaultKind {
    FaultKind::Reference { what, found, known }
}

/// The numbering of a draft against that of the program: instructions that are wrong have no results in the latter.
struct Numbering {
    /// The real value of each of the draft's; empty while both are the same.
    real: Vec<Option<ValueId>>,
    /// How many values the draft has so far.
    known: usize,
    /// Whether the numbers are the same.
    same: bool,
    /// Whether an operation was unknown, so that nobody can say how many values there are.
    lost: bool,
}

impl Numbering {
    fn new(inputs: usize) -> Self {
        Numbering { real: Vec::new(), known: inputs, same: true, lost: false }
    }

    fn known(&self) -> usize {
        if self.lost { usize::MAX } else { self.known }
    }

    fn real(&self, value: usize) -> Option<ValueId> {
        if value >= self.known {
            return None;
        }
        if self.same { Some(ValueId(value as u32)) } else { self.real[value] }
    }

    fn add(&mut self, first: ValueId, results: usize) {
        if !self.same {
            self.real.extend((first.0..first.0 + results as u32).map(|v| Some(ValueId(v))));
        }
        self.known += results;
    }

    fn skip(&mut self, results: usize) {
        if self.same {
            self.same = false;
            self.real = (0..self.known as u32).map(|v| Some(ValueId(v))).collect();
        }
        self.real.extend((0..results).map(|_| None));
        self.known += results;
    }

    fn lose(&mut self) {
        self.skip(0);
        self.lost = true;
    }
}

impl DynProgram {
    /// The program as a file says it: every operation after the one it is derived from.
    pub fn draft(&self) -> Draft {
        let mut writer = Writer::default();
        let operations: Vec<usize> = self.operations.iter().map(|operation| writer.operation(operation)).collect();
        Draft {
            inputs: self
                .inputs
                .iter()
                .map(|i| InputDraft { name: i.name.clone(), shape: i.shape.sizes().to_vec() })
                .collect(),
            instructions: self
                .instructions()
                .map(|i| InstructionDraft {
                    operation: operations[i.operation],
                    arguments: i.arguments.iter().map(|a| a.index()).collect(),
                })
                .collect(),
            outputs: self
                .outputs
                .iter()
                .map(|o| OutputDraft { name: o.name.clone(), value: o.value.index() })
                .collect(),
            statements: writer.statements,
            operations: writer.operations,
        }
    }
}

#[derive(Default)]
struct Writer {
    statements: Vec<StatementDraft>,
    statement_at: std::collections::HashMap<Digest, usize>,
    operations: Vec<OperationDraft>,
    operation_at: std::collections::HashMap<Arc<Operation>, usize>,
}

impl Writer {
    fn operation(&mut self, operation: &Arc<Operation>) -> usize {
        if let Some(at) = self.operation_at.get(operation) {
            return *at;
        }
        // As deep as derivations go, which is limited.
        let draft = match (operation.base(), operation.operator().derivation()) {
            (Some(base), Some(derivation)) => {
                OperationDraft::Derive { of: self.operation(base), derivation: derivation.clone() }
            }
            _ => OperationDraft::Apply {
                statement: self.statement(operation.operator()),
                binding: operation.binding().clone(),
            },
        };
        let at = self.operations.len();
        self.operations.push(draft);
        self.operation_at.insert(operation.clone(), at);
        at
    }

    fn statement(&mut self, operator: &Operator) -> usize {
        *self.statement_at.entry(operator.digest()).or_insert_with(|| {
            self.statements.push(StatementDraft {
                name: Some(operator.name().to_owned()),
                digest: Some(operator.digest().to_string()),
                text: (!operator.is_in_library()).then(|| operator.text().to_owned()),
            });
            self.statements.len() - 1
        })
    }
}
