//! What is drawn: layers of layers, until one fits.

use pullback_kernel::Rational;

use super::super::signature::{Place, Role, Scope, Signature};
use super::super::{Architecture, Dense, Join, Layer, Parallel, Shared, Tie, Tied};
use super::{KINDS, Options, Sample, layers, moderate};
use crate::operation::Shape;
use crate::random::Random;

/// The kinds that hold other layers.
const NESTED: [&str; 6] = ["residual", "sequential", "parallel", "product", "shared", "tied"];

pub(super) struct Generator<'a> {
    pub(super) random: Random,
    pub(super) options: &'a Options,
    /// Powers that may still be taken: exact numbers grow with each.
    pub(super) powers: usize,
    /// Names of shared parameters so far.
    pub(super) names: usize,
}

impl Generator<'_> {
    pub(super) fn sample(&mut self) -> Option<Sample> {
        let mut inputs: Vec<Vec<usize>> = (0..1 + self.random.below(4) / 3).map(|_| self.sizes()).collect();
        if inputs.len() == 2 && self.coin() {
            inputs[1] = inputs[0].clone();
        }
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
        moderate(&architecture, &inputs).then_some(Sample { architecture, signature, inputs })
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

    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.random.below(high + 1 - low)
    }

    pub(super) fn coin(&mut self) -> bool {
        self.random.below(2) == 0
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
            // Layers of layers more often where there is room for some.
            let inner = (depth > 2 && self.random.below(4) == 0).then(|| NESTED[self.random.below(NESTED.len())]);
            let kind = wanted.or(inner).unwrap_or(KINDS[self.random.below(KINDS.len())]);
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
        if NESTED.contains(&kind) {
            // A residual holds a sequence; what is shared stands in something with two parts.
            let least = if matches!(kind, "residual" | "shared" | "tied") { 3 } else { 2 };
            return if depth >= least { self.nested(kind, inputs, depth) } else { None };
        }
        // What forgets its input, or all but one number of it, is for the others to build on.
        let forgets = matches!(kind, "embedding" | "cross_entropy") && self.options.kind != Some(kind);
        if forgets && self.random.below(20) > 0 {
            return None;
        }
        match kind {
            "join" => {
                let [first, second] = inputs else { return None };
                // A tuple that stays one is nothing, and shapes that agree are for the joins that need it.
                let join = (0..4).map(|_| self.join(first)).find(|join| (*join == Join::Tuple) != (first == second));
                return Some(Layer::Join(join?));
            }
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
            "tied" => self.tied(inputs)?,
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
        let equal = join != Join::Tuple || self.coin();
        let second = (0..6).map(|_| self.layer(inputs, depth)).find(|(_, found)| !equal || *found == outputs);
        let second = second.map_or_else(|| first.clone(), |(layer, _)| layer);
        Layer::Parallel(Parallel { branches: vec![first, second], join })
    }

    /// A dense layer that reads the weight of another one or a table, most often transposed, and at times its bias from elsewhere too.
    fn tied(&mut self, inputs: &[Shape]) -> Option<Layer> {
        let [x] = inputs else { return None };
        let last = *x.sizes().last()?;
        self.names += 1;
        let name = format!("shared{}", self.names);
        let features = self.between(1, 4);
        let dense = |features, bias| Layer::Dense(Dense { features, bias });
        let tie = |name: &str, of: String, transposed| Tie { name: name.to_owned(), of, transposed };
        let named = |layer| Layer::Shared(Shared { name: name.clone(), layer: Box::new(layer) });
        let tied = |layer, parameters| Layer::Tied(Tied { layer: Box::new(layer), parameters });
        Some(match self.random.below(3) {
            // There and back by one matrix.
            0 => {
                let back = tied(dense(last, self.coin()), vec![tie("weight", format!("{name}.weight"), true)]);
                Layer::Sequential(vec![named(dense(features, self.coin())), back])
            }
            // One matrix side by side, as it is; with one bias or two.
            1 => {
                let mut ties = vec![tie("weight", format!("{name}.weight"), false)];
                if self.coin() {
                    ties.push(tie("bias", format!("{name}.bias"), false));
                }
                let branches = vec![named(dense(features, true)), tied(dense(features, true), ties)];
                Layer::Parallel(Parallel { branches, join: if self.coin() { Join::Add } else { Join::Multiply } })
            }
            // A head that scores what it is given against the rows of a table.
            _ => {
                let table = self.embedding_of(last);
                let head = tied(dense(table.vocabulary, false), vec![tie("weight", format!("{name}.table"), true)]);
                let branches = vec![named(Layer::Embedding(table)), head];
                Layer::Parallel(Parallel { branches, join: Join::Tuple })
            }
        })
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
}
