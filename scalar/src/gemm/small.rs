//! Small matrix products: loops along memory, without the packing that a blocked kernel needs.

use super::{Extent, View, plain};
use crate::Scalar;

/// Partial sums of a dot product. Their number is part of the order of its additions.
const PARTS: usize = 8;

/// `dst = lhs · rhs`, by the loops that run along memory where there are such.
///
/// | the right operand | what runs along memory |
/// | --- | --- |
/// | by rows, and the target too | rows of the right operand are added into a row of the target |
/// | by columns, and the left operand by rows | dot products |
/// | else | nothing: the plain loops |
pub(super) fn small<T: Scalar>(size: Extent, dst: &mut [T], to: View, lhs: &[T], left: View, rhs: &[T], right: View) {
    if size.k == 0 {
        return plain(size, dst, to, lhs, left, rhs, right);
    }
    if to.col_stride == 1 && right.col_stride == 1 {
        rows(size, dst, to, lhs, left, rhs, right);
    } else if left.col_stride == 1 && right.row_stride == 1 {
        dots(size, dst, to, lhs, left, rhs, right);
    } else {
        plain(size, dst, to, lhs, left, rhs, right);
    }
}

/// Four rows of the right operand at a time, so that the target is read and written a quarter as often.
fn rows<T: Scalar>(size: Extent, dst: &mut [T], to: View, lhs: &[T], left: View, rhs: &[T], right: View) {
    let Extent { m, k, n } = size;
    let of_right = |inner: usize| &rhs[right.at(inner, 0)..][..n];
    for row in 0..m {
        let out = &mut dst[to.at(row, 0)..][..n];
        let factor = |inner: usize| lhs[left.at(row, inner)].clone();
        let first = factor(0);
        for (out, r) in out.iter_mut().zip(of_right(0)) {
            *out = first.clone() * r.clone();
        }
        let mut inner = 1;
        while inner + 4 <= k {
            let f: [T; 4] = core::array::from_fn(|at| factor(inner + at));
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| of_right(inner + at));
            for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                let two = out.clone() + f[0].clone() * a.clone() + f[1].clone() * b.clone();
                *out = two + f[2].clone() * c.clone() + f[3].clone() * d.clone();
            }
            inner += 4;
        }
        for inner in inner..k {
            let f = factor(inner);
            out.iter_mut().zip(of_right(inner)).for_each(|(out, r)| out.accumulate(f.clone() * r.clone()));
        }
    }
}

fn dots<T: Scalar>(size: Extent, dst: &mut [T], to: View, lhs: &[T], left: View, rhs: &[T], right: View) {
    let Extent { m, k, n } = size;
    for row in 0..m {
        let a = &lhs[left.at(row, 0)..][..k];
        for col in 0..n {
            dst[to.at(row, col)] = dot(a, &rhs[right.at(0, col)..][..k]);
        }
    }
}

/// The sum of products, in partial sums that are added up at the end.
fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    let (a_blocks, b_blocks) = (a.chunks_exact(PARTS), b.chunks_exact(PARTS));
    let (a_rest, b_rest) = (a_blocks.remainder(), b_blocks.remainder());
    let products = a_rest.iter().zip(b_rest).map(|(a, b)| a.clone() * b.clone());
    let rest = products.reduce(|sum, product| sum + product);
    let mut parts: Option<[T; PARTS]> = None;
    for (a, b) in a_blocks.zip(b_blocks) {
        match &mut parts {
            None => parts = Some(core::array::from_fn(|at| a[at].clone() * b[at].clone())),
            Some(parts) => {
                for ((part, a), b) in parts.iter_mut().zip(a).zip(b) {
                    part.accumulate(a.clone() * b.clone());
                }
            }
        }
    }
    let whole = parts.map(|parts| {
        let [a, b, c, d, e, f, g, h] = parts;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    });
    match (whole, rest) {
        (Some(whole), Some(rest)) => whole + rest,
        (Some(sum), None) | (None, Some(sum)) => sum,
        (None, None) => T::zero(),
    }
}
