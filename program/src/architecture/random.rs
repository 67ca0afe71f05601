//! Random architectures: for properties, and for whoever tests a compiler of their own.
//!
//! Everything follows from a seed.
//! An architecture comes with values for all its inputs, at which every number on the way to an output is of moderate size.
//! This module must never be lenient: what it gives was verified, and evaluated by the loops of [`direct`](super::Architecture::direct).

use std::cmp::Ordering;

use pullback_kernel::Rational;
use pullback_kernel::eval::{EvalError, Number};
use pullback_kernel::statement::Function;

use super::signature::{Place, Role, Scope, Signature};
use super::{
    Activation, Architecture, Attention, Cell, Convolution, CrossEntropy, Dense, Embedding, Join, Layer, Mask,
    Normalization, Parallel, Pooling, PoolingKind, Positional, Projections, Recurrent, Reduce, Reduction, Shared,
    States, Statistics, Stencil, Time, TransposedConvolution,
};
use crate::operation::{Array, Literal, Shape};
use crate::random::Random;

/// The kinds of layers, as [`Layer::kind`] says them.
pub const KINDS: [&str; 21] = [
    "dense",
    "activation",
    "convolution",
    "transposed_convolution",
    "pooling",
    "reduce",
    "normalization",
    "attention",
    "recurrent",
    "embedding",
    "positional",
    "cross_entropy",
    "flatten",
    "reshape",
    "permute",
    "join",
    "residual",
    "sequential",
    "parallel",
    "product",
    "shared",
];

/// What kind of architecture is wanted.
#[derive(Clone, Debug)]
pub struct Options {
    /// How deep layers stand in one another, at most.
    pub depth: usize,
    /// Elements of a value and of a parameter, at most.
    pub elements: usize,
    /// Only layers that have a value on exact rationals.
    pub rational: bool,
    /// Also layers whose rules are declared: maxima and kinks.
    pub declared: bool,
    /// A kind of layer that the architecture must have.
    pub kind: Option<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Options { depth: 6, elements: 48, rational: false, declared: true, kind: None }
    }
}

/// A random architecture with values for its inputs.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The architecture.
    pub architecture: Architecture,
    /// What goes in and what comes out.
    pub signature: Signature,
    /// A value for each input of the signature. Data are seldom tied.
    pub inputs: Vec<Vec<Rational>>,
}

/// Numbers past this are not of moderate size: the core takes exponentials of them as they are.
const LARGEST: f64 = 300.0;

/// A random architecture.
///
/// `None` where none of many draws has what is wanted, such as attention on exact rationals.
pub fn sample(seed: u64, options: &Options) -> Option<Sample> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9216_d5d9_8979_fb1b);
    (0..400).find_map(|_| {
        let mut generator = Generator { random: Random(random.next_u64()), options, powers: 2, names: 0 };
        generator.sample()
    })
}

/// How deep layers stand in one another: 1 for a layer without parts.
pub fn depth(layer: &Layer) -> usize {
    1 + layer.parts().into_iter().map(depth).max().unwrap_or(0)
}

/// Every layer within a layer, itself first.
pub fn layers(layer: &Layer) -> Vec<&Layer> {
    let mut all = vec![layer];
    all.extend(layer.parts().into_iter().flat_map(layers));
    all
}

/// A number, and the largest that went into it.
#[derive(Clone, Debug)]
struct Traced {
    value: f64,
    largest: f64,
}

impl Traced {
    fn new(value: f64, from: &[&Traced]) -> Traced {
        Traced { value, largest: from.iter().fold(value.abs(), |most, x| most.max(x.largest)) }
    }
}

impl Number for Traced {
    fn rational(q: &Rational) -> Self {
        Traced::new(f64::rational(q), &[])
    }
    fn add(&self, o: &Self) -> Self {
        Traced::new(self.value + o.value, &[self, o])
    }
    fn neg(&self) -> Self {
        Traced { value: -self.value, largest: self.largest }
    }
    fn mul(&self, o: &Self) -> Self {
        Traced::new(self.value * o.value, &[self, o])
    }
    fn recip(&self) -> Result<Self, EvalError> {
        Ok(Traced::new(Number::recip(&self.value)?, &[self]))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        Ok(Traced::new(self.value.call(f)?, &[self]))
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
}

struct Generator<'a> {
    random: Random,
    options: &'a Options,
    /// Powers that may still be taken: exact numbers grow with each.
    powers: usize,
    /// Names of shared parameters so far.
    names: usize,
}

impl Generator<'_> {
    fn sample(&mut self) -> Option<Sample> {
        let inputs: Vec<Vec<usize>> = (0..1 + self.random.below(4) / 3).map(|_| self.sizes()).collect();
        let shapes: Vec<Shape> = inputs.iter().map(|sizes| Shape::new(sizes)).collect();
        let (layer, _) = self.sequence(&shapes, self.options.depth.max(2), 1, 4);
        if let Some(kind) = self.options.kind
            && !layers(&layer).iter().any(|layer| layer.kind() == kind)
        {
            return None;
        }
        let architecture = Architecture { inputs, layer };
        let signature = architecture.verify().ok()?;
        let inputs = self.values(&signature);
        let traced: Vec<Vec<Traced>> = inputs.iter().map(|x| x.iter().map(Traced::rational).collect()).collect();
        let outputs = architecture.direct(&traced).ok()?;
        // A NaN is not below anything.
        let moderate = outputs.iter().flatten().all(|x| x.largest < LARGEST && x.value.abs() < LARGEST);
        moderate.then_some(Sample { architecture, signature, inputs })
    }

    /// Fine enough that ties are rare, and parameters at most 1.
    fn values(&mut self, signature: &Signature) -> Vec<Vec<Rational>> {
        let data = signature.data.len();
        let roles = signature.parameters.iter().map(|p| Some(p.role));
        let shapes = signature.inputs().map(|(_, shape)| shape.elements());
        let all: Vec<(usize, Option<Role>)> = shapes.zip(std::iter::repeat_n(None, data).chain(roles)).collect();
        let mut one = |role: Option<Role>| {
            let magnitude = 1 + self.random.below(1 << 12) as i64;
            let sign = if self.random.below(2) == 0 { 1 } else { -1 };
            let scale = if matches!(role, None | Some(Role::Table)) { 1 << 11 } else { 1 << 12 };
            Rational::new((sign * magnitude).into(), scale.into())
        };
        all.into_iter().map(|(n, role)| (0..n).map(|_| one(role)).collect()).collect()
    }

    fn sizes(&mut self) -> Vec<usize> {
        loop {
            let rank = 2 + self.random.below(4);
            let mut sizes = vec![1 + self.random.below(3)];
            sizes.extend((1..rank).map(|_| 1 + self.random.below(4)));
            if sizes.iter().product::<usize>() <= self.options.elements {
                return sizes;
            }
        }
    }

    fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.random.below(high + 1 - low)
    }

    fn coin(&mut self) -> bool {
        self.random.below(2) == 0
    }

    fn literal(&mut self) -> Literal {
        Literal::Exact(self.random.rational())
    }

    /// Layers one after the other, together so deep at most, and what they give.
    fn sequence(&mut self, inputs: &[Shape], depth: usize, least: usize, most: usize) -> (Layer, Vec<Shape>) {
        let mut shapes = inputs.to_vec();
        let mut layers = Vec::new();
        for _ in 0..self.between(least, most) {
            let (layer, outputs) = self.layer(&shapes, depth - 1);
            layers.push(layer);
            shapes = outputs;
        }
        (Layer::Sequential(layers), shapes)
    }

    /// A layer that fits, so deep at most, and what it gives; the identity where none of many draws fits.
    fn layer(&mut self, inputs: &[Shape], depth: usize) -> (Layer, Vec<Shape>) {
        for _ in 0..30 {
            // The wanted kind more often than the others.
            let wanted = self.options.kind.filter(|_| self.random.below(3) == 0);
            let kind = wanted.unwrap_or(KINDS[self.random.below(KINDS.len())]);
            let Some(layer) = self.candidate(kind, inputs, depth) else { continue };
            let mut scope = Scope::default();
            let Ok(outputs) = layer.outputs(&Place::root(), inputs, &mut scope) else { continue };
            let signature = Signature::new(Vec::new(), scope, Vec::new());
            let within = |shape: &Shape| shape.elements() <= self.options.elements && shape.rank() <= 5;
            if outputs.iter().chain(signature.inputs().map(|(_, shape)| shape)).all(within) && outputs.len() <= 2 {
                return (layer, outputs);
            }
        }
        (Layer::Sequential(Vec::new()), inputs.to_vec())
    }

    fn candidate(&mut self, kind: &str, inputs: &[Shape], depth: usize) -> Option<Layer> {
        let nested = matches!(kind, "residual" | "sequential" | "parallel" | "product" | "shared");
        if nested {
            // A residual holds a sequence; what is shared stands in something with two parts.
            let least = if matches!(kind, "residual" | "shared") { 3 } else { 2 };
            return if depth >= least { self.nested(kind, inputs, depth) } else { None };
        }
        // What forgets its input, or all but one number of it, is for the others to build on.
        let forgets = matches!(kind, "embedding" | "cross_entropy") && self.options.kind != Some(kind);
        if forgets && self.random.below(5) > 0 {
            return None;
        }
        match kind {
            "join" => return (inputs.len() == 2).then(|| Layer::Join(self.join(&inputs[0]))),
            "attention" => return self.attention(inputs),
            "embedding" => return Some(self.embedding()),
            _ => {}
        }
        let [x] = inputs else { return None };
        self.single(kind, x)
    }

    fn join(&mut self, like: &Shape) -> Join {
        match self.random.below(4) {
            0 => Join::Add,
            1 => Join::Multiply,
            2 => Join::Tuple,
            _ => Join::Concatenate(self.random.below(like.rank())),
        }
    }

    fn nested(&mut self, kind: &str, inputs: &[Shape], depth: usize) -> Option<Layer> {
        Some(match kind {
            "residual" => {
                let (inner, outputs) = self.sequence(inputs, depth - 1, 1, 2);
                (outputs == inputs).then(|| Layer::Residual(Box::new(inner)))?
            }
            "sequential" => self.sequence(inputs, depth, 1, 3).0,
            "parallel" => self.parallel(inputs, depth - 1),
            "product" if inputs.len() == 2 => {
                let layers = inputs.iter().map(|x| self.layer(std::slice::from_ref(x), depth - 1).0).collect();
                Layer::Product(layers)
            }
            "product" => return None,
            _ => self.shared(inputs, depth - 2),
        })
    }

    fn parallel(&mut self, inputs: &[Shape], depth: usize) -> Layer {
        let (first, outputs) = self.layer(inputs, depth);
        let join = match outputs.first() {
            Some(like) => self.join(like),
            None => Join::Tuple,
        };
        // Branches that join need shapes that agree: most often only those of the first do.
        let second =
            (0..6).map(|_| self.layer(inputs, depth)).find(|(_, found)| join == Join::Tuple || *found == outputs);
        let second = second.map_or_else(|| first.clone(), |(layer, _)| layer);
        Layer::Parallel(Parallel { branches: vec![first, second], join })
    }

    /// A layer in two places with one set of parameters, one after the other where that fits and else side by side.
    fn shared(&mut self, inputs: &[Shape], depth: usize) -> Layer {
        // Most often one that has parameters.
        let own = |layer: &Layer| {
            let mut scope = Scope::default();
            let outputs = layer.outputs(&Place::root(), inputs, &mut scope);
            outputs.is_ok() && Signature::new(Vec::new(), scope, Vec::new()).inputs().next().is_some()
        };
        let mut drawn = self.layer(inputs, depth);
        for _ in 0..6 {
            if own(&drawn.0) {
                break;
            }
            drawn = self.layer(inputs, depth);
        }
        let (layer, outputs) = drawn;
        self.names += 1;
        let shared = Layer::Shared(Shared { name: format!("shared{}", self.names), layer: Box::new(layer) });
        let both = vec![shared.clone(), shared];
        if outputs == inputs && self.coin() {
            return Layer::Sequential(both);
        }
        Layer::Parallel(Parallel { branches: both, join: if self.coin() { Join::Add } else { Join::Multiply } })
    }

    fn attention(&mut self, inputs: &[Shape]) -> Option<Layer> {
        let (query, source) = (inputs.first()?, inputs.last()?);
        let [.., t, f] = *query.sizes() else { return None };
        let [.., s, _] = *source.sizes() else { return None };
        let projections = self.coin().then(|| Projections {
            head: self.between(1, 3),
            value: self.between(1, 3),
            output: if self.coin() { f } else { self.between(1, 4) },
            bias: self.coin(),
        });
        let heads = self.between(1, 3);
        Some(Layer::Attention(Attention { heads, mask: self.mask(t, s), projections }))
    }

    fn mask(&mut self, queries: usize, keys: usize) -> Mask {
        match self.random.below(4) {
            0 => Mask::All,
            1 => Mask::Causal,
            2 => Mask::Window { before: self.random.below(3), after: self.random.below(2) },
            _ => {
                let mut row = || {
                    let mut row: Vec<bool> = (0..keys).map(|_| self.random.below(2) == 0).collect();
                    row[self.random.below(keys)] = true;
                    row
                };
                Mask::Sets((0..queries).map(|_| row()).collect())
            }
        }
    }

    fn embedding(&mut self) -> Layer {
        let (vocabulary, features) = (self.between(1, 4), self.between(1, 4));
        let shape: Vec<usize> = (0..self.between(1, 2)).map(|_| self.between(1, 3)).collect();
        let indices = (0..shape.iter().product()).map(|_| self.random.below(vocabulary)).collect();
        Layer::Embedding(Embedding { vocabulary, features, shape, indices })
    }

    fn single(&mut self, kind: &str, x: &Shape) -> Option<Layer> {
        let (sizes, rank) = (x.sizes(), x.rank());
        Some(match kind {
            "dense" => Layer::Dense(Dense { features: self.between(1, 4), bias: self.coin() }),
            "activation" => Layer::Activation(self.activation()?),
            "convolution" => self.convolution(sizes)?,
            "transposed_convolution" => self.transposed(sizes)?,
            "pooling" => self.pooling(sizes)?,
            "reduce" => {
                let by = [Reduction::Sum, Reduction::Mean, Reduction::LogSumExp][self.random.below(3)];
                Layer::Reduce(Reduce { by, axes: self.axes(rank) })
            }
            "normalization" => Layer::Normalization(self.normalization(sizes)),
            "recurrent" => Layer::Recurrent(Recurrent {
                cell: [Cell::Plain, Cell::Lstm, Cell::Gru][self.random.below(3)],
                hidden: self.between(1, 3),
                time: if self.coin() { Time::First } else { Time::Second },
                states: if self.coin() { States::Last } else { States::All },
            }),
            "positional" => Layer::Positional(self.positional(sizes)?),
            "cross_entropy" => {
                let (classes, lead) = sizes.split_last()?;
                let labels = (0..lead.iter().product()).map(|_| self.random.below(*classes)).collect();
                Layer::CrossEntropy(CrossEntropy { labels })
            }
            "flatten" => Layer::Flatten,
            "reshape" => {
                let rest: usize = sizes.get(1..)?.iter().product();
                let part = (1..=rest).filter(|n| rest.is_multiple_of(*n)).collect::<Vec<_>>();
                let first = part[self.random.below(part.len())];
                Layer::Reshape(vec![first, rest / first])
            }
            _ => {
                let mut order: Vec<usize> = (0..rank).collect();
                (1..rank).rev().for_each(|k| order.swap(k, self.random.below(k + 1)));
                Layer::Permute(order)
            }
        })
    }

    fn axes(&mut self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|_| self.random.below(2) == 0).collect()
    }

    fn activation(&mut self) -> Option<Activation> {
        let rational = [
            Activation::Square,
            Activation::Cube,
            Activation::Negate,
            Activation::Scale(self.literal()),
            Activation::Shift(self.literal()),
        ];
        let smooth = [
            Activation::Tanh,
            Activation::Logistic,
            Activation::Silu,
            Activation::GeluTanh,
            Activation::Softplus,
            Activation::LogLogistic,
            Activation::Exponential,
            Activation::Sine,
            Activation::Cosine,
            Activation::Softmax,
            Activation::LogSoftmax,
        ];
        let kinks = [Activation::Relu, Activation::LeakyRelu(self.literal())];
        let mut all = rational.to_vec();
        if !self.options.rational {
            all.extend(smooth);
        }
        if self.options.declared {
            all.extend(kinks);
            if !self.options.rational {
                all.push(Activation::Elu(self.literal()));
            }
        }
        let drawn = all.swap_remove(self.random.below(all.len()));
        if matches!(drawn, Activation::Square | Activation::Cube | Activation::Exponential) {
            self.powers = self.powers.checked_sub(1)?;
        }
        Some(drawn)
    }

    /// Windows of the last axes from that one on.
    fn stencil(&mut self, sizes: &[usize], pad: bool) -> Stencil {
        let mut stencil = Stencil::new(&[]);
        for size in sizes {
            stencil.window.push(self.between(1, 3.min(*size + 1)));
            stencil.stride.push(self.between(1, 3));
            stencil.padding.push(if pad { [self.random.below(3), self.random.below(3)] } else { [0, 0] });
            stencil.dilation.push(1 + self.random.below(5) / 4);
        }
        stencil
    }

    fn convolution(&mut self, sizes: &[usize]) -> Option<Layer> {
        let spatial = sizes.get(2..).filter(|spatial| (1..=3).contains(&spatial.len()))?;
        let pad = self.coin();
        let stencil = self.stencil(spatial, pad);
        let groups = self.divisor(sizes[1]);
        let channels = groups * self.between(1, 2);
        let padding_value = (self.random.below(3) == 0).then(|| self.literal());
        Some(Layer::Convolution(Convolution { channels, stencil, groups, bias: self.coin(), padding_value }))
    }

    fn divisor(&mut self, of: usize) -> usize {
        let all: Vec<usize> = (1..=of).filter(|n| of.is_multiple_of(*n)).collect();
        all[self.random.below(all.len())]
    }

    fn transposed(&mut self, sizes: &[usize]) -> Option<Layer> {
        let spatial = sizes.get(2..).filter(|spatial| (1..=3).contains(&spatial.len()))?;
        let mut stencil = self.stencil(spatial, false);
        stencil.padding.iter_mut().for_each(|sides| *sides = [self.random.below(2), self.random.below(2)]);
        let extra = stencil.stride.iter().map(|stride| self.random.below(*stride)).collect();
        let groups = self.divisor(sizes[1]);
        let channels = groups * self.between(1, 2);
        Some(Layer::TransposedConvolution(TransposedConvolution {
            channels,
            stencil,
            extra,
            groups,
            bias: self.coin(),
        }))
    }

    fn pooling(&mut self, sizes: &[usize]) -> Option<Layer> {
        if sizes.is_empty() {
            return None;
        }
        let rank = self.between(1, sizes.len().min(3));
        let pad = self.coin();
        let stencil = self.stencil(sizes.get(sizes.len() - rank..)?, pad);
        let kinds = [PoolingKind::Sum, PoolingKind::Average, PoolingKind::AverageInside, PoolingKind::Max];
        let kind = kinds[self.random.below(if self.options.declared { 4 } else { 3 })];
        Some(Layer::Pooling(Pooling { kind, stencil }))
    }

    fn normalization(&mut self, sizes: &[usize]) -> Normalization {
        let (rank, eps) = (sizes.len(), Literal::Exact(Rational::new(1.into(), 8.into())));
        match self.random.below(7) {
            0 => Normalization::layer(rank, eps),
            1 => Normalization::batch(rank, eps),
            2 => Normalization::instance(rank, eps),
            3 => Normalization::group(rank, sizes.get(1).map_or(1, |n| self.divisor(*n)), eps),
            4 => Normalization::rms(rank, eps),
            _ => Normalization {
                statistics: if self.coin() { Statistics::MeanVariance } else { Statistics::RootMeanSquare },
                axes: self.axes(rank),
                groups: None,
                eps,
                gain: self.coin().then(|| self.axes(rank)),
                bias: self.coin().then(|| self.axes(rank)),
            },
        }
    }

    fn positional(&mut self, sizes: &[usize]) -> Option<Positional> {
        let [.., t, f] = *sizes else { return None };
        Some(match self.random.below(3) {
            0 => Positional::Learned,
            1 if !self.options.rational => Positional::Sinusoidal,
            _ => Positional::Table(Array::rationals(Shape::new(&[t, f]), &self.random.rationals(t * f))),
        })
    }
}
