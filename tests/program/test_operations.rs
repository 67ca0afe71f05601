//! Every method applies the operation of its name.

use pullback::{Bijection, IndexMap, N, Over, PartialMap, Program, Symbolic, Tensor, Traced, Var, dims, ops};

use crate::support::{assert_close, float};

dims! { Batch = 2; Row = 3; Col = 4; Other = 2; Both = Col + Other; Tall = Row + Other; Flat = 12 }

type T<S> = Tensor<S, f64>;

/// The program that applies a contract computes what the contract does.
fn same<C: Symbolic>(
    contract: &C,
    input: C::Input,
    method: impl FnOnce(<C::Input as Traced>::Vars) -> <C::Output as Traced>::Vars,
) where
    C::Input: Over<f64>,
    C::Output: Over<f64>,
{
    let (expected, _) = contract.forward(input.clone()).unwrap();
    let applied = Program::<C::Input, C::Output>::trace(|x| contract.of(x)).unwrap();
    assert_close(&applied.evaluate(input).unwrap(), &expected);
    let called = Program::<C::Input, C::Output>::trace(method).unwrap();
    assert_eq!(called, applied);
}

/// The same for contracts that have no method.
fn applies<C: Symbolic>(contract: &C, input: C::Input)
where
    C::Input: Over<f64>,
    C::Output: Over<f64>,
{
    same(contract, input, |x| contract.of(x));
}

fn positive<S: pullback::Shape>(seed: u64) -> T<S> {
    float::<T<S>>(seed).map(|x| x.abs() + 0.5)
}

macro_rules! one {
    ($($name:ident)*) => {$( same(&ops::$name::<(Row, Col), f64>(), positive(1), |x| x.$name()); )*};
}

#[test]
fn elementwise() {
    one! {
        abs cosine cube exponential gelu_tanh hard_sigmoid hard_tanh log log_logistic logistic negate reciprocal relu
        round_straight_through rsqrt silu sine softplus sqrt square stop_gradient tanh
    }
    same(&ops::negate::<(Row,), f64>(), float(2), |x| -x);
    same(&ops::scale::<(Row,), f64>(0.1), float(2), |x| x.scale(0.1));
    same(&ops::shift::<(Row,), f64>(0.1), float(2), |x| x.shift(0.1));
    same(&ops::clamp::<(Row,), f64>(-0.1, 0.3), float(2), |x| x.clamp(-0.1, 0.3));
    same(&ops::elu::<(Row,), f64>(0.7), float(2), |x| x.elu(0.7));
    same(&ops::leaky_relu::<(Row,), f64>(0.7), float(2), |x| x.leaky_relu(0.7));
    same(&ops::power_constant::<(Row,), f64>(1.5), positive(2), |x| x.power_constant(1.5));
}

macro_rules! two {
    ($($name:ident $method:expr;)*) => {$(
        same(&ops::$name::<(Row, Col), f64>(), (positive(1), positive(2)), |(x, y)| $method(x, y));
    )*};
}

#[test]
fn of_two() {
    type V = Var<(Row, Col)>;
    two! {
        add |x: V, y: V| x + y;
        subtract |x: V, y: V| x - y;
        multiply |x: V, y: V| x * y;
        divide |x: V, y: V| x / y;
        subtract |x: V, y: V| x.subtract(y);
        multiply |x: V, y: V| x.multiply(y);
        divide |x: V, y: V| x.divide(y);
        maximum |x: V, y: V| x.maximum(y);
        minimum |x: V, y: V| x.minimum(y);
        power |x: V, y: V| x.power(y);
        mean_squared_error |x: V, y: V| x.mean_squared_error(y);
        mean_absolute_error |x: V, y: V| x.mean_absolute_error(y);
        binary_cross_entropy |x: V, y: V| x.binary_cross_entropy(y);
    }
    let huber = ops::huber::<(Row,), f64>(0.4).unwrap();
    same(&huber, (float(1), float(2)), |(x, y)| x.huber(y, 0.4));
}

macro_rules! last {
    ($($name:ident)*) => {$( same(&ops::$name::<(Row,), Col, f64>(), float::<T<(Row, Col)>>(3), |x| x.$name()); )*};
}

#[test]
fn over_an_axis() {
    last! { softmax log_softmax euclidean_norm logsumexp mean reduce_max reduce_sum sum_of_squares variance }
    same(&ops::mean_leading::<Row, (Col,), f64>(), float(1), |x| x.mean_leading());
    same(&ops::reduce_sum_leading::<Row, (Col, Batch), f64>(), float(1), |x| x.reduce_sum_leading());
    same(&ops::mean_all::<(Row, Col), f64>(), float(1), |x| x.mean_all());
    same(&ops::reduce_sum_all::<(Row, Col), f64>(), float(1), |x| x.reduce_sum_all());
    let eps = 1e-3;
    same(&ops::standard_deviation::<(Row,), Col, f64>(eps).unwrap(), float(1), |x| x.standard_deviation(eps));
    same(&ops::standardize::<(Row,), Col, f64>(eps).unwrap(), float(1), |x| x.standardize(eps));
    same(&ops::l2_normalize::<(Row,), Col, f64>(eps).unwrap(), float(1), |x| x.l2_normalize(eps));
    same(&ops::rms_norm::<(Row,), Col, f64>(eps).unwrap(), float(1), |(x, g)| x.rms_norm(g, eps));
    same(&ops::layer_norm::<(Row,), Col, f64>(eps).unwrap(), float(1), |(x, g, b)| x.layer_norm(g, b, eps));
    same(&ops::softmax_cross_entropy::<(Row,), Col, f64>(), (float(1), positive(2)), |(x, t)| {
        x.softmax_cross_entropy(t)
    });
    let labels = || IndexMap::<(Row,), (Col,)>::new(vec![3, 0, 3]).unwrap();
    let loss = ops::softmax_cross_entropy_labels::<(Row,), Col, f64>(labels());
    same(&loss, float(1), |x| x.softmax_cross_entropy_labels(labels()));
}

#[test]
fn products_and_shapes() {
    same(&ops::matmul::<Batch, Row, Col, f64>(), float(1), |(x, w)| x.matmul(w));
    same(&ops::matrix_vector::<Row, Col, f64>(), float(1), |(a, x)| a.matrix_vector(x));
    same(&ops::dot_general::<(Batch,), Row, Col, Other, f64>(), float(1), |(x, w)| x.dot_general(w));
    same(&ops::dot_general::<(Batch, N<2>), Row, Col, Other, f64>(), float(1), |(x, w)| x.dot_general(w));
    same(&ops::linear::<(Batch,), Row, Col, f64>(), float(1), |(x, w, b)| x.linear(w, b));
    same(&ops::linear::<(Batch, Other), Row, Col, f64>(), float(1), |(x, w, b)| x.linear(w, b));
    same(&ops::bias_add::<(Batch, Row), Col, f64>(), float(1), |(x, b)| x.bias_add(b));
    same(&ops::affine::<(Batch,), Col, f64>(), float(1), |(x, g, b)| x.affine(g, b));
    same(&ops::inner_product::<(Batch,), Col, f64>(), float(1), |(x, y)| x.inner_product(y));
    same(&ops::outer_product::<(Batch,), Row, Col, f64>(), float(1), |(x, y)| x.outer_product(y));
    same(&ops::multiply_scalar::<(Row, Col), f64>(), float(1), |(c, x)| x.multiply_scalar(c));
    same(&ops::broadcast_in_dim::<(Row,), Col, f64>(), float(1), |x| x.broadcast_in_dim());
    same(&ops::broadcast_in_dim_leading::<Row, (Col,), f64>(), float(1), |x| x.broadcast_in_dim_leading());
    same(&ops::broadcast_in_dim_scalar::<(Row, Col), f64>(), float(1), |x| x.broadcast_in_dim_scalar());
    same(&ops::typed::reshape::<(Row, Col), (Flat,), f64>(), float(1), |x| x.reshape());
    same(&ops::transpose::<(), Row, Col, f64>(), float(1), |x| x.transpose());
    same(&ops::transpose::<(Batch,), Row, Col, f64>(), float(1), |x| x.transpose());
    same(&ops::concatenate::<(Row,), Col, Other, Both, f64>(), float(1), |(x, y)| x.concatenate::<Both, _>(y));
    same(&ops::concatenate_leading::<Row, Other, Tall, (Col,), f64>(), float(1), |(x, y)| {
        x.concatenate_leading::<Tall, _>(y)
    });
}

#[test]
fn with_data_of_their_own() {
    let at = IndexMap::<(Row,), (Col,)>::new(vec![3, 0, 3]).unwrap();
    applies(&ops::gather::<Row, Col, (Batch,), f64>(at.clone()), float(1));
    applies(&ops::scatter_add::<Row, Col, (Batch,), f64>(at.clone()), float(1));
    applies(&ops::slice::<(Batch,), Row, Col, f64>(at), float(1));
    applies(&ops::typed::pad::<(Batch,), Row, Col, f64>(1, 0.25).unwrap(), float(1));
    let windows = PartialMap::<(Col, Row), (Col,)>::window(1, 1, 1).unwrap();
    applies(&ops::patches::<(Batch,), Col, Col, Row, f64>(windows.clone()), float(1));
    applies(&ops::avg_pool1d::<(Batch,), Col, Col, Row, f64>(windows), float(1));
    let turned = Bijection::<(Row, Col), (Col, Row)>::transpose();
    applies(&ops::permute_axes::<(Row, Col), (Col, Row), f64>(turned), float(1));
    let mirror = Bijection::<(Col,), (Col,)>::from_fn(|k| 3 - k).unwrap();
    applies(&ops::reverse::<(Row,), Col, f64>(mirror), float(1));
    applies(&ops::add_constant::<(Row,), f64>(float(3)), float(1));
    applies(&ops::linear_map::<(Batch,), Row, Col, f64>(float(3)), float(1));
    applies(&ops::select::<(Row,), f64>(Tensor::from_fn(|k| (k % 2) as f64)), float(1));
    applies(
        &ops::softmax_masked::<(Batch,), Row, f64>(Tensor::from_fn(|k| ((k + 1) % 3) as f64), Tensor::zeros()),
        float(1),
    );
    applies(&ops::constant::<(Row,), f64>(float(3)), ());
    applies(&ops::constant::<(Row,), f64>(Tensor::full(2.0)), ());
    applies(&ops::split::<(Batch,), Col, Other, Both, f64>(), float(1));
    applies(&ops::batch_norm_training::<Batch, Row, (Col,), f64>(1e-3).unwrap(), float(1));
    applies(&ops::lstm_cell::<Batch, Row, Col, N<16>, f64>(), float(1));
}

#[test]
fn other_names_of_the_same_value() {
    let program = Program::<T<(Batch, Row)>, T<(Other, N<3>)>>::trace(|x| x.rename()).unwrap();
    assert!(program.as_dynamic().is_empty());
}
