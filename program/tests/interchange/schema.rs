//! The published schema.

use std::path::Path;

use pullback_program::interchange;
use serde_json::Value;

use crate::support::programs;
use crate::validate::validate;

/// `UPDATE_SCHEMA=1` in the environment writes it anew.
#[test]
fn the_published_schema_is_fresh() {
    fresh("program", &interchange::schema());
}

/// The file in `docs` says the same.
pub(crate) fn fresh(name: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/{name}.schema.json"));
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(schema).unwrap() + "\n").unwrap();
    }
    let published: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(published, *schema, "UPDATE_SCHEMA=1 writes {} anew", path.display());
}

#[test]
fn written_documents_validate() {
    let schema = interchange::schema();
    for program in programs(0..150) {
        let text = program.to_json().unwrap();
        let document = serde_json::from_str(&text).unwrap();
        if let Err(why) = validate(&document, &schema, &schema, literal) {
            panic!("{why}\n{text}");
        }
    }
}

#[test]
fn other_documents_do_not() {
    let schema = interchange::schema();
    let program = programs(0..1).next().unwrap();
    let document: Value = serde_json::from_str(&program.to_json().unwrap()).unwrap();
    let mut changed = Vec::new();
    for key in ["version", "inputs", "statements", "operations", "instructions", "outputs"] {
        let mut without = document.clone();
        without.as_object_mut().unwrap().remove(key);
        changed.push(without);
        let mut other = document.clone();
        other[key] = "other".into();
        changed.push(other);
    }
    for (path, value) in [
        ("/version", Value::from(2)),
        ("/inputs/0/shape/0", Value::from(0)),
        ("/statements/0/sha256", Value::from("0")),
        ("/instructions/0/0", Value::from(-1)),
        ("/instructions/0/1", Value::from(1)),
        ("/operations/0", Value::from("apply")),
    ] {
        let mut other = document.clone();
        *other.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
        changed.push(other);
    }
    for other in changed {
        assert!(validate(&other, &schema, &schema, literal).is_err(), "{other}");
        assert!(
            pullback_program::Draft::from_json(&other.to_string()).is_err()
                || other["inputs"][0]["shape"][0] == 0
                || other["statements"][0]["sha256"] == "0"
        );
    }
}

/// Whether a text is of the other pattern that this schema has: an exact number.
pub(crate) fn literal(text: &str) -> bool {
    serde_json::from_value::<pullback_program::Literal>(text.into()).is_ok()
}
