//! Values of parameters, by path.

use std::collections::HashSet;

use super::signature::Parameter;
use crate::operation::Shape;

/// Why values do not fit the parameters of an architecture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParametersError {
    /// Another number of arrays.
    #[error("{found} arrays are given, there are {expected} parameters")]
    Count {
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An array of another length than its shape.
    #[error("the array for `{path}` has {found} elements, shape {shape} has {}", .shape.elements())]
    Length {
        /// The parameter.
        path: String,
        /// Its shape.
        shape: Shape,
        /// How many elements there are.
        found: usize,
    },
    /// Two parameters of one path.
    #[error("`{path}` comes twice among the parameters; each has a path of its own")]
    Twice {
        /// The path.
        path: String,
    },
    /// Parameters with more numbers than there may be.
    #[error("the parameters have more than {limit} numbers together", limit = usize::MAX)]
    Large,
    /// A flat list of another length.
    #[error("{found} numbers are given, the parameters have {expected} together")]
    Flat {
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

/// A value for each parameter and initial state, in the order of the signature: the inputs of the program after the data.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters<T> {
    entries: Vec<(Parameter, Vec<T>)>,
}

impl<T: Clone> Parameters<T> {
    /// Values in the order of the parameters.
    ///
    /// # Errors
    ///
    /// [`ParametersError`] for another number of arrays, one of another length, or a path that comes twice.
    pub fn new(parameters: &[Parameter], values: Vec<Vec<T>>) -> Result<Self, ParametersError> {
        if parameters.len() != values.len() {
            return Err(ParametersError::Count { expected: parameters.len(), found: values.len() });
        }
        for (parameter, values) in parameters.iter().zip(&values) {
            if parameter.shape.elements() != values.len() {
                let (path, shape) = (parameter.path.clone(), parameter.shape.clone());
                return Err(ParametersError::Length { path, shape, found: values.len() });
            }
        }
        distinct(parameters)?;
        Ok(Self::of(parameters, values))
    }

    /// Values that are known to fit, of parameters whose paths differ.
    pub(super) fn of(parameters: &[Parameter], values: Vec<Vec<T>>) -> Self {
        Parameters { entries: parameters.iter().cloned().zip(values).collect() }
    }

    /// Values from one list, as [`flatten`](Parameters::flatten) gives it.
    ///
    /// # Errors
    ///
    /// [`ParametersError::Flat`] for a list of another length, [`ParametersError::Twice`] for a path that comes twice, [`ParametersError::Large`] for shapes past any list.
    pub fn restore(parameters: &[Parameter], flat: &[T]) -> Result<Self, ParametersError> {
        let sum = |sum: usize, p: &Parameter| sum.checked_add(p.shape.checked_len()?);
        let expected = parameters.iter().try_fold(0, sum).ok_or(ParametersError::Large)?;
        distinct(parameters)?;
        if flat.len() != expected {
            return Err(ParametersError::Flat { expected, found: flat.len() });
        }
        let mut rest = flat;
        let mut values = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let (these, after) = rest.split_at(parameter.shape.elements());
            values.push(these.to_vec());
            rest = after;
        }
        Ok(Self::of(parameters, values))
    }

    /// All numbers in one list, parameter by parameter.
    pub fn flatten(&self) -> Vec<T> {
        self.entries.iter().flat_map(|(_, values)| values).cloned().collect()
    }

    /// The values of a parameter, in row-major order.
    pub fn get(&self, path: &str) -> Option<&[T]> {
        self.entries.iter().find(|(p, _)| p.path == path).map(|(_, values)| &values[..])
    }

    /// The values of a parameter, to change.
    pub fn get_mut(&mut self, path: &str) -> Option<&mut [T]> {
        self.entries.iter_mut().find(|(p, _)| p.path == path).map(|(_, values)| &mut values[..])
    }

    /// The parameters with their values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Parameter, &[T])> {
        self.entries.iter().map(|(parameter, values)| (parameter, &values[..]))
    }

    /// The arrays alone, in order.
    pub fn into_arrays(self) -> Vec<Vec<T>> {
        self.entries.into_iter().map(|(_, values)| values).collect()
    }

    /// The same parameters with each number mapped.
    pub fn map<U>(&self, number: impl Fn(&T) -> U) -> Parameters<U> {
        let entries = self.entries.iter().map(|(p, values)| (p.clone(), values.iter().map(&number).collect()));
        Parameters { entries: entries.collect() }
    }
}

/// Names are keys, here and in files.
pub(super) fn distinct(parameters: &[Parameter]) -> Result<(), ParametersError> {
    let mut known = HashSet::new();
    match parameters.iter().find(|p| !known.insert(p.path.as_str())) {
        Some(p) => Err(ParametersError::Twice { path: p.path.clone() }),
        None => Ok(()),
    }
}
