//! What can be wrong with an architecture.
//!
//! | error | from |
//! | --- | --- |
//! | [`ArchitectureError`] | verification, compilation and lowering |
//! | [`LayerFault`] | one layer, in its [`ArchitectureError::Layer`] |

use crate::lowering::LowerError;
use crate::operation::{OperatorError, Shape};
use crate::program::ApplyError;

/// Why an architecture has no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArchitectureError {
    /// A layer that does not fit.
    #[error("layer {}({kind}): {fault}", quoted(.place))]
    Layer {
        /// The path of the layer, such as `2.branches.1`; empty for the outermost.
        place: String,
        /// What kind of layer it is.
        kind: &'static str,
        /// What is wrong.
        fault: LayerFault,
    },
    /// An initialiser that gives no numbers.
    #[error("the initialiser of `{path}` is {found}; it must be {required}")]
    Initializer {
        /// The parameter.
        path: String,
        /// What the initialiser is.
        found: String,
        /// What is required.
        required: &'static str,
    },
    /// The program would be past the limits.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A statement of the library.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// Data of an operation: a fault of this module.
    #[error("`{operator}`: {fault}")]
    Operation {
        /// The operator.
        operator: String,
        /// What is wrong.
        fault: String,
    },
    /// The core program would be past the limits; what has no form in the core is a [`LayerFault::NoCore`].
    #[error(transparent)]
    Lower(#[from] LowerError),
}

fn quoted(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("`{place}` ") }
}

/// What is wrong with a layer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LayerFault {
    /// A tuple where one array, or another tuple, is taken.
    #[error("takes {expected}, is given {found} arrays")]
    Tuple {
        /// What it takes.
        expected: String,
        /// How many arrays it is given.
        found: usize,
    },
    /// An array of another rank.
    #[error("takes {expected}, is given shape {found}")]
    Rank {
        /// The axes that it takes.
        expected: String,
        /// The shape that it is given.
        found: Shape,
    },
    /// An axis of another size.
    #[error("axis {axis} of {what} has size {found}, expected {expected}")]
    Size {
        /// Of which array.
        what: &'static str,
        /// Which axis.
        axis: usize,
        /// The size it must have.
        expected: usize,
        /// The size it has.
        found: usize,
    },
    /// Two arrays that must have one shape.
    #[error("{what} has shape {found}, expected {expected}")]
    Shape {
        /// Which array.
        what: String,
        /// The shape it must have.
        expected: Shape,
        /// The shape it has.
        found: Shape,
    },
    /// An axis that is not there.
    #[error("`{what}` names axis {axis}, the array has {rank} axes")]
    NoAxis {
        /// Which field.
        what: &'static str,
        /// The axis.
        axis: usize,
        /// How many axes there are.
        rank: usize,
    },
    /// Axes that are not in ascending order, or one that comes twice.
    #[error("`{what}` has axis {second} after axis {first}; axes come in ascending order, each once")]
    Order {
        /// Which field.
        what: &'static str,
        /// One axis.
        first: usize,
        /// The next.
        second: usize,
    },
    /// A list of axes that is no permutation of all.
    #[error("`order` is no permutation of the {rank} axes")]
    Permutation {
        /// How many axes there are.
        rank: usize,
    },
    /// A number that must be positive.
    #[error("{what} is or has a 0; it must be positive")]
    Zero {
        /// Which field or array.
        what: &'static str,
    },
    /// A list of another length.
    #[error("`{what}` has {found} entries, expected {expected}")]
    Count {
        /// Which field.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A size that is no multiple of a number of groups or heads.
    #[error("{what}, {size}, is no multiple of the {parts} {of}")]
    Multiple {
        /// The size of what.
        what: &'static str,
        /// The size.
        size: usize,
        /// How many parts it has.
        parts: usize,
        /// What the parts are: groups, heads.
        of: &'static str,
    },
    /// A window that is longer than what it slides over.
    #[error("the window spans {span} places of axis {axis}, which with its padding has {size}")]
    Window {
        /// The axis.
        axis: usize,
        /// The places that the window spans, dilation included.
        span: usize,
        /// The size of the axis with its padding.
        size: usize,
    },
    /// A window that holds padding alone, where that has no value.
    #[error("window {window} along axis {axis} holds padding alone")]
    Padding {
        /// The axis.
        axis: usize,
        /// Which window.
        window: usize,
    },
    /// A padding that takes away more than there is.
    #[error("the padding of axis {axis} takes away {padding} places of {size}")]
    Crop {
        /// The axis.
        axis: usize,
        /// The padding of both sides.
        padding: usize,
        /// The size without it.
        size: usize,
    },
    /// A query without a key that it may see.
    #[error("row {row} of the mask is empty: a query must see at least one key")]
    Mask {
        /// The query.
        row: usize,
    },
    /// An index past the end.
    #[error("index {index} at position {position} of `{what}`; there are {size}")]
    Index {
        /// Which list.
        what: &'static str,
        /// Where in it.
        position: usize,
        /// The index.
        index: usize,
        /// How many there are.
        size: usize,
    },
    /// A number outside of what is required of it.
    #[error("`{what}` is {found}; it must be {required}")]
    Number {
        /// Which field.
        what: &'static str,
        /// Its value.
        found: String,
        /// What is required.
        required: &'static str,
    },
    /// Another number of elements.
    #[error("shape {found} has other elements than {given}")]
    Elements {
        /// The shape that is given.
        given: Shape,
        /// The shape that is wanted.
        found: Shape,
    },
    /// A loss that leaves out all of its rows.
    #[error("all labels are the ignored one; a mean needs one row at least")]
    Ignored,
    /// Nothing in a list that needs something.
    #[error("`{what}` is empty")]
    Nothing {
        /// Which field.
        what: &'static str,
    },
    /// A name that could be a path.
    #[error(
        "`{name}` is no name for shared parameters: letters, digits and `_`, a letter first, at most 64, and none of `branches`, `parts`, `inner`"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// One name for layers of two kinds.
    #[error("{what} is shared with layer `{first}` ({kind}); what is shared under one name is of one kind")]
    SharedKind {
        /// The name, or the parameter.
        what: String,
        /// The layer where it comes first.
        first: String,
        /// The kind of that layer.
        kind: &'static str,
    },
    /// A layer without a parameter that the first of its name has.
    #[error("has no parameter `{path}`, which layer `{first}` of the same name has")]
    SharedMissing {
        /// The path of the parameter.
        path: String,
        /// The first layer of the name.
        first: String,
    },
    /// A layer with a parameter that the first of its name has not.
    #[error("has a parameter `{path}`, which layer `{first}` of the same name has not")]
    SharedBeyond {
        /// The path of the parameter.
        path: String,
        /// The first layer of the name.
        first: String,
    },
    /// A tie to a parameter that is not there.
    #[error("no layer before this one has a parameter `{of}`; there are: {known}")]
    TiedUnknown {
        /// The path that is asked for.
        of: String,
        /// Those that there are.
        known: String,
    },
    /// A tie of a parameter that the layer has not.
    #[error("the layer has no parameter `{name}` that could be tied; there are: {known}")]
    TiedNothing {
        /// The name that is asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// Two ties of one parameter.
    #[error("`{name}` is tied twice")]
    TiedTwice {
        /// The parameter.
        name: String,
    },
    /// Two layers under one name that tie a parameter apart.
    #[error("`{path}` is read from `{of}` here, and otherwise from `{first}` in another layer of the same name")]
    TiedApart {
        /// The parameter.
        path: String,
        /// What another layer of the name reads.
        first: String,
        /// What this one reads.
        of: String,
    },
    /// A tie that exchanges the axes of something without two.
    #[error("`{of}` has shape {found}, and only a parameter of two axes can be read transposed")]
    TiedRank {
        /// The parameter that is read.
        of: String,
        /// Its shape.
        found: Shape,
    },
    /// A tie to a parameter of another shape.
    #[error("the parameter `{name}` has shape {found}, and what `{of}` gives for it has shape {expected}")]
    TiedShape {
        /// The parameter that the layer has.
        name: String,
        /// The one that is read.
        of: Box<str>,
        /// The shape of what is read.
        expected: Shape,
        /// The shape that the layer needs.
        found: Shape,
    },
    /// One name for parameters of two shapes.
    #[error("the parameter `{path}` has shape {found} here and shape {expected} in layer `{first}`")]
    Shared {
        /// The path of the parameter.
        path: String,
        /// Its shape where it comes first.
        expected: Shape,
        /// Its shape here.
        found: Shape,
        /// The layer where it comes first.
        first: Box<str>,
    },
    /// An operation without a form in the core language: a kink, a logarithm, a sine.
    #[error("`{operator}` has no form in the core language")]
    NoCore {
        /// The operation.
        operator: String,
    },
    /// Layers within layers past the limit.
    #[error("layers stand in one another more than {limit} deep")]
    Deep {
        /// The limit.
        limit: usize,
    },
    /// A size past the limits.
    #[error("{what} is past {limit}{of}")]
    Large {
        /// What.
        what: String,
        /// The limit.
        limit: usize,
        /// Of what there are so many at most, after a space; empty for a number of the layer itself.
        of: &'static str,
    },
}
