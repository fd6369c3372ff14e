//! A method of a Google API, described the way its discovery document does.

use std::collections::BTreeSet;

use axum::http::Method;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::errors::{ApiError, ErrorShape};
use crate::{google::State, query::Query};

/// One API: a host with its methods.
#[derive(Debug)]
pub(crate) struct Api {
    /// Name that errors give the service.
    pub(crate) service: &'static str,
    /// Parts of its errors.
    pub(crate) errors: ErrorShape,
    /// What it can do.
    pub(crate) methods: &'static [&'static ApiMethod],
    /// The methods that can also give the bytes themselves.
    pub(crate) downloads: &'static [&'static Download],
    /// The methods that can also take bytes, at addresses of their own.
    pub(crate) uploads: &'static [&'static Upload],
    /// Addresses that take several requests at once (discovery, `batchPath`).
    pub(crate) batch_paths: &'static [&'static str],
}

/// One method.
#[derive(Debug)]
pub(crate) struct ApiMethod {
    /// Discovery's `id`, such as `gmail.users.messages.list`.
    pub(crate) id: &'static str,
    /// Discovery's `httpMethod`.
    pub(crate) verb: Method,
    /// Discovery's `flatPath`: `{name}` is one segment.
    pub(crate) path: &'static str,
    /// Query parameters in addition to the common ones.
    pub(crate) parameters: &'static [Parameter],
    /// Any one of these scopes suffices.
    pub(crate) scopes: &'static [&'static str],
    /// Schema of the response, for the `fields` parameter.
    pub(crate) schema: &'static str,
    /// What it does. `null` gets 204 and no body.
    pub(crate) run: fn(&mut State, &Call) -> Result<Value, ApiError>,
}

/// Bytes with their type.
#[derive(Debug, Clone)]
pub(crate) struct Media {
    pub(crate) kind: String,
    pub(crate) bytes: Bytes,
}

/// A method that can give bytes (discovery, `supportsMediaDownload`).
#[derive(Debug)]
pub(crate) struct Download {
    pub(crate) method: &'static ApiMethod,
    /// Whether it gives nothing else, so that `alt=media` need not be said.
    pub(crate) is_only_use: bool,
    /// Whether a part of the bytes can be asked for.
    pub(crate) takes_ranges: bool,
    pub(crate) run: fn(&State, &Call) -> Result<Media, ApiError>,
}

/// A method that takes bytes.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) method: &'static ApiMethod,
    /// Discovery's `protocols.simple.path`.
    pub(crate) path: &'static str,
    /// Discovery's `maxSize`.
    pub(crate) max_bytes: u64,
    /// How the type of the bytes begins (discovery, `accept`); empty where any type is taken.
    pub(crate) accepts: &'static str,
    /// What is refused before the bytes of a resumable upload come.
    pub(crate) check: fn(&State, &Call) -> Result<(), ApiError>,
}

/// One query parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) repeated: bool,
}

/// Type of a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number from 0.
    Uint32,
    /// A whole number.
    Int32,
    /// One of these, spelled exactly so.
    OneOf(&'static [&'static str]),
}

/// A request that has passed the checks.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Email address of the user whose token came along.
    pub(crate) user: String,
    /// Scopes of that token.
    pub(crate) scopes: BTreeSet<String>,
    /// Values of the path's variables, decoded, in order of the template.
    pub(crate) path: Vec<String>,
    /// Query parameters, of which each fits its description.
    pub(crate) query: Query,
    /// The body as it came, of an upload its metadata; empty where there was none.
    pub(crate) body: Bytes,
    /// The bytes of an upload.
    pub(crate) media: Option<Media>,
    /// The header `If-Match`.
    pub(crate) if_match: Option<String>,
}

impl Parameter {
    /// A parameter that may come once.
    pub(crate) const fn one(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            repeated: false,
        }
    }

    /// A parameter that may be repeated.
    pub(crate) const fn many(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            repeated: true,
        }
    }

    /// Whether `value` has the parameter's type; if not, what Google says.
    pub(crate) fn check(&self, value: &str) -> Result<(), ApiError> {
        let (is_valid, kind) = match self.kind {
            Kind::Text => (true, "TYPE_STRING"),
            // Python's libraries write `True`.
            Kind::Flag => (
                ["true", "false"]
                    .iter()
                    .any(|one| value.eq_ignore_ascii_case(one)),
                "TYPE_BOOL",
            ),
            Kind::Uint32 => (value.parse::<u32>().is_ok(), "TYPE_UINT32"),
            Kind::Int32 => (value.parse::<i32>().is_ok(), "TYPE_INT32"),
            Kind::OneOf(values) => (values.contains(&value), "TYPE_ENUM"),
        };
        if is_valid {
            return Ok(());
        }
        let field = snake_case(self.name);
        Err(ApiError::unbound(
            &field,
            format!("Invalid value at '{field}' ({kind}), \"{value}\""),
        ))
    }
}

impl Call {
    /// The value of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.query.first(name)
    }

    /// Whether a flag was given as `true`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        let value = self.text(name);
        value.is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The value of a number.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    /// Whether the token has this scope, given without its common prefix.
    pub(crate) fn has_scope(&self, short: &str) -> bool {
        self.scopes
            .iter()
            .any(|scope| scope.strip_prefix("https://www.googleapis.com/auth/") == Some(short))
    }

    /// The body, which must be a JSON object; none at all is an empty one.
    pub(crate) fn object(&self) -> Result<Map<String, Value>, ApiError> {
        if self.body.is_empty() {
            return Ok(Map::new());
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            ApiError::unbound("", format!("Invalid JSON payload received. {error}"))
        })
    }

    /// The nth variable of the path.
    pub(crate) fn variable(&self, index: usize) -> &str {
        self.path.get(index).map_or("", String::as_str)
    }
}

/// Errors name a field as its protocol buffer does: `max_results`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
