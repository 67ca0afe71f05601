//! The published schema.

use std::path::Path;

use pullback_program::interchange;
use serde_json::Value;

use crate::support::programs;

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
        if let Err(why) = validate(&document, &schema, &schema) {
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
        assert!(validate(&other, &schema, &schema).is_err(), "{other}");
        assert!(
            pullback_program::Draft::from_json(&other.to_string()).is_err()
                || other["inputs"][0]["shape"][0] == 0
                || other["statements"][0]["sha256"] == "0"
        );
    }
}

/// The keywords that the schema uses, as JSON Schema 2020-12 defines them. Another keyword is a failure: it would not be checked.
pub(crate) fn validate(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        return if *schema == Value::Bool(false) { Err(format!("{value} may not be there")) } else { Ok(()) };
    };
    let all = |list: &Value| list.as_array().unwrap().clone();
    for (keyword, rule) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => true,
            "$ref" => {
                let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
                validate(value, root.pointer(path).unwrap_or_else(|| panic!("{path}")), root)?;
                true
            }
            "type" if rule.is_array() => all(rule).iter().any(|name| is(value, name)),
            "type" => is(value, rule),
            "const" => value == rule,
            "enum" => all(rule).contains(value),
            "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| matches(text, rule.as_str().unwrap())),
            "required" => all(rule).iter().all(|key| value.is_null() || value.get(key.as_str().unwrap()).is_some()),
            "properties" => {
                for (key, rule) in rule.as_object().unwrap() {
                    value.get(key).map_or(Ok(()), |value| validate(value, rule, root))?;
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(*rule, Value::Bool(false));
                let known = |key: &String| keywords.get("properties").is_some_and(|p| p.get(key).is_some());
                value.as_object().is_none_or(|object| object.keys().all(known))
            }
            "prefixItems" => {
                for (value, rule) in value.as_array().into_iter().flatten().zip(all(rule)) {
                    validate(value, &rule, root)?;
                }
                true
            }
            "items" => {
                let before = keywords.get("prefixItems").map_or(0, |list| all(list).len());
                for value in value.as_array().into_iter().flatten().skip(before) {
                    validate(value, rule, root)?;
                }
                true
            }
            "anyOf" => all(rule).iter().any(|rule| validate(value, rule, root).is_ok()),
            "oneOf" => all(rule).iter().filter(|rule| validate(value, rule, root).is_ok()).count() == 1,
            other => panic!("the check does not know `{other}`"),
        };
        if !holds {
            return Err(format!("{value} is against `{keyword}`: {rule}"));
        }
    }
    Ok(())
}

fn is(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        other => panic!("type {other}"),
    }
}

/// The two patterns of the schema.
fn matches(text: &str, pattern: &str) -> bool {
    match pattern {
        "^[0-9a-f]{64}$" => text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
        _ => serde_json::from_value::<pullback_program::Literal>(text.into()).is_ok(),
    }
}
