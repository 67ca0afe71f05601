//! Arrays by name: what a program is evaluated at, and what comes out.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Write};

use pullback_kernel::{Exceeded, Meter};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::strict::Strict;
use super::write::line;
use super::{JsonError, Scalar, stream, unmarked};
use crate::operation::{Array, Elements, Literal, Shape};
use crate::program::DynProgram;

/// Arrays by name, each name once.
///
/// In a document an array is an object with `shape` and `data`, where one number as `data` stands for all elements;
/// read, it may also be a nested list whose shape is that of the list, or a number of shape `[]`.
///
/// # Example
///
/// ```
/// use pullback_program::interchange::Arrays;
///
/// let arrays = Arrays::from_json(r#"{"w": {"shape": [2, 2], "data": [1, 0, 0, 1]}, "x": [["1/3", 2.5]], "eps": 1e-3}"#)?;
/// assert_eq!(arrays.get("x").map(|x| x.shape.to_string()).as_deref(), Some("[1, 2]"));
/// # Ok::<(), pullback_program::interchange::JsonError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arrays {
    entries: Vec<(String, Array)>,
}

/// Why arrays are not those of a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArraysError {
    /// An array that is not given.
    #[error("there is no array for the {what} `{name}`, of shape {shape}")]
    Missing {
        /// An input or an output.
        what: &'static str,
        /// Its name.
        name: String,
        /// Its shape.
        shape: Shape,
    },
    /// An array that nobody asked for.
    #[error("the program has no {what} `{name}`; it has {}", list(.known))]
    Unknown {
        /// An input or an output.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Another shape.
    #[error("the array for the {what} `{name}` has shape {found}, expected {expected}")]
    Shape {
        /// An input or an output.
        what: &'static str,
        /// Its name.
        name: String,
        /// The shape it must have.
        expected: Shape,
        /// The shape it has.
        found: Shape,
    },
    /// Another number of elements than its shape says.
    #[error("the array for the {what} `{name}` has {found} elements, its shape {shape} has {}", .shape.elements())]
    Length {
        /// An input or an output.
        what: &'static str,
        /// Its name.
        name: String,
        /// Its shape.
        shape: Shape,
        /// How many elements it has.
        found: usize,
    },
    /// More bytes than the program's [limits](crate::Limits::budget) allow, counted before they were taken.
    #[error("the array for the {what} `{name}`: {exceeded}")]
    Limit {
        /// An input or an output.
        what: &'static str,
        /// Its name.
        name: String,
        /// What there was not enough of.
        exceeded: Exceeded,
    },
    /// A number past the largest of the scalar.
    #[error("element {at} of the array for the {what} `{name}` is past the largest {scalar}")]
    Range {
        /// An input or an output.
        what: &'static str,
        /// Its name.
        name: String,
        /// The position in row-major order.
        at: usize,
        /// The scalar's name.
        scalar: &'static str,
    },
    /// A result that is not a real, which no document can say.
    #[error("element {at} of `{name}` is not finite in {scalar}")]
    NotFinite {
        /// The name of the array.
        name: String,
        /// The position in row-major order.
        at: usize,
        /// The scalar's name.
        scalar: &'static str,
    },
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        text.push(format!("{} more", names.len() - SHOWN));
    }
    if text.is_empty() { "none".into() } else { text.join(", ") }
}

/// An input or an output: its name and its shape.
type Port<'a> = (&'a str, &'a Shape);

fn inputs(program: &DynProgram) -> Vec<Port<'_>> {
    program.inputs().iter().map(|i| (i.name.as_str(), &i.shape)).collect()
}

fn outputs(program: &DynProgram) -> Vec<Port<'_>> {
    program.outputs().iter().map(|o| (o.name.as_str(), program.shape_of(o.value))).collect()
}

impl Arrays {
    /// The array of a name.
    pub fn get(&self, name: &str) -> Option<&Array> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, array)| array)
    }

    /// The names and their arrays, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Array)> {
        self.entries.iter().map(|(name, array)| (name.as_str(), array))
    }

    /// One array for each input of a program, in its order: the inputs themselves, or tangents of theirs.
    ///
    /// # Errors
    ///
    /// [`ArraysError`] for an array that is missing, unknown, of another shape, or past the numbers of the type.
    pub fn for_inputs<N: Scalar>(&self, program: &DynProgram) -> Result<Vec<Vec<N>>, ArraysError> {
        self.fit("input", &inputs(program), program)
    }

    /// One array for each output of a program, in its order: cotangents of theirs.
    ///
    /// # Errors
    ///
    /// As [`for_inputs`](Arrays::for_inputs).
    pub fn for_outputs<N: Scalar>(&self, program: &DynProgram) -> Result<Vec<Vec<N>>, ArraysError> {
        self.fit("output", &outputs(program), program)
    }

    /// Arrays of the inputs of a program, under their names: cotangents of theirs.
    ///
    /// # Errors
    ///
    /// [`ArraysError::NotFinite`]; [`ArraysError::Missing`] and [`ArraysError::Length`] for other arrays than the program's;
    /// [`ArraysError::Limit`] as of [`room_for_inputs`](Arrays::room_for_inputs).
    pub fn of_inputs<N: Scalar>(program: &DynProgram, arrays: &[Vec<N>]) -> Result<Arrays, ArraysError> {
        Arrays::named("input", &inputs(program), arrays, program)
    }

    /// Arrays of the outputs of a program, under their names: the outputs themselves, or tangents of theirs.
    ///
    /// # Errors
    ///
    /// As [`of_inputs`](Arrays::of_inputs).
    pub fn of_outputs<N: Scalar>(program: &DynProgram, arrays: &[Vec<N>]) -> Result<Arrays, ArraysError> {
        Arrays::named("output", &outputs(program), arrays, program)
    }

    fn fit<N: Scalar>(
        &self,
        what: &'static str,
        ports: &[Port<'_>],
        program: &DynProgram,
    ) -> Result<Vec<Vec<N>>, ArraysError> {
        let meter = Meter::new(program.limits().budget);
        let known: HashSet<&str> = ports.iter().map(|(name, _)| *name).collect();
        if let Some((name, _)) = self.iter().find(|(name, _)| !known.contains(name)) {
            let known = ports.iter().map(|(name, _)| (*name).to_owned()).collect();
            return Err(ArraysError::Unknown { what, name: name.to_owned(), known });
        }
        let by_name: std::collections::HashMap<&str, &Array> = self.iter().collect();
        let one = |(name, shape): &Port<'_>| match by_name.get(name) {
            Some(array) => {
                hold(&meter, what, (name, shape), "it, with the arrays before it,", size_of::<N>())?;
                numbers(what, name, shape, array)
            }
            None => Err(ArraysError::Missing { what, name: (*name).to_owned(), shape: (*shape).clone() }),
        };
        ports.iter().map(one).collect()
    }

    /// Whether the outputs of a program, as numbers and as the document that they are to be, stay within its budget of memory:
    /// asked before they are computed.
    ///
    /// # Errors
    ///
    /// [`ArraysError::Limit`], with the first output that is past it.
    pub fn room_for_outputs<N: Scalar>(program: &DynProgram) -> Result<(), ArraysError> {
        room::<N>("output", &outputs(program), program)
    }

    /// As [`room_for_outputs`](Arrays::room_for_outputs), of the inputs: cotangents of theirs.
    ///
    /// # Errors
    ///
    /// As [`room_for_outputs`](Arrays::room_for_outputs).
    pub fn room_for_inputs<N: Scalar>(program: &DynProgram) -> Result<(), ArraysError> {
        room::<N>("input", &inputs(program), program)
    }

    fn named<N: Scalar>(
        what: &'static str,
        ports: &[Port<'_>],
        arrays: &[Vec<N>],
        program: &DynProgram,
    ) -> Result<Arrays, ArraysError> {
        room::<N>(what, ports, program)?;
        let mut entries = Vec::with_capacity(ports.len());
        for (k, (name, shape)) in ports.iter().enumerate() {
            let (name, shape) = ((*name).to_owned(), (*shape).clone());
            let Some(array) = arrays.get(k) else { return Err(ArraysError::Missing { what, name, shape }) };
            if array.len() != shape.elements() {
                return Err(ArraysError::Length { what, name, shape, found: array.len() });
            }
            let literals: Option<Vec<Literal>> = array.iter().map(Scalar::literal).collect();
            let Some(literals) = literals else {
                let at = array.iter().position(|x| x.literal().is_none()).unwrap_or_default();
                return Err(ArraysError::NotFinite { name, at, scalar: N::NAME });
            };
            entries.push((name, Array { shape, elements: Elements::Each(literals) }));
        }
        Ok(Arrays { entries })
    }
}

/// Asks for so many bytes for each element of an array.
fn hold(
    meter: &Meter,
    what: &'static str,
    (name, shape): Port<'_>,
    of: &'static str,
    each: usize,
) -> Result<(), ArraysError> {
    let bytes = (shape.elements() as u64).saturating_mul(each as u64);
    meter.hold(of, bytes).map_err(|exceeded| ArraysError::Limit { what, name: name.to_owned(), exceeded })
}

/// Bytes of a number in a document: seventeen digits, a point, a sign, an exponent, a comma and a space.
const DIGITS_OF_A_NUMBER: usize = 26;

/// Holds arrays, what is written of each number, and the document itself to the budget of a program.
fn room<N: Scalar>(what: &'static str, ports: &[Port<'_>], program: &DynProgram) -> Result<(), ArraysError> {
    let meter = Meter::new(program.limits().budget);
    let each = size_of::<N>() + size_of::<Literal>() + DIGITS_OF_A_NUMBER;
    for port in ports {
        hold(&meter, what, *port, "it, with the arrays before it and as text,", each)?;
    }
    Ok(())
}

/// The numbers of one array.
fn numbers<N: Scalar>(what: &'static str, name: &str, expected: &Shape, array: &Array) -> Result<Vec<N>, ArraysError> {
    let name = || name.to_owned();
    let shape = || array.shape.clone();
    if array.shape != *expected {
        return Err(ArraysError::Shape { what, name: name(), expected: expected.clone(), found: shape() });
    }
    let number = |(at, literal): (usize, &Literal)| {
        N::of_literal(literal).ok_or_else(|| ArraysError::Range { what, name: name(), at, scalar: N::NAME })
    };
    match &array.elements {
        Elements::Splat(literal) => Ok(vec![number((0, literal))?; expected.elements()]),
        Elements::Each(all) if all.len() != expected.elements() => {
            Err(ArraysError::Length { what, name: name(), shape: shape(), found: all.len() })
        }
        Elements::Each(all) => all.iter().enumerate().map(number).collect(),
    }
}

impl Arrays {
    /// The arrays of a document.
    ///
    /// # Errors
    ///
    /// [`JsonError`] with line and column.
    pub fn from_json(text: &str) -> Result<Arrays, JsonError> {
        whole(&mut serde_json::Deserializer::from_str(unmarked(text)))
    }

    /// As [`from_json`](Arrays::from_json), from a stream.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Arrays::from_json); [`JsonError::Io`] from the stream.
    pub fn read_json(from: impl Read) -> Result<Arrays, JsonError> {
        whole(&mut serde_json::Deserializer::from_reader(stream(from)?))
    }

    /// The arrays as a document, one a line.
    ///
    /// # Errors
    ///
    /// [`JsonError::Unwritable`] for an exact number of more than [`DIGITS`](super::DIGITS) digits.
    pub fn to_json(&self) -> Result<String, JsonError> {
        let mut text = Vec::new();
        self.write_json(&mut text)?;
        String::from_utf8(text).map_err(|error| JsonError::Unwritable(error.to_string()))
    }

    /// As [`to_json`](Arrays::to_json), to a stream.
    ///
    /// # Errors
    ///
    /// As [`to_json`](Arrays::to_json); [`JsonError::Io`] from the stream, which then holds a part of the document.
    pub fn write_json(&self, to: impl Write) -> Result<(), JsonError> {
        let mut to = io::BufWriter::new(to);
        to.write_all(b"{")?;
        for (k, (name, array)) in self.entries.iter().enumerate() {
            to.write_all(if k > 0 { b",\n  " } else { b"\n  " })?;
            line(&mut to, name)?;
            to.write_all(b": ")?;
            line(&mut to, array)?;
        }
        to.write_all(if self.entries.is_empty() { b"}\n" } else { b"\n}\n" })?;
        Ok(to.flush()?)
    }
}

fn whole<'de, R: serde_json::de::Read<'de>>(from: &mut serde_json::Deserializer<R>) -> Result<Arrays, JsonError> {
    let read = Strict(&mut *from).deserialize_map(Names).and_then(|arrays| {
        from.end()?;
        Ok(arrays)
    });
    read.map_err(|error| JsonError::reading(&error))
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Arrays;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arrays by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arrays, A::Error> {
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                let name: String = name.chars().take(80).collect();
                return Err(de::Error::custom(format_args!("the name `{name}` comes twice")));
            }
            entries.push((name, map.next_value_seed(OneArray)?));
        }
        Ok(Arrays { entries })
    }
}

/// An array: an object, a nested list, or a number.
struct OneArray;

impl<'de> DeserializeSeed<'de> for OneArray {
    type Value = Array;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Array, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneArray {
    type Value = Array;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array: an object with `shape` and `data`, a nested list of numbers, or a number")
    }
    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Array, E> {
        Literal::deserialize(de::value::F64Deserializer::new(x)).map(scalar)
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Array, E> {
        Literal::deserialize(de::value::I64Deserializer::new(n)).map(scalar)
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Array, E> {
        Literal::deserialize(de::value::U64Deserializer::new(n)).map(scalar)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Array, E> {
        Literal::deserialize(de::value::StrDeserializer::new(text)).map(scalar)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Array, A::Error> {
        Array::deserialize(MapAccessDeserializer::new(map))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Array, A::Error> {
        let mut nested = Nested::default();
        Level { nested: &mut nested, depth: 0 }.visit_seq(list)?;
        Ok(Array { shape: Shape::new(&nested.sizes), elements: Elements::Each(nested.flat) })
    }
}

fn scalar(literal: Literal) -> Array {
    Array { shape: Shape::new(&[]), elements: Elements::Each(vec![literal]) }
}

/// A nested list as far as it was read.
#[derive(Default)]
struct Nested {
    flat: Vec<Literal>,
    /// The sizes of the levels; those of inner ones are known when the first list of theirs is over.
    sizes: Vec<usize>,
    /// How deep numbers stand, once there was one.
    rank: Option<usize>,
}

/// A list at some depth of a nested list, or a number in it.
struct Level<'a> {
    nested: &'a mut Nested,
    depth: usize,
}

impl Level<'_> {
    fn number<E: de::Error>(self, literal: Literal) -> Result<(), E> {
        if *self.nested.rank.get_or_insert(self.depth) != self.depth {
            return Err(E::custom("a number and a list side by side in a nested list"));
        }
        self.nested.flat.push(literal);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }
    fn visit_f64<E: de::Error>(self, x: f64) -> Result<(), E> {
        self.number(Literal::deserialize(de::value::F64Deserializer::new(x))?)
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<(), E> {
        self.number(Literal::deserialize(de::value::I64Deserializer::new(n))?)
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<(), E> {
        self.number(Literal::deserialize(de::value::U64Deserializer::new(n))?)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.number(Literal::deserialize(de::value::StrDeserializer::new(text))?)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Level { nested, depth } = self;
        if nested.rank.is_some_and(|rank| rank <= depth) {
            return Err(de::Error::custom("a number and a list side by side in a nested list"));
        }
        let first = nested.sizes.len() <= depth;
        if first {
            nested.sizes.push(0);
        }
        let mut size = 0;
        while list.next_element_seed(Level { nested: &mut *nested, depth: depth + 1 })?.is_some() {
            size += 1;
        }
        if size == 0 {
            return Err(de::Error::custom("an empty list in a nested list; sizes are positive"));
        }
        if first {
            nested.sizes[depth] = size;
        } else if nested.sizes[depth] != size {
            let known = nested.sizes[depth];
            return Err(de::Error::custom(format_args!("a list of {size} elements beside one of {known}")));
        }
        Ok(())
    }
}
