//! Sharing: a parameter in several places is one coordinate, and its gradient is the sum over the places.

use pullback_kernel::Rational;
use pullback_program::Literal;
use pullback_program::architecture::random::{Options, layers, sample};
use pullback_program::architecture::{
    Activation, Architecture, Cell, Dense, Embedding, Initializers, Join, Layer, Normalization, Parallel, Recurrent,
    Shared, States, Tie, Tied, Time,
};
use pullback_program::random::Random;

use crate::support::{close, draw, holds, pulled, values};

fn dense(features: usize) -> Layer {
    Layer::Dense(Dense { features, bias: true })
}

fn shared(layer: Layer) -> Layer {
    Layer::Shared(Shared { name: "both".to_owned(), layer: Box::new(layer) })
}

fn parallel(branches: Vec<Layer>) -> Layer {
    let second = |layer| Layer::Sequential(vec![layer, Layer::Activation(Activation::Tanh)]);
    let mut branches = branches.into_iter();
    let branches = vec![branches.next().unwrap(), second(branches.next().unwrap())];
    Layer::Parallel(Parallel { branches, join: Join::Concatenate(1) })
}

fn sum(terms: &[&Vec<f64>]) -> Vec<f64> {
    (0..terms[0].len()).map(|k| terms.iter().map(|t| t[k]).sum()).collect()
}

#[test]
fn two_branches_give_the_sum_of_two() {
    let tied = Architecture::new(&[3, 2], parallel(vec![shared(dense(4)), shared(dense(4))]));
    let free = Architecture::new(&[3, 2], parallel(vec![dense(4), dense(4)]));
    let program = holds(&tied, 1);
    let names: Vec<&str> = program.inputs().iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["x", "both.weight", "both.bias"]);
    let unshared = holds(&free, 2);
    let names: Vec<&str> = unshared.inputs().iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["x", "branches.0.weight", "branches.0.bias", "branches.1.0.weight", "branches.1.0.bias"]);

    let inputs = values(&tied, 3);
    let [x, w, b] = &inputs[..] else { panic!() };
    let seeds = draw(&mut Random(4), &program.evaluate(&inputs).unwrap());
    let gradient = pulled(&program, &inputs, &seeds);
    let apart = pulled(&unshared, &[x, w, b, w, b].map(Clone::clone), &seeds);
    let by_hand = [apart[0].clone(), sum(&[&apart[1], &apart[3]]), sum(&[&apart[2], &apart[4]])];
    close("sums", &gradient, &by_hand, 1e-14);
}

fn recurrent(cell: Cell, time: Time, states: States) -> Recurrent {
    Recurrent { cell, hidden: 3, time, states }
}

/// Three steps with one set of parameters, against three programs of one step with a set each.
#[test]
fn steps_give_the_sum_of_steps() {
    for (cell, states) in [(Cell::Plain, 1), (Cell::Lstm, 2), (Cell::Gru, 1)] {
        let whole = Architecture::new(&[3, 2, 4], Layer::Recurrent(recurrent(cell, Time::First, States::Last)));
        let program = holds(&whole, 5);
        let step = step(cell);
        let inputs = values(&whole, 6);
        let rows: Vec<Vec<f64>> = inputs[0].chunks(8).map(<[f64]>::to_vec).collect();
        let weights = &inputs[1..4];
        // Forward by hand: x, weights, state, and for an LSTM its cell.
        let mut now = inputs[4..].to_vec();
        let mut points = Vec::new();
        for row in &rows {
            let point: Vec<Vec<f64>> = std::iter::once(row).chain(now.iter()).chain(weights).cloned().collect();
            now = step.evaluate(&point).unwrap();
            points.push(point);
        }
        let seeds = draw(&mut Random(7), &program.evaluate(&inputs).unwrap());
        close("state", &program.evaluate(&inputs).unwrap(), &now[..1], 1e-13);
        // Backward by hand: the cotangent of the state goes from step to step, those of the weights add up.
        let mut carried: Vec<Vec<f64>> =
            std::iter::once(seeds[0].clone()).chain((1..states).map(|_| vec![0.0; 6])).collect();
        let mut total: Vec<Vec<f64>> = weights.iter().map(|w| vec![0.0; w.len()]).collect();
        let mut of_rows = Vec::new();
        for point in points.iter().rev() {
            let back = pulled(&step, point, &carried);
            of_rows.insert(0, back[0].clone());
            carried = back[1..=states].to_vec();
            total = total.iter().zip(&back[1 + states..]).map(|(t, g)| sum(&[t, g])).collect();
        }
        let by_hand: Vec<Vec<f64>> = std::iter::once(of_rows.concat()).chain(total).chain(carried).collect();
        close("sums", &pulled(&program, &inputs, &seeds), &by_hand, 1e-12);
    }
}

/// One step as a program of its own, by the cell of the library.
fn step(cell: Cell) -> pullback_program::DynProgram {
    use pullback_program::{Binding, Builder, Limits, Operation, Operator, Shape};
    let (name, gates) = match cell {
        Cell::Plain => ("rnn_cell", 1),
        Cell::Lstm => ("lstm_cell", 4),
        Cell::Gru => ("gru_cell", 3),
    };
    let operator = Operator::library(name).unwrap();
    let sizes = [2, 4, 3, gates * 3];
    let dims = (0..operator.statement().dims().len()).map(|k| vec![sizes[k]]).collect();
    let operation = Operation::new(operator, Binding { dims, ..Binding::default() }, &Limits::default()).unwrap();
    let mut builder = Builder::new(Limits::default());
    let inputs: Vec<_> = operation
        .inputs()
        .iter()
        .enumerate()
        .map(|(k, shape)| builder.input(&format!("i{k}"), Shape::new(shape.sizes())).unwrap())
        .collect();
    let outputs = builder.apply(operation, &inputs).unwrap();
    outputs.iter().enumerate().for_each(|(k, y)| {
        builder.output(&format!("o{k}"), *y);
    });
    builder.finish()
}

#[test]
fn every_recurrence_is_what_its_equations_say() {
    for cell in [Cell::Plain, Cell::Lstm, Cell::Gru] {
        for time in [Time::First, Time::Second] {
            for states in [States::Last, States::All] {
                holds(&Architecture::new(&[2, 3, 2], Layer::Recurrent(recurrent(cell, time, states))), 8);
            }
        }
    }
}

fn sequence(layers: Vec<Layer>) -> Layer {
    Layer::Sequential(layers)
}

fn named(name: &str, layer: Layer) -> Layer {
    Layer::Shared(Shared { name: name.to_owned(), layer: Box::new(layer) })
}

fn tie(name: &str, of: &str, transposed: bool) -> Tie {
    Tie { name: name.to_owned(), of: of.to_owned(), transposed }
}

fn tied(layer: Layer, parameters: Vec<Tie>) -> Layer {
    Layer::Tied(Tied { layer: Box::new(layer), parameters })
}

fn table(vocabulary: usize, features: usize) -> Layer {
    Layer::Embedding(Embedding { vocabulary, features, shape: vec![2], indices: vec![vocabulary - 1, 0] })
}

fn refused(input: &[usize], layer: Layer) -> String {
    Architecture::new(input, layer).verify().unwrap_err().to_string()
}

fn paths(architecture: &Architecture) -> Vec<String> {
    architecture.verify().unwrap().parameters.into_iter().map(|p| p.path).collect()
}

/// A table with features and a matrix of the same sizes are no layer of one kind, and neither are two layers that happen to have a bias.
#[test]
fn layers_of_one_name_are_of_one_kind_and_signature() {
    let plain = |features| Layer::Dense(Dense { features, bias: false });
    // The table would be [4, 6] and the weight [6, 4]: 24 numbers each.
    let both = vec![shared(table(4, 6)), shared(plain(4))];
    assert_eq!(
        refused(&[1], sequence(both)),
        "layer `1.inner` (dense): `both` is shared with layer `0.inner` (embedding); what is shared under one name is of one kind"
    );
    let normalization = Normalization { bias: Some(vec![1]), ..Normalization::layer(2, Literal::Float(1e-5)) };
    let normalization = || Layer::Normalization(Normalization { gain: None, ..normalization.clone() });
    assert_eq!(
        refused(&[3, 4], sequence(vec![shared(dense(4)), shared(normalization())])),
        "layer `1.inner` (normalization): `both` is shared with layer `0.inner` (dense); what is shared under one name is of one kind"
    );
    // The same within layers of layers.
    assert_eq!(
        refused(&[3, 4], sequence(vec![shared(sequence(vec![dense(4)])), shared(sequence(vec![normalization()]))])),
        "layer `1.inner.0` (normalization): the parameter `both.0.bias` is shared with layer `0.inner.0` (dense); what is shared under one name is of one kind"
    );
    // Of one kind, and not of one signature.
    assert_eq!(
        refused(&[3, 4], sequence(vec![shared(dense(4)), shared(plain(4))])),
        "layer `1.inner` (dense): has no parameter `both.bias`, which layer `0.inner` of the same name has"
    );
    assert_eq!(
        refused(&[3, 4], sequence(vec![shared(plain(4)), shared(dense(4))])),
        "layer `1.inner` (dense): has a parameter `both.bias`, which layer `0.inner` of the same name has not"
    );
    let recurrent = |cell| shared(Layer::Recurrent(recurrent(cell, Time::First, States::All)));
    assert_eq!(
        refused(&[2, 3, 3], sequence(vec![recurrent(Cell::Gru), recurrent(Cell::Lstm)])),
        "layer `1.inner` (recurrent): the parameter `both.input_weight` has shape [3, 12] here and shape [3, 9] in layer `0.inner`"
    );
    // What is not of the parameters may differ.
    let after = |activation| shared(sequence(vec![dense(4), Layer::Activation(activation)]));
    holds(&Architecture::new(&[3, 4], sequence(vec![after(Activation::Tanh), after(Activation::Sine)])), 3);
}

/// Weights are shared, states are those of the place: one recurrence may run over batches of two sizes.
#[test]
fn each_place_of_a_shared_recurrence_has_its_own_state() {
    let layer = || shared(Layer::Recurrent(recurrent(Cell::Lstm, Time::First, States::Last)));
    let layer = sequence(vec![Layer::Product(vec![layer(), layer()]), Layer::Join(Join::Concatenate(0))]);
    let architecture = Architecture { inputs: vec![vec![2, 3, 4], vec![2, 1, 4]], layer };
    let weights = ["both.input_weight", "both.state_weight", "both.bias"];
    let states = |place: usize| ["state", "cell"].map(|leaf| format!("0.parts.{place}.inner.{leaf}"));
    let expected: Vec<String> = weights.map(str::to_owned).into_iter().chain(states(0)).chain(states(1)).collect();
    assert_eq!(paths(&architecture), expected);
    assert_eq!(architecture.verify().unwrap().states().count(), 4);
    holds(&architecture, 9);
}

/// A head that has the table of the embedding, transposed: one array, whose gradient is that of both uses.
#[test]
fn a_tied_head_reads_the_table() {
    let layer = |head| sequence(vec![named("tokens", table(5, 3)), Layer::Activation(Activation::Tanh), head]);
    let own = Layer::Dense(Dense { features: 5, bias: true });
    let whole = Architecture::new(&[1], layer(tied(own.clone(), vec![tie("weight", "tokens.table", true)])));
    assert_eq!(paths(&whole), ["tokens.table", "2.inner.bias"]);
    let program = holds(&whole, 11);
    assert!(whole.lower().is_ok());
    let drawn = whole.initialize(3, &Initializers::default()).unwrap();
    assert_eq!(drawn.flatten().len(), 15 + 5);

    let apart = Architecture::new(&[1], layer(own)).compile().unwrap();
    let inputs = values(&whole, 12);
    let [x, rows, bias] = &inputs[..] else { panic!() };
    let columns = transposed(rows, 5, 3);
    let unshared = [x, rows, &columns, bias].map(Clone::clone);
    let value = program.evaluate(&inputs).unwrap();
    assert_eq!(value, apart.evaluate(&unshared).unwrap());
    let seeds = draw(&mut Random(13), &value);
    let back = pulled(&apart, &unshared, &seeds);
    let both = sum(&[&back[1], &transposed(&back[2], 3, 5)]);
    close("sums", &pulled(&program, &inputs, &seeds), &[back[0].clone(), both, back[3].clone()], 1e-14);
}

fn transposed(array: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..array.len()).map(|at| array[at % rows * columns + at / rows]).collect()
}

#[test]
fn ties_are_refused_where_they_do_not_fit() {
    let head = |features, ties| sequence(vec![table(5, 3), tied(dense(features), ties)]);
    let message = |features, ties| refused(&[1], head(features, ties));
    assert_eq!(
        message(5, vec![tie("weight", "tokens.table", true)]),
        "layer `1` (tied): no layer before this one has a parameter `tokens.table`; there are: `0.table`"
    );
    assert_eq!(
        message(5, vec![tie("weight", "0.table", false)]),
        "layer `1.inner` (dense): the parameter `1.inner.weight` has shape [3, 5], and what `0.table` gives for it has shape [5, 3]"
    );
    assert_eq!(
        message(5, vec![tie("weights", "0.table", true)]),
        "layer `1` (tied): the layer has no parameter `weights` that could be tied; there are: `weight`, `bias`"
    );
    let twice = vec![tie("weight", "0.table", true), tie("weight", "0.table", true)];
    assert_eq!(message(5, twice), "layer `1` (tied): `weight` is tied twice");
    assert_eq!(message(5, vec![]), "layer `1` (tied): `parameters` is empty");
    // Itself, and what comes after, are no layers before.
    assert_eq!(
        message(5, vec![tie("bias", "1.inner.weight", false)]),
        "layer `1` (tied): no layer before this one has a parameter `1.inner.weight`; there are: `0.table`"
    );
    let biases = sequence(vec![dense(3), tied(dense(3), vec![tie("bias", "0.bias", true)])]);
    assert_eq!(
        refused(&[1, 3], biases),
        "layer `1` (tied): `0.bias` has shape [3], and only a parameter of two axes can be read transposed"
    );
    let recurrent = || Layer::Recurrent(recurrent(Cell::Plain, Time::First, States::All));
    let states = |name: &str, of: &str| sequence(vec![recurrent(), tied(recurrent(), vec![tie(name, of, false)])]);
    assert!(refused(&[2, 3, 3], states("bias", "0.state")).contains("no layer before this one has a parameter"));
    assert!(refused(&[2, 3, 3], states("state", "0.bias")).contains("no parameter `state` that could be tied"));
    // Under one name, a tie is to one array.
    let both = |of: &str| shared(tied(dense(3), vec![tie("weight", of, false)]));
    let apart = sequence(vec![dense(3), dense(3), both("0.weight"), both("1.weight")]);
    assert_eq!(
        refused(&[1, 3], apart),
        "layer `3.inner` (tied): `both.inner.weight` is read from `1.weight` here, and otherwise from `0.weight` in another layer of the same name"
    );
    holds(&Architecture::new(&[1, 3], sequence(vec![dense(3), both("0.weight"), both("0.weight")])), 5);
}

/// What a name of its own stands for: the path before it among the parameters that are shared, and what is tied there.
type Own = (String, Vec<Tie>);

/// Every name a name of its own, and every tie undone: the same layers without anything shared.
///
/// `scope` is what the parameters of the layer are called by.
fn unshared(layer: &Layer, scope: &str, owns: &mut Vec<Own>) -> Layer {
    let below = |segment: &str| if scope.is_empty() { segment.to_owned() } else { format!("{scope}.{segment}") };
    let all = |layers: &[Layer], before: &str, owns: &mut Vec<Own>| -> Vec<Layer> {
        let each = layers.iter().enumerate();
        each.map(|(k, layer)| unshared(layer, &below(&format!("{before}{k}")), owns)).collect()
    };
    let own = |inner: &Layer, scope: String, ties: &[Tie], owns: &mut Vec<Own>| {
        let name = format!("own{}", owns.len());
        owns.push((scope.clone(), ties.to_vec()));
        named(&name, unshared(inner, &scope, owns))
    };
    match layer {
        Layer::Residual(inner) => Layer::Residual(Box::new(unshared(inner, &below("inner"), owns))),
        Layer::Sequential(layers) => Layer::Sequential(all(layers, "", owns)),
        Layer::Product(layers) => Layer::Product(all(layers, "parts.", owns)),
        Layer::Parallel(parallel) => {
            Layer::Parallel(Parallel { branches: all(&parallel.branches, "branches.", owns), join: parallel.join })
        }
        Layer::Shared(shared) => own(&shared.layer, shared.name.clone(), &[], owns),
        Layer::Tied(tied) => own(&tied.layer, below("inner"), &tied.parameters, owns),
        other => other.clone(),
    }
}

/// The path among the shared parameters, and whether it is read transposed.
fn origin(path: &str, owns: &[Own]) -> (String, bool) {
    let Some((name, rest)) = path.split_once('.').filter(|(name, _)| name.starts_with("own")) else {
        return (path.to_owned(), false);
    };
    let (scope, ties) = &owns[name["own".len()..].parse::<usize>().unwrap()];
    match ties.iter().find(|tie| tie.name == rest) {
        Some(tie) => (tie.of.clone(), tie.transposed),
        None => (format!("{scope}.{rest}"), false),
    }
}

/// At equal parameters, what is shared has the value of what is not, exactly, and its gradients are sums.
#[test]
fn random_sharing_is_that_of_equal_parameters() {
    let (mut seen, mut ties, mut several) = (0, 0, 0);
    for seed in 0..180 {
        let kind = if seed % 2 == 0 { "shared" } else { "tied" };
        let options = Options { kind: Some(kind), rational: true, declared: false, depth: 4, ..Options::default() };
        let Some(sample) = sample(seed, &options) else { continue };
        let (shared, inputs) = (&sample.architecture, &sample.inputs);
        let mut owns = vec![];
        let free = Architecture { inputs: shared.inputs.clone(), layer: unshared(&shared.layer, "", &mut owns) };
        let (program, apart) = (shared.compile().unwrap(), free.compile().unwrap());
        let sources = origins(shared, &free, &owns);
        let spread: Vec<Vec<Rational>> = sources
            .iter()
            .map(|(from, sizes)| match sizes {
                None => inputs[*from].clone(),
                Some((rows, columns)) => exchanged(&inputs[*from], *rows, *columns),
            })
            .collect();
        // A root on the way to nothing, such as before an embedding.
        let Ok(value) = program.evaluate(inputs) else { continue };
        assert_eq!(value, apart.evaluate(&spread).unwrap(), "{seed}: {shared:?}");
        let seeds: Vec<Vec<Rational>> = value.iter().map(|y| Random(seed).rationals(y.len())).collect();
        let pulled = |program: &pullback_program::DynProgram, at: &[Vec<Rational>]| {
            let (_, tape) = program.linearize(at).unwrap();
            program.pullback(&tape, &seeds).unwrap()
        };
        let mut sums: Vec<Vec<Rational>> =
            inputs.iter().map(|x| vec![Rational::from_integer(0.into()); x.len()]).collect();
        for (back, (from, sizes)) in pulled(&apart, &spread).iter().zip(&sources) {
            let back = match sizes {
                None => back.clone(),
                Some((rows, columns)) => exchanged(back, *columns, *rows),
            };
            sums[*from].iter_mut().zip(back).for_each(|(sum, term)| *sum += term);
        }
        assert_eq!(pulled(&program, inputs), sums, "{seed}: {shared:?}");
        seen += 1;
        ties += layers(&shared.layer).iter().filter(|layer| matches!(layer, Layer::Tied(_))).count();
        several += usize::from(sources.len() > inputs.len());
    }
    assert!(
        seen >= 80 && ties >= 80 && several >= 70,
        "{seen} seen, {ties} ties, {several} with more parameters apart"
    );
}

/// For each input of the program without sharing, the input of the other one, and the sizes of what is read transposed.
fn origins(shared: &Architecture, free: &Architecture, owns: &[Own]) -> Vec<(usize, Option<(usize, usize)>)> {
    let (shared, free) = (shared.verify().unwrap(), free.verify().unwrap());
    let inputs: Vec<(&str, &[usize])> = shared.inputs().map(|(path, shape)| (path, shape.sizes())).collect();
    let one = |(path, _)| {
        let (from, transposed) = origin(path, owns);
        let at = inputs.iter().position(|(path, _)| **path == *from).unwrap_or_else(|| panic!("{path} is {from}"));
        (at, transposed.then(|| (inputs[at].1[0], inputs[at].1[1])))
    };
    free.inputs().map(one).collect()
}

fn exchanged(array: &[Rational], rows: usize, columns: usize) -> Vec<Rational> {
    (0..array.len()).map(|at| array[at % rows * columns + at / rows].clone()).collect()
}

/// A name that is shared by layers of two shapes is refused, with both places.
#[test]
fn shared_parameters_have_one_shape() {
    let layer = Layer::Sequential(vec![shared(dense(4)), shared(dense(4))]);
    let error = Architecture::new(&[3, 2], layer).verify().unwrap_err().to_string();
    assert_eq!(
        error,
        "layer `1.inner` (dense): the parameter `both.weight` has shape [4, 4] here and shape [2, 4] in layer `0.inner`"
    );
}
