//! The page of the REST API, from its OpenAPI document.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::GENERATED_BY;

/// Writes a line to a page. Writing to a string can't fail.
macro_rules! line {
    ($page:ident, $($text:tt)*) => {
        let _ = writeln!($page, $($text)*);
    };
}

/// Every operation, by resource, and every type.
pub(super) fn page() -> String {
    let document = stead_server::openapi("https://stead.example.com");
    let mut page = format!(
        "{GENERATED_BY}\n\n# REST\n\nEvery operation and type, as `GET /openapi.json` describes them, with an example of each body. \
         [Call tools](../build/call-tools.md) shows how to use them, and [Errors](errors.md) explains each kind of error.\n"
    );
    for tag in array(&document["tags"]) {
        let name = text(&tag["name"]);
        line!(page, "\n## {name}\n\n{}", text(&tag["description"]));
        for (path, operations) in object(&document["paths"]) {
            for (method, operation) in object(operations) {
                if operation["tags"][0] == tag["name"] {
                    describe(&mut page, &document, method, path, operation);
                }
            }
        }
    }
    line!(
        page,
        "\n## Types\n\nStead omits members that aren't required if they have no value."
    );
    for (name, schema) in object(&document["components"]["schemas"]) {
        describe_type(&mut page, name, schema);
    }
    page
}

fn describe(page: &mut String, document: &Value, method: &str, path: &str, operation: &Value) {
    line!(
        page,
        "\n### {} {path}\n\n{}",
        method.to_uppercase(),
        text(&operation["summary"])
    );
    let scopes: Vec<String> = array(&operation["security"])
        .iter()
        .flat_map(|scheme| array(&scheme["client_credentials"]))
        .map(|scope| format!("`{}`", text(scope)))
        .collect();
    if array(&operation["security"]).is_empty() {
        line!(page, "Needs no token.");
    } else if !scopes.is_empty() {
        line!(page, "Needs the scope {}.", scopes.join(" and "));
    }
    let parameters = array(&operation["parameters"]);
    if !parameters.is_empty() {
        line!(
            page,
            "\n| Parameter | In | Type | Required | Meaning |\n|---|---|---|---|---|"
        );
    }
    for parameter in parameters {
        line!(
            page,
            "| `{}` | {} | {} | {} | {} |",
            text(&parameter["name"]),
            text(&parameter["in"]),
            type_of(&parameter["schema"]),
            yes_or_no(parameter["required"] == true),
            cell(&parameter["description"])
        );
    }
    if let Some(body) = operation.get("requestBody") {
        line!(page, "\nBody: {}", content(body));
    }
    line!(page, "");
    let mut errors = Vec::new();
    for (status, response) in object(&operation["responses"]) {
        let shared = response["$ref"].as_str();
        let shared = shared.and_then(|place| document.pointer(place.trim_start_matches('#')));
        let response = shared.unwrap_or(response);
        let problem = &response["content"]["application/problem+json"];
        let kinds = object(&problem["examples"]).map(|(kind, _)| format!("`{kind}`"));
        let kinds: Vec<String> = kinds.collect();
        if kinds.is_empty() {
            let given = Some(content(response)).filter(|given| !given.is_empty());
            let given = given.map_or_else(String::new, |given| format!(": {given}"));
            line!(
                page,
                "- {status}{given}. {}",
                text(&response["description"])
            );
        } else {
            errors.push(format!("{status} {}", kinds.join(" ")));
        }
    }
    line!(page, "\nErrors: {}.", errors.join(", "));
}

/// The types of a body, with its media type if that isn't JSON.
fn content(of: &Value) -> String {
    let contents = object(&of["content"]).map(|(media_type, content)| {
        let shape = type_of(&content["schema"]);
        match (media_type.as_str(), shape.as_str()) {
            ("application/json", _) => shape,
            (_, "any") => format!("`{media_type}`"),
            _ if content["schema"]["format"] == "binary" => format!("`{media_type}`"),
            _ => format!("{shape} as `{media_type}`"),
        }
    });
    contents.collect::<Vec<_>>().join(", or ")
}

fn describe_type(page: &mut String, name: &str, schema: &Value) {
    line!(page, "\n### {name}\n\n{}", text(&schema["description"]));
    if let Some(members) = schema["properties"].as_object() {
        line!(
            page,
            "\n| Member | Type | Required | Meaning |\n|---|---|---|---|"
        );
        for (member, of) in members {
            let required = array(&schema["required"]).iter().any(|one| one == member);
            line!(
                page,
                "| `{member}` | {} | {} | {} |",
                type_of(of),
                yes_or_no(required),
                cell(&of["description"])
            );
        }
    } else if schema["oneOf"].is_array() {
        for option in array(&schema["oneOf"]) {
            let value = option
                .get("const")
                .map(|value| format!("`{}`", text(value)));
            let value = value.unwrap_or_else(|| type_of(option));
            line!(page, "- {value}: {}", text(&option["description"]));
        }
    } else {
        line!(page, "{}", type_of(schema));
    }
    let is_open_enum = schema["x-extensible-enum"].is_array();
    if let Some(example) = schema["examples"].get(0).filter(|_| !is_open_enum) {
        line!(page, "\n```json\n{}\n```", laid_out(example, 0));
    }
}

/// Width of an example.
const WIDTH: usize = 110;

/// A value as JSON, in one line if it fits. Otherwise each line has as many members or items as fit.
fn laid_out(value: &Value, indent: usize) -> String {
    let one_line = in_one_line(value);
    if indent + one_line.len() <= WIDTH {
        return one_line;
    }
    let (parts, [open, close]): (Vec<String>, _) = match value {
        Value::Object(members) => {
            let parts = members.iter();
            let parts =
                parts.map(|(name, member)| format!("{name:?}: {}", laid_out(member, indent + 2)));
            (parts.collect(), ["{", "}"])
        }
        Value::Array(items) => {
            let parts = items.iter().map(|item| laid_out(item, indent + 2));
            (parts.collect(), ["[", "]"])
        }
        _ => return one_line,
    };
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if !line.contains('\n') && indent + line.len() + part.len() + 5 <= WIDTH => {
                line.push_str(", ");
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    let margin = " ".repeat(indent);
    let lines = lines.join(&format!(",\n{margin}  "));
    format!("{open}\n{margin}  {lines}\n{margin}{close}")
}

fn in_one_line(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter();
            let members =
                members.map(|(name, member)| format!("{name:?}: {}", in_one_line(member)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items = items.iter().map(in_one_line);
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A short form of a schema.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    for (options, separator) in [("anyOf", " or "), ("oneOf", " or ")] {
        if let Some(options) = schema[options].as_array() {
            let options: Vec<String> = options.iter().map(type_of).collect();
            return options.join(separator);
        }
    }
    if let Some(value) = schema.get("const") {
        return format!("`{}`", text(value));
    }
    let values = schema.get("enum").or(schema.get("x-extensible-enum"));
    if let Some(values) = values.and_then(Value::as_array) {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", text(value)))
            .collect();
        return values.join(" ");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(several) => several.iter().map(text).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let mut shown = match types.as_slice() {
        [] => String::from("any"),
        ["array"] => format!("list of {}", type_of(&schema["items"])),
        several => several.join(" or "),
    };
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, Value::Null) => {}
        (low, Value::Null) => shown.push_str(&format!(", {low} or more")),
        (Value::Null, high) => shown.push_str(&format!(", {high} or less")),
        (low, high) => shown.push_str(&format!(", {low} to {high}")),
    }
    if let Some(format) = schema["format"]
        .as_str()
        .filter(|format| *format == "date-time")
    {
        shown.push_str(&format!(", {format}"));
    }
    shown
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn cell(value: &Value) -> String {
    text(value).replace('|', "\\|")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}
