//! What a source means.

use pullback_kernel::load;
use pullback_kernel::source::Diagnostic;
use pullback_kernel::statement::{Comparison, ExprKind, LocalKind, Sign, Statement, Tensor};
use pullback_kernel::syntax::{ExprKind as Tree, ItemKind};
use std::collections::HashSet;

pub(crate) const SOFTMAX: &str = "
// Softmax over the last axis.
contract softmax version 1
dims   s.., n
input  x[s.., n]
output y[i.., j] = exp(x[i.., j]) / sum(k) exp(x[i.., k])
saves  y
dx[i.., j] = y[i.., j] * (dy[i.., j] - sum(k) dy[i.., k] * y[i.., k])
";
pub(crate) const MATMUL: &str = "
// Matrix product.
contract matmul version 1
dims   m, k, n
input  a[m, k], b[k, n]
output c[i, j] = sum(l) a[i, l] * b[l, j]
saves  a, b
da[i, l] = sum(j) dc[i, j] * b[l, j]
db[l, j] = sum(i) a[i, l] * dc[i, j]
";
pub(crate) const PARTS: &str = "
// Every kind of item.
//
//   an indented line
contract parts version 12
dims s.., t.., a, b, n, m
param eps > 0
param c
map at: m -> n
partial map row: m * n -> a
bijection r: s.. -> t..
split left: a, right: b -> n
input x[a], z[b], w[s..], v
constant u[t.., m]
where x[i] > 0, z[i] + eps != 0
let e[i] = 1.5e-3 * x[i]^-2
any m1 = max(k) e[k]
output y[left(i)] = -e[i] + exp(m1 - m1)
output y[right(i)] = z[i]
output q[r(i..), j] = w[i..] * u[r(i..), j] * v declares unproved \"text\"
";

pub(crate) fn one(source: &str) -> Statement {
    let (mut statements, found) = load(source);
    assert!(found.is_empty(), "{source}: {found:#?}");
    assert_eq!(statements.len(), 1);
    statements.remove(0)
}
fn errors(source: &str) -> Vec<(&'static str, String)> {
    let (statements, found) = load(source);
    assert!(statements.is_empty());
    found.into_iter().map(|d: Diagnostic| (d.code, d.message)).collect()
}
fn codes(source: &str) -> Vec<&'static str> {
    load(source).1.iter().map(|d| d.code).collect()
}

#[test]
fn the_examples_of_the_design() {
    let softmax = one(SOFTMAX);
    assert_eq!(softmax.doc(), "Softmax over the last axis.");
    assert_eq!((softmax.name().text.as_str(), softmax.version()), ("softmax", 1));
    assert!(softmax.dims()[0].pack && !softmax.dims()[1].pack);
    assert_eq!(softmax.saves(), [Tensor::Output(0)]);
    assert_eq!(softmax.outputs()[0].tensor.axes, softmax.inputs()[0].axes);
    let matmul = one(MATMUL);
    let gradients = matmul.gradients().unwrap();
    assert_eq!(gradients[0].tensor.name.text, "da");
    assert_eq!(gradients[1].tensor.axes, matmul.inputs()[1].axes);
    let names: HashSet<_> = matmul.variables().iter().map(|v| v.name.span).collect();
    assert_eq!(names.len(), matmul.variables().len());
}

#[test]
fn docs_are_the_lines_directly_above() {
    let source =
        "// far\n\n// near\n//\n//  by\ncontract f version 1 output y = 1 // behind\ncontract g version 1 output y = 2";
    let (statements, _) = load(source);
    assert_eq!(statements[0].doc(), "near\n\n by");
    assert_eq!(statements[1].doc(), "");
}

#[test]
fn line_breaks_and_spaces_mean_nothing() {
    let plain = one(SOFTMAX).to_string();
    let spaced = SOFTMAX.replace("..", " . . ").replace('/', " / ").replace("/  /", "//");
    let spaced = spaced.split_once("contract").unwrap().1.replace(['\n'], " ");
    let text = one(&format!("contract {spaced}")).to_string();
    assert_eq!(text, plain.split_once('\n').unwrap().1);
    let spaced = "contract f version 1 dims n input x[n] where x[i] > = 0 output y[i] = [i = = i] * if x[i] < = 0 then 1 else 2 declares convention \"c\"";
    assert_eq!(one(spaced).wheres()[0].sign, Sign::NonNegative);
}

#[test]
fn numbers_are_exact() {
    for (text, value) in
        [("0.1", (1, 10)), ("1.50", (3, 2)), ("25e-2", (1, 4)), ("1E+3", (1000, 1)), ("0e7", (0, 1)), ("0.0", (0, 1))]
    {
        let statement = one(&format!("contract f version 1 output y = {text}"));
        let ExprKind::Number(number) = &statement.outputs()[0].clauses[0].value.kind else { panic!() };
        assert_eq!(*number, pullback_kernel::Rational::new(value.0.into(), value.1.into()), "{text}");
        assert_eq!(number.denom(), &num_bigint::BigInt::from(value.1), "{text}");
    }
}

#[test]
fn comparisons_are_normalised() {
    let declares = "declares convention \"c\"";
    let text = |e: &str| {
        one(&format!("contract f version 1 param a param b output y = {e} {declares}")).outputs()[0].clauses[0]
            .value
            .clone()
    };
    let statement = one(&format!("contract f version 1 param a param b output y = 1 {declares}"));
    let show = |e: &str| statement.show(&text(e));
    assert_eq!(show("if a < b then 1 else 2"), "if b > a then 1 else 2");
    assert_eq!(show("if a <= b then 1 else 2"), "if b >= a then 1 else 2");
    assert_eq!(show("max(a, b)"), "if a > b then a else b");
    assert_eq!(show("min(a, b)"), "if b > a then a else b");
    assert_eq!(show("abs(a)"), "if a > 0 then a else -a");
    assert!(matches!(text("if a < b then 1 else 2").kind, ExprKind::If { comparison: Comparison::Greater, .. }));
}

#[test]
fn copies_have_binders_of_their_own() {
    let statement = one("contract f version 1 dims n input x[n] output y = abs(sum(k) x[k]) declares convention \"c\"");
    assert_eq!(statement.variables().len(), 3);
    assert!(statement.variables().iter().all(|v| v.dim.0 == 0 && v.name.text == "k"));
    let text = statement.to_string();
    assert!(text.contains("if sum(k) x[k] > 0 then sum(k) x[k] else -sum(k) x[k]"), "{text}");
}

#[test]
fn max_over_an_index_and_max_of_two() {
    let (contracts, found) = pullback_kernel::parse(
        "contract f version 1 dims n input x[n, n], a, b \
         any p = max(i, j) x[i, j] \
         output q = max(a, b) output r = max(a, b) - a \
         output s = 1 + max(a, b) * max(k) x[k, k] \
         da = max(a, b) db[] = 1",
    );
    assert!(found.is_empty(), "{found:?}");
    let reduces = |at: usize| match &contracts[0].items[at].kind {
        ItemKind::Any(c) | ItemKind::Output(c) | ItemKind::Gradient(c) => matches!(c.value.kind, Tree::Reduce(..)),
        _ => false,
    };
    assert!(reduces(2) && !reduces(3) && !reduces(4) && !reduces(5) && !reduces(6));
}

#[test]
fn dimensions_are_inferred() {
    // From a map's argument, from its value, through `[p == q]`, from the axes of a cotangent.
    let statement = one("contract f version 1 dims m, n map at: m -> n input x[n] \
         output y[i] = x[at(i)] output z[i] = sum(j) [at(i) == j] \
         output w[p] = sum(q) [p == q] * x[q] \
         dx[j] = sum(i) [j == at(i)] * (dy[i] + 0 * dz[i]) + dw[j]");
    let axes = |i: usize| statement.outputs()[i].tensor.axes[0].0;
    assert_eq!([axes(0), axes(1), axes(2)], [0, 0, 1]);
}

#[test]
fn letters_can_be_used_again() {
    one(
        "contract f version 1 dims n input x[n] output y[i] = sum(k) x[k] * x[i] output z[k] = (sum(i) x[i]) + (sum(i) x[i]) + x[k]",
    );
    assert_eq!(codes("contract f version 1 dims n input x[n] output y = sum(k) x[k] * sum(k) x[k]"), ["E0246"]);
    assert_eq!(codes("contract f version 1 dims n input x[n] output y[i, i] = x[i]"), ["E0246"]);
    assert_eq!(codes("contract f version 1 dims n input x[n] where x[k] - sum(k) x[k] > 0 output y = 1"), ["E0246"]);
}

#[test]
fn parts_and_bijections_cover() {
    let statement = one(PARTS);
    assert_eq!(statement.outputs()[0].clauses.len(), 2);
    assert_eq!(statement.splits()[0].parts.len(), 2);
    let split = "contract f version 1 dims a, b, n split left: a, right: b -> n input x[n, n]";
    let clauses = |all: &[&str]| all.iter().map(|c| format!(" output y[{c}] = 1")).collect::<String>();
    let check = |all: &[&str]| codes(&format!("{split}{}", clauses(all)));
    assert!(check(&["left(i), j: n", "right(i), left(j)", "right(i), right(j)"]).is_empty());
    assert_eq!(check(&["left(i), left(j)", "right(i), right(j)"]), ["E0257"]);
    assert_eq!(check(&["left(i), j: n", "i: n, left(j)"]), ["E0258"]);
    assert_eq!(check(&["left(i), j: n", "right(i), j: n", "left(i), left(j)"]), ["E0258"]);
}

#[test]
fn the_rule_reads_what_it_may() {
    let head = "contract f version 1 dims n param c constant k[n] input x[n] let t[i] = 2 * x[i] output y[i] = c * k[i] * t[i]^2 ";
    let statement = one(&format!("{head} saves t let g[i] = 4 * c * t[i] dx[i] = k[i] * g[i] * dy[i]"));
    assert_eq!((statement.locals().len(), statement.backward_locals().len()), (1, 1));
    assert_eq!(statement.saves(), [Tensor::Local(0)]);
    // After the first backward clause, a `let` is a backward one as well.
    let twice = "contract f version 1 dims n input x[n], z[n] output y[i] = x[i] + z[i] dx[i] = dy[i] let g[i] = dy[i] dz[i] = g[i]";
    assert_eq!(one(twice).backward_locals().len(), 1);
    assert_eq!(one(&one(twice).to_string()).to_string(), one(twice).to_string());
    assert_eq!(codes(&format!("{head} saves x let g[i] = t[i] dx[i] = g[i]")), ["E0263"]);
    assert_eq!(codes(&format!("{head} saves t dx[i] = g[i] let g[i] = t[i]")), ["E0267"]);
    assert_eq!(codes(&format!("{head} saves t any g[i] = t[i] dx[i] = g[i]")), ["E0265"]);
}

#[test]
fn no_rule_and_no_inputs() {
    assert!(one("contract f version 1 dims n input x[n] output y[i] = x[i]").gradients().is_none());
    assert_eq!(one("contract f version 1 dims n output y[i: n] = 1").gradients().map(<[_]>::len), Some(0));
}

#[test]
fn any_may_be_nonsmooth_and_used() {
    let statement = one(
        "contract f version 1 dims n input x[n] any m = max(k) x[k] let e[i] = exp(x[i] - m) output y[i] = e[i] * exp(m)",
    );
    assert_eq!(statement.locals()[0].kind, LocalKind::Any);
    let domain = "contract f version 1 dims n input x[n] any m = max(k) x[k] let e = m where e > 0 output y = 1";
    assert_eq!(codes(domain), ["E0268"]);
}

#[test]
fn names_of_keywords_are_fine_for_contracts() {
    for name in ["exp", "max", "map", "constant", "contract", "if", "version"] {
        assert_eq!(one(&format!("contract {name} version 1 output y = 1")).name().text, name);
    }
}

/// A clash points at both places.
#[test]
fn a_clash_points_at_both_places() {
    let source = "contract f version 1 dims m, n input a[m, n], b[m, n] output c[i, j] = sum(l) a[i, l] * b[l, j]";
    let (_, found) = load(source);
    assert_eq!(found.len(), 1);
    let places: Vec<_> = found[0].labels.iter().map(|(s, w)| (s.start as usize, w.as_str())).collect();
    let (a, b) = (source.rfind("l] * b").unwrap(), source.rfind("l, j").unwrap());
    assert_eq!(places, [(b, "`m`: axis 1 of `b`"), (a, "`n`: axis 2 of `a`")]);
}

/// One run reports what is wrong in several places, and nothing that follows from it.
#[test]
fn several_errors_in_one_run() {
    let source = "
contract one version 1
dims n
input x[n
otuput y[i] = expp(x[i])
let t[i] = x[i] +
saves y
dx[i] = dy[i] * (y[i]

contract two version 1
dims n, m
input x[n]
output y[i] = x[j] * t[i]
saves y, q
dx[i] = x[i] * dy[i]

contract three version 1
dims n
input x[n]
output y[i] = x[i]
";
    let (statements, found) = load(source);
    let found: Vec<_> = found.iter().map(|d| (d.code, d.message.as_str())).collect();
    assert_eq!(
        found,
        [
            ("E0220", "expected `]`, found `otuput`"),
            ("E0222", "no function is called `expp`"),
            ("E0220", "expected an expression, found the reserved word `saves`"),
            ("E0220", "expected `)`, found the reserved word `contract`"),
            ("E0241", "nothing is called `q`"),
            ("E0244", "the index variable `j` is not bound"),
            ("E0241", "nothing is called `t`"),
            ("E0263", "the rule reads `x`, which is not saved"),
        ]
    );
    assert_eq!(statements.len(), 1);
    assert_eq!(statements[0].name().text, "three");
}

#[test]
fn errors_do_not_follow_from_errors() {
    // A tensor, a map, a local and an output with an error in them; everything else uses them.
    let source = "contract f version 1 dims n map at: z -> n input x[w] let t[i] = x[i] + q \
                  output y[i] = t[at(i)] saves t dx[i] = t[i] * dy[i]";
    assert_eq!(
        errors(source),
        [
            ("E0242", "no dimension is called `z`".to_owned()),
            ("E0242", "no dimension is called `w`".to_owned()),
            ("E0241", "nothing is called `q`".to_owned()),
        ]
    );
}

/// What a derived rule may look like: nested binders of one letter are told apart.
#[test]
fn printing_renames_what_would_clash() {
    let statement = one(MATMUL);
    let clause = &statement.outputs()[0].clauses[0];
    assert_eq!(statement.show_clause("c", clause), "c[i, j] = sum(l) a[i, l] * b[l, j]");
    assert_eq!(statement.show(&clause.value), "sum(l) a[i, l] * b[l, j]");
    assert_eq!(statement.show_index(&clause.at[0]), "i");
    assert_eq!(one(SOFTMAX).show_variable(one(SOFTMAX).outputs()[0].clauses[0].vars[0]), "i..");
}

/// The library's own statements load; printed, they load again as the same.
#[test]
fn the_contracts_of_the_library() {
    let all = crate::library::sources();
    for path in &all {
        let source = std::fs::read_to_string(path).unwrap();
        let (statements, found) = load(&source);
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
        for statement in statements {
            let text = statement.to_string();
            let again = one(&text);
            assert_eq!(again.to_string(), text, "{}", path.display());
            assert_eq!((again.doc(), again.saves()), (statement.doc(), statement.saves()));
        }
    }
}
