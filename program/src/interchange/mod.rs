//! Programs, and arrays for their inputs and outputs, as JSON.
//!
//! | file | what it says |
//! | --- | --- |
//! | `read`, `write` | a document, and its layout |
//! | `arrays` | arrays by name |
//! | `number` | one number: exact or a float |
//! | `scalar` | numbers of a document as those of an evaluation |
//! | `strict` | objects are objects, never lists |
//! | `schema` | the published schema |
//!
//! A document is what [`Draft`](crate::Draft) holds, after `"version": 1`; the types of a draft are the types of the form, and its schema is made from them.
//! What is read becomes a draft and then a program by [`Draft::verify`](crate::Draft::verify): nothing else looks at it before.
//! Written text is a function of the program alone: reading and writing it again gives the same bytes.
//!
//! A number is a JSON string, `"-3/4"` or `"7"`, for an exact rational in lowest terms, or a JSON number for a float.
//! So `7` and `"7"` differ: the first is the float 7, the second the integer.
//!
//! A mark of the encoding (U+FEFF) before a document is no part of it, as in the language of statements.
//!
//! This module must never be lenient: unknown fields, keys that come twice and unknown versions are refused with their place.

mod arrays;
mod choice;
mod error;
mod number;
mod read;
mod scalar;
mod schema;
mod strict;
mod write;

pub use arrays::{Arrays, ArraysError};
pub use error::JsonError;
pub use number::{DIGITS, NumberError, exact as number};
pub(crate) use read::{document, given, stream, unmarked};
pub use scalar::Scalar;
pub(crate) use schema::published;
pub use schema::schema;

/// The version of the form that is written, and the only one that is read.
pub const VERSION: u64 = 1;
