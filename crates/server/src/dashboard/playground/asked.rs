//! The request of a playground page: the call, and how its input was entered.

use serde_json::{Map, Value};

use super::{
    fields::{self, Given, PREFIX},
    wanted::Wanted,
};
use crate::{dashboard::form::Form, extract::Query, problem::Result};

/// A call as entered.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) connection_name: Option<String>,
    pub(super) identifier: Option<String>,
    pub(super) tool: Option<String>,
    /// The input as JSON, if it was entered that way.
    json: Option<String>,
    given: Given,
    /// Whether to show it as JSON from now on.
    as_json: Option<bool>,
    /// The list to add an item to.
    pub(super) add: Option<String>,
    /// The idempotency key: a reloaded form doesn't repeat a write.
    pub(super) key: Option<String>,
    /// The requested view of the result.
    pub(super) wanted: Wanted,
}

/// A parsed input.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) value: Value,
    /// Whether it is shown as JSON.
    pub(super) as_json: bool,
    /// The entered text if it isn't a JSON object, and why it isn't.
    pub(super) unreadable: Option<(String, String)>,
    /// Whether anything was entered.
    pub(super) is_given: bool,
}

const VIEWS: [(&str, bool); 2] = [("form", false), ("json", true)];

impl Asked {
    /// Selects only the account for a call, and no tool.
    pub(super) fn with(connection_name: Option<String>, identifier: Option<String>) -> Self {
        Self {
            connection_name,
            identifier,
            ..Self::default()
        }
    }

    pub(super) fn by_query(mut query: Query) -> Result<Self> {
        let mut wanted = [
            ("view", query.text("view")?),
            ("fields", query.text("fields")?),
            ("max_bytes", query.text("max_bytes")?),
        ];
        let wanted = Wanted::read(|name| wanted.iter_mut().find(|one| one.0 == name)?.1.take());
        let asked = Self {
            wanted,
            connection_name: query.text("connection_name")?,
            identifier: query.text("identifier")?,
            tool: query.text("tool")?,
            json: query.text("input")?,
            as_json: query.one_of("as", &VIEWS)?,
            add: query.text("add")?,
            key: query.text("key")?,
            given: given(query.below(PREFIX)),
        };
        query.end()?;
        Ok(asked)
    }

    pub(super) fn by_form(form: &Form) -> Self {
        let text = |name| form.text(name).map(str::to_owned);
        Self {
            connection_name: text("connection_name"),
            identifier: text("identifier"),
            tool: text("tool"),
            json: text("input"),
            as_json: None,
            add: None,
            key: text("key"),
            wanted: Wanted::read(text),
            given: given(form.below(PREFIX)),
        }
    }

    /// The input for a tool of this schema.
    pub(super) fn input(&self, schema: &Value) -> Input {
        let Some(text) = &self.json else {
            return Input {
                value: fields::read(schema, &self.given),
                as_json: self.as_json == Some(true),
                unreadable: None,
                is_given: !self.given.is_empty(),
            };
        };
        let unreadable = |why: String| Input {
            value: Value::Object(Map::new()),
            as_json: true,
            unreadable: Some((text.clone(), why)),
            is_given: true,
        };
        match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => Input {
                value,
                as_json: self.as_json != Some(false),
                unreadable: None,
                is_given: true,
            },
            Ok(_) => unreadable(String::from(
                "The input must be a JSON object: { \"name\": value }.",
            )),
            Err(error) => unreadable(format!("This isn’t valid JSON: {error}.")),
        }
    }
}

fn given(fields: Vec<(String, String)>) -> Given {
    let fields = fields.into_iter();
    fields
        .map(|(pointer, text)| (format!("/{pointer}"), text))
        .collect()
}
