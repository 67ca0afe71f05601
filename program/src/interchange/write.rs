//! Writing a document: a line for each input, statement, operation, instruction and output.

use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use super::{JsonError, VERSION};
use crate::program::{Draft, DynProgram, Fault, FaultKind, Faults, Place};

impl DynProgram {
    /// The program as a document.
    ///
    /// # Errors
    ///
    /// [`JsonError`] for what no document may hold: two inputs or two outputs of one name, an exact number of more than [`DIGITS`](super::DIGITS) digits.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::{Binding, Builder, DynProgram, Limits, Operation, Operator, Shape};
    ///
    /// let mut builder = Builder::new(Limits::default());
    /// let x = builder.input("x", Shape::new(&[3]))?;
    /// let binding = Binding { dims: vec![vec![3]], ..Binding::default() };
    /// let tanh = Operation::new(Operator::library("tanh")?, binding, &Limits::default()).expect("a size");
    /// let y = builder.apply(tanh, &[x])?;
    /// builder.output("y", y[0]);
    /// let program = builder.finish();
    /// let text = program.to_json()?;
    /// assert!(text.contains(r#"{"apply": {"statement": 0, "binding": {"dims": [[3]]}}}"#));
    /// assert_eq!(DynProgram::from_json(&text, &Limits::default())?, program);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self) -> Result<String, JsonError> {
        self.draft().to_json()
    }

    /// As [`to_json`](DynProgram::to_json), to a stream.
    ///
    /// # Errors
    ///
    /// As [`to_json`](DynProgram::to_json); [`JsonError::Io`] from the stream, which then holds a part of the document.
    pub fn write_json(&self, to: impl Write) -> Result<(), JsonError> {
        self.draft().write_json(to)
    }
}

impl Draft {
    /// The draft as a document.
    ///
    /// # Errors
    ///
    /// As [`DynProgram::to_json`].
    pub fn to_json(&self) -> Result<String, JsonError> {
        let mut text = Vec::new();
        self.write_json(&mut text)?;
        String::from_utf8(text).map_err(|error| JsonError::Unwritable(error.to_string()))
    }

    /// As [`to_json`](Draft::to_json), to a stream.
    ///
    /// # Errors
    ///
    /// As [`DynProgram::write_json`].
    pub fn write_json(&self, to: impl Write) -> Result<(), JsonError> {
        let Draft { inputs, statements, operations, instructions, outputs } = self;
        distinct(inputs.iter().map(|i| i.name.as_str()), Place::Input)?;
        distinct(outputs.iter().map(|o| o.name.as_str()), Place::Output)?;
        let mut to = io::BufWriter::new(to);
        write!(to, "{{\n  \"version\": {VERSION}")?;
        section(&mut to, "inputs", inputs)?;
        section(&mut to, "statements", statements)?;
        section(&mut to, "operations", operations)?;
        section(&mut to, "instructions", instructions)?;
        section(&mut to, "outputs", outputs)?;
        to.write_all(b"\n}\n")?;
        Ok(to.flush()?)
    }
}

/// Names that come twice would not be read again.
fn distinct<'a>(names: impl Iterator<Item = &'a str>, place: fn(usize) -> Place) -> Result<(), JsonError> {
    let mut seen = HashSet::new();
    let taken = |(k, name): (usize, &'a str)| {
        let kind = FaultKind::Name(name.chars().take(80).collect());
        (!seen.insert(name)).then(|| Fault { place: place(k), kind })
    };
    let faults: Vec<Fault> = names.enumerate().filter_map(taken).collect();
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults).into()) }
}

/// A field that is a list, an element a line.
fn section(to: &mut impl Write, name: &str, elements: &[impl Serialize]) -> Result<(), JsonError> {
    write!(to, ",\n  \"{name}\": [")?;
    for (k, element) in elements.iter().enumerate() {
        to.write_all(if k > 0 { b",\n    " } else { b"\n    " })?;
        line(to, element)?;
    }
    Ok(to.write_all(if elements.is_empty() { b"]" } else { b"\n  ]" })?)
}

/// A value on one line.
pub(super) fn line(to: &mut impl Write, value: &impl Serialize) -> Result<(), JsonError> {
    value.serialize(&mut serde_json::Serializer::with_formatter(to, Line)).map_err(|error| JsonError::writing(&error))
}

/// One line, with a space after each comma and colon.
struct Line;

impl Formatter for Line {
    /// The shortest decimal that is read back as this float, as the standard library has it.
    fn write_f64<W: ?Sized + Write>(&mut self, to: &mut W, x: f64) -> io::Result<()> {
        write!(to, "{x:?}")
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}
