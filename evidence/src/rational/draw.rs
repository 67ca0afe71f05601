//! Random scalar graphs, each as a program and as a fraction.

use pullback_kernel::Rational;
use pullback_program::random::Random;
use pullback_program::{Binding, Builder, DynProgram, Limits, Literal, Operation, Operator, Shape, ValueId};

use super::Point;
use super::oracle::{Fraction, INPUTS};

/// What is drawn: the operation by name, how many arguments, whether it has a parameter, and what it is of fractions.
struct Row {
    name: &'static str,
    arguments: usize,
    parameter: bool,
    fraction: fn(&[&Fraction], &Rational) -> Option<Fraction>,
}

/// A row of [`TABLE`].
macro_rules! row {
    ($name:literal, $arguments:literal, $parameter:literal, $fraction:expr) => {
        Row { name: $name, arguments: $arguments, parameter: $parameter, fraction: $fraction }
    };
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    row!("add",        2, false, |x, _| Some(x[0].plus(x[1]))),
    row!("subtract",   2, false, |x, _| Some(x[0].plus(&x[1].scaled(&(-one()))))),
    row!("multiply",   2, false, |x, _| Some(x[0].times(x[1]))),
    row!("divide",     2, false, |x, _| Some(x[0].times(&x[1].reciprocal()?))),
    row!("negate",     1, false, |x, _| Some(x[0].scaled(&(-one())))),
    row!("reciprocal", 1, false, |x, _| x[0].reciprocal()),
    row!("square",     1, false, |x, _| Some(x[0].times(x[0]))),
    row!("cube",       1, false, |x, _| Some(x[0].times(x[0]).times(x[0]))),
    row!("scale",      1, true,  |x, p| Some(x[0].scaled(p))),
    row!("shift",      1, true,  |x, p| Some(x[0].plus(&Fraction::constant(p.clone())))),
];

fn one() -> Rational {
    Rational::from_integer(1.into())
}

/// Degrees of fractions, at most.
const DEGREE: u32 = 10;
/// Draws before it is given up: far more than are ever needed.
const DRAWS: usize = 2000;

/// A graph with points of its domain.
pub(super) struct Scalar {
    pub(super) program: DynProgram,
    pub(super) points: Vec<Point>,
}

/// A random graph: one to four inputs, three to ten operations, one output, and points at which it is defined.
///
/// An argument may be drawn twice, and an input or a result may have no reader at all.
pub(super) fn graph(seed: u64, points: usize) -> Result<Scalar, String> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x1405_7b7e_f767_814f);
    let mut builder = Builder::new(Limits::default());
    let inputs = 1 + random.below(INPUTS);
    let mut fractions: Vec<Fraction> = (0..inputs).map(Fraction::input).collect();
    for k in 0..inputs {
        builder.input(&format!("x{k}"), Shape::new(&[])).map_err(|error| error.to_string())?;
    }
    let wanted = inputs + 3 + random.below(8);
    for _ in 0..DRAWS {
        if fractions.len() == wanted {
            break;
        }
        let row = &TABLE[random.below(TABLE.len())];
        // Most often of what came last, so that graphs are deep.
        let known = fractions.len();
        let mut argument = || if random.below(2) == 0 { known - 1 } else { random.below(known) };
        let arguments: Vec<usize> = (0..row.arguments).map(|_| argument()).collect();
        let parameter = random.rational();
        let of: Vec<&Fraction> = arguments.iter().map(|a| &fractions[*a]).collect();
        let Some(fraction) = (row.fraction)(&of, &parameter).filter(|f| f.degree() <= DEGREE) else { continue };
        let params = if row.parameter { vec![Literal::Exact(parameter)] } else { Vec::new() };
        let binding = Binding { dims: vec![Vec::new()], params, ..Binding::default() };
        let operator = Operator::library(row.name).map_err(|error| error.to_string())?;
        let operation =
            Operation::new(operator, binding, &Limits::default()).map_err(|faults| format!("{faults:?}"))?;
        let arguments: Vec<ValueId> = arguments.into_iter().map(|a| ValueId(a as u32)).collect();
        builder.apply(operation, &arguments).map_err(|error| error.to_string())?;
        fractions.push(fraction);
    }
    builder.output("y", ValueId(fractions.len() as u32 - 1));
    let program = builder.finish();
    let mut found = Vec::new();
    for _ in 0..DRAWS {
        if found.len() == points {
            return Ok(Scalar { program, points: found });
        }
        let at = random.rationals(inputs);
        // Every value on the way is defined, not only the last.
        if fractions.iter().any(|f| f.at(&at).is_none()) {
            continue;
        }
        let last = &fractions[fractions.len() - 1];
        if let (Some(value), Some(gradient)) = (last.at(&at), last.gradient(&at)) {
            found.push(Point { at, value, gradient });
        }
    }
    Err(format!("no point of its domain was found\n{program}"))
}
