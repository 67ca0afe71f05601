//! What there is to draw.

use std::collections::BTreeMap;

use super::{DrawError, LIMIT};
use crate::operation::{Derivation, Shape};
use crate::program::{DynProgram, ValueId};

/// Which program a node belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Side {
    /// The program.
    Forward,
    /// What the reverse program adds to it.
    Reverse,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Input,
    /// The instruction of this number in its program.
    Instruction(usize),
    Output,
}

/// A value where it is made.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) shape: Shape,
    /// Whether the reverse program reads it.
    pub(super) saved: bool,
    /// Its number in its program, or its name in its statement.
    pub(super) name: String,
}

/// An input, an instruction or an output.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) side: Side,
    pub(super) kind: Kind,
    pub(super) name: String,
    /// How many values it reads.
    pub(super) arguments: usize,
    /// The values that it makes.
    pub(super) ports: Vec<Port>,
    /// The instruction that this one pulls back, as a node.
    pub(super) partner: Option<usize>,
}

/// A value that a node reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    /// The node that makes it.
    pub(super) from: usize,
    /// Which of its values.
    pub(super) port: usize,
    /// The node that reads it.
    pub(super) to: usize,
    /// As which argument.
    pub(super) argument: usize,
}

/// Everything that is drawn.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) nodes: Vec<Node>,
    /// From each node to later ones of its side.
    pub(super) flow: Vec<Edge>,
    /// From the program to the reverse program.
    pub(super) saved: Vec<Edge>,
    pub(super) title: String,
    /// What the tape holds, or why there is no reverse program.
    pub(super) subtitle: String,
}

/// Where a value is made: a node and which of its values.
type Made = (usize, usize);

impl Scene {
    pub(super) fn new(program: &DynProgram) -> Result<Scene, DrawError> {
        check(program.len())?;
        let reverse = program.with_reverse();
        if let Ok(reverse) = &reverse {
            check(reverse.len())?;
        }
        let report = program.tape_report();
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let mut scene = Scene {
            nodes: Vec::new(),
            flow: Vec::new(),
            saved: Vec::new(),
            title: format!(
                "Program: {}, {}, {}",
                count(program.len(), "instruction"),
                count(program.inputs().len(), "input"),
                count(program.outputs().len(), "output")
            ),
            subtitle: match &reverse {
                Ok(_) => format!("saves {}; at most {} held", count(report.elements, "element"), report.peak),
                Err(error) => format!("no reverse program: {error}"),
            },
        };
        let made = scene.forward(program);
        for entry in &report.entries {
            if let Some((node, port)) = entry.value.map(|v| made[v.index()]) {
                scene.nodes[node].ports[port].saved = true;
            }
        }
        if let Ok(reverse) = &reverse {
            scene.reverse(program, reverse, &made);
        }
        Ok(scene)
    }

    fn add(&mut self, side: Side, kind: Kind, name: &str, ports: Vec<Port>) -> usize {
        self.nodes.push(Node { side, kind, name: name.to_owned(), arguments: 0, ports, partner: None });
        self.nodes.len() - 1
    }

    /// An argument of a node, from this side or from the other.
    fn read(&mut self, to: usize, (from, port): Made) {
        let argument = self.nodes[to].arguments;
        self.nodes[to].arguments += 1;
        let edge = Edge { from, port, to, argument };
        if self.nodes[from].side == self.nodes[to].side {
            self.flow.push(edge);
        } else {
            self.nodes[from].ports[port].saved = true;
            self.saved.push(edge);
        }
    }

    /// The program; where each of its values is made.
    fn forward(&mut self, program: &DynProgram) -> Vec<Made> {
        let port =
            |value: ValueId| Port { shape: program.shape_of(value).clone(), saved: false, name: value.to_string() };
        let mut made = Vec::with_capacity(program.values());
        for (value, input) in program.input_values().map(ValueId).zip(program.inputs()) {
            made.push((self.add(Side::Forward, Kind::Input, &input.name, vec![port(value)]), 0));
        }
        for (k, instruction) in program.instructions().enumerate() {
            let name = program.operation_of(&instruction).operator().shown();
            let ports: Vec<Port> = instruction.results().map(port).collect();
            let results = ports.len();
            let node = self.add(Side::Forward, Kind::Instruction(k), name, ports);
            instruction.arguments.iter().for_each(|a| self.read(node, made[a.index()]));
            made.extend((0..results).map(|result| (node, result)));
        }
        for output in program.outputs() {
            let node = self.add(Side::Forward, Kind::Output, &output.name, Vec::new());
            self.read(node, made[output.value.index()]);
        }
        made
    }

    /// What the reverse program has beside the instructions of the program, which come first in it.
    fn reverse(&mut self, program: &DynProgram, reverse: &DynProgram, forward: &[Made]) {
        let of_instruction: Vec<usize> = program
            .live()
            .into_iter()
            .enumerate()
            .filter(|(_, live)| *live)
            .map(|(k, _)| program.inputs().len() + k)
            .collect();
        let port =
            |value: ValueId| Port { shape: reverse.shape_of(value).clone(), saved: false, name: value.to_string() };
        let mut made: Vec<Made> = forward[..program.inputs().len()].to_vec();
        // The value of the program that each is a cotangent of.
        let mut of: BTreeMap<ValueId, ValueId> = BTreeMap::new();
        let seeds = reverse.inputs().iter().enumerate().skip(program.inputs().len());
        for ((k, input), output) in seeds.zip(program.outputs()) {
            let value = ValueId(k as u32);
            of.insert(value, output.value);
            made.push((self.add(Side::Reverse, Kind::Input, &input.name, vec![port(value)]), 0));
        }
        for (k, instruction) in reverse.instructions().enumerate() {
            let operation = reverse.operation_of(&instruction);
            if let Some(node) = of_instruction.get(k) {
                for (result, value) in instruction.results().enumerate() {
                    // What is saved beside the outputs.
                    if result >= self.nodes[*node].ports.len() {
                        let name = operation.statement().outputs()[result].tensor.name.text.clone();
                        self.nodes[*node].ports.push(Port { name, ..port(value) });
                    }
                    made.push((*node, result));
                }
                continue;
            }
            let name = operation.operator().shown();
            let node = self.add(Side::Reverse, Kind::Instruction(k), name, instruction.results().map(port).collect());
            instruction.arguments.iter().for_each(|a| self.read(node, made[a.index()]));
            made.extend((0..instruction.results().len()).map(|result| (node, result)));

            let pulled = match operation.operator().derivation() {
                Some(Derivation::Pullback { .. }) => {
                    let last = instruction.arguments.last().and_then(|a| of.get(a));
                    last.and_then(|v| program.producer(*v)).map(|p| p.0)
                }
                _ => None,
            };
            match pulled {
                Some(pulled) => {
                    self.nodes[node].partner = Some(program.inputs().len() + pulled);
                    let arguments = program.instruction(pulled).arguments;
                    for (result, wanted) in instruction.results().zip(&operation.operator().wiring().wanted) {
                        arguments.get(*wanted as usize).map(|a| of.insert(result, *a));
                    }
                }
                // An accumulation: both of its terms are cotangents of one value.
                None => {
                    let value = instruction.arguments.first().and_then(|a| of.get(a)).copied();
                    instruction.results().zip(value).for_each(|(result, v)| {
                        of.insert(result, v);
                    });
                }
            }
        }
        for output in reverse.outputs().iter().skip(program.outputs().len()) {
            let node = self.add(Side::Reverse, Kind::Output, &output.name, Vec::new());
            self.read(node, made[output.value.index()]);
        }
        debug_assert!(!self.saved.iter().any(|e| self.nodes[e.from].side == Side::Reverse), "nothing flows back");
    }
}

fn check(instructions: usize) -> Result<(), DrawError> {
    if instructions > LIMIT { Err(DrawError::TooLarge { instructions, limit: LIMIT }) } else { Ok(()) }
}
