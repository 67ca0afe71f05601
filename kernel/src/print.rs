//! Trees and statements back to the language.
//!
//! Printing a tree and parsing it again gives an equal tree; printing a statement and resolving it again
//! gives one that means the same. A resolved expression is turned into a tree first, so that there is
//! one printer; where two nested binders would have the same letter, the inner one gets a number.

use crate::Rational;
use crate::parser::LABELS;
use crate::source::{Name, Span};
use crate::statement::{
    self, Condition, Declaration, Defined, DimId, Index, Local, LocalKind, MapKind, Sign, Statement, Tensor, Values,
    VarId,
};
use crate::syntax::{
    self, Binder, Choice, Clause, Comparison, Contract, DimRef, Expr, ExprKind, Extremum, IndexKind, Item, ItemKind,
    MapWord, Named, Number, Operator, Place, Reduction, Target,
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::fmt::{self, Display, Formatter};

/// `a, b, c`
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

/// `[a, b]`, or nothing.
struct Brackets<'a, T>(&'a [T]);

impl<T: Display> Display for Brackets<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "[{}]", List(self.0)) }
    }
}

impl Display for Contract {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.doc.is_empty() {
            for line in self.doc.split('\n') {
                writeln!(f, "{}", if line.is_empty() { "//".to_owned() } else { format!("// {line}") })?;
            }
        }
        writeln!(f, "contract {} version {}", self.name, self.version)?;
        self.items.iter().try_for_each(|item| writeln!(f, "{item}"))
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ItemKind::Dims(dims) => write!(f, "dims {}", List(dims)),
            ItemKind::Param { name, sign: None } => write!(f, "param {name}"),
            ItemKind::Param { name, sign: Some(sign) } => write!(f, "param {name} {sign} 0"),
            ItemKind::Maps(word, maps) => {
                let word = match word {
                    MapWord::Total => "map",
                    MapWord::Partial => "partial map",
                    MapWord::Bijection => "bijection",
                };
                write!(f, "{word} {}", List(maps))
            }
            ItemKind::Split { parts, whole } => write!(f, "split {} -> {whole}", List(parts)),
            ItemKind::Inputs(list) => write!(f, "input {}", List(list)),
            ItemKind::Constants(list) => write!(f, "constant {}", List(list)),
            ItemKind::Where(list) => write!(f, "where {}", List(list)),
            ItemKind::Let(clause) => write!(f, "let {clause}"),
            ItemKind::Any(clause) => write!(f, "any {clause}"),
            ItemKind::Output(clause) => write!(f, "output {clause}"),
            ItemKind::Saves(names) => write!(f, "saves {}", List(names)),
            ItemKind::Gradient(clause) => write!(f, "{clause}"),
            ItemKind::Declares { label, named, written, text } => {
                write!(f, "declares {label}")?;
                if *written {
                    f.write_str(" as written")?;
                }
                for (k, Named { left, right, clause }) in named.iter().enumerate() {
                    write!(f, "{} at {left} == {right}: {clause}", if k > 0 { "," } else { "" })?;
                }
                if text.is_empty() && !label.is_trusted() {
                    return Ok(());
                }
                let text = text.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, " \"{text}\"")
            }
        }
    }
}

impl Display for Sign {
    /// The mark, without the zero.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sign::Positive => ">",
            Sign::NonNegative => ">=",
            Sign::NonZero => "!=",
        })
    }
}

impl Display for statement::Label {
    /// The word after `declares`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(LABELS.iter().find(|l| l.1 == *self).map_or("", |l| l.0))
    }
}

impl Display for statement::Function {
    /// Its name.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for DimRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, if self.pack { ".." } else { "" })
    }
}
impl Display for syntax::Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        for (i, dim) in self.from.iter().enumerate() {
            let star = if i > 0 { " * " } else { "" };
            write!(f, "{star}{dim}")?;
        }
        write!(f, " -> {}", self.to)
    }
}
impl Display for syntax::Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.dim)
    }
}
impl Display for syntax::Tensor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, Brackets(&self.axes))
    }
}
impl Display for syntax::Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} 0", self.value, self.sign)
    }
}
impl Display for Clause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} = {}", self.name, Brackets(&self.at), self.value)
    }
}
impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Target::Binder(binder) => write!(f, "{binder}"),
            Target::Map(name, binders) => write!(f, "{name}({})", List(binders)),
        }
    }
}
impl Display for Binder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, if self.pack { ".." } else { "" })?;
        self.dim.as_ref().map_or(Ok(()), |dim| write!(f, ": {dim}"))
    }
}
impl Display for syntax::Index {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            IndexKind::Variable(name, pack) => write!(f, "{name}{}", if *pack { ".." } else { "" }),
            IndexKind::Map(name, arguments) => write!(f, "{name}({})", List(arguments)),
        }
    }
}
impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
        })
    }
}

/// What may stand at a place without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Unary,
    Atom,
}

/// What may follow there: a `sum` swallows a product that follows, an `if` anything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum After {
    Nothing,
    Sum,
    Product,
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expr(self, Level::Sum, After::Nothing, f)
    }
}

fn expr(e: &Expr, level: Level, after: After, f: &mut Formatter<'_>) -> fmt::Result {
    let bare = match &e.kind {
        ExprKind::Binary(Operator::Add | Operator::Sub, ..) => level <= Level::Sum,
        ExprKind::Binary(..) => level <= Level::Product,
        ExprKind::Neg(_) => level <= Level::Unary,
        ExprKind::Reduce(..) => level <= Level::Unary && after < After::Product,
        ExprKind::Pow(..) => level <= Level::Unary,
        // Only at the end of an expression: elsewhere it would be hard to read.
        ExprKind::If(_) => level == Level::Sum && after == After::Nothing,
        _ => true,
    };
    if !bare {
        f.write_str("(")?;
        expr(e, Level::Sum, After::Nothing, f)?;
        return f.write_str(")");
    }
    match &e.kind {
        ExprKind::Number(number) => f.write_str(number.text()),
        ExprKind::Access(name, indices) => write!(f, "{name}{}", Brackets(indices)),
        ExprKind::Size(dim) => write!(f, "|{dim}|"),
        ExprKind::Equal(p, q) => write!(f, "[{p} == {q}]"),
        ExprKind::Neg(a) => {
            f.write_str("-")?;
            expr(a, Level::Unary, after, f)
        }
        ExprKind::Binary(operator, a, b) => {
            let (mark, left, right, follows) = match operator {
                Operator::Add => (" + ", Level::Sum, Level::Product, After::Sum),
                Operator::Sub => (" - ", Level::Sum, Level::Product, After::Sum),
                Operator::Mul => (" * ", Level::Product, Level::Unary, After::Product),
                Operator::Div => (" / ", Level::Product, Level::Unary, After::Product),
            };
            expr(a, left, follows, f)?;
            f.write_str(mark)?;
            expr(b, right, after, f)
        }
        ExprKind::Pow(a, power) => {
            expr(a, Level::Atom, After::Product, f)?;
            write!(f, "^{power}")
        }
        ExprKind::Call(function, a) => write!(f, "{function}({a})"),
        ExprKind::Extremum(extremum, a, b) => {
            let word = if *extremum == Extremum::Max { "max" } else { "min" };
            write!(f, "{word}({a}, {b})")
        }
        ExprKind::Abs(a) => write!(f, "abs({a})"),
        ExprKind::Reduce(reduction, binders, body) => {
            let word = if *reduction == Reduction::Sum { "sum" } else { "max" };
            write!(f, "{word}({}) ", List(binders))?;
            // `max(i, j) -x` would subtract.
            if *reduction == Reduction::Max && begins_with_minus(body) {
                return write!(f, "({body})");
            }
            expr(body, Level::Product, after, f)
        }
        ExprKind::If(choice) => choice_parts(choice, f),
    }
}
#[inline(never)]
fn choice_parts(choice: &Choice, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("if ")?;
    expr(&choice.left, Level::Sum, After::Sum, f)?;
    write!(f, " {} ", choice.comparison)?;
    expr(&choice.right, Level::Sum, After::Sum, f)?;
    f.write_str(" then ")?;
    expr(&choice.then, Level::Sum, After::Sum, f)?;
    write!(f, " else {}", choice.otherwise)
}
fn begins_with_minus(mut e: &Expr) -> bool {
    loop {
        match &e.kind {
            ExprKind::Neg(_) => return true,
            ExprKind::Binary(_, a, _) => e = a,
            _ => return false,
        }
    }
}

/// Names of index variables in scope, and what they are called there.
#[derive(Default)]
struct Names {
    scope: Vec<(VarId, String)>,
}

impl Names {
    fn of(&self, statement: &Statement, var: VarId) -> String {
        let bound = self.scope.iter().rev().find(|(v, _)| *v == var);
        bound.map_or_else(|| statement.variable(var).name.text.clone(), |(_, name)| name.clone())
    }
    /// Binds a variable under a name that nothing in scope has.
    fn bind(&mut self, statement: &Statement, var: VarId) {
        let written = &statement.variable(var).name.text;
        let mut name = written.clone();
        let mut number = 1;
        while self.scope.iter().any(|(_, other)| *other == name) {
            name = format!("{written}{number}");
            number += 1;
        }
        self.scope.push((var, name));
    }
}

fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

/// Resolved parts as text and as trees, for messages.
impl Statement {
    fn variable(&self, var: VarId) -> &statement::Variable {
        &self.variables[var.0 as usize]
    }
    /// A dimension as it is written, `n` or `s..`.
    pub fn show_dim(&self, dim: DimId) -> String {
        self.dim_tree(dim).to_string()
    }
    /// An index variable as it is written, `i` or `i..`.
    pub fn show_variable(&self, var: VarId) -> String {
        self.index_tree(&Index::Variable(var), &Names::default()).to_string()
    }
    /// A position as it is written.
    pub fn show_index(&self, index: &Index) -> String {
        self.index_tree(index, &Names::default()).to_string()
    }
    /// An expression in the language.
    pub fn show(&self, expr: &statement::Expr) -> String {
        self.tree(expr).to_string()
    }
    /// A condition in the language, `x[i..] > 0`.
    pub fn show_condition(&self, condition: &Condition) -> String {
        format!("{} {} 0", self.show(&condition.value), condition.sign)
    }
    /// A clause of a tensor in the language, `dx[i] = …`.
    pub fn show_clause(&self, tensor: &str, clause: &statement::Clause) -> String {
        self.clause_tree(tensor, clause, false).to_string()
    }
    /// An expression as a tree.
    pub fn tree(&self, expr: &statement::Expr) -> Expr {
        let mut names = Names::default();
        // What is bound outside keeps its name, and inner binders avoid it.
        let mut free = Vec::new();
        free_variables(expr, &mut Vec::new(), &mut free);
        free.into_iter().for_each(|var| names.bind(self, var));
        self.expr_tree(expr, &mut names)
    }
    /// The whole statement as a tree.
    pub fn contract(&self) -> Contract {
        let mut items = Vec::new();
        let mut push = |kind| items.push(Item { kind, place: Place(Span::default()) });
        if !self.dims.is_empty() {
            push(ItemKind::Dims((0..self.dims.len()).map(|i| self.dim_tree(DimId(i as u32))).collect()));
        }
        for param in &self.params {
            push(ItemKind::Param { name: param.name.clone(), sign: param.sign });
        }
        for map in &self.maps {
            let word = match map.kind {
                MapKind::Total => MapWord::Total,
                MapKind::Partial => MapWord::Partial,
                MapKind::Bijection => MapWord::Bijection,
                MapKind::Part { .. } => continue,
            };
            let from = map.from.iter().map(|d| self.dim_tree(*d)).collect();
            let map = syntax::Map { name: map.name.clone(), from, to: self.dim_tree(map.to) };
            push(ItemKind::Maps(word, vec![map]));
        }
        for split in &self.splits {
            let parts = split.parts.iter().map(|id| &self.maps[id.0 as usize]);
            let parts = parts.map(|m| syntax::Part { name: m.name.clone(), dim: self.dim_tree(m.from[0]) });
            push(ItemKind::Split { parts: parts.collect(), whole: self.dim_tree(split.whole) });
        }
        let tensors = |list: &[statement::TensorDecl]| {
            list.iter()
                .map(|t| syntax::Tensor {
                    name: t.name.clone(),
                    axes: t.axes.iter().map(|d| self.dim_tree(*d)).collect(),
                })
                .collect::<Vec<_>>()
        };
        if !self.inputs.is_empty() {
            push(ItemKind::Inputs(tensors(&self.inputs)));
        }
        if !self.constants.is_empty() {
            push(ItemKind::Constants(tensors(&self.constants)));
        }
        self.forward(&mut push);
        if !self.wheres.is_empty() {
            let conditions = self.wheres.iter();
            let conditions = conditions.map(|c| syntax::Condition { value: self.tree(&c.value), sign: c.sign });
            push(ItemKind::Where(conditions.collect()));
        }
        if !self.saves.is_empty() {
            push(ItemKind::Saves(self.saves.iter().map(|t| self.tensor(*t).name).collect()));
        }
        self.rule(&mut push);
        if let Some(declaration) = &self.declaration {
            push(self.declares_item(declaration));
        }
        Contract {
            name: self.name.clone(),
            version: self.version,
            doc: self.doc.clone(),
            items,
            place: Place(self.span),
        }
    }
    /// Locals and outputs, each after what it reads.
    fn forward(&self, push: &mut impl FnMut(ItemKind)) {
        let (mut locals, mut outputs) = (0, 0);
        while locals < self.locals.len() || outputs < self.outputs.len() {
            let local_waits = self
                .locals
                .get(locals)
                .is_none_or(|local| reads(&local.value, &|t| matches!(t, Tensor::Output(i) if i as usize >= outputs)));
            let output_waits = self.outputs.get(outputs).is_none_or(|output| {
                let waits = |t| matches!(t, Tensor::Local(i) if i as usize >= locals);
                output.clauses.iter().any(|c| reads(&c.value, &waits))
            });
            if locals < self.locals.len() && (!local_waits || output_waits) {
                push(self.local_item(&self.locals[locals]));
                locals += 1;
            } else {
                let output = &self.outputs[outputs];
                for clause in &output.clauses {
                    push(ItemKind::Output(self.clause_tree(&output.tensor.name.text, clause, true)));
                }
                outputs += 1;
            }
        }
    }
    /// The rule. Without `saves`, a clause has to come before the first `let` to make it a backward one.
    fn rule(&self, push: &mut impl FnMut(ItemKind)) {
        let gradients = self.gradients.as_deref().unwrap_or_default();
        let clauses = |gradient: &Defined, push: &mut dyn FnMut(ItemKind)| {
            for clause in &gradient.clauses {
                push(ItemKind::Gradient(self.clause_tree(&gradient.tensor.name.text, clause, false)));
            }
        };
        let local = |t| matches!(t, Tensor::BackwardLocal(_));
        let begins = self.saves.is_empty() && !self.backward_locals.is_empty();
        let first = gradients.iter().position(|g| begins && !g.clauses.iter().any(|c| reads(&c.value, &local)));
        if let Some(first) = first {
            clauses(&gradients[first], push);
        }
        for local in &self.backward_locals {
            push(self.local_item(local));
        }
        for (at, gradient) in gradients.iter().enumerate() {
            if Some(at) != first {
                clauses(gradient, push);
            }
        }
    }

    fn dim_tree(&self, dim: DimId) -> DimRef {
        let dim = &self.dims[dim.0 as usize];
        DimRef { name: dim.name.clone(), pack: dim.pack }
    }
    fn local_item(&self, local: &Local) -> ItemKind {
        let at: Vec<Index> = local.vars.iter().map(|v| Index::Variable(*v)).collect();
        let clause = self.parts_tree(&local.name.text, &local.vars, &at, &local.value, true, Span::default());
        match local.kind {
            LocalKind::Let => ItemKind::Let(clause),
            LocalKind::Any => ItemKind::Any(clause),
        }
    }
    fn declares_item(&self, declaration: &Declaration) -> ItemKind {
        let (named, written) = match &declaration.values {
            Values::AsWritten => (Vec::new(), true),
            Values::Named(named) => (named.iter().map(|n| self.named_tree(n)).collect(), false),
        };
        ItemKind::Declares { label: declaration.label, named, written, text: declaration.text.clone() }
    }
    fn named_tree(&self, named: &statement::Named) -> Named {
        let mut names = Names::default();
        named.vars.iter().for_each(|var| names.bind(self, *var));
        let gradient = format!("d{}", self.inputs[named.gradient as usize].name);
        let target = |index: &Index| match index {
            Index::Variable(var) => Target::Binder(self.binder_tree(*var, None, &names)),
            Index::Map(map, _) => Target::Map(self.maps[map.0 as usize].name.clone(), Vec::new()),
        };
        let at = named.at.iter().map(target).collect();
        let (left, right) = (self.expr_tree(&named.left, &mut names), self.expr_tree(&named.right, &mut names));
        let value = self.expr_tree(&named.value, &mut names);
        Named { left, right, clause: Clause { name: name(&gradient), at, value, place: Place(named.span) } }
    }
    /// What a declaration says after its label: what is checked, in the language, without the author's words.
    /// Of a label that is taken on trust, the words.
    pub fn show_declaration(&self, declaration: &Declaration) -> String {
        if declaration.label.is_trusted() {
            return declaration.text.clone();
        }
        let mut kind = self.declares_item(declaration);
        if let ItemKind::Declares { text, .. } = &mut kind {
            text.clear();
        }
        let whole = Item { kind, place: Place::default() }.to_string();
        let word = format!("declares {}", declaration.label);
        whole.strip_prefix(&word).unwrap_or(&whole).trim().to_owned()
    }
    /// `open` where the left side does not tell the dimensions.
    fn clause_tree(&self, tensor: &str, clause: &statement::Clause, open: bool) -> Clause {
        self.parts_tree(tensor, &clause.vars, &clause.at, &clause.value, open, clause.span)
    }
    fn parts_tree(
        &self,
        tensor: &str,
        vars: &[VarId],
        at: &[Index],
        value: &statement::Expr,
        open: bool,
        span: Span,
    ) -> Clause {
        let mut names = Names::default();
        vars.iter().for_each(|var| names.bind(self, *var));
        let at = at
            .iter()
            .map(|index| match index {
                Index::Variable(var) => Target::Binder(self.binder_tree(*var, open.then_some(value), &names)),
                Index::Map(map, arguments) => {
                    let mut all = Vec::new();
                    arguments.iter().for_each(|a| index_variables(a, &mut all));
                    let binders = all.into_iter().map(|v| self.binder_tree(v, None, &names)).collect();
                    Target::Map(self.maps[map.0 as usize].name.clone(), binders)
                }
            })
            .collect();
        let value = self.expr_tree(value, &mut names);
        Clause { name: name(tensor), at, value, place: Place(span) }
    }
    /// A binder; with its dimension, if the body it is bound in does not tell it.
    fn binder_tree(&self, var: VarId, body: Option<&statement::Expr>, names: &Names) -> Binder {
        let variable = self.variable(var);
        let dim = self.dim_tree(variable.dim);
        let told = body.is_none_or(|body| tells(body, var));
        Binder { name: name(&names.of(self, var)), pack: dim.pack, dim: (!told).then_some(dim) }
    }
    fn index_tree(&self, index: &Index, names: &Names) -> syntax::Index {
        let kind = match index {
            Index::Variable(var) => {
                let pack = self.dims[self.variable(*var).dim.0 as usize].pack;
                IndexKind::Variable(name(&names.of(self, *var)), pack)
            }
            Index::Map(map, arguments) => {
                let arguments = arguments.iter().map(|a| self.index_tree(a, names)).collect();
                IndexKind::Map(self.maps[map.0 as usize].name.clone(), arguments)
            }
        };
        syntax::Index { kind, place: Place(Span::default()) }
    }

    fn expr_tree(&self, expr: &statement::Expr, names: &mut Names) -> Expr {
        use statement::ExprKind as E;
        let kind = match &expr.kind {
            E::Number(number) => return number_tree(number, expr.span),
            E::Param(param) => ExprKind::Access(self.params[param.0 as usize].name.clone(), Vec::new()),
            E::Size(dim) => ExprKind::Size(self.dim_tree(*dim)),
            E::Access(tensor, at) => {
                let indices = at.iter().map(|i| self.index_tree(i, names)).collect();
                ExprKind::Access(self.tensor(*tensor).name, indices)
            }
            E::Equal(p, q) => ExprKind::Equal(self.index_tree(p, names), self.index_tree(q, names)),
            E::Neg(a) => ExprKind::Neg(self.boxed_tree(a, names)),
            E::Add(a, b) => self.binary_tree(Operator::Add, a, b, names),
            E::Sub(a, b) => self.binary_tree(Operator::Sub, a, b, names),
            E::Mul(a, b) => self.binary_tree(Operator::Mul, a, b, names),
            E::Div(a, b) => self.binary_tree(Operator::Div, a, b, names),
            E::Pow(a, power) => ExprKind::Pow(self.boxed_tree(a, names), *power),
            E::Call(function, a) => ExprKind::Call(*function, self.boxed_tree(a, names)),
            E::Sum(vars, body) => self.reduce_tree(Reduction::Sum, vars, body, names),
            E::Max(vars, body) => self.reduce_tree(Reduction::Max, vars, body, names),
            E::If { comparison, left, right, then, otherwise } => {
                let comparison = match comparison {
                    statement::Comparison::Greater => Comparison::Greater,
                    statement::Comparison::GreaterOrEqual => Comparison::GreaterOrEqual,
                };
                ExprKind::If(Box::new(Choice {
                    comparison,
                    left: self.expr_tree(left, names),
                    right: self.expr_tree(right, names),
                    then: self.expr_tree(then, names),
                    otherwise: self.expr_tree(otherwise, names),
                }))
            }
        };
        Expr { kind, place: Place(expr.span) }
    }
    fn boxed_tree(&self, expr: &statement::Expr, names: &mut Names) -> Box<Expr> {
        Box::new(self.expr_tree(expr, names))
    }
    fn binary_tree(&self, operator: Operator, a: &statement::Expr, b: &statement::Expr, names: &mut Names) -> ExprKind {
        ExprKind::Binary(operator, self.boxed_tree(a, names), self.boxed_tree(b, names))
    }
    #[inline(never)]
    fn reduce_tree(&self, reduction: Reduction, vars: &[VarId], body: &statement::Expr, names: &mut Names) -> ExprKind {
        let outer = names.scope.len();
        vars.iter().for_each(|var| names.bind(self, *var));
        let binders = vars.iter().map(|var| self.binder_tree(*var, Some(body), names)).collect();
        let body = self.boxed_tree(body, names);
        names.scope.truncate(outer);
        ExprKind::Reduce(reduction, binders, body)
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.contract())
    }
}

/// The parts of an expression.
fn parts(expr: &statement::Expr) -> Vec<&statement::Expr> {
    use statement::ExprKind as E;
    match &expr.kind {
        E::Number(_) | E::Param(_) | E::Size(_) | E::Access(..) | E::Equal(..) => Vec::new(),
        E::Neg(a) | E::Pow(a, _) | E::Call(_, a) | E::Sum(_, a) | E::Max(_, a) => vec![a],
        E::Add(a, b) | E::Sub(a, b) | E::Mul(a, b) | E::Div(a, b) => vec![a, b],
        E::If { left, right, then, otherwise, .. } => vec![left, right, then, otherwise],
    }
}
fn reads(expr: &statement::Expr, which: &impl Fn(Tensor) -> bool) -> bool {
    matches!(&expr.kind, statement::ExprKind::Access(t, _) if which(*t))
        || parts(expr).into_iter().any(|part| reads(part, which))
}
fn index_variables(index: &Index, all: &mut Vec<VarId>) {
    match index {
        Index::Variable(var) => all.push(*var),
        Index::Map(_, arguments) => arguments.iter().for_each(|a| index_variables(a, all)),
    }
}
/// Whether some access or map in the expression tells the dimension of a variable.
fn tells(expr: &statement::Expr, var: VarId) -> bool {
    use statement::ExprKind as E;
    let among = |index: &Index| {
        let mut all = Vec::new();
        index_variables(index, &mut all);
        all.contains(&var)
    };
    let mapped = |index: &Index| matches!(index, Index::Map(..)) && among(index);
    match &expr.kind {
        E::Access(_, at) => at.iter().any(among),
        // `[at(i) == j]` tells both.
        E::Equal(p, q) => {
            mapped(p)
                || mapped(q)
                || (matches!(p, Index::Map(..)) && among(q))
                || (matches!(q, Index::Map(..)) && among(p))
        }
        _ => parts(expr).into_iter().any(|part| tells(part, var)),
    }
}
fn free_variables(expr: &statement::Expr, bound: &mut Vec<VarId>, free: &mut Vec<VarId>) {
    use statement::ExprKind as E;
    let mut used = Vec::new();
    match &expr.kind {
        E::Access(_, at) => at.iter().for_each(|i| index_variables(i, &mut used)),
        E::Equal(p, q) => {
            index_variables(p, &mut used);
            index_variables(q, &mut used);
        }
        _ => {}
    }
    for var in used {
        if !bound.contains(&var) && !free.contains(&var) {
            free.push(var);
        }
    }
    let outer = bound.len();
    if let E::Sum(vars, _) | E::Max(vars, _) = &expr.kind {
        bound.extend(vars);
    }
    parts(expr).into_iter().for_each(|part| free_variables(part, bound, free));
    bound.truncate(outer);
}

/// A rational as a literal, a negated one, or a quotient of two.
fn number_tree(value: &Rational, span: Span) -> Expr {
    let place = Place(span);
    let size = value.abs();
    let kind = match decimal(&size) {
        Some(number) => ExprKind::Number(number),
        None => {
            let integer = |n: &BigInt| {
                let number = Number::exact(n.to_string(), Rational::from(n.clone()));
                Box::new(Expr { kind: ExprKind::Number(number), place })
            };
            ExprKind::Binary(Operator::Div, integer(size.numer()), integer(size.denom()))
        }
    };
    let tree = Expr { kind, place };
    if value.is_negative() { Expr { kind: ExprKind::Neg(Box::new(tree)), place } } else { tree }
}
/// A nonnegative rational as a literal of the language, if it is one.
fn decimal(value: &Rational) -> Option<Number> {
    if value.is_zero() {
        return Number::new("0");
    }
    let (mut digits, mut denominator) = (value.numer().clone(), value.denom().clone());
    let (two, five, ten) = (BigInt::from(2), BigInt::from(5), BigInt::from(10));
    let mut exponent = 0_i32;
    while !denominator.is_one() {
        exponent -= 1;
        if exponent < -500 {
            return None;
        }
        let (has_two, has_five) = (denominator.is_multiple_of(&two), denominator.is_multiple_of(&five));
        match (has_two, has_five) {
            (true, true) => denominator /= &ten,
            (true, false) => {
                denominator /= &two;
                digits *= &five;
            }
            (false, true) => {
                denominator /= &five;
                digits *= &two;
            }
            (false, false) => return None,
        }
    }
    while (0..500).contains(&exponent) && digits.bits() > 64 && digits.is_multiple_of(&ten) {
        digits /= &ten;
        exponent += 1;
    }
    let text = digits.to_string();
    let number = match exponent {
        0 => text,
        -8..0 => {
            let places = exponent.unsigned_abs() as usize;
            let text = format!("{text:0>width$}", width = places + 1);
            let (whole, fraction) = text.split_at(text.len() - places);
            format!("{whole}.{fraction}")
        }
        _ => format!("{text}e{exponent}"),
    };
    Number::new(&number)
}
