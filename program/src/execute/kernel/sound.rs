//! What is not finite stays so.
//!
//! One over an infinity is zero, a hyperbolic tangent of one is one, an arc tangent a right angle, and a comparison with a NaN takes a branch: each hides what was lost.
//! Where such a step is asked of a number that is made on the way, the number becomes a NaN if it is not finite, which nothing hides.
//! Buffers need no such care: what is in them was looked at before.
//! This pass must never change a number that is finite.

use pullback_kernel::statement::Function;
use pullback_schedule::Reduction;

use super::nest::{Binary, Condition, Expr, Nest, Requirement, Stmt, Unary};

/// Keeps what is not finite from being hidden. `sound` says which buffers hold finite numbers alone.
pub(crate) fn keep<T>(nest: &mut Nest<T>, sound: impl Fn(u16) -> bool) {
    let certain = |e: &Expr| match e {
        Expr::Const(_) | Expr::Equal(_) => true,
        Expr::Load(place) => sound(place.buffer),
        Expr::Unary(Unary::Sound, _) => true,
        _ => false,
    };
    let negated = |e: &Expr| matches!(e, Expr::Unary(Unary::Neg, a) if certain(a));
    let wrap = |e: &mut Expr| {
        if !certain(e) && !negated(e) {
            let inner = std::mem::replace(e, Expr::Const(0));
            *e = Expr::Unary(Unary::Sound, Box::new(inner));
        }
    };
    for stmt in &mut nest.body {
        stmt.exprs_mut(&mut |e| {
            // A power below zero is one over a power.
            if let Expr::Power(a, k) = e
                && *k < 0
            {
                let (base, k) = (std::mem::replace(&mut **a, Expr::Const(0)), k.unsigned_abs() as i32);
                let power = if k == 1 { base } else { Expr::Power(Box::new(base), k) };
                *e = Expr::Unary(Unary::Call(Function::Recip), Box::new(power));
            }
            match e {
                Expr::Unary(Unary::Call(f), a) if hides(*f) => wrap(a),
                Expr::Binary(Binary::Div, _, divisor) => wrap(divisor),
                Expr::Choose(_, parts) => parts[..2].iter_mut().for_each(wrap),
                _ => {}
            }
        });
        stmt.visit_mut(&mut |s| {
            if let Stmt::Fold(_, Reduction::Max, e) | Stmt::Start(_, Some(e)) = s {
                wrap(e);
            }
        });
    }
    let mut body = std::mem::take(&mut nest.body);
    conditions(&mut body, nest, &certain);
    nest.body = body;
}

/// Whether the function has a finite value at an infinity.
fn hides(f: Function) -> bool {
    match f {
        Function::Exp | Function::Expm1 | Function::Tanh | Function::Recip | Function::Rsqrt => true,
        Function::Erf | Function::Erfc | Function::Atan => true,
        Function::Sqrt | Function::Log | Function::Log1p | Function::Round | Function::Floor => false,
        // A NaN.
        Function::Sin | Function::Cos => false,
    }
}

/// A condition is asked of a finite number: what is none neither holds nor fails.
fn conditions<T>(body: &mut Vec<Stmt>, nest: &mut Nest<T>, certain: &impl Fn(&Expr) -> bool) {
    let mut made = Vec::with_capacity(body.len());
    for mut stmt in body.drain(..) {
        match &mut stmt {
            Stmt::Loop { body, .. } => conditions(body, nest, certain),
            Stmt::Check { check, required: Requirement::Sign(_), value, at } if !certain(value) => {
                let member = nest.conditions[*check as usize].member;
                let own = nest.conditions.len() as u16;
                nest.conditions.push(Condition { text: "finite".into(), member });
                let (required, value, at) = (Requirement::Finite, value.clone(), at.clone());
                made.push(Stmt::Check { check: own, required, value, at });
            }
            _ => {}
        }
        made.push(stmt);
    }
    *body = made;
}
