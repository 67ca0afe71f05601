//! Sharing: a parameter in several places is one coordinate, and its gradient is the sum over the places.

use pullback_program::architecture::{
    Activation, Architecture, Cell, Dense, Join, Layer, Parallel, Recurrent, Shared, States, Time,
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
