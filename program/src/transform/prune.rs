//! Dead code.

use super::{Emitter, TransformError};
use crate::program::{DynProgram, ValueId};

impl DynProgram {
    /// The program without instructions that no output needs, and without operations that no instruction applies.
    ///
    /// Inputs stay, read or not.
    ///
    /// # Errors
    ///
    /// None but those of a program past the limits, which a shorter one is not.
    pub fn pruned(&self) -> Result<DynProgram, TransformError> {
        let live = self.live();
        let mut emitter = Emitter::new(self.limits());
        emitter.inputs(self, "", std::iter::empty())?;
        let mut place: Vec<ValueId> = Vec::with_capacity(self.values());
        place.extend(self.input_values().map(ValueId));
        let mut interned: Vec<Option<usize>> = vec![None; self.operations().len()];
        let mut arguments = Vec::new();
        for (instruction, live) in self.instructions().zip(live) {
            let results = instruction.results().len() as u32;
            if !live {
                // Nobody reads them.
                place.extend((0..results).map(|_| ValueId(u32::MAX)));
                continue;
            }
            arguments.clear();
            arguments.extend(instruction.arguments.iter().map(|a| place[a.index()]));
            let at = *interned[instruction.operation]
                .get_or_insert_with(|| emitter.builder.intern(self.operation_of(&instruction).clone()));
            let first = emitter.builder.apply_interned(at, &arguments)?;
            place.extend((first.0..first.0 + results).map(ValueId));
        }
        for output in self.outputs() {
            emitter.output("", &output.name, place[output.value.index()])?;
        }
        Ok(emitter.builder.finish())
    }
}
