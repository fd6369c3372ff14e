//! Errors that several operations share. The document describes each of them once, in `components/responses`.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Map, Value, json};

/// Moves every error that at least two operations share out of the paths, and returns them by name.
pub(super) fn share(paths: &mut Map<String, Value>) -> Map<String, Value> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    each(paths, |status, response| {
        *uses.entry(identity(status, response)).or_default() += 1;
    });
    let mut shared = Map::new();
    each(paths, |status, response| {
        if uses
            .get(&identity(status, response))
            .is_none_or(|uses| *uses < 2)
        {
            return;
        }
        let Some(name) = name(status, response) else {
            return;
        };
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        let known = shared.entry(name).or_insert_with(|| response.clone());
        // A different error with the same name stays where it is.
        if known == response {
            *response = reference;
        }
    });
    shared
}

/// Visits the errors of every operation.
fn each(paths: &mut Map<String, Value>, mut visit: impl FnMut(u16, &mut Value)) {
    let operations = paths.values_mut().filter_map(Value::as_object_mut);
    for operation in operations.flat_map(Map::values_mut) {
        let responses = operation["responses"].as_object_mut();
        for (status, response) in responses.into_iter().flatten() {
            if let Ok(status @ 400..) = status.parse() {
                visit(status, response);
            }
        }
    }
}

fn identity(status: u16, response: &Value) -> String {
    format!("{status} {response}")
}

/// The name of an error: its kinds if it has one or two, or otherwise the meaning of its status.
fn name(status: u16, response: &Value) -> Option<String> {
    let kinds = response["content"]["application/problem+json"]["examples"].as_object()?;
    let kinds: Vec<String> = kinds.keys().map(|kind| joined(kind, '_')).collect();
    let name = match kinds.as_slice() {
        [] => return None,
        [one] => one.clone(),
        [one, other] => format!("{one}Or{other}"),
        _ => joined(StatusCode::from_u16(status).ok()?.canonical_reason()?, ' '),
    };
    let of_call = response["headers"].get("stead-execution-id").is_some();
    Some(match of_call {
        true => format!("{name}OfCall"),
        false => name,
    })
}

/// Words without their separators, each with a capital letter.
fn joined(words: &str, separator: char) -> String {
    let words = words.split(separator).filter_map(|word| {
        let (first, rest) = word.split_at_checked(1)?;
        Some(first.to_uppercase() + rest)
    });
    words.collect()
}
