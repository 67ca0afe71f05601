//! Dimensions, parameters, maps, tensors: which names exist, and from where on they may be read.

use super::{Resolver, Value, What, clause_of};
use crate::diagnostics::nearest;
use crate::limits;
use crate::source::{Diagnostic, Name, Span};
use crate::statement::{
    Declaration, Dim, DimId, Map, MapId, MapKind, Param, ParamId, Split, Tensor, TensorDecl, Values,
};
use crate::syntax::{self, DimRef, ItemKind, MapWord};

impl Resolver<'_> {
    /// Everything that is declared, in an order in which each part finds what it needs.
    pub(super) fn declare(&mut self) {
        let contract = self.contract;
        self.count();
        if self.stopped {
            return;
        }
        for item in &contract.items {
            if let ItemKind::Dims(dims) = &item.kind {
                dims.iter().for_each(|dim| self.declare_dim(dim));
            }
        }
        let cotangents: Vec<String> = contract
            .items
            .iter()
            .flat_map(|item| match &item.kind {
                ItemKind::Inputs(list) | ItemKind::Constants(list) => list.as_slice(),
                _ => &[],
            })
            .map(|tensor| format!("d{}", tensor.name))
            .collect();
        let mut begun: Option<Span> = None;
        for (at, item) in contract.items.iter().enumerate() {
            let rule = match &item.kind {
                ItemKind::Saves(_) => true,
                // Otherwise it is a definition without its keyword, which is reported as that.
                ItemKind::Gradient(clause) => {
                    let name = &clause.name.text;
                    let rule = cotangents.contains(name)
                        || (name.starts_with('d') && nearest(name, cotangents.iter().map(String::as_str)).is_some());
                    if !rule {
                        self.unkeyed.push(clause.name.text.clone());
                    }
                    rule
                }
                _ => false,
            };
            if rule && begun.is_none() {
                begun = Some(item.place.0);
            }
            self.backward.push(begun.is_some());
            self.declare_item(at, &item.kind, item.place.0, begun);
        }
        for item in &contract.items {
            if let ItemKind::Gradient(clause) = &item.kind
                && self.unkeyed.contains(&clause.name.text)
                && !self.values.contains_key(&clause.name.text)
            {
                self.broken_names(&clause.name);
            }
        }
        self.cotangents();
        for item in &contract.items {
            if let ItemKind::Saves(names) = &item.kind {
                names.iter().for_each(|name| self.save(name));
            }
        }
    }

    /// The limits that need no look-up.
    fn count(&mut self) {
        let contract = self.contract;
        let (mut dims, mut params, mut maps, mut tensors, mut clauses) = (0, 0, 0, 0, 0);
        for item in &contract.items {
            let span = item.place.0;
            match &item.kind {
                ItemKind::Dims(list) => dims += list.len(),
                ItemKind::Param { .. } => params += 1,
                ItemKind::Maps(_, list) => maps += list.len(),
                ItemKind::Split { parts, .. } => maps += parts.len(),
                ItemKind::Inputs(list) | ItemKind::Constants(list) => tensors += list.len(),
                ItemKind::Where(list) => clauses += list.len(),
                ItemKind::Let(_) | ItemKind::Any(_) | ItemKind::Output(_) => {
                    tensors += 1;
                    clauses += 1;
                }
                ItemKind::Gradient(_) => clauses += 1,
                ItemKind::Saves(_) | ItemKind::Declares { .. } => {}
            }
            for (count, limit, what) in [
                (dims, limits::DIMS, "dimensions"),
                (params, limits::PARAMS, "parameters"),
                (maps, limits::MAPS, "index maps"),
                (tensors, limits::TENSORS, "tensors"),
                (clauses, limits::CLAUSES, "clauses"),
            ] {
                if count > limit {
                    self.too_many(limit, what, span);
                    return;
                }
            }
        }
    }

    fn declare_dim(&mut self, dim: &DimRef) {
        if let Some(first) = self.dims.iter().find(|d| d.name == dim.name) {
            let first = first.name.span;
            self.twice("dimension", &dim.name, first);
            return;
        }
        self.dims.push(Dim { name: dim.name.clone(), pack: dim.pack });
        self.dim_used.push(false);
    }

    fn twice(&mut self, what: &str, name: &Name, first: Span) {
        self.sink.push(
            Diagnostic::new("E0240", format!("the {what} `{name}` is declared twice"), name.span, "again here")
                .and(first, "first here")
                .with_help("give one of them another name"),
        );
    }

    /// A dimension where it is used.
    pub(super) fn dim(&mut self, dim: &DimRef) -> Option<DimId> {
        let Some(at) = self.dims.iter().position(|d| d.name == dim.name) else {
            let name = &dim.name;
            let near = nearest(&name.text, self.dims.iter().map(|d| d.name.text.as_str()));
            self.sink.push(
                Diagnostic::new("E0242", format!("no dimension is called `{name}`"), name.span, "unknown dimension")
                    .or_help(near, format!("declare it: `dims {name}{}`", if dim.pack { ".." } else { "" })),
            );
            return None;
        };
        self.dim_used[at] = true;
        let declared = &self.dims[at];
        if declared.pack != dim.pack {
            let (is, help) = if declared.pack {
                ("a pack of axes", format!("write `{}..`", dim.name))
            } else {
                ("a single dimension", format!("write `{}`", dim.name))
            };
            self.sink.push(
                Diagnostic::new("E0252", format!("`{}` is {is}", dim.name), dim.name.span, "used otherwise here")
                    .and(declared.name.span, "declared here")
                    .with_help(help),
            );
            return None;
        }
        Some(DimId(at as u32))
    }

    /// A dimension as it is written.
    pub(super) fn dim_text(&self, dim: DimId) -> String {
        let dim = &self.dims[dim.0 as usize];
        format!("{}{}", dim.name, if dim.pack { ".." } else { "" })
    }

    fn declare_item(&mut self, at: usize, item: &ItemKind, span: Span, begun: Option<Span>) {
        match item {
            ItemKind::Dims(_) | ItemKind::Where(_) | ItemKind::Saves(_) | ItemKind::Gradient(_) => {}
            ItemKind::Param { name, sign } => {
                let id = ParamId(self.params.len() as u32);
                self.params.push(Param { name: name.clone(), sign: *sign });
                self.value(name, What::Param(id), None, Some(Vec::new()));
            }
            ItemKind::Maps(word, maps) => maps.iter().for_each(|map| self.declare_map(*word, map)),
            ItemKind::Split { parts, whole } => self.declare_split(parts, whole, span),
            ItemKind::Inputs(list) => {
                for tensor in list {
                    let id = Tensor::Input(self.inputs.len() as u32);
                    let axes = self.axes(tensor);
                    let decl = TensorDecl { name: tensor.name.clone(), axes: axes.clone().unwrap_or_default() };
                    self.inputs.push(decl);
                    self.value(&tensor.name, What::Tensor(id), None, axes);
                }
            }
            ItemKind::Constants(list) => {
                for tensor in list {
                    let id = Tensor::Constant(self.constants.len() as u32);
                    let axes = self.axes(tensor);
                    let decl = TensorDecl { name: tensor.name.clone(), axes: axes.clone().unwrap_or_default() };
                    self.constants.push(decl);
                    self.value(&tensor.name, What::Tensor(id), None, axes);
                }
            }
            ItemKind::Let(clause) if begun.is_some() => {
                let id = Tensor::BackwardLocal(self.backward_count);
                self.backward_count += 1;
                self.value(&clause.name, What::Tensor(id), Some(at), None);
            }
            ItemKind::Any(_) | ItemKind::Output(_) if begun.is_some() => {
                let word = if matches!(item, ItemKind::Any(_)) { "any" } else { "output" };
                let mut diagnostic = Diagnostic::new(
                    "E0265",
                    format!("`{word}` belongs to the forward formula"),
                    span,
                    "this stands after the rule has begun",
                )
                .with_help("move it above `saves` and the first clause of the rule");
                if let Some(begun) = begun {
                    diagnostic = diagnostic.and(begun, "the rule begins here");
                }
                self.sink.push(diagnostic);
                if let Some(clause) = clause_of(item) {
                    self.broken_names(&clause.name);
                }
            }
            ItemKind::Let(clause) | ItemKind::Any(clause) => {
                let id = Tensor::Local(self.local_count);
                self.local_count += 1;
                self.value(&clause.name, What::Tensor(id), Some(at), None);
            }
            ItemKind::Output(clause) => self.declare_output(at, &clause.name),
            ItemKind::Declares { label, text, .. } => {
                if let Some(first) = &self.declaration {
                    let first = first.span;
                    self.sink.push(
                        Diagnostic::new("E0240", "`declares` stands twice", span, "again here")
                            .and(first, "first here")
                            .with_help("a statement declares one thing: join the texts"),
                    );
                    return;
                }
                let values = Values::Named(Vec::new());
                self.declaration = Some(Declaration { label: *label, values, text: text.clone(), span });
            }
        }
    }

    /// A name and its cotangent are known all the same, so that their uses are not errors as well.
    pub(super) fn broken_names(&mut self, name: &Name) {
        for text in [name.text.clone(), format!("d{name}")] {
            let value = Value { what: What::Broken, span: name.span, ready: None, axes: None, any: false };
            self.values.entry(text).or_insert(value);
        }
    }

    /// An output has as many clauses as it needs, and may be read after the last.
    fn declare_output(&mut self, at: usize, name: &Name) {
        if let Some(value) = self.values.get_mut(&name.text)
            && matches!(value.what, What::Tensor(Tensor::Output(_)))
        {
            value.ready = Some(at);
            return;
        }
        let id = Tensor::Output(self.outputs.len() as u32);
        self.outputs.push(super::Building {
            name: name.clone(),
            axes: None,
            first: name.span,
            clauses: Vec::new(),
            broken: false,
        });
        self.value(name, What::Tensor(id), Some(at), None);
    }

    /// Enters a name that stands for reals.
    fn value(&mut self, name: &Name, what: What, ready: Option<usize>, axes: Option<Vec<DimId>>) {
        if let Some(first) = self.values.get(&name.text) {
            let first = first.span;
            self.twice("name", name, first);
            return;
        }
        self.values.insert(name.text.clone(), Value { what, span: name.span, ready, axes, any: false });
    }

    fn axes(&mut self, tensor: &syntax::Tensor) -> Option<Vec<DimId>> {
        let axes: Vec<Option<DimId>> = tensor.axes.iter().map(|dim| self.dim(dim)).collect();
        self.few(axes.len(), "axes", tensor.name.span);
        axes.into_iter().collect()
    }

    /// A tree need not come from the parser, which refuses these at once.
    pub(super) fn few(&mut self, count: usize, what: &str, span: Span) {
        if count > limits::INDICES {
            self.sink.push(Diagnostic::new(
                "E0218",
                format!("{count} {what}"),
                span,
                format!("at most {} {what}", limits::INDICES),
            ));
        }
    }

    fn declare_map(&mut self, word: MapWord, map: &syntax::Map) {
        let kind = match word {
            MapWord::Total => MapKind::Total,
            MapWord::Partial => MapKind::Partial,
            MapWord::Bijection => MapKind::Bijection,
        };
        let from: Vec<Option<DimId>> = map.from.iter().map(|dim| self.dim(dim)).collect();
        self.few(from.len(), "arguments of a map", map.name.span);
        let from: Option<Vec<DimId>> = from.into_iter().collect();
        if let (Some(from), Some(to)) = (from, self.dim(&map.to)) {
            self.enter_map(Map { name: map.name.clone(), kind, from, to });
        } else {
            self.broken_maps.push(map.name.text.clone());
        }
    }

    fn enter_map(&mut self, map: Map) -> Option<MapId> {
        if let Some(first) = self.maps.iter().find(|m| m.name == map.name) {
            let first = first.name.span;
            self.twice("index map", &map.name, first);
            return None;
        }
        self.maps.push(map);
        Some(MapId(self.maps.len() as u32 - 1))
    }

    fn declare_split(&mut self, parts: &[syntax::Part], whole: &DimRef, span: Span) {
        let to = self.dim(whole);
        let dims: Vec<Option<DimId>> = parts.iter().map(|part| self.dim(&part.dim)).collect();
        let dims: Option<Vec<DimId>> = dims.into_iter().collect();
        let (Some(to), Some(dims)) = (to, dims) else {
            self.broken_maps.extend(parts.iter().map(|p| p.name.text.clone()));
            return;
        };
        if let Some(first) = self.splits.iter().find(|s| s.whole == to) {
            let first = self.maps[first.parts[0].0 as usize].name.span;
            self.sink.push(
                Diagnostic::new(
                    "E0260",
                    format!("`{}` is split twice", self.dim_text(to)),
                    whole.name.span,
                    "split again here",
                )
                .and(first, "split here already")
                .with_help("a dimension is split in one way: name all parts in one `split`"),
            );
        }
        if let Some(at) = dims.iter().position(|dim| *dim == to) {
            self.sink.push(
                Diagnostic::new(
                    "E0260",
                    format!("`{}` is a part of itself", self.dim_text(to)),
                    parts[at].dim.name.span,
                    "this part is as large as the whole",
                )
                .and(whole.name.span, "the whole")
                .with_help("give the part a dimension of its own"),
            );
        }
        let split = self.splits.len() as u32;
        let mut ids = Vec::new();
        for (at, (part, dim)) in parts.iter().zip(dims).enumerate() {
            let kind = MapKind::Part { split, part: at as u32 };
            ids.extend(self.enter_map(Map { name: part.name.clone(), kind, from: vec![dim], to }));
        }
        if ids.is_empty() {
            // Possible only for a tree that no parser made, or when every name is taken.
            if self.sink.len() == 0 {
                self.sink.push(Diagnostic::new("E0260", "a split without parts", span, "here"));
            }
            return;
        }
        self.splits.push(Split { parts: ids, whole: to });
    }

    /// The cotangents of inputs and outputs are names as well.
    fn cotangents(&mut self) {
        let inputs = self.inputs.iter().map(|t| (t.name.clone(), What::Defined));
        let outputs = self.outputs.iter().enumerate();
        let outputs = outputs.map(|(i, b)| (b.name.clone(), What::Tensor(Tensor::Cotangent(i as u32))));
        let all: Vec<(Name, What)> = inputs.chain(outputs).collect();
        for (name, what) in all {
            let cotangent = format!("d{name}");
            if let Some(clash) = self.values.get(&cotangent) {
                if matches!(clash.what, What::Defined | What::Broken | What::Tensor(Tensor::Cotangent(_))) {
                    // Two tensors of one name: reported as such.
                    continue;
                }
                self.sink.push(
                    Diagnostic::new(
                        "E0245",
                        format!("`{cotangent}` is the cotangent of `{name}`"),
                        clash.span,
                        "something else is called this here",
                    )
                    .and(name.span, format!("`{name}` is declared here"))
                    .with_help(format!("call one of them otherwise than `{cotangent}` and `{name}`")),
                );
                continue;
            }
            self.values.insert(cotangent, Value { what, span: name.span, ready: None, axes: None, any: false });
        }
    }

    fn save(&mut self, name: &Name) {
        let Some(value) = self.values.get(&name.text) else {
            let savable =
                |v: &Value| matches!(v.what, What::Tensor(Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_)));
            let known = self.values.iter().filter(|(_, v)| savable(v)).map(|(n, _)| n.as_str());
            let near = nearest(&name.text, known);
            self.sink.push(
                Diagnostic::new("E0241", format!("nothing is called `{name}`"), name.span, "unknown name")
                    .or_help(near, "inputs, forward `let`s and outputs can be saved"),
            );
            return;
        };
        let tensor = match value.what {
            What::Tensor(t @ (Tensor::Input(_) | Tensor::Local(_) | Tensor::Output(_))) => t,
            What::Broken => return,
            what => {
                let (is, help) = match what {
                    What::Param(_) => ("a parameter", "the rule may use it without saving it"),
                    What::Tensor(Tensor::Constant(_)) => ("a constant", "the rule may use it without saving it"),
                    What::Tensor(Tensor::BackwardLocal(_)) => ("defined in the rule", "move its `let` above `saves`"),
                    _ => ("a cotangent", "the rule is given the cotangents of the outputs"),
                };
                self.sink.push(
                    Diagnostic::new("E0264", format!("`{name}` is {is} and cannot be saved"), name.span, "saved here")
                        .and(value.span, "declared here")
                        .with_help(help),
                );
                return;
            }
        };
        if self.saves.contains(&tensor) {
            let first = self.saved_at.get(&tensor).copied().unwrap_or(name.span);
            self.sink.push(
                Diagnostic::new("E0240", format!("`{name}` is saved twice"), name.span, "again here")
                    .and(first, "first here")
                    .with_help("once is enough"),
            );
            return;
        }
        self.saved_at.insert(tensor, name.span);
        self.saves.push(tensor);
    }
}
