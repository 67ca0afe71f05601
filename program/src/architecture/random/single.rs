//! What is drawn: a layer of each kind that has no parts.

use pullback_kernel::Rational;

use super::super::{
    Activation, Attention, Cell, Convolution, CrossEntropy, Dense, Embedding, Layer, Mask, Normalization, Pooling,
    PoolingKind, Positional, Projections, Recurrent, Reduce, Reduction, States, Statistics, Stencil, Time,
    TransposedConvolution,
};
use super::generate::Generator;
use crate::operation::{Array, Literal, Shape};

impl Generator<'_> {
    fn literal(&mut self) -> Literal {
        Literal::Exact(self.random.rational())
    }

    pub(super) fn attention(&mut self, inputs: &[Shape]) -> Option<Layer> {
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

    pub(super) fn embedding(&mut self) -> Layer {
        let features = self.between(1, 4);
        Layer::Embedding(self.embedding_of(features))
    }

    /// Rows of so many numbers.
    pub(super) fn embedding_of(&mut self, features: usize) -> Embedding {
        let vocabulary = self.between(1, 4);
        let shape: Vec<usize> = (0..self.between(1, 2)).map(|_| self.between(1, 3)).collect();
        let indices = (0..shape.iter().product()).map(|_| self.random.below(vocabulary)).collect();
        Embedding { vocabulary, features, shape, indices }
    }

    pub(super) fn single(&mut self, kind: &str, x: &Shape) -> Option<Layer> {
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
                let mut loss = CrossEntropy::new(labels);
                if loss.labels.len() > 1 && self.coin() {
                    // A label that is no class, or one that is.
                    let ignored = if self.coin() { *classes + 7 } else { loss.labels[0] };
                    let at = self.random.below(loss.labels.len());
                    loss.labels[at] = ignored;
                    loss = loss.ignoring(ignored);
                }
                Layer::CrossEntropy(loss)
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
