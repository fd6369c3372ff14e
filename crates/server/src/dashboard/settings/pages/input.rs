//! The inputs of forms, as declarations name them.

use serde_json::Value;
use stead::Error;
use stead_core::{environment::Environment, ports::BoxFuture};

use crate::dashboard::form::Form;

/// A member of a body that a form asks for. A form omits inputs that its body doesn't have.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub(crate) name: &'static str,
    /// Defaults to the name in words.
    pub(crate) label: &'static str,
    /// Defaults to the description of the schema.
    pub(crate) hint: &'static str,
    pub(crate) placeholder: &'static str,
    /// Whether it's required although its schema has a default.
    pub(crate) required: bool,
    /// Its value in a new form.
    pub(crate) initial: Value,
    /// The meaning of an empty field if the form changes a resource. Defaults to an empty text or list.
    pub(crate) empty: Value,
    pub(crate) options: Options,
    /// A template for it, which gets it as `input`.
    pub(crate) template: Option<&'static str>,
    /// Reads the fields of its template.
    pub(crate) read: Option<fn(&Form) -> Value>,
    /// Whether to ask for it.
    pub(crate) when: fn(&Value) -> bool,
}

/// The choices of an input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Options {
    /// The words of the schema, if it has some.
    OfSchema,
    /// Values and texts.
    Fixed(&'static [(&'static str, &'static str)]),
    /// The values, texts and hints that this loads. The input isn't shown if there are none.
    Loaded(Loaded),
}

type Loaded = for<'a> fn(&'a Environment) -> BoxFuture<'a, Result<Value, Error>>;

impl Input {
    pub(crate) fn of(name: &'static str) -> Self {
        Self {
            name,
            label: "",
            hint: "",
            placeholder: "",
            required: false,
            initial: Value::Null,
            empty: Value::Null,
            options: Options::OfSchema,
            template: None,
            read: None,
            when: |_| true,
        }
    }
}

/// Words that are separated by commas or blanks.
pub(crate) fn separated(text: &str) -> Vec<String> {
    let words = text.split([',', ' ', '\n']).map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
