//! The directional derivative, without a program of its own.

use pullback_kernel::eval::{self, Dual, Number};
use pullback_kernel::{Meter, Rational};

use super::value::forward;
use super::{Arrays, EvaluateError, Spending, bytes, failed, finite, not_finite, zeros};
use crate::numerics::{Given, Numerics, Part};
use crate::operation::{Operation, Standing};
use crate::program::DynProgram;

type Pair<N> = (Vec<N>, Vec<N>);

impl DynProgram {
    /// The outputs and their tangents, for these inputs and tangents of theirs.
    ///
    /// Proved statements run on dual numbers; for a declared one, whose rule may be another map than the derivative, the rule is transposed, a coordinate at a time.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate).
    pub fn directional<N: Number>(
        &self,
        inputs: &[Vec<N>],
        tangents: &[Vec<N>],
    ) -> Result<(Arrays<N>, Arrays<N>), EvaluateError> {
        self.directional_with(inputs, tangents, Numerics::default())
    }

    /// As [`directional`](DynProgram::directional), with a choice of what happens to what is not finite.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](DynProgram::evaluate).
    pub fn directional_with<N: Number>(
        &self,
        inputs: &[Vec<N>],
        tangents: &[Vec<N>],
        numerics: Numerics,
    ) -> Result<(Arrays<N>, Arrays<N>), EvaluateError> {
        self.ready(numerics, inputs, true)?;
        self.fit_inputs(tangents)?;
        finite(numerics, Given::Tangent, self.inputs().iter().map(|i| i.name.as_str()), tangents)?;
        let mut values: Vec<Pair<N>> = inputs.iter().cloned().zip(tangents.iter().cloned()).collect();
        let mut spending = Spending::new(self);
        let size = |(x, v): &Pair<N>| bytes(x).saturating_add(bytes(v));
        let mut held = values.iter().map(size).fold(0, u64::saturating_add);
        for (k, instruction) in self.instructions().enumerate() {
            let arguments: Vec<&Pair<N>> = instruction.arguments.iter().map(|a| &values[a.index()]).collect();
            let operation = self.operation_of(&instruction);
            let declared = matches!(operation.operator().own_standing(), Standing::Declared(..));
            let results = spending.step::<Dual<N>, _>(self, k, held, |meter| match declared {
                true => self.transposed(k, operation, &arguments, numerics, meter),
                false => self.dual(k, &arguments, numerics, meter),
            })?;
            held = results.iter().map(size).fold(held, u64::saturating_add);
            values.extend(results);
        }
        Ok(self.outputs().iter().map(|o| values[o.value.index()].clone()).unzip())
    }

    fn dual<N: Number>(
        &self,
        at: usize,
        arguments: &[&Pair<N>],
        numerics: Numerics,
        meter: &Meter,
    ) -> Result<Vec<Pair<N>>, EvaluateError> {
        // Inside of its domain, which is a matter of the values alone.
        let pairs = arguments.iter().map(|(x, v)| {
            let dual = |(value, tangent): (&N, &N)| Dual { value: value.clone(), tangent: tangent.clone() };
            x.iter().zip(v).map(dual).collect::<Vec<_>>()
        });
        let part = |x: &Dual<N>| if x.value.is_finite() { Part::Tangent } else { Part::Value };
        let values = forward::<Dual<N>>(self, at, pairs.collect(), numerics, part, meter)?;
        let split = |data: Vec<Dual<N>>| data.into_iter().map(|d| (d.value, d.tangent)).unzip();
        Ok(values.outputs.into_iter().map(split).collect())
    }

    /// `⟨eⱼ, Df(x)·v⟩ = ⟨K(r, eⱼ), v⟩` for every coordinate j of the outputs.
    fn transposed<N: Number>(
        &self,
        at: usize,
        operation: &Operation,
        arguments: &[&Pair<N>],
        numerics: Numerics,
        meter: &Meter,
    ) -> Result<Vec<Pair<N>>, EvaluateError> {
        let inputs: Vec<Vec<N>> = arguments.iter().map(|(x, _)| x.clone()).collect();
        let values = forward::<N>(self, at, inputs.clone(), numerics, |_| Part::Value, meter)?;
        let point = operation.point(inputs);
        let mut tangents: Vec<Vec<N>> = operation.outputs().iter().map(zeros).collect();
        let mut seeds = tangents.clone();
        let (zero, one) =
            (N::rational(&Rational::from_integer(0.into())), N::rational(&Rational::from_integer(1.into())));
        for output in 0..seeds.len() {
            for coordinate in 0..seeds[output].len() {
                seeds[output][coordinate] = one.clone();
                let held = meter.held();
                let pulled = eval::backward_within(operation.operator().ruled(), &point, &values, &seeds, meter)
                    .map_err(failed(self, at))?;
                meter.release(meter.held() - held);
                seeds[output][coordinate] = zero.clone();
                let pairs = pulled.iter().zip(arguments).flat_map(|(k, (_, v))| k.iter().zip(v));
                let tangent = pairs.fold(zero.clone(), |sum, (k, v)| sum.add(&k.mul(v)));
                if numerics.refuses() && !tangent.is_finite() {
                    return Err(not_finite(self, at, Part::Tangent, Some(coordinate)));
                }
                tangents[output][coordinate] = tangent;
            }
        }
        Ok(values.outputs.into_iter().zip(tangents).collect())
    }
}
