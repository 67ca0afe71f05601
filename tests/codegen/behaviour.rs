//! Values written by hand, domains, sizes, and what a generated contract is to its user.

use super::agree::{Sample as _, agree};
use pullback::ops::typed::{Window, conv2d, max_pool2d};
use pullback::{
    Contract, ContractExt, Cotangent, Evidence, IndexMap, N, Over, Proved, Rational, Scalar, Tensor, contract, dims,
    ops,
};

dims! { Row = 2; Col = 3; Hundred = 100; Batch = 2; Height = 4; Width = 4; Half = 2; Side = 2 }

contract! {
    /// The cube, with docs of its own.
    pub(crate) contract cubed version 1
    dims   s..
    input  x[s..]
    output y[i..] = x[i..]^3
    saves  x
    dx[i..] = 3 * x[i..]^2 * dy[i..]
}

contract! { contract scaled_log version 1 dims s.. param scale > 0 input x[s..] output y[i..] = scale * log(x[i..]) }

contract! {
    contract lazy version 1
    dims   s..
    input  x[s..]
    output y[i..] = if x[i..] > 0 then 1 / x[i..] else 0
    saves  x
    dx[i..] = if x[i..] > 0 then 0 - dy[i..] / (x[i..] * x[i..]) else 0
    declares unproved "only the branch that is chosen is evaluated"
}

/// Statements may come out of a macro; the rule is derived.
macro_rules! wave {
    ($name:ident, $function:ident) => {
        contract! {
            contract $name version 1 dims s.. input x[s..]
            output y[i..] = $function(2 * x[i..])
        }
    };
}
wave!(double_sine, sin);

fn value<const LEN: usize>(
    contract: &impl Contract<Input = Tensor<(N<LEN>,), f64>, Output = Tensor<(N<LEN>,), f64>>,
    x: [f64; LEN],
) -> Vec<f64>
where
    N<LEN>: pullback::Dim,
{
    contract.forward(Tensor::from_fn(|i| x[i])).unwrap().0.to_vec()
}

#[test]
fn softmax_by_hand() {
    let softmax = ops::softmax::<(), N<2>, f64>();
    // Far beyond the range of `exp`.
    let (y, saved) = softmax.forward(Tensor::from_vec(vec![1000.0, 1000.0]).unwrap()).unwrap();
    assert_eq!(y.as_slice(), [0.5, 0.5]);
    let dx = softmax.pullback(&saved, Cotangent::new(Tensor::from_vec(vec![1.0, 0.0]).unwrap())).into_inner();
    assert_eq!(dx.as_slice(), [0.25, -0.25]);
}

#[test]
fn inline_statement() {
    let cube = cubed::<(N<2>,), Rational>();
    let r = |n: i64| Rational::from_ratio(n, 1);
    let (y, saved) = cube.forward(Tensor::from_vec(vec![r(2), r(-3)]).unwrap()).unwrap();
    assert_eq!(y.as_slice(), [r(8), r(-27)]);
    let dx = cube.pullback(&saved, Cotangent::new(Tensor::from_vec(vec![r(1), r(2)]).unwrap())).into_inner();
    assert_eq!(dx.as_slice(), [r(12), r(54)]);
    assert!(Cubed::<(), f32>::STATEMENT.starts_with("contract cubed version 1"));
    fn proved<C: Contract<Evidence = Proved>>(_: &C) {}
    proved(&cube);
    const { assert!(!<Lazy<()> as Contract>::Evidence::IS_PROVED) };
}

#[test]
fn domains_are_checked() {
    let log = ops::log::<(N<3>,), f64>();
    let error = log.forward(Tensor::from_vec(vec![1.0, 0.0, 2.0]).unwrap()).unwrap_err();
    assert_eq!((error.contract(), error.index()), ("log", 1));
    assert!(error.to_string().contains("> 0"), "{error}");
    // A quotient of rationals would panic: the check comes first.
    let reciprocal = ops::reciprocal::<(N<2>,), Rational>();
    let zero = Tensor::from_vec(vec![Rational::from_ratio(1, 2), Rational::from_ratio(0, 1)]).unwrap();
    assert_eq!(reciprocal.forward(zero).unwrap_err().index(), 1);
    // So are parameters.
    assert_eq!(scaled_log::<(), f64>(-1.0).unwrap_err().condition(), "scale > 0");
    assert_eq!(value(&scaled_log::<(N<1>,), f64>(2.0).unwrap(), [1.0]), [0.0]);
}

#[test]
fn only_the_chosen_branch_is_evaluated() {
    let lazy = lazy::<(N<2>,), Rational>();
    let x = Tensor::from_vec(vec![Rational::from_ratio(0, 1), Rational::from_ratio(4, 1)]).unwrap();
    // The other branch divides by zero, which rationals refuse with a panic.
    let (y, _) = lazy.forward(x).unwrap();
    assert_eq!(y.as_slice(), [Rational::from_ratio(0, 1), Rational::from_ratio(1, 4)]);
}

#[test]
fn a_large_product_is_the_gemm() {
    let number = |i: usize| ((i * 37 + 11) % 101) as f64 / 7.0 - 6.0;
    let matmul = ops::matmul::<Hundred, Hundred, Hundred, f64>();
    let (a, b) = (Tensor::from_fn(number), Tensor::from_fn(|i| number(i + 5)));
    let mut expected = vec![0.0; 10_000];
    f64::gemm(100, 100, 100, &mut expected, 0, 100, 1, a.as_slice(), 0, 100, 1, b.as_slice(), 0, 100, 1);
    let (c, saved) = matmul.forward((a.clone(), b.clone())).unwrap();
    assert_eq!(c.as_slice(), expected);
    // And the gradient against three loops.
    let dc = Tensor::<(Hundred, Hundred), f64>::from_fn(|i| number(i + 9));
    let (da, db) = matmul.pullback(&saved, Cotangent::new(dc.clone())).into_inner();
    for (i, l) in [(0, 0), (3, 97), (99, 99)] {
        let wanted: f64 = (0..100).map(|j| dc.as_slice()[i * 100 + j] * b.as_slice()[l * 100 + j]).sum();
        assert!((da.as_slice()[i * 100 + l] - wanted).abs() < 1e-9);
        let wanted: f64 = (0..100).map(|j| a.as_slice()[j * 100 + i] * dc.as_slice()[j * 100 + l]).sum();
        assert!((db.as_slice()[i * 100 + l] - wanted).abs() < 1e-9);
    }
}

/// The same contract over rationals and over floats.
fn sample<T: Scalar>() -> Vec<T> {
    let variance = ops::variance::<(N<2>,), N<5>, T>();
    let x = Tensor::from_fn(|i| T::from_ratio(i as i64 * 7 % 5 - 2, 3));
    let (y, saved) = variance.forward(x).unwrap();
    let dx = variance.pullback(&saved, Cotangent::new(Tensor::from_fn(|i| T::from_usize(i + 1)))).into_inner();
    y.coordinates().into_iter().chain(dx.coordinates()).collect()
}

#[test]
fn floats_follow_rationals() {
    for (exact, float) in sample::<Rational>().iter().zip(sample::<f64>()) {
        let exact: f64 = i64::try_from(&exact.numer()).unwrap() as f64 / i64::try_from(&exact.denom()).unwrap() as f64;
        assert!((exact - float).abs() < 1e-12, "{exact} and {float}");
    }
}

#[test]
fn a_gather_adds_at_repeated_positions() {
    let at = IndexMap::<(N<3>,), (N<2>,)>::new(vec![1, 1, 0]).unwrap();
    let gather = ops::gather::<N<3>, N<2>, (), f64>(at);
    let (y, saved) = gather.forward(Tensor::from_vec(vec![5.0, 7.0]).unwrap()).unwrap();
    assert_eq!(y.as_slice(), [7.0, 7.0, 5.0]);
    let dx = gather.pullback(&saved, Cotangent::new(Tensor::from_vec(vec![1.0, 2.0, 4.0]).unwrap())).into_inner();
    assert_eq!(dx.as_slice(), [4.0, 3.0]);
}

#[test]
fn a_row_major_reshape_copies_nothing() {
    let reshape = ops::typed::reshape::<(Hundred, Row), (Row, Hundred), f64>();
    let x = Tensor::<(Hundred, Row), f64>::from_fn(|i| i as f64);
    let place = x.as_slice().as_ptr();
    let (y, ()) = reshape.forward(x).unwrap();
    assert_eq!(y.as_slice().as_ptr(), place);
}

#[test]
fn windows_in_types() {
    let pool: ops::MaxPool2d<(Batch,), Height, Width, Half, Half, Side, Side, f64> = max_pool2d(
        Window::<Half>::new().stride::<2>().over::<Height, Side>(),
        Window::<Half>::new().stride::<2>().over::<Width, Side>(),
    );
    let (y, _) = pool.forward(Tensor::from_fn(|i| i as f64)).unwrap();
    assert_eq!(y.as_slice(), [5.0, 7.0, 13.0, 15.0, 21.0, 23.0, 29.0, 31.0]);
    let conv = conv2d(Window::<Half>::new().stride::<2>(), Window::<Half>::new().stride::<2>());
    let image = Tensor::<(Batch, N<1>, N<1>, Height, Width), f64>::from_fn(|i| i as f64);
    let kernel = Tensor::<(N<1>, N<1>, N<1>, Side, Side), f64>::full(1.0);
    assert_eq!(conv.forward((image, kernel)).unwrap().0.as_slice()[..2], [10.0, 18.0]);
}

/// Rows longer than the lanes in which sums and maxima run, with a rest.
#[test]
fn long_rows() {
    type L = N<19>;
    agree::<f64, _>("softmax", &ops::softmax::<(N<2>,), L, f64>(), &[2, 19]);
    agree::<f64, _>("logsumexp", &ops::logsumexp::<(N<2>,), L, f64>(), &[2, 19]);
    agree::<f64, _>("softmax_cross_entropy", &ops::softmax_cross_entropy::<(N<2>,), L, f64>(), &[2, 19]);
    agree::<Rational, _>("variance", &ops::variance::<(N<2>,), L, Rational>(), &[2, 19]);
    agree::<Rational, _>("reduce_sum", &ops::reduce_sum::<(N<2>,), L, Rational>(), &[2, 19]);
    agree::<Rational, _>("reduce_max", &ops::reduce_max::<(N<2>,), L, Rational>(), &[2, 19]);
    agree::<Rational, _>("inner_product", &ops::inner_product::<(N<2>,), L, Rational>(), &[2, 19]);
    agree::<f64, _>("layer_norm", &ops::layer_norm::<(N<2>,), L, f64>(f64::sample(0, true)).unwrap(), &[2, 19]);
    agree::<f64, _>("attention", &ops::attention::<(N<2>,), N<9>, L, N<3>, N<4>, f64>(), &[2, 9, 19, 3, 4]);
}

#[test]
fn a_statement_from_a_macro() {
    let wave = double_sine::<(), f64>();
    let (y, saved) = wave.forward(Tensor::scalar(0.25)).unwrap();
    assert_eq!(y.to_scalar(), 0.5f64.sin());
    let dx = wave.pullback(&saved, Cotangent::new(Tensor::scalar(1.0))).into_inner().to_scalar();
    assert!((dx - 2.0 * 0.5f64.cos()).abs() < 1e-15);
}

#[test]
fn contracts_compose() {
    let chain = ops::exponential::<(N<2>,), f64>().then(ops::tanh()).then(cubed());
    let linear = chain.linearize(Tensor::from_vec(vec![0.0, -1.0]).unwrap()).unwrap();
    assert!((linear.0.as_slice()[0] - 1f64.tanh().powi(3)).abs() < 1e-15);
    let _ = (Row, Col);
}

#[test]
fn every_file_is_an_operation() {
    let mut files = vec![];
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "contract") {
                files.push(path);
            }
        }
    }
    for path in &files {
        assert!(
            ops::STATEMENTS.iter().any(|(listed, _)| path.ends_with(listed)),
            "{} is not in src/ops",
            path.display()
        );
    }
    assert_eq!(files.len(), ops::STATEMENTS.len());
}
