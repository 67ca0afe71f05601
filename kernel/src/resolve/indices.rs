//! Index variables: scopes, and dimensions by unification.
//!
//! Two variables that must share a dimension are joined; a dimension found for one is found for both.
//! A clash names both places.

use super::{Resolver, Var};
use crate::diagnostics::nearest;
use crate::limits;
use crate::source::{Diagnostic, Name, Span};
use crate::statement::{DimId, Index, MapId, VarId};
use crate::syntax::{self, Binder, IndexKind};

impl Resolver<'_> {
    pub(super) fn root(&self, mut var: VarId) -> VarId {
        while let Some(parent) = self.vars[var.0 as usize].parent {
            var = parent;
        }
        var
    }
    fn var(&mut self, var: VarId) -> &mut Var {
        &mut self.vars[var.0 as usize]
    }
    /// A variable as it is written.
    pub(super) fn var_text(&self, var: VarId) -> String {
        let var = &self.vars[var.0 as usize];
        format!("{}{}", var.name, if var.pack { ".." } else { "" })
    }

    /// A fresh variable.
    pub(super) fn fresh(&mut self, name: Name, pack: bool, parent: Option<VarId>) -> VarId {
        if self.vars.len() >= limits::VARIABLES {
            self.too_many(limits::VARIABLES, "index variables", name.span);
            if !self.vars.is_empty() {
                return VarId(0);
            }
        }
        self.vars.push(Var { name, pack, parent, known: None, broken: false });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Binds a variable on the left side of a clause, where nothing is in scope but what stands before it there:
    /// a letter that stands twice asks for a diagonal.
    pub(super) fn bind_left(&mut self, binder: &Binder) -> VarId {
        let name = &binder.name;
        let letters = ["j", "k", "l", "p", "q"];
        let other = letters.into_iter().find(|l| *l != name.text && self.in_scope(l).is_none()).unwrap_or("r");
        self.bind_or(binder, || {
            format!(
                "a diagonal is written with two letters: `{other}` here, and `[{name} == {other}] * …` on the right"
            )
        })
    }
    /// Binds a variable in the scope at hand.
    pub(super) fn bind(&mut self, binder: &Binder) -> VarId {
        self.bind_or(binder, || "use another letter for one of them".to_owned())
    }
    fn bind_or(&mut self, binder: &Binder, help: impl FnOnce() -> String) -> VarId {
        if let Some(outer) = self.in_scope(&binder.name.text) {
            let first = self.vars[outer.0 as usize].name.span;
            self.sink.push(
                Diagnostic::new(
                    "E0246",
                    format!("the index variable `{}` is bound already", binder.name),
                    binder.name.span,
                    "bound again here",
                )
                .and(first, "bound here")
                .with_help(help()),
            );
        }
        let var = self.fresh(binder.name.clone(), binder.pack, None);
        self.scope.push(var);
        if let Some(dim) = &binder.dim {
            match self.dim(dim) {
                Some(id) => self.set(var, id, dim.name.span, || "written here".to_owned()),
                None => self.var(var).broken = true,
            }
        }
        var
    }
    pub(super) fn in_scope(&self, name: &str) -> Option<VarId> {
        self.scope.iter().rev().copied().find(|v| self.vars[v.0 as usize].name.text == name)
    }

    /// A variable ranges over a dimension, for a reason.
    pub(super) fn set(&mut self, var: VarId, dim: DimId, span: Span, why: impl FnOnce() -> String) {
        self.set_coded("E0251", var, dim, span, why);
    }
    pub(super) fn set_coded(
        &mut self,
        code: &'static str,
        var: VarId,
        dim: DimId,
        span: Span,
        why: impl FnOnce() -> String,
    ) {
        let root = self.root(var);
        if self.vars[root.0 as usize].broken {
            return;
        }
        let (pack, name) = (self.dims[dim.0 as usize].pack, self.var_text(var));
        let ours = self.vars[var.0 as usize].pack;
        if pack != ours {
            let axis = self.dim_text(dim);
            let bare = &self.vars[var.0 as usize].name;
            let (message, help) = if pack {
                (
                    format!("`{name}` is a plain index, and the pack `{axis}` stands here"),
                    format!("bind and use it as `{bare}..`"),
                )
            } else {
                (
                    format!("`{name}` is an index over a pack, and the single dimension `{axis}` stands here"),
                    format!("bind and use it as `{bare}`, without dots"),
                )
            };
            let diagnostic = Diagnostic::new("E0252", message, span, why());
            let diagnostic = diagnostic.and(self.dims[dim.0 as usize].name.span, "the dimension");
            self.sink.push(diagnostic.with_help(help));
            self.var(root).broken = true;
            return;
        }
        match &self.vars[root.0 as usize].known {
            None => {
                let why = why();
                self.var(root).known = Some((dim, span, why));
            }
            Some((known, _, _)) if *known == dim => {}
            Some((known, first, reason)) => {
                let message =
                    format!("`{name}` ranges over `{}` and over `{}`", self.dim_text(*known), self.dim_text(dim));
                let here = format!("`{}`: {}", self.dim_text(dim), why());
                let there = format!("`{}`: {reason}", self.dim_text(*known));
                let diagnostic = Diagnostic::new(code, message, span, here).and(*first, there);
                self.sink.push(
                    diagnostic.with_help("an index variable has one dimension: use another variable for one of them"),
                );
                self.var(root).broken = true;
            }
        }
    }

    /// A position stands where a dimension is.
    pub(super) fn require(&mut self, index: &Index, dim: DimId, span: Span, why: impl FnOnce() -> String) {
        match index {
            Index::Variable(var) => self.set(*var, dim, span, why),
            Index::Map(map, _) => {
                let map = &self.maps[map.0 as usize];
                if map.to != dim {
                    let message = format!(
                        "`{}(…)` is a position along `{}`, and `{}` stands here",
                        map.name,
                        self.dim_text(map.to),
                        self.dim_text(dim)
                    );
                    let here = format!("`{}`: {}", self.dim_text(dim), why());
                    let there = format!("`{}` ends in `{}`", map.name, self.dim_text(map.to));
                    let diagnostic = Diagnostic::new("E0251", message, span, here);
                    self.sink.push(diagnostic.and(map.name.span, there));
                }
            }
        }
    }

    /// Two positions lie along one dimension: `[p == q]`.
    pub(super) fn equate(&mut self, left: &Index, right: &Index, span: Span) {
        let why = || "compared with the other side of `==`".to_owned();
        match (left, right) {
            (Index::Variable(a), Index::Variable(b)) => {
                let (ra, rb) = (self.root(*a), self.root(*b));
                if ra == rb {
                    return;
                }
                match self.vars[ra.0 as usize].known.clone() {
                    // Joining keeps the dimension that one of them has.
                    Some((dim, _, reason)) => {
                        if self.vars[rb.0 as usize].known.is_some() {
                            return self.set(*b, dim, span, || format!("{reason}, and compared here"));
                        }
                        if self.same_form(*a, *b, span) {
                            self.var(rb).parent = Some(ra);
                        }
                    }
                    None => {
                        if self.same_form(*a, *b, span) {
                            let broken = self.vars[ra.0 as usize].broken;
                            self.var(ra).parent = Some(rb);
                            self.var(rb).broken |= broken;
                        }
                    }
                }
            }
            (Index::Variable(var), Index::Map(map, _)) | (Index::Map(map, _), Index::Variable(var)) => {
                let to = self.maps[map.0 as usize].to;
                self.set(*var, to, span, why);
            }
            (Index::Map(..), Index::Map(map, _)) => {
                let to = self.maps[map.0 as usize].to;
                self.require(left, to, span, why);
            }
        }
    }
    /// Both over a pack, or neither.
    fn same_form(&mut self, a: VarId, b: VarId, span: Span) -> bool {
        if self.vars[a.0 as usize].pack == self.vars[b.0 as usize].pack {
            return true;
        }
        let message = format!("`{}` and `{}` are not over the same axes", self.var_text(a), self.var_text(b));
        self.sink.push(
            Diagnostic::new("E0252", message, span, "a pack is compared with a single axis")
                .with_help("compare positions along one dimension"),
        );
        let (a, b) = (self.root(a), self.root(b));
        self.var(a).broken = true;
        self.var(b).broken = true;
        false
    }

    /// A map where it is used.
    pub(super) fn map(&mut self, name: &Name) -> Option<MapId> {
        if let Some(at) = self.maps.iter().position(|m| m.name == *name) {
            return Some(MapId(at as u32));
        }
        if self.broken_maps.contains(&name.text) {
            // Its declaration is reported.
            self.blind = true;
            return None;
        }
        let near = nearest(&name.text, self.maps.iter().map(|m| m.name.text.as_str()));
        self.sink.push(
            Diagnostic::new("E0243", format!("no index map is called `{name}`"), name.span, "unknown index map")
                .or_help(near, format!("declare it: `map {name}: m -> n`")),
        );
        None
    }
    pub(super) fn arity(&mut self, map: MapId, count: usize, span: Span) -> bool {
        let map = &self.maps[map.0 as usize];
        if map.from.len() == count {
            return true;
        }
        let takes = plural(map.from.len(), "argument");
        let diagnostic = Diagnostic::new(
            "E0254",
            format!("`{}` takes {takes}, found {count}", map.name),
            span,
            format!("{count} given"),
        );
        self.sink.push(diagnostic.and(map.name.span, "declared here"));
        false
    }

    /// A position in an access.
    pub(super) fn index(&mut self, index: &syntax::Index) -> Option<Index> {
        match &index.kind {
            IndexKind::Variable(name, pack) => {
                let Some(var) = self.in_scope(&name.text) else {
                    // One fault of a clause, however often the index is used there.
                    let unbound = (self.at, name.text.clone());
                    if self.unbound.contains(&unbound) {
                        return None;
                    }
                    self.unbound.push(unbound);
                    let scope: Vec<String> =
                        self.scope.iter().map(|v| self.vars[v.0 as usize].name.text.clone()).collect();
                    let near = nearest(&name.text, scope.iter().map(String::as_str));
                    let help = if self.dims.iter().any(|d| d.name == *name) {
                        format!(
                            "`{name}` is a dimension: an index over it is bound by `sum(i: {name})` or on the left side"
                        )
                    } else if self.maps.iter().any(|m| m.name == *name) {
                        format!("`{name}` is an index map: give it its argument, `{name}(i)`")
                    } else {
                        format!("bind it on the left side, or by `sum({name}{})`", if *pack { ".." } else { "" })
                    };
                    self.sink.push(
                        Diagnostic::new(
                            "E0244",
                            format!("the index variable `{name}` is not bound"),
                            name.span,
                            "not bound",
                        )
                        .or_help(near, help),
                    );
                    return None;
                };
                let bound = &self.vars[var.0 as usize];
                if bound.pack != *pack {
                    let written = self.var_text(var);
                    let (is, span) = (if bound.pack { "a pack" } else { "a single axis" }, bound.name.span);
                    let root = self.root(var);
                    if !self.vars[root.0 as usize].broken {
                        self.sink.push(
                            Diagnostic::new(
                                "E0252",
                                format!("`{name}` is an index over {is}"),
                                name.span,
                                "used otherwise here",
                            )
                            .and(span, "bound here")
                            .with_help(format!("write `{written}` in both places, or dots in both")),
                        );
                        self.var(root).broken = true;
                    }
                    return None;
                }
                Some(Index::Variable(var))
            }
            IndexKind::Map(name, arguments) => {
                let map = self.map(name);
                let arguments: Vec<Option<Index>> = arguments.iter().map(|a| self.index(a)).collect();
                let (map, arguments) = (map?, arguments.into_iter().collect::<Option<Vec<Index>>>()?);
                if !self.arity(map, arguments.len(), index.place.0) {
                    return None;
                }
                self.arguments(map, &arguments, index.place.0);
                Some(Index::Map(map, arguments))
            }
        }
    }
    /// The arguments of a map lie along its dimensions.
    pub(super) fn arguments(&mut self, map: MapId, arguments: &[Index], span: Span) {
        for (at, argument) in arguments.iter().enumerate() {
            let (dim, name) = (self.maps[map.0 as usize].from[at], self.maps[map.0 as usize].name.clone());
            self.require(argument, dim, span, || format!("argument {} of `{name}`", at + 1));
        }
    }

    /// Every variable from `first` on has a dimension by now. After another error (there were `before`
    /// of them) it may be missing for that reason only, and nothing is said.
    pub(super) fn settle(&mut self, first: usize, before: usize) {
        if self.sink.len() > before || self.blind {
            return;
        }
        for at in first..self.vars.len() {
            let root = self.root(VarId(at as u32));
            let var = &self.vars[root.0 as usize];
            if var.known.is_some() || var.broken {
                continue;
            }
            let (name, span) = (self.var_text(VarId(at as u32)), self.vars[at].name.span);
            let pack = self.vars[at].pack;
            let fitting = (0..self.dims.len()).filter(|d| self.dims[*d].pack == pack);
            let fitting: Vec<String> = fitting.map(|d| self.dim_text(DimId(d as u32))).collect();
            let help = match fitting.as_slice() {
                [] => format!("write `{name}: n`, with a dimension `n`"),
                [one] => format!("write `{name}: {one}`"),
                [first, ..] => {
                    format!("write `{name}: {first}`, or whichever it is of `{}`", fitting.join("`, `"))
                }
            };
            self.sink.push(
                Diagnostic::new(
                    "E0253",
                    format!("nothing tells what `{name}` ranges over"),
                    span,
                    "no access has it as an index",
                )
                .with_help(help),
            );
            self.var(root).broken = true;
        }
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
