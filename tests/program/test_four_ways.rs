//! Four ways to one gradient, on a small network, and a fifth by hand.

use pullback::{Contract, ContractExt, Cotangent, Dim, Over, Program, Space, Tensor, Var, dims, ops, swap};

use crate::support::{assert_close, float};

dims! { Batch = 4; Pixel = 3; Hidden = 5; Digit = 3 }

#[derive(Clone, Debug, Space)]
struct Dense<In: Dim, Out: Dim> {
    weight: Tensor<(In, Out), f64>,
    bias: Tensor<(Out,), f64>,
}

#[derive(Clone, Debug, Space)]
struct Model {
    hidden: Dense<Pixel, Hidden>,
    output: Dense<Hidden, Digit>,
}

type Pixels = Tensor<(Batch, Pixel), f64>;
type Logits = Tensor<(Batch, Digit), f64>;
type Given = (Model, Pixels);

fn dense<B: Dim, In: Dim, Out: Dim>(layer: DenseVars<In, Out>, x: Var<(B, In)>) -> Var<(B, Out)> {
    x.matmul(layer.weight).bias_add(layer.bias)
}

fn network<B: Dim>(ModelVars { hidden, output }: ModelVars, x: Var<(B, Pixel)>) -> Var<(B, Digit)> {
    dense(output, dense(hidden, x).gelu_tanh())
}

fn traced() -> Program<Given, Logits> {
    Program::<Given, Logits>::trace(|(model, x)| network(model, x).log_softmax()).unwrap()
}

fn layer<In: Dim, Out: Dim>()
-> impl Contract<Input = (Dense<In, Out>, Tensor<(Batch, In), f64>), Output = Tensor<(Batch, Out), f64>> {
    swap()
        .then(ops::matmul())
        .then_with(swap().then(ops::bias_add::<(Batch,), Out, f64>()))
        .with_parameters::<Dense<In, Out>>()
}

fn by_hand() -> impl Contract<Input = Given, Output = Logits> {
    layer().then(ops::gelu_tanh()).then_with(layer()).with_parameters::<Model>().then(ops::log_softmax::<
        (Batch,),
        Digit,
        f64,
    >())
}

#[test]
fn they_agree() {
    let program = traced();
    let (x, u, v) = (float::<Given>(1), float::<Logits>(2), float::<Given>(3));

    // One: the tape. Two: the reverse program.
    let (value, at) = program.linearize(x.clone()).unwrap();
    let tape = at.pullback(Cotangent::new(u.clone())).unwrap().into_inner();
    let reverse = program.reverse().unwrap().evaluate((x.clone(), u.clone())).unwrap();
    assert_close(&tape, &reverse);
    let (value_too, reverse_too) = program.with_reverse().unwrap().evaluate((x.clone(), u.clone())).unwrap();
    assert_close(&value, &value_too);
    assert_close(&reverse, &reverse_too);

    // Three: directional. Four: the forward program. Both paired with the cotangent.
    let (value_too, moved) = program.directional(x.clone(), v.clone()).unwrap();
    assert_close(&value, &value_too);
    let forward = program.forward_mode().unwrap().evaluate((x.clone(), v.clone())).unwrap();
    assert_close(&moved, &forward);
    let (value_too, forward_too) = program.with_forward_mode().unwrap().evaluate((x.clone(), v.clone())).unwrap();
    assert_close(&value, &value_too);
    assert_close(&forward, &forward_too);
    assert!((moved.dot(&u) - tape.dot(&v)).abs() < 1e-12);
    // In every direction of a basis, too.
    for k in 0..Given::DIMENSION {
        let basis = (0..Given::DIMENSION).map(|j| if j == k { 1.0 } else { 0.0 });
        let direction = Given::from_coordinates(&mut basis.into_iter()).unwrap();
        let (_, moved) = program.directional(x.clone(), direction.clone()).unwrap();
        assert!((moved.dot(&u) - tape.dot(&direction)).abs() < 1e-12);
    }

    // Five: contracts composed by hand.
    let (value_too, at) =
        by_hand().forward(x).map(|(y, r)| (y, by_hand().pullback(&r, Cotangent::new(u.clone())))).unwrap();
    assert_close(&value, &value_too);
    assert_close(&tape, &at.into_inner());
}

#[test]
fn second_order_agrees_with_itself() {
    type Loss = Tensor<(), f64>;
    let loss = Program::<Given, Loss>::trace(|(model, x)| network(model, x).log_softmax().mean_all()).unwrap();
    let gradient = loss.gradient().unwrap();
    let (x, v, w) = (float::<Given>(4), float::<Given>(5), float::<Given>(6));
    // A Hessian is symmetric, whichever way it is applied.
    let forward = gradient.forward_mode().unwrap();
    let backward = gradient.reverse().unwrap();
    let hv = forward.evaluate((x.clone(), v.clone())).unwrap();
    let hw = forward.evaluate((x.clone(), w.clone())).unwrap();
    assert!((hv.dot(&w) - hw.dot(&v)).abs() < 1e-12);
    assert_close(&hv, &backward.evaluate((x.clone(), v.clone())).unwrap());
    let (_, along) = gradient.directional(x, v).unwrap();
    assert_close(&hv, &along);
}
