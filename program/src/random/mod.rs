//! Random programs over the operations of the library: for properties, for evidence, and for whoever tests an executor of their own.
//!
//! A program comes with a point of its domain, at which all of its values are of moderate size.
//! Everything follows from a seed.
//! This module must never be lenient: a program that it gives is verified, and its point was evaluated.

pub mod statement;

use std::sync::Arc;

use pullback_kernel::Rational;
use pullback_kernel::eval::{self, Number};
use pullback_kernel::statement::{DimId, Map, MapKind, Sign, Statement};
use pullback_scalar::SplitMix64;

use self::statement::Style;
use crate::operation::{Array, Binding, IndexData, Limits, Literal, Operation, Operator, Shape, Standing};
use crate::program::{Builder, DynProgram, ValueId};
use crate::statements::STATEMENTS;

/// Numbers for programs and their points, from a stream of bits ([`SplitMix64`]) whose state it is.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let mut stream = SplitMix64(self.0);
        let bits = stream.next_u64();
        self.0 = stream.0;
        bits
    }

    /// A number below `n`; zero for `n = 0`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n.max(1) as u64) as usize
    }

    /// Sixteenths between -2 and 2, never zero: exact in every scalar, and seldom tied.
    pub fn rational(&mut self) -> Rational {
        let magnitude = 1 + self.below(32) as i64;
        let sign = if self.below(2) == 0 { 1 } else { -1 };
        Rational::new((sign * magnitude).into(), 16.into())
    }

    /// So many of them.
    pub fn rationals(&mut self, n: usize) -> Vec<Rational> {
        (0..n).map(|_| self.rational()).collect()
    }

    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            all.swap(i, self.below(i + 1));
        }
        all
    }

    /// Data for a statement whose dimensions have these sizes: parameters, maps and constants.
    pub fn binding(&mut self, statement: &Statement, dims: Vec<Vec<usize>>) -> Binding {
        let params = statement.params().iter().map(|p| self.parameter(p.sign)).collect();
        let maps = statement
            .maps()
            .iter()
            .filter(|m| !matches!(m.kind, MapKind::Part { .. }))
            .map(|m| {
                let product = |list: &[DimId]| list.iter().flat_map(|d| &dims[d.0 as usize]).product::<usize>();
                self.map(m.kind, product(&m.from), product(&[m.to]))
            })
            .collect();
        let constants = statement
            .constants()
            .iter()
            .map(|c| {
                let sizes: Vec<usize> = c.axes.iter().flat_map(|d| &dims[d.0 as usize]).copied().collect();
                let shape = Shape::new(&sizes);
                // Positive: a mask or a weight; statements without conditions take them as well.
                let values: Vec<Rational> = (0..shape.elements())
                    .map(|_| Rational::new((1 + self.below(16) as i64).into(), 8.into()))
                    .collect();
                Array::rationals(shape, &values)
            })
            .collect();
        Binding { dims, params, maps, constants }
    }

    fn parameter(&mut self, sign: Option<Sign>) -> Literal {
        let value = self.rational();
        Literal::Exact(if sign.is_some() && value < Rational::from_integer(0.into()) { -value } else { value })
    }

    fn map(&mut self, kind: MapKind, from: usize, to: usize) -> IndexData {
        match kind {
            MapKind::Bijection if self.below(3) == 0 => IndexData::RowMajor,
            MapKind::Bijection => IndexData::Table(self.shuffled(to)),
            MapKind::Partial => {
                IndexData::Partial((0..from).map(|_| (self.below(4) > 0).then(|| self.below(to))).collect())
            }
            // Distinct places where there is room: what names no place twice may be wanted.
            _ if from <= to => IndexData::Table(self.shuffled(to).into_iter().take(from).collect()),
            _ => IndexData::Table((0..from).map(|_| self.below(to)).collect()),
        }
    }
}

/// How long the axes of a statement are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of length 1, and packs without axes.
    Ones,
    /// Small primes, each another one.
    Primes,
    /// About 40 along one dimension, a little along the others.
    Forty,
}

/// Sizes for each dimension of a statement, as its splits and bijections want them.
pub fn sizes(statement: &Statement, extent: Extent, random: &mut Random) -> Vec<Vec<usize>> {
    let dims = statement.dims();
    let mut made: Vec<Vec<usize>> = vec![Vec::new(); dims.len()];
    let wholes = statement.splits().iter().map(|split| split.whole);
    let given: Vec<DimId> = wholes.chain(several(statement).map(|map| map.to)).collect();
    let free: Vec<usize> = (0..dims.len()).filter(|k| !given.contains(&DimId(*k as u32))).collect();
    let (long, mut primes) = (random.below(free.len()), [2, 3, 5, 2, 7, 3].into_iter().cycle().skip(random.below(3)));
    for (at, k) in free.into_iter().enumerate() {
        let size = match extent {
            Extent::Ones => 1,
            Extent::Primes => primes.next().unwrap_or(2),
            Extent::Forty if at == long => 37 + random.below(7),
            Extent::Forty => 1 + random.below(3),
        };
        made[k] = match extent {
            Extent::Ones if dims[k].pack => vec![],
            Extent::Primes if dims[k].pack => vec![2, size],
            _ => vec![size],
        };
    }
    let product =
        |made: &[Vec<usize>], dims: &[DimId]| dims.iter().flat_map(|d| &made[d.0 as usize]).product::<usize>();
    for split in statement.splits() {
        let parts = split.parts.iter().map(|map| product(&made, &statement.maps()[map.0 as usize].from)).sum();
        made[split.whole.0 as usize] = vec![parts];
    }
    for map in several(statement) {
        made[map.to.0 as usize] = vec![product(&made, &map.from)];
    }
    made
}

/// What kind of program is wanted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions, about.
    pub instructions: usize,
    /// Only operations that have a value on exact rationals.
    pub rational: bool,
    /// Also operations whose rules are declared: maxima, kinks, surrogates. The others are smooth on their domains.
    pub declared: bool,
    /// An operation that the program must contain.
    pub operation: Option<&'static str>,
    /// Sizes of axes, at most.
    pub size: usize,
    /// Whether half of the axes have length 1.
    pub ones: bool,
    /// Statements beside the library's, applied as often as all of it together; see [`statements`].
    pub statements: Vec<Arc<Operator>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            instructions: 6,
            rational: false,
            declared: true,
            operation: None,
            size: 3,
            ones: false,
            statements: Vec::new(),
        }
    }
}

/// A random program and a point of its domain.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The program.
    pub program: DynProgram,
    /// A value for each input.
    pub inputs: Vec<Vec<Rational>>,
}

/// The names of the library's operations, in the order of [`STATEMENTS`].
pub fn operations() -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().filter_map(|(path, _)| path.rsplit('/').next()?.strip_suffix(".contract"))
}

/// Whether nothing is declared of an operation of the library: it is smooth on its domain.
pub fn smooth(operation: &str) -> bool {
    Operator::library(operation).is_ok_and(|operator| operator.statement().declaration().is_none())
}

/// Random statements that are operators, so many of them: those with inputs and a rule that is proved, and how many were drawn for it.
///
/// # Example
///
/// ```
/// use pullback_program::random::{statement::Style, statements};
///
/// let style = Style { rational: true, mild: true, products: true };
/// let (found, drawn) = statements(1, 3, style);
/// assert!(found.len() == 3 && drawn >= 3);
/// ```
pub fn statements(seed: u64, count: usize, style: Style) -> (Vec<Arc<Operator>>, usize) {
    let (mut found, mut drawn) = (Vec::new(), 0);
    // Most are proved; a stream that gave none would not end.
    while found.len() < count && drawn < 20 * count + 20 {
        let mut random = Random(seed.wrapping_add(drawn as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let text = statement::text(&format!("random_{drawn}"), style, &mut || random.next_u64());
        drawn += 1;
        let operator = Operator::from_text(&text).ok().filter(|operator| !operator.statement().inputs().is_empty());
        found.extend(operator.filter(|operator| *operator.standing() == Standing::Proved));
    }
    (found, drawn)
}

/// A random program.
///
/// `None` where the wanted operation can't be brought in, such as one with an exponential into a rational program.
pub fn sample(seed: u64, options: &Options) -> Option<Sample> {
    let mut generator = Generator::new(seed, options);
    let names: Vec<&'static str> = operations().filter(|name| options.declared || smooth(name)).collect();
    let at = generator.random.below(options.instructions.max(1));
    for step in 0..options.instructions {
        match options.operation {
            Some(name) if step == at => {
                (0..40).any(|_| generator.instruction(name)).then_some(())?;
            }
            _ => {
                // Most draws fit; one that does not is another operation's turn.
                (0..8).any(|_| {
                    let own = &options.statements;
                    if !own.is_empty() && generator.random.below(2) == 0 {
                        let operator = own[generator.random.below(own.len())].clone();
                        return generator.apply(operator);
                    }
                    let name = names[generator.random.below(names.len())];
                    generator.instruction(name)
                });
            }
        }
    }
    generator.finish()
}

/// The value of a node in the numbers that it is checked in.
enum Data {
    Exact(Vec<Rational>),
    Float(Vec<f64>),
}

struct Node {
    shape: Shape,
    data: Data,
}

/// An instruction in the generator's numbering, in which inputs may come at any time.
struct Step {
    operation: Operation,
    arguments: Vec<usize>,
    results: Vec<usize>,
}

struct Generator<'a> {
    random: Random,
    options: &'a Options,
    nodes: Vec<Node>,
    inputs: Vec<(usize, Vec<Rational>)>,
    steps: Vec<Step>,
}

/// Values past this are not drawn on: rounding would drown what is compared.
const LARGEST: f64 = 30.0;
/// Bits of an exact value, at most.
const BITS: u64 = 2000;
/// Elements of a value, at most.
const ELEMENTS: usize = 24;

impl<'a> Generator<'a> {
    fn new(seed: u64, options: &'a Options) -> Self {
        let random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d_4c95_7f2d);
        Generator { random, options, nodes: Vec::new(), inputs: Vec::new(), steps: Vec::new() }
    }

    fn input(&mut self, shape: Shape) -> usize {
        let values = self.random.rationals(shape.elements());
        let data = if self.options.rational {
            Data::Exact(values.clone())
        } else {
            Data::Float(values.iter().map(f64::rational).collect())
        };
        self.inputs.push((self.nodes.len(), values));
        self.nodes.push(Node { shape, data });
        self.nodes.len() - 1
    }

    /// Applies an operation to values that are there, to new inputs where none fits.
    fn instruction(&mut self, name: &str) -> bool {
        Operator::library(name).is_ok_and(|operator| self.apply(operator))
    }

    fn apply(&mut self, operator: Arc<Operator>) -> bool {
        let kept = (self.nodes.len(), self.inputs.len(), self.steps.len());
        if self.try_instruction(operator).is_some() {
            return true;
        }
        self.nodes.truncate(kept.0);
        self.inputs.truncate(kept.1);
        self.steps.truncate(kept.2);
        false
    }

    fn try_instruction(&mut self, operator: Arc<Operator>) -> Option<()> {
        let binding = self.binding(operator.statement())?;
        let bounded = !operator.conditions().is_empty();
        let limits = Limits { elements: 4096, ..Limits::default() };
        let operation = Operation::new(operator, binding, &limits).ok()?;
        if operation.inputs().iter().chain(operation.outputs()).any(|s| s.elements() > ELEMENTS) {
            return None;
        }
        let mut arguments = Vec::new();
        for shape in operation.inputs().to_vec() {
            let fitting: Vec<usize> = (0..self.nodes.len()).filter(|n| self.nodes[*n].shape == shape).collect();
            let fresh = fitting.is_empty() || self.random.below(5) == 0;
            let mut argument =
                if fresh { self.input(shape.clone()) } else { fitting[self.random.below(fitting.len())] };
            if bounded {
                argument = self.positive(argument, &shape)?;
            }
            arguments.push(argument);
        }
        self.push(operation, arguments)
    }

    /// One more than the square of a value: inside of every open domain of the library.
    fn positive(&mut self, of: usize, shape: &Shape) -> Option<usize> {
        let dims = vec![shape.sizes().to_vec()];
        let make = |name: &str, params: Vec<Literal>| {
            let binding = Binding { dims: dims.clone(), params, ..Binding::default() };
            Operation::new(Operator::library(name).ok()?, binding, &Limits::default()).ok()
        };
        self.push(make("square", vec![])?, vec![of])?;
        self.push(make("shift", vec![Literal::integer(1)])?, vec![self.nodes.len() - 1])?;
        Some(self.nodes.len() - 1)
    }

    fn push(&mut self, operation: Operation, arguments: Vec<usize>) -> Option<()> {
        let results = if self.options.rational {
            let exact = |n: &usize| match &self.nodes[*n].data {
                Data::Exact(values) => values.clone(),
                Data::Float(_) => Vec::new(),
            };
            let results = values(&operation, arguments.iter().map(exact).collect())?;
            let long = |q: &Rational| q.numer().bits() + q.denom().bits() > BITS || f64::rational(q).abs() > LARGEST;
            if results.iter().flatten().any(long) {
                return None;
            }
            results.into_iter().map(Data::Exact).collect::<Vec<_>>()
        } else {
            let float = |n: &usize| match &self.nodes[*n].data {
                Data::Float(values) => values.clone(),
                Data::Exact(_) => Vec::new(),
            };
            let results: Vec<Vec<f64>> = values(&operation, arguments.iter().map(float).collect())?;
            // A NaN is not below anything.
            if !results.iter().flatten().all(|x| x.abs() < LARGEST) {
                return None;
            }
            results.into_iter().map(Data::Float).collect()
        };
        let first = self.nodes.len();
        for (shape, data) in operation.outputs().iter().zip(results) {
            self.nodes.push(Node { shape: shape.clone(), data });
        }
        self.steps.push(Step { operation, arguments, results: (first..self.nodes.len()).collect() });
        Some(())
    }

    /// The program: the last results are outputs, and now and then another value or an input.
    fn finish(mut self) -> Option<Sample> {
        let mut builder = Builder::new(Limits::default());
        let mut place = vec![ValueId(0); self.nodes.len()];
        for (k, (node, _)) in self.inputs.iter().enumerate() {
            place[*node] = builder.input(&format!("x{k}"), self.nodes[*node].shape.clone()).ok()?;
        }
        let mut read = vec![false; self.nodes.len()];
        for step in &self.steps {
            let arguments: Vec<ValueId> = step.arguments.iter().map(|a| place[*a]).collect();
            step.arguments.iter().for_each(|a| read[*a] = true);
            let results = builder.apply(step.operation.clone(), &arguments).ok()?;
            step.results.iter().zip(results).for_each(|(node, value)| place[*node] = value);
        }
        let mut outputs = 0;
        for (node, value) in place.iter().enumerate() {
            if !read[node] || self.random.below(8) == 0 {
                builder.output(&format!("y{outputs}"), *value);
                outputs += 1;
            }
        }
        let inputs = self.inputs.into_iter().map(|(_, values)| values).collect();
        (!self.steps.is_empty()).then(|| Sample { program: builder.finish(), inputs })
    }

    fn size(&mut self) -> usize {
        if self.options.ones && self.random.below(2) == 0 {
            return 1;
        }
        1 + self.random.below(self.options.size)
    }

    /// Data for a statement, with dimensions taken from a value that is there, if one fits.
    fn binding(&mut self, statement: &Statement) -> Option<Binding> {
        let mut dims: Vec<Option<Vec<usize>>> = vec![None; statement.dims().len()];
        if let Some(input) = statement.inputs().first()
            && !self.nodes.is_empty()
            && self.random.below(5) > 0
        {
            let shape = self.nodes[self.random.below(self.nodes.len())].shape.clone();
            let mut tried = dims.clone();
            if self.unify(statement, &input.axes, shape.sizes(), &mut tried) {
                dims = tried;
            }
        }
        self.connected(statement, &mut dims)?;
        let laid_out: Vec<DimId> = several(statement).map(|map| map.to).collect();
        for (k, sizes) in dims.iter_mut().enumerate().filter(|(k, _)| !laid_out.contains(&DimId(*k as u32))) {
            if sizes.is_none() {
                let rank = if statement.dims()[k].pack { self.random.below(3) } else { 1 };
                *sizes = Some((0..rank).map(|_| self.size()).collect());
            }
        }
        // What is laid out along one of several is as long as they are together.
        for map in several(statement) {
            let product = map.from.iter().flat_map(|d| dims[d.0 as usize].iter().flatten()).product();
            dims[map.to.0 as usize].get_or_insert_with(|| vec![product]);
        }
        let dims: Vec<Vec<usize>> = dims.into_iter().flatten().collect();
        Some(self.random.binding(statement, dims))
    }

    /// Gives dimensions the sizes of a shape; false if they do not fit.
    fn unify(
        &mut self,
        statement: &Statement,
        axes: &[DimId],
        sizes: &[usize],
        dims: &mut [Option<Vec<usize>>],
    ) -> bool {
        let Some((first, rest)) = axes.split_first() else { return sizes.is_empty() };
        let dim = &statement.dims()[first.0 as usize];
        let later = rest.iter().filter(|d| !statement.dims()[d.0 as usize].pack).count();
        let last_pack = rest.iter().all(|d| !statement.dims()[d.0 as usize].pack);
        let Some(room) = sizes.len().checked_sub(later) else { return false };
        let take = match (&dims[first.0 as usize], dim.pack) {
            (Some(known), _) => known.len(),
            (None, false) => 1,
            (None, true) if last_pack => room,
            (None, true) => self.random.below(room + 1),
        };
        if take > room || dims[first.0 as usize].as_ref().is_some_and(|known| known[..] != sizes[..take]) {
            return false;
        }
        dims[first.0 as usize] = Some(sizes[..take].to_vec());
        self.unify(statement, rest, &sizes[take..], dims)
    }

    /// Sizes that follow from others: the whole of a split, the other side of a bijection.
    fn connected(&mut self, statement: &Statement, dims: &mut [Option<Vec<usize>>]) -> Option<()> {
        for split in statement.splits() {
            let parts: Vec<usize> =
                split.parts.iter().map(|m| statement.maps()[m.0 as usize].from[0].0 as usize).collect();
            match dims[split.whole.0 as usize].clone() {
                // Cut somewhere.
                Some(whole) => {
                    let mut left = *whole.first()?;
                    for (k, part) in parts.iter().enumerate() {
                        let others = parts.len() - 1 - k;
                        let size = match &dims[*part] {
                            Some(known) => *known.first()?,
                            None if others == 0 => left,
                            None => 1 + self.random.below(left.checked_sub(others + 1)? + 1),
                        };
                        dims[*part] = Some(vec![size]);
                        left = left.checked_sub(size)?;
                    }
                    if left != 0 {
                        return None;
                    }
                }
                None => {
                    for part in &parts {
                        let size = self.size();
                        dims[*part].get_or_insert_with(|| vec![size]);
                    }
                    let whole = parts.iter().filter_map(|p| dims[*p].as_ref()?.first()).sum();
                    dims[split.whole.0 as usize] = Some(vec![whole]);
                }
            }
        }
        for map in statement.maps().iter().filter(|m| m.kind == MapKind::Bijection) {
            let from = map.from[0].0 as usize;
            if map.from.len() != 1 || from == map.to.0 as usize {
                continue;
            }
            let size = (self.size(), self.size());
            let known = dims[from].get_or_insert_with(|| vec![size.0, size.1]).clone();
            let product: usize = known.iter().product();
            let flat = self.random.below(2) == 0;
            let other = if flat { vec![product] } else { known.into_iter().rev().collect() };
            dims[map.to.0 as usize].get_or_insert(other);
        }
        Some(())
    }
}

/// The bijections of several arguments.
fn several(statement: &Statement) -> impl Iterator<Item = &Map> {
    statement.maps().iter().filter(|map| map.kind == MapKind::Bijection && map.from.len() > 1)
}

/// The outputs of one operation, inside of its domain.
fn values<N: Number>(operation: &Operation, inputs: Vec<Vec<N>>) -> Option<Vec<Vec<N>>> {
    let point = operation.point(inputs);
    let values = eval::forward(operation.statement(), &point).ok()?;
    for (condition, _) in operation.operator().conditions() {
        let outside = eval::outside(operation.statement(), std::slice::from_ref(condition), &point, &values);
        if outside.ok()?.is_some() {
            return None;
        }
    }
    Some(values.outputs)
}
