//! Reading a document.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::strict::Strict;
use super::{JsonError, VERSION};
use crate::operation::Limits;
use crate::program::{Draft, DynProgram};

/// An optional field that is there: `null` is not the same as nothing.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl Draft {
    /// The draft of a document.
    ///
    /// # Errors
    ///
    /// [`JsonError`] with line and column; what the draft says is not looked at: that is for [`Draft::verify`].
    pub fn from_json(text: &str) -> Result<Draft, JsonError> {
        whole(&mut serde_json::Deserializer::from_str(unmarked(text)))
    }

    /// As [`from_json`](Draft::from_json), from a stream, of which only the draft is kept.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Draft::from_json); [`JsonError::Io`] from the stream.
    pub fn read_json(from: impl Read) -> Result<Draft, JsonError> {
        whole(&mut serde_json::Deserializer::from_reader(stream(from)?))
    }
}

impl DynProgram {
    /// The program of a document, verified.
    ///
    /// # Errors
    ///
    /// [`JsonError`]: for another form with line and column, for a wrong program all its faults.
    pub fn from_json(text: &str, limits: &Limits) -> Result<DynProgram, JsonError> {
        Ok(Draft::from_json(text)?.verify(limits)?)
    }

    /// As [`from_json`](DynProgram::from_json), from a stream.
    ///
    /// # Errors
    ///
    /// As [`from_json`](DynProgram::from_json); [`JsonError::Io`] from the stream.
    ///
    /// # Complexity
    ///
    /// Linear in the length of the document; the text itself is never held.
    pub fn read_json(from: impl Read, limits: &Limits) -> Result<DynProgram, JsonError> {
        Ok(Draft::read_json(from)?.verify(limits)?)
    }
}

/// What some editors put before a text: it marks the encoding and is no part of what is said.
const MARK: &str = "\u{feff}";

/// A text without the mark of its encoding.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// A stream without the mark of its encoding.
pub(crate) fn stream<R: Read>(mut from: R) -> io::Result<Chain<Cursor<Vec<u8>>, BufReader<R>>> {
    let mut first = Vec::with_capacity(MARK.len());
    from.by_ref().take(MARK.len() as u64).read_to_end(&mut first)?;
    if first == MARK.as_bytes() {
        first.clear();
    }
    Ok(Cursor::new(first).chain(BufReader::new(from)))
}

fn whole<'de, R: serde_json::de::Read<'de>>(from: &mut serde_json::Deserializer<R>) -> Result<Draft, JsonError> {
    document("a program", from)
}

/// What a document holds after its version, and nothing after that.
pub(crate) fn document<'de, T: Deserialize<'de>, R: serde_json::de::Read<'de>>(
    what: &'static str,
    from: &mut serde_json::Deserializer<R>,
) -> Result<T, JsonError> {
    let mut version = None;
    let document = Document { what, version: &mut version, holds: PhantomData };
    let read = document.deserialize(Strict(&mut *from)).and_then(|read| {
        from.end()?;
        Ok(read)
    });
    read.map_err(|error| match (version, JsonError::reading(&error)) {
        (Some(found), JsonError::Form { line, column, .. }) => JsonError::Version { line, column, found },
        (_, error) => error,
    })
}

/// A document; what it says of its version is left where it is wrong.
struct Document<'a, T> {
    /// What it is called in a message.
    what: &'static str,
    version: &'a mut Option<String>,
    holds: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Document<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Document<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: an object that begins with `\"version\": {VERSION}`", self.what)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        // The version comes first: what follows means what it says.
        match map.next_key::<Cow<'de, str>>()?.as_deref() {
            Some("version") => {}
            Some(other) => {
                let other: String = other.chars().take(40).collect();
                return Err(de::Error::custom(format_args!("the first field is `{other}`, it must be `version`")));
            }
            None => return Err(de::Error::custom("the first field must be `version`, there is none")),
        }
        let version: Value = map.next_value()?;
        if version != VERSION {
            *self.version = Some(version.to_string().chars().take(40).collect());
            return Err(de::Error::custom("unknown version"));
        }
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
