//! The intermediate form: loops, reads, writes and matrix products over flat row-major buffers.

use pullback_kernel::Rational;
use pullback_kernel::statement::{Comparison, DimId, Function, MapId, ParamId, Sign, Tensor};

/// Which loop variable, as a position in [`Routine::vars`](field@Routine::vars).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);
/// Which buffer, as a position in [`Routine::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufferId(pub u32);
/// Which scalar local, as a position in [`Routine::temps`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Temp(pub u32);

/// A loop variable. It ranges over the product of its dimensions, in row-major order: several where neighbouring
/// loops were run together.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name in the pseudo-code.
    pub name: String,
    /// The dimensions that it ranges over.
    pub dims: Vec<DimId>,
}

/// What a buffer is to the routine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Given: an input (forward), a constant, a saved tensor or a cotangent (backward).
    Given(Tensor),
    /// Made and given back: an output or a forward local that is saved.
    Result(Tensor),
    /// Made and given back by the backward routine: the cotangent of that input.
    Gradient(u32),
    /// Made and forgotten.
    Local,
}

/// An array in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// Its name in the pseudo-code.
    pub name: String,
    /// Its axes.
    pub axes: Vec<DimId>,
    /// What it is to the routine.
    pub role: Role,
}

/// A position along as many axes as the variable, or the map's value, has dimensions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Index {
    /// A loop variable.
    Var(Var),
    /// The first position of an axis.
    First,
    /// A map of the statement. A partial one may be undefined, and a read there is zero, a write is none.
    Map(MapId, Vec<Index>),
}

/// A real expression without sums.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// A literal.
    Number(Rational),
    /// A scalar parameter of the statement.
    Param(ParamId),
    /// The size of a dimension.
    Size(DimId),
    /// A scalar local.
    Temp(Temp),
    /// An element of a buffer.
    Read(BufferId, Vec<Index>),
    /// `-a`
    Neg(Box<Scalar>),
    /// `a + b`
    Add(Box<Scalar>, Box<Scalar>),
    /// `a - b`
    Sub(Box<Scalar>, Box<Scalar>),
    /// `a * b`
    Mul(Box<Scalar>, Box<Scalar>),
    /// `a / b`
    Div(Box<Scalar>, Box<Scalar>),
    /// `a ^ k`
    Pow(Box<Scalar>, i32),
    /// `exp(a)` and the like
    Call(Function, Box<Scalar>),
    /// One where both positions are defined and equal, else zero.
    Equal(Index, Index),
    /// Evaluates the chosen branch only.
    If {
        /// Which comparison.
        comparison: Comparison,
        /// Left side.
        left: Box<Scalar>,
        /// Right side.
        right: Box<Scalar>,
        /// Value where it holds.
        then: Box<Scalar>,
        /// Value where it does not.
        otherwise: Box<Scalar>,
    },
}

/// How values are brought together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reduction {
    /// Sum.
    Sum,
    /// The greatest.
    Max,
}

/// A matrix in a buffer: the element at the group's variables, the others being fixed by the loops around.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    /// Where it lies.
    pub buffer: BufferId,
    /// One index an axis. The variables of a group of the product stand at consecutive axes, in the group's order.
    pub at: Vec<Index>,
}

/// `target[m, n] = sum(k) left[m, k] * right[k, n]`, each of `m`, `n`, `k` a group of variables run together.
#[derive(Clone, PartialEq, Debug)]
pub struct Gemm {
    /// What is written, all of it.
    pub target: Operand,
    /// The left factor.
    pub left: Operand,
    /// The right factor.
    pub right: Operand,
    /// Rows of the target; may be none.
    pub m: Vec<Var>,
    /// Columns of the target; may be none.
    pub n: Vec<Var>,
    /// What is summed over.
    pub k: Vec<Var>,
}

/// A condition of the domain.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// The condition in the statement's words.
    pub text: String,
    /// What is required.
    pub sign: Sign,
    /// Of which value.
    pub value: Scalar,
    /// At which place: the variables of the flat index that the error names.
    pub vars: Vec<Var>,
}

/// One step of a routine.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// Ends the routine with a domain error where the condition does not hold.
    Check(Check),
    /// For all values of the variables, the last running fastest.
    Loop {
        /// The variables.
        vars: Vec<Var>,
        /// What is done for each.
        body: Vec<Step>,
    },
    /// Names a scalar.
    Let {
        /// The name.
        temp: Temp,
        /// The value.
        value: Scalar,
    },
    /// Starts an accumulation: with zero, or with the value at the first place.
    Start {
        /// The accumulator.
        temp: Temp,
        /// Its first value; zero if none.
        value: Option<Scalar>,
    },
    /// Brings a value into an accumulator.
    Fold {
        /// The accumulator.
        temp: Temp,
        /// How.
        how: Reduction,
        /// The value.
        value: Scalar,
    },
    /// Writes an element.
    Set {
        /// The buffer.
        target: BufferId,
        /// The place.
        at: Vec<Index>,
        /// The value.
        value: Scalar,
    },
    /// Adds into an element; nothing where the place is undefined.
    Add {
        /// The buffer.
        target: BufferId,
        /// The place.
        at: Vec<Index>,
        /// The value.
        value: Scalar,
    },
    /// Sets all of a buffer to zero.
    Zero {
        /// The buffer.
        target: BufferId,
    },
    /// A matrix product.
    Gemm(Gemm),
    /// `target[map(i)] = source[i]`, or `target[i] = source[map(i)]`: where the bijection is the identity in
    /// row-major order, the target is the source under another shape and nothing is copied.
    Carry {
        /// The buffer made.
        target: BufferId,
        /// The buffer read.
        source: BufferId,
        /// The bijection.
        map: MapId,
        /// Whether the target stands under the map.
        forward: bool,
    },
}

/// A statement's forward or backward side as steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Routine {
    /// Loop variables.
    pub vars: Vec<Variable>,
    /// Names of the scalar locals.
    pub temps: Vec<String>,
    /// Buffers. Some may be unused.
    pub buffers: Vec<Buffer>,
    /// What is done.
    pub steps: Vec<Step>,
    /// Names of the dimensions, as the statement has them.
    pub dims: Vec<String>,
    /// Names of the maps.
    pub maps: Vec<String>,
    /// Names of the parameters.
    pub params: Vec<String>,
    /// Which maps are partial.
    pub partial: Vec<bool>,
}

impl Index {
    /// Calls the function with every variable in the index.
    pub fn each_var(&self, f: &mut impl FnMut(Var)) {
        match self {
            Index::Var(v) => f(*v),
            Index::First => {}
            Index::Map(_, args) => args.iter().for_each(|a| a.each_var(f)),
        }
    }
    /// The index with variables replaced.
    #[must_use]
    pub fn replace(&self, with: &impl Fn(Var) -> Option<Index>) -> Index {
        match self {
            Index::Var(v) => with(*v).unwrap_or(Index::Var(*v)),
            Index::First => Index::First,
            Index::Map(m, args) => Index::Map(*m, args.iter().map(|a| a.replace(with)).collect()),
        }
    }
    /// Whether the variable occurs in it.
    pub fn has(&self, var: Var) -> bool {
        let mut found = false;
        self.each_var(&mut |v| found |= v == var);
        found
    }
}

impl Scalar {
    /// Calls the function with the expression and all its parts, the outer first.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Scalar)) {
        f(self);
        match self {
            Scalar::Number(_)
            | Scalar::Param(_)
            | Scalar::Size(_)
            | Scalar::Temp(_)
            | Scalar::Read(..)
            | Scalar::Equal(..) => {}
            Scalar::Neg(a) | Scalar::Pow(a, _) | Scalar::Call(_, a) => a.visit(f),
            Scalar::Add(a, b) | Scalar::Sub(a, b) | Scalar::Mul(a, b) | Scalar::Div(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Scalar::If { left, right, then, otherwise, .. } => {
                left.visit(f);
                right.visit(f);
                then.visit(f);
                otherwise.visit(f);
            }
        }
    }
    /// The expression with parts replaced: the function is asked at each part, the outer first.
    #[must_use]
    pub fn rewrite(&self, f: &mut impl FnMut(&Scalar) -> Option<Scalar>) -> Scalar {
        if let Some(new) = f(self) {
            return new;
        }
        let mut go = |a: &Scalar| Box::new(a.rewrite(f));
        match self {
            Scalar::Number(_)
            | Scalar::Param(_)
            | Scalar::Size(_)
            | Scalar::Temp(_)
            | Scalar::Read(..)
            | Scalar::Equal(..) => self.clone(),
            Scalar::Neg(a) => Scalar::Neg(go(a)),
            Scalar::Pow(a, k) => Scalar::Pow(go(a), *k),
            Scalar::Call(c, a) => Scalar::Call(*c, go(a)),
            Scalar::Add(a, b) => Scalar::Add(go(a), go(b)),
            Scalar::Sub(a, b) => Scalar::Sub(go(a), go(b)),
            Scalar::Mul(a, b) => Scalar::Mul(go(a), go(b)),
            Scalar::Div(a, b) => Scalar::Div(go(a), go(b)),
            Scalar::If { comparison, left, right, then, otherwise } => Scalar::If {
                comparison: *comparison,
                left: go(left),
                right: go(right),
                then: go(then),
                otherwise: go(otherwise),
            },
        }
    }
    /// The expression with index variables replaced.
    #[must_use]
    pub fn replace(&self, with: &impl Fn(Var) -> Option<Index>) -> Scalar {
        self.rewrite(&mut |part| match part {
            Scalar::Read(b, at) => Some(Scalar::Read(*b, at.iter().map(|i| i.replace(with)).collect())),
            Scalar::Equal(a, b) => Some(Scalar::Equal(a.replace(with), b.replace(with))),
            _ => None,
        })
    }
    /// Calls the function with every variable in it.
    pub fn each_var(&self, f: &mut impl FnMut(Var)) {
        self.visit(&mut |part| match part {
            Scalar::Read(_, at) => at.iter().for_each(|i| i.each_var(f)),
            Scalar::Equal(a, b) => {
                a.each_var(f);
                b.each_var(f);
            }
            _ => {}
        });
    }
}

impl Step {
    /// Applies a function to every scalar expression in the step and the steps inside it.
    pub fn scalars_mut(&mut self, f: &mut impl FnMut(&mut Scalar)) {
        match self {
            Step::Check(c) => f(&mut c.value),
            Step::Loop { body, .. } => body.iter_mut().for_each(|s| s.scalars_mut(f)),
            Step::Let { value, .. } | Step::Fold { value, .. } | Step::Set { value, .. } | Step::Add { value, .. } => {
                f(value)
            }
            Step::Start { value, .. } => value.iter_mut().for_each(f),
            Step::Zero { .. } | Step::Gemm(_) | Step::Carry { .. } => {}
        }
    }
    /// Calls the function with every scalar expression in the step and the steps inside it.
    pub fn scalars<'a>(&'a self, f: &mut impl FnMut(&'a Scalar)) {
        match self {
            Step::Check(c) => f(&c.value),
            Step::Loop { body, .. } => body.iter().for_each(|s| s.scalars(f)),
            Step::Let { value, .. } | Step::Fold { value, .. } | Step::Set { value, .. } | Step::Add { value, .. } => {
                f(value)
            }
            Step::Start { value, .. } => value.iter().for_each(f),
            Step::Zero { .. } | Step::Gemm(_) | Step::Carry { .. } => {}
        }
    }
    /// Replaces index variables by others, in the step and the steps inside it; binders too.
    pub fn rename(&mut self, with: &impl Fn(Var) -> Option<Var>) {
        let index = |v: Var| with(v).map(Index::Var);
        let all = |at: &mut Vec<Index>| at.iter_mut().for_each(|i| *i = i.replace(&index));
        let vars = |vs: &mut Vec<Var>| vs.iter_mut().for_each(|v| *v = with(*v).unwrap_or(*v));
        match self {
            Step::Check(c) => {
                c.value = c.value.replace(&index);
                vars(&mut c.vars);
            }
            Step::Loop { vars: vs, body } => {
                vars(vs);
                body.iter_mut().for_each(|s| s.rename(with));
            }
            Step::Let { value, .. } | Step::Fold { value, .. } => *value = value.replace(&index),
            Step::Start { value, .. } => {
                if let Some(value) = value {
                    *value = value.replace(&index);
                }
            }
            Step::Set { at, value, .. } | Step::Add { at, value, .. } => {
                all(at);
                *value = value.replace(&index);
            }
            Step::Gemm(g) => {
                all(&mut g.target.at);
                all(&mut g.left.at);
                all(&mut g.right.at);
                vars(&mut g.m);
                vars(&mut g.n);
                vars(&mut g.k);
            }
            Step::Zero { .. } | Step::Carry { .. } => {}
        }
    }
}
