//! Bijections: reshape and permutation.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use crate::shape::{Dim, SameLength, Shape};
use crate::tensor::IndexError;

/// A one-to-one correspondence between the points of two shapes.
///
/// # Example
///
/// ```
/// use pullback::{Bijection, dims};
///
/// dims! { Row = 2; Col = 3; Flat = 6 }
/// let flat = Bijection::<(Row, Col), (Flat,)>::row_major();
/// assert!(flat.is_identity());
/// let swap = Bijection::<(Row, Col), (Col, Row)>::transpose();
/// assert_eq!(swap.at(1), 2);
/// assert_eq!(swap.inverse_at(2), 1);
/// ```
pub struct Bijection<From: Shape, To: Shape> {
    /// Nothing for the identity on flat indices, which then costs no memory and can be recognised at once.
    table: Option<Arc<Table>>,
    shapes: PhantomData<fn(From) -> To>,
}

/// Invariant: each is a permutation of the indices, and the two are inverse to each other.
#[derive(PartialEq, Eq)]
struct Table {
    forward: Box<[usize]>,
    inverse: Box<[usize]>,
}

impl<From: Shape, To: Shape> Bijection<From, To> {
    /// The bijection with the given entries, one for each point of the domain in row-major order.
    ///
    /// # Errors
    ///
    /// [`IndexError::Unequal`] where the shapes differ in length, [`IndexError::Length`] for another number of entries, [`IndexError::Range`] for an entry outside of the codomain, [`IndexError::Repeated`] where two points go to one.
    pub fn new(entries: Vec<usize>) -> Result<Self, IndexError> {
        if From::LEN != To::LEN {
            return Err(IndexError::Unequal {
                from: From::NAMES,
                from_size: From::LEN,
                to: To::NAMES,
                to_size: To::LEN,
            });
        }
        if entries.len() != From::LEN {
            return Err(IndexError::Length { from: From::NAMES, expected: From::LEN, found: entries.len() });
        }
        const UNSEEN: usize = usize::MAX;
        let mut inverse = vec![UNSEEN; To::LEN];
        for (at, &found) in entries.iter().enumerate() {
            let Some(place) = inverse.get_mut(found) else {
                return Err(IndexError::Range { to: To::NAMES, at, found, size: To::LEN });
            };
            if *place != UNSEEN {
                return Err(IndexError::Repeated { first: *place, second: at, found });
            }
            *place = at;
        }
        // Equally many points, none met twice: every place of the inverse was filled.
        let identity = entries.iter().enumerate().all(|(at, &entry)| at == entry);
        let table = (!identity).then(|| Arc::new(Table { forward: entries.into(), inverse: inverse.into() }));
        Ok(Bijection { table, shapes: PhantomData })
    }

    /// The bijection that a function describes, asked once for each point of the domain.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Bijection::new).
    pub fn from_fn(entry: impl FnMut(usize) -> usize) -> Result<Self, IndexError> {
        Self::new((0..From::LEN).map(entry).collect())
    }

    /// Takes the axes in another order: axis `i` of the codomain is axis `order[i]` of the domain.
    ///
    /// # Errors
    ///
    /// [`IndexError::Axes`] where `order` is not a permutation of the axes, or the axes so taken are not those of the codomain by name and size.
    pub fn permute(order: &[usize]) -> Result<Self, IndexError> {
        let rank = From::RANK;
        let mut seen = [false; 6];
        let mut listed = [0; 6];
        for (place, &axis) in listed.iter_mut().zip(order) {
            *place = axis;
        }
        let fault = IndexError::Axes { from: From::NAMES, to: To::NAMES, order: listed };
        if order.len() != rank || To::RANK != rank {
            return Err(fault);
        }
        for (new, &old) in order.iter().enumerate() {
            let agree = old < rank && From::NAMES[old] == To::NAMES[new] && From::SIZES[old] == To::SIZES[new];
            if !agree || core::mem::replace(&mut seen[old], true) {
                return Err(fault);
            }
        }
        // The distance in the codomain of two neighbours along each axis of the domain.
        let mut strides = [0; 6];
        let mut stride = 1;
        for (new, &old) in order.iter().enumerate().rev() {
            strides[old] = stride;
            stride *= To::SIZES[new];
        }
        Self::from_fn(|mut point| {
            let mut place = 0;
            for axis in (0..rank).rev() {
                place += point % From::SIZES[axis] * strides[axis];
                point /= From::SIZES[axis];
            }
            place
        })
    }

    /// Where a point of the domain goes.
    ///
    /// # Panics
    ///
    /// For a point outside of the domain, unless the bijection is the identity on flat indices.
    #[inline]
    #[must_use]
    pub fn at(&self, from: usize) -> usize {
        match &self.table {
            Some(table) => table.forward[from],
            None => from,
        }
    }

    /// Where a point of the codomain comes from.
    ///
    /// # Panics
    ///
    /// For a point outside of the codomain, unless the bijection is the identity on flat indices.
    #[inline]
    #[must_use]
    pub fn inverse_at(&self, to: usize) -> usize {
        match &self.table {
            Some(table) => table.inverse[to],
            None => to,
        }
    }

    /// Whether every point goes to the one with the same flat index, so that nothing need be moved.
    #[inline]
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.table.is_none()
    }

    /// The bijection read backwards.
    #[must_use]
    pub fn inverse(&self) -> Bijection<To, From> {
        let table = self
            .table
            .as_ref()
            .map(|table| Arc::new(Table { forward: table.inverse.clone(), inverse: table.forward.clone() }));
        Bijection { table, shapes: PhantomData }
    }
}

impl<From: Shape + SameLength<To>, To: Shape> Bijection<From, To> {
    /// Reshape: every point goes to the one with the same flat index. The lengths are compared while compiling.
    #[inline]
    #[must_use]
    pub fn row_major() -> Self {
        Bijection { table: None, shapes: PhantomData }
    }
}

impl<Row: Dim, Col: Dim> Bijection<(Row, Col), (Col, Row)> {
    /// The transpose of a matrix: `(row, col)` goes to `(col, row)`.
    #[must_use]
    pub fn transpose() -> Self {
        let forward =
            (0..Row::SIZE * Col::SIZE).map(|point| point % Col::SIZE * Row::SIZE + point / Col::SIZE).collect();
        let inverse =
            (0..Row::SIZE * Col::SIZE).map(|point| point % Row::SIZE * Col::SIZE + point / Row::SIZE).collect();
        // A row or a column is the same list either way.
        let identity = Row::SIZE == 1 || Col::SIZE == 1;
        let table = (!identity).then(|| Arc::new(Table { forward, inverse }));
        Bijection { table, shapes: PhantomData }
    }
}

impl<From: Shape, To: Shape> Clone for Bijection<From, To> {
    #[inline]
    fn clone(&self) -> Self {
        Bijection { table: self.table.clone(), shapes: PhantomData }
    }
}

impl<From: Shape, To: Shape> PartialEq for Bijection<From, To> {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}

impl<From: Shape, To: Shape> Eq for Bijection<From, To> {}

impl<From: Shape, To: Shape> fmt::Debug for Bijection<From, To> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Bijection({:?} -> {:?})", From::NAMES, To::NAMES)?;
        match &self.table {
            None => formatter.write_str("(row major)"),
            Some(table) => formatter.debug_list().entries(table.forward.iter()).finish(),
        }
    }
}
