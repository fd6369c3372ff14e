//! OpenAPI descriptions, 3.0 and 3.1 (OpenAPI Specification, "Path Item Object" and below).

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{
    method::{Body, Method, Parameter, Place, ResponseSchema},
    template::Template,
};
use crate::schema::resolved;

const VERBS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Returns the API's name, its methods, and the document itself, which references point into.
pub(super) fn read(document: Value) -> Result<(String, Vec<Method>, Value)> {
    let info = &document["info"];
    let text = |name: &str| info[name].as_str().unwrap_or_default();
    let name = format!("{} {}", text("title"), text("version"));
    let mut methods = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for verb in VERBS {
            if let Some(operation) = item.get(verb) {
                methods.push(method(&document, path, verb, item, operation)?);
            }
        }
    }
    Ok((name, methods, document))
}

fn method(
    document: &Value,
    path: &str,
    verb: &str,
    item: &Value,
    operation: &Value,
) -> Result<Method> {
    let listed = |of: &Value| of["parameters"].as_array().cloned().unwrap_or_default();
    let parameters = [listed(item), listed(operation)]
        .concat()
        .iter()
        .filter_map(|parameter| read_parameter(document, resolved(document, parameter)))
        .collect();
    let title = format!("{} {path}", verb.to_uppercase());
    let body = operation.get("requestBody").map(|body| {
        let body = resolved(document, body);
        Body {
            schema: json_schema(body).cloned(),
            required: body["required"] == true,
        }
    });
    Ok(Method {
        id: operation["operationId"]
            .as_str()
            .map_or(title, str::to_owned),
        verb: verb.to_uppercase(),
        path: Template::parse(path, false)?,
        parameters,
        body,
        scopes: None,
        responses: responses(document, operation),
    })
}

fn read_parameter(document: &Value, known: &Value) -> Option<Parameter> {
    let place = match known["in"].as_str()? {
        "path" => Place::Path,
        "query" => Place::Query,
        "header" => Place::Header,
        _ => return None,
    };
    let given = known.get("schema").cloned().unwrap_or_else(|| json!({}));
    let schema = resolved(document, &given);
    let repeated = schema["type"] == "array" && place == Place::Query;
    let schema = if repeated {
        schema.get("items").cloned().unwrap_or_else(|| json!({}))
    } else {
        given
    };
    Some(Parameter {
        name: known["name"].as_str()?.to_owned(),
        place,
        required: known["required"] == true,
        repeated,
        schema,
        mask: None,
    })
}

fn responses(document: &Value, operation: &Value) -> Vec<(String, ResponseSchema)> {
    let none = Map::new();
    operation["responses"]
        .as_object()
        .unwrap_or(&none)
        .iter()
        .map(|(status, response)| {
            let schema = json_schema(resolved(document, response));
            let response = schema.map_or(ResponseSchema::Open, |schema| {
                ResponseSchema::Schema(schema.clone())
            });
            (status.clone(), response)
        })
        .collect()
}

fn json_schema(of: &Value) -> Option<&Value> {
    of["content"]["application/json"].get("schema")
}
