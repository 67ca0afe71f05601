//! The laws of spaces, on every kind of them.

use proptest::prelude::*;
use static_assertions::{assert_impl_all, assert_not_impl_any};

use super::*;
use crate::scalar::{Rational, Scalar};
use crate::shape::{N, Shape};
use crate::tensor::Tensor;

/// Named fields and a parameter.
#[derive(Clone, Debug, Space)]
struct Layer<T: Scalar> {
    weight: Tensor<(N<2>, N<3>), T>,
    bias: Tensor<(N<3>,), T>,
}

/// Fields without names, one of them a struct of spaces.
#[derive(Clone, Debug, Space)]
struct Net<T: Scalar>(Layer<T>, Tensor<(), T>, [Tensor<(N<2>,), T>; 2]);

/// Nothing in it.
#[derive(Clone, Debug, Space)]
struct Empty;

/// Generic over a shape, and over a space with a bound of its own.
#[derive(Clone, Debug, Space)]
struct Wrapped<S: Shape, A>
where
    A: Space,
{
    tensor: Tensor<S>,
    rest: A,
}

/// No parameter at all.
#[derive(Clone, Debug, Space)]
struct Plain {
    weight: Tensor<(N<20>,)>,
}

type Q = Rational;
type Everything = (Net<Q>, (), Each<(Tensor<(N<2>,), Q>, Tensor<(), Q>), N<3>>, Empty, (Tensor<(N<20>,), Q>,));

assert_impl_all!(Cotangent<Net<f32>>: Send, Sync, Unpin, Clone);
assert_impl_all!(Everything: Send, Sync, Unpin);
assert_impl_all!(Net<f64>: Over<f64>);
assert_not_impl_any!(Net<f64>: Over<f32>);
// A cotangent is no space, so it can't be taken for a primal.
assert_not_impl_any!(Cotangent<Plain>: Space);

fn point(numbers: &[i64]) -> Everything {
    let mut coordinates = numbers.iter().map(|&number| Q::from_ratio(number, 3));
    Everything::from_coordinates(&mut coordinates).expect("enough numbers")
}

#[test]
fn dimensions_are_sums() {
    assert_eq!(Layer::<f32>::DIMENSION, 9);
    assert_eq!(Net::<f32>::DIMENSION, 14);
    assert_eq!(Empty::DIMENSION, 0);
    assert_eq!(Wrapped::<(N<4>,), (Plain, Empty)>::DIMENSION, 24);
    assert_eq!(Everything::DIMENSION, 14 + 9 + 20);
    assert_eq!(Everything::zero().coordinates().len(), Everything::DIMENSION);
}

#[test]
fn too_few_coordinates_are_no_point() {
    assert!(Net::<f32>::from_coordinates(&mut core::iter::repeat_n(1.0, 13)).is_none());
    let mut more = 0..99;
    let net = Net::<f32>::from_coordinates(&mut more.by_ref().map(|number| number as f32)).expect("enough");
    assert_eq!((net.0.bias.as_slice()[0], more.next()), (6.0, Some(14)));
}

#[test]
fn a_struct_is_the_tuple_of_its_fields() {
    let layer = Layer { weight: Tensor::<_, f32>::full(2.0), bias: Tensor::full(3.0) };
    let (weight, bias) = layer.clone().into_parts();
    assert_eq!((weight.as_slice()[5], bias.as_slice()[2]), (2.0, 3.0));
    assert_eq!(Layer::from_parts((weight, bias)).coordinates(), layer.coordinates());
    let cotangent = Cotangent::new(layer).into_parts();
    assert_eq!(Cotangent::<Layer<f32>>::from_parts(cotangent).into_inner().bias.as_slice()[1], 3.0);
}

#[test]
fn an_accumulation_in_place_keeps_the_buffer() {
    let mut sum = Plain { weight: Tensor::zeros() };
    let address = sum.weight.as_slice().as_ptr();
    sum.accumulate(&Plain { weight: Tensor::full(1.0) });
    let sum = sum.add(&Plain { weight: Tensor::full(2.0) }).scale(&2.0);
    assert_eq!((sum.weight.as_slice()[19], sum.weight.as_slice().as_ptr()), (6.0, address));
}

#[cfg(feature = "nalgebra")]
#[test]
fn static_matrices_are_spaces() {
    use nalgebra::{SMatrix, SVector};
    type M = (SMatrix<f64, 2, 3>, SVector<f64, 2>);
    assert_eq!(M::DIMENSION, 8);
    let point = M::from_coordinates(&mut (1..9).map(f64::from)).expect("enough");
    assert_eq!(point.dot(&point), (1..9).map(|n| f64::from(n * n)).sum::<f64>());
    assert_eq!(point.add(&point).coordinates()[7], 16.0);

    /// It has no variables, and is a space all the same.
    #[derive(Clone, Debug, Space)]
    struct Pose {
        turn: SMatrix<f64, 3, 3>,
        shift: Tensor<(N<3>,), f64>,
    }
    assert_eq!(Pose::DIMENSION, 12);
    assert_not_impl_any!(Pose: crate::Traced);
}

proptest! {
    #[test]
    fn the_vector_space_laws_hold(
        a in prop::collection::vec(-9..9i64, Everything::DIMENSION),
        b in prop::collection::vec(-9..9i64, Everything::DIMENSION),
        c in prop::collection::vec(-9..9i64, Everything::DIMENSION),
        factor in -9..9i64,
    ) {
        let (a, b, c) = (point(&a), point(&b), point(&c));
        let factor = Q::from_ratio(factor, 2);
        let sum = |x: &Everything, y: &Everything| x.clone().add(y);
        // Addition is commutative and associative, with zero.
        prop_assert_eq!(sum(&a, &b).coordinates(), sum(&b, &a).coordinates());
        prop_assert_eq!(sum(&sum(&a, &b), &c).coordinates(), sum(&a, &sum(&b, &c)).coordinates());
        prop_assert_eq!(sum(&a, &Everything::zero()).coordinates(), a.coordinates());
        // The pairing is bilinear and symmetric, and the sum of the products of the coordinates.
        prop_assert_eq!(sum(&a, &b).dot(&c), a.dot(&c) + b.dot(&c));
        prop_assert_eq!(a.clone().scale(&factor).dot(&c), factor * a.dot(&c));
        let mut by_hand = Q::zero();
        for (x, y) in a.coordinates().into_iter().zip(b.coordinates()) {
            by_hand.accumulate(x * y);
        }
        prop_assert_eq!(a.dot(&b), by_hand);
        // Coordinates are an isomorphism.
        let again = Everything::from_coordinates(&mut a.coordinates().into_iter()).expect("enough");
        prop_assert_eq!(again.coordinates(), a.coordinates());
        // Nothing that somebody else holds was changed on the way.
        let shared = a.clone();
        let _ = shared.clone().zip_coordinates(&b, &mut |x, y| x - y.clone());
        prop_assert_eq!(shared.coordinates(), a.coordinates());
    }
}
