//! Parameters with their paths and roles: initialised, flattened, restored.

use core::marker::PhantomData;

use pullback_program::Number;
use pullback_program::architecture::{Architecture, Initializers, Layer, Parameter, Parameters, Role};

use crate::program::{Evaluable, Path, Traced};
use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::space::Over;
use crate::tensor::Tensor;

/// A space of parameters: every tensor has a path, and a role that initialisers go by.
///
/// Layers have it, and so has what is made of them: tuples, arrays, and structs with `#[derive(Space)]`.
/// A tensor of no layer has the role [`Role::Free`].
pub trait Parametric: Traced {
    /// Shows every tensor, in order.
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter));
}

/// The parameters of a space, in the order of its coordinates.
///
/// # Example
///
/// ```
/// use pullback::layers::{Dense, parameters};
/// use pullback::{Space, dims};
///
/// dims! { Features = 3; Hidden = 2 }
/// #[derive(Clone, Debug, Space)]
/// struct Model {
///     layers: [Dense<Features, Hidden>; 1],
/// }
/// let paths: Vec<String> = parameters::<Model>().into_iter().map(|p| p.path).collect();
/// assert_eq!(paths, ["layers.0.weight", "layers.0.bias"]);
/// ```
#[must_use]
pub fn parameters<P: Parametric>() -> Vec<Parameter> {
    let mut all = Vec::new();
    P::describe(&mut Path::default(), &mut |parameter| all.push(parameter));
    all
}

/// Parameters drawn under a key: the same for the same key and paths, on every machine and for ever.
///
/// A tensor of no layer is drawn by [`Initializers::free`], which is zeros where nothing else is said: weights of one's own need another.
///
/// # Example
///
/// ```
/// use pullback::layers::{Dense, Initializer, Initializers, initialize};
/// use pullback::dims;
///
/// dims! { Features = 3; Hidden = 2 }
/// let he = Initializers { weight: Initializer::HeNormal, ..Initializers::default() };
/// let layer: Dense<Features, Hidden> = initialize(7, &he);
/// assert_eq!(layer.bias.to_vec(), [0.0, 0.0]);
/// assert_ne!(layer.weight.as_slice()[0], layer.weight.as_slice()[1]);
/// ```
#[must_use]
pub fn initialize<P: Parametric + Over<T>, T: Evaluable>(key: u64, by: &Initializers) -> P {
    let mut numbers = Vec::with_capacity(P::DIMENSION);
    P::describe(&mut Path::default(), &mut |parameter| {
        let values = by.of(parameter.role).values(key, &parameter);
        numbers.extend(values.into_iter().map(|value| T::from_number(T::Number::float(value))));
    });
    // Every tensor was shown once, so there are as many numbers as coordinates.
    P::from_coordinates(&mut numbers.into_iter()).unwrap_or_else(P::zero)
}

/// The values of parameters with their paths, to be looked up, written and restored.
///
/// # Example
///
/// ```
/// use pullback::layers::{Dense, flatten, initialize, restore};
/// use pullback::dims;
///
/// dims! { Features = 3; Hidden = 2 }
/// let layer: Dense<Features, Hidden> = initialize(7, &Default::default());
/// let mut values = flatten(&layer);
/// values.get_mut("bias").unwrap()[1] = 0.5;
/// let changed: Dense<Features, Hidden> = restore(&values)?;
/// assert_eq!(changed.bias.to_vec(), [0.0, 0.5]);
/// # Ok::<(), pullback::layers::RestoreError>(())
/// ```
#[must_use]
pub fn flatten<P: Parametric + Over<T>, T: Scalar>(point: &P) -> Parameters<T> {
    let described = parameters::<P>();
    let coordinates = point.coordinates();
    // The coordinates are those of the tensors, in the same order.
    Parameters::restore(&described, &coordinates)
        .unwrap_or_else(|_| unreachable!("a space has the coordinates of its tensors"))
}

/// Why values do not fit a space of parameters.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RestoreError {
    /// A parameter that is not among the values.
    #[error("there is no `{path}`, of shape {shape}")]
    Missing {
        /// The parameter.
        path: String,
        /// Its shape.
        shape: pullback_program::Shape,
    },
    /// A value for no parameter.
    #[error("there is `{path}`, which is no parameter of the type")]
    Unexpected {
        /// The path.
        path: String,
    },
    /// A value of another shape.
    #[error("`{path}` has shape {found}, the type has {expected}")]
    Shape {
        /// The parameter.
        path: String,
        /// The shape that it must have.
        expected: pullback_program::Shape,
        /// The shape that it has.
        found: pullback_program::Shape,
    },
}

/// The point with these values, found by their paths.
///
/// # Errors
///
/// [`RestoreError`] for a parameter without a value, a value without a parameter, and a value of another shape.
pub fn restore<P: Parametric + Over<T>, T: Scalar>(values: &Parameters<T>) -> Result<P, RestoreError> {
    let described = parameters::<P>();
    if let Some((unexpected, _)) = values.iter().find(|(p, _)| described.iter().all(|d| d.path != p.path)) {
        return Err(RestoreError::Unexpected { path: unexpected.path.clone() });
    }
    let mut numbers = Vec::with_capacity(P::DIMENSION);
    for Parameter { path, shape, .. } in described {
        let Some((found, array)) = values.iter().find(|(p, _)| p.path == path) else {
            return Err(RestoreError::Missing { path, shape });
        };
        if found.shape != shape {
            return Err(RestoreError::Shape { path, expected: shape, found: found.shape.clone() });
        }
        numbers.extend_from_slice(array);
    }
    Ok(P::from_coordinates(&mut numbers.into_iter()).unwrap_or_else(P::zero))
}

/// The parameters of a layer of the grammar, with the roles that they have there.
///
/// `inputs` are the smallest arrays that the layer can be applied to: its parameters do not depend on more.
pub(super) fn of_layer<P: Traced>(
    inputs: &[&[usize]],
    layer: Layer,
    path: &mut Path,
    visit: &mut dyn FnMut(Parameter),
) {
    let inputs = inputs.iter().map(|sizes| sizes.to_vec()).collect();
    let known = Architecture { inputs, layer }.verify().map(|signature| signature.parameters).unwrap_or_default();
    let mut roles = Vec::new();
    P::ports(&mut Path::default(), &mut |port| {
        roles.push(known.iter().find(|p| p.path == port.name).map_or(Role::Free, |p| p.role));
    });
    let mut roles = roles.into_iter();
    P::ports(path, &mut |port| {
        let (path, shape) = (port.name.to_owned(), pullback_program::Shape::new(port.sizes));
        visit(Parameter { path, shape, role: roles.next().unwrap_or(Role::Free) });
    });
}

impl<S: Shape, T: Scalar> Parametric for Tensor<S, T> {
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
        let shape = pullback_program::Shape::new(S::SIZES);
        visit(Parameter { path: path.as_str().to_owned(), shape, role: Role::Free });
    }
}

impl Parametric for () {
    fn describe(_: &mut Path, _: &mut dyn FnMut(Parameter)) {}
}

impl<A: Send + Sync + 'static> Parametric for PhantomData<A> {
    fn describe(_: &mut Path, _: &mut dyn FnMut(Parameter)) {}
}

impl<A: Parametric, const SIZE: usize> Parametric for [A; SIZE] {
    fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
        for place in 0..SIZE {
            path.within(&place, |path| A::describe(path, visit));
        }
    }
}

/// Fragments: each part and its place. Example: `tuple! { A 0, B 1 }` is for `(A, B)`.
macro_rules! tuple {
    ($($part:ident $place:tt),*) => {
        impl<$($part: Parametric),*> Parametric for ($($part,)*) {
            fn describe(path: &mut Path, visit: &mut dyn FnMut(Parameter)) {
                $(path.within(&$place, |path| $part::describe(path, visit));)*
            }
        }
    };
}

tuple! { A 0 }
tuple! { A 0, B 1 }
tuple! { A 0, B 1, C 2 }
tuple! { A 0, B 1, C 2, D 3 }
tuple! { A 0, B 1, C 2, D 3, E 4 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6 }
tuple! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7 }
