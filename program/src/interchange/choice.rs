//! One of several kinds: a word, or an object with one key.
//!
//! A kind without content is the word alone, a kind with content an object whose one key is the kind.
//! What a parser says of anything else is in its own terms; here it is said what would be right, in the words of the type.
//! This module must never choose: which kinds there are, and what each holds, is for the type that is read.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, VariantAccess, Visitor,
};

use super::strict::{Fields, Strict};

/// A visitor of an enumeration, which takes a word or an object with one key.
pub(super) struct Choice<V>(pub(super) V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Choice<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: Error>(self, kind: &str) -> Result<V::Value, E> {
        let expected = (&self.0 as &dyn Expected).to_string();
        self.0.visit_enum(Word { kind, expected, error: PhantomData })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        let expected = (&self.0 as &dyn Expected).to_string();
        let Some(kind) = map.next_key::<String>()? else {
            return Err(Error::custom(format_args!("an object without a key, expected {expected}")));
        };
        let value = self.0.visit_enum(Keyed { kind: &kind, expected: &expected, map: &mut map })?;
        match map.next_key::<String>()? {
            Some(second) => Err(Error::custom(format_args!(
                "a second key `{}` after `{}`, expected {expected}",
                brief(&second),
                brief(&kind)
            ))),
            None => Ok(value),
        }
    }
}

/// The beginning of a name.
fn brief(name: &str) -> String {
    name.chars().take(40).collect()
}

/// A kind by its word alone.
struct Word<'a, E> {
    kind: &'a str,
    expected: String,
    error: PhantomData<E>,
}

impl<E: Error> Word<'_, E> {
    fn without<T>(self) -> Result<T, E> {
        let (kind, expected) = (brief(self.kind), self.expected);
        Err(E::custom(format_args!("`{kind}` as a word, without its content `{{\"{kind}\": …}}`, expected {expected}")))
    }
}

impl<'de, E: Error> EnumAccess<'de> for Word<'_, E> {
    type Error = E;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), E> {
        let kind: StrDeserializer<'_, E> = self.kind.into_deserializer();
        Ok((seed.deserialize(kind)?, self))
    }
}

impl<'de, E: Error> VariantAccess<'de> for Word<'_, E> {
    type Error = E;

    fn unit_variant(self) -> Result<(), E> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, E> {
        self.without()
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, E> {
        self.without()
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, E> {
        self.without()
    }
}

/// A kind by a key, with its content.
struct Keyed<'a, A> {
    kind: &'a str,
    expected: &'a str,
    map: &'a mut A,
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Keyed<'_, A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), A::Error> {
        let kind: StrDeserializer<'_, A::Error> = self.kind.into_deserializer();
        Ok((seed.deserialize(kind)?, self))
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Keyed<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        let (kind, expected) = (brief(self.kind), self.expected);
        Err(Error::custom(format_args!(
            "`{kind}` with content, it is the word alone: `\"{kind}\"`, expected {expected}"
        )))
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        self.map.next_value_seed(Strict(seed))
    }
    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(Entries(length, Strict(visitor)))
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(Fields(Strict(visitor)))
    }
}

/// So many entries of a variant, as a list.
struct Entries<V>(usize, V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Entries<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        from.deserialize_tuple(self.0, self.1)
    }
}
