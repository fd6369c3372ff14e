//! Checks the responses of every test against the document: status, kind, type, headers and body.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use http::{HeaderMap, Method, StatusCode, header};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::document;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document("http://127.0.0.1"));

/// The same, but an object may only have the members that its schema names.
static STRICT: LazyLock<Value> = LazyLock::new(|| {
    let mut components = json!({ "schemas": DOCUMENT["components"]["schemas"] });
    name_all_members(&mut components);
    components
});

/// Fails if a response differs from the document. Routes that aren't part of the interface aren't checked.
#[track_caller]
pub(crate) fn check(
    method: &Method,
    path: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) {
    let Some((template, operation)) = operation(method, path) else {
        return;
    };
    let shown = format!("{method} {template}: {status}");
    let responses = &operation["responses"];
    let response = match &responses[status.as_str()] {
        Value::Null if headers.contains_key("stead-error") => {
            panic!("{shown} is not documented: {}", text(body))
        }
        Value::Null => &responses["default"],
        documented => resolved(&DOCUMENT, documented),
    };
    assert!(
        !response.is_null(),
        "{shown} is not documented: {}",
        text(body)
    );
    for name in headers
        .keys()
        .filter(|name| name.as_str().starts_with("stead-"))
    {
        let named = response["headers"].as_object().into_iter().flatten();
        let named = named
            .into_iter()
            .any(|(one, _)| one.eq_ignore_ascii_case(name.as_str()));
        assert!(named, "{shown}: the header {name} is not documented");
    }
    assert!(
        headers.contains_key("stead-request-id"),
        "{shown}: no request id"
    );
    let given = headers
        .get(header::CONTENT_TYPE)
        .map_or("", |value| value.to_str().unwrap());
    let media_type = given.split(';').next().unwrap_or_default();
    let Some(content) = response["content"].as_object() else {
        assert_eq!(text(body), "", "{shown}: a body is not documented");
        return;
    };
    if status.as_u16() >= 400 && media_type == "text/html" {
        // Browsers get errors as pages on every route.
        return;
    }
    let found = content
        .get_key_value(media_type)
        .or(content.get_key_value("*/*"));
    let Some((media_type, content)) = found else {
        panic!("{shown}: {media_type} is not documented");
    };
    if method == Method::HEAD
        || content["schema"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty)
    {
        return;
    }
    let value: Value = serde_json::from_slice(body).unwrap();
    if media_type == "application/problem+json" {
        let documented = response["content"][media_type]["examples"]
            .get(value["kind"].as_str().unwrap_or_default());
        assert!(
            documented.is_some(),
            "{shown}: the kind is not documented: {value}"
        );
    }
    validate(&shown, &content["schema"], &value);
}

/// The response itself, if the document names it by a reference.
pub(super) fn resolved<'a>(document: &'a Value, response: &'a Value) -> &'a Value {
    match response["$ref"].as_str() {
        Some(reference) => document
            .pointer(reference.trim_start_matches('#'))
            .unwrap_or_else(|| panic!("{reference} is not in the document")),
        None => response,
    }
}

/// Fails if a value violates a schema of the document, or has members that the schema doesn't name.
#[track_caller]
pub(crate) fn validate(shown: &str, schema: &Value, value: &Value) {
    static VALIDATORS: LazyLock<Mutex<HashMap<String, &'static Validator>>> =
        LazyLock::new(Mutex::default);
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator: &'static Validator = validators.entry(schema.to_string()).or_insert_with(|| {
        let mut root = schema.clone();
        root["components"] = STRICT.clone();
        let options = jsonschema::options().should_validate_formats(true);
        Box::leak(Box::new(options.build(&root).unwrap()))
    });
    drop(validators);
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{shown}: {wrong:#?} in {value:#}");
}

/// The operation that handles a request, with the template of its path.
fn operation(method: &Method, path: &str) -> Option<(&'static str, &'static Value)> {
    let path = match path.strip_suffix('/') {
        Some(shorter) if !shorter.is_empty() && !path.starts_with("/proxy/") => shorter,
        _ => path,
    };
    let found = DOCUMENT["paths"]
        .as_object()?
        .iter()
        .filter(|(template, _)| fits(template, path));
    // `/v1/tools/list` comes before `/v1/tools/{name}`.
    let (template, operations) = found.min_by_key(|(template, _)| template.matches('{').count())?;
    let method = match method.as_str() {
        "HEAD" if operations.get("head").is_none() => String::from("get"),
        method => method.to_ascii_lowercase(),
    };
    Some((template, operations.get(&method)?))
}

fn fits(template: &str, path: &str) -> bool {
    let mut steps = path.split('/');
    for expected in template.split('/') {
        match steps.next() {
            Some(_) if expected == "{path}" => return true,
            Some(step) if expected == step || (expected.starts_with('{') && !step.is_empty()) => {}
            _ => return false,
        }
    }
    steps.next().is_none()
}

fn name_all_members(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(name_all_members),
        Value::Object(members) => {
            members.values_mut().for_each(name_all_members);
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert(String::from("additionalProperties"), json!(false));
            }
        }
        _ => {}
    }
}

fn text(body: &[u8]) -> &str {
    std::str::from_utf8(body).unwrap_or("(not text)")
}
