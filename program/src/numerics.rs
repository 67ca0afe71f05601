//! How a run treats numbers that are none.
//!
//! One policy for every way to run a program: the statements as they are written, the tape, dual numbers, executables.
//! What is not finite ends a run, with the instruction that made it, before a comparison or a quotient could hide it;
//! to go on, as floats do, is a choice.

use std::fmt;

use pullback_kernel::Rational;

use crate::operation::{Elements, Literal, Operation};

/// What happens to a value that is infinite or not a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Nonfinite {
    /// It ends the run with an error: one that names the input, if the caller gave it, else the instruction that made it.
    #[default]
    Refuse,
    /// It goes on, as floats do.
    ///
    /// A comparison with a NaN still has no answer: its result is a NaN, and never one of the branches.
    Allow,
}

/// How a run treats numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Numerics {
    /// Values that are not finite.
    pub nonfinite: Nonfinite,
}

impl Numerics {
    /// What is not finite goes on.
    pub const ALLOW: Numerics = Numerics { nonfinite: Nonfinite::Allow };

    /// Whether what is not finite ends a run.
    pub(crate) fn refuses(self) -> bool {
        self.nonfinite == Nonfinite::Refuse
    }
}

/// What a number of a run is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// Of an instruction's results.
    Value,
    /// Of the derivative of an instruction's results.
    Tangent,
    /// Of what an instruction passes back.
    Cotangent,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Value => "a value",
            Part::Tangent => "a tangent",
            Part::Cotangent => "a cotangent",
        })
    }
}

/// What the caller gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Given {
    /// An input.
    Input,
    /// The tangent of an input.
    Tangent,
    /// The cotangent of an output.
    Cotangent,
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Given::Input => "input",
            Given::Tangent => "tangent of",
            Given::Cotangent => "cotangent of",
        })
    }
}

/// A number of a program that the numbers of a run can't hold: what is not zero would be, or what is finite would not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounded {
    /// Which number: a parameter, a constant, or a literal of the statement.
    pub what: String,
    /// The number.
    pub number: String,
    /// Whether it would be infinite; zero if not.
    pub infinite: bool,
    /// The numbers of the run.
    pub scalar: &'static str,
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rounded { what, number, infinite, scalar } = self;
        write!(f, "{what} is {number}, which {scalar} rounds to {}", if *infinite { "infinity" } else { "zero" })
    }
}

/// What becomes of a number that is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Held {
    /// It stays apart from zero and finite.
    Fine,
    Zero,
    Infinite,
}

/// The first number of an operation that does not survive, as `held` says: of its data and its forward part, and of its rule where that runs.
pub(crate) fn rounded<T>(operation: &Operation, rule: bool, held: impl Fn(&Literal) -> Held) -> Option<Rounded> {
    let name = std::any::type_name::<T>();
    let scalar = match name {
        "f32" => "f32",
        "f64" => "f64",
        _ => "the scalar",
    };
    let lost = |what: String, literal: &Literal| {
        let fate = if literal.is_zero() { Held::Fine } else { held(literal) };
        (fate != Held::Fine).then(|| {
            let number = shown(literal);
            Rounded { what, number, infinite: fate == Held::Infinite, scalar }
        })
    };
    let (statement, binding) = (operation.statement(), operation.binding());
    let params = statement.params().iter().zip(&binding.params);
    let constants = statement.constants().iter().zip(&binding.constants);
    let mut of_params = params.map(|(p, literal)| lost(format!("the parameter `{}`", p.name), literal));
    let mut of_constants = constants.map(|(c, array)| match &array.elements {
        Elements::Splat(literal) => lost(format!("the constant `{}`", c.name), literal),
        Elements::Each(all) => {
            let at = all.iter().position(|literal| !literal.is_zero() && held(literal) != Held::Fine)?;
            lost(format!("element {at} of the constant `{}`", c.name), &all[at])
        }
    });
    let named = |numbers: &[Rational], of: &str| {
        numbers.iter().find_map(|q| lost(format!("a number of its {of}"), &Literal::Exact(q.clone())))
    };
    let found = of_params.find_map(|found| found).or_else(|| of_constants.find_map(|found| found));
    let operator = operation.operator();
    found
        .or_else(|| named(&operator.numbers().0, "statement"))
        .or_else(|| if rule { named(&operator.numbers().1, "rule") } else { None })
}

/// A number in words, shortened where its digits are many.
fn shown(literal: &Literal) -> String {
    let text = match literal {
        Literal::Float(x) => format!("{x:e}"),
        Literal::Exact(_) => literal.to_string(),
    };
    if text.len() <= 40 {
        return text;
    }
    let start: String = text.chars().take(16).collect();
    format!("{start}… ({} digits)", text.len())
}
