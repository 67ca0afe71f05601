//! Operations on numbers alone: a short list of steps from arguments to results, without loops or registers.
//!
//! Where every axis has length one, a nest is a handful of assignments.
//! They are kept as a pattern, which a tape copies for every instruction with the places of its values.

use pullback_kernel::statement::{Function, Sign};
use pullback_scalar::Real;
use pullback_schedule::Reduction;

use super::dag::{Dag, Id, Item, Value, dag};
use super::nest::{Binary, Expr, Nest, Point, Requirement, Stmt, Unary};

/// Where a number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spot {
    /// In a buffer of the routine.
    Buffer(u16),
    /// A constant of the pattern.
    Const(u16),
    /// Between two steps.
    Scratch(u16),
    /// Not a place but a number of the step: an exponent, a condition.
    Plain(i32),
}

/// What a step does with the numbers at `a` and `b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SingleOp {
    Copy,
    Neg,
    Call(Function),
    Sound,
    Add,
    Sub,
    Mul,
    Div,
    /// `a * (1 - b * b)`, the slope of the hyperbolic tangent.
    Slope,
    /// `a` to the power of the plain number `b`.
    Power,
    /// Remembers `a - b`, and asks whether it is positive.
    Exceeds,
    /// Remembers `a - b`, and asks whether it is not negative.
    Reaches,
    /// `a` if what was asked last holds, else `b`; what is remembered where nobody can say.
    Choose,
    /// Ends the run where `a` is not positive, and so on: the condition with the plain number `b`.
    Positive,
    NonNegative,
    NonZero,
    /// Ends the run where `a` is not finite.
    Finite,
}

impl From<Unary> for SingleOp {
    fn from(op: Unary) -> Self {
        match op {
            Unary::Neg => SingleOp::Neg,
            Unary::Call(f) => SingleOp::Call(f),
            Unary::Sound => SingleOp::Sound,
        }
    }
}

impl From<Binary> for SingleOp {
    fn from(op: Binary) -> Self {
        match op {
            Binary::Add => SingleOp::Add,
            Binary::Sub => SingleOp::Sub,
            Binary::Mul => SingleOp::Mul,
            Binary::Div => SingleOp::Div,
        }
    }
}

impl From<Requirement> for SingleOp {
    fn from(required: Requirement) -> Self {
        match required {
            Requirement::Sign(Sign::Positive) => SingleOp::Positive,
            Requirement::Sign(Sign::NonNegative) => SingleOp::NonNegative,
            Requirement::Sign(Sign::NonZero) => SingleOp::NonZero,
            Requirement::Finite => SingleOp::Finite,
        }
    }
}

/// A step of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SingleStep {
    pub(crate) op: SingleOp,
    pub(crate) target: Spot,
    pub(crate) a: Spot,
    pub(crate) b: Spot,
}

/// The pattern of an operation on numbers.
#[derive(Clone, Debug)]
pub(crate) struct Single<T> {
    pub(crate) steps: Vec<SingleStep>,
    pub(crate) consts: Vec<T>,
    /// How many numbers stand between the steps.
    pub(crate) scratch: u16,
}

/// The pattern of a nest that has no loop. `kept` says which buffers are results.
pub(crate) fn single<T: Real>(nest: &Nest<T>, kept: &[bool]) -> Option<Single<T>> {
    let mut consts = nest.consts.clone();
    let zero = super::concrete::constant(&mut consts, T::zero());
    let mut body = vec![];
    nest.body.iter().try_for_each(|s| assignment(s, zero, &mut body))?;
    let graph = dag(&body, &mut consts);
    let mut pattern = Pattern { graph: &graph, spots: vec![None; graph.values.len()], steps: vec![], scratch: 0 };
    pattern.results(kept);
    pattern.write(kept)?;
    let one = consts.iter().position(|c| *c == T::one()).map(|at| Spot::Const(at as u16));
    let steps = slopes(pattern.steps, one);
    Some(Single { steps, consts, scratch: pattern.scratch })
}

/// The step as an assignment: outside of loops, accumulators and additions to memory are assignments too.
fn assignment(stmt: &Stmt, zero: u16, body: &mut Vec<Stmt>) -> Option<()> {
    let mut fixed = true;
    stmt.places(&mut |place, _| fixed &= place.point == Point::default());
    stmt.exprs(&mut |e| fixed &= !matches!(e, Expr::Equal(_)));
    let sum = |a, b: &Expr| Expr::Binary(Binary::Add, Box::new(a), Box::new(b.clone()));
    let made = match stmt {
        _ if !fixed => return None,
        Stmt::Loop { .. } | Stmt::Zero(_) | Stmt::Copy(..) | Stmt::Gemm(_) => return None,
        Stmt::Start(t, value) => Stmt::Let(*t, value.clone().unwrap_or(Expr::Const(zero))),
        Stmt::Fold(t, Reduction::Sum, e) => Stmt::Let(*t, sum(Expr::Temp(*t), e)),
        // The greatest of one number: the accumulator started with it.
        Stmt::Fold(_, Reduction::Max, _) => return Some(()),
        Stmt::Add(place, e) => Stmt::Set(place.clone(), sum(Expr::Load(place.clone()), e)),
        other => other.clone(),
    };
    body.push(made);
    Some(())
}

/// `a * (one - b * b)` as one step in place of three, where nobody else reads what stands between them.
fn slopes(steps: Vec<SingleStep>, one: Option<Spot>) -> Vec<SingleStep> {
    let reads = |spot: Spot| steps.iter().map(|s| usize::from(s.a == spot) + usize::from(s.b == spot)).sum::<usize>();
    let passing = |spot: Spot, times| matches!(spot, Spot::Scratch(_)) && reads(spot) == times;
    let mut made: Vec<SingleStep> = vec![];
    for step in &steps {
        if let [.., square, rest] = made.as_slice()
            && (square.op, rest.op, step.op) == (SingleOp::Mul, SingleOp::Sub, SingleOp::Mul)
            && (square.a, Some(rest.a), rest.b, step.b) == (square.b, one, square.target, rest.target)
            && passing(square.target, 1)
            && passing(rest.target, 1)
        {
            let b = square.b;
            made.truncate(made.len() - 2);
            made.push(SingleStep { op: SingleOp::Slope, b, ..*step });
        } else {
            made.push(*step);
        }
    }
    made
}

struct Pattern<'a> {
    graph: &'a Dag,
    spots: Vec<Option<Spot>>,
    steps: Vec<SingleStep>,
    scratch: u16,
}

impl Pattern<'_> {
    /// A value that is stored in a result is computed there.
    fn results(&mut self, kept: &[bool]) {
        for (at, item) in self.graph.items.iter().enumerate() {
            let Item::Set(place, value) = item else { continue };
            let last = !self.graph.items[at + 1..].iter().any(|i| matches!(i, Item::Set(p, _) if p == place));
            let own = !matches!(self.graph.values[*value as usize], Value::Const(_) | Value::Load(_));
            if last && own && kept[place.buffer as usize] && self.spots[*value as usize].is_none() {
                self.spots[*value as usize] = Some(Spot::Buffer(place.buffer));
            }
        }
    }

    fn write(&mut self, kept: &[bool]) -> Option<()> {
        let needed = self.needed(kept);
        for (at, item) in self.graph.items.iter().enumerate() {
            match item {
                Item::Value(id) if !needed[*id as usize] => {}
                Item::Value(id) => self.value(*id),
                Item::Set(place, value) if kept[place.buffer as usize] => {
                    let overwritten =
                        self.graph.items[at + 1..].iter().any(|i| matches!(i, Item::Set(p, _) if p == place));
                    let target = Spot::Buffer(place.buffer);
                    if !overwritten && self.spots[*value as usize] != Some(target) {
                        let a = self.spot(*value);
                        self.put(SingleOp::Copy, target, a, a);
                    }
                }
                Item::Check { check, required, value, .. } => {
                    let a = self.spot(*value);
                    self.put((*required).into(), Spot::Scratch(0), a, Spot::Plain(i32::from(*check)));
                }
                Item::Set(..) => {}
                Item::Add(..) | Item::Start(..) | Item::Fold(..) => return None,
            }
        }
        Some(())
    }

    /// Which values something kept depends on.
    fn needed(&self, kept: &[bool]) -> Vec<bool> {
        let mut needed = vec![false; self.graph.values.len()];
        for item in self.graph.items.iter().rev() {
            match item {
                Item::Value(id) if needed[*id as usize] => {
                    self.graph.values[*id as usize].operands().iter().for_each(|a| needed[*a as usize] = true);
                }
                Item::Set(place, value) if kept[place.buffer as usize] => needed[*value as usize] = true,
                Item::Check { value, .. } => needed[*value as usize] = true,
                _ => {}
            }
        }
        needed
    }

    fn spot(&self, id: Id) -> Spot {
        self.spots[id as usize].unwrap_or(Spot::Scratch(0))
    }

    fn put(&mut self, op: SingleOp, target: Spot, a: Spot, b: Spot) {
        self.steps.push(SingleStep { op, target, a, b });
    }

    fn fresh(&mut self) -> u16 {
        self.scratch += 1;
        self.scratch - 1
    }

    fn value(&mut self, id: Id) {
        let value = &self.graph.values[id as usize];
        match value {
            Value::Const(c) => return self.spots[id as usize] = Some(Spot::Const(*c)),
            Value::Load(place) => return self.spots[id as usize] = Some(Spot::Buffer(place.buffer)),
            _ => {}
        }
        let target = match self.spots[id as usize] {
            Some(spot) => spot,
            None => Spot::Scratch(self.fresh()),
        };
        self.spots[id as usize] = Some(target);
        match value {
            Value::Unary(op, a) => {
                let a = self.spot(*a);
                self.put((*op).into(), target, a, a);
            }
            Value::Binary(op, a, b) => self.put((*op).into(), target, self.spot(*a), self.spot(*b)),
            Value::Power(a, k) => self.put(SingleOp::Power, target, self.spot(*a), Spot::Plain(*k)),
            Value::Choose(strict, [left, right, then, otherwise]) => {
                let asked = if *strict { SingleOp::Exceeds } else { SingleOp::Reaches };
                self.put(asked, Spot::Scratch(0), self.spot(*left), self.spot(*right));
                self.put(SingleOp::Choose, target, self.spot(*then), self.spot(*otherwise));
            }
            Value::Const(_) | Value::Load(_) | Value::Temp(_) | Value::Equal(..) => {}
        }
    }
}
