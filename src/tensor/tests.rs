//! Tensors, their storage, index data, and the matrix product against three loops.

use proptest::prelude::*;
use static_assertions::{assert_impl_all, const_assert};

use super::*;
use crate::dims;
use crate::scalar::Rational;
use crate::shape::{Dim, N};

dims! {
    Row = 3;
    Col = 5;
    Flat = 15;
    // 64 MiB of f32.
    Large = 16777216
}

assert_impl_all!(Tensor<(Row, Col), f64>: Send, Sync, Unpin, Clone, PartialEq, core::fmt::Debug);
assert_impl_all!(Tensor<(Large,), Rational>: Send, Sync, Unpin, Clone);
assert_impl_all!(IndexMap<(Row,), (Col,)>: Send, Sync, Clone);
assert_impl_all!(Bijection<(Row, Col), (Flat,)>: Send, Sync, Clone);

// A small tensor lies inline, a large one is one pointer.
const_assert!(size_of::<Tensor<(N<16>,), f32>>() == 64);
const_assert!(size_of::<Tensor<(N<17>,), f32>>() == size_of::<usize>());
const_assert!(size_of::<Tensor<(Large,), f32>>() == size_of::<usize>());

#[test]
fn a_tensor_of_64_mib_passes_through_the_default_stack() {
    // Every step that a debug build might do on the stack: made, cloned, written in a copy, reshaped, dropped.
    let tensor = Tensor::<(Large,)>::zeros();
    let mut copy = tensor.clone();
    copy.update_in_place(|elements| elements[7] = 1.0);
    assert_eq!((tensor.as_slice()[7], copy.as_slice()[7]), (0.0, 1.0));
    let square = copy.reshape::<(N<4096>, N<4096>)>();
    assert_eq!(square.as_slice().len(), Large::SIZE);
    drop(Tensor::<(Large,)>::build_with(|elements| elements[0] = 2.0));
}

#[test]
fn every_size_around_the_inline_limit_holds_its_elements() {
    macro_rules! sizes {
        ($($size:literal)*) => {$(
            let tensor = Tensor::<(N<$size>,), f64>::from_fn(|index| index as f64);
            assert_eq!(tensor.as_slice().len(), $size);
            assert_eq!(tensor.as_slice()[$size - 1], f64::from($size - 1));
            assert_eq!(Tensor::from_vec(tensor.to_vec()), Ok(tensor));
        )*};
    }
    sizes!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 31 32 33);
}

#[test]
fn a_reshape_of_a_large_tensor_copies_nothing() {
    let tensor = Tensor::<(N<4>, N<8>)>::from_fn(|index| index as f32);
    let address = tensor.as_slice().as_ptr();
    assert_eq!(tensor.reshape::<(N<32>,)>().as_slice().as_ptr(), address);
}

#[test]
fn a_vector_of_another_length_is_an_error() {
    let error = Tensor::<(Row, Col)>::from_vec(vec![0.0; 14]).expect_err("14 is not 15");
    assert_eq!(error.to_string(), r#"a tensor of shape ["Row", "Col"] [3, 5] has 15 elements, found 14"#);
}

#[test]
fn a_failed_build_gives_its_error() {
    let result = Tensor::<(Row,)>::build(|elements| {
        elements[0] = 1.0;
        Err("no")
    });
    assert_eq!(result, Err("no"));
}

#[test]
fn an_update_in_place_leaves_other_holders_alone() {
    let mut tensor = Tensor::<(N<40>,)>::zeros();
    assert!(tensor.is_unique());
    let address = tensor.as_slice().as_ptr();
    tensor.update_in_place(|elements| elements[0] = 1.0);
    assert_eq!(tensor.as_slice().as_ptr(), address);
    let saved = tensor.clone();
    assert!(!tensor.is_unique());
    tensor.update_in_place(|elements| elements[0] = 2.0);
    assert_eq!((saved.as_slice()[0], tensor.as_slice()[0]), (1.0, 2.0));
}

#[test]
fn debug_names_the_axes() {
    let tensor = Tensor::<(Row,)>::from_fn(|index| index as f32);
    assert_eq!(format!("{tensor:?}"), "Tensor(Row = 3)[0.0, 1.0, 2.0]");
    assert!(format!("{:?}", Tensor::<(N<40>,)>::zeros()).ends_with(", ..]"));
}

#[test]
fn index_data_outside_of_its_shapes_is_refused() {
    type Map = IndexMap<(Row,), (Col,)>;
    assert_eq!(Map::new(vec![0, 1]), Err(IndexError::Length { from: &["Row"], expected: 3, found: 2 }));
    assert_eq!(Map::new(vec![0, 5, 1]), Err(IndexError::Range { to: &["Col"], at: 1, found: 5, size: 5 }));
    assert_eq!(Map::from_fn(|index| index * 2).map(|map| map.at(2)), Ok(4));

    type Partial = PartialMap<(Row,), (Col,)>;
    assert!(Partial::new(vec![None, Some(5), None]).is_err());
    // The mark of an undefined point can't be smuggled in.
    assert!(Partial::new(vec![None, Some(usize::MAX), None]).is_err());
    assert_eq!(PartialMap::<(Row, Col), (Flat,)>::window(0, 1, 0), Err(IndexError::Stride));

    type Permutation = Bijection<(Row,), (Row,)>;
    assert_eq!(Permutation::new(vec![0, 2, 0]), Err(IndexError::Repeated { first: 0, second: 2, found: 0 }));
    assert!(Permutation::new(vec![0, 3, 1]).is_err());
    assert!(Permutation::new(vec![0, 1, 2]).is_ok_and(|map| map.is_identity()));
    assert!(Bijection::<(Row,), (Col,)>::new(vec![0, 1, 2]).is_err());
    assert!(Bijection::<(Row, Col), (Row, Col)>::permute(&[1, 0]).is_err());
    assert!(Bijection::<(Row, Col), (Col, Row)>::permute(&[1, 1]).is_err());
    assert!(Bijection::<(Row, Col), (Col, Row)>::permute(&[1, 7]).is_err());
}

#[test]
fn a_permutation_of_axes_moves_every_point() {
    let transpose = Bijection::<(Row, Col), (Col, Row)>::transpose();
    assert_eq!(Ok(transpose.clone()), Bijection::permute(&[1, 0]));
    for row in 0..3 {
        for col in 0..5 {
            assert_eq!(transpose.at(row * 5 + col), col * 3 + row);
            assert_eq!(transpose.inverse_at(col * 3 + row), row * 5 + col);
        }
    }
    assert_eq!(transpose.inverse(), Bijection::transpose());
    // Axis i of the result is axis order[i] of the source.
    let turned = Bijection::<(Row, Col, N<2>), (N<2>, Row, Col)>::permute(&[2, 0, 1]).expect("a permutation");
    assert_eq!(turned.at((5 + 3) * 2 + 1), 15 + 5 + 3);
}

#[test]
fn a_window_reads_what_the_formula_says() {
    type Window = PartialMap<(N<5>, N<3>), (N<7>,)>;
    for (stride, dilation, padding) in [(1, 1, 0), (2, 1, 1), (1, 2, 2), (3, 3, 5)] {
        let window = Window::window(stride, dilation, padding).expect("a positive stride");
        for output in 0..5 {
            for kernel in 0..3 {
                let place = (output * stride + kernel * dilation) as isize - padding as isize;
                let expected = usize::try_from(place).ok().filter(|&place| place < 7);
                assert_eq!(window.at(output * 3 + kernel), expected);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_bijection_and_its_inverse_cancel(shuffled in Just((0..15).collect::<Vec<usize>>()).prop_shuffle()) {
        let bijection = Bijection::<(Row, Col), (Flat,)>::new(shuffled.clone()).expect("a permutation");
        for (point, &entry) in shuffled.iter().enumerate() {
            prop_assert_eq!(bijection.at(point), entry);
            prop_assert_eq!(bijection.inverse_at(bijection.at(point)), point);
            prop_assert_eq!(bijection.inverse().at(entry), point);
        }
    }
}
