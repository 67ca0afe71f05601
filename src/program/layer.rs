//! Layers of the grammar, applied to variables.
//!
//! A typed layer says its shapes in its types and what it computes as a layer of the grammar: the program that it adds to a trace is the one that [`architecture`](pullback_program::architecture) compiles.
//! So whatever is tested, proved and lowered there holds for typed layers too.

use std::panic::Location;

use pullback_program::Shape;
use pullback_program::architecture::{Architecture, Layer};

use super::error::TraceFault;
use super::trace::{self, Slot};
use super::traced::{Path, Traced};

/// A layer with the variables that it is applied to.
pub(crate) struct Applied {
    layer: Layer,
    inputs: Vec<Vec<usize>>,
    data: Vec<Slot>,
    /// Parameters and initial states, by path.
    parameters: Vec<(String, Slot)>,
}

impl Applied {
    pub(crate) fn new(layer: Layer) -> Self {
        Applied { layer, inputs: Vec::new(), data: Vec::new(), parameters: Vec::new() }
    }

    /// With another array of data.
    pub(crate) fn data<A: Traced>(mut self, variables: &A::Vars) -> Self {
        A::ports(&mut Path::default(), &mut |port| self.inputs.push(port.sizes.to_vec()));
        A::slots(variables, &mut |slot| self.data.push(slot));
        self
    }

    /// With parameters, called as their fields are.
    pub(crate) fn parameters<P: Traced>(self, variables: &P::Vars) -> Self {
        self.named::<P>("", variables)
    }

    /// With parameters or states under a name.
    pub(crate) fn named<P: Traced>(mut self, name: &'static str, variables: &P::Vars) -> Self {
        let mut paths = Vec::new();
        let mut keep = |port: super::Port<'_>| paths.push(port.name.to_owned());
        match name {
            "" => P::ports(&mut Path::default(), &mut keep),
            name => Path::default().within(&name, |path| P::ports(path, &mut keep)),
        }
        let mut paths = paths.into_iter();
        P::slots(variables, &mut |slot| self.parameters.extend(paths.next().map(|path| (path, slot))));
        self
    }

    /// The instructions of the layer, in the current trace.
    #[track_caller]
    pub(crate) fn gives<B: Traced>(self) -> B::Vars {
        let at = Location::caller();
        match self.append::<B>(at) {
            Ok(slots) => trace::outputs::<B>(slots),
            Err(fault) => {
                trace::fail(at, fault);
                trace::nothing::<B>()
            }
        }
    }

    fn append<B: Traced>(self, at: &'static Location<'static>) -> Result<Option<Vec<Slot>>, TraceFault> {
        let operator = self.layer.kind();
        let program = Architecture { inputs: self.inputs, layer: self.layer }.compile()?;
        let shapes: Vec<Shape> = program.outputs().iter().map(|o| program.shape_of(o.value).clone()).collect();
        trace::gives::<B>(operator, &shapes)?;
        let mut slots = self.data;
        for input in program.inputs().iter().skip(slots.len()) {
            let slot = self.parameters.iter().find(|(path, _)| *path == input.name).map(|(_, slot)| *slot);
            let Some(slot) = slot else {
                let (found, expected) = ("no such parameter".to_owned(), input.name.clone());
                return Err(TraceFault::Signature { operator: operator.to_owned(), found, expected });
            };
            slots.push(slot);
        }
        Ok(trace::append(&program, &slots, at))
    }
}
