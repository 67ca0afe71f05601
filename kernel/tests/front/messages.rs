//! Every code has a source that triggers it, and its message is pinned.
//! A source that begins with `…` follows `contract f version 1`.

use pullback_kernel::load;
use pullback_kernel::source::Diagnostic;

/// Code, source, the text at the main place, message, help.
type Row = (&'static str, &'static str, &'static str, &'static str, Option<&'static str>);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (
        "E0201",
        "… dims n input x[n] output y[i] = x[i] ²",
        "²",
        "the language has no `²`",
        None,
    ),
    (
        "E0201",
        "… dims n input x[n] output y[i] = x[i] − 1",
        "−",
        "the language has no `−`",
        Some("a minus is written `-`"),
    ),
    (
        "E0202",
        r#"… dims n input x[n] output y[i] = x[i] declares convention "abc"#,
        r#""abc"#,
        "a string does not end on its line",
        Some(r#"close it with `"`"#),
    ),
    (
        "E0202",
        r#"… dims n input x[n] output y[i] = x[i] declares convention "a\nb""#,
        r#"\"#,
        "an unknown escape in a string",
        Some(r#"only `\"` and `\\` are escapes"#),
    ),
    (
        "E0203",
        "… dims n input x[n] output y[i] = 2x[i]",
        "2x",
        "a number ends in letters",
        Some("a number is `12`, `0.5` or `1e-5`, and a product is written `2 * x`"),
    ),
    (
        "E0204",
        "… dims n input x[n] output y[i] = x[i] + aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "a name of 76 letters",
        None,
    ),
    (
        "E0216",
        "… dims n input x[n] output y[i] = x[i] * 1e401",
        "1e401",
        "a decimal exponent that is too large",
        None,
    ),
    (
        "E0217",
        "… dims n input x[n] output y[i] = x[i]^65",
        "65",
        "an integer power is too large",
        None,
    ),
    (
        "E0218",
        "… dims n input x[n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n] output y = 1",
        "[n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n]",
        "17 axes",
        None,
    ),
    (
        "E0220",
        "… dims n input x[n output y[i] = x[i]",
        "output",
        "expected `]`, found the reserved word `output`",
        None,
    ),
    (
        "E0220",
        "… dims n input x[n] output y[i] = x[i] +\nsaves x",
        "saves",
        "expected an expression, found the reserved word `saves`",
        None,
    ),
    (
        "E0220",
        "… dims n input x[n] output y[i] = (x[i] + 1 dx[i] = dy[i]",
        "dx",
        "expected `)`, found `dx`",
        None,
    ),
    (
        "E0220",
        "… dims n input x[n] output y[i] = x[i] ** 2",
        "*",
        "expected an expression, found `*`",
        Some("a power is written `x^2`"),
    ),
    (
        "E0220",
        "… dims n input x[n] output y[i] == x[i]",
        "==",
        "expected `=`, found `==`",
        Some("a definition has one `=`"),
    ),
    (
        "E0220",
        "… dims n input x[n] output y[i] = if x[i] > 0 then x[i]",
        "",
        "expected `else`, found the end of the source",
        Some("an `if` has a value on both sides"),
    ),
    (
        "E0220",
        "… dims n input x[n] output y = min(k) x[k]",
        ")",
        "expected `,`, found `)`",
        Some("write `min(a, b)`; over an index variable it is `-max(k) -e`"),
    ),
    (
        "E0220",
        "… dims n input x[n] output y[i] = x[0]",
        "0",
        "expected an index variable, found `0`",
        Some("positions are variables or maps of them: declare a `map` for a fixed position"),
    ),
    (
        "E0220",
        "contract f",
        "",
        "expected `version`, found the end of the source",
        Some("write `contract f version 1`"),
    ),
    (
        "E0220",
        "… dims n input x[n] map at: n",
        "",
        "expected `->`, found the end of the source",
        None,
    ),
    (
        "E0221",
        "… dims n input x[n] otuput y[i] = x[i]",
        "otuput",
        "`otuput` begins no item",
        Some("did you mean `output`?"),
    ),
    (
        "E0221",
        "… dims n input x[n] output y[i] = x[i] x[i]",
        "x",
        "`x[…]` begins no clause",
        Some("a clause is `name[indices] = …`; a product is written `a * b`"),
    ),
    (
        "E0221",
        "… dims n input x[n] output y[i] = 2 x[i]",
        "x",
        "`x[…]` begins no clause",
        Some("a clause is `name[indices] = …`; a product is written `a * b`"),
    ),
    (
        "E0221",
        "… dims n input x[n] output y[i] = x[i] )",
        ")",
        "expected an item, found `)`",
        Some("an item is a clause `dx[i] = …` or begins with a keyword such as `output`"),
    ),
    (
        "E0221",
        "contarct f version 1 dims n input x[n] output y[i] = x[i]",
        "contarct",
        "`contarct` begins no statement",
        Some("did you mean `contract`?"),
    ),
    (
        "E0222",
        "… dims n input x[n] output y[i] = expp(x[i])",
        "expp",
        "no function is called `expp`",
        Some("did you mean `exp`?"),
    ),
    (
        "E0222",
        "… dims n input x[n] output y[i] = gamma(x[i])",
        "gamma",
        "no function is called `gamma`",
        Some("the functions are `exp tanh recip rsqrt sqrt log sin cos erf erfc atan atan2 log1p expm1 round floor max min abs`; a map stands in indices, `x[at(i)]`, and a product is written `a * (b)`"),
    ),
    (
        "E0223",
        "… dims n input x[n] where x[i] > 1 output y[i] = x[i]",
        "1",
        "expected `0`, found `1`",
        Some("bring everything to the left: `a > b` is `a - b > 0`"),
    ),
    (
        "E0223",
        "… dims n input x[n] where x[i] < 0 output y[i] = x[i]",
        "<",
        "a condition says that something is positive",
        Some("write `a < 0` as `-a > 0`, and `a < b` as `b - a > 0`"),
    ),
    (
        "E0224",
        "… dims n input max[n] output y[i] = 1",
        "max",
        "`max` is a reserved word",
        Some("choose another name"),
    ),
    (
        "E0225",
        "dims n input x[n] output y[i] = x[i]",
        "dims",
        "expected `contract`, found the reserved word `dims`",
        Some("begin with `contract name version 1`"),
    ),
    (
        "E0226",
        r#"… dims n input x[n] output y[i] = x[i] declares conventoin "a""#,
        "conventoin",
        "expected a label, found `conventoin`",
        Some("did you mean `convention`?"),
    ),
    (
        "E0227",
        "",
        "",
        "no statement in this source",
        Some("a statement begins with `contract name version 1`"),
    ),
    (
        "E0228",
        "contract f version 1.5 dims n input x[n] output y[i] = x[i]",
        "1.5",
        "expected an integer, the number of the version, found `1.5`",
        None,
    ),
    (
        "E0228",
        "… dims n input x[n] output y[i] = x[i]^0.5",
        "0.5",
        "expected an integer power, found `0.5`",
        Some("powers are integers, `x^2` or `x^-1`; a real one is `exp(p * log(x))`"),
    ),
    (
        "E0240",
        "… dims n input x[n], x[n] output y[i] = x[i]",
        "x",
        "the name `x` is declared twice",
        Some("give one of them another name"),
    ),
    (
        "E0240",
        "… dims n, n input x[n] output y[i] = x[i]",
        "n",
        "the dimension `n` is declared twice",
        Some("give one of them another name"),
    ),
    (
        "E0241",
        "… dims n input wieght[n] output y[i] = weight[i]",
        "weight",
        "nothing is called `weight`",
        Some("did you mean `wieght`?"),
    ),
    (
        "E0241",
        "… dims n input x[n] output y[i] = x[i] * c",
        "c",
        "nothing is called `c`",
        Some("declare it: `param c` or `input c`, or define it above by `let c = …`"),
    ),
    (
        "E0242",
        "… dims n input x[m] output y[i] = x[i]",
        "m",
        "no dimension is called `m`",
        Some("declare it: `dims m`"),
    ),
    (
        "E0243",
        "… dims n, m map at: m -> n input x[n] output y[i] = x[att(i)]",
        "att",
        "no index map is called `att`",
        Some("did you mean `at`?"),
    ),
    (
        "E0243",
        "… dims n input x[n] output y[i] = x[zz(i)]",
        "zz",
        "no index map is called `zz`",
        Some("declare it: `map zz: m -> n`"),
    ),
    (
        "E0244",
        "… dims n input x[n] output y[i] = x[j]",
        "j",
        "the index variable `j` is not bound",
        Some("bind it on the left side, or by `sum(j)`"),
    ),
    // Once, however often it is used in the clause.
    (
        "E0244",
        "… dims n input x[n] output y[i] = x[j] * x[j] + x[j]",
        "j",
        "the index variable `j` is not bound",
        Some("bind it on the left side, or by `sum(j)`"),
    ),
    (
        "E0244",
        "… dims n input x[n] output y = sum(j) x[n]",
        "n",
        "the index variable `n` is not bound",
        Some("`n` is a dimension: an index over it is bound by `sum(i: n)` or on the left side"),
    ),
    (
        "E0245",
        "… dims n input dy[n] output y[i] = dy[i]",
        "dy",
        "`dy` is the cotangent of `y`",
        Some("call one of them otherwise than `dy` and `y`"),
    ),
    (
        "E0246",
        "… dims n input x[n] output y[i] = sum(i) x[i]",
        "i",
        "the index variable `i` is bound already",
        Some("use another letter for one of them"),
    ),
    (
        "E0246",
        "… dims n input x[n] output y[i, i] = x[i]",
        "i",
        "the index variable `i` is bound already",
        Some("a diagonal is written with two letters: `j` here, and `[i == j] * …` on the right"),
    ),
    (
        "E0247",
        "… dims n, m input x[n] output y[i] = x[i]",
        "m",
        "nothing uses the dimension `m`",
        Some("leave it out"),
    ),
    (
        "E0250",
        "… dims n input x[n] output y[i] = x",
        "x",
        "`x` has 1 axis, found no index",
        Some("its axes are `x[n]`"),
    ),
    (
        "E0250",
        "… dims n input x[n] output y[i, j] = x[i, j]",
        "x[i, j]",
        "`x` has 1 axis, found 2 indices",
        Some("its axes are `x[n]`"),
    ),
    (
        "E0250",
        "… dims n input x[n] output y[i] = x[i] dx = 1",
        "dx",
        "`dx` has 1 axis like `x`, found no index",
        None,
    ),
    (
        "E0250",
        "… dims n param c input x[n] output y[i] = c[i] * x[i]",
        "c[i]",
        "the parameter `c` is a scalar",
        Some("write `c`"),
    ),
    (
        "E0251",
        "… dims m, n input x[m, n] output y[i] = x[i, i]",
        "i",
        "`i` ranges over `m` and over `n`",
        Some("an index variable has one dimension: use another variable for one of them"),
    ),
    (
        "E0251",
        "… dims m, n map at: m -> n input x[m] output y[i] = x[at(i)]",
        "at(i)",
        "`at(…)` is a position along `n`, and `m` stands here",
        None,
    ),
    (
        "E0251",
        "… dims m, n input x[n] output y[i: m] = x[i]",
        "i",
        "`i` ranges over `m` and over `n`",
        Some("an index variable has one dimension: use another variable for one of them"),
    ),
    (
        "E0251",
        "… dims a, b, n, m split left: a, right: b -> n input x[a, m], z[b, n] output y[left(i), j] = x[i, j] output y[right(i), j] = z[i, j]",
        "j",
        "`j` ranges over `m` and over `n`",
        Some("an index variable has one dimension: use another variable for one of them"),
    ),
    (
        "E0252",
        "… dims s.., n input x[s.., n] output y[i, j] = x[i, j]",
        "i",
        "`i` is a plain index, and the pack `s..` stands here",
        Some("bind and use it as `i..`"),
    ),
    (
        "E0252",
        "… dims s.., n input x[s.., n] output y[i.., j] = x[i.., j..]",
        "j..",
        "`j` is an index over a single axis",
        Some("write `j` in both places, or dots in both"),
    ),
    (
        "E0252",
        "… dims s.., n input x[s.., n] output y[i.., j] = x[i, j]",
        "i",
        "`i` is an index over a pack",
        Some("write `i..` in both places, or dots in both"),
    ),
    (
        "E0252",
        "… dims s.. input x[s] output y = 1",
        "s",
        "`s` is a pack of axes",
        Some("write `s..`"),
    ),
    (
        "E0253",
        "… dims n output y[i] = 1",
        "i",
        "nothing tells what `i` ranges over",
        Some("write `i: n`"),
    ),
    (
        "E0253",
        "… dims n, m input x[n] output y[i, j] = x[i]",
        "j",
        "nothing tells what `j` ranges over",
        Some("write `j: n`, or whichever it is of `n`, `m`"),
    ),
    (
        "E0223",
        "… dims n param a > 1 input x[n] output y[i] = a * x[i]",
        "1",
        "expected `0`, found `1`",
        Some("a sign of a parameter is `> 0`, `>= 0` or `!= 0`; write more as `where a - 1 > 0`"),
    ),
    (
        "E0253",
        "… dims n input x[n] output y[i] = x[i] * sum(k) 2",
        "k",
        "nothing tells what `k` ranges over",
        Some("write `k: n`"),
    ),
    (
        "E0254",
        "… dims n, m map at: m, m -> n input x[n] output y[i] = x[at(i)]",
        "at(i)",
        "`at` takes 2 arguments, found 1",
        None,
    ),
    (
        "E0255",
        "… dims n input x[n] output y[i] = x[i] / n",
        "n",
        "`n` is a dimension, not a value",
        Some("its size is `|n|`"),
    ),
    (
        "E0255",
        "… dims n input x[n] output y[i] = x[i] / i",
        "i",
        "`i` is an index variable, not a value",
        Some("where it equals another position is `[i == j]`"),
    ),
    (
        "E0256",
        "… dims n, m map at: m -> n input x[m] output y[at(i)] = x[i]",
        "at",
        "`at` is a map: it need not reach every position",
        Some("write `sum(p) [at(p) == i] * …` on the right, or declare a `bijection` or a `split`"),
    ),
    (
        "E0256",
        "… dims n, m bijection at: m -> n input x[m] let y[at(i)] = x[i] output z[i] = y[i]",
        "at",
        "a map on the left side of `let`",
        Some("bijections and parts of splits stand on the left of outputs and cotangents only"),
    ),
    (
        "E0257",
        "… dims a, b, n split left: a, right: b -> n input x[a], z[b] output y[left(i)] = x[i]",
        "y[left(i)] = x[i]",
        "no clause defines `y[right(…)]`",
        Some("add `output y[right(…)] = …`"),
    ),
    (
        "E0257",
        "… dims a, b, n split left: a, right: b -> n input x[n, n] output y[left(i), left(j)] = 1 output y[right(i), j: n] = 2",
        "y[left(i), left(j)] = 1",
        "no clause defines `y[left(…), right(…)]`",
        Some("add `output y[left(…), right(…)] = …`"),
    ),
    (
        "E0258",
        "… dims n input x[n] output y[i] = x[i] output y[i] = 2 * x[i]",
        "y[i] = 2 * x[i]",
        "two clauses define the same part of `y`",
        Some("give the tensor one clause, or one for each part of a split"),
    ),
    (
        "E0259",
        "… dims a, b, n, m split left: a, right: b -> n input x[a, m], z[b] output y[left(i), j] = x[i, j] output y[right(i)] = z[i]",
        "y",
        "`y` has 2 axes in one clause and 1 axis in another",
        None,
    ),
    (
        "E0259",
        "… dims a, b, n, m split left: a, right: b -> n split p: a, q: b -> m input x[a, m], z[b, n] output y[left(i)] = sum(j) x[i, j] output y[q(i)] = sum(j) z[i, j]",
        "q",
        "axis 1 of `y` is `n` in one clause and `m` in another",
        None,
    ),
    (
        "E0260",
        "… dims a, b, n split left: a, right: b -> n split p: a, q: b -> n input x[n] output y[i] = x[i]",
        "n",
        "`n` is split twice",
        Some("a dimension is split in one way: name all parts in one `split`"),
    ),
    (
        "E0260",
        "… dims a, n split left: a, right: n -> n input x[n] output y[i] = x[i]",
        "n",
        "`n` is a part of itself",
        Some("give the part a dimension of its own"),
    ),
    (
        "E0261",
        "… dims n input x[n]",
        "f",
        "`f` has no output",
        Some("write `output y[…] = …`"),
    ),
    (
        "E0262",
        "… dims n input x[n], z[n] output y[i] = x[i] * z[i] saves z dx[i] = dy[i] * z[i]",
        "z",
        "the rule leaves out the cotangent of `z`",
        Some("add `dz[…] = …`, or remove the rule to have it derived"),
    ),
    (
        "E0263",
        "… dims n input x[n] output y[i] = x[i]^2 dx[i] = 2 * x[i] * dy[i]",
        "x",
        "the rule reads `x`, which is not saved",
        Some("add `x` to `saves`"),
    ),
    (
        "E0263",
        "… dims n input x[n] output y[i] = x[i]^2 saves y let t[i] = 2 * x[i] dx[i] = t[i] * dy[i]",
        "x",
        "the rule reads `x`, which is not saved",
        Some("add `x` to `saves`; a `let` of the forward formula stands above `saves`"),
    ),
    (
        "E0264",
        "… dims n constant c[n] input x[n] output y[i] = c[i] * x[i] saves c dx[i] = c[i] * dy[i]",
        "c",
        "`c` is a constant and cannot be saved",
        Some("the rule may use it without saving it"),
    ),
    (
        "E0265",
        "… dims n input x[n] output y[i] = x[i] saves y output z[i] = x[i] dx[i] = dy[i] + dz[i]",
        "output z[i] = x[i]",
        "`output` belongs to the forward formula",
        Some("move it above `saves` and the first clause of the rule"),
    ),
    (
        "E0266",
        "… dims n input x[n] output y[i] = max(x[i], 0)",
        "max(x[i], 0)",
        "`max` is not smooth, and `f` does not say what its rule means there",
        Some("add `declares subgradient` where the rule is that of a side or between them, `declares convention at … == 0: dx[…] = …` where it is something else, or `surrogate`, `unproved`; `any` if the value is there for numerical range only"),
    ),
    (
        "E0267",
        "… dims n input x[n] output y[i] = t[i] let t[i] = x[i]",
        "t",
        "`t` is read before it is defined",
        Some("a value may use what is defined above it"),
    ),
    (
        "E0267",
        "… dims n input x[n] output y[i] = y[i]",
        "y",
        "`y` is defined by itself",
        Some("a value may use what is defined above it"),
    ),
    (
        "E0268",
        "… dims n input x[n] any m = max(k) x[k] where m > 0 output y[i] = x[i]",
        "m",
        "the domain depends on `m`, which `any` leaves open",
        Some("say it of the inputs, or of a `let` without `any`"),
    ),
    (
        "E0269",
        "… dims n input x[n] output y[i] = x[i] * dy[i]",
        "dy",
        "`dy` is a cotangent",
        Some("the forward formula reads inputs, constants and parameters"),
    ),
    (
        "E0269",
        "… dims n input x[n] output y[i] = 2 * x[i] let t[i] = 2 * dy[i] dx[i] = t[i]",
        "dy",
        "`dy` is a cotangent",
        Some(
            "a `let` belongs to the rule where it stands below `saves` or the first clause of the rule: move it there",
        ),
    ),
    (
        "E0270",
        "… dims n input x[n], z[n] output y[i] = x[i] + z[i] dx[i] = dy[i] dz[i] = dx[i]",
        "dx",
        "`dx` is what the rule defines",
        Some("name the expression with `let` and use that name in both places"),
    ),
    (
        "E0271",
        "… dims n input x[n] output y[i] = x[i] dw[i] = dy[i]",
        "dw",
        "`dw` is the cotangent of no input",
        Some("did you mean `dx`?"),
    ),
    (
        "E0271",
        "… dims n constant c[n] input x[n] output y[i] = c[i] * x[i] dx[i] = c[i] * dy[i] dc[i] = dy[i]",
        "dc",
        "`c` is a constant and has no cotangent",
        Some("declare it as `input c` to differentiate it"),
    ),
    (
        "E0271",
        "… dims n input x[n] y[i] = x[i]",
        "y",
        "`y` is the cotangent of no input",
        Some("write `output y[…] = …` or `let y[…] = …`, or `dx[…] = …` for an input `x`"),
    ),
    (
        "E0272",
        "… output y = 1 contract f version 1 output y = 2",
        "f",
        "`f` version 1 is given twice",
        Some("give it another name or another version"),
    ),
];

pub(crate) fn whole(source: &str) -> String {
    match source.strip_prefix("… ") {
        Some(rest) => format!("contract f version 1 {rest}"),
        None => source.to_owned(),
    }
}

fn diagnostics(source: &str) -> Vec<Diagnostic> {
    let (statements, diagnostics) = load(source);
    assert!(statements.is_empty() || !diagnostics.is_empty());
    diagnostics
}

#[test]
fn each_has_its_message() {
    for (code, source, at, message, help) in TABLE {
        let source = whole(source);
        let found = diagnostics(&source);
        let [found] = found.as_slice() else { panic!("{source}: expected one diagnostic, found {found:#?}") };
        assert_eq!(found.code, *code, "{source}");
        assert_eq!(found.message, *message, "{source}");
        assert_eq!(found.help.as_deref(), *help, "{source}");
        assert_eq!(source[found.labels[0].0.range()].trim_end(), *at, "{source}");
    }
}

/// The codes of the table in the module's documentation.
#[test]
fn each_code_is_tested_and_documented() {
    let documented = include_str!("../../src/diagnostics.rs");
    // These need large sources: see `limits`.
    let elsewhere = ["E0200", "E0210", "E0211", "E0212", "E0213", "E0214", "E0215", "E0219", "E0299"];
    let tested = |code: &str| TABLE.iter().any(|row| row.0 == code) || elsewhere.contains(&code);
    for number in 200..300 {
        let code = format!("E0{number}");
        let listed = documented.contains(&format!("| `{code}` |")) || (210..220).contains(&number);
        assert_eq!(tested(&code), listed, "{code}");
    }
}
