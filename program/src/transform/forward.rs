//! The forward-mode program.

use super::{Derivations, Derived, Emitter, TransformError, saved};
use crate::operation::Derivation;
use crate::program::{DynProgram, ValueId};

impl DynProgram {
    /// The program that takes the inputs and a tangent of each, and gives a tangent of each output.
    ///
    /// Inputs are called as here, tangents `t` and the input's name; outputs `t` and the output's name.
    ///
    /// # Errors
    ///
    /// [`TransformError`] for an operator without a rule, or a program past the limits.
    ///
    /// # Complexity
    ///
    /// Linear in the length of the program.
    ///
    /// Source: Theorem 2, the directional transformation.
    pub fn forward_mode(&self) -> Result<DynProgram, TransformError> {
        self.forwarded(false)
    }

    /// As [`forward_mode`](DynProgram::forward_mode), with the outputs of the program before their tangents.
    ///
    /// # Errors
    ///
    /// As [`forward_mode`](DynProgram::forward_mode).
    pub fn with_forward_mode(&self) -> Result<DynProgram, TransformError> {
        self.forwarded(true)
    }

    fn forwarded(&self, value: bool) -> Result<DynProgram, TransformError> {
        let mut emitter = Emitter::new(self.limits());
        let given = emitter.inputs(self, "t", self.inputs().iter().map(|i| (i.name.as_str(), &i.shape)))?;
        let mut place: Vec<ValueId> = self.input_values().map(ValueId).collect();
        let mut tangents: Vec<Option<ValueId>> = given.into_iter().map(Some).collect();
        let mut derivations = Derivations::default();
        let mut arguments = Vec::new();
        for (k, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            let moving: Vec<u32> = (0u32..)
                .zip(instruction.arguments)
                .filter(|(_, a)| tangents[a.index()].is_some())
                .map(|(i, _)| i)
                .collect();
            let push = if moving.is_empty() {
                None
            } else {
                let wanted = (0..operation.outputs().len() as u32).collect();
                derivations.of(self, k, Derivation::Pushforward { moving, wanted })?
            };
            let taped = push.as_ref().and_then(|p| p.taped.clone());

            arguments.clear();
            arguments.extend(instruction.arguments.iter().map(|a| place[a.index()]));
            let at = emitter.builder.intern(taped.unwrap_or_else(|| operation.clone()));
            let first = emitter.builder.apply_interned(at, &arguments)?;
            let results = instruction.results().len() as u32;
            place.extend((first.0..first.0 + results).map(ValueId));
            tangents.extend(instruction.results().map(|_| None));

            let Some(Derived { operation: push, .. }) = push else { continue };
            let wiring = push.operator().wiring();
            let further = first.0 + results;
            arguments.clear();
            arguments.extend(saved(self, &instruction, wiring, &place, further));
            arguments.extend(wiring.given.iter().filter_map(|i| tangents[instruction.arguments[*i as usize].index()]));
            let at = emitter.builder.intern(push.clone());
            let pushed = emitter.builder.apply_interned(at, &arguments)?;
            for (result, wanted) in (pushed.0..).map(ValueId).zip(&wiring.wanted) {
                tangents[instruction.result(*wanted as usize).index()] = Some(result);
            }
        }
        if value {
            for output in self.outputs() {
                emitter.output("", &output.name, place[output.value.index()])?;
            }
        }
        for output in self.outputs() {
            let tangent = emitter.or_zeros(tangents[output.value.index()], self.shape_of(output.value))?;
            emitter.output("t", &output.name, tangent)?;
        }
        emitter.builder.finish().pruned()
    }
}
