//! Parameters of a query, as the document describes them.

use serde_json::{Value, json};

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
    Number(u32, u32, u32),
    Moment,
}

/// Any text.
pub(crate) const fn text(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Text)
}

/// Texts with commas between them.
pub(crate) const fn list(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Texts)
}

/// `true` or `false`, which it is where absent.
pub(crate) const fn flag(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Flag)
}

/// A time.
pub(crate) const fn moment(name: &'static str, description: &'static str) -> Parameter {
    parameter(name, description, Form::Moment)
}

/// One of these words.
pub(crate) const fn one_of(
    name: &'static str,
    description: &'static str,
    words: fn() -> Vec<&'static str>,
) -> Parameter {
    parameter(name, description, Form::Words(words))
}

/// A whole number: at least, at most, and where absent.
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

/// The parameters of every list that has pages.
pub(crate) const PAGING: &[Parameter] = &[
    text("page_token", "`next_page_token` of the previous page."),
    number(
        "page_size",
        "Maximum number of items on the page.",
        (1, 100, 50),
    ),
];

impl Parameter {
    /// The same, which has to be there.
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub(crate) fn to_openapi(self) -> Value {
        let schema = match self.form {
            Form::Moment => json!({ "type": "string", "format": "date-time" }),
            Form::Text => json!({ "type": "string" }),
            Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Form::Flag => json!({ "type": "boolean", "default": false }),
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

/// A parameter of a path. What is not told here is an id.
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
