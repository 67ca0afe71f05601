//! Names of a statement as names of Rust, and its shapes as types.
//!
//! A statement may use any word; a word that Rust keeps is written raw, and what Rust would take for one thing is kept apart.

use std::fmt::Write as _;

use pullback_kernel::statement::{DimId, Statement};

use super::code;
use super::items::M;

/// `layer_norm` as `LayerNorm`.
pub(super) fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|part| {
            let mut letters = part.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters)
        })
        .collect()
}

/// Words that are no identifier in Rust, not even a raw one.
pub(super) const NEVER: [&str; 5] = ["_", "self", "Self", "super", "crate"];

/// Words that are an identifier in Rust only where they are written raw, in one edition or another.
pub(super) const KEYWORDS: [&str; 49] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "safe",
];

/// Whether a statement of this name can be a type and a function.
pub(super) fn nameable(name: &str) -> bool {
    !NEVER.contains(&name) && syn::parse_str::<syn::Ident>(&camel(name)).is_ok()
}

pub(super) struct Types<'a> {
    pub(super) statement: &'a Statement,
    /// Type parameters of the dimensions.
    pub(super) dims: Vec<String>,
    /// `where` predicates, each once.
    pub(super) bounds: Vec<String>,
}

/// The type parameter of the scalar.
pub(super) const NUMBER: &str = "Num";

impl<'a> Types<'a> {
    pub(super) fn new(statement: &'a Statement) -> Self {
        let mut dims: Vec<String> = vec![];
        for dim in statement.dims() {
            let mut name = camel(&dim.name.text);
            if !name.starts_with(char::is_alphabetic) {
                name.insert_str(0, "Axis");
            }
            while dims.contains(&name) || name == NUMBER || name == "Self" {
                name.push_str("Axis");
            }
            dims.push(name);
        }
        Types { statement, dims, bounds: vec![] }
    }

    pub(super) fn bound(&mut self, predicate: String) {
        if !self.bounds.contains(&predicate) {
            self.bounds.push(predicate);
        }
    }

    pub(super) fn pack(&self, dim: DimId) -> bool {
        self.statement.dims()[dim.0 as usize].pack
    }

    /// The runs of plain axes and the packs of a shape.
    fn pieces(&self, axes: &[DimId]) -> Vec<String> {
        let mut pieces: Vec<String> = vec![];
        let mut run = String::new();
        for dim in axes {
            let name = &self.dims[dim.0 as usize];
            if self.pack(*dim) {
                if !run.is_empty() {
                    pieces.push(format!("({run})"));
                    run.clear();
                }
                pieces.push(name.clone());
            } else {
                let _ = write!(run, "{name}, ");
            }
        }
        if !run.is_empty() {
            pieces.push(format!("({run})"));
        }
        pieces
    }

    /// The shape of these axes as a type.
    pub(super) fn shape(&mut self, axes: &[DimId]) -> String {
        let mut pieces = self.pieces(axes).into_iter();
        let Some(mut shape) = pieces.next() else { return "()".into() };
        for piece in pieces {
            self.bound(format!("{shape}: {M}::Join<{piece}>"));
            shape = format!("<{shape} as {M}::Join<{piece}>>::Output");
        }
        shape
    }

    /// The same, if it needs no bound that is not there.
    pub(super) fn known_shape(&self, axes: &[DimId]) -> Option<String> {
        let mut pieces = self.pieces(axes).into_iter();
        let Some(mut shape) = pieces.next() else { return Some("()".into()) };
        for piece in pieces {
            if !self.bounds.contains(&format!("{shape}: {M}::Join<{piece}>")) {
                return None;
            }
            shape = format!("<{shape} as {M}::Join<{piece}>>::Output");
        }
        // A shape has at most six axes; packs were counted where the bound was made.
        (axes.len() <= 6).then_some(shape)
    }

    pub(super) fn tensor(&mut self, axes: &[DimId]) -> String {
        format!("{M}::Tensor<{}, {NUMBER}>", self.shape(axes))
    }

    pub(super) fn extent(&self, axes: &[DimId]) -> String {
        if axes.is_empty() {
            return "1usize".into();
        }
        axes.iter().map(|d| code::size(self.statement, *d)).collect::<Vec<_>>().join(" * ")
    }
}

/// Parts of a tuple, at most: the traits of the standard library go no further.
const PARTS: usize = 12;

/// The tuple of some types, patterns or expressions; of more than twelve, the last is the tuple of the rest.
pub(super) fn tuple(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        _ if items.len() > PARTS => {
            let (first, rest) = items.split_at(PARTS - 1);
            format!("({}, {})", first.join(", "), tuple(rest))
        }
        _ => format!("({})", items.join(", ")),
    }
}

/// A name as an identifier.
pub(super) fn raw(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_string() }
}
