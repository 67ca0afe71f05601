//! Each field of a statement, spoilt: refused, and nothing is claimed of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::eval::{self, EvalError, Point};
use crate::statement::{
    Clause, Declaration, DimId, Expr, ExprKind, Index, Label, LocalKind, Map, MapId, MapKind, ParamId, Split,
    Statement, Tensor, VarId,
};
use crate::{Outcome, domain, equal, load, prove};

/// A statement in which everything is met.
const WHOLE: &str = "
    contract whole version 1
    dims   s.., m, n, a, b
    param  eps > 0
    map    at: m -> n
    partial map row: m -> m
    bijection turn: n -> n
    split  left: a, right: b -> n
    constant w[n]
    input  x[s.., n], u[m]
    where  w[j] >= 0, x[i.., j] + u[k] + eps != 0
    any    c[i..] = max(k) x[i.., k]
    let    e[i.., j] = exp(x[i.., j] - c[i..]) + exp(x[i.., turn(j)] - c[i..])
    let    total[i..] = sum(k) e[i.., k]
    output y[i.., j: m] = e[i.., at(j)] / total[i..] + u[row(j)] + |n| * [at(j) == at(j)]
    output z[i.., left(j)] = x[i.., left(j)]
    output z[i.., right(j)] = w[right(j)] * x[i.., right(j)]";

/// The whole, with a derived rule.
fn whole() -> Statement {
    let (mut statements, errors) = load(WHOLE);
    assert!(errors.is_empty(), "{errors:#?}");
    statements.remove(0).with_derived_rule()
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Default::default() }
}
fn boxed(kind: ExprKind) -> Box<Expr> {
    Box::new(expr(kind))
}
fn plain(v: VarId) -> Index {
    Index::Variable(v)
}
/// The gradient of `u[m]`, read at a variable of another dimension too, and so on.
fn first_clause(s: &mut Statement) -> &mut Clause {
    &mut s.outputs[0].clauses[0]
}
fn gradient(s: &mut Statement) -> &mut Clause {
    &mut s.gradients.as_mut().unwrap()[1].clauses[0]
}
fn plus(value: &mut Expr, more: ExprKind) {
    let old = std::mem::replace(value, expr(ExprKind::Size(DimId(0))));
    *value = expr(ExprKind::Add(Box::new(old), boxed(more)));
}

/// What is spoilt, and how.
type Fault = (&'static str, fn(&mut Statement));

#[rustfmt::skip]
const FAULTS: &[Fault] = &[
    ("a dimension of an input", |s| s.inputs[0].axes[0] = DimId(90)),
    ("a dimension of a constant", |s| s.constants[0].axes[0] = DimId(90)),
    ("a dimension of an output", |s| s.outputs[0].tensor.axes[0] = DimId(90)),
    ("the axes of an output", |s| s.outputs[0].tensor.axes[1] = DimId(2)),
    ("fewer axes of an output", |s| { s.outputs[0].tensor.axes.pop(); }),
    ("a dimension of a variable", |s| s.variables[0].dim = DimId(90)),
    ("another dimension of a variable", |s| { let v = s.locals[1].vars[1]; s.variables[v.0 as usize].dim = DimId(1); }),
    ("the dimension of a bound variable", |s| {
        let ExprKind::Sum(vars, _) = &s.locals[2].value.kind else { panic!() };
        let v = vars[0];
        s.variables[v.0 as usize].dim = DimId(1);
    }),
    ("a variable that is not there", |s| s.variables.truncate(3)),
    ("the target of a map", |s| s.maps[0].to = DimId(90)),
    ("another target of a map", |s| s.maps[0].to = DimId(1)),
    ("an argument of a map", |s| s.maps[0].from = vec![DimId(90)]),
    ("another argument of a map", |s| s.maps[0].from = vec![DimId(2)]),
    ("two arguments of a map", |s| s.maps[0].from = vec![DimId(1), DimId(1)]),
    ("no argument of a map", |s| s.maps[1].from.clear()),
    ("the kind of a map: a part of a split", |s| s.maps[0].kind = MapKind::Part { split: 0, part: 0 }),
    ("the kind of a part", |s| s.maps[3].kind = MapKind::Total),
    ("a part of a split that is not there", |s| s.maps[3].kind = MapKind::Part { split: 5, part: 0 }),
    ("a part at another place", |s| s.maps[3].kind = MapKind::Part { split: 0, part: 1 }),
    ("a part of another whole", |s| s.maps[3].to = DimId(1)),
    ("the whole of a split", |s| s.splits[0].whole = DimId(90)),
    ("another whole of a split", |s| s.splits[0].whole = DimId(1)),
    ("a part of a split that is no map", |s| s.splits[0].parts[0] = MapId(90)),
    ("parts in another order", |s| s.splits[0].parts.reverse()),
    ("one part fewer", |s| { s.splits[0].parts.pop(); }),
    ("no part", |s| s.splits[0].parts.clear()),
    ("a second split of a dimension", |s| {
        let parts = vec![MapId(s.maps.len() as u32)];
        let map = Map { kind: MapKind::Part { split: 1, part: 0 }, ..s.maps[3].clone() };
        s.maps.push(map);
        s.splits.push(Split { parts, whole: DimId(2) });
    }),
    ("a variable bound twice in one place", |s| { let v = s.locals[1].vars[0]; s.locals[1].vars[1] = v; }),
    ("a variable bound in two places", |s| { let v = s.locals[1].vars.clone(); s.wheres[0].vars = v; }),
    ("a sum over a variable of the clause", |s| {
        let v = first_clause(s).vars[1];
        plus(&mut first_clause(s).value, ExprKind::Sum(vec![v], boxed(ExprKind::Access(Tensor::Input(1), vec![plain(v)]))));
    }),
    ("a sum over nothing", |s| plus(&mut first_clause(s).value, ExprKind::Sum(vec![], boxed(ExprKind::Size(DimId(0)))))),
    ("a variable out of its scope", |s| {
        let v = s.wheres[1].vars[2];
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Input(1), vec![plain(v)]));
    }),
    ("an unbound variable of a condition", |s| { s.wheres[1].vars.pop(); }),
    ("an index too few", |s| plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Input(1), vec![]))),
    ("an index too many", |s| {
        let v = first_clause(s).vars[1];
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Input(1), vec![plain(v), plain(v)]));
    }),
    ("an index of another dimension", |s| {
        let v = first_clause(s).vars[1];
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Constant(0), vec![plain(v)]));
    }),
    ("a map that is not there", |s| {
        let v = first_clause(s).vars[1];
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Input(1), vec![Index::Map(MapId(90), vec![plain(v)])]));
    }),
    ("a map of too many arguments", |s| {
        let v = first_clause(s).vars[1];
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Input(1), vec![Index::Map(MapId(1), vec![plain(v), plain(v)])]));
    }),
    ("positions of two dimensions compared", |s| {
        let v = first_clause(s).vars.clone();
        plus(&mut first_clause(s).value, ExprKind::Equal(plain(v[0]), plain(v[1])));
    }),
    ("a size of no dimension", |s| plus(&mut first_clause(s).value, ExprKind::Size(DimId(90)))),
    ("a parameter that is not there", |s| plus(&mut first_clause(s).value, ExprKind::Param(ParamId(90)))),
    ("an input that is not there", |s| plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Input(90), vec![]))),
    ("a constant that is not there", |s| plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Constant(90), vec![]))),
    ("a cotangent in the forward part", |s| {
        let v = first_clause(s).vars.iter().map(|v| plain(*v)).collect();
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Cotangent(0), v));
    }),
    ("an output that reads itself", |s| {
        let v = first_clause(s).vars.iter().map(|v| plain(*v)).collect();
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Output(0), v));
    }),
    ("an output that reads a later one", |s| {
        let v = first_clause(s).vars.clone();
        let at = vec![plain(v[0]), Index::Map(MapId(0), vec![plain(v[1])])];
        plus(&mut first_clause(s).value, ExprKind::Access(Tensor::Output(1), at));
    }),
    ("a local that reads itself", |s| {
        let v = s.locals[2].vars.iter().map(|v| plain(*v)).collect();
        plus(&mut s.locals[2].value, ExprKind::Access(Tensor::Local(2), v));
    }),
    ("a local that reads an output", |s| {
        let v = s.locals[1].vars.iter().map(|v| plain(*v)).collect();
        plus(&mut s.locals[1].value, ExprKind::Access(Tensor::Output(1), v));
    }),
    ("a condition that reads an output", |s| {
        let v = s.wheres[1].vars[..2].iter().map(|v| plain(*v)).collect();
        plus(&mut s.wheres[1].value, ExprKind::Access(Tensor::Output(1), v));
    }),
    ("a clause at a map that is no bijection", |s| {
        let v = first_clause(s).vars[1];
        first_clause(s).at[1] = Index::Map(MapId(1), vec![plain(v)]);
    }),
    ("a clause at a map of a map", |s| {
        let v = s.outputs[1].clauses[0].vars[1];
        s.outputs[1].clauses[0].at[1] = Index::Map(MapId(2), vec![Index::Map(MapId(3), vec![plain(v)])]);
    }),
    ("a clause that does not bind what it stands at", |s| { first_clause(s).vars.pop(); }),
    ("a clause that binds more", |s| {
        let v = VarId(s.variables.len() as u32);
        s.variables.push(s.variables[0].clone());
        first_clause(s).vars.push(v);
    }),
    ("no clause", |s| s.outputs[0].clauses.clear()),
    ("a clause that is missing", |s| { s.outputs[1].clauses.pop(); }),
    ("clauses that meet", |s| {
        let v = s.outputs[1].clauses[1].vars[1];
        s.outputs[1].clauses[1].at[1] = plain(v);
        s.variables[v.0 as usize].dim = DimId(2);
    }),
    ("the same part twice", |s| {
        let v = s.outputs[1].clauses[1].vars[1];
        s.outputs[1].clauses[1].at[1] = Index::Map(MapId(3), vec![plain(v)]);
        s.variables[v.0 as usize].dim = DimId(3);
    }),
    ("something saved twice", |s| { let t = s.saves[0]; s.saves.push(t); }),
    ("an input saved that is not there", |s| s.saves.push(Tensor::Input(90))),
    ("a cotangent saved", |s| s.saves.push(Tensor::Cotangent(0))),
    ("nothing saved", |s| s.saves.clear()),
    ("no cotangent for one input", |s| { s.gradients.as_mut().unwrap().pop(); }),
    ("cotangents in another order", |s| s.gradients.as_mut().unwrap().reverse()),
    ("the axes of a cotangent", |s| s.gradients.as_mut().unwrap()[1].tensor.axes = vec![DimId(2)]),
    ("no clause of a cotangent", |s| s.gradients.as_mut().unwrap()[0].clauses.clear()),
    ("a rule that reads what is not saved", |s| {
        let v = gradient(s).vars.iter().map(|v| plain(*v)).collect();
        s.saves.retain(|t| *t != Tensor::Input(1));
        plus(&mut gradient(s).value, ExprKind::Access(Tensor::Input(1), v));
    }),
    ("a rule that reads a local that is not there", |s| {
        plus(&mut gradient(s).value, ExprKind::Access(Tensor::BackwardLocal(90), vec![]));
    }),
    ("a rule that reads a cotangent that is not there", |s| {
        plus(&mut gradient(s).value, ExprKind::Access(Tensor::Cotangent(90), vec![]));
    }),
    ("an `any` in the rule", |s| s.backward_locals[0].kind = LocalKind::Any),
    ("a kink and no declaration", |s| s.locals[0].kind = LocalKind::Let),
];

#[test]
fn each_field_that_is_spoilt_is_seen_and_nothing_is_claimed() {
    let whole = whole();
    whole.well_formed().unwrap();
    assert!(!whole.backward_locals.is_empty());
    assert!(equal(&whole, &whole).is_ok() && domain(&whole).len() > 1);
    assert_eq!(FAULTS.len(), 70);
    let nothing = Point::<f64> { sizes: vec![], maps: vec![], params: vec![], constants: vec![], inputs: vec![] };
    for (what, spoil) in FAULTS {
        let mut spoilt = whole.clone();
        spoil(&mut spoilt);
        assert_ne!(spoilt, whole, "{what}");
        let error = spoilt.well_formed().expect_err(what).to_string();
        let Outcome::Undecided(why) = prove(&spoilt) else { panic!("{what} is claimed about") };
        assert_eq!(why.reason, error, "{what}");
        assert!(equal(&spoilt, &spoilt).is_err(), "{what}");
        assert_eq!(eval::forward(&spoilt, &nothing), Err(EvalError::Mismatch(error)), "{what}");
        let empty = domain(&spoilt);
        assert!(empty.len() == 1 && empty[0].vars.is_empty() && !empty[0].written, "{what}");
    }
}

/// A kink of what is not differentiated is no boundary; one of what is, through a local or an output too, is.
#[test]
fn a_boundary_is_one_of_what_is_differentiated() {
    let of = |body: &str| {
        let text =
            format!("contract c version 1 dims n constant w[n] input x[n] {body} declares convention \"it has some\"");
        let (statements, errors) = load(&text);
        assert!(errors.is_empty(), "{errors:#?}");
        statements[0].has_boundary()
    };
    for still in [
        "output y[i] = max(w[i], 0) * x[i] + abs(w[i])",
        "let a[i] = w[i]^2 output y[i] = (if a[i] > 1 then x[i] else 2 * x[i]) + round(a[i]) + max(k) a[k]",
        "any a[i] = abs(x[i]) output y[i] = x[i] + a[i] - a[i]",
    ] {
        assert!(!of(still), "{still}");
    }
    for moving in [
        "output y[i] = max(w[i], 0) * abs(x[i])",
        "let a[i] = w[i] * x[i] let b[i] = exp(a[i]) output y[i] = if b[i] > 1 then 0 else w[i]",
        "output z[i] = x[i] output y[i] = round(z[i])",
        "let a[i: n] = max(k) x[k] output y[i] = a[i]",
    ] {
        assert!(of(moving), "{moving}");
    }
}

/// A declared statement whose declaration got lost is not one that is smooth.
#[test]
fn a_lost_declaration_is_missed() {
    let text = "contract relu version 1 dims s.. input x[s..] output y[i..] = max(x[i..], 0) saves x
        dx[i..] = if x[i..] > 0 then dy[i..] else 0 declares convention \"0 at 0\"";
    let mut relu = load(text).0.remove(0);
    assert!(matches!(prove(&relu), Outcome::Proved(_)));
    let declared: Option<Declaration> = relu.declaration.take();
    assert_eq!(declared.map(|d| d.label), Some(Label::Convention));
    assert!(matches!(prove(&relu), Outcome::Undecided(_)));
}
