//! A routine as Rust: nested loops over slices, with constants for sizes.
//!
//! The text names nothing but `::core`, `::std` and `::pullback`, and needs no import where it lands.
//! Rows that run along memory are sliced before the innermost loop, so that the compiler sees their length and drops the bounds checks.

use std::fmt::Write as _;

use pullback_kernel::statement::{Comparison, DimId, MapKind, Sign, Statement};
use pullback_kernel::{Rational, nearest};
use pullback_schedule::{BufferId, Gemm, Index, Operand, Reduction, Role, Routine, Scalar, Step, Var};

/// What a routine's text needs around it.
pub(super) struct Body {
    /// The statements, in order.
    pub(super) text: String,
    /// The text of each domain condition: the statics `CHECK0`, `CHECK1`, … name them.
    pub(super) checks: Vec<String>,
    /// The buffers that a step makes as a tensor, without a draft.
    pub(super) carried: Vec<BufferId>,
    /// The buffers that a step reads as a tensor, and not only as a slice.
    pub(super) tensors: Vec<BufferId>,
}

/// How the slice of a buffer, or a row of it, is called where the innermost loop runs.
struct Row {
    buffer: BufferId,
    /// The flat place of its first element.
    base: String,
    name: String,
    var: Var,
    written: bool,
}

struct Writer<'a> {
    statement: &'a Statement,
    routine: &'a Routine,
    out: String,
    numbers: Vec<Rational>,
    checks: Vec<String>,
    rows: Vec<Row>,
    /// Map values looked up before the loop.
    looked_up: Vec<(Index, String)>,
    carried: Vec<BufferId>,
    tensors: Vec<BufferId>,
    next: usize,
    /// The variable of the loop that runs in lanes, inside of them.
    lane: Option<Var>,
    /// How many loops are open.
    depth: usize,
    written: Vec<BufferId>,
}

pub(super) fn size(statement: &Statement, dim: DimId) -> String {
    format!("size_{}", statement.dims()[dim.0 as usize].name)
}

pub(super) fn buffer(id: BufferId) -> String {
    format!("b{}", id.0)
}

/// The steps of a routine.
pub(super) fn write(statement: &Statement, routine: &Routine) -> Body {
    let mut writer = Writer {
        statement,
        routine,
        out: String::new(),
        numbers: vec![],
        checks: vec![],
        rows: vec![],
        looked_up: vec![],
        carried: vec![],
        tensors: vec![],
        next: 0,
        lane: None,
        depth: 0,
        written: vec![],
    };
    for step in &routine.steps {
        writer.step(step);
    }
    let mut text = String::new();
    for (at, q) in writer.numbers.iter().enumerate() {
        let value = literal(q);
        let lost = |lost: Option<&str>, format: &str| {
            let name = &statement.name().text;
            lost.map_or_else(String::new, |what| {
                format!("the literal {} of `{name}` is {what} in {format} precision", nearest::text(q))
            })
        };
        let single = lost(nearest::lost(q, nearest::f32(q).into()), "single");
        let double = lost(nearest::lost(q, nearest::f64(q)), "double");
        if !single.is_empty() {
            let holds = "::pullback::__macro::holds(<Num as ::pullback::__macro::Scalar>::PRECISION";
            let _ = writeln!(text, "const {{ {holds}, \"{single}\", \"{double}\"); }}");
        }
        let _ = writeln!(text, "let q{at} = {value};");
    }
    text.push_str(&writer.out);
    Body { text, checks: writer.checks, carried: writer.carried, tensors: writer.tensors }
}

/// A literal as the nearest number of whatever scalar there is.
fn literal(q: &Rational) -> String {
    let scalar = "<Num as ::pullback::__macro::Scalar>";
    let (single, double) = (nearest::f32(q), nearest::f64(q));
    match (i64::try_from(q.numer()), i64::try_from(q.denom())) {
        // Floats that are exact have a quotient that is the nearest one.
        (Ok(n), Ok(d)) if n.unsigned_abs().max(d.unsigned_abs()) <= 1 << f32::MANTISSA_DIGITS => {
            format!("{scalar}::from_ratio({n}, {d})")
        }
        _ => {
            let bits = (single.to_bits(), double.to_bits());
            let exact = format!("::pullback::__macro::exact(\"{}\", \"{}\")", q.numer(), q.denom());
            format!(
                "{scalar}::literal(::core::primitive::f32::from_bits({:#x}), ::core::primitive::f64::from_bits({:#x}), || {exact})",
                bits.0, bits.1
            )
        }
    }
}

/// Which buffers a routine uses, and which of them it writes.
pub(super) fn used(routine: &Routine) -> (Vec<BufferId>, Vec<BufferId>) {
    fn walk(step: &Step, reads: &mut Vec<BufferId>, writes: &mut Vec<BufferId>) {
        match step {
            Step::Loop { body, .. } => body.iter().for_each(|s| walk(s, reads, writes)),
            Step::Set { target, .. } | Step::Add { target, .. } | Step::Zero { target } => writes.push(*target),
            Step::Gemm(g) => {
                reads.extend([g.left.buffer, g.right.buffer]);
                writes.push(g.target.buffer);
            }
            Step::Carry { target, source, .. } => {
                reads.push(*source);
                writes.push(*target);
            }
            _ => {}
        }
    }
    let (mut reads, mut writes) = (vec![], vec![]);
    for step in &routine.steps {
        walk(step, &mut reads, &mut writes);
        step.scalars(&mut |s| {
            s.visit(&mut |part| {
                if let Scalar::Read(b, _) = part {
                    reads.push(*b);
                }
            });
        });
    }
    for list in [&mut reads, &mut writes] {
        list.sort_unstable();
        list.dedup();
    }
    (reads, writes)
}

/// How many steps write the buffer.
fn writers(step: &Step, buffer: BufferId) -> usize {
    match step {
        Step::Loop { body, .. } => body.iter().map(|s| writers(s, buffer)).sum(),
        Step::Set { target, .. } | Step::Add { target, .. } | Step::Zero { target } | Step::Carry { target, .. } => {
            usize::from(*target == buffer)
        }
        Step::Gemm(g) => usize::from(g.target.buffer == buffer),
        _ => 0,
    }
}

impl Writer<'_> {
    fn fresh(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    fn dims(&self, var: Var) -> &[DimId] {
        &self.routine.vars[var.0 as usize].dims
    }

    fn product(&self, dims: &[DimId]) -> String {
        if dims.is_empty() {
            return "1usize".into();
        }
        dims.iter().map(|d| size(self.statement, *d)).collect::<Vec<_>>().join(" * ")
    }

    fn extent(&self, var: Var) -> String {
        self.product(self.dims(var))
    }

    // ---- places ----------------------------------------------------------------------------------------------------

    /// How many axes an index covers.
    fn covers(&self, index: &Index) -> usize {
        match index {
            Index::Var(v) => self.dims(*v).len(),
            Index::First | Index::Map(..) => 1,
        }
    }

    /// The flat place as an expression. Partial maps are bound around it: `guards` get name and lookup.
    fn place(&mut self, axes: &[DimId], at: &[Index], guards: &mut Vec<(String, String)>) -> String {
        let mut text = String::new();
        let mut axis = 0;
        for index in at {
            let wide = self.covers(index);
            let extent = self.product(&axes[axis..axis + wide]);
            axis += wide;
            let position = self.position(index, guards);
            text = match (text.as_str(), position.as_str()) {
                ("" | "0usize", _) => position,
                (_, "0usize") => format!("({text}) * ({extent})"),
                _ => format!("({text}) * ({extent}) + {position}"),
            };
        }
        if text.is_empty() { "0usize".into() } else { text }
    }

    fn position(&mut self, index: &Index, guards: &mut Vec<(String, String)>) -> String {
        match index {
            Index::Var(v) => format!("i{}", v.0),
            Index::First => "0usize".into(),
            Index::Map(m, args) => {
                let map = &self.statement.maps()[m.0 as usize];
                let from = map.from.clone();
                if let MapKind::Part { split, part } = map.kind {
                    let arg = self.position(&args[0], guards);
                    let offset = self.part_offset(split, part);
                    return if offset.is_empty() { arg } else { format!("({offset} + {arg})") };
                }
                let name = self.statement.maps()[m.0 as usize].name.text.clone();
                let partial = matches!(self.statement.maps()[m.0 as usize].kind, MapKind::Partial);
                let known = self.looked_up.iter().find(|(i, _)| i == index).map(|(_, n)| n.clone());
                if partial {
                    let lookup = match known {
                        Some(known) => known,
                        None => format!("self.map_{name}.at({})", self.place(&from, args, guards)),
                    };
                    let bound = self.fresh("k");
                    guards.push((bound.clone(), lookup));
                    bound
                } else {
                    match known {
                        Some(known) => known,
                        None => format!("self.map_{name}.at({})", self.place(&from, args, guards)),
                    }
                }
            }
        }
    }

    fn part_offset(&self, split: u32, part: u32) -> String {
        let parts = &self.statement.splits()[split as usize].parts[..part as usize];
        parts
            .iter()
            .map(|m| size(self.statement, self.statement.maps()[m.0 as usize].from[0]))
            .collect::<Vec<_>>()
            .join(" + ")
    }

    fn axes(&self, id: BufferId) -> Vec<DimId> {
        self.routine.buffers[id.0 as usize].axes.clone()
    }

    /// An element as a place expression, behind its guards.
    fn element(&mut self, id: BufferId, at: &[Index], guards: &mut Vec<(String, String)>) -> String {
        if let Some((base, var)) = self.row_of(id, at)
            && let Some(row) = self.rows.iter().find(|r| r.buffer == id && r.var == var && r.base == base)
        {
            let at = if self.lane == Some(var) { "lane".to_string() } else { format!("i{}", var.0) };
            return format!("{}[{at}]", row.name);
        }
        let axes = self.axes(id);
        let place = self.place(&axes, at, guards);
        format!("{}[{place}]", buffer(id))
    }

    /// If the access runs along memory with its last variable: the place of the row, and the variable.
    fn row_of(&mut self, id: BufferId, at: &[Index]) -> Option<(String, Var)> {
        let (last, init) = at.split_last()?;
        let (var, part) = match last {
            Index::Var(v) => (*v, None),
            Index::Map(m, args) => match (&self.statement.maps()[m.0 as usize].kind, args.as_slice()) {
                (MapKind::Part { .. }, [Index::Var(v)]) => (*v, Some(*m)),
                _ => return None,
            },
            Index::First => return None,
        };
        if init.iter().any(|i| i.has(var)) {
            return None;
        }
        let mut start = init.to_vec();
        let wide = self.dims(var).len();
        // Unguarded only: a row that may not be there is no row.
        if start.iter().any(|i| self.partial(i)) {
            return None;
        }
        if let Some(m) = part {
            let MapKind::Part { split, part } = self.statement.maps()[m.0 as usize].kind else { return None };
            let axes = self.axes(id);
            let row = self.product(&axes[axes.len() - 1..]);
            let before = self.place(&axes[..axes.len() - 1], &start, &mut vec![]);
            let offset = self.part_offset(split, part);
            let offset = if offset.is_empty() { "0usize".into() } else { offset };
            return Some((format!("({before}) * ({row}) + {offset}"), var));
        }
        start.extend(std::iter::repeat_n(Index::First, wide));
        let axes = self.axes(id);
        let base = self.place(&axes, &start, &mut vec![]);
        Some((base, var))
    }

    fn partial(&self, index: &Index) -> bool {
        match index {
            Index::Var(_) | Index::First => false,
            Index::Map(m, args) => self.routine.partial[m.0 as usize] || args.iter().any(|a| self.partial(a)),
        }
    }

    fn guarded(guards: &[(String, String)], inner: &str, none: &str) -> String {
        guards.iter().rev().fold(inner.to_string(), |inner, (name, lookup)| {
            format!("match {lookup} {{ ::core::option::Option::Some({name}) => {{ {inner} }} ::core::option::Option::None => {{ {none} }} }}")
        })
    }

    // ---- scalars ---------------------------------------------------------------------------------------------------

    fn number(&mut self, q: &Rational) -> String {
        let at = self.numbers.iter().position(|n| n == q).unwrap_or_else(|| {
            self.numbers.push(q.clone());
            self.numbers.len() - 1
        });
        format!("q{at}.clone()")
    }

    fn scalar(&mut self, s: &Scalar) -> String {
        const ZERO: &str = "<Num as ::pullback::__macro::Scalar>::zero()";
        match s {
            Scalar::Number(q) => self.number(q),
            Scalar::Param(p) => format!("self.param_{}.clone()", self.statement.params()[p.0 as usize].name),
            Scalar::Size(d) => {
                format!("<Num as ::pullback::__macro::Scalar>::from_usize({})", size(self.statement, *d))
            }
            Scalar::Temp(t) => format!("t{}.clone()", t.0),
            Scalar::Read(b, at) => {
                let mut guards = vec![];
                let element = self.element(*b, at, &mut guards);
                Self::guarded(&guards, &format!("{element}.clone()"), ZERO)
            }
            Scalar::Neg(a) => format!("(-{})", self.scalar(a)),
            Scalar::Add(a, b) => format!("({} + {})", self.scalar(a), self.scalar(b)),
            Scalar::Sub(a, b) => format!("({} - {})", self.scalar(a), self.scalar(b)),
            Scalar::Mul(a, b) => format!("({} * {})", self.scalar(a), self.scalar(b)),
            Scalar::Div(a, b) => format!("({} / {})", self.scalar(a), self.scalar(b)),
            Scalar::Pow(a, k) => {
                let base = self.scalar(a);
                match k {
                    1 => base,
                    2 => format!("{{ let a = {base}; a.clone() * a }}"),
                    3 => format!("{{ let a = {base}; a.clone() * a.clone() * a }}"),
                    _ => format!("<Num as ::pullback::__macro::Scalar>::powi({base}, {k}i32)"),
                }
            }
            Scalar::Call(function, a) => {
                let a = self.scalar(a);
                // The traits name them as the language does.
                let (owner, name) = (if function.is_rational() { "Scalar" } else { "Real" }, function.name());
                format!("<Num as ::pullback::__macro::{owner}>::{name}({a})")
            }
            Scalar::Equal(a, b) => {
                let mut guards = vec![];
                let (a, b) = (self.position(a, &mut guards), self.position(b, &mut guards));
                let one = "<Num as ::pullback::__macro::Scalar>::one()";
                Self::guarded(&guards, &format!("if {a} == {b} {{ {one} }} else {{ {ZERO} }}"), ZERO)
            }
            Scalar::If { comparison, left, right, then, otherwise } => {
                let literal_zero = |s: &Scalar| matches!(s, Scalar::Number(q) if *q.numer() == 0.into());
                let difference = if literal_zero(right) {
                    self.scalar(left)
                } else if literal_zero(left) {
                    format!("(-{})", self.scalar(right))
                } else {
                    format!("({} - {})", self.scalar(left), self.scalar(right))
                };
                let test = match comparison {
                    Comparison::Greater => format!("<Num as ::pullback::__macro::Scalar>::is_positive(&{difference})"),
                    Comparison::GreaterOrEqual => format!(
                        "{{ let d = {difference}; <Num as ::pullback::__macro::Scalar>::is_positive(&d) || <Num as ::pullback::__macro::Scalar>::is_zero(&d) }}"
                    ),
                };
                let (then, otherwise) = (self.scalar(then), self.scalar(otherwise));
                format!("if {test} {{ {then} }} else {{ {otherwise} }}")
            }
        }
    }

    // ---- steps -----------------------------------------------------------------------------------------------------

    fn step(&mut self, step: &Step) {
        match step {
            Step::Check(check) => {
                let value = self.scalar(&check.value);
                let at = self.checks.iter().position(|c| *c == check.text).unwrap_or_else(|| {
                    self.checks.push(check.text.clone());
                    self.checks.len() - 1
                });
                let dims: Vec<DimId> = check.vars.iter().flat_map(|v| self.dims(*v).to_vec()).collect();
                let vars: Vec<Index> = check.vars.iter().map(|v| Index::Var(*v)).collect();
                let flat = self.place(&dims, &vars, &mut vec![]);
                let (positive, zero) = (
                    "<Num as ::pullback::__macro::Scalar>::is_positive(&value)",
                    "<Num as ::pullback::__macro::Scalar>::is_zero(&value)",
                );
                let broken = match check.sign {
                    Sign::Positive => format!("!{positive}"),
                    Sign::NonNegative => format!("!{positive} && !{zero}"),
                    Sign::NonZero => zero.to_string(),
                };
                let _ = writeln!(
                    self.out,
                    "{{ let value = {value}; if {broken} {{ return ::core::result::Result::Err(::pullback::__macro::DomainError::new(&CHECK{at}, {flat})); }} }}"
                );
            }
            Step::Loop { vars, body } => {
                if !self.whole(vars, body) {
                    self.nest(vars, body);
                }
            }
            Step::Let { temp, value } => {
                let value = self.scalar(value);
                let _ = writeln!(self.out, "let t{} = {value};", temp.0);
            }
            Step::Start { temp, value } => {
                let value = match value {
                    Some(value) => self.scalar(value),
                    None => "<Num as ::pullback::__macro::Scalar>::zero()".into(),
                };
                let _ = writeln!(self.out, "let mut t{} = {value};", temp.0);
            }
            Step::Fold { temp, how, value } => {
                let value = self.scalar(value);
                let t = temp.0;
                let accumulator = if self.lane.is_some() { format!("lanes{t}[lane]") } else { format!("t{t}") };
                let _ = match how {
                    Reduction::Sum => {
                        writeln!(
                            self.out,
                            "<Num as ::pullback::__macro::Scalar>::accumulate(&mut {accumulator}, {value});"
                        )
                    }
                    Reduction::Max => {
                        writeln!(
                            self.out,
                            "{accumulator} = <Num as ::pullback::__macro::Scalar>::maximum({accumulator}.clone(), {value});"
                        )
                    }
                };
            }
            Step::Set { target, at, value } | Step::Add { target, at, value } => {
                let value = self.scalar(value);
                let mut guards = vec![];
                let element = self.element(*target, at, &mut guards);
                let write = if matches!(step, Step::Set { .. }) {
                    format!("{element} = {value};")
                } else {
                    // The value may read the buffer that it goes to.
                    format!(
                        "let value = {value}; <Num as ::pullback::__macro::Scalar>::accumulate(&mut {element}, value);"
                    )
                };
                let text = Self::guarded(&guards, &write, "");
                let _ = writeln!(self.out, "{{ {text} }}");
            }
            Step::Zero { target } => {
                // A fresh draft is zero already.
                if self.depth == 0 && !self.written.contains(target) {
                    return;
                }
                let _ = writeln!(self.out, "{}.fill(<Num as ::pullback::__macro::Scalar>::zero());", buffer(*target));
            }
            Step::Gemm(gemm) => self.gemm(gemm),
            Step::Carry { target, source, map, forward } => self.carry(*target, *source, map.0, *forward),
        }
        match step {
            Step::Set { target, .. } | Step::Add { target, .. } | Step::Zero { target } => self.written.push(*target),
            Step::Gemm(gemm) => self.written.push(gemm.target.buffer),
            _ => {}
        }
    }

    /// A loop that does nothing but make one result, element after element, makes it as a tensor: nothing is zeroed first.
    fn whole(&mut self, vars: &[Var], body: &[Step]) -> bool {
        let ([var], Some((Step::Set { target, at, value }, before))) = (vars, body.split_last()) else { return false };
        let buffer_of = &self.routine.buffers[target.0 as usize];
        let result = matches!(buffer_of.role, Role::Result(_) | Role::Gradient(_));
        let all = *at == [Index::Var(*var)] && buffer_of.axes == self.dims(*var);
        let named = before.iter().all(|s| matches!(s, Step::Let { .. }));
        let mut reads_itself = false;
        for value in before
            .iter()
            .filter_map(|s| if let Step::Let { value, .. } = s { Some(value) } else { None })
            .chain([value])
        {
            value.visit(&mut |part| reads_itself |= matches!(part, Scalar::Read(b, _) if b == target));
        }
        let once = self.routine.steps.iter().map(|s| writers(s, *target)).sum::<usize>() == 1;
        if self.depth > 0 || !(result && all && named && once) || reads_itself {
            return false;
        }
        let (rows, looked_up) = (self.rows.len(), self.looked_up.len());
        self.lookups(*var, body);
        self.slice_rows(
            *var,
            &[before, &[Step::Let { temp: pullback_schedule::Temp(u32::MAX), value: value.clone() }]].concat(),
        );
        let name = buffer(*target);
        let _ = writeln!(self.out, "let {name}_tensor = ::pullback::__macro::Tensor::from_fn(|i{}| {{", var.0);
        self.depth += 1;
        before.iter().for_each(|s| self.step(s));
        self.depth -= 1;
        let value = self.scalar(value);
        let extent = self.extent(*var);
        let _ = writeln!(self.out, "{value}\n}});");
        if self.read_elsewhere(*target) {
            let _ = writeln!(self.out, "let {name} = &{name}_tensor.as_slice()[..{extent}];");
        }
        self.rows.truncate(rows);
        self.looked_up.truncate(looked_up);
        self.carried.push(*target);
        true
    }

    fn read_elsewhere(&self, target: BufferId) -> bool {
        used(self.routine).0.contains(&target)
    }

    /// A loop that accumulates runs in lanes: one chain of additions would wait for each before the next.
    /// The order of the additions is fixed, so the result is the same on every run.
    fn lanes(&mut self, var: Var, body: &[Step]) -> bool {
        const LANES: usize = 8;
        let folds: Vec<(u32, Reduction)> = body
            .iter()
            .filter_map(|s| if let Step::Fold { temp, how, .. } = s { Some((temp.0, *how)) } else { None })
            .collect();
        let simple = body.iter().all(|s| matches!(s, Step::Let { .. } | Step::Fold { .. } | Step::Set { .. }));
        if folds.is_empty() || !simple {
            return false;
        }
        let extent = self.extent(var);
        let i = format!("i{}", var.0);
        let _ = writeln!(self.out, "let whole = ({extent}) - ({extent}) % {LANES};\nlet mut start = 0usize;");
        for (t, how) in &folds {
            let first = match how {
                Reduction::Sum => "<Num as ::pullback::__macro::Scalar>::zero()".to_string(),
                Reduction::Max => format!("t{t}.clone()"),
            };
            let _ = writeln!(self.out, "let mut lanes{t}: [Num; {LANES}] = ::core::array::from_fn(|_| {first});");
        }
        let _ = writeln!(self.out, "while start < whole {{");
        let saved: Vec<(usize, String)> =
            self.rows.iter().enumerate().filter(|(_, r)| r.var == var).map(|(k, r)| (k, r.name.clone())).collect();
        for (k, name) in &saved {
            let mutable = self.rows[*k].written;
            let reference = if mutable { "&mut " } else { "&" };
            let _ = writeln!(self.out, "let {name}c = {reference}{name}[start..][..{LANES}];");
            self.rows[*k].name = format!("{name}c");
        }
        self.lane = Some(var);
        let _ = writeln!(self.out, "for lane in 0..{LANES}usize {{\nlet {i} = start + lane; let _ = {i};");
        body.iter().for_each(|s| self.step(s));
        self.lane = None;
        for (k, name) in saved {
            self.rows[k].name = name;
        }
        let _ = writeln!(self.out, "}}\nstart += {LANES};\n}}");
        for (t, how) in &folds {
            let names: Vec<String> = (0..LANES).map(|k| format!("a{k}")).collect();
            let mut level = names.clone();
            while level.len() > 1 {
                level = level
                    .chunks(2)
                    .map(|pair| match how {
                        Reduction::Sum => format!("({} + {})", pair[0], pair[1]),
                        Reduction::Max => {
                            format!("<Num as ::pullback::__macro::Scalar>::maximum({}, {})", pair[0], pair[1])
                        }
                    })
                    .collect();
            }
            let joined = match how {
                Reduction::Sum => format!("<Num as ::pullback::__macro::Scalar>::accumulate(&mut t{t}, {});", level[0]),
                Reduction::Max => format!("t{t} = <Num as ::pullback::__macro::Scalar>::maximum(t{t}, {});", level[0]),
            };
            let _ = writeln!(self.out, "let [{}] = lanes{t};\n{joined}", names.join(", "));
        }
        let _ = writeln!(self.out, "for {i} in whole..{extent} {{");
        body.iter().for_each(|s| self.step(s));
        self.out.push_str("}\n");
        true
    }

    fn nest(&mut self, vars: &[Var], body: &[Step]) {
        let Some((innermost, outer)) = vars.split_last() else {
            body.iter().for_each(|s| self.step(s));
            return;
        };
        for v in outer {
            let extent = self.extent(*v);
            let _ = writeln!(self.out, "for i{} in 0..{extent} {{", v.0);
        }
        let (rows, looked_up) = (self.rows.len(), self.looked_up.len());
        if !body.iter().any(|s| matches!(s, Step::Loop { .. } | Step::Gemm(_))) {
            self.lookups(*innermost, body);
            self.slice_rows(*innermost, body);
        }
        self.depth += 1;
        self.out.push_str("{\n");
        if !self.lanes(*innermost, body) {
            let extent = self.extent(*innermost);
            let _ = writeln!(self.out, "for i{} in 0..{extent} {{", innermost.0);
            body.iter().for_each(|s| self.step(s));
            self.out.push_str("}\n");
        }
        self.depth -= 1;
        self.rows.truncate(rows);
        self.looked_up.truncate(looked_up);
        for _ in vars {
            self.out.push_str("}\n");
        }
    }

    /// Map values that the innermost loop does not change are looked up before it.
    fn lookups(&mut self, innermost: Var, body: &[Step]) {
        fn maps<'a>(i: &'a Index, f: &mut impl FnMut(&'a Index)) {
            if let Index::Map(_, args) = i {
                args.iter().for_each(|a| maps(a, f));
                f(i);
            }
        }
        let mut found: Vec<Index> = vec![];
        for step in body {
            let mut see = |i: &Index| {
                maps(i, &mut |m| {
                    if !found.contains(m) {
                        found.push(m.clone());
                    }
                });
            };
            step.scalars(&mut |s| {
                s.visit(&mut |part| match part {
                    Scalar::Read(_, at) => at.iter().for_each(&mut see),
                    Scalar::Equal(a, b) => {
                        see(a);
                        see(b);
                    }
                    _ => {}
                });
            });
            if let Step::Set { at, .. } | Step::Add { at, .. } = step {
                at.iter().for_each(&mut see);
            }
        }
        for index in found {
            let Index::Map(m, args) = &index else { continue };
            if index.has(innermost) || matches!(self.statement.maps()[m.0 as usize].kind, MapKind::Part { .. }) {
                continue;
            }
            // An argument that may be undefined is looked up where it is used.
            if args.iter().any(|a| self.partial(a)) {
                continue;
            }
            let map = &self.statement.maps()[m.0 as usize];
            let (name, from) = (map.name.text.clone(), map.from.clone());
            let place = self.place(&from, args, &mut vec![]);
            let local = self.fresh("m");
            let _ = writeln!(self.out, "let {local} = self.map_{name}.at({place});");
            self.looked_up.push((index, local));
        }
    }

    fn slice_rows(&mut self, innermost: Var, body: &[Step]) {
        let mut accesses: Vec<(BufferId, Vec<Index>, bool)> = vec![];
        for step in body {
            step.scalars(&mut |s| {
                s.visit(&mut |part| {
                    if let Scalar::Read(b, at) = part {
                        accesses.push((*b, at.clone(), false));
                    }
                });
            });
            match step {
                Step::Set { target, at, .. } | Step::Add { target, at, .. } => {
                    accesses.push((*target, at.clone(), true))
                }
                Step::Zero { .. } => return,
                _ => {}
            }
        }
        let extent = self.extent(innermost);
        let mut done: Vec<(BufferId, String)> = vec![];
        for (id, at, _) in &accesses {
            let Some((base, var)) = self.row_of(*id, at) else { continue };
            if var != innermost || done.contains(&(*id, base.clone())) {
                continue;
            }
            let same: Vec<&(BufferId, Vec<Index>, bool)> = accesses.iter().filter(|a| a.0 == *id).collect();
            let written = same.iter().any(|a| a.2);
            if written {
                // A row that is written must be the only way to the buffer in this loop.
                let all_same =
                    same.iter().all(|a| self.row_of(*id, &a.1).is_some_and(|(b, v)| b == base && v == innermost));
                if !all_same {
                    continue;
                }
            }
            let name = self.fresh("r");
            let reference = if written { "&mut " } else { "&" };
            let _ = writeln!(self.out, "let {name} = {reference}{}[{base}..][..{extent}];", buffer(*id));
            done.push((*id, base.clone()));
            self.rows.push(Row { buffer: *id, base, name, var, written });
        }
    }

    /// Offset and strides of an operand.
    fn operand(&mut self, operand: &Operand, rows: &[Var], columns: &[Var]) -> [String; 3] {
        let axes = self.axes(operand.buffer);
        let fixed: Vec<Index> = operand
            .at
            .iter()
            .map(|i| match i {
                Index::Var(v) if rows.contains(v) || columns.contains(v) => Index::First,
                // A part of a split: its first place.
                other => other.replace(&|v| (rows.contains(&v) || columns.contains(&v)).then_some(Index::First)),
            })
            .collect();
        // A group's variable covers its axes with first positions.
        let mut spread = vec![];
        for (old, new) in operand.at.iter().zip(fixed) {
            if new == Index::First {
                spread.extend(std::iter::repeat_n(Index::First, self.covers(old)));
            } else {
                spread.push(new);
            }
        }
        let offset = self.place(&axes, &spread, &mut vec![]);
        let stride = |group: &[Var]| -> String {
            let Some(last) = group.last() else { return "1usize".into() };
            let mut axis = 0;
            for i in &operand.at {
                axis += self.covers(i);
                if i.has(*last) {
                    return self.product(&axes[axis..]);
                }
            }
            "1usize".into()
        };
        [offset, stride(rows), stride(columns)]
    }

    fn gemm(&mut self, gemm: &Gemm) {
        let group = |w: &Self, vars: &[Var]| {
            let dims: Vec<DimId> = vars.iter().flat_map(|v| w.dims(*v).to_vec()).collect();
            w.product(&dims)
        };
        let (m, n, k) = (group(self, &gemm.m), group(self, &gemm.n), group(self, &gemm.k));
        let target = self.operand(&gemm.target, &gemm.m, &gemm.n);
        let left = self.operand(&gemm.left, &gemm.m, &gemm.k);
        let right = self.operand(&gemm.right, &gemm.k, &gemm.n);
        let _ = writeln!(
            self.out,
            "<Num as ::pullback::__macro::Scalar>::gemm({m}, {k}, {n}, &mut {}[..], {}, &{}[..], {}, &{}[..], {});",
            buffer(gemm.target.buffer),
            target.join(", "),
            buffer(gemm.left.buffer),
            left.join(", "),
            buffer(gemm.right.buffer),
            right.join(", "),
        );
    }

    fn carry(&mut self, target: BufferId, source: BufferId, map: u32, forward: bool) {
        let name = self.statement.maps()[map as usize].name.text.clone();
        let lookup = if forward { "inverse_at" } else { "at" };
        let role = |b: BufferId| self.routine.buffers[b.0 as usize].role;
        let (to, from) = (buffer(target), buffer(source));
        if matches!(role(target), Role::Result(_) | Role::Gradient(_)) && matches!(role(source), Role::Given(_)) {
            let _ = writeln!(
                self.out,
                "let {to}_tensor = if self.map_{name}.is_identity() {{ {from}_tensor.clone().reshape() }} else {{ ::pullback::__macro::Tensor::from_fn(|at| {from}[self.map_{name}.{lookup}(at)].clone()) }};"
            );
            self.carried.push(target);
            self.tensors.push(source);
        } else {
            let _ = writeln!(
                self.out,
                "for at in 0..{to}.len() {{ {to}[at] = {from}[self.map_{name}.{lookup}(at)].clone(); }}"
            );
        }
    }
}
