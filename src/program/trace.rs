//! The trace that is being made.
//!
//! Each thread has a stack of traces; the innermost one takes every operation that is applied.
//! Nothing of a user's runs while the stack is borrowed, and nothing here panics: what is wrong is kept, and the trace returns it.

use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

use pullback_program::operation::Array;
use pullback_program::{Binding, Builder, DynProgram, Limits, Literal, Operation, Operator, Shape, ValueId};

use super::error::{OperationError, TraceError, TraceFault};
use super::symbolic::Symbolic;
use super::traced::{Path, Traced};

/// A variable without its shape: a value of a trace.
///
/// It is what [`Traced`] puts into variables and takes out of them; a user never holds one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Which trace; zero for none.
    trace: u64,
    value: ValueId,
}

impl Slot {
    /// What an operation gives that could not be applied.
    const NOTHING: Slot = Slot { trace: 0, value: ValueId(0) };

    /// The value, as programs number it.
    pub(crate) fn value(self) -> Option<ValueId> {
        (self.trace != 0).then_some(self.value)
    }
}

struct Frame {
    id: u64,
    builder: Builder,
    /// Operations of contracts whose type says all.
    plain: HashMap<TypeId, usize>,
    fault: Option<TraceError>,
}

thread_local! {
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// The innermost trace, if there is one.
fn with_frame<R>(f: impl FnOnce(&mut Frame) -> R) -> Option<R> {
    FRAMES.try_with(|frames| frames.borrow_mut().last_mut().map(f)).ok().flatten()
}

/// The values of slots that are all of this trace.
fn values(frame: &mut Frame, slots: &[Slot], at: &'static Location<'static>) -> Option<Vec<ValueId>> {
    if frame.fault.is_some() {
        return None;
    }
    if slots.iter().any(|slot| slot.trace != frame.id) {
        frame.fault = Some(TraceError::new(at, TraceFault::Foreign));
        return None;
    }
    Some(slots.iter().map(|slot| slot.value).collect())
}

impl Frame {
    fn fail(&mut self, at: &'static Location<'static>, fault: impl Into<TraceFault>) {
        self.fault.get_or_insert_with(|| TraceError::new(at, fault));
    }

    /// Applies an interned operation; the first result, if nothing was wrong.
    fn apply(&mut self, operation: usize, slots: &[Slot], at: &'static Location<'static>) -> Option<Slot> {
        let arguments = values(self, slots, at)?;
        match self.builder.apply_interned(operation, &arguments) {
            Ok(value) => Some(Slot { trace: self.id, value }),
            Err(error) => {
                self.fail(at, error);
                None
            }
        }
    }
}

/// Keeps an error for the trace to return.
pub(crate) fn fail(at: &'static Location<'static>, fault: impl Into<TraceFault>) {
    with_frame(|frame| frame.fail(at, fault));
}

/// Variables that stand for nothing, after an error.
pub(crate) fn nothing<A: Traced>() -> A::Vars {
    A::vars(&mut || Slot::NOTHING)
}

/// The variables of consecutive values.
fn consecutive<A: Traced>(first: Slot) -> A::Vars {
    let mut next = first;
    A::vars(&mut || {
        let slot = next;
        next.value.0 += 1;
        slot
    })
}

fn slots<A: Traced>(variables: &A::Vars) -> Vec<Slot> {
    let mut slots = Vec::with_capacity(4);
    A::slots(variables, &mut |slot| slots.push(slot));
    slots
}

/// The operation of a contract, as a trace knows it.
enum Which {
    Known(usize),
    New(Operation),
    None(TraceFault),
}

/// A contract applied to variables of the current trace.
#[track_caller]
pub(crate) fn apply<C: Symbolic>(contract: &C, input: <C::Input as Traced>::Vars) -> <C::Output as Traced>::Vars {
    let at = Location::caller();
    let key = C::PLAIN.then(TypeId::of::<C>);
    let known = key.and_then(|key| with_frame(|frame| frame.plain.get(&key).copied()).flatten());
    // The contract is asked while the trace is not borrowed.
    let which = match known {
        Some(known) => Which::Known(known),
        None => match contract.operation().map_err(TraceFault::from).and_then(signature::<C>) {
            Ok(operation) => Which::New(operation),
            Err(fault) => Which::None(fault),
        },
    };
    let slots = slots::<C::Input>(&input);
    let first = with_frame(|frame| {
        let interned = match which {
            Which::Known(known) => known,
            Which::New(operation) => {
                let interned = frame.builder.intern(operation);
                if let Some(key) = key {
                    frame.plain.insert(key, interned);
                }
                interned
            }
            Which::None(fault) => {
                frame.fail(at, fault);
                return None;
            }
        };
        frame.apply(interned, &slots, at)
    });
    first.flatten().map_or_else(nothing::<C::Output>, consecutive::<C::Output>)
}

/// The operation, if its statement gives what the type of its contract says: an implementation by hand may be wrong.
fn signature<C: Symbolic>(operation: Operation) -> Result<Operation, TraceFault> {
    gives::<C::Output>(&operation.statement().name().text, operation.outputs())?;
    Ok(operation)
}

/// Whether these are the shapes of a space.
pub(super) fn gives<B: Traced>(operator: &str, found: &[Shape]) -> Result<(), TraceFault> {
    let mut expected = Vec::new();
    B::ports(&mut Path::default(), &mut |port| expected.push(Shape::new(port.sizes)));
    if *found == *expected {
        return Ok(());
    }
    let listed = |shapes: &[Shape]| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ");
    Err(TraceFault::Signature { operator: operator.to_owned(), found: listed(found), expected: listed(&expected) })
}

/// A constant array as a value of the current trace.
pub(crate) fn constant(array: Array, at: &'static Location<'static>) -> Slot {
    let dims = vec![array.shape.sizes().to_vec()];
    let binding = Binding { dims, constants: vec![array], ..Binding::default() };
    let operation = Operator::library("constant").map_err(OperationError::from).and_then(|operator| {
        Operation::new(operator, binding, &Limits::default())
            .map_err(|faults| OperationError::Faults { operator: "constant".to_owned(), faults })
    });
    let slot = with_frame(|frame| match operation {
        Ok(operation) => {
            let interned = frame.builder.intern(operation);
            frame.apply(interned, &[], at)
        }
        Err(error) => {
            frame.fail(at, error);
            None
        }
    });
    slot.flatten().unwrap_or(Slot::NOTHING)
}

/// The same literal everywhere.
pub(crate) fn splat(sizes: &[usize], literal: Literal, at: &'static Location<'static>) -> Slot {
    constant(Array::splat(Shape::new(sizes), literal), at)
}

/// The instructions of a program, in the current trace.
#[track_caller]
pub(crate) fn inline<A: Traced, B: Traced>(program: &DynProgram, input: A::Vars) -> B::Vars {
    // The program has the ports of its type: that is what `Program` is.
    outputs::<B>(append(program, &slots::<A>(&input), Location::caller()))
}

/// The instructions of a program with these slots for its inputs; the slots of its outputs, if nothing was wrong.
pub(super) fn append(program: &DynProgram, inputs: &[Slot], at: &'static Location<'static>) -> Option<Vec<Slot>> {
    let results = with_frame(|frame| {
        let mut place = values(frame, inputs, at)?;
        let mut interned: Vec<Option<usize>> = vec![None; program.operations().len()];
        let mut arguments = Vec::new();
        for instruction in program.instructions() {
            let operation = *interned[instruction.operation]
                .get_or_insert_with(|| frame.builder.intern(Arc::clone(program.operation_of(&instruction))));
            arguments.clear();
            arguments.extend(instruction.arguments.iter().map(|argument| place[argument.index()]));
            match frame.builder.apply_interned(operation, &arguments) {
                Ok(first) => place.extend((first.0..).map(ValueId).take(instruction.results().len())),
                Err(error) => {
                    frame.fail(at, error);
                    return None;
                }
            }
        }
        let trace = frame.id;
        Some(program.outputs().iter().map(|o| Slot { trace, value: place[o.value.index()] }).collect::<Vec<_>>())
    });
    results.flatten()
}

/// Variables of slots, one for each port.
pub(super) fn outputs<B: Traced>(slots: Option<Vec<Slot>>) -> B::Vars {
    match slots {
        Some(slots) => {
            let mut slots = slots.into_iter();
            B::vars(&mut || slots.next().unwrap_or(Slot::NOTHING))
        }
        None => nothing::<B>(),
    }
}

/// A trace that is open; dropped in a panic, it is closed.
struct Open {
    id: u64,
}

impl Open {
    fn close(&self) -> Option<Frame> {
        let close = |frames: &RefCell<Vec<Frame>>| {
            let mut frames = frames.borrow_mut();
            let at = frames.iter().position(|frame| frame.id == self.id)?;
            // Traces inside of it are closed by guards of their own, before this one.
            frames.truncate(at + 1);
            frames.pop()
        };
        FRAMES.try_with(close).ok().flatten()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runs a closure on the variables of a fresh trace.
#[track_caller]
pub(crate) fn trace<A: Traced, B: Traced>(
    limits: Limits,
    closure: impl FnOnce(A::Vars) -> B::Vars,
) -> Result<DynProgram, TraceError> {
    let at = Location::caller();
    let id = LAST.try_with(|last| {
        last.set(last.get() + 1);
        last.get()
    });
    let mut frame =
        Frame { id: id.unwrap_or(u64::MAX), builder: Builder::new(limits), plain: HashMap::new(), fault: None };
    let mut inputs = Vec::new();
    A::ports(&mut Path::default(), &mut |port| {
        let name = if port.name.is_empty() { "input" } else { port.name };
        match frame.builder.input(name, Shape::new(port.sizes)) {
            Ok(value) => inputs.push(Slot { trace: frame.id, value }),
            Err(error) => frame.fail(at, error),
        }
    });
    if let Some(error) = frame.fault {
        return Err(error);
    }
    let open = Open { id: frame.id };
    // Where the thread is about to end, the trace is nobody's, and its variables are foreign.
    let _ = FRAMES.try_with(|frames| frames.borrow_mut().push(frame));
    let mut inputs = inputs.into_iter();
    let outputs = closure(A::vars(&mut || inputs.next().unwrap_or(Slot::NOTHING)));
    let outputs = slots::<B>(&outputs);
    let Some(mut frame) = open.close() else { return Err(TraceError::new(at, TraceFault::Foreign)) };
    let Some(values) = values(&mut frame, &outputs, at) else {
        return Err(frame.fault.unwrap_or_else(|| TraceError::new(at, TraceFault::Foreign)));
    };
    let mut values = values.into_iter();
    B::ports(&mut Path::default(), &mut |port| {
        let name = if port.name.is_empty() { "output" } else { port.name };
        if let Some(value) = values.next() {
            frame.builder.output(name, value);
        }
    });
    Ok(frame.builder.finish())
}
