//! The methods of Google's APIs. `methods.txt` lists all of them, as the discovery documents describe them. An [`Api`]
//! names the functions and collections that play some of them.

use std::{collections::BTreeSet, sync::LazyLock};

use axum::http::Method;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::{
    Api, Download,
    errors::{ApiError, ErrorShape},
};
use crate::{google::State, request::Query};

/// One method from an API's description.
#[derive(Debug)]
pub(crate) struct ApiMethod {
    /// For example, `gmail.users.messages.list`.
    pub(crate) id: &'static str,
    pub(crate) verb: Method,
    /// `{name}` is one segment.
    pub(crate) path: &'static str,
    /// The schema of the body.
    pub(crate) takes: Option<&'static str>,
    /// The schema of the response.
    pub(crate) gives: &'static str,
    /// Query parameters in addition to the common ones.
    pub(crate) parameters: Vec<Parameter>,
    /// Any one of these scopes is enough.
    pub(crate) scopes: Vec<String>,
    /// Whether it also accepts bytes, at the same path below `/upload`.
    pub(crate) uploads: bool,
    /// Whether it can return bytes.
    pub(crate) downloads: bool,
}

/// Bytes with their type.
#[derive(Debug, Clone)]
pub(crate) struct Media {
    pub(crate) kind: String,
    pub(crate) bytes: Bytes,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) repeated: bool,
    pub(crate) played: bool,
}

/// The type of a parameter.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// An integer that isn't negative.
    Uint32,
    /// An integer.
    Int32,
    /// One of these values, in exactly this spelling.
    OneOf(Vec<&'static str>),
}

/// A request that has passed the checks.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) api: &'static Api,
    pub(crate) method: &'static ApiMethod,
    /// The email address of the token's user.
    pub(crate) user: String,
    /// The token's scopes.
    pub(crate) scopes: BTreeSet<String>,
    /// The decoded values of the path's variables, in the order of the template.
    pub(crate) path: Vec<String>,
    /// Query parameters, checked against their descriptions.
    pub(crate) query: Query,
    /// The body, or the metadata of an upload, checked against its schema.
    pub(crate) body: Map<String, Value>,
    /// The bytes of an upload.
    pub(crate) media: Option<Media>,
    /// The header `If-Match`.
    pub(crate) if_match: Option<String>,
}

static METHODS: LazyLock<Vec<ApiMethod>> = LazyLock::new(|| parse(include_str!("methods.txt")));

impl Api {
    /// All methods of its description.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static ApiMethod> {
        METHODS
            .iter()
            .filter(|method| self.own_id(method).is_some())
    }

    fn own_id(&self, method: &ApiMethod) -> Option<&'static str> {
        method.id.strip_prefix(self.name)?.strip_prefix('.')
    }

    /// Runs the function or collection that plays a method. Returns an error if the sandbox doesn't play it.
    pub(crate) fn run(&self, state: &mut State, call: &Call) -> Result<Value, ApiError> {
        let id = self.own_id(call.method).unwrap_or_default();
        if let Some((_, run)) = self.plays.iter().find(|(played, _)| *played == id) {
            return run(state, call);
        }
        let mut collections = self.collections.iter();
        let played = collections.find_map(|collection| Some((collection, collection.verb(id)?)));
        match played {
            Some((collection, verb)) => collection.run(state, call, verb),
            None => Err(ApiError::not_played(call.method.id)),
        }
    }

    /// The function that returns the bytes of a method.
    pub(crate) fn download(&self, method: &ApiMethod) -> Option<Download> {
        let id = self.own_id(method)?;
        let found = self.downloads.iter().find(|(played, _)| *played == id)?;
        Some(found.1)
    }

    /// Whether the sandbox plays a method.
    pub(crate) fn has(&self, method: &ApiMethod) -> bool {
        let id = self.own_id(method).unwrap_or_default();
        self.plays.iter().any(|(played, _)| *played == id)
            || self.collections.iter().any(|one| one.verb(id).is_some())
            || self.download(method).is_some()
    }
}

/// Reads the table of methods.
fn parse(table: &'static str) -> Vec<ApiMethod> {
    let mut methods: Vec<ApiMethod> = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&'static str> = line.split_whitespace().collect();
        match (line.starts_with(' '), words.as_slice(), methods.last_mut()) {
            (false, [id, verb, path], _) => methods.push(ApiMethod {
                id,
                verb: verb.parse().unwrap_or_default(),
                path,
                takes: None,
                gives: "",
                parameters: Vec::new(),
                scopes: Vec::new(),
                uploads: false,
                downloads: false,
            }),
            (true, ["in", schema], Some(method)) => method.takes = Some(schema),
            (true, ["out", schema], Some(method)) => method.gives = schema,
            (true, ["ask", parameters @ ..], Some(method)) => {
                let parameters = parameters.iter().map(|text| Parameter::parse(text));
                method.parameters.extend(parameters);
            }
            (true, ["may", scopes @ ..], Some(method)) => {
                method
                    .scopes
                    .extend(scopes.iter().map(|scope| full_scope(scope)));
            }
            (true, ["upload"], Some(method)) => method.uploads = true,
            (true, ["download"], Some(method)) => method.downloads = true,
            _ => {}
        }
    }
    methods
}

fn full_scope(short: &str) -> String {
    match short.starts_with("https:") {
        true => short.to_owned(),
        false => format!("https://www.googleapis.com/auth/{short}"),
    }
}

impl Parameter {
    /// Parses `maxResults:uint`, `format=full|raw`, `q` or `ids*`.
    pub(super) fn parse(text: &'static str) -> Self {
        let (text, played) = text
            .strip_suffix('~')
            .map_or((text, true), |text| (text, false));
        let (name, kind) = match (text.split_once('='), text.split_once(':')) {
            (Some((name, values)), _) => (name, Kind::OneOf(values.split('|').collect())),
            (None, Some((name, "flag"))) => (name, Kind::Flag),
            (None, Some((name, "uint"))) => (name, Kind::Uint32),
            (None, Some((name, _))) => (name, Kind::Int32),
            (None, None) => (text, Kind::Text),
        };
        Self {
            name: name.trim_end_matches('*'),
            kind,
            repeated: name.ends_with('*'),
            played,
        }
    }

    /// Checks that `value` has the parameter's type. The error is the text of Google's error.
    pub(crate) fn check(&self, value: &str) -> Result<(), ApiError> {
        let (is_valid, kind) = match &self.kind {
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
        if !self.played {
            let message = format!("The sandbox does not support the parameter {}.", self.name);
            return Err(ApiError::unimplemented(message));
        }
        if is_valid {
            return Ok(());
        }
        let field = snake_case(self.name);
        let message = format!("Invalid value at '{field}' ({kind}), \"{value}\"");
        Err(ApiError::unbound(&field, message))
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

    /// The value of a number parameter.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    /// Whether the token has this scope. `short` lacks the common prefix.
    pub(crate) fn has_scope(&self, short: &str) -> bool {
        self.scopes.contains(&full_scope(short))
    }

    /// The nth variable of the path.
    pub(crate) fn variable(&self, index: usize) -> &str {
        self.path.get(index).map_or("", String::as_str)
    }

    /// The API's own 404.
    pub(crate) fn not_found(&self) -> ApiError {
        match self.api.errors {
            ErrorShape::Older => ApiError::of(404, "notFound", "Not Found"),
            _ => ApiError::not_found(),
        }
    }
}

/// The protocol buffer's name of a field, which errors use: `max_results`.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google::{APIS, schema::SCHEMAS};

    #[test]
    fn every_implemented_method_is_described() {
        let known: BTreeSet<&str> = METHODS.iter().map(|method| method.id).collect();
        assert_eq!(known.len(), METHODS.len());
        for api in APIS {
            for id in api
                .plays
                .iter()
                .map(|(id, _)| id)
                .chain(api.downloads.iter().map(|(id, _)| id))
            {
                assert!(
                    known.contains(format!("{}.{id}", api.name).as_str()),
                    "{id}"
                );
            }
            for method in api.methods() {
                assert_eq!(api.has(method), !method.scopes.is_empty(), "{}", method.id);
                for schema in method
                    .takes
                    .into_iter()
                    .chain(Some(method.gives).filter(|gives| !gives.is_empty()))
                {
                    assert!(SCHEMAS.contains_key(schema), "{schema}");
                }
            }
        }
    }
}
