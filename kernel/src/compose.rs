//! Composition: a list of applied statements as one statement, over symbolic dimensions.
//!
//! A lowering is a list of simpler operations.
//! Composed, it is a statement like any other, so that [`equal`](crate::equal()) can prove once, for all shapes, that it computes what a fused statement says.
//! Outputs of the parts become `let`s, and every binder is made afresh, so that nothing is captured.
//! The whole claims no more than its parts do: it carries the weakest of their labels, with what they declared.

use std::collections::BTreeMap;
use std::fmt;

use crate::Rational;
use crate::source::{Name, Span};
use crate::statement::{
    Clause, Condition, Declaration, Defined, Dim, DimId, Expr, ExprKind, Index, Label, Local, LocalKind, Map, MapId,
    MapKind, ParamId, Statement, Tensor, TensorDecl, Values, VarId, Variable,
};

/// Why statements do not compose: a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComposeError(String);

impl ComposeError {
    pub(crate) fn new(sentence: String) -> Self {
        ComposeError(sentence)
    }
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ComposeError {}

/// What a parameter of a part is in the whole.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// A number.
    Number(Rational),
    /// A parameter of the whole.
    Param(ParamId),
    /// The number of positions of these dimensions together.
    Positions(Vec<DimId>),
    /// One over that number.
    PerPosition(Vec<DimId>),
}

/// What the declarations of a part are in the whole.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Substitution {
    /// The dimensions that stand for each of the part's: one, or any number for a pack.
    pub dims: Vec<Vec<DimId>>,
    /// Its parameters.
    pub params: Vec<Argument>,
    /// Its maps, the parts of splits included.
    pub maps: Vec<MapId>,
    /// Its constants: constants of the whole, or one number everywhere.
    pub constants: Vec<Fixed>,
}

/// What a constant array of a part is in the whole.
#[derive(Clone, PartialEq, Debug)]
pub enum Fixed {
    /// A constant of the whole.
    Constant(u32),
    /// One number everywhere.
    Splat(Argument),
}

/// Which side of a statement a part is taken over to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The forward part.
    Forward,
    /// The rule, which reads constants, saved tensors and cotangents.
    Backward,
}

/// A statement in the making: declarations, then parts applied to values. See the module docs.
///
/// # Example
///
/// ```
/// use pullback_kernel::{Composer, Outcome, Substitution, equal, load};
///
/// let (parts, _) = load("
///     contract exponential version 1 dims s.. input x[s..] output y[i..] = exp(x[i..])
///     contract multiply version 1 dims s.. input x[s..], y[s..] output z[i..] = x[i..] * y[i..]
///     contract square_exp version 1 dims s.. input x[s..] output y[i..] = exp(2 * x[i..])");
/// let mut composer = Composer::new("lowered");
/// let s = composer.dim("s", true);
/// let x = composer.input("x", &[s]);
/// let on_s = Substitution { dims: vec![vec![s]], ..Substitution::default() };
/// let e = composer.apply(&parts[0], &on_s, &[x])?;
/// let y = composer.apply(&parts[1], &on_s, &[e[0], e[0]])?;
/// let lowered = composer.finish(&[y[0]]);
/// assert!(matches!(equal(&parts[2], &lowered)?, Outcome::Proved(_)));
/// # Ok::<(), pullback_kernel::ComposeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Composer {
    whole: Statement,
}

impl Composer {
    /// A statement without declarations.
    pub fn new(name: &str) -> Composer {
        Composer {
            whole: Statement {
                name: named(name),
                version: 1,
                doc: String::new(),
                dims: Vec::new(),
                params: Vec::new(),
                maps: Vec::new(),
                splits: Vec::new(),
                variables: Vec::new(),
                constants: Vec::new(),
                inputs: Vec::new(),
                wheres: Vec::new(),
                locals: Vec::new(),
                outputs: Vec::new(),
                saves: Vec::new(),
                backward_locals: Vec::new(),
                gradients: None,
                declaration: None,
                span: Span::default(),
            },
        }
    }

    /// A statement with the declarations of another, `where` clauses included: what a lowering of that one starts from.
    /// Their positions are the same in both.
    pub fn like(fused: &Statement, name: &str) -> Composer {
        let mut composer = Composer::new(name);
        composer.declare(fused);
        let whole = &mut composer.whole;
        whole.variables = fused.variables.clone();
        whole.inputs = fused.inputs.clone();
        let readable = |t: Tensor| matches!(t, Tensor::Input(_) | Tensor::Constant(_));
        whole.wheres = fused.wheres.iter().filter(|c| reads_only(&c.value, &readable)).cloned().collect();
        composer
    }

    /// The declarations of a statement, its inputs as constants after the constants that it has: what they are here.
    pub(crate) fn declare_still(&mut self, statement: &Statement) -> Vec<Tensor> {
        self.declare(statement);
        let first = self.whole.constants.len() as u32;
        self.whole.constants.extend(statement.inputs.iter().cloned());
        (first..self.whole.constants.len() as u32).map(Tensor::Constant).collect()
    }

    fn declare(&mut self, statement: &Statement) {
        self.whole.dims = statement.dims.clone();
        self.whole.params = statement.params.clone();
        self.whole.maps = statement.maps.clone();
        self.whole.splits = statement.splits.clone();
        self.whole.constants = statement.constants.clone();
    }

    /// Declares a dimension.
    pub fn dim(&mut self, name: &str, pack: bool) -> DimId {
        self.whole.dims.push(Dim { name: named(name), pack });
        DimId(self.whole.dims.len() as u32 - 1)
    }

    /// Declares an input.
    pub fn input(&mut self, name: &str, axes: &[DimId]) -> Tensor {
        self.whole.inputs.push(TensorDecl { name: named(name), axes: axes.to_vec() });
        Tensor::Input(self.whole.inputs.len() as u32 - 1)
    }

    /// The axes of a value.
    ///
    /// # Panics
    ///
    /// For a value that is not one of this composer's.
    pub fn axes(&self, value: Tensor) -> Vec<DimId> {
        self.whole.tensor(value).axes
    }

    /// Applies the forward part of a statement to values, and gives its results.
    ///
    /// # Errors
    ///
    /// [`ComposeError`] for a substitution or values that do not fit, or a map whose value would range over several dimensions.
    pub fn apply(
        &mut self,
        part: &Statement,
        substitution: &Substitution,
        arguments: &[Tensor],
    ) -> Result<Vec<Tensor>, ComposeError> {
        let (results, wheres) = self.take_over(part, substitution, arguments, Side::Forward)?;
        self.whole.wheres.extend(wheres);
        if let Some(theirs) = &part.declaration {
            self.whole.declaration = Some(together(self.whole.declaration.take(), part, theirs));
        }
        Ok(results)
    }

    /// As [`apply`](Composer::apply), with conditions of the part that become nobody's: what they say of the whole is given with the results.
    ///
    /// # Errors
    ///
    /// As [`apply`](Composer::apply).
    pub fn apply_asking(
        &mut self,
        part: &Statement,
        conditions: &[Condition],
        substitution: &Substitution,
        arguments: &[Tensor],
    ) -> Result<(Vec<Tensor>, Vec<Condition>), ComposeError> {
        let asking = Statement { wheres: conditions.to_vec(), ..part.clone() };
        self.take_over(&asking, substitution, arguments, Side::Forward)
    }

    pub(crate) fn whole(&self) -> &Statement {
        &self.whole
    }

    pub(crate) fn whole_mut(&mut self) -> &mut Statement {
        &mut self.whole
    }

    /// Takes a part over to one side of the whole: its results, and what its `where` clauses say there.
    pub(crate) fn take_over(
        &mut self,
        part: &Statement,
        substitution: &Substitution,
        arguments: &[Tensor],
        side: Side,
    ) -> Result<(Vec<Tensor>, Vec<Condition>), ComposeError> {
        self.fits(part, substitution, arguments)?;
        let mut made = std::mem::take(match side {
            Side::Forward => &mut self.whole.locals,
            Side::Backward => &mut self.whole.backward_locals,
        });
        let next = |made: &[Local]| match side {
            Side::Forward => Tensor::Local(made.len() as u32),
            Side::Backward => Tensor::BackwardLocal(made.len() as u32),
        };
        let mut applied = Applied {
            variables: &mut self.whole.variables,
            part,
            substitution,
            arguments,
            locals: Vec::new(),
            outputs: Vec::new(),
        };
        let mut taken = || {
            for local in &part.locals {
                let mut scope = Scope::new();
                let vars = applied.bind(&local.vars, &mut scope);
                let value = applied.expr(&local.value, &mut scope)?;
                applied.locals.push(next(&made));
                let name = named(&format!("{}_{}", part.name.text, local.name.text));
                // A rule knows no `any`: what is chosen there is computed like anything else.
                let kind = if side == Side::Forward { local.kind } else { LocalKind::Let };
                made.push(Local { kind, name, vars, value });
            }
            for output in &part.outputs {
                let (vars, value) = applied.output(output)?;
                applied.outputs.push(next(&made));
                let name = named(&format!("{}_{}", part.name.text, output.tensor.name.text));
                made.push(Local { kind: LocalKind::Let, name, vars, value });
            }
            let mut wheres = Vec::new();
            for condition in &part.wheres {
                let mut scope = Scope::new();
                let vars = applied.bind(&condition.vars, &mut scope);
                let value = applied.expr(&condition.value, &mut scope)?;
                wheres.push(Condition { vars, value, ..condition.clone() });
            }
            Ok((std::mem::take(&mut applied.outputs), wheres))
        };
        let taken = taken();
        match side {
            Side::Forward => self.whole.locals = made,
            Side::Backward => self.whole.backward_locals = made,
        }
        taken
    }

    /// The statement with these outputs.
    ///
    /// # Panics
    ///
    /// For a value that is not one of this composer's.
    pub fn finish(mut self, outputs: &[Tensor]) -> Statement {
        for (k, value) in outputs.iter().enumerate() {
            let axes = self.axes(*value);
            let vars = self.whole.fresh_variables(&axes);
            let at: Vec<Index> = vars.iter().map(|v| Index::Variable(*v)).collect();
            let value = Expr { kind: ExprKind::Access(*value, at.clone()), span: Span::default() };
            let clause = Clause { vars, at, value, span: Span::default() };
            let tensor = TensorDecl { name: named(&format!("result{k}")), axes };
            self.whole.outputs.push(Defined { tensor, clauses: vec![clause] });
        }
        self.whole
    }

    pub(crate) fn into_whole(self) -> Statement {
        self.whole
    }

    /// Whether a map of the second kind may stand where the first is asked for.
    fn weaker(&self, part: &Statement, asked: MapKind, given: MapKind) -> bool {
        match asked {
            MapKind::Total => given != MapKind::Partial,
            MapKind::Partial => true,
            MapKind::Bijection => given == MapKind::Bijection,
            // A part of a split of as many parts.
            MapKind::Part { split, part: place } => match given {
                MapKind::Part { split: by, part: at } => {
                    let parts = |s: &Statement, split: u32| s.splits.get(split as usize).map(|s| s.parts.len());
                    at == place && parts(part, split) == parts(&self.whole, by)
                }
                _ => false,
            },
        }
    }

    /// Whether the value is one of the composer's.
    fn holds(&self, value: Tensor) -> bool {
        match value {
            Tensor::Input(k) => (k as usize) < self.whole.inputs.len(),
            Tensor::Constant(k) => (k as usize) < self.whole.constants.len(),
            Tensor::Local(k) => (k as usize) < self.whole.locals.len(),
            _ => false,
        }
    }

    fn fits(&self, part: &Statement, substitution: &Substitution, arguments: &[Tensor]) -> Result<(), ComposeError> {
        let wrong = |what: &str| Err(ComposeError(format!("{what} of `{}` do not fit", part.name)));
        let Substitution { dims, params, maps, constants } = substitution;
        let known = |d: &DimId| (d.0 as usize) < self.whole.dims.len();
        let sayable = |a: &Argument| match a {
            Argument::Number(_) => true,
            Argument::Param(p) => (p.0 as usize) < self.whole.params.len(),
            Argument::Positions(dims) | Argument::PerPosition(dims) => dims.iter().all(known),
        };
        let splat = |c: &Fixed| match c {
            Fixed::Splat(value) => sayable(value),
            Fixed::Constant(_) => true,
        };
        if !dims.iter().flatten().all(known) || !params.iter().all(sayable) || !constants.iter().all(splat) {
            return wrong("the declarations");
        }
        let many = |(dim, by): (&Dim, &Vec<DimId>)| !dim.pack && by.len() != 1;
        if dims.len() != part.dims.len() || part.dims.iter().zip(dims).any(many) {
            return wrong("the dimensions");
        }
        if params.len() != part.params.len() || constants.len() != part.constants.len() {
            return wrong("the parameters or constants");
        }
        let flat = |axes: &[DimId]| axes.iter().flat_map(|d| &dims[d.0 as usize]).copied().collect::<Vec<_>>();
        if maps.len() != part.maps.len() {
            return wrong("the maps");
        }
        for (map, by) in part.maps.iter().zip(maps) {
            let by = self.whole.maps.get(by.0 as usize);
            let fits = |by: &Map| {
                by.from == flat(&map.from) && [by.to][..] == flat(&[map.to]) && self.weaker(part, map.kind, by.kind)
            };
            if !by.is_some_and(fits) {
                return wrong("the maps");
            }
        }
        for (constant, by) in part.constants.iter().zip(constants) {
            if let Fixed::Constant(k) = by
                && self.whole.constants.get(*k as usize).map(|c| &c.axes) != Some(&flat(&constant.axes))
            {
                return wrong("the constants");
            }
        }
        if !arguments.iter().all(|a| self.holds(*a)) {
            return wrong("the arguments");
        }
        let inputs = part.inputs.iter().map(|t| flat(&t.axes));
        if arguments.len() != part.inputs.len() || !inputs.eq(arguments.iter().map(|a| self.axes(*a))) {
            return wrong("the arguments");
        }
        Ok(())
    }
}

/// What a whole declares with one more part.
fn together(ours: Option<Declaration>, part: &Statement, theirs: &Declaration) -> Declaration {
    // A subgradient of a part gives a convention of the whole: the chain rule does not hold for subgradients.
    let label = if theirs.label == Label::Subgradient { Label::Convention } else { theirs.label };
    let said = part.show_declaration(theirs);
    let text = format!("`{}` declares {} {said}", part.name, theirs.label).trim_end().to_owned();
    let values = Values::Named(Vec::new());
    match ours {
        None => Declaration { label, values, text, span: Span::default() },
        Some(ours) => {
            let known = ours.text.split("; ").any(|words| words == text);
            let text = if known { ours.text } else { format!("{}; {text}", ours.text) };
            Declaration { label: ours.label.max(label), values, text, span: Span::default() }
        }
    }
}

pub(crate) fn named(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

fn fresh(variables: &mut Vec<Variable>, dim: DimId) -> VarId {
    let v = VarId(variables.len() as u32);
    variables.push(Variable { name: named(&format!("i{}", v.0)), dim });
    v
}

pub(crate) fn reads_only(e: &Expr, readable: &dyn Fn(Tensor) -> bool) -> bool {
    let mut all = true;
    crate::derive::each(e, &mut |e| {
        if let ExprKind::Access(t, _) = &e.kind {
            all &= readable(*t);
        }
    });
    all
}

/// What the variables of a part are in the whole: one for each dimension that stands for theirs.
type Scope = BTreeMap<VarId, Vec<VarId>>;

/// A part while it is taken over.
struct Applied<'a> {
    variables: &'a mut Vec<Variable>,
    part: &'a Statement,
    substitution: &'a Substitution,
    arguments: &'a [Tensor],
    locals: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

impl Applied<'_> {
    fn bind(&mut self, vars: &[VarId], scope: &mut Scope) -> Vec<VarId> {
        let mut all = Vec::new();
        for v in vars {
            let dims = &self.substitution.dims[self.part.dim_of(*v).0 as usize];
            let new: Vec<VarId> = dims.iter().map(|d| fresh(self.variables, *d)).collect();
            all.extend(&new);
            scope.insert(*v, new);
        }
        all
    }

    /// The variables and the value of an output: of one clause, over plain variables or one that a bijection carries.
    fn output(&mut self, output: &Defined) -> Result<(Vec<VarId>, Expr), ComposeError> {
        let [clause] = output.clauses.as_slice() else {
            return self.pieces(output);
        };
        let mut scope = Scope::new();
        let mut vars = Vec::new();
        for index in &clause.at {
            let Index::Variable(v) = index else { return self.pieces(output) };
            vars.push(*v);
        }
        let vars = self.bind(&vars, &mut scope);
        Ok((vars, self.expr(&clause.value, &mut scope)?))
    }

    /// `y[f(i)] = e(i)`, in one clause or several, as `y[p] = Σ over the clauses, Σᵢ [p == f(i)]·e(i)`:
    /// the places of the clauses are met once and together cover the output.
    fn pieces(&mut self, output: &Defined) -> Result<(Vec<VarId>, Expr), ComposeError> {
        let span = Span::default();
        let axes: Vec<DimId> =
            output.tensor.axes.iter().flat_map(|d| &self.substitution.dims[d.0 as usize]).copied().collect();
        let places: Vec<VarId> = axes.iter().map(|d| fresh(self.variables, *d)).collect();
        let mut total: Option<Expr> = None;
        for clause in &output.clauses {
            let mut scope = Scope::new();
            let bound = self.bind(&clause.vars, &mut scope);
            let mut value = self.expr(&clause.value, &mut scope)?;
            let at = self.indices(&clause.at, &scope)?;
            for (place, index) in places.iter().zip(at).rev() {
                let equal = Expr { kind: ExprKind::Equal(Index::Variable(*place), index), span };
                value = Expr { kind: ExprKind::Mul(Box::new(equal), Box::new(value)), span };
            }
            if !bound.is_empty() {
                value = Expr { kind: ExprKind::Sum(bound, Box::new(value)), span };
            }
            total = Some(match total {
                None => value,
                Some(sum) => Expr { kind: ExprKind::Add(Box::new(sum), Box::new(value)), span },
            });
        }
        let value = total.ok_or_else(|| ComposeError(format!("`{}` has no clause", output.tensor.name)))?;
        Ok((places, value))
    }

    fn indices(&self, at: &[Index], scope: &Scope) -> Result<Vec<Index>, ComposeError> {
        let mut all = Vec::new();
        for index in at {
            match index {
                Index::Variable(v) => {
                    let new = scope.get(v).ok_or_else(|| ComposeError("an index is not in scope".into()))?;
                    all.extend(new.iter().map(|v| Index::Variable(*v)));
                }
                Index::Map(m, args) => {
                    all.push(Index::Map(self.substitution.maps[m.0 as usize], self.indices(args, scope)?));
                }
            }
        }
        Ok(all)
    }

    fn tensor(&self, t: Tensor) -> Result<Tensor, ComposeError> {
        let found = match t {
            Tensor::Input(k) => self.arguments.get(k as usize),
            Tensor::Local(k) => self.locals.get(k as usize),
            Tensor::Output(k) => self.outputs.get(k as usize),
            _ => None,
        };
        found.copied().ok_or_else(|| ComposeError("a forward part reads something else".into()))
    }

    fn expr(&mut self, e: &Expr, scope: &mut Scope) -> Result<Expr, ComposeError> {
        let span = Span::default();
        let number = |q: Rational| ExprKind::Number(q);
        let kind = match &e.kind {
            ExprKind::Number(q) => number(q.clone()),
            ExprKind::Param(p) => return Ok(argument(&self.substitution.params[p.0 as usize])),
            ExprKind::Size(d) => return Ok(positions(&self.substitution.dims[d.0 as usize])),
            ExprKind::Access(Tensor::Constant(k), at) => match &self.substitution.constants[*k as usize] {
                Fixed::Splat(value) => return Ok(argument(value)),
                Fixed::Constant(k) => ExprKind::Access(Tensor::Constant(*k), self.indices(at, scope)?),
            },
            ExprKind::Access(t, at) => ExprKind::Access(self.tensor(*t)?, self.indices(at, scope)?),
            ExprKind::Neg(a) => ExprKind::Neg(self.boxed(a, scope)?),
            ExprKind::Add(a, b) => ExprKind::Add(self.boxed(a, scope)?, self.boxed(b, scope)?),
            ExprKind::Sub(a, b) => ExprKind::Sub(self.boxed(a, scope)?, self.boxed(b, scope)?),
            ExprKind::Mul(a, b) => ExprKind::Mul(self.boxed(a, scope)?, self.boxed(b, scope)?),
            ExprKind::Div(a, b) => ExprKind::Div(self.boxed(a, scope)?, self.boxed(b, scope)?),
            ExprKind::Pow(a, k) => ExprKind::Pow(self.boxed(a, scope)?, *k),
            ExprKind::Call(f, a) => ExprKind::Call(*f, self.boxed(a, scope)?),
            ExprKind::Sum(vars, body) | ExprKind::Max(vars, body) => {
                let bound = self.bind(vars, scope);
                let body = self.boxed(body, scope)?;
                match (&e.kind, bound.is_empty()) {
                    // A sum over no dimensions, a pack's that stands for none.
                    (_, true) => return Ok(*body),
                    (ExprKind::Sum(..), _) => ExprKind::Sum(bound, body),
                    _ => ExprKind::Max(bound, body),
                }
            }
            ExprKind::Equal(a, b) => {
                let (a, b) =
                    (self.indices(std::slice::from_ref(a), scope)?, self.indices(std::slice::from_ref(b), scope)?);
                let equal = |(a, b): (Index, Index)| Expr { kind: ExprKind::Equal(a, b), span };
                let one = Expr { kind: number(Rational::from_integer(1.into())), span };
                let product = |p: Expr, e: Expr| Expr { kind: ExprKind::Mul(Box::new(p), Box::new(e)), span };
                return Ok(a.into_iter().zip(b).map(equal).reduce(product).unwrap_or(one));
            }
            ExprKind::If { comparison, left, right, then, otherwise } => ExprKind::If {
                comparison: *comparison,
                left: self.boxed(left, scope)?,
                right: self.boxed(right, scope)?,
                then: self.boxed(then, scope)?,
                otherwise: self.boxed(otherwise, scope)?,
            },
        };
        Ok(Expr { kind, span })
    }

    fn boxed(&mut self, e: &Expr, scope: &mut Scope) -> Result<Box<Expr>, ComposeError> {
        Ok(Box::new(self.expr(e, scope)?))
    }
}

/// The value of a parameter of a part.
fn argument(value: &Argument) -> Expr {
    let span = Span::default();
    let kind = match value {
        Argument::Number(q) => ExprKind::Number(q.clone()),
        Argument::Param(p) => ExprKind::Param(*p),
        Argument::Positions(dims) => return positions(dims),
        Argument::PerPosition(dims) => {
            let one = Expr { kind: ExprKind::Number(Rational::from_integer(1.into())), span };
            ExprKind::Div(Box::new(one), Box::new(positions(dims)))
        }
    };
    Expr { kind, span }
}

/// The number of positions of dimensions together.
fn positions(dims: &[DimId]) -> Expr {
    let span = Span::default();
    let size = |d: &DimId| Expr { kind: ExprKind::Size(*d), span };
    let product = |p: Expr, e: Expr| Expr { kind: ExprKind::Mul(Box::new(p), Box::new(e)), span };
    let one = Expr { kind: ExprKind::Number(Rational::from_integer(1.into())), span };
    dims.iter().map(size).reduce(product).unwrap_or(one)
}
