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

use crate::compose::{ComposeError, Composer, Fixed, Substitution};
use crate::prove::{Outcome, prove};
use crate::source::{Name, Span};
use crate::statement::{
    Clause, Condition, Defined, DimId, Expr, ExprKind, Function, Index, Local, LocalKind, Sign, Statement, Tensor,
    TensorDecl, VarId,
};
use crate::transform::rewrite;

/// Whether the second statement computes what the first does, for all shapes and wherever the first is defined.
///
/// The second has the declarations of the first at the same positions, and may have more after them: see [`Composer::like`].
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
    // Inputs stand still here: `s` alone is differentiated.
    let mut composer = Composer::like(second, &format!("{}_is_{}", first.name, second.name));
    let inputs: Vec<Tensor> = (0..second.inputs.len() as u32).map(Tensor::Input).collect();
    let as_part = |part: &Statement| Substitution {
        dims: (0..part.dims.len() as u32).map(|d| vec![DimId(d)]).collect(),
        params: (0..part.params.len() as u32)
            .map(|p| crate::compose::Argument::Param(crate::statement::ParamId(p)))
            .collect(),
        maps: (0..part.maps.len() as u32).map(crate::statement::MapId).collect(),
        constants: (0..part.constants.len() as u32).map(Fixed::Constant).collect(),
    };
    composer.forget_wheres();
    let left = composer.apply(first, &as_part(first), &inputs)?;
    let kept = composer.locals();
    let wheres = composer.wheres();
    let right = composer.apply(second, &as_part(second), &inputs)?;
    if left.len() != right.len() || left.iter().zip(&right).any(|(l, r)| composer.axes(*l) != composer.axes(*r)) {
        return Err(ComposeError::new(format!("`{}` and `{}` have other outputs", first.name, second.name)));
    }
    let mut whole = composer.into_whole();
    let claimed = whole.wheres.split_off(wheres);
    let span = first.span;

    // Inputs become constants, after those that are there; `s` is the only input.
    let constants = whole.constants.len() as u32;
    let inputs = std::mem::replace(&mut whole.inputs, vec![TensorDecl { name: named("s"), axes: Vec::new() }]);
    whole.constants.extend(inputs);
    let still = |t: Tensor| match t {
        Tensor::Input(k) => Some(Tensor::Constant(constants + k)),
        Tensor::Local(k) if k >= kept => Some(Tensor::BackwardLocal(k - kept)),
        _ => Some(t),
    };
    for condition in &mut whole.wheres {
        condition.value = rewrite(&condition.value, &still);
    }
    let mut needed = Vec::new();
    for (k, condition) in claimed.into_iter().enumerate() {
        // What both say is assumed; what only the second says must follow.
        if first.wheres.get(k) != second.wheres.get(k) {
            needed.push(requirement(Condition { value: rewrite(&condition.value, &still), ..condition })?);
        }
    }
    let locals: Vec<Local> = std::mem::take(&mut whole.locals)
        .into_iter()
        .map(|l| Local { value: rewrite(&l.value, &still), ..l })
        .collect();
    let (forward, backward) = locals.split_at(kept as usize);
    whole.locals = forward.to_vec();
    // What the second chooses for range only is computed like anything else: it must cancel.
    whole.backward_locals = backward.iter().map(|l| Local { kind: LocalKind::Let, ..l.clone() }).collect();

    // Zero, and defined only where the second is.
    let mut pairing: Option<Expr> =
        needed.into_iter().reduce(|a, b| Expr { kind: ExprKind::Add(Box::new(a), Box::new(b)), span });
    for (k, (l, r)) in (0u32..).zip(left.iter().zip(&right)) {
        let tensor = TensorDecl { name: named(&format!("z{k}")), axes: whole.tensor(*l).axes };
        let read = |t: Tensor, vars: &[VarId]| {
            let at = vars.iter().map(|v| Index::Variable(*v)).collect();
            Box::new(Expr { kind: ExprKind::Access(t, at), span })
        };
        let vars = whole.fresh_variables(&tensor.axes);
        let s = Box::new(Expr { kind: ExprKind::Access(Tensor::Input(0), Vec::new()), span });
        let value = Expr { kind: ExprKind::Mul(s, read(*l, &vars)), span };
        let at = vars.iter().map(|v| Index::Variable(*v)).collect();
        let over = whole.fresh_variables(&tensor.axes);
        let right = still(*r).unwrap_or(*r);
        let product = Expr { kind: ExprKind::Mul(read(Tensor::Cotangent(k), &over), read(right, &over)), span };
        let term = if over.is_empty() { product } else { Expr { kind: ExprKind::Sum(over, Box::new(product)), span } };
        pairing = Some(match pairing {
            None => term,
            Some(sum) => Expr { kind: ExprKind::Add(Box::new(sum), Box::new(term)), span },
        });
        whole.outputs.push(Defined { tensor, clauses: vec![Clause { vars, at, value, span }] });
    }
    let value = pairing.ok_or_else(|| ComposeError::new(format!("`{}` has no output", first.name)))?;
    let clause = Clause { vars: Vec::new(), at: Vec::new(), value, span };
    let tensor = TensorDecl { name: named("ds"), axes: Vec::new() };
    whole.gradients = Some(vec![Defined { tensor, clauses: vec![clause] }]);
    whole.span = span;
    Ok(whole)
}

/// The second has the declarations of the first, at the same positions: else the two speak of other shapes or data.
fn same_declarations(first: &Statement, second: &Statement) -> Result<(), ComposeError> {
    fn prefix<T>(first: &[T], second: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
        first.len() <= second.len() && first.iter().zip(second).all(|(a, b)| same(a, b))
    }
    let axes = |a: &TensorDecl, b: &TensorDecl| a.axes == b.axes;
    let same = prefix(&first.dims, &second.dims, |a, b| a.pack == b.pack)
        && prefix(&first.params, &second.params, |a, b| a.sign == b.sign)
        && prefix(&first.maps, &second.maps, |a, b| (a.kind, &a.from, a.to) == (b.kind, &b.from, b.to))
        && prefix(&first.splits, &second.splits, |a, b| a == b)
        && prefix(&first.constants, &second.constants, axes)
        && first.inputs.len() == second.inputs.len()
        && prefix(&first.inputs, &second.inputs, axes);
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
    let zero = Expr { kind: ExprKind::Number(crate::Rational::from_integer(0.into())), span };
    let product = Expr { kind: ExprKind::Mul(Box::new(zero), Box::new(call)), span };
    Ok(if vars.is_empty() { product } else { Expr { kind: ExprKind::Sum(vars, Box::new(product)), span } })
}

fn named(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}
