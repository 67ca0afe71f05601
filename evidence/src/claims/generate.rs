//! Random statements: partial functions with and without guards, `where` of them, `any`, maxima, ties, maps, parts of a split.
//!
//! They are text, as a person would write it, so that nothing of the kernel is trusted to make them.

use pullback_program::random::Random;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dim {
    M,
    N,
    /// The whole of a split into `m` and `n`.
    W,
}

impl Dim {
    fn name(self) -> &'static str {
        match self {
            Dim::M => "m",
            Dim::N => "n",
            Dim::W => "w",
        }
    }
}

struct Generator<'r> {
    random: &'r mut Random,
    scope: Vec<(String, Dim)>,
    tensors: Vec<(String, Vec<Dim>)>,
    names: usize,
    sums: usize,
    split: bool,
    /// Whether something with a kink was written, outside of the values of `any`.
    kinks: bool,
    /// Whether it may be.
    kinky: bool,
}

impl Generator<'_> {
    fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn index(&mut self, dim: Dim) -> Option<String> {
        let mut ways = Vec::new();
        for (v, d) in &self.scope {
            match (*d, dim) {
                (a, b) if a == b => {
                    ways.extend([v.clone(), v.clone(), v.clone()]);
                    if a == Dim::N {
                        ways.push(format!("r({v})"));
                    }
                }
                (Dim::M, Dim::N) => ways.push(format!("f({v})")),
                (Dim::N, Dim::M) => ways.push(format!("g({v})")),
                (Dim::M, Dim::W) => ways.push(format!("left({v})")),
                (Dim::N, Dim::W) => ways.push(format!("right({v})")),
                _ => {}
            }
        }
        (!ways.is_empty()).then(|| ways[self.random.below(ways.len())].clone())
    }

    fn read(&mut self) -> String {
        for _ in 0..8 {
            let (name, axes) = self.tensors[self.random.below(self.tensors.len())].clone();
            let at: Option<Vec<String>> = axes.iter().map(|d| self.index(*d)).collect();
            match at {
                Some(at) if at.is_empty() => return name,
                Some(at) => return format!("{name}[{}]", at.join(", ")),
                None => {}
            }
        }
        "2".into()
    }

    fn leaf(&mut self) -> String {
        match self.random.below(8) {
            0 => ["1", "2", "0.5", "|n|", "0"][self.random.below(5)].into(),
            1 if self.scope.len() > 1 => {
                let (a, d) = self.scope[self.random.below(self.scope.len())].clone();
                self.index(d).map_or_else(|| "1".into(), |b| format!("[{a} == {b}]"))
            }
            _ => self.read(),
        }
    }

    /// Under a binder.
    fn reduced(&mut self, word: &str, depth: usize) -> String {
        self.names += 1;
        let v = format!("k{}", self.names);
        let dim = if self.one_in(2) { Dim::M } else { Dim::N };
        self.scope.push((v.clone(), dim));
        self.sums += 1;
        let body = if word == "max" { self.read() } else { format!("({})", self.expression(depth)) };
        self.sums -= 1;
        self.scope.pop();
        format!("({word}({v}: {}) {body})", dim.name())
    }

    fn expression(&mut self, depth: usize) -> String {
        let Some(d) = depth.checked_sub(1) else { return self.leaf() };
        match self.random.below(20) {
            0..=2 => format!("({} + {})", self.expression(d), self.expression(d)),
            3 | 4 => format!("({} - {})", self.expression(d), self.expression(d)),
            5..=7 => format!("({}) * ({})", self.expression(d), self.expression(d)),
            8 if self.sums < 2 => self.reduced("sum", d),
            9 => format!("{}({})", ["tanh", "sin", "cos"][self.random.below(3)], self.expression(d)),
            10 => format!("exp(({}) / 4)", self.expression(d)),
            // Defined by the inputs or not.
            11 | 12 => format!("{}({})", ["log", "sqrt", "rsqrt", "recip"][self.random.below(4)], self.expression(d)),
            13 => format!("({}) / ({})", self.expression(d), self.expression(d)),
            14 => format!("({})^{}", self.expression(d), ["2", "3", "-1"][self.random.below(3)]),
            // Defined by its form.
            15 => {
                let inner = self.expression(d);
                let f = ["log", "sqrt", "rsqrt", "recip"][self.random.below(4)];
                [format!("{f}(1 + ({inner})^2)"), format!("{f}(exp({inner}))")][self.random.below(2)].clone()
            }
            16 | 17 if self.kinky => {
                self.kinks = true;
                let (a, b) = (self.expression(d), self.expression(d));
                match self.random.below(6) {
                    0 => format!("max({a}, {b})"),
                    1 => format!("min({a}, {b})"),
                    2 => format!("abs({a})"),
                    3 if self.sums < 2 => self.reduced("max", d),
                    // Guarded by what it needs, or by something else.
                    4 => {
                        let f = ["log", "sqrt", "recip"][self.random.below(3)];
                        format!("(if {a} > 0 then {f}({a}) else {b})")
                    }
                    _ => {
                        let c = [">", ">=", "<", "<="][self.random.below(4)];
                        format!("(if {} {c} 0 then {a} else {b})", self.leaf())
                    }
                }
            }
            _ => self.expression(d),
        }
    }

    fn binders(&mut self, axes: &[Dim]) -> String {
        self.scope = axes.iter().enumerate().map(|(k, d)| (["i", "j"][k].to_owned(), *d)).collect();
        let at: Vec<String> = self.scope.iter().map(|(v, d)| format!("{v}: {}", d.name())).collect();
        if at.is_empty() { String::new() } else { format!("[{}]", at.join(", ")) }
    }

    fn axes(&mut self) -> Vec<Dim> {
        let shapes: [&[Dim]; 7] =
            [&[], &[Dim::M], &[Dim::N], &[Dim::N], &[Dim::M, Dim::N], &[Dim::N, Dim::N], &[Dim::W]];
        shapes[self.random.below(if self.split { 7 } else { 6 })].to_vec()
    }

    fn clause(&mut self, word: &str, name: &str, depth: usize) -> String {
        let axes = self.axes();
        let at = self.binders(&axes);
        let value = self.expression(depth);
        self.tensors.push((name.to_owned(), axes));
        format!("{word} {name}{at} = {value}\n")
    }

    fn contract(&mut self) -> String {
        let mut out = String::from("contract c version 1\n");
        out += if self.split { "dims m, n, w\n" } else { "dims m, n\n" };
        out += "map f: m -> n\npartial map g: n -> m\nbijection r: n -> n\n";
        if self.split {
            out += "split left: m, right: n -> w\n";
        }
        let named = |name: &str, axes: &[Dim]| {
            let names: Vec<&str> = axes.iter().map(|d| d.name()).collect();
            if names.is_empty() { name.to_owned() } else { format!("{name}[{}]", names.join(", ")) }
        };
        let mut declared = Vec::new();
        for name in ["x", "u"].iter().take(1 + self.random.below(2)) {
            let axes = self.axes();
            declared.push(named(name, &axes));
            self.tensors.push(((*name).to_owned(), axes));
        }
        out += &format!("input {}\n", declared.join(", "));
        if self.one_in(3) {
            let axes = self.axes();
            out += &format!("constant c0 = {}\n", named("c0", &axes)).replace("c0 = ", "");
            self.tensors.push(("c0".to_owned(), axes));
        }
        if self.one_in(4) {
            out += "param eps > 0\n";
            self.tensors.push(("eps".to_owned(), Vec::new()));
        }
        for _ in 0..self.random.below(3) {
            let kinky = std::mem::replace(&mut self.kinky, false);
            let axes = self.axes();
            self.binders(&axes);
            let depth = self.random.below(3);
            let value = self.expression(depth);
            let sign = ["> 0", ">= 0", "!= 0", "> 0"][self.random.below(4)];
            out += &format!("where {value} {sign}\n");
            self.kinky = kinky;
        }
        if self.one_in(3) {
            out += &self.clause("let", "a", 2);
        }
        if self.one_in(3) {
            let (kinks, kinky) = (self.kinks, std::mem::replace(&mut self.kinky, true));
            let depth = 1 + self.random.below(2);
            let value = self.clause("any", "v", depth);
            (self.kinks, self.kinky) = (kinks, kinky);
            out += &value;
        }
        let any = self.tensors.iter().position(|(name, _)| name == "v").map(|at| self.tensors.remove(at));
        if self.one_in(4) {
            out += &self.clause("let", "b", 2);
        }
        let depth = 1 + self.random.below(3);
        let mut output = self.clause("output", "y", depth);
        if let Some((name, axes)) = any {
            // In a way that cancels.
            let at: Option<Vec<String>> = axes.iter().map(|d| self.index(*d)).collect();
            if let Some(at) = at {
                let v = if at.is_empty() { name } else { format!("{name}[{}]", at.join(", ")) };
                let value = output.trim_end().split_once(" = ").map_or_else(String::new, |p| p.1.to_owned());
                let form = match self.random.below(3) {
                    0 => format!("({value} - {v}) + {v}"),
                    1 => format!("exp(({value}) / 4 - {v}) * exp({v})"),
                    _ => format!("{v} + log(exp(({value}) / 4 - {v}))"),
                };
                let head = output.split_once(" = ").map_or_else(String::new, |p| p.0.to_owned());
                output = format!("{head} = {form}\n");
            }
        }
        out += &output;
        if self.kinks {
            out += ["declares convention \"at its kinks\"\n", "declares subgradient \"at its kinks\"\n"]
                [self.random.below(2)];
        }
        out
    }
}

/// The text of a statement without a rule; it need not resolve.
pub fn statement(random: &mut Random) -> String {
    let (split, kinky) = (random.below(6) == 0, random.below(5) < 2);
    let mut g = Generator { random, scope: vec![], tensors: vec![], names: 0, sums: 0, split, kinks: false, kinky };
    g.contract()
}
