//! What a program costs, counted before it runs.

use crate::program::DynProgram;

impl DynProgram {
    /// Scalar operations of one run: additions, multiplications, functions and writes of the scheduled loops, saturating.
    ///
    /// A multiply-add counts as one, as do comparisons.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::{Binding, Builder, Limits, Operation, Operator, Shape};
    ///
    /// let mut builder = Builder::new(Limits::default());
    /// let a = builder.input("a", Shape::new(&[8, 8]))?;
    /// let binding = Binding { dims: vec![vec![8], vec![8], vec![8]], ..Binding::default() };
    /// let matmul = Operation::new(Operator::library("matmul")?, binding, &Limits::default()).expect("sizes");
    /// let product = builder.apply(matmul, &[a, a])?;
    /// builder.output("product", product[0]);
    /// let program = builder.finish();
    /// assert_eq!(program.cost(), 512);
    /// // One product forward, two back, and one addition of 64 elements: `a` is used twice.
    /// assert!(program.with_reverse()?.cost() <= 4 * program.cost());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cost(&self) -> u64 {
        let of = |operation: &crate::operation::Operation| {
            operation.operator().routine().cost(&|dim| operation.sizes()[dim.0 as usize] as u64)
        };
        let costs: Vec<u64> = self.operations().iter().map(|operation| of(operation)).collect();
        self.instructions().fold(0, |sum, i| sum.saturating_add(costs[i.operation]))
    }
}
