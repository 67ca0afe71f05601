//! The matrix product of strided views, and the one place that calls unsafe code for it.
//!
//! Invariant: [`f32`] and [`f64`] call the kernel only after every address that it may touch was shown to lie in its slice.
//! A view that reaches outside takes the plain loops, which index safely.
#![allow(unsafe_code, reason = "the kernel takes raw pointers; every bound is checked here before the call")]

use crate::Scalar;

mod small;
#[cfg(test)]
mod tests;

/// Below this many multiplications the kernel's packing costs more than it gains.
const SMALL: usize = 512;

/// `m × k` times `k × n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
}

/// Where a matrix lies in its slice, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) offset: usize,
    pub(crate) row_stride: usize,
    pub(crate) col_stride: usize,
}

impl View {
    fn at(self, row: usize, col: usize) -> usize {
        self.offset + row * self.row_stride + col * self.col_stride
    }

    /// Whether every element of a `rows × cols` view lies in a slice of `len` elements, and whether the strides fit the kernel's signed ones.
    fn fits(self, rows: usize, cols: usize, len: usize) -> bool {
        let (Some(last_row), Some(last_col)) = (rows.checked_sub(1), cols.checked_sub(1)) else {
            // An empty view has no address; the plain loops handle it.
            return false;
        };
        let reach = last_row
            .checked_mul(self.row_stride)
            .and_then(|rows| last_col.checked_mul(self.col_stride).and_then(|cols| rows.checked_add(cols)))
            .and_then(|reach| reach.checked_add(self.offset));
        let strides_fit = isize::try_from(self.row_stride).is_ok() && isize::try_from(self.col_stride).is_ok();
        strides_fit && reach.is_some_and(|last| last < len)
    }

    /// Whether different elements of the view have different addresses, so that the order of writes cannot matter.
    fn is_injective(self, rows: usize, cols: usize) -> bool {
        let (narrow, wide) = if self.row_stride <= self.col_stride {
            ((self.row_stride, rows), (self.col_stride, cols))
        } else {
            ((self.col_stride, cols), (self.row_stride, rows))
        };
        // One axis steps over the whole reach of the other.
        (narrow.1 <= 1 || narrow.0 > 0) && (wide.1 <= 1 || wide.0 > narrow.0 * (narrow.1 - 1))
    }
}

/// Three loops, the innermost along the columns so that a row-major right operand is read in order.
#[inline]
pub(crate) fn plain<T: Scalar>(size: Extent, dst: &mut [T], to: View, lhs: &[T], left: View, rhs: &[T], right: View) {
    for row in 0..size.m {
        for col in 0..size.n {
            dst[to.at(row, col)] = T::zero();
        }
        for inner in 0..size.k {
            let factor = &lhs[left.at(row, inner)];
            for col in 0..size.n {
                dst[to.at(row, col)].accumulate(factor.clone() * rhs[right.at(inner, col)].clone());
            }
        }
    }
}

macro_rules! kernel {
    ($($float:ident)*) => {$(
        /// The matrix product by the blocked kernel, on one thread.
        #[inline]
        pub(crate) fn $float(
            size: Extent,
            dst: &mut [$float],
            to: View,
            lhs: &[$float],
            left: View,
            rhs: &[$float],
            right: View,
        ) {
            let Extent { m, k, n } = size;
            let large = m.saturating_mul(k).saturating_mul(n) >= SMALL;
            let sound = to.fits(m, n, dst.len())
                && left.fits(m, k, lhs.len())
                && right.fits(k, n, rhs.len())
                && to.is_injective(m, n);
            if !sound {
                return plain(size, dst, to, lhs, left, rhs, right);
            }
            if !large {
                return small::small(size, dst, to, lhs, left, rhs, right);
            }
            // SAFETY: `fits` showed that `offset + row·row_stride + col·col_stride` is below the length of the slice for every
            // row and column of each view, and that the strides fit `isize`; so every address the kernel forms lies in its slice.
            // `dst` is borrowed exclusively, hence apart from both operands, and its elements are distinct addresses.
            // `read_dst` is false: the kernel writes all of the view without reading it.
            unsafe {
                gemm::gemm(
                    m,
                    n,
                    k,
                    dst.as_mut_ptr().add(to.offset),
                    to.col_stride as isize,
                    to.row_stride as isize,
                    false,
                    lhs.as_ptr().add(left.offset),
                    left.col_stride as isize,
                    left.row_stride as isize,
                    rhs.as_ptr().add(right.offset),
                    right.col_stride as isize,
                    right.row_stride as isize,
                    0.0,
                    1.0,
                    false,
                    false,
                    false,
                    gemm::Parallelism::None,
                );
            }
        }
    )*};
}

kernel! { f32 f64 }
