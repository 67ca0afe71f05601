//! The domain of a program: the conditions of its instructions, pulled back to its inputs.
//!
//! The program is composed over symbolic dimensions, instruction after instruction, as one statement in the making:
//! a condition that the kernel shows from signs over the composition holds for all inputs and is left out, the others are written in the names of the inputs.
//! What does not compose (a reshape to several axes, a second split of an axis) stands in a condition as the value that it is, `%3`,
//! and what grows past reading keeps the words of its statement. The work is bounded: a long program is said in the words of its statements.
//! This module must never drop a condition that the kernel does not show.

use std::collections::HashMap;

use pullback_kernel::statement::{Condition, DimId, MapId, MapKind, Tensor};
use pullback_kernel::{Argument, Budget, Composer, Fixed, Meter, Substitution};

use crate::evidence::DomainCondition;
use crate::operation::{Elements, Literal, Operation};
use crate::program::DynProgram;

/// Instructions of a program whose conditions are pulled back, at most.
const INSTRUCTIONS: usize = 300;
/// Terms of a condition that is written in the names of the inputs, at most.
const TERMS: usize = 60;
/// Letters of one.
const LETTERS: usize = 160;
/// Units of work of the question whether one follows.
const WORK: u64 = 20_000_000;
/// Conditions that are asked, at most.
const ASKED: usize = 40;

/// A condition of an instruction, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramCondition {
    /// The condition.
    pub condition: DomainCondition,
    /// Whether the kernel shows it for all inputs of the program at which the conditions before it hold.
    /// In floats it is asked all the same: `1 - p > 0` may be lost to rounding.
    pub follows: bool,
}

impl DynProgram {
    /// The conditions that a run asks, instruction by instruction, with what they say of the program's inputs.
    pub fn conditions(&self) -> Vec<ProgramCondition> {
        let asks = |operation: &Operation| !operation.operator().conditions().is_empty();
        let mut pulled = match self.instructions().any(|i| asks(self.operation_of(&i))) {
            true if self.len() <= INSTRUCTIONS => Some(Pulled::new(self)),
            _ => None,
        };
        let mut out = Vec::new();
        for (at, instruction) in self.instructions().enumerate() {
            let operation = self.operation_of(&instruction);
            let known = operation.operator().conditions();
            let said = match &mut pulled {
                Some(pulled) => pulled.instruction(self, at),
                None => known.iter().map(|_| Said::default()).collect(),
            };
            for ((_, words), Said { follows, in_inputs }) in known.iter().zip(said) {
                let operator = operation.operator().shown().to_owned();
                let condition = DomainCondition { instruction: at, operator, condition: words.clone(), in_inputs };
                out.push(ProgramCondition { condition, follows });
            }
        }
        out
    }

    /// The conditions of the domain, instruction by instruction: the program's domain is where all hold.
    /// Those that hold for all inputs, as the kernel shows, are left out; see [`conditions`](DynProgram::conditions).
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::{Binding, Builder, Limits, Operation, Operator, Shape};
    ///
    /// let mut builder = Builder::new(Limits::default());
    /// let x = builder.input("x", Shape::new(&[3]))?;
    /// let binding = Binding { dims: vec![vec![3]], ..Binding::default() };
    /// let on = |name| Operation::new(Operator::library(name).expect("of the library"), binding.clone(), &Limits::default());
    /// let square = builder.apply(on("square").expect("a size"), &[x])?;
    /// let e = builder.apply(on("exponential").expect("a size"), &[square[0]])?;
    /// let y = builder.apply(on("subtract").expect("a size"), &[x, square[0]])?;
    /// builder.apply(on("log").expect("a size"), &[e[0]])?;
    /// builder.apply(on("log").expect("a size"), &[y[0]])?;
    /// // An exponential is positive.
    /// let domain = builder.finish().domain();
    /// assert_eq!(domain.len(), 1);
    /// assert_eq!(domain[0].to_string(), "x[i] - x[i]^2 > 0 (instruction 4, log)");
    /// assert_eq!(domain[0].condition, "x[i..] > 0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn domain(&self) -> Vec<DomainCondition> {
        self.conditions().into_iter().filter(|c| !c.follows).map(|c| c.condition).collect()
    }
}

/// What is said of a condition.
#[derive(Clone, Debug, Default)]
struct Said {
    follows: bool,
    in_inputs: Option<String>,
}

/// Axes that have one size because one value has them.
struct Classes {
    parent: Vec<usize>,
    sizes: Vec<usize>,
}

impl Classes {
    fn fresh(&mut self, size: usize) -> usize {
        self.parent.push(self.parent.len());
        self.sizes.push(size);
        self.parent.len() - 1
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The earlier one stays: chains are short.
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low;
    }
}

/// A program as it is composed.
struct Pulled {
    composer: Composer,
    /// The size of each dimension of the composition.
    sizes: Vec<usize>,
    /// For each instruction the dimensions that stand for those of its statement.
    dims: Vec<Vec<Vec<DimId>>>,
    /// The axes of each value.
    axes: Vec<Vec<DimId>>,
    /// What each value is in the composition.
    values: Vec<Tensor>,
    splits: HashMap<DimId, (Vec<DimId>, Vec<MapId>)>,
    known: Vec<Condition>,
    asked: usize,
}

impl Pulled {
    fn new(program: &DynProgram) -> Pulled {
        let mut classes = Classes { parent: Vec::new(), sizes: Vec::new() };
        let mut axes: Vec<Vec<usize>> = Vec::with_capacity(program.values());
        for input in program.inputs() {
            axes.push(input.shape.sizes().iter().map(|n| classes.fresh(*n)).collect());
        }
        let mut dims: Vec<Vec<Vec<usize>>> = Vec::with_capacity(program.len());
        for instruction in program.instructions() {
            let operation = program.operation_of(&instruction);
            let statement = operation.statement();
            let fresh = |sizes: &Vec<usize>, classes: &mut Classes| sizes.iter().map(|n| classes.fresh(*n)).collect();
            let own: Vec<Vec<usize>> =
                operation.binding().dims.iter().map(|sizes| fresh(sizes, &mut classes)).collect();
            let flat = |of: &[DimId]| of.iter().flat_map(|d| own[d.0 as usize].clone()).collect::<Vec<usize>>();
            for (input, argument) in statement.inputs().iter().zip(instruction.arguments) {
                for (a, b) in flat(&input.axes).into_iter().zip(axes[argument.index()].clone()) {
                    classes.join(a, b);
                }
            }
            axes.extend(statement.outputs().iter().map(|o| flat(&o.tensor.axes)));
            dims.push(own);
        }
        let mut composer = Composer::new("program");
        let mut sizes = Vec::new();
        let mut made: HashMap<usize, DimId> = HashMap::new();
        let mut dim = |class: usize| {
            let root = classes.root(class);
            *made.entry(root).or_insert_with(|| {
                sizes.push(classes.sizes[root]);
                composer.dim(&format!("n{}", sizes.len()), false)
            })
        };
        let dims = dims.iter().map(|of| of.iter().map(|d| d.iter().map(|c| dim(*c)).collect()).collect()).collect();
        let axes: Vec<Vec<DimId>> = axes.iter().map(|a| a.iter().map(|c| dim(*c)).collect()).collect();
        let values = program.inputs().iter().zip(&axes).map(|(i, axes)| composer.input(&i.name, axes)).collect();
        Pulled { composer, sizes, dims, axes, values, splits: HashMap::new(), known: Vec::new(), asked: 0 }
    }

    /// Composes an instruction: what is said of its conditions.
    fn instruction(&mut self, program: &DynProgram, at: usize) -> Vec<Said> {
        let instruction = program.instruction(at);
        let operation = program.operation_of(&instruction);
        let conditions: Vec<Condition> = operation.operator().conditions().iter().map(|(c, _)| c.clone()).collect();
        let arguments: Vec<Tensor> = instruction.arguments.iter().map(|a| self.values[a.index()]).collect();
        let applied = self.substitution(at, operation).and_then(|substitution| {
            let statement = operation.statement();
            self.composer.apply_asking(statement, &conditions, &substitution, &arguments).ok()
        });
        let Some((results, asked)) = applied else {
            // It stands for itself from here on.
            for result in instruction.results() {
                let opaque = self.composer.input(&format!("%{}", result.0), &self.axes[result.index()]);
                self.values.push(opaque);
            }
            return vec![Said::default(); conditions.len()];
        };
        self.values.extend(results);
        asked.into_iter().map(|condition| self.said(condition)).collect()
    }

    fn said(&mut self, condition: Condition) -> Said {
        self.asked += 1;
        let meter = || Meter::new(Budget::default().with_work(WORK));
        if self.asked <= ASKED && self.composer.follows(&self.known, &condition, meter()) {
            return Said { follows: true, in_inputs: None };
        }
        let sizes = |d: DimId| self.sizes[d.0 as usize];
        let text = self.composer.show_in_inputs(&condition, &sizes, TERMS);
        self.known.push(condition);
        Said { follows: false, in_inputs: text.filter(|text| text.chars().count() <= LETTERS) }
    }

    /// What the declarations of an instruction's statement are in the composition; none where it can't say them.
    fn substitution(&mut self, at: usize, operation: &Operation) -> Option<Substitution> {
        let (statement, binding) = (operation.statement(), operation.binding());
        let dims = self.dims[at].clone();
        let exact = |literal: &Literal| Argument::Number(literal.to::<pullback_kernel::Rational>());
        let flat = |of: &[DimId]| of.iter().flat_map(|d| dims[d.0 as usize].clone()).collect::<Vec<DimId>>();
        let single = |of: DimId| match dims[of.0 as usize].as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        // Splits first: their parts are maps.
        let mut parts: HashMap<u32, MapId> = HashMap::new();
        for split in statement.splits() {
            let whole = single(split.whole)?;
            let from: Option<Vec<DimId>> =
                split.parts.iter().map(|m| single(*statement.maps()[m.0 as usize].from.first()?)).collect();
            let from = from?;
            let names: Vec<&str> = split.parts.iter().map(|m| &*statement.maps()[m.0 as usize].name.text).collect();
            let made = match self.splits.get(&whole) {
                Some((known, made)) if *known == from => made.clone(),
                // A dimension has one split.
                Some(_) => return None,
                None => {
                    let named: Vec<(&str, DimId)> = names.iter().copied().zip(from.iter().copied()).collect();
                    let made = self.composer.split(whole, &named);
                    self.splits.insert(whole, (from, made.clone()));
                    made
                }
            };
            parts.extend(split.parts.iter().map(|m| m.0).zip(made));
        }
        let mut maps = Vec::new();
        for (k, map) in (0..).zip(statement.maps()) {
            maps.push(match (map.kind, parts.get(&k)) {
                (MapKind::Part { .. }, Some(part)) => *part,
                (MapKind::Part { .. }, None) => return None,
                (kind, _) => self.composer.map(&map.name.text, kind, &flat(&map.from), single(map.to)?),
            });
        }
        let mut constants = Vec::new();
        for (declared, array) in statement.constants().iter().zip(&binding.constants) {
            constants.push(match &array.elements {
                Elements::Splat(literal) => Fixed::Splat(exact(literal)),
                Elements::Each(_) => {
                    Fixed::Constant(self.composer.constant(&declared.name.text, &flat(&declared.axes)))
                }
            });
        }
        let params = binding.params.iter().map(exact).collect();
        Some(Substitution { dims, params, maps, constants })
    }
}
