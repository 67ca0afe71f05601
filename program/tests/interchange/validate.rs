//! A small validator of documents against our published schemas, for the tests of whoever publishes one.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test fails by panicking, and several crates include this file"
)]

use serde_json::Value;

/// The keywords that our schemas use, as JSON Schema 2020-12 defines them. Another keyword is a failure: it would not be checked.
///
/// `other` is what a pattern means that is not that of a content hash.
pub fn validate(value: &Value, schema: &Value, root: &Value, other: fn(&str) -> bool) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        return if *schema == Value::Bool(false) { Err(format!("{value} may not be there")) } else { Ok(()) };
    };
    let all = |list: &Value| list.as_array().unwrap().clone();
    for (keyword, rule) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => true,
            "$ref" => {
                let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
                validate(value, root.pointer(path).unwrap_or_else(|| panic!("{path}")), root, other)?;
                true
            }
            "type" if rule.is_array() => all(rule).iter().any(|name| is(value, name)),
            "type" => is(value, rule),
            "const" => value == rule,
            "enum" => all(rule).contains(value),
            "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| matches(text, rule.as_str().unwrap(), other)),
            "required" => all(rule).iter().all(|key| value.is_null() || value.get(key.as_str().unwrap()).is_some()),
            "properties" => {
                for (key, rule) in rule.as_object().unwrap() {
                    value.get(key).map_or(Ok(()), |value| validate(value, rule, root, other))?;
                }
                true
            }
            "additionalProperties" => {
                let known = |key: &String| keywords.get("properties").is_some_and(|p| p.get(key).is_some());
                for (_, value) in value.as_object().into_iter().flatten().filter(|(key, _)| !known(key)) {
                    validate(value, rule, root, other)?;
                }
                true
            }
            "prefixItems" => {
                for (value, rule) in value.as_array().into_iter().flatten().zip(all(rule)) {
                    validate(value, &rule, root, other)?;
                }
                true
            }
            "items" => {
                let before = keywords.get("prefixItems").map_or(0, |list| all(list).len());
                for value in value.as_array().into_iter().flatten().skip(before) {
                    validate(value, rule, root, other)?;
                }
                true
            }
            "anyOf" => all(rule).iter().any(|rule| validate(value, rule, root, other).is_ok()),
            "oneOf" => all(rule).iter().filter(|rule| validate(value, rule, root, other).is_ok()).count() == 1,
            unknown => panic!("the check does not know `{unknown}`"),
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
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    }
}

fn matches(text: &str, pattern: &str, other: fn(&str) -> bool) -> bool {
    match pattern {
        "^[0-9a-f]{64}$" => text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
        _ => other(text),
    }
}
