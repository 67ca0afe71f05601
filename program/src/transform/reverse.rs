//! The reverse program.

use super::{Derivations, Derived, Emitter, TransformError, saved};
use crate::operation::Derivation;
use crate::program::{DynProgram, ValueId};

impl DynProgram {
    /// The program that takes the inputs and a cotangent of each output, and gives a cotangent of each input.
    ///
    /// Its first part is the forward sweep, whose results the second part reads: saved values are edges.
    /// Inputs are called as here, cotangents `d` and the output's name; outputs `d` and the input's name.
    ///
    /// # Errors
    ///
    /// [`TransformError`] for an operator without a rule, or a program past the limits.
    ///
    /// # Complexity
    ///
    /// Linear in the length of the program.
    ///
    /// Source: Theorem 2; the reverse of each instruction adds into the cotangents of its arguments.
    pub fn reverse(&self) -> Result<DynProgram, TransformError> {
        self.reversed(false)
    }

    /// As [`reverse`](DynProgram::reverse), with the outputs of the program before the cotangents: value and gradient in one.
    ///
    /// # Errors
    ///
    /// As [`reverse`](DynProgram::reverse).
    pub fn with_reverse(&self) -> Result<DynProgram, TransformError> {
        self.reversed(true)
    }

    fn reversed(&self, value: bool) -> Result<DynProgram, TransformError> {
        let back = self.plan_back()?;
        let mut emitter = Emitter::new(self.limits());
        let outputs = self.outputs().iter().map(|o| (o.name.as_str(), self.shape_of(o.value)));
        let seeds = emitter.inputs(self, "d", outputs)?;

        // Forward. A value's new number, and the first of an instruction's further results.
        let mut place: Vec<ValueId> = self.input_values().map(ValueId).collect();
        let mut further: Vec<u32> = Vec::with_capacity(self.len());
        let mut interned: Vec<Option<usize>> = vec![None; self.operations().len()];
        let mut arguments = Vec::new();
        for (k, instruction) in self.instructions().enumerate() {
            let at = match back[k].as_ref().and_then(|b| b.taped.clone()) {
                Some(taped) => emitter.builder.intern(taped),
                None => *interned[instruction.operation]
                    .get_or_insert_with(|| emitter.builder.intern(self.operation_of(&instruction).clone())),
            };
            arguments.clear();
            arguments.extend(instruction.arguments.iter().map(|a| place[a.index()]));
            let first = emitter.builder.apply_interned(at, &arguments)?;
            let results = instruction.results().len() as u32;
            place.extend((first.0..first.0 + results).map(ValueId));
            further.push(first.0 + results);
        }

        // Back.
        let mut cotangents: Vec<Option<ValueId>> = vec![None; self.values()];
        for (output, seed) in self.outputs().iter().zip(&seeds) {
            accumulate(&mut emitter, &mut cotangents[output.value.index()], *seed)?;
        }
        for (k, instruction) in self.instructions().enumerate().rev() {
            let Some(Derived { operation: pullback, .. }) = &back[k] else { continue };
            let wiring = pullback.operator().wiring();
            let further = further[k];
            arguments.clear();
            arguments.extend(saved(self, &instruction, wiring, &place, further));
            let seed = |seed: &u32| cotangents[instruction.result(*seed as usize).index()];
            arguments.extend(wiring.given.iter().filter_map(seed));
            let at = emitter.builder.intern(pullback.clone());
            let first = emitter.builder.apply_interned(at, &arguments)?;
            for (result, wanted) in (first.0..).map(ValueId).zip(&wiring.wanted) {
                let argument = instruction.arguments[*wanted as usize];
                accumulate(&mut emitter, &mut cotangents[argument.index()], result)?;
            }
        }

        if value {
            for output in self.outputs() {
                emitter.output("", &output.name, place[output.value.index()])?;
            }
        }
        for (input, cotangent) in self.inputs().iter().zip(cotangents) {
            let cotangent = emitter.or_zeros(cotangent, &input.shape)?;
            emitter.output("d", &input.name, cotangent)?;
        }
        emitter.builder.finish().pruned()
    }

    /// Which instructions are pulled back, for which seeds and arguments: the structure of the second part, before anything is emitted.
    fn plan_back(&self) -> Result<Vec<Option<Derived>>, TransformError> {
        // Values that depend on an input.
        let mut active: Vec<bool> = vec![true; self.inputs().len()];
        for instruction in self.instructions() {
            let moves = instruction.arguments.iter().any(|a| active[a.index()]);
            active.extend(instruction.results().map(|_| moves));
        }
        let mut reached = vec![false; self.values()];
        self.outputs().iter().for_each(|o| reached[o.value.index()] = true);
        let mut derivations = Derivations::default();
        let mut back: Vec<Option<Derived>> = Vec::with_capacity(self.len());
        for (k, instruction) in self.instructions().enumerate().rev() {
            let seeds: Vec<u32> =
                (0u32..).zip(instruction.results()).filter(|(_, r)| reached[r.index()]).map(|s| s.0).collect();
            let wanted: Vec<u32> =
                (0u32..).zip(instruction.arguments).filter(|(_, a)| active[a.index()]).map(|w| w.0).collect();
            if seeds.is_empty() || wanted.is_empty() {
                back.push(None);
                continue;
            }
            let derived = derivations.of(self, k, Derivation::Pullback { seeds, wanted })?;
            if let Some(Derived { operation, .. }) = &derived {
                let reach = &operation.operator().wiring().wanted;
                reach.iter().for_each(|w| reached[instruction.arguments[*w as usize].index()] = true);
            }
            back.push(derived);
        }
        back.reverse();
        Ok(back)
    }
}

fn accumulate(emitter: &mut Emitter, sum: &mut Option<ValueId>, term: ValueId) -> Result<(), TransformError> {
    *sum = Some(match *sum {
        None => term,
        Some(sum) => emitter.add(sum, term)?,
    });
    Ok(())
}
