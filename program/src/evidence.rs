//! The evidence of a program: where it is defined, and why its gradient may be believed.
//!
//! Theorem 2: the gradient of a program of proved instructions is the adjoint of its derivative, on the domain that its conditions pull back to.
//! One instruction that is declared or undecided stands in the way, and is named.
//! So does one that is derived from such, whatever was proved of the derived statement: the reverse program of a surrogate is no derivative.

use std::fmt;

use crate::operation::Standing;
use crate::program::DynProgram;

/// A condition of the domain, at the instruction that asks for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainCondition {
    /// Which instruction.
    pub instruction: usize,
    /// Its operator.
    pub operator: String,
    /// The condition, in the names of the statement.
    pub condition: String,
}

/// An instruction whose rule is not proved, or that is derived from one whose rule is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// Which instruction.
    pub instruction: usize,
    /// Its operator.
    pub operator: String,
    /// What it has instead of a proof.
    pub standing: Standing,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {} (`{}`) {}", self.instruction, self.operator, self.standing)
    }
}

/// What is known of a program's gradient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// Every instruction's rule is proved, and so is the gradient of the whole (Theorem 2).
    Proved,
    /// These instructions stand in the way.
    Obstacles(Vec<Obstacle>),
}

impl DynProgram {
    /// The conditions of the domain, instruction by instruction: the program's domain is where all hold.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::{Binding, Builder, Limits, Operation, Operator, Shape};
    ///
    /// let mut builder = Builder::new(Limits::default());
    /// let x = builder.input("x", Shape::new(&[3]))?;
    /// let binding = Binding { dims: vec![vec![3]], ..Binding::default() };
    /// let log = Operation::new(Operator::library("log")?, binding, &Limits::default()).expect("a size");
    /// builder.apply(log, &[x])?;
    /// let program = builder.finish();
    /// assert_eq!(program.domain()[0].condition, "x[i..] > 0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn domain(&self) -> Vec<DomainCondition> {
        let mut out = Vec::new();
        for (at, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            out.extend(operation.operator().conditions().iter().map(|(_, words)| DomainCondition {
                instruction: at,
                operator: operation.operator().shown().to_owned(),
                condition: words.clone(),
            }));
        }
        out
    }

    /// Whether the gradient of the program is proved, or what stands in the way.
    ///
    /// The kernel proves each distinct operator, the first time that it is asked.
    pub fn certify(&self) -> Certificate {
        let mut obstacles = Vec::new();
        for (at, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            match operation.operator().standing() {
                Standing::Proved => {}
                standing => obstacles.push(Obstacle {
                    instruction: at,
                    operator: operation.operator().shown().to_owned(),
                    standing: standing.clone(),
                }),
            }
        }
        if obstacles.is_empty() { Certificate::Proved } else { Certificate::Obstacles(obstacles) }
    }
}
