//! The backward rule is the adjoint of the derivative.

mod strategy;
mod test_adjoint;
mod test_coordinatewise;
mod test_primal;
