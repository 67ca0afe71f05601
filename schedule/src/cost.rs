//! What a routine costs, for dimensions of given sizes.

use crate::ir::{Routine, Scalar, Step, Var};
use pullback_kernel::statement::DimId;

impl Routine {
    /// Multiply-adds, and as many for every other arithmetic operation and write.
    ///
    /// Saturates instead of overflowing.
    pub fn cost(&self, size: &dyn Fn(DimId) -> u64) -> u64 {
        self.steps.iter().fold(0, |sum, s| sum.saturating_add(self.step_cost(s, size)))
    }

    fn extent(&self, vars: &[Var], size: &dyn Fn(DimId) -> u64) -> u64 {
        vars.iter().flat_map(|v| &self.vars[v.0 as usize].dims).fold(1, |p, d| p.saturating_mul(size(*d)))
    }

    fn step_cost(&self, step: &Step, size: &dyn Fn(DimId) -> u64) -> u64 {
        let operations = |value: &Scalar| {
            let mut count = 1u64;
            value.visit(&mut |part| {
                count += u64::from(!matches!(
                    part,
                    Scalar::Number(_) | Scalar::Param(_) | Scalar::Size(_) | Scalar::Temp(_) | Scalar::Read(..)
                ));
            });
            count
        };
        let elements = |axes: &[DimId]| axes.iter().fold(1u64, |p, d| p.saturating_mul(size(*d)));
        match step {
            Step::Loop { vars, body } => {
                let each = body.iter().fold(0u64, |sum, s| sum.saturating_add(self.step_cost(s, size)));
                self.extent(vars, size).saturating_mul(each)
            }
            Step::Check(c) => operations(&c.value),
            Step::Let { value, .. } | Step::Fold { value, .. } | Step::Set { value, .. } | Step::Add { value, .. } => {
                operations(value)
            }
            Step::Start { value, .. } => value.as_ref().map_or(1, operations),
            Step::Zero { target } => elements(&self.buffers[target.0 as usize].axes),
            Step::Carry { target, .. } => elements(&self.buffers[target.0 as usize].axes),
            Step::Gemm(g) => {
                [&g.m, &g.n, &g.k].into_iter().fold(1u64, |p, group| p.saturating_mul(self.extent(group, size)))
            }
        }
    }
}
