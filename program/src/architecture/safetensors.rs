//! Parameters as safetensors files: names are paths, numbers little-endian.
//!
//! Single and double precision are written; half precision and `bfloat16` are read as well.
//! What is read may be widened, which is exact, and is never narrowed.
//! This module must never guess: a name that is missing, one that is not asked for, another shape or another type is an error.

use std::collections::BTreeSet;
use std::path::Path;

use ::safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};

use super::parameters::{Parameters, ParametersError, distinct};
use super::signature::Parameter;
use crate::operation::Shape;
use crate::whole;

/// The entry of the format's own.
const RESERVED: &str = "__metadata__";

/// Why a file and an architecture do not fit.
#[derive(Debug, thiserror::Error)]
pub enum SafetensorsError {
    /// No such file, or one that can't be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The bytes are no safetensors file.
    #[error("not a safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// Parameters that have no values, such as two of one path.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// A parameter that is called as the format calls its own entry.
    #[error("no parameter may be called `{RESERVED}` in a file: the format has that name for itself")]
    Reserved,
    /// A parameter that is not in the file.
    #[error("the file has no `{path}`, of shape {shape}")]
    Missing {
        /// The parameter.
        path: String,
        /// Its shape.
        shape: Shape,
    },
    /// A name in the file that is no parameter.
    #[error("the file has `{name}`, which the architecture has not")]
    Unexpected {
        /// The name.
        name: String,
    },
    /// A parameter of another shape.
    #[error("`{path}` has shape {found} in the file, the architecture has {expected}")]
    Shape {
        /// The parameter.
        path: String,
        /// The shape it must have.
        expected: Shape,
        /// The shape in the file.
        found: Shape,
    },
    /// A type that would have to be narrowed, or is no float.
    #[error("`{path}` has type {found} in the file; {wanted} is read from {readable}")]
    Dtype {
        /// The parameter.
        path: String,
        /// The type in the file.
        found: String,
        /// The type that is wanted.
        wanted: &'static str,
        /// The types that it is read from.
        readable: &'static str,
    },
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A float that files hold: `f32` or `f64`.
pub trait Element: Copy + sealed::Sealed {
    /// Its name in messages.
    #[doc(hidden)]
    const NAME: &'static str;
    /// The types that it is read from.
    #[doc(hidden)]
    const READABLE: &'static str;
    #[doc(hidden)]
    const DTYPE: Dtype;
    #[doc(hidden)]
    fn write(self, to: &mut Vec<u8>);
    /// The numbers in these bytes, or `None` where the type is not one of the readable.
    #[doc(hidden)]
    fn read(dtype: Dtype, bytes: &[u8]) -> Option<Vec<Self>>;
}

fn numbers<const K: usize, T>(bytes: &[u8], number: impl Fn([u8; K]) -> T) -> Vec<T> {
    let mut word = [0; K];
    bytes
        .chunks_exact(K)
        .map(|chunk| {
            word.copy_from_slice(chunk);
            number(word)
        })
        .collect()
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    const READABLE: &'static str = "f32, f16 and bf16";
    const DTYPE: Dtype = Dtype::F32;
    fn write(self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }
    fn read(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
        match dtype {
            Dtype::F32 => Some(numbers(bytes, f32::from_le_bytes)),
            Dtype::F16 => Some(numbers(bytes, |word| half(u16::from_le_bytes(word)))),
            Dtype::BF16 => Some(numbers(bytes, |word| f32::from_bits(u32::from(u16::from_le_bytes(word)) << 16))),
            _ => None,
        }
    }
}

impl Element for f64 {
    const NAME: &'static str = "f64";
    const READABLE: &'static str = "f64, f32, f16 and bf16";
    const DTYPE: Dtype = Dtype::F64;
    fn write(self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }
    fn read(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f64>> {
        match dtype {
            Dtype::F64 => Some(numbers(bytes, f64::from_le_bytes)),
            _ => Some(f32::read(dtype, bytes)?.into_iter().map(f64::from).collect()),
        }
    }
}

/// The value of a number in half precision (IEEE 754 binary16), which single precision has exactly.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        // Subnormal: so many times 2^-24.
        0 => f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

impl<T: Element> Parameters<T> {
    /// The bytes of a file. Equal parameters give equal bytes.
    ///
    /// # Errors
    ///
    /// [`SafetensorsError::Reserved`] for a parameter called `__metadata__`; [`SafetensorsError::Format`] for others that the format can't hold.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, SafetensorsError> {
        if self.get(RESERVED).is_some() {
            return Err(SafetensorsError::Reserved);
        }
        let mut bytes = Vec::new();
        for (_, values) in self.iter() {
            let mut these = Vec::with_capacity(values.len() * 8);
            values.iter().for_each(|x| x.write(&mut these));
            bytes.push(these);
        }
        let mut views = Vec::new();
        for ((parameter, _), bytes) in self.iter().zip(&bytes) {
            let view = TensorView::new(T::DTYPE, parameter.shape.sizes().to_vec(), bytes)?;
            views.push((parameter.path.clone(), view));
        }
        let bytes = serialize(views, None)?;
        // What would not be read is not written, such as names past the limits of a header.
        SafeTensors::read_metadata(&bytes)?;
        Ok(bytes)
    }

    /// The parameters in the bytes of a file.
    ///
    /// # Errors
    ///
    /// [`SafetensorsError`] for bytes of another form, and for a parameter that is missing, unexpected, of another shape or of another type.
    pub fn from_safetensors(bytes: &[u8], parameters: &[Parameter]) -> Result<Self, SafetensorsError> {
        distinct(parameters)?;
        let file = SafeTensors::deserialize(bytes)?;
        let mut names: BTreeSet<&str> = file.names().into_iter().collect();
        let mut values = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let path = || parameter.path.clone();
            if !names.remove(parameter.path.as_str()) {
                return Err(SafetensorsError::Missing { path: path(), shape: parameter.shape.clone() });
            }
            let view = file.tensor(&parameter.path)?;
            if view.shape() != parameter.shape.sizes() {
                let (expected, found) = (parameter.shape.clone(), Shape::new(view.shape()));
                return Err(SafetensorsError::Shape { path: path(), expected, found });
            }
            let read = T::read(view.dtype(), view.data());
            values.push(read.ok_or_else(|| SafetensorsError::Dtype {
                path: path(),
                found: format!("{:?}", view.dtype()).to_lowercase(),
                wanted: T::NAME,
                readable: T::READABLE,
            })?);
        }
        match names.first() {
            Some(name) => Err(SafetensorsError::Unexpected { name: (*name).to_owned() }),
            None => Ok(Parameters::of(parameters, values)),
        }
    }

    /// Writes a file: all of it, or none, and then one that was there is as it was.
    ///
    /// # Errors
    ///
    /// As [`to_safetensors`](Parameters::to_safetensors), and [`SafetensorsError::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SafetensorsError> {
        let bytes = self.to_safetensors()?;
        whole::replace(path.as_ref(), &bytes).map_err(|error| io(path.as_ref(), error))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// As [`from_safetensors`](Parameters::from_safetensors), and [`SafetensorsError::Io`].
    pub fn load(path: impl AsRef<Path>, parameters: &[Parameter]) -> Result<Self, SafetensorsError> {
        let bytes = std::fs::read(&path).map_err(|error| io(path.as_ref(), error))?;
        Self::from_safetensors(&bytes, parameters)
    }
}

fn io(path: &Path, error: std::io::Error) -> SafetensorsError {
    SafetensorsError::Io { path: path.display().to_string(), error }
}
