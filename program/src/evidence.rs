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
    /// What it says of the program's inputs, in their names; nothing where that grows past reading.
    pub in_inputs: Option<String>,
}

impl fmt::Display for DomainCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DomainCondition { instruction, operator, condition, in_inputs } = self;
        match in_inputs {
            Some(text) => write!(f, "{text} (instruction {instruction}, {operator})"),
            None => write!(f, "{condition} in the names of `{operator}` (instruction {instruction})"),
        }
    }
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
