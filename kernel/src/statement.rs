//! The resolved statement: what the parser's tree means once every name, index and dimension is known.
//!
//! A [`Statement`] is made inside of this crate only: from text ([`Statement::resolve`]), by composition
//! ([`Composer`](crate::Composer)), by the transforms, and by deriving a rule. None of these is trusted to do it right:
//! whatever claims something about a statement first asks whether it is [well formed](Statement::well_formed), that is,
//! every index variable has a dimension, every access has its tensor's axes, every binder is unique in the statement,
//! backward clauses read saved names and cotangents only.
//! Nothing here may be built or changed from outside the crate.

use crate::Rational;
use crate::source::{Name, Span};

/// Which dimension, as a position in [`Statement::dims`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DimId(pub u32);
/// Which scalar parameter, as a position in [`Statement::params`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ParamId(pub u32);
/// Which index map, as a position in [`Statement::maps`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MapId(pub u32);
/// Which index variable, as a position in [`Statement::variables`]. Every binder has its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// A symbolic positive natural, or a pack of axes `s..` (which the kernel ranges over with one index).
#[derive(Clone, PartialEq, Debug)]
pub struct Dim {
    /// The name, without the dots of a pack.
    pub name: Name,
    /// Whether it is a pack `s..`.
    pub pack: bool,
}

/// What is known of the sign of a real.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sign {
    /// `> 0`
    Positive,
    /// `>= 0`
    NonNegative,
    /// `!= 0`
    NonZero,
}

/// A scalar fixed when the contract is made: `param eps > 0`.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// What the statement requires of it, if anything.
    pub sign: Option<Sign>,
}

/// How an index map behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapKind {
    /// `map`: defined everywhere, many to one allowed.
    Total,
    /// `partial map`: a read at an undefined point is zero.
    Partial,
    /// `bijection`.
    Bijection,
    /// One part of a `split`: an injection; the parts of one split are disjoint and cover the target.
    Part {
        /// Which split, as a position in [`Statement::splits`].
        split: u32,
        /// Which of its parts.
        part: u32,
    },
}

/// A declared index map `from -> to`. Its values are given when the contract is made.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Its name.
    pub name: Name,
    /// How it behaves.
    pub kind: MapKind,
    /// The dimensions of its arguments.
    pub from: Vec<DimId>,
    /// The dimension of its value.
    pub to: DimId,
}

/// `split left: a, right: b -> n`: the parts cover `n` without meeting. In order, part after part.
#[derive(Clone, PartialEq, Debug)]
pub struct Split {
    /// The maps of the parts, in order.
    pub parts: Vec<MapId>,
    /// The dimension that they make up. At most one split a dimension.
    pub whole: DimId,
}

/// An index variable and its dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name as written, without the dots of a pack.
    pub name: Name,
    /// What it ranges over.
    pub dim: DimId,
}

/// A named tensor with its axes.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorDecl {
    /// Its name.
    pub name: Name,
    /// Its axes, in order.
    pub axes: Vec<DimId>,
}

/// Which tensor an access reads, as a position in the list of its kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tensor {
    /// [`Statement::inputs`].
    Input(u32),
    /// [`Statement::constants`]: data of the contract, not differentiated.
    Constant(u32),
    /// [`Statement::locals`]: a forward `let` or `any`.
    Local(u32),
    /// [`Statement::outputs`].
    Output(u32),
    /// The cotangent of that output (backward clauses only).
    Cotangent(u32),
    /// [`Statement::backward_locals`]: a backward `let`.
    BackwardLocal(u32),
}

/// A position along an axis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Index {
    /// An index variable.
    Variable(VarId),
    /// A declared map applied to positions.
    Map(MapId, Vec<Index>),
}

/// Elementary functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Function {
    /// `exp`
    Exp,
    /// `tanh`
    Tanh,
    /// `recip`: 1/x, x != 0
    Recip,
    /// `rsqrt`: x^(-1/2), x > 0
    Rsqrt,
    /// `sqrt`, x > 0 (where it is smooth)
    Sqrt,
    /// `log`, x > 0
    Log,
    /// `sin`
    Sin,
    /// `cos`
    Cos,
    /// `round`: to the nearest integer, half to even. Nonsmooth: derivative zero between the jumps.
    Round,
    /// `erf`: the integral of 2 exp(-t²)/√π from 0 to x
    Erf,
    /// `erfc`: 1 - erf x, without the cancellation
    Erfc,
    /// `atan`, between -π/2 and π/2
    Atan,
    /// `log1p`: log(1 + x), x > -1, without the loss near zero
    Log1p,
    /// `expm1`: exp(x) - 1, without the loss near zero
    Expm1,
    /// `floor`: the greatest integer that is not above. Nonsmooth: derivative zero between the jumps.
    Floor,
}

impl Function {
    /// Every function, in the order in which they are listed for readers.
    pub const ALL: [Function; 15] = [
        Function::Exp,
        Function::Tanh,
        Function::Recip,
        Function::Rsqrt,
        Function::Sqrt,
        Function::Log,
        Function::Sin,
        Function::Cos,
        Function::Erf,
        Function::Erfc,
        Function::Atan,
        Function::Log1p,
        Function::Expm1,
        Function::Round,
        Function::Floor,
    ];

    /// Its name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Function::Exp => "exp",
            Function::Tanh => "tanh",
            Function::Recip => "recip",
            Function::Rsqrt => "rsqrt",
            Function::Sqrt => "sqrt",
            Function::Log => "log",
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Round => "round",
            Function::Erf => "erf",
            Function::Erfc => "erfc",
            Function::Atan => "atan",
            Function::Log1p => "log1p",
            Function::Expm1 => "expm1",
            Function::Floor => "floor",
        }
    }

    /// Whether it is constant between jumps: its derivative is zero where it has one.
    pub const fn is_step(self) -> bool {
        matches!(self, Function::Round | Function::Floor)
    }

    /// Whether a rational has a rational value, wherever it has one.
    pub const fn is_rational(self) -> bool {
        matches!(self, Function::Recip | Function::Round | Function::Floor)
    }
}

/// Comparison in an `if`. `a < b` is written `b > a` here, `a <= b` is `b >= a`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparison {
    /// `left > right`
    Greater,
    /// `left >= right`
    GreaterOrEqual,
}

/// A real expression and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it was written (or what it was derived from).
    pub span: Span,
}

/// The forms of a real expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A rational literal (decimals are exact).
    Number(Rational),
    /// A scalar parameter.
    Param(ParamId),
    /// `|n|`, the size of a dimension.
    Size(DimId),
    /// `x[i.., j]`. Where an index is a partial map at an undefined point, zero.
    Access(Tensor, Vec<Index>),
    /// `-a`
    Neg(Box<Expr>),
    /// `a + b`
    Add(Box<Expr>, Box<Expr>),
    /// `a - b`
    Sub(Box<Expr>, Box<Expr>),
    /// `a * b`
    Mul(Box<Expr>, Box<Expr>),
    /// `a / b`, b != 0
    Div(Box<Expr>, Box<Expr>),
    /// `a ^ k`; a negative power needs a != 0
    Pow(Box<Expr>, i32),
    /// `exp(a)` and the like
    Call(Function, Box<Expr>),
    /// `sum(i, j) e`; its body is the longest product that follows
    Sum(Vec<VarId>, Box<Expr>),
    /// `max(k) e`; nonsmooth
    Max(Vec<VarId>, Box<Expr>),
    /// `[p == q]`: one where the positions are equal (and defined), else zero
    Equal(Index, Index),
    /// `if a > b then e else f`; nonsmooth
    If {
        /// Which comparison.
        comparison: Comparison,
        /// Left side.
        left: Box<Expr>,
        /// Right side.
        right: Box<Expr>,
        /// Value where it holds.
        then: Box<Expr>,
        /// Value where it does not.
        otherwise: Box<Expr>,
    },
}

/// `let` or `any`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalKind {
    /// A name for an expression.
    Let,
    /// A value for numerical range only: the outputs are proved to be the same whatever it is.
    Any,
}

/// `let e[i.., j] = …`, `any m[i..] = …`: the index variables of the left side are plain and distinct.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    /// `let` or `any`.
    pub kind: LocalKind,
    /// Its name.
    pub name: Name,
    /// The variables of its axes.
    pub vars: Vec<VarId>,
    /// Its value.
    pub value: Expr,
}

/// One defining clause of a tensor: `z[i.., left(j)] = …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// The variables bound by the left side, in order of appearance.
    pub vars: Vec<VarId>,
    /// The left side: plain variables, or bijections or parts of a split applied to plain variables.
    pub at: Vec<Index>,
    /// The right side.
    pub value: Expr,
    /// The whole clause.
    pub span: Span,
}

/// A tensor defined by clauses that cover it without meeting.
#[derive(Clone, PartialEq, Debug)]
pub struct Defined {
    /// Its name and axes.
    pub tensor: TensorDecl,
    /// Its clauses (one, unless a split or bijection stands on the left).
    pub clauses: Vec<Clause>,
}

/// `vars: expr > 0` for all values of the variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// Universally quantified variables.
    pub vars: Vec<VarId>,
    /// What is required of the expression.
    pub sign: Sign,
    /// The expression.
    pub value: Expr,
    /// Whether it was written as `where`, or follows from a function's domain.
    pub written: bool,
}

/// How much a nonsmooth rule claims: `declares subgradient`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// The derivative on the open regions, an element of the subdifferential on their boundary.
    Subgradient,
    /// The derivative on the open regions; on their boundary between the sides, or what is named there.
    Convention,
    /// Not the derivative: a stand-in. Reported as differing.
    Surrogate,
    /// Not proved; admitted by its author.
    Unproved,
}

impl Label {
    /// Whether the author's words are all that there is to it: nothing is proved of the values.
    pub fn is_trusted(self) -> bool {
        matches!(self, Label::Surrogate | Label::Unproved)
    }
}

/// `at left == right: dx[…] = value`: what the rule gives on a boundary of the forward formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// The index variables of the boundary and of the place.
    pub vars: Vec<VarId>,
    /// One side of the boundary, in forward names.
    pub left: Expr,
    /// What it is equal to there.
    pub right: Expr,
    /// Which input's cotangent.
    pub gradient: u32,
    /// Where: plain variables.
    pub at: Vec<Index>,
    /// Its value, in the names of the rule.
    pub value: Expr,
    /// The whole of it.
    pub span: Span,
}

/// What a declaration says of boundaries. The kernel checks it.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// A convex combination of the two sides, except where something else is named.
    Named(Vec<Named>),
    /// The derivative of the branch that the formula takes there.
    AsWritten,
}

/// `declares LABEL …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// The label.
    pub label: Label,
    /// What the rule gives on boundaries.
    pub values: Values,
    /// The author's words, which nothing checks. May be empty.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A tensor operation and its backward rule in index notation, resolved. See the module docs.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub(crate) name: Name,
    pub(crate) version: u32,
    pub(crate) doc: String,
    pub(crate) dims: Vec<Dim>,
    pub(crate) params: Vec<Param>,
    pub(crate) maps: Vec<Map>,
    pub(crate) splits: Vec<Split>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) constants: Vec<TensorDecl>,
    pub(crate) inputs: Vec<TensorDecl>,
    pub(crate) wheres: Vec<Condition>,
    pub(crate) locals: Vec<Local>,
    pub(crate) outputs: Vec<Defined>,
    pub(crate) saves: Vec<Tensor>,
    pub(crate) backward_locals: Vec<Local>,
    /// One for each input, in order; `None` until derived.
    pub(crate) gradients: Option<Vec<Defined>>,
    pub(crate) declaration: Option<Declaration>,
    pub(crate) span: Span,
}

impl Statement {
    /// The operation's name.
    pub fn name(&self) -> &Name {
        &self.name
    }
    /// The version after the name.
    pub fn version(&self) -> u32 {
        self.version
    }
    /// The comment that stands above the statement, without its slashes.
    pub fn doc(&self) -> &str {
        &self.doc
    }
    /// Dimensions, in order of declaration.
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }
    /// Scalar parameters.
    pub fn params(&self) -> &[Param] {
        &self.params
    }
    /// Index maps, the parts of splits included.
    pub fn maps(&self) -> &[Map] {
        &self.maps
    }
    /// Splits.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }
    /// All index variables, each bound in one place.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }
    /// Tensors that are data of the contract and not differentiated.
    pub fn constants(&self) -> &[TensorDecl] {
        &self.constants
    }
    /// Differentiated inputs.
    pub fn inputs(&self) -> &[TensorDecl] {
        &self.inputs
    }
    /// The `where` clauses.
    pub fn wheres(&self) -> &[Condition] {
        &self.wheres
    }
    /// Forward `let`s and `any`s, in order.
    pub fn locals(&self) -> &[Local] {
        &self.locals
    }
    /// Outputs.
    pub fn outputs(&self) -> &[Defined] {
        &self.outputs
    }
    /// The residual: inputs, forward locals and outputs.
    pub fn saves(&self) -> &[Tensor] {
        &self.saves
    }
    /// Backward `let`s, in order.
    pub fn backward_locals(&self) -> &[Local] {
        &self.backward_locals
    }
    /// The backward rule: the cotangent of each input, in the order of the inputs.
    /// `None` if the statement gives no rule; see [`Statement::with_derived_rule`](crate::derive).
    pub fn gradients(&self) -> Option<&[Defined]> {
        self.gradients.as_deref()
    }
    /// The numbers that the forward part names, each once, in order of appearance.
    pub fn numbers(&self) -> Vec<Rational> {
        let lets = self.locals.iter().map(|l| &l.value);
        numbers_in(lets.chain(self.outputs.iter().flat_map(|o| &o.clauses).map(|c| &c.value)))
    }
    /// The numbers that the backward rule names, each once, in order of appearance.
    pub fn rule_numbers(&self) -> Vec<Rational> {
        let lets = self.backward_locals.iter().map(|l| &l.value);
        numbers_in(lets.chain(self.gradients.iter().flatten().flat_map(|g| &g.clauses).map(|c| &c.value)))
    }
    /// What the statement declares of its nonsmooth points, if anything.
    pub fn declaration(&self) -> Option<&Declaration> {
        self.declaration.as_ref()
    }
    /// Where the statement stands in its source.
    pub fn span(&self) -> Span {
        self.span
    }
    /// The dimension of a variable.
    pub fn dim_of(&self, var: VarId) -> DimId {
        self.variables[var.0 as usize].dim
    }
    /// Name and axes of a tensor (a local's axes are those of its variables, a cotangent's its output's).
    pub fn tensor(&self, tensor: Tensor) -> TensorDecl {
        let local =
            |l: &Local| TensorDecl { name: l.name.clone(), axes: l.vars.iter().map(|v| self.dim_of(*v)).collect() };
        match tensor {
            Tensor::Input(i) => self.inputs[i as usize].clone(),
            Tensor::Constant(i) => self.constants[i as usize].clone(),
            Tensor::Local(i) => local(&self.locals[i as usize]),
            Tensor::Output(i) => self.outputs[i as usize].tensor.clone(),
            Tensor::Cotangent(i) => {
                let mut decl = self.outputs[i as usize].tensor.clone();
                decl.name.text.insert(0, 'd');
                decl
            }
            Tensor::BackwardLocal(i) => local(&self.backward_locals[i as usize]),
        }
    }
}

fn numbers_in<'a>(values: impl Iterator<Item = &'a Expr>) -> Vec<Rational> {
    let mut numbers: Vec<Rational> = Vec::new();
    for value in values {
        crate::derive::each(value, &mut |e| {
            if let ExprKind::Number(q) = &e.kind
                && !numbers.contains(q)
            {
                numbers.push(q.clone());
            }
        });
    }
    numbers
}
