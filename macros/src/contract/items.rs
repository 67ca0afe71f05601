//! The items of a statement: its type, its constructor, and the contract that it is.
//!
//! They stand in a module of their own, into which nothing of the user's scope reaches: no name can be shadowed, no trait of the user's can answer a method call, and not even the prelude is there.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proc_macro2::{Ident, Span, TokenStream};
use pullback_kernel::statement::{DimId, Expr, ExprKind, Label, MapKind, Sign, Statement, Tensor};
use pullback_schedule::{BufferId, Role, Routine, Schedule};
use quote::quote;

use super::code;
use super::document::{doc, document};
use super::heading::Attributes;
use super::names::{KEYWORDS, NEVER, NUMBER, Types, camel, raw, tuple};

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
    pub(super) attributes: &'a Attributes,
    pub(super) visibility: &'a TokenStream,
    /// Where the name stands.
    pub(super) span: Span,
}

/// What generated code names.
pub(super) const M: &str = "::pullback::__macro";

/// Whether the statement has a function that rationals do not have.
fn transcendental(statement: &Statement) -> bool {
    fn walk(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Call(f, a) => !f.is_rational() || walk(a),
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

/// A field of the type, and the argument of the constructor that fills it.
struct Field {
    name: String,
    ty: String,
    argument: String,
}

/// The data of a contract, in the order of declaration. A map, a parameter and a constant may share a name; arguments may not.
fn fields(types: &mut Types<'_>) -> Vec<Field> {
    let statement = types.statement;
    let mut given: Vec<(&str, &str, String)> = vec![];
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
        given.push(("map", &map.name.text, format!("{M}::{kind}<{from}, {to}>")));
    }
    for param in statement.params() {
        given.push(("param", &param.name.text, NUMBER.to_string()));
    }
    for constant in statement.constants() {
        given.push(("constant", &constant.name.text, types.tensor(&constant.axes)));
    }
    let mut taken = BTreeSet::new();
    let all: BTreeSet<&str> = given.iter().map(|(_, name, _)| *name).collect();
    let field = |(kind, name, ty): &(&str, &str, String)| {
        let mut argument = (*name).to_string();
        if NEVER.contains(name) {
            argument.push('_');
        }
        if taken.contains(&argument) {
            argument = format!("{name}_{kind}");
        }
        while taken.contains(&argument) || (argument != *name && all.contains(argument.as_str())) {
            argument.push('_');
        }
        taken.insert(argument.clone());
        Field { name: format!("{kind}_{name}"), ty: ty.clone(), argument: raw(&argument) }
    };
    given.iter().map(field).collect()
}

/// The parts of each split add up to its whole.
fn splits(types: &mut Types<'_>) {
    let statement = types.statement;
    for split in statement.splits() {
        let parts: Vec<DimId> = split.parts.iter().map(|m| statement.maps()[m.0 as usize].from[0]).collect();
        let axes = parts.iter().chain([&split.whole]).all(|dim| !types.pack(*dim));
        // Axes as the user writes them, where the shape of the parts is one; else lists of axes, each a shape.
        let predicate = if axes && parts.len() <= super::RANK {
            let parts: String = parts.iter().map(|d| format!("{}, ", types.dims[d.0 as usize])).collect();
            format!("({parts}): {M}::SplitOf<{}>", types.dims[split.whole.0 as usize])
        } else {
            let parts: String = parts.iter().map(|d| format!("{}, ", types.shape(&[*d]))).collect();
            format!("({parts}): {M}::PartsOf<{}>", types.shape(&[split.whole]))
        };
        types.bound(predicate);
    }
}

/// The type, the function that makes it, and what they are.
pub(super) fn items(plan: &Plan<'_>) -> Result<TokenStream, proc_macro2::LexError> {
    let statement = plan.statement;
    let mut types = Types::new(statement);
    let name = statement.name().text.clone();
    let type_name = camel(&name);
    let fields = fields(&mut types);
    splits(&mut types);

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
    let dims: Vec<String> = statement
        .dims()
        .iter()
        .zip(&types.dims)
        .map(|(d, name)| format!("{name}: {M}::{}", if d.pack { "Shape" } else { "Dim" }))
        .collect();
    let real = if transcendental(statement) { "Real" } else { "Scalar" };
    let with = |bound: &str, default: &str| {
        let mut all = dims.clone();
        all.push(format!("{NUMBER}: {M}::{bound}{default}"));
        all.join(", ")
    };
    let mut arguments = types.dims.clone();
    arguments.push(NUMBER.into());
    let arguments = arguments.join(", ");
    // A dimension may be called like the type.
    let this = format!("self::{type_name}<{arguments}>");
    let predicates = if types.bounds.is_empty() { String::new() } else { format!("where {}", types.bounds.join(", ")) };

    let forward = routine(&types, &plan.schedule.forward, true, &name);
    let backward = routine(&types, &plan.schedule.backward, false, &name);

    let mut structure = String::new();
    document(&mut structure, plan, &inputs, &outputs, &saved);
    let declared: String = fields.iter().map(|Field { name, ty, .. }| format!("{name}: {ty},\n")).collect();
    let _ = writeln!(
        structure,
        "pub struct {type_name}<{}> {predicates} {{ {declared} of: ::core::marker::PhantomData<fn() -> ({arguments},)> }}",
        with("Scalar", " = f32")
    );

    // The constructor.
    let parameters: String = fields.iter().map(|Field { argument, ty, .. }| format!("{argument}: {ty}, ")).collect();
    let passed: String = fields.iter().map(|Field { argument, .. }| format!("{argument}, ")).collect();
    let filled: String = fields.iter().map(|Field { name, argument, .. }| format!("{name}: {argument}, ")).collect();
    let mut refusals = String::new();
    for param in statement.params() {
        let Some(sign) = param.sign else { continue };
        let field = format!("param_{}", param.name);
        let Some(Field { argument, .. }) = fields.iter().find(|f| f.name == field) else { continue };
        let (positive, zero) = (
            format!("<{NUMBER} as {M}::Scalar>::is_positive(&{argument})"),
            format!("<{NUMBER} as {M}::Scalar>::is_zero(&{argument})"),
        );
        let (broken, text) = match sign {
            Sign::Positive => (format!("!{positive}"), "> 0"),
            Sign::NonNegative => (format!("!{positive} && !{zero}"), ">= 0"),
            Sign::NonZero => (zero, "!= 0"),
        };
        let text = format!("{} {text}", param.name);
        let _ = writeln!(
            refusals,
            "if {broken} {{ return ::core::result::Result::Err({M}::DomainError::new(const {{ &{M}::Condition::new({name:?}, {text:?}) }}, 0usize)); }}"
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
    let mut out = String::new();
    let _ = writeln!(
        out,
        "#[automatically_derived]
        impl<{}> {this} {predicates} {{
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
    let function_result =
        if fallible { format!("::core::result::Result<{this}, {M}::DomainError>") } else { this.clone() };
    let function = format!(
        "{about} {} #[inline] pub fn {}<{}>({parameters}) -> {function_result} {predicates} {{ <{this}>::new({passed}) }}",
        if plan.attributes.must_use { "" } else { must_use },
        raw(&name),
        with("Scalar", "")
    );
    if fields.is_empty() {
        let _ = writeln!(
            out,
            "#[automatically_derived] impl<{}> ::core::default::Default for {this} {predicates} {{ #[inline] fn default() -> Self {{ Self::new() }} }}",
            with("Scalar", "")
        );
    }
    let cloned: String = fields
        .iter()
        .map(|Field { name, .. }| format!("{name}: ::core::clone::Clone::clone(&self.{name}), "))
        .collect();
    let _ = writeln!(
        out,
        "#[automatically_derived] impl<{0}> ::core::clone::Clone for {this} {predicates} {{ #[inline] fn clone(&self) -> Self {{ Self {{ {cloned} of: ::core::marker::PhantomData }} }} }}
        #[automatically_derived] impl<{0}> ::core::fmt::Debug for {this} {predicates} {{ fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{ formatter.write_str({name:?}) }} }}",
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
        impl<{}> {M}::Contract for {this} {predicates} {{
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
    symbolic(&mut out, &types, &this, &with(&format!("{real} + {M}::Exact"), ""), &predicates);
    if plan.proved {
        let digest = crate::digest::digest(plan.source);
        let _ = writeln!(
            out,
            "#[automatically_derived] impl<{}> {M}::MayCarryProof for {this} {predicates} {{ type Grounds = {M}::Seal<Self, {{ {M}::proved({:?}, {digest}u128) }}>; }}",
            with("Scalar", ""),
            plan.source,
        );
    }
    arranged(plan, &name, &structure, &function, &out)
}

/// The module, and the imports of what the user sees of it.
fn arranged(
    plan: &Plan<'_>,
    name: &str,
    structure: &str,
    function: &str,
    rest: &str,
) -> Result<TokenStream, proc_macro2::LexError> {
    let [structure, function, rest]: [TokenStream; 3] = [structure.parse()?, function.parse()?, rest.parse()?];
    let Attributes { all, module, items, docs, imports, deprecated, .. } = plan.attributes;
    let visibility = plan.visibility;
    // At the name, and as what the macro wrote: a name that is taken is told there, and the user's lints are not asked.
    let span = Span::call_site().located_at(plan.span);
    let within = Ident::new(&format!("__{name}"), span);
    let type_name = Ident::new(&camel(name), span);
    let function_name = if KEYWORDS.contains(&name) { Ident::new_raw(name, span) } else { Ident::new(name, span) };
    let quiet = deprecated.then(|| quote! { #[allow(deprecated)] });
    Ok(quote! {
        #all #module #quiet
        #[no_implicit_prelude]
        mod #within {
            use ::core::clone::Clone as _;
            #items #structure
            #items #function
            #rest
        }
        #all #docs #imports #quiet
        #visibility use #within::#type_name;
        #all #imports #quiet
        #visibility use #within::#function_name;
    })
}

/// The contract as an operation of a program: its data in the order of declaration.
fn symbolic(out: &mut String, types: &Types<'_>, this: &str, generics: &str, predicates: &str) {
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
    let given = || statement.maps().iter().filter(|map| !matches!(map.kind, MapKind::Part { .. }));
    let maps = list(&mut given().map(|map| format!("{M}::Indices::data(&self.map_{})", map.name)));
    let constants = list(&mut statement.constants().iter().map(|c| format!("{M}::array(&self.constant_{})", c.name)));
    let plain = statement.params().is_empty() && given().next().is_none() && statement.constants().is_empty();
    let _ = writeln!(
        out,
        "#[automatically_derived]
        impl<{generics}> {M}::Stated for {this} {predicates} {{
            const STATED: &'static str = Self::STATEMENT;
            const ONLY_SIZES: bool = {plain};
            fn data(&self) -> {M}::Binding {{
                {M}::Binding {{ dims: {dims}, params: {params}, maps: {maps}, constants: {constants} }}
            }}
        }}"
    );
}

/// The body of `forward` or `pullback`.
fn routine(types: &Types<'_>, routine: &Routine, forward: bool, name: &str) -> String {
    let statement = types.statement;
    let number = NUMBER;
    let body = code::write(statement, routine);
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
                if body.tensors.contains(&id) {
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

    for (i, dim) in statement.dims().iter().enumerate() {
        let of = if dim.pack { "Shape>::LEN" } else { "Dim>::SIZE" };
        let _ = writeln!(text, "let {} = <{} as {M}::{of};", code::size(statement, DimId(i as u32)), types.dims[i]);
    }
    text.push_str(&unpacked);
    text.push_str(&slices);
    text.push_str(&body.text);
    text.push_str(&last);
    text
}
