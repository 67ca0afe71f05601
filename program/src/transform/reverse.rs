//! The reverse program.

use super::{Derivations, Derived, Emitter, TransformError, saved};
use crate::operation::Derivation;
use crate::program::{DynProgram, ValueId};

/// Which instruction of a program each one of its joint program comes from, for errors: two bytes an instruction.
///
/// The joint program goes through the instructions forward, then back, and some of them it leaves out.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    /// For each instruction twice the number of those that it has on the way back, and one more if it runs forward.
    kept: Vec<u16>,
}

impl Origins {
    /// The instruction that one of the joint program comes from, and whether that is on the way back.
    pub(crate) fn of(&self, joint: usize) -> (usize, bool) {
        let forward = self.kept.iter().map(|k| usize::from(k & 1)).enumerate().map(|(at, n)| (at, n, false));
        let back = self.kept.iter().map(|k| usize::from(k >> 1)).enumerate().rev().map(|(at, n)| (at, n, true));
        let mut before = 0;
        for (at, here, back) in forward.chain(back) {
            before += here;
            if joint < before {
                return (at, back);
            }
        }
        // Zeros of an input that nothing depends on come last of all.
        (self.kept.len().saturating_sub(1), true)
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.kept)
    }
}

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
        Ok(self.reversed(false)?.0)
    }

    /// As [`reverse`](DynProgram::reverse), with the outputs of the program before the cotangents: value and gradient in one.
    ///
    /// # Errors
    ///
    /// As [`reverse`](DynProgram::reverse).
    pub fn with_reverse(&self) -> Result<DynProgram, TransformError> {
        Ok(self.reversed(true)?.0)
    }

    /// As [`with_reverse`](DynProgram::with_reverse), and where its instructions come from.
    pub(crate) fn joint(&self) -> Result<(DynProgram, Origins), TransformError> {
        self.reversed(true)
    }

    fn reversed(&self, value: bool) -> Result<(DynProgram, Origins), TransformError> {
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
        // How many instructions there are when the way back of each one ends, the last one first.
        let mut ends = Vec::with_capacity(self.len());
        for (k, instruction) in self.instructions().enumerate().rev() {
            let Some(Derived { operation: pullback, .. }) = &back[k] else {
                ends.push(emitter.builder.instructions());
                continue;
            };
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
            ends.push(emitter.builder.instructions());
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
        let whole = emitter.builder.finish();
        let live = whole.live();
        let mut kept: Vec<u16> = live[..self.len()].iter().map(|live| u16::from(*live)).collect();
        let mut start = self.len();
        for (k, end) in (0..self.len()).rev().zip(ends) {
            let left = live[start..end].iter().filter(|live| **live).count();
            kept[k] |= u16::try_from(left).unwrap_or(0).saturating_mul(2);
            start = end;
        }
        Ok((whole.pruned()?, Origins { kept }))
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
