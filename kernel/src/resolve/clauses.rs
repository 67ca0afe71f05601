//! Clauses and conditions in order; left sides, coverage, and whether the rule is complete.

use super::expressions::{axis_count, index_count};
use super::{Building, Phase, Resolver, What};
use crate::diagnostics::nearest;
use crate::source::{Diagnostic, Name, Span};
use crate::statement::{Clause, Condition, DimId, Index, Local, LocalKind, MapKind, Named, Tensor, Values, VarId};
use crate::syntax::{self, Binder, IndexKind, ItemKind, Target};

/// Which list a clause belongs to.
#[derive(Clone, Copy)]
enum Kind {
    Output(usize),
    Gradient(usize),
}

impl Resolver<'_> {
    /// Every clause and condition, in order.
    pub(super) fn clauses(&mut self) {
        let contract = self.contract;
        self.gradients = self
            .inputs
            .iter()
            .map(|input| Building {
                name: Name { text: format!("d{}", input.name), span: input.name.span },
                axes: Some(input.axes.clone()),
                first: input.name.span,
                clauses: Vec::new(),
                broken: self.values.get(&input.name.text).is_none_or(|v| v.axes.is_none()),
            })
            .collect();
        for (at, item) in contract.items.iter().enumerate() {
            if self.stopped {
                return;
            }
            self.at = at;
            let backward = self.backward[at];
            match &item.kind {
                ItemKind::Where(conditions) => conditions.iter().for_each(|c| self.condition(c)),
                ItemKind::Let(clause) => self.local(LocalKind::Let, clause, backward),
                ItemKind::Any(clause) if !backward => self.local(LocalKind::Any, clause, false),
                ItemKind::Output(clause) if !backward => self.output(clause),
                ItemKind::Gradient(clause) => self.gradient(clause),
                _ => {}
            }
        }
        self.at = contract.items.len();
        let declared = contract.items.iter().find_map(|item| match &item.kind {
            ItemKind::Declares { named, written, .. } => Some((named, *written)),
            _ => None,
        });
        if let Some((named, written)) = declared {
            let named: Vec<Named> = named.iter().filter_map(|n| self.named(n)).collect();
            if let Some(declaration) = &mut self.declaration {
                declaration.values = if written { Values::AsWritten } else { Values::Named(named) };
            }
        }
    }

    /// `at left == right: dx[…] = value`.
    fn named(&mut self, named: &syntax::Named) -> Option<Named> {
        let first = self.begin(Phase::Forward);
        let before = self.sink.len();
        let clause = &named.clause;
        let name = &clause.name;
        let Some(gradient) = self.gradients.iter().position(|g| g.name == *name) else {
            self.no_cotangent(name);
            return None;
        };
        self.few(clause.at.len(), "indices", name.span);
        let mut free = Vec::new();
        free_in_expr(&named.left, &mut Vec::new(), &mut free);
        free_in_expr(&named.right, &mut Vec::new(), &mut free);
        for target in &clause.at {
            match target {
                Target::Binder(binder) if !free.iter().any(|f| f.name == binder.name) => free.push(binder.clone()),
                _ => {}
            }
        }
        let vars: Vec<VarId> = free.iter().map(|binder| self.bind(binder)).collect();
        let at: Vec<Option<Index>> = clause
            .at
            .iter()
            .map(|target| match target {
                Target::Binder(binder) => self.in_scope(&binder.name.text).map(Index::Variable),
                Target::Map(name, _) => {
                    self.sink.push(
                        Diagnostic::new(
                            "E0256",
                            "a map on the left side of what is named at a boundary",
                            name.span,
                            "only index variables stand here",
                        )
                        .with_help("name the boundary for all of the tensor"),
                    );
                    None
                }
            })
            .collect();
        let (axes, origin) = (self.gradients[gradient].axes.clone(), self.gradients[gradient].first);
        self.blind |= self.gradients[gradient].broken;
        if let Some(axes) = axes.filter(|_| !self.blind) {
            self.agree(name, &axes, &at, clause, origin, Kind::Gradient(gradient));
        }
        let (left, right) = (self.expr(&named.left), self.expr(&named.right));
        self.phase = Phase::Backward;
        let value = self.expr(&clause.value);
        self.settle(first, before);
        let at = at.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Named { vars, left, right, gradient: gradient as u32, at, value, span: clause.place.0 })
    }

    fn begin(&mut self, phase: Phase) -> usize {
        self.phase = phase;
        self.reads_any = false;
        self.in_any = false;
        self.blind = false;
        self.scope.clear();
        self.vars.len()
    }

    /// `where`: its index variables are those that no sum binds.
    fn condition(&mut self, condition: &syntax::Condition) {
        let first = self.begin(Phase::Where);
        let mut free = Vec::new();
        free_in_expr(&condition.value, &mut Vec::new(), &mut free);
        let vars: Vec<VarId> = free.iter().map(|binder| self.bind(binder)).collect();
        let before = self.sink.len();
        let value = self.expr(&condition.value);
        self.settle(first, before);
        self.wheres.push(Condition { vars, sign: condition.sign, value, written: true });
    }

    /// A `let` or an `any`.
    fn local(&mut self, kind: LocalKind, clause: &syntax::Clause, backward: bool) {
        let first = self.begin(if backward { Phase::Backward } else { Phase::Forward });
        self.in_any = kind == LocalKind::Any;
        let before = self.sink.len();
        self.few(clause.at.len(), "indices", clause.name.span);
        let mut vars = Vec::new();
        for target in &clause.at {
            match target {
                Target::Binder(binder) => vars.push(self.bind_left(binder)),
                Target::Map(name, binders) => {
                    vars.extend(binders.iter().map(|b| self.bind_left(b)));
                    let word = if kind == LocalKind::Any { "any" } else { "let" };
                    self.sink.push(
                        Diagnostic::new(
                            "E0256",
                            format!("a map on the left side of `{word}`"),
                            name.span,
                            "only index variables stand here",
                        )
                        .with_help("bijections and parts of splits stand on the left of outputs and cotangents only"),
                    );
                }
            }
        }
        let value = self.expr(&clause.value);
        self.settle(first, before);
        let broken = self.sink.len() > before || self.blind;
        let local = Local { kind, name: clause.name.clone(), vars, value };
        let axes: Vec<DimId> = local.vars.iter().map(|v| self.dim_found(*v)).collect();
        if backward {
            self.backward_locals.push(Some(local));
        } else {
            self.locals.push(Some(local));
        }
        let (at, reads_any) = (self.at, self.reads_any);
        if let Some(entry) = self.values.get_mut(&clause.name.text)
            && entry.ready == Some(at)
        {
            entry.any = kind == LocalKind::Any || reads_any;
            // With an error in it, what its axes are is not known, and no use of it is an error.
            entry.axes = (!broken).then_some(axes);
        }
    }
    /// The dimension that a variable was found to have.
    fn dim_found(&self, var: VarId) -> DimId {
        let root = self.root(var);
        self.vars[root.0 as usize].known.as_ref().map_or(DimId(0), |k| k.0)
    }

    fn output(&mut self, clause: &syntax::Clause) {
        // Otherwise the name belongs to something else, and that is reported.
        let value = self.values.get(&clause.name.text);
        if let Some(What::Tensor(Tensor::Output(at))) = value.map(|v| v.what) {
            self.clause(clause, Phase::Forward, Kind::Output(at as usize));
        }
    }

    fn gradient(&mut self, clause: &syntax::Clause) {
        let name = &clause.name;
        let input = self.gradients.iter().position(|g| g.name == *name);
        match input {
            Some(at) => self.clause(clause, Phase::Backward, Kind::Gradient(at)),
            None => self.no_cotangent(name),
        }
    }
    fn no_cotangent(&mut self, name: &Name) {
        let known = self.gradients.iter().map(|g| g.name.text.as_str());
        let near = nearest(&name.text, known);
        let (message, help) = match self.values.get(&name.text).map(|v| v.what) {
            Some(What::Tensor(Tensor::Output(_))) => {
                (format!("`{name}` is an output"), "every clause of an output begins with `output`".to_owned())
            }
            Some(What::Tensor(Tensor::Cotangent(_))) => (
                format!("`{name}` is the cotangent of an output, which is given"),
                "a rule defines the cotangents of the inputs".to_owned(),
            ),
            Some(What::Broken) => (
                format!("`{name}` is the cotangent of no input"),
                format!("write `output {name}[…] = …` or `let {name}[…] = …`, or `dx[…] = …` for an input `x`"),
            ),
            Some(_) => (
                format!("`{name}` is declared elsewhere"),
                "a rule defines the cotangents of the inputs, `dx` of the input `x`".to_owned(),
            ),
            None => {
                let constant = name.text.strip_prefix('d');
                let constant = constant.filter(|c| self.constants.iter().any(|t| t.name.text == **c));
                if let Some(constant) = constant {
                    (
                        format!("`{constant}` is a constant and has no cotangent"),
                        format!("declare it as `input {constant}` to differentiate it"),
                    )
                } else {
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!(
                            "write `output {name}[…] = …` or `let {name}[…] = …`, or `dx[…] = …` for an input `x`"
                        ),
                    };
                    (format!("`{name}` is the cotangent of no input"), help)
                }
            }
        };
        self.sink.push(Diagnostic::new("E0271", message, name.span, "defined here").with_help(help));
    }

    fn building(&mut self, kind: Kind) -> &mut Building {
        match kind {
            Kind::Output(at) => &mut self.outputs[at],
            Kind::Gradient(at) => &mut self.gradients[at],
        }
    }

    /// One clause of an output or a cotangent.
    fn clause(&mut self, clause: &syntax::Clause, phase: Phase, kind: Kind) {
        let first = self.begin(phase);
        let before = self.sink.len();
        let name = &clause.name;
        self.few(clause.at.len(), "indices", name.span);
        let at: Vec<Option<Index>> = clause.at.iter().map(|target| self.target(target)).collect();
        let vars = self.scope.clone();
        let (known, origin, broken) = {
            let building = self.building(kind);
            (building.axes.clone(), building.first, building.broken)
        };
        // The axes of a cotangent are its input's; a later clause has those of the first.
        self.blind |= broken;
        if let Some(axes) = known.as_ref().filter(|_| !broken) {
            self.agree(name, axes, &at, clause, origin, kind);
        }
        let value = self.expr(&clause.value);
        self.settle(first, before);
        let failed = self.sink.len() > before || self.blind;
        let axes: Vec<DimId> = at
            .iter()
            .flatten()
            .map(|index| match index {
                Index::Variable(var) => self.dim_found(*var),
                Index::Map(map, _) => self.maps[map.0 as usize].to,
            })
            .collect();
        let at: Option<Vec<Index>> = at.into_iter().collect();
        let building = self.building(kind);
        building.broken = broken || failed;
        if let (Some(at), false) = (at, failed) {
            if known.is_none() {
                building.axes = Some(axes);
                building.first = name.span;
            }
            building.clauses.push(Clause { vars, at, value, span: clause.place.0 });
        }
    }
    /// A clause has the axes that its tensor is known to have.
    fn agree(
        &mut self,
        name: &Name,
        axes: &[DimId],
        at: &[Option<Index>],
        clause: &syntax::Clause,
        origin: Span,
        kind: Kind,
    ) {
        if axes.len() != at.len() {
            match kind {
                Kind::Gradient(input) => {
                    let input = self.inputs[input].name.clone();
                    let shape: Vec<String> = axes.iter().map(|a| self.dim_text(*a)).collect();
                    let words = format!("the axes of `{input}` are [{}]", shape.join(", "));
                    self.sink.push(
                        Diagnostic::new(
                            "E0250",
                            format!(
                                "`{name}` has {} like `{input}`, found {}",
                                axis_count(axes.len()),
                                index_count(at.len())
                            ),
                            name.span,
                            "defined with other axes here",
                        )
                        .and(input.span, words),
                    );
                }
                Kind::Output(_) => self.sink.push(
                    Diagnostic::new(
                        "E0259",
                        format!(
                            "`{name}` has {} in one clause and {} in another",
                            axis_count(axes.len()),
                            axis_count(at.len())
                        ),
                        name.span,
                        format!("{} here", axis_count(at.len())),
                    )
                    .and(origin, format!("{} here", axis_count(axes.len()))),
                ),
            }
            return;
        }
        for (n, (index, axis)) in at.iter().zip(axes).enumerate() {
            let Some(index) = index else { continue };
            let span = match &clause.at[n] {
                Target::Binder(binder) => binder.name.span,
                Target::Map(map, _) => map.span,
            };
            let why = || match kind {
                Kind::Gradient(_) => format!("axis {} of `{name}`", n + 1),
                Kind::Output(_) => format!("axis {} of `{name}` in its first clause", n + 1),
            };
            match (kind, index) {
                (Kind::Output(_), Index::Map(map, _)) if self.maps[map.0 as usize].to != *axis => {
                    let (is, was) = (self.dim_text(self.maps[map.0 as usize].to), self.dim_text(*axis));
                    self.sink.push(
                        Diagnostic::new(
                            "E0259",
                            format!("axis {} of `{name}` is `{was}` in one clause and `{is}` in another", n + 1),
                            span,
                            format!("`{is}` here"),
                        )
                        .and(origin, format!("`{was}` here")),
                    );
                }
                (Kind::Output(_), Index::Variable(var)) => self.set_coded("E0259", *var, *axis, span, why),
                _ => self.require(index, *axis, span, why),
            }
        }
    }

    /// A position on the left side.
    fn target(&mut self, target: &Target) -> Option<Index> {
        match target {
            Target::Binder(binder) => Some(Index::Variable(self.bind_left(binder))),
            Target::Map(name, binders) => {
                let vars: Vec<VarId> = binders.iter().map(|b| self.bind_left(b)).collect();
                let Some(map) = self.map(name) else {
                    vars.iter().for_each(|v| self.vars[v.0 as usize].broken = true);
                    return None;
                };
                let kind = self.maps[map.0 as usize].kind;
                if matches!(kind, MapKind::Total | MapKind::Partial) {
                    let declared = self.maps[map.0 as usize].name.span;
                    let word = if kind == MapKind::Total { "a map" } else { "a partial map" };
                    self.sink.push(
                        Diagnostic::new(
                            "E0256",
                            format!("`{name}` is {word}: it need not reach every position"),
                            name.span,
                            "on the left side",
                        )
                        .and(declared, "declared here")
                        .with_help(format!(
                            "write `sum(p) [{name}(p) == i] * …` on the right, or declare a `bijection` or a `split`"
                        )),
                    );
                }
                if !self.arity(map, vars.len(), name.span) {
                    vars.iter().for_each(|v| self.vars[v.0 as usize].broken = true);
                    return None;
                }
                let arguments: Vec<Index> = vars.into_iter().map(Index::Variable).collect();
                self.arguments(map, &arguments, name.span);
                Some(Index::Map(map, arguments))
            }
        }
    }

    /// What can be said of the whole only.
    pub(super) fn finish(&mut self) {
        if self.stopped {
            return;
        }
        let name = self.contract.name.clone();
        if self.outputs.is_empty() {
            // An `output` that is misplaced is reported as that.
            let any = self.contract.items.iter().any(|i| matches!(i.kind, ItemKind::Output(_)));
            if !any && self.unkeyed.is_empty() {
                self.sink.push(
                    Diagnostic::new("E0261", format!("`{name}` has no output"), name.span, "this statement")
                        .with_help("write `output y[…] = …`"),
                );
            }
        }
        self.complete_rule();
        for at in 0..self.outputs.len() {
            self.cover(Kind::Output(at));
        }
        for at in 0..self.gradients.len() {
            self.cover(Kind::Gradient(at));
        }
        // After another error it may be unused for that reason only.
        let whole = self.sink.len() == 0;
        for (at, used) in self.dim_used.clone().into_iter().enumerate() {
            if !used && whole {
                let dim = self.dim_text(DimId(at as u32));
                let span = self.dims[at].name.span;
                self.sink.push(
                    Diagnostic::new("E0247", format!("nothing uses the dimension `{dim}`"), span, "declared here")
                        .with_help("leave it out"),
                );
            }
        }
        // Nothing is left open: whatever was not determined is an error, known or not.
        self.blind = false;
        self.settle(0, 0);
        if let (Some((span, what)), None) = (self.nonsmooth, &self.declaration) {
            self.sink.push(
                Diagnostic::new(
                    "E0266",
                    format!("{what} is not smooth, and `{name}` does not say what its rule means there"),
                    span,
                    "not differentiable everywhere",
                )
                .with_help(
                    "add `declares subgradient` where the rule is that of a side or between them, \
                     `declares convention at … == 0: dx[…] = …` where it is something else, or `surrogate`, `unproved`; \
                     `any` if the value is there for numerical range only",
                ),
            );
        }
    }

    /// A rule gives the cotangent of every input, or there is none.
    fn complete_rule(&mut self) {
        let contract = self.contract;
        let rule = contract
            .items
            .iter()
            .zip(&self.backward)
            .find(|(item, backward)| **backward && matches!(item.kind, ItemKind::Gradient(_) | ItemKind::Let(_)));
        let Some((item, _)) = rule else {
            self.gradients.clear();
            return;
        };
        let place = item.place.0;
        for at in 0..self.gradients.len() {
            let gradient = &self.gradients[at];
            if !gradient.clauses.is_empty() || gradient.broken {
                continue;
            }
            let (cotangent, input) = (gradient.name.text.clone(), self.inputs[at].name.clone());
            // A clause under a misspelt name is reported; this would say the same again.
            let misspelt = contract.items.iter().any(|i| match &i.kind {
                ItemKind::Gradient(c) => {
                    !self.gradients.iter().any(|g| g.name == c.name)
                        && nearest(&c.name.text, [cotangent.as_str()]).is_some()
                }
                _ => false,
            });
            if misspelt {
                continue;
            }
            self.sink.push(
                Diagnostic::new(
                    "E0262",
                    format!("the rule leaves out the cotangent of `{input}`"),
                    input.span,
                    format!("no clause defines `{cotangent}`"),
                )
                .and(place, "the rule begins here")
                .with_help(format!("add `{cotangent}[…] = …`, or remove the rule to have it derived")),
            );
        }
    }

    /// The clauses of a tensor cover it without meeting.
    fn cover(&mut self, kind: Kind) {
        let building = match kind {
            Kind::Output(at) => self.outputs.get(at),
            Kind::Gradient(at) => self.gradients.get(at),
        };
        let Some(building) = building else { return };
        if building.broken || building.clauses.is_empty() {
            return;
        }
        let name = building.name.clone();
        // For each clause and axis, the part of a split that stands there, if one does.
        let cells: Vec<Vec<Option<u32>>> =
            building.clauses.iter().map(|clause| clause.at.iter().map(|index| self.part(index)).collect()).collect();
        let spans: Vec<Span> = building.clauses.iter().map(|c| c.span).collect();
        for a in 0..cells.len() {
            for b in a + 1..cells.len() {
                let meet = cells[a].iter().zip(&cells[b]).all(|(p, q)| p.is_none() || q.is_none() || p == q);
                if meet {
                    self.sink.push(
                        Diagnostic::new(
                            "E0258",
                            format!("two clauses define the same part of `{name}`"),
                            spans[b],
                            "again here",
                        )
                        .and(spans[a], "first here")
                        .with_help("give the tensor one clause, or one for each part of a split"),
                    );
                    return;
                }
            }
        }
        let rank = cells[0].len();
        // How many parts each axis has, where some clause stands at a part of it.
        let parts: Vec<Option<Vec<String>>> = (0..rank)
            .map(|axis| {
                let at = cells.iter().position(|cell| cell[axis].is_some())?;
                let split = self.split_of(kind, at, axis)?;
                let names = self.splits[split as usize].parts.iter();
                Some(names.map(|m| self.maps[m.0 as usize].name.text.clone()).collect())
            })
            .collect();
        let all: Vec<&[Option<u32>]> = cells.iter().map(Vec::as_slice).collect();
        let Some(missing) = missing(&all, &parts, 0) else { return };
        let place: Vec<String> = missing
            .iter()
            .enumerate()
            .map(|(axis, part)| match (part, &parts[axis]) {
                (Some(part), Some(names)) => format!("{}(…)", names[*part as usize]),
                _ => "…".to_owned(),
            })
            .collect();
        let place = format!("{name}[{}]", place.join(", "));
        let mut diagnostic = Diagnostic::new(
            "E0257",
            format!("no clause defines `{place}`"),
            spans[0],
            format!("the clauses of `{name}` leave it out"),
        );
        for span in &spans[1..] {
            diagnostic = diagnostic.and(*span, "and this one");
        }
        let word = if matches!(kind, Kind::Output(_)) { "output " } else { "" };
        self.sink.push(diagnostic.with_help(format!("add `{word}{place} = …`")));
    }
    fn part(&self, index: &Index) -> Option<u32> {
        match index {
            Index::Map(map, _) => match self.maps[map.0 as usize].kind {
                MapKind::Part { part, .. } => Some(part),
                _ => None,
            },
            Index::Variable(_) => None,
        }
    }
    fn split_of(&mut self, kind: Kind, clause: usize, axis: usize) -> Option<u32> {
        let index = self.building(kind).clauses[clause].at[axis].clone();
        match index {
            Index::Map(map, _) => match self.maps[map.0 as usize].kind {
                MapKind::Part { split, .. } => Some(split),
                _ => None,
            },
            Index::Variable(_) => None,
        }
    }
}

/// A cell that none of these clauses, which do not meet, covers: from `axis` on, by going where the
/// clauses count fewer cells than there are.
fn missing(cells: &[&[Option<u32>]], parts: &[Option<Vec<String>>], axis: usize) -> Option<Vec<Option<u32>>> {
    use num_bigint::BigUint;
    let size = |axis: usize| parts[axis].as_ref().map_or(1, Vec::len);
    let total = |from: usize| (from..parts.len()).map(|a| BigUint::from(size(a))).product::<BigUint>();
    let covered = |cells: &[&[Option<u32>]], from: usize| {
        cells
            .iter()
            .map(|cell| {
                (from..parts.len()).filter(|a| cell[*a].is_none()).map(|a| BigUint::from(size(a))).product::<BigUint>()
            })
            .sum::<BigUint>()
    };
    if covered(cells, axis) == total(axis) {
        return None;
    }
    let mut cells: Vec<&[Option<u32>]> = cells.to_vec();
    let mut place = vec![None; axis];
    for axis in axis..parts.len() {
        let Some(names) = &parts[axis] else {
            place.push(None);
            continue;
        };
        let here = |part: u32| -> Vec<&[Option<u32>]> {
            cells.iter().copied().filter(|c| c[axis].is_none_or(|p| p == part)).collect()
        };
        let open = (0..names.len() as u32).find(|part| covered(&here(*part), axis + 1) != total(axis + 1));
        let part = open?;
        cells = here(part);
        place.push(Some(part));
    }
    Some(place)
}

/// The index variables that no sum binds, in order of appearance. `bound` are those in scope.
fn free_in_expr(expr: &syntax::Expr, bound: &mut Vec<String>, free: &mut Vec<Binder>) {
    use syntax::ExprKind as E;
    match &expr.kind {
        E::Number(_) | E::Size(_) => {}
        E::Access(_, indices) => indices.iter().for_each(|i| free_in_index(i, bound, free)),
        E::Equal(p, q) => {
            free_in_index(p, bound, free);
            free_in_index(q, bound, free);
        }
        E::Neg(a) | E::Pow(a, _) | E::Call(_, a) | E::Abs(a) => free_in_expr(a, bound, free),
        E::Binary(_, a, b) | E::Extremum(_, a, b) => {
            free_in_expr(a, bound, free);
            free_in_expr(b, bound, free);
        }
        E::Reduce(_, binders, body) => {
            let outer = bound.len();
            bound.extend(binders.iter().map(|b| b.name.text.clone()));
            free_in_expr(body, bound, free);
            bound.truncate(outer);
        }
        E::If(choice) => {
            for part in [&choice.left, &choice.right, &choice.then, &choice.otherwise] {
                free_in_expr(part, bound, free);
            }
        }
    }
}
fn free_in_index(index: &syntax::Index, bound: &[String], free: &mut Vec<Binder>) {
    match &index.kind {
        IndexKind::Variable(name, pack) => {
            let known = bound.contains(&name.text) || free.iter().any(|b| b.name == *name);
            if !known {
                free.push(Binder { name: name.clone(), pack: *pack, dim: None });
            }
        }
        IndexKind::Map(_, arguments) => arguments.iter().for_each(|a| free_in_index(a, bound, free)),
    }
}
