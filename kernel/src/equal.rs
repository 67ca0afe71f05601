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

use crate::Rational;
use crate::compose::{Argument, ComposeError, Composer, Fixed, Side, Substitution, named, reads_only};
use crate::prove::{Outcome, prove};
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
    claim(first, second).map(|statement| prove(&statement))
}

/// The statement whose rule is right if and only if the two are equal.
fn claim(first: &Statement, second: &Statement) -> Result<Statement, ComposeError> {
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
    let span = first.span;

    // Zero, and defined only where the second is: what both ask for in the same words is assumed, the rest must follow.
    let mut pairing: Option<Expr> = None;
    let mut add = |term: Expr| {
        pairing = Some(match pairing.take() {
            None => term,
            Some(sum) => Expr { kind: ExprKind::Add(Box::new(sum), Box::new(term)), span },
        });
    };
    for (condition, written) in claimed.into_iter().zip(&second.wheres) {
        let words_of_data = reads_only(&written.value, &|t| matches!(t, Tensor::Input(_) | Tensor::Constant(_)));
        if !(words_of_data && first.wheres.contains(written)) {
            add(requirement(condition)?);
        }
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
    Ok(whole)
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

/// An expression that is zero where the condition holds, and defined nowhere else.
fn requirement(condition: Condition) -> Result<Expr, ComposeError> {
    let Condition { vars, sign, value, .. } = condition;
    let span = value.span;
    let function = match sign {
        Sign::Positive => Function::Log,
        Sign::NonZero => Function::Recip,
        // No function of the language is defined at zero and on one side of it only.
        Sign::NonNegative => {
            let sentence = "the second statement asks for something `>= 0` that the first does not ask for";
            return Err(ComposeError::new(sentence.into()));
        }
    };
    let call = Expr { kind: ExprKind::Call(function, Box::new(value)), span };
    let zero = Expr { kind: ExprKind::Number(Rational::from_integer(0.into())), span };
    let product = Expr { kind: ExprKind::Mul(Box::new(zero), Box::new(call)), span };
    Ok(if vars.is_empty() { product } else { Expr { kind: ExprKind::Sum(vars, Box::new(product)), span } })
}
