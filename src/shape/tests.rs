//! Arithmetic in types against arithmetic in numbers.

use static_assertions::{assert_impl_all, assert_not_impl_any, assert_type_eq_all};
use typenum::{Prod, Sum, U0, U1, U2, U3, U5, U7, U12, U16, U17, U63, U64, U100, U255, U256, U784, U1000, Unsigned};

use super::*;
use crate::dims;

dims! {
    A = 2;
    B = 3;
    C = 5;
    Six = A * B;
    Eight = A + Six;
    Vocab = 50257;
    Image = 28;
    Pixel = Image * (Image / 1) - 0
}

#[test]
fn sizes_of_dims_are_computed() {
    assert_eq!([A::SIZE, B::SIZE, C::SIZE, Six::SIZE, Eight::SIZE], [2, 3, 5, 6, 8]);
    assert_eq!((Vocab::SIZE, Pixel::SIZE, Vocab::NAME), (50257, 784, "Vocab"));
    assert_eq!(<N<784> as Dim>::SIZE, 784);
    assert_eq!(<N<784> as Dim>::NAME, "784");
    assert_eq!((<N<0> as Count>::COUNT, <N<3> as Count>::COUNT), (0, 3));
}

#[test]
fn shapes_know_their_axes() {
    type S = (A, B, C, A, B, C);
    assert_eq!((S::LEN, S::RANK), (900, 6));
    assert_eq!(S::dims(), [2, 3, 5, 2, 3, 5]);
    assert_eq!(S::names(), ["A", "B", "C", "A", "B", "C"]);
    assert_eq!((<()>::LEN, <()>::RANK), (1, 0));
    assert_eq!(<(Vocab, Pixel)>::LEN, 50257 * 784);
}

/// Our arithmetic and typenum's give one type.
macro_rules! agree {
    ($($left:ty, $right:ty;)*) => {$(
        assert_type_eq_all!(<$left as Extent>::Plus<$right>, Sum<$left, $right>);
        assert_type_eq_all!(<$left as Extent>::Times<$right>, Prod<$left, $right>);
        assert_type_eq_all!(<$right as Extent>::Plus<$left>, Sum<$right, $left>);
        assert_type_eq_all!(<$right as Extent>::Times<$left>, Prod<$right, $left>);
    )*};
}

agree! {
    U0, U0;
    U0, U5;
    U1, U1;
    U1, U7;
    U3, U5;
    U12, U16;
    U63, U64;
    U100, U255;
    U784, U1000;
    U256, U1000;
}

#[test]
fn comparison_agrees_with_numbers() {
    /// Every pair of a list.
    macro_rules! pairs {
        ($($left:ident)*; $all:tt) => { $(pairs!(@row $left $all);)* };
        (@row $left:ident ($($right:ident)*)) => {$(
            assert_eq!(
                <<$left as Extent>::AtMost<$right> as Flag>::HOLDS,
                $left::USIZE <= $right::USIZE,
                "{} <= {}", $left::USIZE, $right::USIZE,
            );
        )*};
    }
    pairs!(U0 U1 U2 U3 U5 U7 U12 U16 U17 U63 U64 U100 U255 U256; (U0 U1 U2 U3 U5 U7 U12 U16 U17 U63 U64 U100 U255 U256));
}

#[test]
fn successors_agree_with_numbers() {
    macro_rules! steps {
        ($($number:ident)*) => {$(
            assert_eq!(<$number as Extent>::Succ::USIZE, $number::USIZE + 1);
            assert_eq!(<$number as Extent>::Pred::USIZE, $number::USIZE.saturating_sub(1));
            assert_type_eq_all!(<<$number as Extent>::Succ as Extent>::Pred, $number);
            assert_type_eq_all!(<$number as Extent>::Double, Sum<$number, $number>);
        )*};
    }
    steps!(U0 U1 U2 U3 U5 U7 U12 U16 U17 U63 U64 U100 U255 U256 U784 U1000);
}

assert_type_eq_all!(Joined<(A, B), (C,)>, (A, B, C));
assert_type_eq_all!(Joined<(), (A, B, C, A, B, C)>, (A, B, C, A, B, C));
assert_type_eq_all!(<(A, B, C) as SplitLast>::Init, (A, B));
assert_type_eq_all!(<(A, B, C) as SplitFirst>::Rest, (B, C));
assert_not_impl_any!((A, B, C, A): Join<(A, B, C)>);

// Conditions, each with a case that holds and one beside it that does not.
assert_impl_all!((A, B): SameLength<(Six,)>, SameLength<(N<6>,)>, SameSizes<(N<2>, N<3>)>);
assert_not_impl_any!((A, B): SameLength<(C,)>, SameSizes<(B, A)>, SameSizes<(Six,)>);
assert_impl_all!(A: Divides<Eight>, Divides<Six>);
assert_not_impl_any!(A: Divides<C>);
assert_impl_all!((A, B): SplitOf<C>, FactorsOf<Six>);
assert_impl_all!((A, Six): SplitOf<Eight>);
assert_not_impl_any!((A, B): SplitOf<Six>, FactorsOf<C>);

/// The cases of a convolution: output, input, kernel, stride, dilation, padding before and after.
macro_rules! convolution {
    ($check:ident; $($out:literal $input:literal $kernel:literal $stride:literal $dilation:literal $low:literal $high:literal;)*) => {$(
        $check!(N<$out>: ConvOut<N<$input>, N<$kernel>, N<$stride>, N<$dilation>, N<$low>, N<$high>>);
    )*};
}

convolution! { assert_impl_all;
    28 28 3 1 1 1 1;
    14 28 3 2 1 1 1;
    13 28 3 2 1 0 0;
    24 28 3 1 2 0 0;
    1 28 28 7 1 0 0;
    1 28 29 1 1 1 0;
}

convolution! { assert_not_impl_any;
    // One too few, one too many.
    27 28 3 1 1 1 1;
    29 28 3 1 1 1 1;
    12 28 3 2 1 0 0;
    14 28 3 2 1 0 0;
    // The kernel does not fit.
    1 28 29 1 1 0 0;
    1 28 15 1 2 0 0;
}
