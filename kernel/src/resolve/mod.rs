//! Syntax tree to statement: every name looked up, every index variable given its dimension.
//!
//! This is the only place where a [`Statement`] is made from text, and the theorem maker relies on what
//! it promises. It must never guess: what is not determined is an error, and a tree with an error in it
//! gives no statement at all.
//!
//! | file | what it settles |
//! | --- | --- |
//! | `declarations` | dimensions, parameters, maps, tensors, which names exist and from where on |
//! | `indices` | index variables: scopes, dimensions by unification, packs |
//! | `expressions` | expressions: what may be read where, `max(a, b)` and `abs(a)` written out |
//! | `clauses` | clauses and conditions in order, left sides, coverage, completeness of the rule |

mod clauses;
mod declarations;
mod expressions;
mod indices;

use crate::diagnostics::Sink;
use crate::parser::parse_into;
use crate::source::{Diagnostic, Name, Span};
use crate::statement::{
    Clause, Condition, Declaration, Defined, Dim, DimId, Local, Map, Param, ParamId, Split, Statement, Tensor,
    TensorDecl, VarId, Variable,
};
use crate::syntax::{self, ItemKind};
use std::collections::{BTreeMap, HashMap};

/// Reads and resolves every statement of a source, and reports what is wrong with the others.
///
/// Takes any text: what is too large is refused with its limit. With no diagnostics, there is at least
/// one statement.
pub fn load(source: &str) -> (Vec<Statement>, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    let contracts = parse_into(source, &mut sink);
    let mut statements = Vec::new();
    let mut seen: HashMap<(String, u32), Span> = HashMap::new();
    for contract in &contracts {
        if sink.is_full() {
            break;
        }
        let key = (contract.name.text.clone(), contract.version);
        if let Some(first) = seen.get(&key) {
            sink.push(
                Diagnostic::new(
                    "E0272",
                    format!("`{}` version {} is given twice", key.0, key.1),
                    contract.name.span,
                    "again here",
                )
                .and(*first, "first here")
                .with_help("give it another name or another version"),
            );
            continue;
        }
        seen.insert(key, contract.name.span);
        match Statement::resolve(contract) {
            Ok(statement) => statements.push(statement),
            Err(diagnostics) => diagnostics.into_iter().for_each(|d| sink.push(d)),
        }
    }
    (statements, sink.into_list())
}

/// [`load`] for any bytes: those that are not UTF-8 are an error at their place.
pub fn load_bytes(source: &[u8]) -> (Vec<Statement>, Vec<Diagnostic>) {
    match std::str::from_utf8(source) {
        Ok(text) => load(text),
        Err(error) => {
            let start = error.valid_up_to();
            let end = error.error_len().map_or(source.len(), |n| start + n);
            let diagnostic = Diagnostic::new(
                "E0200",
                "the source is not UTF-8",
                Span::new(start, end),
                format!("byte {start} begins no character"),
            );
            (Vec::new(), vec![diagnostic.with_help("save the file as UTF-8")])
        }
    }
}

impl Statement {
    /// Resolves one contract.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at most [`limits::DIAGNOSTICS`](crate::limits::DIAGNOSTICS).
    pub fn resolve(contract: &syntax::Contract) -> Result<Statement, Vec<Diagnostic>> {
        let mut resolver = Resolver::new(contract);
        resolver.declare();
        // Past a limit nothing else is looked at.
        if !resolver.stopped {
            resolver.clauses();
            resolver.finish();
        }
        if resolver.sink.len() > 0 {
            return Err(resolver.sink.into_list());
        }
        Ok(resolver.into_statement())
    }
}

/// What a name stands for in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Param(ParamId),
    Tensor(Tensor),
    /// The cotangent of an input: what the rule defines, never read.
    Defined,
    /// Something whose definition has an error: no use of it is another.
    Broken,
}

/// A name that stands for reals.
struct Value {
    what: What,
    span: Span,
    /// The item after which it may be read; `None` for what needs no definition.
    ready: Option<usize>,
    /// Its axes; `None` if its definition has an error, which is reported already.
    axes: Option<Vec<DimId>>,
    /// Whether it is an `any`, or made from one.
    any: bool,
}

/// What may be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Where,
    Forward,
    Backward,
}

/// An index variable while its dimension is being found.
struct Var {
    name: Name,
    pack: bool,
    /// The variable that it was found to share its dimension with.
    parent: Option<VarId>,
    /// The dimension, where it was found, and in what words.
    known: Option<(DimId, Span, String)>,
    /// Trouble with it is reported already.
    broken: bool,
}

/// A tensor whose clauses are being collected.
struct Building {
    name: Name,
    axes: Option<Vec<DimId>>,
    /// Where its axes were found, for messages.
    first: Span,
    clauses: Vec<Clause>,
    broken: bool,
}

struct Resolver<'a> {
    contract: &'a syntax::Contract,
    sink: Sink,
    stopped: bool,
    dims: Vec<Dim>,
    dim_used: Vec<bool>,
    params: Vec<Param>,
    maps: Vec<Map>,
    splits: Vec<Split>,
    vars: Vec<Var>,
    constants: Vec<TensorDecl>,
    inputs: Vec<TensorDecl>,
    wheres: Vec<Condition>,
    locals: Vec<Option<Local>>,
    local_count: u32,
    outputs: Vec<Building>,
    saves: Vec<Tensor>,
    backward_locals: Vec<Option<Local>>,
    backward_count: u32,
    gradients: Vec<Building>,
    declaration: Option<Declaration>,
    values: BTreeMap<String, Value>,
    /// For each item, whether it belongs to the rule.
    backward: Vec<bool>,
    /// The item at hand.
    at: usize,
    phase: Phase,
    in_any: bool,
    /// Whether the value at hand reads an `any`.
    reads_any: bool,
    /// Whether the clause at hand uses what has an error elsewhere, so that less is known than should be.
    blind: bool,
    /// The first nonsmooth construct outside `any`.
    nonsmooth: Option<(Span, &'static str)>,
    nodes: usize,
    depth: usize,
    scope: Vec<VarId>,
    /// Maps whose declaration has an error.
    broken_maps: Vec<String>,
    /// Index variables that are not bound, with the item that was said so of.
    unbound: Vec<(usize, String)>,
    /// Clauses that belong to no rule: a keyword is missing.
    unkeyed: Vec<String>,
    saved_at: HashMap<Tensor, Span>,
}

impl<'a> Resolver<'a> {
    fn new(contract: &'a syntax::Contract) -> Self {
        Resolver {
            contract,
            sink: Sink::default(),
            stopped: false,
            dims: Vec::new(),
            dim_used: Vec::new(),
            params: Vec::new(),
            maps: Vec::new(),
            splits: Vec::new(),
            vars: Vec::new(),
            constants: Vec::new(),
            inputs: Vec::new(),
            wheres: Vec::new(),
            locals: Vec::new(),
            local_count: 0,
            outputs: Vec::new(),
            saves: Vec::new(),
            backward_locals: Vec::new(),
            backward_count: 0,
            gradients: Vec::new(),
            declaration: None,
            values: BTreeMap::new(),
            backward: Vec::new(),
            at: 0,
            phase: Phase::Forward,
            in_any: false,
            reads_any: false,
            blind: false,
            nonsmooth: None,
            nodes: 0,
            depth: 0,
            scope: Vec::new(),
            broken_maps: Vec::new(),
            unbound: Vec::new(),
            unkeyed: Vec::new(),
            saved_at: HashMap::new(),
        }
    }

    fn too_many(&mut self, limit: usize, what: &str, span: Span) {
        if !self.stopped {
            self.sink.push(Diagnostic::new(
                "E0214",
                format!("a statement of more than {limit} {what}"),
                span,
                "one too many",
            ));
        }
        self.stopped = true;
    }

    /// Takes the parts over. Called only when nothing was reported.
    fn into_statement(mut self) -> Statement {
        let variables = (0..self.vars.len())
            .map(|i| {
                let root = self.root(VarId(i as u32));
                let known = self.vars[root.0 as usize].known.as_ref();
                Variable { name: self.vars[i].name.clone(), dim: known.map_or(DimId(0), |k| k.0) }
            })
            .collect();
        let defined = |building: Building| Defined {
            tensor: TensorDecl { name: building.name, axes: building.axes.unwrap_or_default() },
            clauses: building.clauses,
        };
        let ruled = self.inputs.is_empty() || !self.gradients.is_empty();
        Statement {
            name: self.contract.name.clone(),
            version: self.contract.version,
            doc: self.contract.doc.clone(),
            dims: std::mem::take(&mut self.dims),
            params: self.params,
            maps: self.maps,
            splits: self.splits,
            variables,
            constants: self.constants,
            inputs: self.inputs,
            wheres: self.wheres,
            locals: self.locals.into_iter().flatten().collect(),
            outputs: self.outputs.into_iter().map(defined).collect(),
            saves: self.saves,
            backward_locals: self.backward_locals.into_iter().flatten().collect(),
            gradients: ruled.then(|| self.gradients.into_iter().map(defined).collect()),
            declaration: self.declaration,
            span: self.contract.place.0,
        }
    }
}

/// The clause of an item, if it is one.
fn clause_of(item: &ItemKind) -> Option<&syntax::Clause> {
    match item {
        ItemKind::Let(c) | ItemKind::Any(c) | ItemKind::Output(c) | ItemKind::Gradient(c) => Some(c),
        _ => None,
    }
}
