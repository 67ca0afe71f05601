//! What goes into an architecture and what comes out, and the walk that finds it.

use std::collections::HashMap;
use std::fmt::Display;

use super::error::{ArchitectureError, LayerFault};
use super::port;
use crate::operation::{Limits, Literal, Shape};
use crate::program::Input;

/// How deep layers may stand in one another: the walks recur over them.
pub(super) const DEPTH: usize = 64;
/// The most arrays of a tuple: each parallel layer may double them.
pub(super) const TUPLE: usize = 1 << 10;
/// The largest window, stride, dilation, padding or width: products of two stay within a word.
pub(super) const LARGEST: usize = 1 << 28;

/// What a parameter is for; initialisers go by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// A matrix or kernel, with the number of inputs of one output and of outputs of one input.
    Weight {
        /// Numbers that are summed for one output.
        fan_in: usize,
        /// Outputs that one number goes to; of a recurrent cell those of all gates.
        fan_out: usize,
    },
    /// Added.
    Bias,
    /// Multiplied, with one as its neutral value.
    Gain,
    /// Rows that are looked up.
    Table,
    /// The state of a recurrence before its first step.
    State,
    /// Of no layer.
    Free,
}

/// An input of the program that is not data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its path, such as `2.branches.1.weight`: the name of the input.
    pub path: String,
    /// Its shape.
    pub shape: Shape,
    /// What it is for.
    pub role: Role,
}

/// The inputs, parameters and outputs of an architecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The data inputs.
    pub data: Vec<Input>,
    /// Parameters and initial states, in the order of their first use. They follow the data among the program's inputs.
    pub parameters: Vec<Parameter>,
    /// The shapes of the outputs.
    pub outputs: Vec<Shape>,
}

impl Signature {
    pub(super) fn new(data: Vec<Shape>, scope: Scope, outputs: Vec<Shape>) -> Signature {
        let count = data.len();
        let data = data.into_iter().enumerate().map(|(k, shape)| Input { name: port("x", count, k), shape }).collect();
        Signature { data, parameters: scope.parameters, outputs }
    }

    /// The inputs of the program: the data, then the parameters.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &Shape)> {
        let data = self.data.iter().map(|i| (i.name.as_str(), &i.shape));
        data.chain(self.parameters.iter().map(|p| (p.path.as_str(), &p.shape)))
    }

    /// The initial states among the parameters.
    pub fn states(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|p| p.role == Role::State)
    }
}

/// The parameters that were met so far, and by whom.
///
/// A parameter belongs to the layer that it was met in first.
/// Another one has it by sharing, which [`sharing`](super::sharing) checks, or by a tie: never by a path that happens to be the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    parameters: Vec<Parameter>,
    /// Who has a parameter first, by path.
    known: HashMap<String, Owner>,
    /// Parameters that are read from elsewhere, by the path that they would have.
    ties: HashMap<String, Source>,
    /// Parameters of layers that are looked at: what was met since each was begun.
    noted: Vec<Vec<String>>,
    /// Layers whose parameters go by a name, by that.
    pub(super) shared: HashMap<String, Sharing>,
}

/// The layer in which a parameter was met first.
#[derive(Clone, Debug)]
struct Owner {
    /// Which parameter it is.
    position: usize,
    place: String,
    kind: &'static str,
}

/// The first layer of a name.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    pub(super) place: String,
    pub(super) kind: &'static str,
    /// Its parameters by path, in order, without initial states.
    pub(super) parameters: Vec<String>,
}

/// Where the numbers of a tied parameter are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Source {
    /// The path of the parameter that is read.
    pub(super) of: String,
    /// Whether its two axes are exchanged.
    pub(super) transposed: bool,
    /// The shape as it is read.
    pub(super) shape: Shape,
}

impl Scope {
    /// A parameter of a layer; one that is known must be of the same kind of layer and have the same shape.
    ///
    /// An initial state is that of its place, whatever is shared.
    pub(super) fn parameter(
        &mut self,
        at: &Place,
        leaf: &str,
        sizes: &[usize],
        role: Role,
    ) -> Result<(), ArchitectureError> {
        let found = at.shape("a parameter", sizes)?;
        let path = if role == Role::State { at.state(leaf) } else { at.name(leaf) };
        if role != Role::State {
            self.noted.iter_mut().for_each(|noted| noted.push(path.clone()));
        }
        if let Some(Source { of, shape, .. }) = self.ties.get(&path).filter(|_| role != Role::State) {
            if *shape != found {
                let (name, of, expected) = (path, of.as_str().into(), shape.clone());
                return at.fault(LayerFault::TiedShape { name, of, expected, found });
            }
            return Ok(());
        }
        if let Some(Owner { position, place, kind }) = self.known.get(&path) {
            let first = place.clone();
            if *kind != at.kind {
                let (what, kind) = (format!("the parameter `{path}`"), *kind);
                return at.fault(LayerFault::SharedKind { what, first, kind });
            }
            let expected = &self.parameters[*position].shape;
            if *expected != found {
                let expected = expected.clone();
                return at.fault(LayerFault::Shared { path, expected, found, first: first.into() });
            }
            return Ok(());
        }
        let owner = Owner { position: self.parameters.len(), place: at.place.clone(), kind: at.kind };
        self.known.insert(path.clone(), owner);
        self.parameters.push(Parameter { path, shape: found, role });
        Ok(())
    }

    /// What `within` gives, and the paths of the parameters that its layers have, without initial states.
    pub(super) fn noting<T>(
        &mut self,
        within: impl FnOnce(&mut Scope) -> Result<T, ArchitectureError>,
    ) -> Result<(T, Vec<String>), ArchitectureError> {
        self.noted.push(Vec::new());
        let given = within(self);
        let noted = self.noted.pop().unwrap_or_default();
        Ok((given?, noted))
    }

    /// A parameter that was met, by its path.
    pub(super) fn get(&self, path: &str) -> Option<&Parameter> {
        self.known.get(path).map(|owner| &self.parameters[owner.position])
    }

    /// All that were met, without initial states.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().filter(|p| p.role != Role::State).map(|p| p.path.as_str())
    }

    /// What a layer calls `path` is read from elsewhere: from where another layer of its name reads it, which is the error.
    pub(super) fn tie(&mut self, path: String, source: Source) -> Result<(), Source> {
        let known = self.ties.entry(path).or_insert_with(|| source.clone());
        if *known == source { Ok(()) } else { Err(known.clone()) }
    }
}

/// Where a layer stands, and what its parameters are called by.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The path of the layer, for errors.
    place: String,
    /// What parameters' names start with: the path, or the name under which they are shared.
    scope: String,
    kind: &'static str,
    depth: usize,
}

fn joined(path: &str, segment: &str) -> String {
    if path.is_empty() { segment.to_owned() } else { format!("{path}.{segment}") }
}

impl Place {
    pub(super) fn root() -> Place {
        Place { place: String::new(), scope: String::new(), kind: "architecture", depth: 0 }
    }

    /// The same place, with the kind of the layer.
    pub(super) fn of(&self, kind: &'static str) -> Place {
        Place { kind, ..self.clone() }
    }

    /// A part of the layer.
    pub(super) fn child(&self, segment: impl Display) -> Place {
        let segment = segment.to_string();
        Place {
            place: joined(&self.place, &segment),
            scope: joined(&self.scope, &segment),
            kind: self.kind,
            depth: self.depth + 1,
        }
    }

    /// The part of a layer whose parameters are shared.
    pub(super) fn shared(&self, name: &str) -> Place {
        Place { scope: name.to_owned(), ..self.child("inner") }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The path of the layer.
    pub(super) fn path(&self) -> &str {
        &self.place
    }

    /// The path of a parameter.
    pub(super) fn name(&self, leaf: &str) -> String {
        joined(&self.scope, leaf)
    }

    /// The path of an initial state, which no other place has.
    pub(super) fn state(&self, leaf: &str) -> String {
        joined(&self.place, leaf)
    }

    /// What is wrong here.
    pub(super) fn fault<T>(&self, fault: LayerFault) -> Result<T, ArchitectureError> {
        Err(self.error(fault))
    }

    pub(super) fn error(&self, fault: LayerFault) -> ArchitectureError {
        ArchitectureError::Layer { place: self.place.clone(), kind: self.kind, fault }
    }

    /// A shape of positive sizes within the limits.
    pub(super) fn shape(&self, what: &'static str, sizes: &[usize]) -> Result<Shape, ArchitectureError> {
        let shape = Shape::new(sizes);
        let limit = Limits::default().elements;
        if sizes.contains(&0) {
            return self.fault(LayerFault::Zero { what });
        }
        match shape.checked_len() {
            Some(elements) if elements <= limit => Ok(shape),
            _ => self.fault(LayerFault::Large { what: format!("{what} of shape {shape}"), limit, of: " elements" }),
        }
    }

    /// A tuple within the limits.
    pub(super) fn tuple(&self, arrays: usize) -> Result<(), ArchitectureError> {
        if arrays > TUPLE {
            return self.fault(LayerFault::Large {
                what: format!("a tuple of {arrays} arrays"),
                limit: TUPLE,
                of: " arrays",
            });
        }
        Ok(())
    }

    /// The one array that a layer takes.
    pub(super) fn one<'a, T>(&self, inputs: &'a [T]) -> Result<&'a T, ArchitectureError> {
        match inputs {
            [one] => Ok(one),
            _ => self.fault(LayerFault::Tuple { expected: "one array".to_owned(), found: inputs.len() }),
        }
    }

    pub(super) fn positive(&self, what: &'static str, number: usize) -> Result<(), ArchitectureError> {
        if number == 0 {
            return self.fault(LayerFault::Zero { what });
        }
        if number > LARGEST {
            return self.fault(LayerFault::Large { what: format!("`{what}`"), limit: LARGEST, of: "" });
        }
        Ok(())
    }

    /// A number that is finite in double precision.
    ///
    /// Every exact number is a real, and far from zero its nearest double is infinite.
    pub(super) fn finite(&self, what: &'static str, number: &Literal) -> Result<(), ArchitectureError> {
        if number.to::<f64>().is_finite() { Ok(()) } else { self.number(what, number, "finite in double precision") }
    }

    /// A number that is not what is required of it.
    pub(super) fn number<T>(
        &self,
        what: &'static str,
        number: &Literal,
        required: &'static str,
    ) -> Result<T, ArchitectureError> {
        // An exact number may have thousands of digits.
        const SHOWN: usize = 40;
        let mut found: String = number.to_string();
        if found.len() > SHOWN {
            found = format!("{}… ({} characters)", found.chars().take(SHOWN).collect::<String>(), found.len());
        }
        self.fault(LayerFault::Number { what, found, required })
    }

    pub(super) fn count(&self, what: &'static str, expected: usize, found: usize) -> Result<(), ArchitectureError> {
        if expected == found { Ok(()) } else { self.fault(LayerFault::Count { what, expected, found }) }
    }

    /// Axes of an array of that rank, in ascending order.
    pub(super) fn axes(&self, what: &'static str, axes: &[usize], rank: usize) -> Result<(), ArchitectureError> {
        if let Some(axis) = axes.iter().find(|axis| **axis >= rank) {
            return self.fault(LayerFault::NoAxis { what, axis: *axis, rank });
        }
        match axes.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => self.fault(LayerFault::Order { what, first: pair[0], second: pair[1] }),
            None => Ok(()),
        }
    }
}
