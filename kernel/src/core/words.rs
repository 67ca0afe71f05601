//! What is said of what did not work. Nothing rests on it.

use std::fmt;

use super::rules::{Refused, Why};
use super::theorem::Missing;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is refused: ", self.rule)?;
        match self.why {
            Why::Unknown => f.write_str("an argument does not exist, or is of another kind"),
            Why::Premise(form) => write!(f, "a premise is not {form}"),
            Why::Condition(condition) => write!(f, "it must be that {condition}"),
            Why::Limit => f.write_str("a polynomial is too large"),
        }
    }
}

impl std::error::Error for Refused {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Statement => f.write_str("there is no statement, or no rule, of which this could follow"),
            Missing::Derivative => f.write_str("the derivative is not that of the pairing along all inputs"),
            Missing::Equation => f.write_str("the equation is not the one that is needed"),
            Missing::Immaterial => f.write_str("it does not follow that the values of `any` do not matter"),
            Missing::Obligation(k) => write!(f, "the obligation {k} was not shown"),
            Missing::Assumption => f.write_str("a proof rests on an assumption about the value of an `any`"),
        }
    }
}

impl std::error::Error for Missing {}
