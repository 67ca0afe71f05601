//! Numbers: none that is infinite once it is a float, in an architecture or in its program.

use num_bigint::BigInt;
use pullback_kernel::Rational;
use pullback_program::architecture::random::{KINDS, Options, sample};
use pullback_program::architecture::{
    Activation, Architecture, Convolution, Layer, Normalization, Positional, Statistics, Stencil,
};
use pullback_program::{Array, Binding, Builder, DynProgram, Elements, Limits, Literal, Operation, Operator, Shape};

use crate::support::ratio;

fn power(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

/// `10^exponent`.
fn far(exponent: u32) -> Literal {
    Literal::Exact(Rational::from_integer(power(exponent)))
}

/// `1/10^exponent`.
fn near(exponent: u32) -> Literal {
    Literal::Exact(Rational::new(1.into(), power(exponent)))
}

/// A number of a program that is not finite as a double.
fn infinite(program: &DynProgram) -> Option<Literal> {
    let numbers = program.operations().iter().flat_map(|operation| {
        let binding = operation.binding();
        let elements = binding.constants.iter().flat_map(|array| match &array.elements {
            Elements::Splat(literal) => std::slice::from_ref(literal),
            Elements::Each(all) => all,
        });
        elements.chain(&binding.params)
    });
    numbers.into_iter().find(|literal| !literal.to::<f64>().is_finite()).cloned()
}

#[test]
fn no_constant_of_any_program_is_infinite() {
    let (mut compiled, mut lowered) = (0, 0);
    for seed in 0..300 {
        let options = Options { kind: Some(KINDS[seed as usize % KINDS.len()]), ..Options::default() };
        let Some(sample) = sample(seed, &options) else { continue };
        let program = sample.architecture.compile().unwrap();
        assert_eq!(infinite(&program), None, "{seed}");
        compiled += 1;
        if let Ok(core) = sample.architecture.lower() {
            assert_eq!(infinite(&core), None, "{seed}");
            lowered += 1;
        }
    }
    assert!(compiled >= 250 && lowered >= 100, "{compiled} compiled, {lowered} lowered");
}

/// The search above finds what it looks for, among constants and among parameters of operations.
#[test]
fn an_infinite_constant_is_found() {
    let operation = |name: &str, binding| {
        let operation = Operation::new(Operator::library(name).unwrap(), binding, &Limits::default()).unwrap();
        let mut builder = Builder::new(Limits::default());
        let x = builder.input("x", Shape::new(&[2])).unwrap();
        let inputs = if name == "constant" { vec![] } else { vec![x] };
        let y = builder.apply(operation, &inputs).unwrap()[0];
        builder.output("y", y);
        builder.finish()
    };
    let dims = vec![vec![2]];
    for (number, is) in [(far(400), true), (far(300), false)] {
        let found = is.then(|| number.clone());
        let params = Binding { dims: dims.clone(), params: vec![number.clone()], ..Binding::default() };
        assert_eq!(infinite(&operation("scale", params)), found);
        let constants = vec![Array::splat(Shape::new(&[2]), number)];
        let constants = Binding { dims: dims.clone(), constants, ..Binding::default() };
        assert_eq!(infinite(&operation("constant", constants)), found);
    }
}

fn normalization(statistics: Statistics, eps: Literal) -> Layer {
    Layer::Normalization(Normalization { statistics, axes: vec![1], groups: None, eps, gain: None, bias: None })
}

/// Every number of every layer, far from zero: refused, with its field and the beginning of its digits.
#[test]
fn numbers_that_are_infinite_as_doubles_are_refused() {
    let layers = |number: Literal| {
        let convolution = Convolution::new(1, Stencil::new(&[1]).padding(&[[1, 1]]));
        let splat = Array::splat(Shape::new(&[2, 3]), number.clone());
        let mut each = vec![ratio(1, 2); 6];
        each[4] = number.clone();
        let each = Array { shape: Shape::new(&[2, 3]), elements: Elements::Each(each) };
        [
            ("scale", Layer::Activation(Activation::Scale(number.clone()))),
            ("shift", Layer::Activation(Activation::Shift(number.clone()))),
            ("leaky_relu", Layer::Activation(Activation::LeakyRelu(number.clone()))),
            ("elu", Layer::Activation(Activation::Elu(number.clone()))),
            ("table", Layer::Positional(Positional::Table(splat))),
            ("table", Layer::Positional(Positional::Table(each))),
            ("padding_value", Layer::Convolution(Convolution { padding_value: Some(number), ..convolution })),
        ]
    };
    let negative = Literal::Exact(-Rational::from_integer(power(400)));
    for number in [far(400), negative, Literal::Float(f64::INFINITY), Literal::Float(f64::NAN)] {
        for (field, layer) in layers(number) {
            let error = Architecture::new(&[1, 2, 3], layer).verify().unwrap_err().to_string();
            assert!(error.contains(&format!("`{field}` is ")), "{error}");
            assert!(error.ends_with("; it must be finite in double precision") && error.len() < 200, "{error}");
        }
    }
    for (_, layer) in layers(far(300)) {
        Architecture::new(&[1, 2, 3], layer).verify().unwrap();
    }
}

#[test]
fn an_eps_is_positive_once_it_is_rounded() {
    for statistics in [Statistics::MeanVariance, Statistics::RootMeanSquare] {
        let verify = |eps| Architecture::new(&[1, 3], normalization(statistics, eps)).verify();
        for eps in [near(400), near(60), far(400), far(60), ratio(0, 1), ratio(-1, 8), Literal::Float(f64::NAN)] {
            let error = verify(eps).unwrap_err().to_string();
            assert!(error.starts_with("layer (normalization): `eps` is "), "{error}");
            assert!(error.ends_with("; it must be positive and finite, in single precision as well"), "{error}");
        }
        for eps in [near(30), near(5), Literal::Float(1e-12), far(3)] {
            verify(eps).unwrap();
        }
    }
}
