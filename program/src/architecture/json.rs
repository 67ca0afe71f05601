//! Architectures as JSON documents: `{"version": 1, "inputs": [[32, 5]], "layer": {"dense": {"features": 3, "bias": true}}}`.
//!
//! The form is that of the types, and `docs/architecture.schema.json` is made from them.
//! Reading is as strict as that of programs: unknown fields, keys that come twice and unknown versions are refused with their place.
//! This module must never verify: a document may hold an architecture that does not fit together, which [`Architecture::verify`] says.

use std::io::Read;

use serde::Serialize;
use serde_json::Value;

use super::Architecture;
use crate::interchange::{JsonError, VERSION, document, published, stream, unmarked};

/// What an architecture is called in messages.
const WHAT: &str = "an architecture";

/// A document, in the order of its fields.
#[derive(Serialize)]
struct Document<'a> {
    version: u64,
    #[serde(flatten)]
    architecture: &'a Architecture,
}

impl Architecture {
    /// The architecture of a document; whether it fits together is for [`verify`](Architecture::verify).
    ///
    /// # Errors
    ///
    /// [`JsonError`] with line and column. Layers that stand in one another deeper than the reader goes are a [`JsonError::Syntax`].
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::architecture::{Activation, Architecture, Layer};
    ///
    /// let text = r#"{"version": 1, "inputs": [[2, 3]], "layer": {"activation": "tanh"}}"#;
    /// let read = Architecture::from_json(text)?;
    /// assert_eq!(read, Architecture::new(&[2, 3], Layer::Activation(Activation::Tanh)));
    /// assert_eq!(Architecture::from_json(&read.to_json()?)?, read);
    /// # Ok::<(), pullback_program::interchange::JsonError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Architecture, JsonError> {
        document(WHAT, &mut serde_json::Deserializer::from_str(unmarked(text)))
    }

    /// As [`from_json`](Architecture::from_json), from a stream.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Architecture::from_json); [`JsonError::Io`] from the stream.
    pub fn read_json(from: impl Read) -> Result<Architecture, JsonError> {
        document(WHAT, &mut serde_json::Deserializer::from_reader(stream(from)?))
    }

    /// The architecture as a document, which reads back as it is.
    ///
    /// # Errors
    ///
    /// [`JsonError::Unwritable`] for what no document may hold: layers in one another deeper than the reader goes, an exact number of more than [`DIGITS`](crate::interchange::DIGITS) digits, a float that is not finite.
    pub fn to_json(&self) -> Result<String, JsonError> {
        let document = Document { version: VERSION, architecture: self };
        let unwritable = |error: String| JsonError::Unwritable(error);
        let mut text = serde_json::to_string_pretty(&document).map_err(|error| unwritable(error.to_string()))?;
        text.push('\n');
        match Architecture::from_json(&text) {
            Ok(_) => Ok(text),
            Err(error) => Err(unwritable(format!("it would not be read again: {error}"))),
        }
    }
}

/// The JSON Schema (draft 2020-12) of an architecture, made from the types that are read.
///
/// A document that it admits may still not fit together: sizes and shapes are for [`Architecture::verify`].
pub fn schema() -> Value {
    published::<Architecture>(
        "Architecture",
        "A pullback architecture: a layer, with the sizes of what it is applied to.",
    )
}
