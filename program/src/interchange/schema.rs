//! The published schema.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;

use super::VERSION;
use crate::program::Draft;

/// The JSON Schema (draft 2020-12) of a program, made from the types that are read.
///
/// A document that it admits may still be no program: shapes, references and content hashes are for [`Draft::verify`].
pub fn schema() -> Value {
    published::<Draft>("Program", "A pullback program: a finite list of tensor operations.")
}

/// The schema of a document that holds this after its version.
pub(crate) fn published<T: JsonSchema>(title: &str, description: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(Plain);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let version = json_schema!({ "description": "The version of this form; the first field.", "const": VERSION });
    schema.insert("title".into(), title.into());
    schema.insert("description".into(), description.into());
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("version".into(), version.to_value());
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.insert(0, "version".into());
    }
    schema.to_value()
}

/// Without the names of Rust's types and links of its documentation.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("format");
        transform_subschemas(self, schema);
    }
}
