//! Equality of two statements, as a theorem about a third.
//!
//! Multiply the outputs of the first by a number `s`, and claim that the rule for `s` is the pairing of the cotangents with the outputs of the second:
//!
//! ```text
//!   output z[i..] = s * first[i..]
//!   ds = sum(i..) dz[i..] * second[i..]
//! ```
//!
//! That rule is the adjoint of the derivative exactly where the two are equal, for all shapes, all inputs and all cotangents.
//! So nothing new is trusted: [`prove`] decides it, refutes it with a point, and refuses a second statement that is not defined wherever the first is.
//! What the second asks for with `where` must follow from the domain of the first, or be asked for there too: two conditions are
//! the same if their normal forms are, over the same dimensions.

use crate::Rational;
use crate::budget::{Budget, Meter};
use crate::compose::{Argument, ComposeError, Composer, Fixed, Side, Substitution, named};
use crate::domain::Domain;
use crate::prove::{Cause, Difference, Outcome, prove};
use crate::statement::{
    Clause, Condition, Defined, DimId, Expr, ExprKind, Function, Index, MapId, ParamId, Sign, Statement, Tensor,
    TensorDecl, VarId,
};

/// Whether the second statement computes what the first does, for all shapes and wherever the first is defined.
///
/// Both have the same declarations at the same positions, whatever they are called: see [`Composer::like`].
/// Rules play no part in it.
///
/// # Errors
///
/// [`ComposeError`] where inputs, outputs or declarations are not the same.
pub fn equal(first: &Statement, second: &Statement) -> Result<Outcome, ComposeError> {
    for statement in [first, second] {
        statement.well_formed().map_err(|malformed| ComposeError::new(malformed.to_string()))?;
    }
    let claim = claim(first, second)?;
    Ok(match (prove(&claim.statement), claim.asked) {
        // Nothing is refuted by a condition that was not shown.
        (Outcome::Proved(_), Some(words)) => {
            let reason = format!(
                "`{}` asks for `{words}`, which was not shown to follow from the domain of `{}`",
                second.name, first.name
            );
            Outcome::Undecided(Difference { cause: Cause::NotShown, reason, rest: None, span: second.span })
        }
        (outcome, _) => outcome,
    })
}

/// What is to be proved.
struct Claim {
    /// The statement whose rule is right if and only if the two are equal where all that the second asks for holds.
    statement: Statement,
    /// Something that the second asks for, and that was neither shown nor made a part of the rule.
    asked: Option<String>,
}

fn claim(first: &Statement, second: &Statement) -> Result<Claim, ComposeError> {
    same_declarations(first, second)?;
    // Inputs stand still here, so they are constants; `s` alone is differentiated.
    let mut composer = Composer::new(&format!("{}_is_{}", first.name, second.name));
    let still = composer.declare_still(first);
    let s = composer.input("s", &[]);
    let same = Substitution {
        dims: (0..first.dims.len() as u32).map(|d| vec![DimId(d)]).collect(),
        params: (0..first.params.len() as u32).map(|p| Argument::Param(ParamId(p))).collect(),
        maps: (0..first.maps.len() as u32).map(MapId).collect(),
        constants: (0..first.constants.len() as u32).map(Fixed::Constant).collect(),
    };
    let left = composer.apply(first, &same, &still)?;
    let (right, claimed) = composer.take_over(second, &same, &still, Side::Backward)?;
    if left.len() != right.len() || left.iter().zip(&right).any(|(l, r)| composer.axes(*l) != composer.axes(*r)) {
        return Err(ComposeError::new(format!("`{}` and `{}` have other outputs", first.name, second.name)));
    }
    let mut whole = composer.into_whole();
    // Nothing that is differentiated goes through a boundary: `s` is a factor.
    whole.declaration = None;
    let span = first.span;

    let mut given = Domain::forward(&whole, Meter::new(Budget::default()));
    let follow: Vec<bool> = claimed.iter().map(|condition| given.implies(condition)).collect();
    drop(given);

    // Zero, and defined only where the second is.
    let mut asked = None;
    let mut pairing: Option<Expr> = None;
    let mut add = |term: Expr| {
        pairing = Some(match pairing.take() {
            None => term,
            Some(sum) => Expr { kind: ExprKind::Add(Box::new(sum), Box::new(term)), span },
        });
    };
    for ((condition, written), follows) in claimed.into_iter().zip(&second.wheres).zip(follow) {
        let function = match condition.sign {
            // What it takes to evaluate it is asked for in any case.
            _ if follows => None,
            Sign::Positive => Some(Function::Log),
            Sign::NonZero => Some(Function::Recip),
            // No function of the language is defined at zero and on one side of it only.
            Sign::NonNegative => {
                asked.get_or_insert_with(|| second.show_condition(written));
                None
            }
        };
        add(zero_where_defined(condition, function));
    }
    for (k, (l, r)) in (0u32..).zip(left.iter().zip(&right)) {
        let tensor = TensorDecl { name: named(&format!("z{k}")), axes: whole.tensor(*l).axes };
        let read = |t: Tensor, vars: &[VarId]| {
            let at = vars.iter().map(|v| Index::Variable(*v)).collect();
            Box::new(Expr { kind: ExprKind::Access(t, at), span })
        };
        let vars = whole.fresh_variables(&tensor.axes);
        let value = Expr { kind: ExprKind::Mul(read(s, &[]), read(*l, &vars)), span };
        let at = vars.iter().map(|v| Index::Variable(*v)).collect();
        let over = whole.fresh_variables(&tensor.axes);
        let product = Expr { kind: ExprKind::Mul(read(Tensor::Cotangent(k), &over), read(*r, &over)), span };
        add(if over.is_empty() { product } else { Expr { kind: ExprKind::Sum(over, Box::new(product)), span } });
        whole.outputs.push(Defined { tensor, clauses: vec![Clause { vars, at, value, span }] });
    }
    let value = pairing.ok_or_else(|| ComposeError::new(format!("`{}` has no output", first.name)))?;
    let clause = Clause { vars: Vec::new(), at: Vec::new(), value, span };
    let tensor = TensorDecl { name: named("ds"), axes: Vec::new() };
    whole.gradients = Some(vec![Defined { tensor, clauses: vec![clause] }]);
    whole.span = span;
    Ok(Claim { statement: whole, asked })
}

/// The two have the same declarations: else they speak of other shapes or other data.
///
/// More on one side is as wrong: a further split or bijection says something of the sizes that are there.
fn same_declarations(first: &Statement, second: &Statement) -> Result<(), ComposeError> {
    fn same<T>(first: &[T], second: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
        first.len() == second.len() && first.iter().zip(second).all(|(a, b)| same(a, b))
    }
    let axes = |a: &TensorDecl, b: &TensorDecl| a.axes == b.axes;
    let same = same(&first.dims, &second.dims, |a, b| a.pack == b.pack)
        && same(&first.params, &second.params, |a, b| a.sign == b.sign)
        && same(&first.maps, &second.maps, |a, b| (a.kind, &a.from, a.to) == (b.kind, &b.from, b.to))
        && first.splits == second.splits
        && same(&first.constants, &second.constants, axes)
        && same(&first.inputs, &second.inputs, axes);
    if same {
        return Ok(());
    }
    Err(ComposeError::new(format!("`{}` does not have the declarations of `{}`", second.name, first.name)))
}

/// An expression that is zero, and defined only where the condition can be evaluated, and the function of its value if one is given.
fn zero_where_defined(condition: Condition, function: Option<Function>) -> Expr {
    let Condition { vars, value, .. } = condition;
    let span = value.span;
    let value = match function {
        Some(function) => Expr { kind: ExprKind::Call(function, Box::new(value)), span },
        None => value,
    };
    let zero = Expr { kind: ExprKind::Number(Rational::from_integer(0.into())), span };
    let product = Expr { kind: ExprKind::Mul(Box::new(zero), Box::new(value)), span };
    if vars.is_empty() { product } else { Expr { kind: ExprKind::Sum(vars, Box::new(product)), span } }
}
