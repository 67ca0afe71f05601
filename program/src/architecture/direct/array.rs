//! Arrays that are read by multi-index.

use pullback_kernel::eval::EvalError;

/// Elements in row-major order.
#[derive(Clone, Debug)]
pub(super) struct Array<N> {
    pub(super) sizes: Vec<usize>,
    pub(super) data: Vec<N>,
}

impl<N: Clone> Array<N> {
    /// The element at each index.
    pub(super) fn build(
        sizes: &[usize],
        mut element: impl FnMut(&[usize]) -> Result<N, EvalError>,
    ) -> Result<Array<N>, EvalError> {
        let mut data = Vec::with_capacity(sizes.iter().product());
        for flat in 0..sizes.iter().product() {
            data.push(element(&unflatten(sizes, flat))?);
        }
        Ok(Array { sizes: sizes.to_vec(), data })
    }

    /// The element at an index.
    pub(super) fn at(&self, index: &[usize]) -> &N {
        &self.data[index.iter().zip(&self.sizes).fold(0, |flat, (i, size)| flat * size + i)]
    }
}

/// The index of a flat position.
pub(super) fn unflatten(sizes: &[usize], flat: usize) -> Vec<usize> {
    let mut rest = flat;
    let mut index = vec![0; sizes.len()];
    for axis in (0..sizes.len()).rev() {
        index[axis] = rest % sizes[axis];
        rest /= sizes[axis];
    }
    index
}

/// Every index within these sizes.
pub(super) fn every(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let sizes = sizes.to_vec();
    (0..sizes.iter().product()).map(move |flat| unflatten(&sizes, flat))
}
