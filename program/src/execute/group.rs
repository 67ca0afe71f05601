//! Kernels for runs of instructions, each made once.
//!
//! A run that was met before, the same operations wired the same way, has its kernel already:
//! runs are kept as a tree, a branch for the operation that comes next.

use std::collections::HashMap;
use std::sync::Arc;

use pullback_kernel::statement::Tensor;
use pullback_scalar::Real;
use pullback_schedule::Role;

use super::kernel::{self, Code, Nest, Setting, Single, Stmt};
use crate::operation::{Elements, Literal, Operation};
use crate::program::DynProgram;

/// More instructions are not run as one: registers are few.
const MEMBERS: usize = 12;

/// An operation made ready.
pub(crate) struct Prepared<T> {
    pub(crate) nest: Nest<T>,
    pub(crate) roles: Vec<Role>,
    /// The pattern, if all is numbers.
    pub(crate) single: Option<Single<T>>,
    /// For each result the argument of which it is a copy: another name of the same value.
    pub(crate) copies: Vec<Option<u32>>,
    /// Where its constants are in [`Kernels::constants`].
    pub(crate) first_constant: u32,
    /// How many there are.
    pub(crate) constants: usize,
}

/// What a buffer of a run is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Part {
    /// A value from before the run; they are numbered in order of appearance.
    Argument,
    /// A result of a member.
    Result { member: u16, output: u16 },
    /// Storage for the run alone.
    Local,
    /// A constant of a member's operation.
    Constant(u32),
}

/// A run of operations as one nest.
struct Run<T> {
    nest: Arc<Nest<T>>,
    parts: Arc<[Part]>,
    members: usize,
    iterations: Option<usize>,
}

/// A kernel of a run.
#[derive(Clone, Debug)]
pub(crate) struct Kernel<T> {
    pub(crate) code: Code<T>,
    /// The buffers, in the order of the code.
    pub(crate) parts: Arc<[Part]>,
    /// Buffers that are of use in this kernel.
    pub(crate) used: Box<[bool]>,
    /// Results whose numbers are looked at after the run.
    pub(crate) scanned: Box<[u16]>,
}

/// A run, the operation that comes next, and its arguments.
type Branch = (u32, u32, Box<[u16]>);

/// All kernels of a plan.
pub(crate) struct Kernels<T> {
    /// The program's operations, those that an instruction applies made ready.
    pub(crate) operations: Vec<Option<Prepared<T>>>,
    pub(crate) constants: Vec<Arc<[T]>>,
    pub(crate) kernels: Vec<Kernel<T>>,
    runs: Vec<Run<T>>,
    next: HashMap<Branch, Option<u32>>,
    known: HashMap<(u32, Box<[bool]>), u32>,
    finite: bool,
}

/// No run yet.
pub(crate) const NONE: u32 = u32::MAX;

impl<T: Real> Kernels<T> {
    /// Makes the operations that are applied ready. With `finite`, kernels look for numbers that are not.
    pub(crate) fn new(program: &DynProgram, finite: bool) -> Self {
        let mut kernels = Kernels {
            operations: program.operations().iter().map(|_| None).collect(),
            constants: vec![],
            kernels: vec![],
            runs: vec![],
            next: HashMap::new(),
            known: HashMap::new(),
            finite,
        };
        for instruction in program.instructions() {
            if kernels.operations[instruction.operation].is_none() {
                let prepared = kernels.prepare(program.operation_of(&instruction));
                kernels.operations[instruction.operation] = Some(prepared);
            }
        }
        kernels
    }

    /// An operation that an instruction applies: every such one was made ready.
    pub(crate) fn operation(&self, at: usize) -> &Prepared<T> {
        self.operations[at].as_ref().expect("an applied operation is ready")
    }

    fn prepare(&mut self, operation: &Operation) -> Prepared<T> {
        let tables = operation.tables();
        let maps: Vec<&[Option<usize>]> = tables.iter().map(Vec::as_slice).collect();
        let params: Vec<T> = operation.binding().params.iter().map(literal).collect();
        let (statement, sizes) = (operation.statement(), operation.sizes());
        let routine = operation.operator().routine();
        let mut nest = kernel::nest(routine, Setting { statement, sizes, maps: &maps, params: &params });
        let roles: Vec<Role> = routine.buffers.iter().map(|b| b.role).collect();
        if self.finite {
            kernel::keep(&mut nest, |buffer| matches!(roles[buffer as usize], Role::Given(_)));
        }
        let copies = copies(&mut nest, &roles, operation.outputs().len());
        let kept: Vec<bool> = roles.iter().map(|r| matches!(r, Role::Result(_))).collect();
        let numbers = roles.iter().zip(&nest.lengths).all(|(r, n)| *n == 1 || *r == Role::Local);
        let single = if numbers { kernel::single(&nest, &kept) } else { None };
        let first_constant = self.constants.len() as u32;
        for array in &operation.binding().constants {
            let n = array.shape.elements();
            self.constants.push(match &array.elements {
                Elements::Splat(one) => vec![literal(one); n].into(),
                Elements::Each(all) => all.iter().map(literal).collect(),
            });
        }
        let constants = operation.binding().constants.len();
        Prepared { nest, roles, single, copies, first_constant, constants }
    }

    /// The run with one more operation, whose arguments are these buffers of the run; those past its buffers are new ones.
    /// None where they do not run as one.
    pub(crate) fn extend(&mut self, run: u32, operation: usize, arguments: &[u16]) -> Option<u32> {
        if let Some(known) = self.next.get(&(run, operation as u32, arguments.into())) {
            return *known;
        }
        let made = self.joined(run, operation, arguments);
        self.next.insert((run, operation as u32, arguments.into()), made);
        made
    }

    fn joined(&mut self, run: u32, operation: usize, arguments: &[u16]) -> Option<u32> {
        let prepared = self.operation(operation);
        let before = self.runs.get(run as usize);
        let members = before.map_or(0, |b| b.members);
        if let Some(before) = before {
            let named = u32::from(before.nest.vars) + u32::from(prepared.nest.vars) < 1 << 13;
            let alike = named && before.iterations.is_some() && before.iterations == kernel::last_sweep(&prepared.nest);
            if !alike || !kernel::is_one_sweep(&prepared.nest) || members >= MEMBERS {
                return None;
            }
        }
        let mut parts: Vec<Part> = before.map_or(vec![], |b| b.parts.to_vec());
        let fresh =
            arguments.iter().filter(|a| **a as usize >= parts.len()).max().map_or(0, |a| *a as usize + 1 - parts.len());
        parts.extend(std::iter::repeat_n(Part::Argument, fresh));
        let mut buffers = vec![];
        for role in &prepared.roles {
            let part = match role {
                Role::Given(Tensor::Input(i)) => {
                    buffers.push(arguments[*i as usize]);
                    continue;
                }
                Role::Given(Tensor::Constant(c)) => Part::Constant(prepared.first_constant + c),
                Role::Result(Tensor::Output(o)) => Part::Result { member: members as u16, output: *o as u16 },
                _ => Part::Local,
            };
            buffers.push(parts.len() as u16);
            parts.push(part);
        }
        let mut nest = before.map_or_else(empty, |b| (*b.nest).clone());
        nest.lengths.resize(parts.len(), 0);
        for (buffer, length) in buffers.iter().zip(&prepared.nest.lengths) {
            nest.lengths[*buffer as usize] = *length;
        }
        kernel::append(&mut nest, &prepared.nest, &buffers, members as u16);
        kernel::tidy(&mut nest);
        let joined = |s: &&Stmt| !matches!(s, Stmt::Zero(_));
        let still = nest.body.iter().filter(joined).count();
        if members > 0 && still != self.runs[run as usize].nest.body.iter().filter(joined).count() {
            return None;
        }
        let iterations = kernel::last_sweep(&nest);
        self.runs.push(Run { nest: nest.into(), parts: parts.into(), members: members + 1, iterations });
        Some(self.runs.len() as u32 - 1)
    }

    /// The buffers of a run.
    pub(crate) fn parts(&self, run: u32) -> Arc<[Part]> {
        self.runs.get(run as usize).map_or_else(|| [].into(), |run| run.parts.clone())
    }

    /// The kernel of a run, of whose results these are read later, in the order of its buffers.
    /// None for a run that is too large.
    pub(crate) fn kernel(&mut self, run: u32, live: &[bool]) -> Option<u32> {
        if let Some(known) = self.known.get(&(run, live.into())) {
            return Some(*known);
        }
        let Run { nest, parts, .. } = &self.runs[run as usize];
        let (mut nest, mut scanned) = ((**nest).clone(), vec![]);
        let mut results = live.iter();
        for (buffer, part) in (0..).zip(parts.iter()) {
            let wanted = match part {
                Part::Argument | Part::Constant(_) => continue,
                Part::Result { .. } => *results.next().unwrap_or(&true),
                Part::Local => false,
            };
            if let Part::Result { member, .. } = part
                && self.finite
                && !kernel::require_finite(&mut nest, buffer, *member)
            {
                scanned.push(buffer);
            }
            if !wanted {
                kernel::pass_on(&mut nest, buffer);
            }
        }
        let used = used(&nest);
        let made = Kernel { code: kernel::code(nest)?, parts: parts.clone(), used, scanned: scanned.into() };
        self.kernels.push(made);
        let at = self.kernels.len() as u32 - 1;
        self.known.insert((run, live.into()), at);
        Some(at)
    }
}

/// A literal in the scalar.
pub(crate) fn literal<T: Real>(literal: &Literal) -> T {
    match literal {
        Literal::Exact(q) => kernel::number(q),
        Literal::Float(x) => kernel::float(*x),
    }
}

fn empty<T>() -> Nest<T> {
    Nest { lengths: vec![], body: vec![], consts: vec![], tables: vec![], vars: 0, temps: 0, conditions: vec![] }
}

/// Results that are copies of an argument, which are made no more.
fn copies<T>(nest: &mut Nest<T>, roles: &[Role], outputs: usize) -> Vec<Option<u32>> {
    let argument = |b: u16| match roles[b as usize] {
        Role::Given(Tensor::Input(i)) => Some(i),
        _ => None,
    };
    let result = |b: u16| match roles[b as usize] {
        Role::Result(Tensor::Output(o)) => Some(o as usize),
        _ => None,
    };
    let mut copies = vec![None; outputs];
    for (to, from) in kernel::copies(nest, |b| argument(b).is_some(), |b| result(b).is_some()) {
        if let Some(output) = result(to) {
            copies[output] = argument(from);
        }
    }
    copies
}

/// Which buffers the nest touches.
fn used<T>(nest: &Nest<T>) -> Box<[bool]> {
    let mut used = vec![false; nest.lengths.len()];
    for stmt in &nest.body {
        stmt.places(&mut |place, _| used[place.buffer as usize] = true);
        stmt.visit(&mut |s| match s {
            Stmt::Zero(buffer) => used[*buffer as usize] = true,
            Stmt::Copy(target, source) => {
                used[*target as usize] = true;
                used[*source as usize] = true;
            }
            _ => {}
        });
    }
    used.into()
}
