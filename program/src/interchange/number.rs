//! One number, and the types that are made of numbers alone.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use pullback_kernel::Rational;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use crate::operation::{Elements, Literal, Shape};
use crate::program::InstructionDraft;

/// Digits of an exact number, those of its denominator included, at most.
pub const DIGITS: usize = 10_000;
/// Bits that so many digits never reach.
const BITS: u64 = DIGITS as u64 * 4;
/// The form of an exact number, as a regular expression.
const PATTERN: &str =
    "^((0|-?[1-9][0-9]*(/([2-9]|[1-9][0-9]+))?)|-?(0|[1-9][0-9]*)(\\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+))$";

/// Why a string is no exact number.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NumberError {
    /// Another form.
    #[error(
        "`{0}` is no exact number: an integer such as \"-3\", a fraction such as \"3/4\", or a decimal such as \"0.1\" or \"1e-5\", without leading zeros"
    )]
    Form(String),
    /// Too many digits.
    #[error("an exact number has {found} digits, at most {DIGITS} are read")]
    TooLong {
        /// How many there are.
        found: usize,
    },
    /// A denominator of zero.
    #[error("`{0}` has a denominator of zero")]
    ZeroDenominator(String),
    /// A fraction that is not in lowest terms.
    #[error("`{found}` is not in lowest terms: write `{lowest}`")]
    NotLowest {
        /// What is written.
        found: String,
        /// What would be right.
        lowest: String,
    },
}

/// The beginning of a text, for a message.
fn brief(text: &str) -> String {
    let cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}

/// A decimal as the language of statements has it, such as `0.1` or `1e-5`, without its sign.
fn decimal(text: &str) -> Option<Result<Rational, NumberError>> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(left, right)| (left, Some(right)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(left, right)| (left, Some(right)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|d| d.is_ascii_digit());
    let fits = digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
        && (fraction.is_some() || exponent.is_some());
    if !fits {
        return None;
    }
    let fraction = fraction.unwrap_or("");
    // What does not fit a word has more digits than any number here.
    let exponent: i64 = exponent.map_or(Some(0), |text| text.parse().ok()).unwrap_or(i64::MAX);
    let places = exponent.saturating_sub_unsigned(fraction.len() as u64);
    let found = usize::try_from(places.unsigned_abs()).unwrap_or(usize::MAX).saturating_add(whole.len());
    if found > DIGITS {
        return Some(Err(NumberError::TooLong { found }));
    }
    let number = format!("{whole}{fraction}").parse::<BigInt>().ok()?;
    let power = BigInt::from(10).pow(places.unsigned_abs() as u32);
    Some(Ok(if places < 0 { Rational::new(number, power) } else { Rational::from_integer(number * power) }))
}

/// An exact number, as documents have it in a string: a fraction in lowest terms, or a decimal such as `1e-5`.
///
/// # Errors
///
/// [`NumberError`] for another form, and for more digits than are read.
pub fn exact(text: &str) -> Result<Rational, NumberError> {
    let found = text.bytes().filter(u8::is_ascii_digit).count();
    if found > DIGITS {
        return Err(NumberError::TooLong { found });
    }
    let form = || NumberError::Form(brief(text));
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if let Some(decimal) = decimal(unsigned) {
        return decimal.map(|number| if negative { -number } else { number });
    }
    let (above, below) = text.split_once('/').map_or((text, None), |(above, below)| (above, Some(below)));
    let unsigned = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_digit());
        plain && (digits == "0" || !digits.starts_with('0'))
    };
    if !unsigned(above.strip_prefix('-').unwrap_or(above)) || !below.is_none_or(unsigned) || above == "-0" {
        return Err(form());
    }
    let integer = |digits: &str| digits.parse::<BigInt>().map_err(|_| form());
    let numerator = integer(above)?;
    let Some(below) = below else { return Ok(Rational::from_integer(numerator)) };
    let denominator = integer(below)?;
    if denominator.is_zero() {
        return Err(NumberError::ZeroDenominator(brief(text)));
    }
    let lowest = Rational::new(numerator, denominator.clone());
    if denominator.is_one() || *lowest.denom() != denominator {
        return Err(NumberError::NotLowest { found: brief(text), lowest: brief(&lowest.to_string()) });
    }
    Ok(lowest)
}

impl Serialize for Literal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Literal::Float(x) if x.is_finite() => to.serialize_f64(*x),
            Literal::Float(x) => Err(ser::Error::custom(format_args!("{x} is not finite"))),
            Literal::Exact(q) => {
                // Before the digits are made: that takes a time that is quadratic in them.
                let bits = q.numer().bits() + q.denom().bits();
                let text = if bits > BITS { String::new() } else { q.to_string() };
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                if bits > BITS || digits > DIGITS {
                    return Err(ser::Error::custom(format_args!("an exact number has more than {DIGITS} digits")));
                }
                to.serialize_str(&text)
            }
        }
    }
}

struct LiteralVisitor;

impl Visitor<'_> for LiteralVisitor {
    type Value = Literal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or an exact number in a string")
    }
    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Literal, E> {
        Ok(Literal::Float(x))
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Literal, E> {
        Ok(Literal::Float(n as f64))
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Literal, E> {
        Ok(Literal::Float(n as f64))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Literal, E> {
        exact(text).map(Literal::Exact).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Literal, D::Error> {
        from.deserialize_any(LiteralVisitor)
    }
}

impl JsonSchema for Literal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A real number: a JSON number is a float, a string is an exact rational, a fraction in lowest terms or a decimal. They differ: `7` is a float, `\"7\"` an integer.",
            "anyOf": [{ "type": "number" }, { "type": "string", "pattern": PATTERN }],
        })
    }
}

impl Serialize for Elements {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Elements::Splat(literal) => literal.serialize(to),
            Elements::Each(all) => all.serialize(to),
        }
    }
}

struct ElementsVisitor;

impl<'de> Visitor<'de> for ElementsVisitor {
    type Value = Elements;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number for all elements, or a list of numbers")
    }
    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Elements, E> {
        LiteralVisitor.visit_f64(x).map(Elements::Splat)
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Elements, E> {
        LiteralVisitor.visit_i64(n).map(Elements::Splat)
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Elements, E> {
        LiteralVisitor.visit_u64(n).map(Elements::Splat)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Elements, E> {
        LiteralVisitor.visit_str(text).map(Elements::Splat)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Elements, A::Error> {
        let mut all = Vec::new();
        while let Some(literal) = list.next_element()? {
            all.push(literal);
        }
        Ok(Elements::Each(all))
    }
}

impl<'de> Deserialize<'de> for Elements {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Elements, D::Error> {
        from.deserialize_any(ElementsVisitor)
    }
}

impl JsonSchema for Elements {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Elements".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = generator.subschema_for::<Literal>();
        json_schema!({
            "description": "The elements of an array in row-major order; one number stands for all of them.",
            "anyOf": [number, { "type": "array", "items": number }],
        })
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.sizes().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Shape, D::Error> {
        Vec::deserialize(from).map(|sizes| Shape::new(&sizes))
    }
}

impl JsonSchema for Shape {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shape".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "integer", "minimum": 1 } })
    }
}

/// A pair, for there may be a million of them: `[operation, [arguments]]`.
impl Serialize for InstructionDraft {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.operation, &self.arguments).serialize(to)
    }
}

impl<'de> Deserialize<'de> for InstructionDraft {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<InstructionDraft, D::Error> {
        let (operation, arguments) = Deserialize::deserialize(from)?;
        Ok(InstructionDraft { operation, arguments })
    }
}

impl JsonSchema for InstructionDraft {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Instruction".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let position = json_schema!({ "type": "integer", "minimum": 0 });
        let mut operation = position.clone();
        operation.insert("description".into(), "Which operation, as a position among the operations.".into());
        json_schema!({
            "description": "An operation and the values that it is applied to. Values are numbered: the inputs first, then the results of each instruction in order. An instruction refers to earlier values only.",
            "type": "array",
            "prefixItems": [
                operation,
                { "description": "Which values.", "type": "array", "items": position },
            ],
            "items": false,
            "minItems": 2,
        })
    }
}
