//! Parameters of a query, as the document describes them.

use serde_json::{Value, json};
use stead_core::api;

/// A parameter of a query.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    description: &'static str,
    form: Form,
    required: bool,
}

#[derive(Clone, Copy)]
enum Form {
    Text,
    Texts,
    Flag,
    Words(fn() -> Vec<&'static str>),
    Given(&'static [&'static str]),
    Number(u32, u32, u32),
    Moment,
}

/// Any text.
pub(crate) const fn text(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Text)
}

/// Texts, separated by commas.
pub(crate) const fn list(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Texts)
}

/// `true` or `false`. If it's absent, `false`.
pub(crate) const fn flag(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Flag)
}

/// One of these words.
pub(crate) const fn one_of(
    name: &'static str,
    description: &'static str,
    words: fn() -> Vec<&'static str>,
) -> Parameter {
    parameter(name, description, Form::Words(words))
}

/// A whole number: minimum, maximum and default.
pub(crate) const fn number(
    name: &'static str,
    description: &'static str,
    (least, most, default): (u32, u32, u32),
) -> Parameter {
    parameter(name, description, Form::Number(least, most, default))
}

const fn parameter(name: &'static str, description: &'static str, form: Form) -> Parameter {
    Parameter {
        name,
        description,
        form,
        required: false,
    }
}

impl Parameter {
    pub(crate) fn to_openapi(self) -> Value {
        let schema = match self.form {
            Form::Moment => json!({ "type": "string", "format": "date-time" }),
            Form::Text => json!({ "type": "string" }),
            Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Form::Flag => json!({ "type": "boolean", "default": false }),
            Form::Given(words) => json!({ "type": "string", "enum": words }),
            Form::Words(words) => json!({ "type": "string", "enum": words() }),
            Form::Number(least, most, default) => {
                json!({ "type": "integer", "minimum": least, "maximum": most, "default": default })
            }
        };
        let mut parameter = json!({ "name": self.name, "in": "query", "description": self.description, "schema": schema });
        if self.required {
            parameter["required"] = json!(true);
        }
        if matches!(self.form, Form::Texts) {
            parameter["style"] = json!("form");
            parameter["explode"] = json!(false);
        }
        parameter
    }
}

/// A parameter of a query that an operation declares.
pub(crate) fn of_query(parameter: &api::Parameter) -> Value {
    let form = match parameter.form {
        api::Form::Texts => Form::Texts,
        api::Form::Flag => Form::Flag,
        api::Form::Words(words) => Form::Given(words),
        api::Form::Number(least, most, default) => Form::Number(least, most, default),
        api::Form::Time => Form::Moment,
        _ => Form::Text,
    };
    let described = Parameter {
        name: parameter.name,
        description: parameter.description.trim_ascii(),
        form,
        required: parameter.required,
    };
    described.to_openapi()
}

/// A parameter of a path. Parameters that aren't listed here are IDs.
pub(crate) fn of_path(name: &str) -> Value {
    let (description, schema) = match name {
        "connection_name" => (
            "The connection's name.",
            json!({ "type": "string", "examples": ["mail"] }),
        ),
        "identifier" => (
            "Your application's ID of the user, percent-encoded.",
            json!({ "type": "string", "minLength": 1, "maxLength": 256, "examples": ["user-1"] }),
        ),
        "name" => (
            "The tool's name.",
            json!({ "type": "string", "examples": ["mail_fetch_mails"] }),
        ),
        other => {
            let what = other.trim_end_matches("_id").replace('_', " ");
            let description = format!("ID of the {what}.");
            let schema = json!({ "type": "string" });
            return json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema });
        }
    };
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}
