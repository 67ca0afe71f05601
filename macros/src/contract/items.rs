//! The items of a statement: its type, its constructor, and the contract that it is.

use std::fmt::Write as _;

use pullback_kernel::statement::{DimId, Expr, ExprKind, Function, Label, MapKind, Statement, Tensor};
use pullback_schedule::{BufferId, Role, Routine, Schedule};

use super::code;

/// Everything that the items say.
pub(super) struct Plan<'a> {
    pub(super) statement: &'a Statement,
    pub(super) schedule: &'a Schedule,
    /// The text of the statement.
    pub(super) source: &'a str,
    /// The conditions of the domain, in words.
    pub(super) domain: &'a [String],
    /// The gradients were derived and not written.
    pub(super) derived: bool,
    /// What a theorem was made of, or nothing for a declared statement.
    pub(super) proved: bool,
    /// Attributes and visibility, as written.
    pub(super) attributes: &'a str,
    pub(super) visibility: &'a str,
    /// Docs of the user, if any stand over the statement.
    pub(super) documented: bool,
}

const M: &str = "::pullback::__macro";

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
const NEVER: [&str; 5] = ["_", "self", "Self", "super", "crate"];

/// Whether a statement of this name can be a type and a function.
pub(super) fn nameable(name: &str) -> bool {
    !NEVER.contains(&name) && syn::parse_str::<syn::Ident>(&camel(name)).is_ok()
}

struct Types<'a> {
    statement: &'a Statement,
    /// Type parameters of the dimensions.
    dims: Vec<String>,
    /// The type parameter of the scalar.
    number: String,
    /// `where` predicates, each once.
    bounds: Vec<String>,
}

impl<'a> Types<'a> {
    fn new(statement: &'a Statement) -> Self {
        let contract = camel(&statement.name().text);
        let mut dims: Vec<String> = vec![];
        for dim in statement.dims() {
            let mut name = camel(&dim.name.text);
            if !name.starts_with(char::is_alphabetic) {
                name.insert_str(0, "Axis");
            }
            while dims.contains(&name) || name == contract || name == "Self" {
                name.push_str("Axis");
            }
            dims.push(name);
        }
        let number = ["T", "Num", "Element"]
            .iter()
            .find(|n| **n != contract && dims.iter().all(|d| d != **n))
            .unwrap_or(&"ScalarOfContract");
        Types { statement, dims, number: (*number).to_string(), bounds: vec![] }
    }

    fn bound(&mut self, predicate: String) {
        if !self.bounds.contains(&predicate) {
            self.bounds.push(predicate);
        }
    }

    fn pack(&self, dim: DimId) -> bool {
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
    fn shape(&mut self, axes: &[DimId]) -> String {
        let mut pieces = self.pieces(axes).into_iter();
        let Some(mut shape) = pieces.next() else { return "()".into() };
        for piece in pieces {
            self.bound(format!("{shape}: {M}::Join<{piece}>"));
            shape = format!("<{shape} as {M}::Join<{piece}>>::Output");
        }
        shape
    }

    /// The same, if it needs no bound that is not there.
    fn known_shape(&self, axes: &[DimId]) -> Option<String> {
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

    fn tensor(&mut self, axes: &[DimId]) -> String {
        format!("{M}::Tensor<{}, {}>", self.shape(axes), self.number)
    }

    fn extent(&self, axes: &[DimId]) -> String {
        if axes.is_empty() {
            return "1usize".into();
        }
        axes.iter().map(|d| code::size(self.statement, *d)).collect::<Vec<_>>().join(" * ")
    }
}

fn tuple(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        _ => format!("({})", items.join(", ")),
    }
}

/// Whether the statement has a function that rationals do not have.
fn transcendental(statement: &Statement) -> bool {
    fn walk(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Call(f, a) => !matches!(f, Function::Recip | Function::Round) || walk(a),
            ExprKind::Neg(a) | ExprKind::Pow(a, _) | ExprKind::Sum(_, a) | ExprKind::Max(_, a) => walk(a),
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) | ExprKind::Mul(a, b) | ExprKind::Div(a, b) => walk(a) || walk(b),
            ExprKind::If { left, right, then, otherwise, .. } => {
                walk(left) || walk(right) || walk(then) || walk(otherwise)
            }
            _ => false,
        }
    }
    let locals = statement.locals().iter().chain(statement.backward_locals()).map(|l| &l.value);
    let clauses = statement
        .outputs()
        .iter()
        .chain(statement.gradients().unwrap_or_default())
        .flat_map(|d| &d.clauses)
        .map(|c| &c.value);
    locals.chain(clauses).chain(statement.wheres().iter().map(|w| &w.value)).any(walk)
}

/// A line of rustdoc.
fn doc(out: &mut String, text: &str) {
    for line in text.lines().chain(text.is_empty().then_some("")) {
        let _ = writeln!(out, "#[doc = {line:?}]");
    }
}

pub(super) fn items(plan: &Plan<'_>) -> String {
    let statement = plan.statement;
    let mut types = Types::new(statement);
    let name = statement.name().text.clone();
    let type_name = camel(&name);

    // Fields, and the arguments of the constructor: in the order of declaration.
    let mut fields: Vec<(String, String, String)> = vec![];
    for map in statement.maps() {
        let from = types.shape(&map.from);
        let to = types.shape(&[map.to]);
        let kind = match map.kind {
            MapKind::Total => "IndexMap",
            MapKind::Partial => "PartialMap",
            MapKind::Bijection => {
                types.bound(format!("{from}: {M}::SameLength<{to}>"));
                types.bound(format!("{to}: {M}::SameLength<{from}>"));
                "Bijection"
            }
            // Parts follow from the sizes.
            MapKind::Part { .. } => continue,
        };
        fields.push((format!("map_{}", map.name), format!("{M}::{kind}<{from}, {to}>"), map.name.text.clone()));
    }
    for split in statement.splits() {
        let parts: String = split
            .parts
            .iter()
            .map(|m| format!("{}, ", types.dims[statement.maps()[m.0 as usize].from[0].0 as usize]))
            .collect();
        let whole = types.dims[split.whole.0 as usize].clone();
        types.bound(format!("({parts}): {M}::SplitOf<{whole}>"));
    }
    for param in statement.params() {
        fields.push((format!("param_{}", param.name), types.number.clone(), param.name.text.clone()));
    }
    for constant in statement.constants() {
        let tensor = types.tensor(&constant.axes);
        fields.push((format!("constant_{}", constant.name), tensor, constant.name.text.clone()));
    }

    let listed = |types: &mut Types<'_>,
                  tensors: &mut dyn Iterator<Item = (String, Vec<DimId>)>|
     -> Vec<(String, String)> { tensors.map(|(name, axes)| (name, types.tensor(&axes))).collect() };
    let inputs = listed(&mut types, &mut statement.inputs().iter().map(|t| (t.name.text.clone(), t.axes.clone())));
    let outputs = listed(
        &mut types,
        &mut statement.outputs().iter().map(|t| (t.tensor.name.text.clone(), t.tensor.axes.clone())),
    );
    let saved = listed(
        &mut types,
        &mut statement.saves().iter().map(|t| {
            let decl = statement.tensor(*t);
            (decl.name.text, decl.axes)
        }),
    );
    let of = |list: &[(String, String)]| tuple(&list.iter().map(|(_, t)| t.clone()).collect::<Vec<_>>());

    // Generics.
    let number = types.number.clone();
    let dims: Vec<String> = statement
        .dims()
        .iter()
        .zip(&types.dims)
        .map(|(d, name)| format!("{name}: {M}::{}", if d.pack { "Shape" } else { "Dim" }))
        .collect();
    let real = if transcendental(statement) { "Real" } else { "Scalar" };
    let with = |bound: &str, default: &str| {
        let mut all = dims.clone();
        all.push(format!("{number}: {M}::{bound}{default}"));
        all.join(", ")
    };
    let mut arguments = types.dims.clone();
    arguments.push(number.clone());
    let arguments = arguments.join(", ");
    let predicates = if types.bounds.is_empty() { String::new() } else { format!("where {}", types.bounds.join(", ")) };

    let forward = routine(&types, &plan.schedule.forward, true, &name);
    let backward = routine(&types, &plan.schedule.backward, false, &name);

    let mut out = String::new();
    out.push_str(plan.attributes);
    out.push('\n');
    document(&mut out, plan, &inputs, &outputs, &saved, &number);
    let vis = plan.visibility;
    let declared: String = fields.iter().map(|(field, ty, _)| format!("{field}: {ty},\n")).collect();
    let _ = writeln!(
        out,
        "{vis} struct {type_name}<{}> {predicates} {{ {declared} of: ::core::marker::PhantomData<fn() -> ({arguments},)> }}",
        with("Scalar", " = f32")
    );

    // The constructor.
    let parameters: String = fields.iter().map(|(_, ty, short)| format!("{}: {ty}, ", raw(short))).collect();
    let passed: String = fields.iter().map(|(_, _, short)| format!("{}, ", raw(short))).collect();
    let filled: String = fields.iter().map(|(field, _, short)| format!("{field}: {}, ", raw(short))).collect();
    let mut refusals = String::new();
    for (i, param) in statement.params().iter().enumerate() {
        use pullback_kernel::statement::Sign;
        let Some(sign) = param.sign else { continue };
        let p = raw(&param.name.text);
        let (positive, zero) = (
            format!("<{number} as {M}::Scalar>::is_positive(&{p})"),
            format!("<{number} as {M}::Scalar>::is_zero(&{p})"),
        );
        let (broken, text) = match sign {
            Sign::Positive => (format!("!{positive}"), "> 0"),
            Sign::NonNegative => (format!("!{positive} && !{zero}"), ">= 0"),
            Sign::NonZero => (zero, "!= 0"),
        };
        let text = format!("{} {text}", param.name);
        let _ = writeln!(
            refusals,
            "static PARAM{i}: {M}::Condition = {M}::Condition::new({name:?}, {text:?}); if {broken} {{ return ::core::result::Result::Err({M}::DomainError::new(&PARAM{i}, 0usize)); }}"
        );
    }
    let fallible = !refusals.is_empty();
    let (result, wrap) = if fallible {
        (format!("::core::result::Result<Self, {M}::DomainError>"), ("::core::result::Result::Ok(", ")"))
    } else {
        ("Self".into(), ("", ""))
    };
    let errors = "# Errors\n\nWhere a parameter is outside of what the statement requires of it.";
    let mut about = String::new();
    doc(&mut about, &format!("The contract `{name}`{}.", if fields.is_empty() { "" } else { " with its data" }));
    if fallible {
        doc(&mut about, "");
        doc(&mut about, errors);
    }
    let must_use = if fallible { "" } else { "#[must_use]" };
    let _ = writeln!(
        out,
        "#[automatically_derived]
        impl<{}> {type_name}<{arguments}> {predicates} {{
            #[doc = \"The statement that the contract was made from.\"]
            pub const STATEMENT: &'static str = {:?};
            {about} {must_use} #[inline]
            pub fn new({parameters}) -> {result} {{ {refusals} {}Self {{ {filled} of: ::core::marker::PhantomData }}{} }}
        }}",
        with("Scalar", ""),
        plan.source,
        wrap.0,
        wrap.1,
    );
    let function_result = if fallible {
        format!("::core::result::Result<{type_name}<{arguments}>, {M}::DomainError>")
    } else {
        format!("{type_name}<{arguments}>")
    };
    let _ = writeln!(
        out,
        "{about} {must_use} #[inline] {vis} fn {}<{}>({parameters}) -> {function_result} {predicates} {{ {type_name}::<{arguments}>::new({passed}) }}",
        raw(&name),
        with("Scalar", "")
    );
    if fields.is_empty() {
        let _ = writeln!(
            out,
            "#[automatically_derived] impl<{}> ::core::default::Default for {type_name}<{arguments}> {predicates} {{ #[inline] fn default() -> Self {{ Self::new() }} }}",
            with("Scalar", "")
        );
    }
    let cloned: String =
        fields.iter().map(|(field, _, _)| format!("{field}: ::core::clone::Clone::clone(&self.{field}), ")).collect();
    let _ = writeln!(
        out,
        "#[automatically_derived] impl<{0}> ::core::clone::Clone for {type_name}<{arguments}> {predicates} {{ #[inline] fn clone(&self) -> Self {{ Self {{ {cloned} of: ::core::marker::PhantomData }} }} }}
        #[automatically_derived] impl<{0}> ::core::fmt::Debug for {type_name}<{arguments}> {predicates} {{ fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{ formatter.write_str({name:?}) }} }}",
        with("Scalar", "")
    );

    // The contract.
    let evidence = match statement.declaration() {
        Some(d) => {
            let label = match d.label {
                Label::Convention => "Convention",
                Label::Subgradient => "Subgradient",
                Label::Surrogate => "Surrogate",
                Label::Unproved => "Unproved",
            };
            format!("{M}::Declared<{M}::{label}>")
        }
        None => format!("{M}::Proved"),
    };
    let _ = writeln!(
        out,
        "#[automatically_derived]
        impl<{}> {M}::Contract for {type_name}<{arguments}> {predicates} {{
            type Input = {};
            type Output = {};
            type Residual = {};
            type Evidence = {evidence};
            #[inline]
            fn forward(&self, input: Self::Input) -> ::core::result::Result<(Self::Output, Self::Residual), {M}::DomainError> {{ {forward} }}
            #[inline]
            fn pullback(&self, residual: &Self::Residual, seed: {M}::Cotangent<Self::Output>) -> {M}::Cotangent<Self::Input> {{ {backward} }}
        }}",
        with(real, ""),
        of(&inputs),
        of(&outputs),
        of(&saved),
    );
    symbolic(&mut out, &types, &type_name, &with(&format!("{real} + {M}::Exact"), ""), &arguments, &predicates);
    if plan.proved {
        let digest = crate::digest::digest(plan.source);
        let seal = format!("{M}::Seal::of({:?}, {digest}u128)", plan.source);
        let _ = writeln!(
            out,
            "#[automatically_derived] impl<{}> {M}::FromKernel for {type_name}<{arguments}> {predicates} {{ const SEAL: {M}::Seal = {seal}; }}
            const _: {M}::Seal = {seal};",
            with("Scalar", "")
        );
    }
    out
}

/// The contract as an operation of a program: its data in the order of declaration.
fn symbolic(out: &mut String, types: &Types<'_>, name: &str, generics: &str, arguments: &str, predicates: &str) {
    let statement = types.statement;
    let list =
        |items: &mut dyn Iterator<Item = String>| format!("::std::vec![{}]", items.collect::<Vec<_>>().join(", "));
    let dims = list(&mut statement.dims().iter().zip(&types.dims).map(|(dim, ty)| {
        if dim.pack {
            format!("<{ty} as {M}::Shape>::SIZES.to_vec()")
        } else {
            format!("::std::vec![<{ty} as {M}::Dim>::SIZE]")
        }
    }));
    let params = list(&mut statement.params().iter().map(|p| format!("{M}::Exact::literal(&self.param_{})", p.name)));
    let given = statement.maps().iter().filter(|map| !matches!(map.kind, MapKind::Part { .. }));
    let maps = list(&mut given.map(|map| format!("{M}::Indices::data(&self.map_{})", map.name)));
    let constants = list(&mut statement.constants().iter().map(|c| format!("{M}::array(&self.constant_{})", c.name)));
    let plain = [&params, &maps, &constants].iter().all(|list| *list == "::std::vec![]");
    let _ = writeln!(
        out,
        "#[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<{generics}> {M}::Symbolic for {name}<{arguments}> {predicates} {{
            const TEXT: &'static str = Self::STATEMENT;
            const PLAIN: bool = {plain};
            fn binding(&self) -> {M}::Binding {{
                {M}::Binding {{ dims: {dims}, params: {params}, maps: {maps}, constants: {constants} }}
            }}
        }}"
    );
}

/// A name as an identifier.
fn raw(name: &str) -> String {
    if NEVER.contains(&name) {
        format!("{name}_")
    } else if syn::parse_str::<syn::Ident>(name).is_ok() {
        name.to_string()
    } else {
        format!("r#{name}")
    }
}

/// The body of `forward` or `pullback`.
fn routine(types: &Types<'_>, routine: &Routine, forward: bool, name: &str) -> String {
    let statement = types.statement;
    let number = &types.number;
    let body = code::write(statement, routine);
    let steps = body.text.replace("<Num as", &format!("<{number} as")).replace("[Num; ", &format!("[{number}; "));
    let (reads, writes) = code::used(routine);
    let id_of = |role: Role| routine.buffers.iter().position(|b| b.role == role).map(|i| BufferId(i as u32));
    let buffer = |role: Role| id_of(role).map(code::buffer).unwrap_or_default();

    let mut text = String::new();
    for (i, check) in body.checks.iter().enumerate() {
        let _ = writeln!(text, "static CHECK{i}: {M}::Condition = {M}::Condition::new({name:?}, {check:?});");
    }

    // What is given.
    let mut unpacked = String::new();
    let mut open = |kind: &str, tensors: &[Tensor], needed: &dyn Fn(Tensor) -> bool| {
        let names: Vec<String> = tensors
            .iter()
            .map(|t| {
                let name = format!("{}_tensor", buffer(Role::Given(*t)));
                if needed(*t) { name } else { format!("_{name}") }
            })
            .collect();
        let _ = writeln!(unpacked, "let {} = {kind};", tuple(&names));
    };
    let is_read = |t: Tensor| id_of(Role::Given(t)).is_some_and(|b| reads.contains(&b));
    let inputs: Vec<Tensor> = (0..statement.inputs().len() as u32).map(Tensor::Input).collect();
    let outputs: Vec<Tensor> = (0..statement.outputs().len() as u32).map(Tensor::Output).collect();
    let cotangents: Vec<Tensor> = (0..statement.outputs().len() as u32).map(Tensor::Cotangent).collect();
    let saves = statement.saves();
    if forward {
        open("input", &inputs, &|t| is_read(t) || saves.contains(&t));
    } else {
        open("residual", saves, &is_read);
        open("seed.into_inner()", &cotangents, &is_read);
    }

    // Slices of everything.
    let mut slices = String::new();
    for (i, b) in routine.buffers.iter().enumerate() {
        let id = BufferId(i as u32);
        let name = code::buffer(id);
        let extent = types.extent(&b.axes);
        match b.role {
            Role::Given(Tensor::Constant(c)) if reads.contains(&id) => {
                let constant = &statement.constants()[c as usize].name;
                let _ = writeln!(slices, "let {name} = &self.constant_{constant}.as_slice()[..{extent}];");
                if steps.contains(&format!("{name}_tensor")) {
                    let _ = writeln!(slices, "let {name}_tensor = &self.constant_{constant};");
                }
            }
            Role::Given(_) if reads.contains(&id) => {
                let _ = writeln!(slices, "let {name} = &{name}_tensor.as_slice()[..{extent}];");
            }
            Role::Result(_) | Role::Gradient(_) if body.carried.contains(&id) => {}
            Role::Result(_) | Role::Gradient(_) => {
                let axes = &b.axes;
                let shape = types.known_shape(axes).unwrap_or_default();
                let _ = writeln!(slices, "let mut {name}_draft = {M}::Draft::<{shape}, {number}>::zeros();");
                if writes.contains(&id) || reads.contains(&id) {
                    let _ = writeln!(slices, "let {name} = &mut {name}_draft.as_mut_slice()[..{extent}];");
                }
            }
            Role::Local if writes.contains(&id) => {
                if let Some(shape) = types.known_shape(&b.axes) {
                    let _ = writeln!(
                        slices,
                        "let mut {name}_draft = {M}::Draft::<{shape}, {number}>::zeros(); let {name} = &mut {name}_draft.as_mut_slice()[..{extent}];"
                    );
                } else {
                    let _ = writeln!(
                        slices,
                        "let mut {name}_draft = ::std::vec![<{number} as {M}::Scalar>::zero(); {extent}]; let {name} = &mut {name}_draft[..];"
                    );
                }
            }
            _ => {}
        }
    }

    // What is given back.
    let mut last = String::new();
    for (i, b) in routine.buffers.iter().enumerate() {
        let id = BufferId(i as u32);
        let name = code::buffer(id);
        if matches!(b.role, Role::Result(_) | Role::Gradient(_)) && !body.carried.contains(&id) {
            let _ = writeln!(last, "let {name}_tensor = {name}_draft.freeze();");
        }
    }
    if forward {
        let results: Vec<String> = outputs.iter().map(|t| format!("{}_tensor", buffer(Role::Result(*t)))).collect();
        let residual: Vec<String> = saves
            .iter()
            .map(|t| match t {
                Tensor::Input(_) => format!("{}_tensor", buffer(Role::Given(*t))),
                Tensor::Output(_) => format!("{}_tensor.clone()", buffer(Role::Result(*t))),
                _ => format!("{}_tensor", buffer(Role::Result(*t))),
            })
            .collect();
        let _ = writeln!(
            last,
            "let residual = {}; ::core::result::Result::Ok(({}, residual))",
            tuple(&residual),
            tuple(&results)
        );
    } else {
        let gradients: Vec<String> =
            (0..inputs.len() as u32).map(|i| format!("{}_tensor", buffer(Role::Gradient(i)))).collect();
        let _ = writeln!(last, "{M}::Cotangent::new({})", tuple(&gradients));
    }

    // Sizes that are spoken of.
    let all = format!("{slices} {steps}");
    let words: Vec<&str> = all.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for (i, dim) in statement.dims().iter().enumerate() {
        let size = code::size(statement, DimId(i as u32));
        if words.contains(&size.as_str()) {
            let of = if dim.pack { "Shape>::LEN" } else { "Dim>::SIZE" };
            let _ = writeln!(text, "let {size} = <{} as {M}::{of};", types.dims[i]);
        }
    }
    text.push_str(&unpacked);
    text.push_str(&slices);
    text.push_str(&steps);
    text.push_str(&last);
    text
}

/// Prose of a statement as rustdoc: brackets are indices and no links, stars are products.
fn plain(text: &str) -> String {
    let mut code = false;
    let mut out = String::new();
    for c in text.chars() {
        code ^= c == '`';
        if !code && matches!(c, '[' | ']' | '<' | '>' | '*') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn document(
    out: &mut String,
    plan: &Plan<'_>,
    inputs: &[(String, String)],
    outputs: &[(String, String)],
    saved: &[(String, String)],
    number: &str,
) {
    let statement = plan.statement;
    if !plan.documented {
        let about = statement.doc().trim();
        doc(out, &if about.is_empty() { statement.name().text.clone() } else { plain(about) });
    }
    doc(out, "");
    doc(out, "```text");
    doc(out, plan.source.trim());
    doc(out, "```");
    doc(out, "");
    let short = |list: &[(String, String)]| -> String {
        if list.is_empty() {
            return "nothing".into();
        }
        let shown = |t: &str| t.replace("::pullback::__macro::", "").replace(&format!(", {number}>"), ">");
        list.iter().map(|(name, t)| format!("`{name}: {}`", shown(t))).collect::<Vec<_>>().join(", ")
    };
    doc(out, "| | |");
    doc(out, "| --- | --- |");
    doc(out, &format!("| takes | {} |", short(inputs)));
    doc(out, &format!("| gives | {} |", short(outputs)));
    doc(out, &format!("| saves | {} |", short(saved)));
    let domain = if plan.domain.is_empty() {
        "all inputs".to_string()
    } else {
        plan.domain.iter().map(|c| format!("`{}`", c.replace('|', "\\|"))).collect::<Vec<_>>().join(", ")
    };
    doc(out, &format!("| domain | {domain} |"));
    let rule = if plan.derived { "derived and " } else { "" };
    let evidence = match statement.declaration() {
        Some(d) => format!("declared {}: {}", format!("{:?}", d.label).to_lowercase(), d.text.replace('|', "\\|")),
        None => format!("{rule}proved by the kernel"),
    };
    doc(out, &format!("| backward rule | {evidence} |"));
}
