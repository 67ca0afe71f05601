//! Parameters in several places: layers of one name, and parameters that are read from another layer.
//!
//! What is shared is always said.
//! [`Shared`] is for the same layer again: layers under one name are of one kind and have the same parameters, or the architecture is refused with both places.
//! [`Tied`] is for one array in different layers, parameter by parameter: a head that reads the table of the embedding, transposed.
//! This module must never let two parameters be one because their paths happen to agree.

use super::emit::Emit;
use super::error::{ArchitectureError, LayerFault};
use super::layer::{Layer, Walk};
use super::signature::{Place, Role, Scope, Sharing, Source};
use crate::operation::Shape;
use crate::program::ValueId;

/// The longest name of shared parameters: it stands in the paths of all of them.
const NAME: usize = 64;
/// How many parameters a message names.
const NAMED: usize = 6;

/// A layer whose parameters go by a name.
///
/// Every layer within the architecture that is shared under that name reads the same parameters, which are called `name.weight` and so on.
/// Their gradient is the sum over all places.
/// All of them are of one kind and have the same parameters, by name and shape; what else they do, such as a stride, may differ.
/// The initial state of a recurrence is no parameter in this sense: each place has its own, by its path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Shared {
    /// The name: letters, digits and `_`, a letter first, at most 64.
    pub name: String,
    /// The layer.
    pub layer: Box<Layer>,
}

/// A layer that reads some parameters of other layers in place of its own.
///
/// The array is one parameter of the whole, under the path that it has where it stands first; its gradient is the sum over all places.
///
/// # Example
///
/// A head that has the table of the embedding for its weight:
///
/// ```
/// use pullback_program::architecture::{Architecture, Dense, Embedding, Layer, Shared, Tie, Tied};
///
/// let table = Layer::Embedding(Embedding { vocabulary: 7, features: 3, shape: vec![2], indices: vec![6, 0] });
/// let head = Layer::Dense(Dense { features: 7, bias: false });
/// let layer = Layer::Sequential(vec![
///     Layer::Shared(Shared { name: "tokens".to_owned(), layer: Box::new(table) }),
///     Layer::Tied(Tied {
///         layer: Box::new(head),
///         parameters: vec![Tie { name: "weight".to_owned(), of: "tokens.table".to_owned(), transposed: true }],
///     }),
/// ]);
/// let signature = Architecture::new(&[1], layer).verify()?;
/// let paths: Vec<&str> = signature.parameters.iter().map(|p| p.path.as_str()).collect();
/// assert_eq!(paths, ["tokens.table"]);
/// # Ok::<(), pullback_program::architecture::ArchitectureError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Tied {
    /// The layer.
    pub layer: Box<Layer>,
    /// Which of its parameters are read from elsewhere; one at least.
    pub parameters: Vec<Tie>,
}

/// A parameter that is another one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Tie {
    /// What the layer calls it, such as `weight`.
    pub name: String,
    /// The path of the parameter that is read, which a layer before has: such as `0.table`, or `tokens.table` of a layer that is shared as `tokens`.
    pub of: String,
    /// Whether its two axes are exchanged.
    pub transposed: bool,
}

impl Shared {
    pub(super) fn outputs(&self, at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        let word = self.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let letter = self.name.starts_with(|c: char| c.is_ascii_alphabetic());
        // Segments of paths: a layer by its place could have the same parameters by accident.
        let segment = matches!(self.name.as_str(), "branches" | "parts" | "inner");
        if !word || !letter || segment || self.name.len() > NAME {
            return at.fault(LayerFault::Name { name: self.name.chars().take(80).collect() });
        }
        let inner = at.shared(&self.name).of(self.layer.kind());
        if let Some(first) = scope.shared.get(&self.name)
            && first.kind != self.layer.kind()
        {
            let (what, first, kind) = (format!("`{}`", self.name), first.place.clone(), first.kind);
            return inner.fault(LayerFault::SharedKind { what, first, kind });
        }
        let (outputs, parameters) = scope.noting(|scope| self.layer.outputs(&inner, inputs, scope))?;
        match scope.shared.get(&self.name) {
            Some(first) => same(&inner, first, &parameters)?,
            None => {
                let sharing = Sharing { place: inner.path().to_owned(), kind: self.layer.kind(), parameters };
                scope.shared.insert(self.name.clone(), sharing);
            }
        }
        Ok(outputs)
    }

    pub(super) fn emit(&self, at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        self.layer.emit(&at.shared(&self.name), inputs, to)
    }
}

/// Whether a layer has the parameters of the first one of its name.
fn same(at: &Place, first: &Sharing, parameters: &[String]) -> Result<(), ArchitectureError> {
    let missing = first.parameters.iter().find(|path| !parameters.contains(path));
    let beyond = parameters.iter().find(|path| !first.parameters.contains(path));
    let place = first.place.clone();
    match (missing, beyond) {
        (Some(path), _) => at.fault(LayerFault::SharedMissing { path: path.clone(), first: place }),
        (None, Some(path)) => at.fault(LayerFault::SharedBeyond { path: path.clone(), first: place }),
        (None, None) => Ok(()),
    }
}

impl Tied {
    pub(super) fn outputs(&self, at: &Place, inputs: &[Shape], scope: &mut Scope) -> Walk<Shape> {
        if self.parameters.is_empty() {
            return at.fault(LayerFault::Nothing { what: "parameters" });
        }
        let inner = at.child("inner");
        for (k, tie) in self.parameters.iter().enumerate() {
            if self.parameters[..k].iter().any(|before| before.name == tie.name) {
                return at.fault(LayerFault::TiedTwice { name: tie.name.clone() });
            }
            let path = inner.name(&tie.name);
            if let Err(Source { of, .. }) = scope.tie(path.clone(), tie.source(at, scope)?) {
                return at.fault(LayerFault::TiedApart { path, first: of, of: tie.of.clone() });
            }
        }
        let (outputs, parameters) = scope.noting(|scope| self.layer.outputs(&inner, inputs, scope))?;
        match self.parameters.iter().find(|tie| !parameters.contains(&inner.name(&tie.name))) {
            Some(tie) => {
                let prefix = inner.name("");
                let own = parameters.iter().filter_map(|path| path.strip_prefix(&prefix));
                at.fault(LayerFault::TiedNothing { name: tie.name.clone(), known: listed(own) })
            }
            None => Ok(outputs),
        }
    }

    pub(super) fn emit(&self, at: &Place, inputs: &[ValueId], to: &mut Emit) -> Walk<ValueId> {
        let inner = at.child("inner");
        for tie in &self.parameters {
            to.tie(inner.name(&tie.name), &tie.of, tie.transposed)?;
        }
        self.layer.emit(&inner, inputs, to)
    }
}

impl Tie {
    /// The array that is read.
    fn source(&self, at: &Place, scope: &Scope) -> Result<Source, ArchitectureError> {
        let Some(parameter) = scope.get(&self.of).filter(|parameter| parameter.role != Role::State) else {
            return at.fault(LayerFault::TiedUnknown { of: self.of.clone(), known: listed(scope.paths()) });
        };
        let shape = match (self.transposed, parameter.shape.sizes()) {
            (false, _) => parameter.shape.clone(),
            (true, [rows, columns]) => Shape::new(&[*columns, *rows]),
            (true, _) => {
                return at.fault(LayerFault::TiedRank { of: self.of.clone(), found: parameter.shape.clone() });
            }
        };
        Ok(Source { of: self.of.clone(), transposed: self.transposed, shape })
    }
}

/// The first of some paths, in words.
fn listed<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = paths.collect();
    let mut words: Vec<String> = all.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if all.len() > NAMED {
        words.push(format!("{} more", all.len() - NAMED));
    }
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
