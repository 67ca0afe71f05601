//! Expressions: what may be read where, and `max(a, b)`, `min(a, b)`, `abs(a)` written out as `if`.

use super::{Phase, Resolver, What};
use crate::Rational;
use crate::diagnostics::nearest;
use crate::limits;
use crate::source::{Diagnostic, Name, Span};
use crate::statement::{Comparison, DimId, Expr, ExprKind, Function, Index, Tensor, VarId};
use crate::syntax::{self, Extremum, Operator, Reduction};
use num_traits::Zero;

impl Resolver<'_> {
    /// Resolves an expression in the scope at hand. After an error the result stands for nothing, but
    /// the other parts have been looked at.
    pub(super) fn expr(&mut self, expr: &syntax::Expr) -> Expr {
        let span = expr.place.0;
        if !self.room(span) || !self.enter(span) {
            return nothing(span);
        }
        let kind = match &expr.kind {
            syntax::ExprKind::Number(number) => ExprKind::Number(number.value().clone()),
            syntax::ExprKind::Access(name, indices) => self.access(name, indices, span),
            syntax::ExprKind::Size(dim) => self.dim(dim).map_or_else(zero, ExprKind::Size),
            syntax::ExprKind::Equal(left, right) => self.equal(left, right, span),
            syntax::ExprKind::Neg(a) => ExprKind::Neg(self.boxed(a)),
            syntax::ExprKind::Binary(operator, a, b) => self.binary(*operator, a, b),
            syntax::ExprKind::Pow(a, power) => self.pow(a, *power, span),
            syntax::ExprKind::Call(function, a) => self.call(*function, a, span),
            syntax::ExprKind::Extremum(extremum, a, b) => self.extremum(*extremum, a, b, span),
            syntax::ExprKind::Abs(a) => self.abs(a, span),
            syntax::ExprKind::Reduce(reduction, binders, body) => self.reduce(*reduction, binders, body, span),
            syntax::ExprKind::If(choice) => self.choice(choice, span),
        };
        self.depth -= 1;
        Expr { kind, span }
    }
    fn boxed(&mut self, expr: &syntax::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }
    /// Goes one deeper. The parser keeps within the limit; a tree need not come from it.
    fn enter(&mut self, span: Span) -> bool {
        if self.depth >= limits::DEPTH {
            self.sink.push(Diagnostic::new(
                "E0212",
                format!("an expression has more than {} operations within one another", limits::DEPTH),
                span,
                "here",
            ));
            return false;
        }
        self.depth += 1;
        true
    }
    /// Counts a node; says once that there are too many.
    fn room(&mut self, span: Span) -> bool {
        self.nodes += 1;
        if self.nodes == limits::NODES + 1 {
            self.sink.push(
                Diagnostic::new(
                    "E0219",
                    format!("the expressions of a statement have more than {} nodes", limits::NODES),
                    span,
                    "one too many",
                )
                .with_help(
                    "`max(a, b)` and `abs(a)` stand for an `if` that has its arguments twice: name them with `let`",
                ),
            );
        }
        self.nodes <= limits::NODES
    }
    fn nonsmooth(&mut self, span: Span, what: &'static str) {
        if !self.in_any && self.nonsmooth.is_none() {
            self.nonsmooth = Some((span, what));
        }
    }

    #[inline(never)]
    fn equal(&mut self, left: &syntax::Index, right: &syntax::Index, span: Span) -> ExprKind {
        match (self.index(left), self.index(right)) {
            (Some(left), Some(right)) => {
                self.equate(&left, &right, span);
                ExprKind::Equal(left, right)
            }
            _ => zero(),
        }
    }
    #[inline(never)]
    fn binary(&mut self, operator: Operator, a: &syntax::Expr, b: &syntax::Expr) -> ExprKind {
        let a = self.boxed(a);
        let b = self.boxed(b);
        match operator {
            Operator::Add => ExprKind::Add(a, b),
            Operator::Sub => ExprKind::Sub(a, b),
            Operator::Mul => ExprKind::Mul(a, b),
            Operator::Div => ExprKind::Div(a, b),
        }
    }
    #[inline(never)]
    fn pow(&mut self, a: &syntax::Expr, power: i32, span: Span) -> ExprKind {
        if power.unsigned_abs() > limits::POWER.unsigned_abs() {
            self.sink.push(Diagnostic::new(
                "E0217",
                "an integer power is too large",
                span,
                format!("at most {}", limits::POWER),
            ));
        }
        ExprKind::Pow(self.boxed(a), power)
    }
    #[inline(never)]
    fn call(&mut self, function: Function, a: &syntax::Expr, span: Span) -> ExprKind {
        if function.is_step() {
            self.nonsmooth(span, if function == Function::Round { "`round`" } else { "`floor`" });
        }
        ExprKind::Call(function, self.boxed(a))
    }
    #[inline(never)]
    fn reduce(
        &mut self,
        reduction: Reduction,
        binders: &[syntax::Binder],
        body: &syntax::Expr,
        span: Span,
    ) -> ExprKind {
        if reduction == Reduction::Max {
            self.nonsmooth(span, "`max`");
        }
        self.few(binders.len(), "index variables", span);
        let outer = self.scope.len();
        let vars: Vec<VarId> = binders.iter().map(|b| self.bind(b)).collect();
        let body = self.boxed(body);
        self.scope.truncate(outer);
        match reduction {
            Reduction::Sum => ExprKind::Sum(vars, body),
            Reduction::Max => ExprKind::Max(vars, body),
        }
    }
    #[inline(never)]
    fn choice(&mut self, choice: &syntax::Choice, span: Span) -> ExprKind {
        self.nonsmooth(span, "`if`");
        let left = self.boxed(&choice.left);
        let right = self.boxed(&choice.right);
        let then = self.boxed(&choice.then);
        let otherwise = self.boxed(&choice.otherwise);
        let (comparison, left, right) = match choice.comparison {
            syntax::Comparison::Greater => (Comparison::Greater, left, right),
            syntax::Comparison::GreaterOrEqual => (Comparison::GreaterOrEqual, left, right),
            syntax::Comparison::Less => (Comparison::Greater, right, left),
            syntax::Comparison::LessOrEqual => (Comparison::GreaterOrEqual, right, left),
        };
        ExprKind::If { comparison, left, right, then, otherwise }
    }
    /// `max(a, b)` is `if a > b then a else b`, `min(a, b)` is `if a < b then a else b`.
    #[inline(never)]
    fn extremum(&mut self, extremum: Extremum, a: &syntax::Expr, b: &syntax::Expr, span: Span) -> ExprKind {
        let word = if extremum == Extremum::Max { "`max`" } else { "`min`" };
        self.nonsmooth(span, word);
        let (a, b) = (self.boxed(a), self.boxed(b));
        let (then, otherwise) = (self.again(&a), self.again(&b));
        let (left, right) = if extremum == Extremum::Max { (a, b) } else { (b, a) };
        ExprKind::If { comparison: Comparison::Greater, left, right, then, otherwise }
    }
    /// `abs(a)` is `if a > 0 then a else -a`.
    #[inline(never)]
    fn abs(&mut self, a: &syntax::Expr, span: Span) -> ExprKind {
        self.nonsmooth(span, "`abs`");
        let left = self.boxed(a);
        let (then, negated) = (self.again(&left), self.again(&left));
        let right = Box::new(nothing(span));
        let otherwise = Box::new(Expr { kind: ExprKind::Neg(negated), span });
        ExprKind::If { comparison: Comparison::Greater, left, right, then, otherwise }
    }
    /// A copy whose binders are fresh, since every binder is unique in a statement.
    fn again(&mut self, expr: &Expr) -> Box<Expr> {
        let mut renamed = Vec::new();
        Box::new(self.copy(expr, &mut renamed))
    }
    fn copy(&mut self, expr: &Expr, renamed: &mut Vec<(VarId, VarId)>) -> Expr {
        let span = expr.span;
        if !self.room(span) {
            return nothing(span);
        }
        let kind = match &expr.kind {
            ExprKind::Number(_) | ExprKind::Param(_) | ExprKind::Size(_) => expr.kind.clone(),
            ExprKind::Access(tensor, at) => ExprKind::Access(*tensor, at.iter().map(|i| rename(i, renamed)).collect()),
            ExprKind::Equal(p, q) => ExprKind::Equal(rename(p, renamed), rename(q, renamed)),
            ExprKind::Neg(a) => ExprKind::Neg(self.copied(a, renamed)),
            ExprKind::Add(a, b) => ExprKind::Add(self.copied(a, renamed), self.copied(b, renamed)),
            ExprKind::Sub(a, b) => ExprKind::Sub(self.copied(a, renamed), self.copied(b, renamed)),
            ExprKind::Mul(a, b) => ExprKind::Mul(self.copied(a, renamed), self.copied(b, renamed)),
            ExprKind::Div(a, b) => ExprKind::Div(self.copied(a, renamed), self.copied(b, renamed)),
            ExprKind::Pow(a, power) => ExprKind::Pow(self.copied(a, renamed), *power),
            ExprKind::Call(function, a) => ExprKind::Call(*function, self.copied(a, renamed)),
            ExprKind::Sum(vars, body) => {
                let (vars, body) = self.copy_bound(vars, body, renamed);
                ExprKind::Sum(vars, body)
            }
            ExprKind::Max(vars, body) => {
                let (vars, body) = self.copy_bound(vars, body, renamed);
                ExprKind::Max(vars, body)
            }
            ExprKind::If { comparison, left, right, then, otherwise } => ExprKind::If {
                comparison: *comparison,
                left: self.copied(left, renamed),
                right: self.copied(right, renamed),
                then: self.copied(then, renamed),
                otherwise: self.copied(otherwise, renamed),
            },
        };
        Expr { kind, span }
    }
    fn copied(&mut self, expr: &Expr, renamed: &mut Vec<(VarId, VarId)>) -> Box<Expr> {
        Box::new(self.copy(expr, renamed))
    }
    #[inline(never)]
    fn copy_bound(
        &mut self,
        vars: &[VarId],
        body: &Expr,
        renamed: &mut Vec<(VarId, VarId)>,
    ) -> (Vec<VarId>, Box<Expr>) {
        let outer = renamed.len();
        let mut fresh = Vec::new();
        for var in vars {
            let (name, pack) = {
                let bound = &self.vars[var.0 as usize];
                (bound.name.clone(), bound.pack)
            };
            // It shares the dimension of what it is a copy of, whenever that is found.
            let root = self.root(*var);
            let copy = self.fresh(name, pack, Some(root));
            renamed.push((*var, copy));
            fresh.push(copy);
        }
        let body = self.copied(body, renamed);
        renamed.truncate(outer);
        (fresh, body)
    }

    #[inline(never)]
    fn access(&mut self, name: &Name, indices: &[syntax::Index], span: Span) -> ExprKind {
        self.few(indices.len(), "indices", span);
        let positions: Vec<Option<Index>> = indices.iter().map(|i| self.index(i)).collect();
        let Some(what) = self.read(name, !indices.is_empty()) else {
            return zero();
        };
        let (tensor, axes) = match what {
            Read::Param(param) => {
                if indices.is_empty() {
                    return ExprKind::Param(param);
                }
                let declared = self.values.get(&name.text).map_or(name.span, |v| v.span);
                self.sink.push(
                    Diagnostic::new("E0250", format!("the parameter `{name}` is a scalar"), span, "indices given here")
                        .and(declared, "declared here")
                        .with_help(format!("write `{name}`")),
                );
                return zero();
            }
            Read::Tensor(tensor, axes) => (tensor, axes),
        };
        if !self.axes_fit(name, &axes, positions.len(), span) {
            return zero();
        }
        for (at, (index, axis)) in positions.iter().zip(&axes).enumerate() {
            if let Some(index) = index {
                let place = indices[at].place.0;
                self.require(index, *axis, place, || format!("axis {} of `{name}`", at + 1));
            }
        }
        match positions.into_iter().collect::<Option<Vec<Index>>>() {
            Some(positions) => ExprKind::Access(tensor, positions),
            None => zero(),
        }
    }
    /// The number of indices is the number of axes.
    pub(super) fn axes_fit(&mut self, name: &Name, axes: &[DimId], count: usize, span: Span) -> bool {
        if axes.len() == count {
            return true;
        }
        let shape: Vec<String> = axes.iter().map(|axis| self.dim_text(*axis)).collect();
        let declared = self.values.get(&name.text).map(|v| v.span);
        let mut diagnostic = Diagnostic::new(
            "E0250",
            format!("`{name}` has {}, found {}", axis_count(axes.len()), index_count(count)),
            span,
            format!("{} here", index_count(count)),
        );
        if let Some(declared) = declared.filter(|d| *d != name.span) {
            diagnostic = diagnostic.and(declared, "its axes come from here");
        }
        let help = if shape.is_empty() {
            format!("write `{name}`: it is a scalar")
        } else {
            format!("its axes are `{name}[{}]`", shape.join(", "))
        };
        self.sink.push(diagnostic.with_help(help));
        false
    }

    /// Whether the item at hand is a `let`.
    fn in_let(&self) -> bool {
        matches!(self.contract.items.get(self.at).map(|item| &item.kind), Some(syntax::ItemKind::Let(_)))
    }

    /// What a name stands for here, if it may be read here.
    fn read(&mut self, name: &Name, indexed: bool) -> Option<Read> {
        let Some(value) = self.values.get(&name.text) else {
            self.unknown(name, indexed);
            return None;
        };
        let (declared, ready, any) = (value.span, value.ready, value.any);
        let diagnostic = |code, message: String, words: &str| {
            Diagnostic::new(code, message, name.span, words).and(declared, "declared here")
        };
        let tensor = match value.what {
            What::Param(param) => return Some(Read::Param(param)),
            What::Tensor(tensor) => tensor,
            What::Broken => {
                self.blind = true;
                return None;
            }
            What::Defined => {
                let error = if self.phase == Phase::Backward {
                    diagnostic("E0270", format!("`{name}` is what the rule defines"), "read here")
                        .with_help("name the expression with `let` and use that name in both places")
                } else {
                    diagnostic("E0269", format!("`{name}` belongs to the rule"), "read in the forward formula")
                        .with_help("the forward formula reads inputs, constants and parameters")
                };
                self.sink.push(error);
                return None;
            }
        };
        let axes = match tensor {
            Tensor::Output(i) | Tensor::Cotangent(i) => {
                let output = &self.outputs[i as usize];
                if output.broken { None } else { output.axes.clone() }
            }
            _ => value.axes.clone(),
        };
        let saved = self.saves.contains(&tensor);
        // What has an error of its own is not asked to be saved as well.
        if matches!((self.phase, tensor), (Phase::Backward, Tensor::Local(_))) && value.axes.is_none() {
            self.blind = true;
            return None;
        }
        let early = ready.is_some_and(|ready| ready >= self.at);
        let own = ready == Some(self.at);
        let error = match (self.phase, tensor) {
            (_, Tensor::Constant(_)) => None,
            (Phase::Backward, Tensor::Cotangent(_)) => None,
            (Phase::Backward, Tensor::BackwardLocal(_)) if !early => None,
            (Phase::Backward, Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_)) if saved => None,
            (Phase::Backward, Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_)) => {
                let help = if self.in_let() {
                    format!("add `{name}` to `saves`; a `let` of the forward formula stands above `saves`")
                } else {
                    format!("add `{name}` to `saves`")
                };
                Some(
                    diagnostic("E0263", format!("the rule reads `{name}`, which is not saved"), "read here")
                        .with_help(help),
                )
            }
            (Phase::Where | Phase::Forward, Tensor::Cotangent(_)) => {
                let help = if self.in_let() {
                    "a `let` belongs to the rule where it stands below `saves` or the first clause of the rule: move it there"
                } else {
                    "the forward formula reads inputs, constants and parameters"
                };
                Some(diagnostic("E0269", format!("`{name}` is a cotangent"), "read outside the rule").with_help(help))
            }
            (Phase::Where | Phase::Forward, Tensor::BackwardLocal(_)) => Some(
                diagnostic("E0267", format!("`{name}` is defined in the rule"), "read before it is defined")
                    .with_help("move its `let` above `saves`"),
            ),
            (_, Tensor::Local(_) | Tensor::Output(_) | Tensor::BackwardLocal(_)) if early => {
                let message = if own {
                    format!("`{name}` is defined by itself")
                } else if matches!(tensor, Tensor::Output(_)) {
                    format!("`{name}` is read before its last clause")
                } else {
                    format!("`{name}` is read before it is defined")
                };
                Some(diagnostic("E0267", message, "read here").with_help("a value may use what is defined above it"))
            }
            (Phase::Where, Tensor::Output(_)) => Some(
                diagnostic("E0268", format!("the domain depends on the output `{name}`"), "read here")
                    .with_help("say it of the inputs, or of a `let`"),
            ),
            (Phase::Where, _) if any => Some(
                diagnostic("E0268", format!("the domain depends on `{name}`, which `any` leaves open"), "read here")
                    .with_help("say it of the inputs, or of a `let` without `any`"),
            ),
            _ => None,
        };
        if let Some(error) = error {
            self.sink.push(error);
            return None;
        }
        self.reads_any |= any;
        self.blind |= axes.is_none();
        Some(Read::Tensor(tensor, axes?))
    }

    fn unknown(&mut self, name: &Name, indexed: bool) {
        let span = name.span;
        let misuse = if self.in_scope(&name.text).is_some() {
            Some(("an index variable", format!("where it equals another position is `[{name} == j]`")))
        } else if let Some(dim) = self.dims.iter().find(|d| d.name == *name) {
            Some(("a dimension", format!("its size is `|{name}{}|`", if dim.pack { ".." } else { "" })))
        } else if self.maps.iter().any(|m| m.name == *name) {
            Some(("an index map", format!("it stands in indices, `x[{name}(i)]`")))
        } else {
            None
        };
        if let Some((is, help)) = misuse {
            self.sink.push(
                Diagnostic::new("E0255", format!("`{name}` is {is}, not a value"), span, "used as a value")
                    .with_help(help),
            );
            return;
        }
        let known: Vec<String> = self.values.keys().cloned().collect();
        let near = nearest(&name.text, known.iter().map(String::as_str));
        let help = if name.text == "pi" {
            "π is `4 * atan(1)`".to_owned()
        } else if indexed {
            format!("declare it: `input {name}[…]`, or define it above by `let {name}[…] = …`")
        } else {
            format!("declare it: `param {name}` or `input {name}`, or define it above by `let {name} = …`")
        };
        self.sink.push(
            Diagnostic::new("E0241", format!("nothing is called `{name}`"), span, "unknown name").or_help(near, help),
        );
    }
}

/// What a name was found to be.
enum Read {
    Param(crate::statement::ParamId),
    Tensor(Tensor, Vec<DimId>),
}

pub(super) fn axis_count(count: usize) -> String {
    match count {
        0 => "no axis".to_owned(),
        1 => "1 axis".to_owned(),
        _ => format!("{count} axes"),
    }
}
pub(super) fn index_count(count: usize) -> String {
    match count {
        0 => "no index".to_owned(),
        1 => "1 index".to_owned(),
        _ => format!("{count} indices"),
    }
}

fn rename(index: &Index, renamed: &[(VarId, VarId)]) -> Index {
    match index {
        Index::Variable(var) => {
            let new = renamed.iter().rev().find(|(old, _)| old == var).map_or(*var, |(_, new)| *new);
            Index::Variable(new)
        }
        Index::Map(map, arguments) => Index::Map(*map, arguments.iter().map(|a| rename(a, renamed)).collect()),
    }
}

fn zero() -> ExprKind {
    ExprKind::Number(Rational::zero())
}
/// The number zero.
fn nothing(span: Span) -> Expr {
    Expr { kind: zero(), span }
}
