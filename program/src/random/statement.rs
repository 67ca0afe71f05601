//! Random statements, as text: formulas without a rule, in which every index of a product is a variable or one through a map.
//!
//! | an axis is read at | over |
//! | --- | --- |
//! | a variable | a pack, or any dimension |
//! | `f(i)`, a map that may name a place twice | `m -> n` |
//! | `g(i)`, a partial map | `n -> m` |
//! | `r(i)`, a bijection; `flat(i, j)`, one of two variables | `n -> n`; `m * n -> e` |
//! | `lo(i)`, `hi(i)`, the parts of a split | `p`, `q -> k` |
//! | any of these of any other | |
//!
//! The same stand on left sides, where the language has them there.
//! Only what a statement uses is declared in it. Everything follows from the bits that are drawn.
//! This module must never know what a statement means: it is text for whoever reads statements, and needs nothing but bits.

use std::collections::BTreeSet;

/// What kind of statement is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Only functions that have a value on exact rationals.
    pub rational: bool,
    /// Arguments of exponentials are bounded, so that values stay moderate at every size.
    pub mild: bool,
    /// Sums of products, which a schedule makes matrix products of, in most places.
    pub products: bool,
}

/// Dimensions: a pack, two that maps go between, the two parts of a split and its whole, and what two are laid out along.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Dim {
    S,
    M,
    N,
    P,
    Q,
    K,
    E,
}

use Dim::{E, K, M, N, P, Q, S};

/// Dimensions of axes and sums; those that maps go between more often.
const DRAWN: [Dim; 12] = [M, M, M, N, N, N, S, P, P, Q, K, E];

impl Dim {
    fn name(self) -> &'static str {
        match self {
            S => "s..",
            M => "m",
            N => "n",
            P => "p",
            Q => "q",
            K => "k",
            E => "e",
        }
    }
}

/// A name in scope: an index variable.
type Variable = (String, Dim);

/// A place of a left side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Plain(Dim),
    /// Under the bijection of one variable.
    Carried,
    /// Under the bijection of two.
    Flat,
    /// A clause for each part.
    Parts,
}

struct Generator<'a> {
    bits: &'a mut dyn FnMut() -> u64,
    style: Style,
    /// Index variables in scope.
    scope: Vec<Variable>,
    names: usize,
    /// Names of tensors and their axes.
    tensors: Vec<(String, Vec<Dim>)>,
    inputs: usize,
    used: BTreeSet<Dim>,
    maps: BTreeSet<&'static str>,
    /// Sums that are open: each doubles the size of the normal form.
    sums: usize,
}

/// Inputs of a statement, at most.
const INPUTS: usize = 4;
/// Axes of a tensor, at most.
const RANK: usize = 4;

/// A random statement of that name: inputs, perhaps a `let`, one output or two, and no rule.
pub fn text(name: &str, style: Style, bits: &mut dyn FnMut() -> u64) -> String {
    let mut generator = Generator {
        bits,
        style,
        scope: vec![],
        names: 0,
        tensors: vec![],
        inputs: 0,
        used: BTreeSet::new(),
        maps: BTreeSet::new(),
        sums: 0,
    };
    generator.contract(name)
}

impl Generator<'_> {
    fn below(&mut self, n: usize) -> usize {
        ((self.bits)() % n.max(1) as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn dim(&mut self) -> Dim {
        self.pick(&DRAWN)
    }

    fn map(&mut self, name: &'static str) {
        self.maps.insert(name);
        self.used.extend(match name {
            "f" | "g" => vec![M, N],
            "r" => vec![N],
            "flat" => vec![M, N, E],
            _ => vec![P, Q, K],
        });
    }

    /// A fresh variable with its binder.
    fn variable(&mut self, stem: &str, dim: Dim) -> (Variable, String) {
        self.used.insert(dim);
        let name = self.fresh(stem);
        let dots = if dim == S { ".." } else { "" };
        let binder = format!("{name}{dots}: {}", dim.name());
        ((format!("{name}{dots}"), dim), binder)
    }

    // ---- reads -----------------------------------------------------------------------------------------------------

    /// An index of one variable: itself, or through maps; and the dimension that it reads along.
    fn reach(&mut self, (mut text, mut dim): Variable) -> Variable {
        for _ in 0..2 {
            let map: Option<(&'static str, Dim)> = match dim {
                M if self.chance(2) => Some(("f", N)),
                N => [None, Some(("r", N)), Some(("g", M))][self.below(3)],
                P if self.chance(2) => Some(("lo", K)),
                Q if self.chance(2) => Some(("hi", K)),
                _ => None,
            };
            let Some((map, to)) = map else { break };
            self.map(map);
            (text, dim) = (format!("{map}({text})"), to);
            if !self.chance(4) {
                break;
            }
        }
        (text, dim)
    }

    /// A read whose indices run with exactly these variables.
    fn operand(&mut self, variables: &[Variable]) -> String {
        let mut left: Vec<Variable> = variables.to_vec();
        for i in (1..left.len()).rev() {
            let j = self.below(i + 1);
            left.swap(i, j);
        }
        let mut indices: Vec<Variable> = vec![];
        let two = [M, N].map(|dim| left.iter().position(|v| v.1 == dim));
        if let [Some(i), Some(j)] = two
            && self.chance(5)
        {
            self.map("flat");
            indices.push((format!("flat({}, {})", left[i].0, left[j].0), E));
            left = left.into_iter().enumerate().filter(|(k, _)| ![i, j].contains(k)).map(|(_, v)| v).collect();
        }
        for variable in left {
            let index = self.reach(variable);
            let at = self.below(indices.len() + 1);
            indices.insert(at, index);
        }
        indices.truncate(RANK);
        let axes: Vec<Dim> = indices.iter().map(|i| i.1).collect();
        self.used.extend(&axes);
        let fitting: Vec<String> = self.tensors.iter().filter(|t| t.1 == axes).map(|t| t.0.clone()).collect();
        let name = if !fitting.is_empty() && (self.inputs >= INPUTS || self.chance(2)) {
            self.pick(&fitting)
        } else if self.inputs < INPUTS {
            self.inputs += 1;
            let name = format!("x{}", self.inputs);
            self.tensors.push((name.clone(), axes));
            name
        } else {
            return self.read();
        };
        let at: Vec<String> = indices.into_iter().map(|i| i.0).collect();
        if at.is_empty() { name } else { format!("{name}[{}]", at.join(", ")) }
    }

    /// An index for an axis: a variable in scope, or one through a map.
    fn index(&mut self, dim: Dim) -> Option<String> {
        let mut ways = Vec::new();
        for (v, d) in self.scope.clone() {
            match (d, dim) {
                (a, b) if a == b => {
                    ways.extend([v.clone(), v.clone(), v.clone()]);
                    match a {
                        N => ways.push(format!("r({v})")),
                        M => ways.push(format!("g(f({v}))")),
                        _ => {}
                    }
                }
                (M, N) => ways.push(format!("f({v})")),
                (N, M) => ways.push(format!("g({v})")),
                (P, K) => ways.push(format!("lo({v})")),
                (Q, K) => ways.push(format!("hi({v})")),
                _ => {}
            }
        }
        if ways.is_empty() {
            return None;
        }
        let way = self.pick(&ways);
        for map in ["f", "g", "r", "lo", "hi"] {
            if way.contains(&format!("{map}(")) {
                self.map(map);
            }
        }
        Some(way)
    }

    /// A tensor that is there, if the scope has indices for it; else one over some of the scope.
    fn read(&mut self) -> String {
        for _ in 0..8 {
            if self.tensors.is_empty() {
                break;
            }
            let tensors = self.tensors.clone();
            let (name, axes) = self.pick(&tensors);
            let at: Option<Vec<String>> = axes.iter().map(|d| self.index(*d)).collect();
            match at {
                Some(at) if at.is_empty() => return name,
                Some(at) => return format!("{name}[{}]", at.join(", ")),
                None => {}
            }
        }
        if self.inputs < INPUTS {
            let scope = self.scope.clone();
            let some: Vec<Variable> = scope.into_iter().filter(|_| !self.chance(3)).take(RANK).collect();
            return self.operand(&some);
        }
        "2".into()
    }

    // ---- expressions -----------------------------------------------------------------------------------------------

    /// A sum of a product of reads, each with some of the variables.
    fn product(&mut self) -> String {
        let mut summed = vec![];
        let mut binders = vec![];
        for _ in 0..1 + self.below(4) / 3 {
            let dim = self.dim();
            let (variable, binder) = self.variable("c", dim);
            summed.push(variable);
            binders.push(binder);
        }
        let (mut left, mut right) = (summed.clone(), summed.clone());
        for variable in self.scope.clone() {
            match self.below(7) {
                0..=2 => left.push(variable),
                3..=5 => right.push(variable),
                _ => {
                    left.push(variable.clone());
                    right.push(variable);
                }
            }
        }
        left.truncate(RANK);
        right.truncate(RANK);
        let mut factors = vec![self.operand(&left), self.operand(&right)];
        match self.below(8) {
            0 => {
                let third = self.operand(&summed);
                factors.push(third);
            }
            1 => {
                // What is summed meets what is not, or itself.
                let own = self.reach(summed[0].clone());
                let scope = self.scope.clone();
                let fitting: Vec<Variable> =
                    scope.into_iter().map(|v| self.reach(v)).filter(|v| v.1 == own.1 && v.1 != S).collect();
                if !fitting.is_empty() {
                    let other = self.pick(&fitting);
                    factors.push(format!("[{} == {}]", own.0, other.0));
                }
            }
            _ => {}
        }
        format!("(sum({}) {})", binders.join(", "), factors.join(" * "))
    }

    /// Something positive, for denominators and roots.
    fn positive(&mut self, depth: usize) -> String {
        let inner = self.expression(depth.saturating_sub(1));
        match self.below(3) {
            0 => format!("(1 + ({inner})^2)"),
            _ if self.style.rational => format!("(3 / 2 + ({inner})^2)"),
            1 => format!("(2 + sin({inner})^2)"),
            _ if self.style.mild => format!("exp(sin({inner}) / 4)"),
            _ => format!("exp({inner} / 4)"),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if self.style.products && self.sums == 0 && self.chance(3) {
            return self.product();
        }
        if depth == 0 {
            return match self.below(8) {
                0 => {
                    let number = self.pick(&["1", "2", "0.5", "size", "3", "0.1", "6.02214076e-3"]);
                    if number == "size" {
                        self.used.insert(N);
                        "|n|".into()
                    } else {
                        number.into()
                    }
                }
                1 if self.scope.iter().filter(|v| v.1 != S).count() >= 2 => {
                    let scope: Vec<Variable> = self.scope.iter().filter(|v| v.1 != S).cloned().collect();
                    let (a, d) = self.pick(&scope);
                    match self.index(d) {
                        Some(b) => format!("[{a} == {b}]"),
                        None => a,
                    }
                }
                _ => self.read(),
            };
        }
        let d = depth - 1;
        let kinds = if self.style.rational { 10 } else { 14 };
        match self.below(kinds) {
            0 | 1 => format!("({} + {})", self.expression(d), self.expression(d)),
            2 => format!("({} - {})", self.expression(d), self.expression(d)),
            3..=5 => format!("{} * {}", self.factor(d), self.factor(d)),
            6 if self.sums < 2 => {
                let dim = self.dim();
                let (variable, binder) = self.variable("c", dim);
                self.scope.push(variable);
                self.sums += 1;
                let body = self.factor(d);
                self.sums -= 1;
                self.scope.pop();
                format!("(sum({binder}) {body})")
            }
            7 => format!("{} / {}", self.factor(d), self.positive(d)),
            8 => format!("{}^{}", self.factor(d), 2 + self.below(2)),
            9 if self.style.rational => format!("recip({})", self.positive(d)),
            10 => {
                let f = self.pick(&["tanh", "sin", "cos"]);
                format!("{f}({})", self.expression(d))
            }
            11 if self.style.mild => format!("exp(cos({}) / 4)", self.factor(d)),
            11 => format!("exp({} / 4)", self.factor(d)),
            12 => {
                let f = self.pick(&["log", "sqrt", "rsqrt", "recip"]);
                format!("{f}({})", self.positive(d))
            }
            _ => self.expression(d),
        }
    }

    fn factor(&mut self, depth: usize) -> String {
        let e = self.expression(depth);
        format!("({e})")
    }

    // ---- statements ------------------------------------------------------------------------------------------------

    /// The places of a left side.
    fn left(&mut self) -> Vec<Left> {
        let rank = self.below(if self.style.products { 4 } else { 3 });
        let mut places: Vec<Left> = vec![];
        for _ in 0..rank {
            let place = match self.below(9) {
                0 => Left::Carried,
                1 => Left::Flat,
                2 | 3 if !places.contains(&Left::Parts) => Left::Parts,
                _ => Left::Plain(self.dim()),
            };
            places.push(place);
        }
        places
    }

    /// Clauses that define a tensor at such places: one, or one for each part.
    fn clauses(&mut self, word: &str, name: &str, places: &[Left]) -> String {
        let parts: &[(&'static str, Dim)] =
            if places.contains(&Left::Parts) { &[("lo", P), ("hi", Q)] } else { &[("", K)] };
        let mut out = String::new();
        for (part, of) in parts {
            let mut at = vec![];
            self.scope.clear();
            for place in places {
                let (map, dims): (&'static str, Vec<Dim>) = match place {
                    Left::Plain(dim) => ("", vec![*dim]),
                    Left::Carried => ("r", vec![N]),
                    Left::Flat => ("flat", vec![M, N]),
                    Left::Parts => (part, vec![*of]),
                };
                let mut binders = vec![];
                for dim in dims {
                    let (variable, binder) = self.variable("i", dim);
                    self.scope.push(variable);
                    binders.push(binder);
                }
                if map.is_empty() {
                    at.extend(binders);
                } else {
                    self.map(map);
                    at.push(format!("{map}({})", binders.join(", ")));
                }
            }
            let depth = if self.style.products { 1 + self.below(2) } else { 2 + self.below(2) };
            let value = if self.style.products && !self.chance(3) { self.product() } else { self.expression(depth) };
            let at = if at.is_empty() { String::new() } else { format!("[{}]", at.join(", ")) };
            out.push_str(&format!("{word} {name}{at} = {value}\n"));
        }
        out
    }

    fn contract(&mut self, name: &str) -> String {
        let mut body = String::new();
        if self.chance(2) {
            let places: Vec<Left> = self.left().iter().map(|_| Left::Plain(self.dim())).collect();
            body.push_str(&self.clauses("let", "a", &places));
            self.tensors
                .push(("a".into(), places.iter().map(|p| if let Left::Plain(d) = p { *d } else { K }).collect()));
        }
        let outputs = if self.chance(4) { 2 } else { 1 };
        for output in 0..outputs {
            let places = self.left();
            let more = self.clauses("output", &format!("y{output}"), &places);
            body.push_str(&more);
        }
        let mut out = format!("contract {name} version 1\n");
        let dims: Vec<&str> = self.used.iter().map(|d| d.name()).collect();
        if !dims.is_empty() {
            out.push_str(&format!("dims {}\n", dims.join(", ")));
        }
        for (map, line) in [
            ("f", "map f: m -> n\n"),
            ("g", "partial map g: n -> m\n"),
            ("r", "bijection r: n -> n\n"),
            ("flat", "bijection flat: m * n -> e\n"),
            ("lo", "split lo: p, hi: q -> k\n"),
        ] {
            if self.maps.contains(map) || (map == "lo" && self.maps.contains("hi")) {
                out.push_str(line);
            }
        }
        let inputs: Vec<String> = self
            .tensors
            .iter()
            .filter(|t| t.0 != "a")
            .map(|(name, axes)| {
                let axes: Vec<&str> = axes.iter().map(|d| d.name()).collect();
                if axes.is_empty() { name.clone() } else { format!("{name}[{}]", axes.join(", ")) }
            })
            .collect();
        if !inputs.is_empty() {
            out.push_str(&format!("input {}\n", inputs.join(", ")));
        }
        out + &body
    }
}
