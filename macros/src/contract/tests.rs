//! What the kernel proves, the macro makes into items, or refuses in the statement's own words.
//!
//! Statements are drawn with everything that a declaration may say and with the names that Rust and the generated code use themselves.
//! Their expressions are plain on purpose: those are compared with an evaluator elsewhere.
//! A sample of them stands in `tests/codegen/generated.rs`, where it is compiled; `PULLBACK_BLESS=1` writes it anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use proc_macro2::TokenStream;
use pullback_kernel::{Outcome, load, prove};

/// The formulas that programs and generated code are compared on; the file needs nothing but bits.
#[allow(dead_code, unreachable_pub, reason = "it is a public module where it stands")]
#[path = "../../../program/src/random/statement.rs"]
mod formulas;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// Names that are keywords of Rust, of its prelude, of its primitive types, or of the generated code.
const NAMES: &str = "
    gen try async self Self super crate box match type fn mut ref struct pub use static const unsafe dyn
    None Some Ok Err Vec Clone usize u128 f32 str bool Num num T b0 b1 q0 i0 t0 k1
    r1 m1 value whole start lane self_ residual seed CHECK0 PARAM0 size_n new STATEMENT clone of W _x __ x
";

struct Draw {
    random: Random,
    /// Names of tensors and index variables, which may be used once.
    taken: BTreeSet<String>,
}

/// A dimension: its name, and whether it is a pack.
type Dim = (String, bool);

impl Draw {
    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len())].clone()
    }

    /// A name that the language allows and nobody has.
    fn name(&mut self) -> String {
        loop {
            let names: Vec<&str> = NAMES.split_whitespace().collect();
            let mut name = self.pick(&names).to_string();
            if self.random.chance(3) {
                let _ = write!(name, "{}", self.random.below(20));
            }
            // The cotangent of `x` is `dx`.
            let cotangent = format!("d{name}");
            if name != "_" && !self.taken.contains(&cotangent) && self.taken.insert(name.clone()) {
                self.taken.insert(cotangent);
                return name;
            }
        }
    }

    fn axes(&mut self, dims: &[Dim], most: usize) -> Vec<Dim> {
        let count = self.random.below(most + 1);
        (0..count).map(|_| self.pick(dims)).collect()
    }

    /// Index variables for axes, as they are bound and as they are used.
    fn binders(&mut self, axes: &[Dim]) -> Vec<(String, Dim)> {
        axes.iter().map(|dim| (self.name(), dim.clone())).collect()
    }

    /// A statement that is proved, or declared.
    fn statement(&mut self, name: &str) -> String {
        let count = 1 + self.random.below(4);
        let dims: Vec<Dim> = (0..count).map(|k| (self.name(), k > 0 && self.random.chance(4))).collect();
        let dots = |pack: bool| if pack { ".." } else { "" };
        let listed = |items: &[String]| items.join(", ");
        let axes = |of: &[Dim]| {
            let names: Vec<String> = of.iter().map(|(n, pack)| format!("{n}{}", dots(*pack))).collect();
            if names.is_empty() { String::new() } else { format!("[{}]", names.join(", ")) }
        };
        let mut out = String::new();

        // A map, a parameter and a constant may share a name.
        let shared = self.name();
        let (mut maps, mut factors) = (vec![], vec![]);
        if self.random.chance(2) {
            let (from, to) = (self.pick(&dims), self.pick(&dims));
            let kind = self.pick(&["", "partial ", "bijection "]);
            let name = if self.random.chance(2) { shared.clone() } else { self.name() };
            let map = |d: &Dim| format!("{}{}", d.0, dots(d.1));
            let _ = writeln!(out, "{kind}map {name}: {} -> {}", map(&from), map(&to)).map(|()| ());
            if kind == "bijection " {
                out = out.replace("bijection map", "bijection");
            }
            maps.push((name, from, to));
        }
        let mut split = None;
        if dims.len() > 1 && self.random.chance(3) {
            let whole = self.pick(&dims);
            let others: Vec<Dim> = dims.iter().filter(|dim| **dim != whole).cloned().collect();
            let parts: Vec<(String, Dim)> =
                (0..1 + self.random.below(9)).map(|_| (self.name(), self.pick(&others))).collect();
            let shown: Vec<String> = parts.iter().map(|(n, d)| format!("{n}: {}{}", d.0, dots(d.1))).collect();
            let _ = writeln!(out, "split {} -> {}{}", listed(&shown), whole.0, dots(whole.1));
            split = Some((parts, whole));
        }
        if self.random.chance(2) {
            let name =
                if self.random.chance(2) && maps.iter().all(|m| m.0 != shared) { shared.clone() } else { self.name() };
            let sign = self.pick(&["", " > 0", " >= 0", " != 0"]);
            let _ = writeln!(out, "param {name}{sign}");
            factors.push(name);
        }
        let most = if self.random.chance(4) { 15 } else { 3 };
        let inputs: Vec<(String, Vec<Dim>)> =
            (0..1 + self.random.below(most)).map(|_| (self.name(), self.axes(&dims, 3))).collect();
        let shown: Vec<String> = inputs.iter().map(|(n, a)| format!("{n}{}", axes(a))).collect();
        let _ = writeln!(out, "input {}", listed(&shown));
        let constant = self.random.chance(3).then(|| (self.name(), self.axes(&dims, 2)));
        if let Some((name, of)) = &constant {
            let _ = writeln!(out, "constant {name}{}", axes(of));
        }

        let most = if self.random.chance(6) { 14 } else { 2 };
        for _ in 0..1 + self.random.below(most) {
            let left = self.axes(&dims, 2);
            let scope = self.binders(&left);
            let binder = |(v, d): &(String, Dim)| format!("{v}{}: {}{}", dots(d.1), d.0, dots(d.1));
            let place = |of: &[(String, Dim)]| {
                let shown: Vec<String> = of.iter().map(binder).collect();
                if shown.is_empty() { String::new() } else { format!("[{}]", shown.join(", ")) }
            };
            let mut terms: Vec<String> = vec![];
            let reads: Vec<(String, Vec<Dim>)> = inputs.iter().chain(&constant).cloned().collect();
            for _ in 0..1 + self.random.below(3) {
                let (tensor, of) = self.pick(&reads);
                let mut bound = scope.clone();
                let (mut sums, mut at) = (vec![], vec![]);
                for dim in of {
                    let part = split.clone().filter(|(_, whole)| *whole == dim && self.random.chance(2));
                    let map = maps.iter().find(|m| m.2 == dim).filter(|_| self.random.chance(2)).cloned();
                    let (through, dim) = match (part, map) {
                        (Some((parts, _)), _) => {
                            let (name, from) = self.pick(&parts);
                            (Some(name), from)
                        }
                        (None, Some((name, from, _))) => (Some(name), from),
                        (None, None) => (None, dim),
                    };
                    let known: Vec<(String, Dim)> = bound.iter().filter(|(_, d)| *d == dim).cloned().collect();
                    let (variable, pack) = if known.is_empty() {
                        let fresh = (self.name(), dim.clone());
                        sums.push(binder(&fresh));
                        bound.push(fresh.clone());
                        (fresh.0, dim.1)
                    } else {
                        (self.pick(&known).0, dim.1)
                    };
                    let index = format!("{variable}{}", dots(pack));
                    at.push(through.map_or(index.clone(), |map| format!("{map}({index})")));
                }
                let at = if at.is_empty() { String::new() } else { format!("[{}]", at.join(", ")) };
                let mut term = format!("{tensor}{at}");
                if self.random.chance(2) {
                    term.push_str("^2");
                }
                if self.random.chance(4) {
                    term = format!("tanh({term})");
                }
                if !sums.is_empty() {
                    term = format!("(sum({}) {term})", sums.join(", "));
                }
                if let Some(factor) = factors.first().filter(|_| self.random.chance(2)) {
                    term = format!("{factor} * {term}");
                }
                terms.push(term);
            }
            let output = self.name();
            let _ = writeln!(out, "output {output}{} = {}", place(&scope), terms.join(" + "));
        }
        // A dimension that nothing has is refused.
        let words: BTreeSet<&str> = out.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let shown: Vec<String> =
            dims.iter().filter(|d| words.contains(&*d.0)).map(|(n, pack)| format!("{n}{}", dots(*pack))).collect();
        let dims = if shown.is_empty() { String::new() } else { format!("dims {}\n", listed(&shown)) };
        format!("contract {name} version 1\n{dims}{out}")
    }
}

fn statement(seed: u64, name: &str) -> String {
    Draw { random: Random(seed), taken: BTreeSet::new() }.statement(name)
}

fn expanded(text: &str) -> String {
    let tokens: TokenStream = text.parse().expect("a statement is made of tokens");
    super::contract(tokens).to_string()
}

/// Whether the kernel proves the statement; if so, it expands.
fn accepted(text: &str) -> bool {
    let (statements, errors) = load(text);
    let errors: Vec<String> = errors.iter().map(|e| format!("{} {}", e.code, e.message)).collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
    if !matches!(prove(&statements[0]), Outcome::Proved(_)) {
        return false;
    }
    let code = expanded(text);
    assert!(!code.contains("compile_error"), "{text}\n{code}");
    if let Err(wrong) = syn::parse_str::<syn::File>(&code) {
        panic!("{wrong}\n{text}\n{code}");
    }
    true
}

#[test]
fn declarations_that_are_proved_expand() {
    let proved = (0..400).filter(|seed| accepted(&statement(*seed, &format!("drawn_{seed}")))).count();
    assert!(proved >= 390, "{proved}");
}

#[test]
fn formulas_that_are_proved_expand() {
    let proved = (0..240)
        .filter(|seed| {
            let mut random = Random(*seed);
            let style = formulas::Style { rational: seed % 2 == 0, mild: true, products: seed % 3 == 0 };
            accepted(&formulas::text("drawn", style, &mut || random.next()))
        })
        .count();
    assert!(proved >= 220, "{proved}");
}

/// The first statements that expand, one a module, among items that have every name that a statement may have.
#[test]
fn the_sample_that_is_compiled_is_this_one() {
    let mut file = String::from(
        "//! Statements that the macros' tests draw, among items of the same names; `macros/src/contract/tests.rs` writes this file.\n\nuse pullback::contract;\n\nuse super::nasty::nasty;\n",
    );
    for seed in 0..40 {
        let text = statement(seed, &format!("drawn_{seed}"));
        if !accepted(&text) {
            continue;
        }
        let indented: String = text.lines().map(|line| format!("        {line}\n")).collect();
        let _ = write!(
            file,
            "\nmod drawn_{seed} {{\n    use super::*;\n    nasty!();\n    contract! {{\n{indented}    }}\n}}\n"
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/codegen/generated.rs");
    if std::env::var_os("PULLBACK_BLESS").is_some() {
        std::fs::write(&path, &file).expect("the sample is written");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), file, "PULLBACK_BLESS=1 writes it anew");
}

#[test]
fn a_fragment_of_another_macro_is_one_thing() {
    use proc_macro2::{Delimiter, Group, TokenTree};
    let read = |around: &str, fragment: &str| {
        let inside: TokenStream = fragment.parse().expect("tokens");
        let tokens: TokenStream = around.parse::<TokenStream>().expect("tokens");
        let place = |stream: TokenStream| -> TokenStream {
            stream
                .into_iter()
                .map(|token| match token {
                    TokenTree::Ident(name) if name == "E" => Group::new(Delimiter::None, inside.clone()).into(),
                    other => other,
                })
                .collect()
        };
        super::source::Source::read(place(tokens))
            .map(|source| source.text.replace(' ', ""))
            .map_err(|(_, wrong)| wrong)
    };
    // (around, fragment, what is read)
    for (around, fragment, expected) in [
        ("contract f version 1 output y = E * x", "1 + 2", "(1+2)*x"),
        ("contract f version 1 output y = E ^ 2", "-3", "(-3)^2"),
        ("contract f version 1 output y = x ^ E", "-3", "x^-3"),
        ("contract f version 1 output y = E ^ 2", "x", "=x^2"),
        ("contract f version 1 output y = E ^ 2", "x[i]", "=x[i]^2"),
        ("contract f version 1 output y = E ^ 2", "f(1 + x)", "=f(1+x)^2"),
        ("contract f version 1 output y = if E then 1 else 0", "x > 1 + 1", "ifx>1+1then"),
    ] {
        let text = read(around, fragment).expect("a statement");
        assert!(text.contains(expected), "{fragment} in {around}: {text}");
    }
    assert!(read("contract f version 1 output y = 1 + E", "x > 1").is_err());
}

#[test]
fn attributes_stand_before_statements() {
    const PLAIN: &str = "contract f version 1 dims n input x[n] output y[i] = x[i]^2";
    let covered = expanded(&format!("#[cfg(any())] #[deprecated] #[allow(dead_code)] /// Docs.\n {PLAIN}"));
    // The module and two imports; the type and the function; the module.
    assert_eq!(covered.matches("# [cfg (any ())]").count(), 3, "{covered}");
    assert_eq!(covered.matches("# [deprecated]").count(), 2, "{covered}");
    assert_eq!(covered.matches("# [allow (dead_code)]").count(), 1, "{covered}");
    assert_eq!(covered.matches("Docs.").count(), 1, "{covered}");
    let both = expanded(&format!("#[cfg_attr(all(), deprecated(note = \"old\"), allow(unused))] {PLAIN}"));
    assert_eq!(both.matches("cfg_attr (all () , deprecated").count(), 2, "{both}");
    assert_eq!(both.matches("cfg_attr (all () , allow").count(), 1, "{both}");
    for wrong in [
        "contract f version 1 dims n #[cfg(any())] input x[n] output y[i] = x[i]^2",
        "contract f version 1 dims n input x[n] output y[i] = x[i]^2 #[cfg(any())]",
        "contract f version 1 dims n /// Docs.\n input x[n] output y[i] = x[i]^2",
    ] {
        assert!(expanded(wrong).contains("an attribute or a doc comment"), "{wrong}");
    }
    assert!(expanded(&format!("#[derive(PartialEq)] {PLAIN}")).contains("`#[derive]` can't cover"));
    // `pub` is a name as well.
    assert!(!expanded("contract f version 1 dims pub input x[pub] output y[i] = x[i]^2").contains("compile_error"));
    // So is what a statement begins with.
    let two = expanded(&format!("contract contract version 1 input x output y = x^2 #[deprecated] {PLAIN}"));
    assert_eq!((two.matches("# [deprecated]").count(), two.matches("compile_error").count()), (2, 0), "{two}");
}
