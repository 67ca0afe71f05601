//! One contract and its statement at the same point.

use pullback::{
    Bijection, Contract, Cotangent, Dim, Dual, IndexMap, Over, PartialMap, Rational, Scalar, Shape, Symbolic, Tensor,
};
use pullback_kernel::eval::{self, Forward, Interval, Number, Point};
use pullback_kernel::statement::{DimId, MapKind, Statement};
use pullback_kernel::{domain, load};
use pullback_program::Operation;
use pullback_program::running::Running;

/// Data that is the same for the contract and for the evaluator: a function of the position and of a seed.
pub(crate) fn total(point: usize, seed: usize, to: usize) -> usize {
    (point * 7 + seed * 3 + 1) % to
}
pub(crate) fn partial(point: usize, seed: usize, to: usize) -> Option<usize> {
    let place = (point * 5 + seed + 2) % (to + 1);
    (place < to).then_some(place)
}
pub(crate) fn bijective(point: usize, to: usize) -> usize {
    (point + 1) % to
}
/// Numbers of both signs, or positive ones, none repeated soon.
fn number(at: usize, positive: bool) -> (i64, i64) {
    let n = (at as i64 * 37 + 11) % 101;
    if positive { (n + 8, 64) } else { (2 * n - 101, 64) }
}

/// An argument of a constructor.
pub(crate) trait Sample {
    fn sample(at: usize, positive: bool) -> Self;
}
impl<F: Shape, T: Shape> Sample for IndexMap<F, T> {
    fn sample(at: usize, _: bool) -> Self {
        IndexMap::from_fn(|i| total(i, at, T::LEN)).unwrap()
    }
}
impl<F: Shape, T: Shape> Sample for PartialMap<F, T> {
    fn sample(at: usize, _: bool) -> Self {
        PartialMap::from_fn(|i| partial(i, at, T::LEN)).unwrap()
    }
}
impl<F: Shape, T: Shape> Sample for Bijection<F, T> {
    fn sample(_: usize, _: bool) -> Self {
        Bijection::from_fn(|i| bijective(i, T::LEN)).unwrap()
    }
}
impl Sample for f64 {
    fn sample(at: usize, _: bool) -> Self {
        let (n, d) = number(at + 1000, true);
        Scalar::from_ratio(n, d)
    }
}
impl Sample for Rational {
    fn sample(at: usize, _: bool) -> Self {
        let (n, d) = number(at + 1000, true);
        Scalar::from_ratio(n, d)
    }
}
impl<S: Shape, T: Scalar> Sample for Tensor<S, T> {
    fn sample(at: usize, positive: bool) -> Self {
        Tensor::from_fn(|i| {
            let (n, d) = number(at * 50 + i, positive);
            T::from_ratio(n, d)
        })
    }
}

/// A scalar and what the evaluator computes with in its place.
pub(crate) trait Compared: Scalar {
    type Reference: Number + PartialEq + std::fmt::Debug;
    fn agrees(&self, reference: &Self::Reference) -> bool;
    /// An input or a cotangent.
    fn given((n, d): (i64, i64)) -> Self {
        Self::from_ratio(n, d)
    }
    /// The same for the evaluator.
    fn reference((n, d): (i64, i64)) -> Self::Reference {
        Self::Reference::rational(&pullback_kernel::Rational::new(n.into(), d.into()))
    }
}
/// The tangent of a dual number that is given: some number that is not its value.
fn tangent((n, d): (i64, i64)) -> (i64, i64) {
    ((n * 5 + 3) % 17 - 8, d)
}
impl Compared for Dual<Rational> {
    type Reference = eval::Dual<pullback_kernel::Rational>;
    fn agrees(&self, reference: &Self::Reference) -> bool {
        self.value == reference.value && self.tangent == reference.tangent
    }
    fn given(value: (i64, i64)) -> Self {
        Dual::new(Rational::given(value), Rational::given(tangent(value)))
    }
    fn reference(value: (i64, i64)) -> Self::Reference {
        eval::Dual { value: Rational::reference(value), tangent: Rational::reference(tangent(value)) }
    }
}
/// What running error analysis allows doubles, as much coarser as singles are.
impl Compared for f32 {
    type Reference = Running;
    fn agrees(&self, reference: &Running) -> bool {
        let coarser = f64::from(f32::EPSILON) / f64::EPSILON;
        (f64::from(*self) - reference.value).abs() <= coarser * reference.apart()
    }
}
impl Compared for Rational {
    type Reference = pullback_kernel::Rational;
    fn agrees(&self, reference: &Self::Reference) -> bool {
        self == reference
    }
}
impl Compared for f64 {
    type Reference = Interval;
    fn agrees(&self, reference: &Interval) -> bool {
        let slack = 1e-9 * (1.0 + self.abs());
        reference.low - slack <= *self && *self <= reference.high + slack
    }
}

pub(crate) fn statement(name: &str) -> Statement {
    let (_, text) =
        pullback::ops::STATEMENTS.iter().find(|(path, _)| path.ends_with(&format!("/{name}.contract"))).unwrap();
    let (mut statements, diagnostics) = load(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let statement = statements.remove(0);
    if statement.gradients().is_none() { statement.with_derived_rule() } else { statement }
}

/// Whether a statement is only defined for positive inputs, so that those are tried.
pub(crate) fn positive(statement: &Statement) -> bool {
    !domain(statement).is_empty()
}

/// Runs both and compares every output and every gradient.
pub(crate) fn agree<T, C>(name: &str, contract: &C, sizes: &[usize])
where
    T: Compared,
    C: Symbolic,
    C::Input: Over<T>,
    C::Output: Over<T>,
{
    agree_with::<T, C>(&statement(name), contract, applied(contract), sizes);
}

/// What a program would apply.
pub(crate) fn applied<C: Symbolic>(contract: &C) -> Option<Operation> {
    Some(contract.operation().unwrap())
}

/// The same for scalars that no program has in it.
pub(crate) fn none<C>(_: &C) -> Option<Operation> {
    None
}

/// The same for any statement, and what a program would apply, if one can.
pub(crate) fn agree_with<T, C>(statement: &Statement, contract: &C, operation: Option<Operation>, sizes: &[usize])
where
    T: Compared,
    C: Contract,
    C::Input: Over<T>,
    C::Output: Over<T>,
{
    let name = &statement.name().text;
    let positive = positive(statement);
    let rational = |(n, d): (i64, i64)| T::Reference::rational(&pullback_kernel::Rational::new(n.into(), d.into()));
    let length = |axes: &[DimId]| axes.iter().map(|d| sizes[d.0 as usize]).product::<usize>();
    let mut argument = 0;
    let mut maps = vec![];
    for map in statement.maps() {
        let (from, to) = (length(&map.from), sizes[map.to.0 as usize]);
        if let MapKind::Part { split, part } = map.kind {
            let parts = &statement.splits()[split as usize].parts[..part as usize];
            let before: usize = parts.iter().map(|m| sizes[statement.maps()[m.0 as usize].from[0].0 as usize]).sum();
            maps.push((0..from).map(|i| Some(before + i)).collect());
            continue;
        }
        maps.push(
            (0..from)
                .map(|i| match map.kind {
                    MapKind::Total => Some(total(i, argument, to)),
                    MapKind::Partial => partial(i, argument, to),
                    MapKind::Bijection | MapKind::Part { .. } => Some(bijective(i, to)),
                })
                .collect(),
        );
        argument += 1;
    }
    let params = statement.params().iter().map(|_| {
        argument += 1;
        rational(number(argument - 1 + 1000, true))
    });
    let params = params.collect();
    let constants = statement
        .constants()
        .iter()
        .map(|t| {
            argument += 1;
            (0..length(&t.axes)).map(|i| rational(number((argument - 1) * 50 + i, positive))).collect()
        })
        .collect();
    let mut at = 7000;
    let mut take = |positive: bool| {
        at += 1;
        number(at, positive)
    };
    let input: Vec<Vec<(i64, i64)>> =
        statement.inputs().iter().map(|t| (0..length(&t.axes)).map(|_| take(positive)).collect()).collect();
    let seed: Vec<Vec<(i64, i64)>> =
        statement.outputs().iter().map(|o| (0..length(&o.tensor.axes)).map(|_| take(false)).collect()).collect();

    let flat = |data: &[Vec<(i64, i64)>]| data.concat().into_iter().map(T::given).collect::<Vec<T>>();
    let (output, residual) =
        contract.forward(C::Input::from_coordinates(&mut flat(&input).into_iter()).unwrap()).unwrap();
    let gradient = contract
        .pullback(&residual, Cotangent::new(C::Output::from_coordinates(&mut flat(&seed).into_iter()).unwrap()));

    let point = Point {
        sizes: sizes.to_vec(),
        maps,
        params,
        constants,
        inputs: input.iter().map(|t| t.iter().copied().map(T::reference).collect()).collect(),
    };
    // What a program would apply is the statement with the same data.
    if let Some(operation) = operation {
        assert_eq!(&operation.statement().name().text, name);
        assert_eq!(operation.point(point.inputs.clone()), point, "{name}: the data in a program");
    }
    let values: Forward<T::Reference> = eval::forward(statement, &point).unwrap();
    let cotangents: Vec<Vec<T::Reference>> =
        seed.iter().map(|t| t.iter().copied().map(T::reference).collect()).collect();
    let gradients = eval::backward(statement, &point, &values, &cotangents).unwrap();
    compare(name, "output", &output.coordinates(), &values.outputs.concat());
    compare(name, "gradient", &gradient.into_inner().coordinates(), &gradients.concat());
}

fn compare<T: Compared>(name: &str, what: &str, computed: &[T], reference: &[T::Reference]) {
    assert_eq!(computed.len(), reference.len(), "{name}: number of {what} coordinates");
    for (i, (a, b)) in computed.iter().zip(reference).enumerate() {
        assert!(a.agrees(b), "{name}: {what} at {i} is {a:?}, the statement says {b:?}");
    }
}

/// The length of an axis or of a pack of them.
pub(crate) trait Length {
    const LENGTH: usize;
}
macro_rules! packs {
    ($($($axis:ident)*;)*) => {$(
        impl<$($axis: Dim),*> Length for ($($axis,)*) {
            const LENGTH: usize = <($($axis,)*) as Shape>::LEN;
        }
    )*};
}
packs! { ; A; A B; A B C; }
impl<const SIZE: usize> Length for pullback::N<SIZE> {
    const LENGTH: usize = SIZE;
}
