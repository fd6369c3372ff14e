//! The document against the router, and against the rules of OpenAPI 3.1.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::document;
use crate::{table, testing::TestService};

/// Routes that the document doesn't describe. They're for browsers and intermediate machines, belong to another
/// protocol, or are other forms of a described path.
const NOT_DESCRIBED: &[&str] = &[
    "ANY /mcp",
    "ANY /proxy/{connection_name}/{identifier}",
    "ANY /proxy/{connection_name}/{identifier}/",
    "ANY /proxy/{connection_name}/{identifier}/{*path}",
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/mcp",
    "GET /connect/cancelled",
    "GET /connect/done",
    "GET /connect/failed",
    "GET /connect/{token}",
    "GET /favicon.ico",
    "GET /icon.svg",
    "GET /logo",
    "GET /sso/v1/oauth/{connection_id}/callback",
    "POST /connect/again/{authorization_id}",
    "POST /connect/done",
    "POST /connect/failed",
    "POST /connect/{token}",
    "POST /sso/v1/oauth/{connection_id}/callback",
];

pub(super) fn operations(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let operations = item.as_object().unwrap();
        operations.iter().map(move |(method, operation)| {
            (format!("{} {path}", method.to_uppercase()), operation)
        })
    })
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let document = document("https://stead.example.com/");
    let mut described: BTreeSet<String> = operations(&document).map(|(name, _)| name).collect();
    let mut left_out = Vec::new();
    let routes = table().into_iter().flat_map(|(_, routes)| routes);
    // The dashboard has pages, which only browsers read.
    for route in routes.filter(|route| !route.path.starts_with("/dashboard")) {
        if route.operation.summary.is_none() {
            left_out.push(format!("{} {}", route.method, route.path));
            continue;
        }
        let name = format!("{} {}", route.method, route.path);
        assert!(described.remove(&name), "{name}: twice in the table");
    }
    assert!(described.is_empty(), "{described:?}");
    left_out.sort();
    assert_eq!(left_out, NOT_DESCRIBED, "a route needs `.summary(…)`");
}

#[test]
fn every_operation_describes_its_input_and_output() {
    let document = document("https://stead.example.com/");
    let tags: BTreeSet<&str> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| tag["name"].as_str().unwrap())
        .collect();
    let (mut ids, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (name, operation) in operations(&document) {
        assert!(
            ids.insert(operation["operationId"].as_str().unwrap()),
            "{name}"
        );
        let tag = operation["tags"][0].as_str().unwrap();
        assert!(tags.contains(tag), "{name}: {tag} has no line in TAGS");
        used.insert(tag);
        let summary = operation["summary"].as_str().unwrap();
        assert!(
            summary.ends_with('.') && summary.len() < 90,
            "{name}: {summary}"
        );
        let responses = operation["responses"].as_object().unwrap();
        assert!(
            responses.keys().any(|status| status.starts_with('2')),
            "{name}: a handler that returns `Response` needs `.describe(…)`"
        );
        for (status, response) in responses {
            let response = super::check::resolved(&document, response);
            let description = response["description"].as_str().unwrap();
            assert!(
                status == "200" || !description.is_empty(),
                "{name} {status}"
            );
            assert_eq!(
                response["headers"]["stead-request-id"]["$ref"],
                "#/components/headers/request-id"
            );
        }
        let path = name.split(' ').nth(1).unwrap();
        let parameters = operation["parameters"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut names = BTreeSet::new();
        for parameter in parameters {
            let (place, parameter_name) = (
                parameter["in"].as_str().unwrap(),
                parameter["name"].as_str().unwrap(),
            );
            assert!(
                names.insert((place, parameter_name)),
                "{name}: {parameter_name} twice"
            );
            assert!(parameter["schema"].is_object() && parameter["description"].is_string());
            if place == "path" {
                assert!(path.contains(&format!("{{{parameter_name}}}")), "{name}");
                assert_eq!(parameter["required"], true);
            }
        }
        let in_path = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .count();
        assert_eq!(in_path, path.matches('{').count(), "{name}");
    }
    assert_eq!(used, tags);
}

/// An unknown parameter is rejected, and the error lists the known ones.
#[tokio::test]
async fn the_parameters_of_a_query_are_those_that_the_handler_reads() {
    let service = TestService::new().await;
    let document = document("https://stead.example.com/");
    let mut walked = 0;
    for (name, operation) in operations(&document) {
        let (method, path) = name.split_once(' ').unwrap();
        if !matches!(method, "GET" | "DELETE") || operation["security"] == json!([]) {
            continue;
        }
        let steps: Vec<&str> = path
            .split('/')
            .map(|step| if step.starts_with('{') { "x" } else { step })
            .collect();
        let parameters = operation["parameters"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let required = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "query" && parameter["required"] == true)
            .map(|parameter| format!("&{}=x", parameter["name"].as_str().unwrap()));
        let query: String = required.collect();
        let path = format!("{}?not_known=1{query}", steps.join("/"));
        let response = service.call(method, &path, None).await;
        let documented: BTreeSet<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "query")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let message = response.json()["violations"][0]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let known = message
            .split_once("expected one of: ")
            .map(|(_, known)| known.split(", ").collect());
        assert_eq!(documented, known.unwrap_or_default(), "{name}: {message}");
        walked += usize::from(!documented.is_empty());
    }
    assert!(walked >= 5, "{walked}");
}

/// Calls `look` with every object of a value and its place.
fn walk(value: &Value, place: &str, look: &mut impl FnMut(&str, &Map<String, Value>)) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &format!("{place}/{index}"), look);
            }
        }
        Value::Object(members) => {
            look(place, members);
            for (name, member) in members {
                walk(member, &format!("{place}/{name}"), look);
            }
        }
        _ => {}
    }
}

#[test]
fn every_reference_resolves_and_every_component_is_used() {
    let document = document("https://stead.example.com/");
    let mut used = BTreeSet::new();
    walk(&document, "", &mut |place, members| {
        if let Some(Value::String(reference)) = members.get("$ref") {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{place}: {reference}");
            used.insert(pointer.to_owned());
        }
    });
    for group in ["schemas", "headers"] {
        for name in document["components"][group].as_object().unwrap().keys() {
            let pointer = format!("/components/{group}/{name}");
            assert!(used.contains(&pointer), "{pointer} is not used");
        }
    }
}

#[test]
fn every_schema_is_valid_and_described_for_readers() {
    let document = document("https://stead.example.com/");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        assert!(
            name.chars()
                .all(|character| character.is_ascii_alphanumeric()),
            "{name}"
        );
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
        let members = schema["properties"].as_object();
        for (member, schema) in members.into_iter().flatten() {
            let described = schema["description"].is_string() || schema["$ref"].is_string();
            assert!(described, "{name}.{member} has no description");
        }
    }
    walk(&document, "", &mut |place, members| {
        if let Some(Value::String(text)) = members.get("description") {
            for wrong in ["```", "[`", "::", "\n"] {
                assert!(!text.contains(wrong), "{place}: {text}");
            }
        }
    });
}

#[test]
fn every_example_fits_its_schema() {
    let document = document("https://stead.example.com/");
    for (name, example) in document["components"]["examples"].as_object().unwrap() {
        let problem = &serde_json::json!({ "$ref": "#/components/schemas/Problem" });
        super::check::validate(name, problem, &example["value"]);
    }
    let mut count = 0;
    for (name, operation) in operations(&document) {
        let responses = operation["responses"].as_object().unwrap().values();
        for part in responses.chain(operation.get("requestBody")) {
            for media_type in part["content"]
                .as_object()
                .into_iter()
                .flat_map(Map::values)
            {
                if let Some(example) = media_type.get("example") {
                    super::check::validate(&name, &media_type["schema"], example);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// Client generators only accept a schema that is an object, and a list of words only as `enum`.
#[test]
fn client_generators_understand_every_schema() {
    fn walk(value: &Value, at: &str) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| walk(item, at)),
            Value::Object(members) => {
                assert_ne!(members.get("items"), Some(&Value::Bool(true)), "{at}");
                for option in members
                    .get("oneOf")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    assert!(!option["const"].is_string(), "{at}: {option}");
                }
                for (media_type, content) in members
                    .get("content")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                {
                    assert!(content["schema"].is_object(), "{at}: {media_type}");
                }
                for (name, member) in members {
                    if !name.starts_with("example") {
                        walk(member, &format!("{at}/{name}"));
                    }
                }
            }
            _ => {}
        }
    }
    let document = document("https://stead.example.com/");
    walk(&document["paths"], "");
    walk(&document["components"]["schemas"], "");
    let kinds = &document["components"]["schemas"]["ErrorKind"];
    assert_eq!(kinds["type"], "string");
    assert!(kinds["enum"].is_null(), "later versions have more kinds");
    assert!(kinds["x-extensible-enum"][0].is_string());
    let view = &document["components"]["schemas"]["View"];
    assert!(view["enum"][0].is_string(), "{view}");
    let base = &document["x-stead-proxy"]["url"];
    assert_eq!(
        base,
        "https://stead.example.com/proxy/{connection_name}/{identifier}"
    );
}
