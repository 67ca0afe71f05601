//! What a statement says, as terms of the core.
//!
//! | of the statement | in the core |
//! | --- | --- |
//! | a dimension, a pack of axes included | a dimension |
//! | a map; the inverse of a bijection | a map; one more after those that are declared |
//! | an index variable | a name |
//! | a parameter, constant, input, cotangent, `any` | a tensor; a tangent for each input and `any` |
//! | `let`, an output, a backward `let` | its value, at the places where it is read; zero where a place is undefined |
//! | `y[p(i)] = e(i)` | a definition: `y[v] = sum(i) [v == p(i)] e(i)`, all clauses together |
//! | `if a > b then e else f` | `guard(a - b) e + (1 - guard(a - b)) f` |
//! | `a / b`, `recip`, `a^-k`; `rsqrt`; `erfc`, `log1p`, `expm1` | by `inv`; by `inv` and `sqrt`; by what they are short for |
//! | a `where`, the sign of a parameter | an assumption |
//! | what a function needs | an assumption, under the guards of the branches that it stands in; of the rule's, an obligation |
//! | a step or kink between the values that move | an assumption: where it is not |
//!
//! Assumptions are there to be used: a theorem lists those that it rests on, and each `where`.
//! Nothing is assumed that the statement does not show: the list is made from it alone.
//!
//! A statement is read only if it is [well formed](Statement::well_formed), so clauses cover what they define.

mod reader;

use std::rc::Rc;
use std::sync::Arc;

use super::rules::{Claim, Context, Core};
use super::table::{MapSignature, Terms};
use super::term::{self, Name, Term};
use crate::statement::{self, Comparison, Condition, Expr, MapKind, Statement};
use crate::well_formed::Malformed;

/// Where an assumption or obligation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The sign of a parameter, or a `where`.
    Given,
    /// A function in a `where` needs it.
    Where,
    /// A function in a `let` or an output needs it.
    Forward,
    /// A function in the value of an `any` needs it.
    Any,
    /// A function in the rule needs it.
    Backward,
    /// Two sides of an `if` meet where it does not hold.
    Boundary,
    /// A rounded value jumps where it does not hold.
    Jump,
    /// Two values of a maximum that are not one function are equal where it does not hold.
    Tie,
}

/// A branch of an `if`: its two sides, how they are compared, and whether that holds in the branch.
pub type Branch = (Comparison, Expr, Expr, bool);

/// Something that is assumed or must be shown, in the words of the statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// Where it comes from.
    pub origin: Origin,
    /// The same in the language, without what it stands under. Of a jump or tie, the value that is rounded, or maximised.
    pub condition: Condition,
    /// The branches that it stands in.
    pub under: Vec<Branch>,
}

/// Something that is assumed or must be shown: where the guard is not zero, the term has the sign.
#[derive(Clone, Debug)]
pub struct Needed {
    /// The claim.
    pub claim: Claim,
    /// The same in words.
    pub asked: Asked,
}

impl Needed {
    /// Whether it is no part of the domain: the rule is the derivative off these places; what it is on them is another question.
    pub fn is_avoided(&self) -> bool {
        matches!(self.asked.origin, Origin::Boundary | Origin::Jump | Origin::Tie)
    }
}

/// A tensor by its elements.
#[derive(Clone, Debug)]
pub struct Definition {
    /// An index for each axis, distinct.
    pub names: Vec<Name>,
    /// The element there.
    pub body: Term,
}

/// A differentiated input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its tensor.
    pub tensor: term::Tensor,
    /// Along what it moves.
    pub tangent: term::Tensor,
    /// What the rule says is its cotangent.
    pub cotangent: Option<Definition>,
}

/// Everything that a statement says, or two of the same declarations.
#[derive(Debug)]
pub struct Reading {
    /// The statement.
    pub statement: Arc<Statement>,
    /// Another one, of which it is asked whether it is equal.
    pub other: Option<Arc<Statement>>,
    /// Where the assumptions come from, in their order.
    pub assumptions: Vec<Needed>,
    /// What must be shown beside the equations, each once.
    pub obligations: Vec<Needed>,
    /// The outputs, and those of the other statement.
    pub outputs: [Vec<Definition>; 2],
    /// The cotangents of the outputs.
    pub cotangents: Vec<term::Tensor>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The tensors of `any`, of both statements.
    pub anys: Vec<term::Tensor>,
    /// The sum of the outputs with their cotangents.
    pub pairing: Term,
    /// The sum of the tangents with the claimed cotangents, if there is a rule.
    pub claimed: Option<Term>,
    /// From here on, the numbers of names are free to use.
    pub fresh: u32,
}

/// How many numbers of names a statement takes beside its variables: an axis each, and one for the other side of a tie.
const OWN: u32 = 1 << 10;

impl Core {
    /// A core about a statement.
    ///
    /// # Errors
    ///
    /// [`Malformed`] where it is no statement.
    pub fn read(statement: &Statement) -> Result<Core, Malformed> {
        statement.well_formed()?;
        Ok(Core::about(statement, None))
    }

    /// A core about the question whether a second statement is equal to a first. `None` if their declarations are not the same.
    ///
    /// # Errors
    ///
    /// [`Malformed`] where one is no statement.
    pub fn read_both(first: &Statement, second: &Statement) -> Result<Option<Core>, Malformed> {
        first.well_formed()?;
        second.well_formed()?;
        Ok(same_declarations(first, second).then(|| Core::about(first, Some(second))))
    }

    fn about(first: &Statement, second: Option<&Statement>) -> Core {
        let terms = Rc::new(Terms::new(maps(first)));
        let splits = first.splits().iter().map(|s| (s.whole.0, s.parts.iter().map(|p| p.0).collect())).collect();
        let (reading, directions) = Reading::of(&terms, first, second);
        let assumptions = reading.assumptions.iter().map(|a| a.claim).collect();
        Core::with(terms, Context { maps: maps(first), splits, directions }, assumptions, Some(reading))
    }
}

/// More on one side is as wrong as less: a further split or bijection says something of the sizes.
fn same_declarations(a: &Statement, b: &Statement) -> bool {
    let axes = |l: &[statement::TensorDecl], r: &[statement::TensorDecl]| {
        l.iter().map(|t| &t.axes).eq(r.iter().map(|t| &t.axes))
    };
    a.dims().iter().map(|d| d.pack).eq(b.dims().iter().map(|d| d.pack))
        && a.params().iter().map(|p| p.sign).eq(b.params().iter().map(|p| p.sign))
        && a.maps().iter().map(|m| (m.kind, &m.from, m.to)).eq(b.maps().iter().map(|m| (m.kind, &m.from, m.to)))
        && a.splits() == b.splits()
        && axes(a.constants(), b.constants())
        && axes(a.inputs(), b.inputs())
        && a.outputs().iter().map(|o| &o.tensor.axes).eq(b.outputs().iter().map(|o| &o.tensor.axes))
}

fn maps(statement: &Statement) -> Vec<MapSignature> {
    let mut maps: Vec<MapSignature> = (statement.maps().iter())
        .map(|m| MapSignature {
            from: m.from.iter().map(|d| d.0).collect(),
            to: vec![m.to.0],
            total: m.kind != MapKind::Partial,
            inverse: None,
        })
        .collect();
    for (k, m) in statement.maps().iter().enumerate() {
        if m.kind == MapKind::Bijection {
            let inverse = maps.len() as u32;
            let map = &mut maps[k];
            map.inverse = Some(inverse);
            let (from, to) = (map.to.clone(), map.from.clone());
            maps.push(MapSignature { from, to, total: true, inverse: Some(k as u32) });
        }
    }
    maps
}

type Directions = Vec<Vec<(term::Tensor, term::Tensor)>>;

impl Reading {
    /// Tensors are numbered by kind: parameters, constants, inputs, cotangents, locals, those of the other statement, tangents.
    fn of(t: &Terms, first: &Statement, second: Option<&Statement>) -> (Reading, Directions) {
        let inputs = (first.params().len() + first.constants().len()) as u32;
        let cotangents = inputs + first.inputs().len() as u32;
        let locals = cotangents + first.outputs().len() as u32;
        let others = locals + first.locals().len() as u32;
        let mut tangents = others + second.map_or(0, |s| s.locals().len() as u32)..;
        let input = |(tensor, tangent)| Input { tensor, tangent, cotangent: None };
        let mut r = Reading {
            statement: Arc::new(first.clone()),
            other: second.map(|s| Arc::new(s.clone())),
            assumptions: Vec::new(),
            obligations: Vec::new(),
            outputs: [Vec::new(), Vec::new()],
            cotangents: (cotangents..locals).collect(),
            inputs: (inputs..cotangents).zip(&mut tangents).map(input).collect(),
            anys: Vec::new(),
            pairing: t.num(0),
            claimed: None,
            fresh: 0,
        };
        r.read(t, first, locals);
        if let Some(second) = second {
            r.read(t, second, others);
        }
        let [ours, theirs] = &mut r.outputs;
        for (a, b) in ours.iter().zip(theirs) {
            let renamed = a.names.iter().zip(&b.names).fold(b.body, |y, (v, w)| t.substitute(*w, t.free(*v), y));
            *b = Definition { names: a.names.clone(), body: renamed };
        }
        let pair = |x: u32, of: &Definition| t.sums(&of.names, t.mul(t.read(x, t.names(&of.names)), of.body));
        let pairs: Vec<Term> = r.cotangents.iter().zip(&r.outputs[0]).map(|(dy, y)| pair(*dy, y)).collect();
        r.pairing = t.total(&pairs);
        let claims = r.inputs.iter().map(|i| i.cotangent.as_ref().map(|dx| pair(i.tangent, dx)));
        let claims: Option<Vec<Term>> = claims.collect();
        r.claimed = claims.filter(|_| second.is_none() && first.gradients().is_some()).map(|c| t.total(&c));
        let inputs = r.inputs.iter().map(|i| (i.tensor, i.tangent)).collect();
        let anys = r.anys.iter().copied().zip(tangents).collect();
        (r, vec![inputs, anys])
    }
}
