//! The blocked kernel against three loops.

use proptest::prelude::*;

use super::*;
use crate::Rational;

/// A strided view that fits, with gaps and in either order of axes.
fn view(rows: usize, cols: usize) -> impl Strategy<Value = (View, usize)> {
    (0..3usize, 0..3usize, 0..5usize, any::<bool>()).prop_map(move |(inner, outer, offset, by_row)| {
        let near = 1 + inner;
        let (row_stride, col_stride) =
            if by_row { (near * cols.max(1) + outer, near) } else { (near, near * rows.max(1) + outer) };
        let reach = offset + rows.saturating_sub(1) * row_stride + cols.saturating_sub(1) * col_stride;
        (View { offset, row_stride, col_stride }, reach + 1)
    })
}

fn problem() -> impl Strategy<Value = (Extent, [(View, usize); 3], u64)> {
    (1..20usize, 0..20usize, 1..20usize).prop_flat_map(|(m, k, n)| {
        (view(m, n), view(m, k), view(k, n), any::<u64>())
            .prop_map(move |(to, left, right, seed)| (Extent { m, k, n }, [to, left, right], seed))
    })
}

/// Small integers, so that every order of additions gives the same float.
fn numbers(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed | 1;
    core::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 60) as f32) - 8.0
    })
    .take(len)
    .collect()
}

proptest! {
    #[test]
    fn the_kernel_agrees_with_three_loops((size, views, seed) in problem()) {
        let [(to, to_len), (left, left_len), (right, right_len)] = views;
        let lhs = numbers(seed, left_len);
        let rhs = numbers(seed ^ 0xABCD, right_len);
        // What lies between the elements of the view stays as it was.
        let mut expected = vec![77.0; to_len];
        let mut actual = expected.clone();
        plain(size, &mut expected, to, &lhs, left, &rhs, right);
        f32(size, &mut actual, to, &lhs, left, &rhs, right);
        prop_assert_eq!(&actual, &expected);

        let wide = |numbers: &[f32]| numbers.iter().map(|&number| f64::from(number)).collect::<Vec<_>>();
        let mut actual = vec![77.0_f64; to_len];
        f64(size, &mut actual, to, &wide(&lhs), left, &wide(&rhs), right);
        prop_assert_eq!(actual, wide(&expected));
    }

    #[test]
    fn a_view_outside_of_its_slice_never_reaches_the_kernel((size, views, seed) in problem(), short in 0..3usize) {
        let [(to, to_len), (left, left_len), (right, right_len)] = views;
        prop_assume!(size.k > 0);
        let cut = |which: usize, len: usize| if which == short { len - 1 } else { len };
        let lhs = numbers(seed, cut(1, left_len));
        let rhs = numbers(seed, cut(2, right_len));
        let mut dst = vec![0.0; cut(0, to_len)];
        let outcome = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            f32(size, &mut dst, to, &lhs, left, &rhs, right);
        }));
        // An index out of bounds in the plain loops, not a read beyond the slice.
        prop_assert!(outcome.is_err());
    }
}

#[test]
fn a_view_whose_reach_overflows_is_refused() {
    let huge = View { offset: 0, row_stride: usize::MAX, col_stride: 1 };
    let flat = View { offset: 0, row_stride: 10, col_stride: 1 };
    let size = Extent { m: 10, k: 10, n: 10 };
    let mut dst = vec![0.0_f32; 100];
    let operand = vec![0.0_f32; 100];
    let outcome = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        f32(size, &mut dst, flat, &operand, huge, &operand, flat);
    }));
    assert!(outcome.is_err());
}

#[test]
fn exact_rationals_multiply_matrices_exactly() {
    let third = Rational::from_ratio(1, 3);
    let lhs = vec![third; 4];
    let rhs = vec![Rational::from_ratio(3, 2); 4];
    let mut dst = vec![Rational::zero(); 4];
    Rational::gemm(2, 2, 2, &mut dst, 0, 2, 1, &lhs, 0, 2, 1, &rhs, 0, 2, 1);
    assert_eq!(dst, vec![Rational::one(); 4]);
}
