//! JSON bodies: reads those of requests and reports where a fault is, and writes those of responses.

use axum::{
    extract::{FromRequest, Request},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, header};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use stead::{Error, ErrorKind};
use stead_core::{environment::Environment, schema::read_body, tool::numbers::inexact};

use super::{body::collect, invalid};
use crate::{problem::Problem, state::ServerState};

/// Maximum size of a JSON body in bytes.
const LIMIT: usize = 10 * 1024 * 1024;
/// Bodies from this size on are read on another thread, so that other requests don't wait.
const LARGE: usize = 256 * 1024;

/// A body in JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> FromRequest<ServerState> for Json<T> {
    type Rejection = Problem;

    async fn from_request(mut request: Request, state: &ServerState) -> Result<Self, Problem> {
        let acting = request.extensions_mut().remove();
        Self::read(request, acting.as_ref().unwrap_or(&state.environment)).await
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Json<T> {
    /// Reads the body of a request within its caller's time.
    pub(crate) async fn read(request: Request, acting: &Environment) -> Result<Self, Problem> {
        check_content_type(request.headers())?;
        let body = collect(request.into_body(), LIMIT, acting).await?;
        if body.len() < LARGE {
            return Ok(Self(read_json(&body)?));
        }
        match tokio::task::spawn_blocking(move || read_json(&body)).await {
            Ok(read) => Ok(Self(read?)),
            Err(error) => {
                let message = "couldn't read the body; send the request again";
                Err(Error::new(ErrorKind::Internal, message)
                    .with_source(error)
                    .into())
            }
        }
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    /// Responses have data about users, so no cache may keep them.
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                let headers = [
                    (
                        header::CONTENT_TYPE,
                        HeaderValue::from_static("application/json"),
                    ),
                    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
                ];
                (headers, body).into_response()
            }
            Err(error) => {
                let message = "the response can't be written as JSON";
                Problem::from(Error::new(ErrorKind::Internal, message).with_source(error))
                    .into_response()
            }
        }
    }
}

/// A browser doesn't send this type to another site without asking first. A form can send all other types.
fn check_content_type(headers: &HeaderMap) -> Result<(), Error> {
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidRequest,
        "send the body as JSON with `Content-Type: application/json`",
    ))
}

/// Reads the body at full speed. Only if that fails, it's read again by its schema, to accept what is clearly meant or
/// to report every fault.
pub(crate) fn read_json<T: DeserializeOwned + JsonSchema>(body: &[u8]) -> Result<T, Error> {
    let rounded = std::str::from_utf8(body).map(inexact).unwrap_or_default();
    if !rounded.is_empty() {
        return Err(Error::invalid(rounded));
    }
    let read = serde_json::from_slice(body);
    // Serde accepts an array as an object, member by member, at any depth; the schema doesn't. Calls are frequent, and
    // have no nested objects of their own.
    let is_call = ["ExecuteRequest", "ProxyRequest", "ToolCalls"].contains(&&*T::schema_name());
    let has_a_list = match is_call {
        true => body.trim_ascii_start().starts_with(b"["),
        false => body.contains(&b'['),
    };
    if read.is_ok() && has_a_list {
        let value = serde_json::from_slice(body).map_err(|error| syntax(&error))?;
        return read_body(value);
    }
    read.or_else(|error| {
        let value = serde_json::from_slice(body).map_err(|error| syntax(&error))?;
        // The schema sees only one of the two values, and another reader may use the other.
        let twice = error.to_string();
        if let Some((name, _)) = twice
            .strip_prefix("duplicate field `")
            .and_then(|rest| rest.split_once('`'))
        {
            let message = format!("{name:?} is given twice");
            return Err(invalid(format!("/{name}"), "uniqueItems", message));
        }
        read_body(value)
    })
}

fn syntax(error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let what = if error.is_eof() {
        "the JSON isn't complete; it ends"
    } else {
        "not JSON"
    };
    let message = format!("{what} at line {line}, column {column}");
    invalid("", "json", message)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only its presence and type are tested")]
        name: String,
        #[expect(dead_code, reason = "only its presence and type are tested")]
        items: Vec<Inner>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its presence and type are tested")]
        #[serde(rename = "a/b~")]
        odd: u8,
    }

    fn refused(body: &'static str) -> (String, String) {
        let error = read_json::<Outer>(body.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        match error.violation_list() {
            [one] => (one.path.clone(), one.keyword.clone()),
            _ => (String::new(), error.message().to_owned()),
        }
    }

    #[test]
    fn a_fault_is_named_by_its_pointer() {
        let at = |path: &str, keyword: &str| (String::from(path), String::from(keyword));
        assert_eq!(refused(r#"{"name":"n"}"#), at("/items", "required"));
        assert_eq!(refused(r#"{"name":[],"items":[]}"#), at("/name", "type"));
        assert_eq!(
            refused(r#"{"name":"n","items":[],"more":1}"#),
            at("/more", "additionalProperties")
        );
        assert_eq!(
            refused(r#"{"name":"n","items":[{"a/b~":1},{"a/b~":"x"}]}"#),
            at("/items/1/a~1b~0", "type")
        );
        assert_eq!(refused("[]"), at("", "type"));
        assert_eq!(refused(r#"["n",[]]"#), at("", "type"));
        assert_eq!(
            refused(r#"{"name":"n","items":[[1]]}"#),
            at("/items/0", "type")
        );
        let body = r#"{"name":"n","name":"m","items":[]}"#;
        assert_eq!(refused(body), at("/name", "uniqueItems"));
    }

    #[test]
    fn all_faults_are_reported_together() {
        let body = br#"{"nam":"n","items":[{}]}"#;
        let error = read_json::<Outer>(body).unwrap_err();
        let places: Vec<_> = error
            .violation_list()
            .iter()
            .map(|one| one.path.as_str())
            .collect();
        for place in ["/nam", "/items/0/a~1b~0", "/name"] {
            assert!(places.contains(&place), "{places:?}");
        }
        assert_eq!(places.len(), 3);
        let unknown = error.violation_list().iter().find(|one| one.path == "/nam");
        assert!(
            unknown.unwrap().message.contains("did you mean name?"),
            "{error}"
        );
    }

    #[test]
    fn invalid_json_is_refused_with_the_place() {
        for (body, message) in [
            ("", "the JSON isn't complete; it ends at line 1, column 0"),
            (
                r#"{"name":"n""#,
                "the JSON isn't complete; it ends at line 1, column 11",
            ),
            ("{\"name\":\n'n'}", "not JSON at line 2, column 1"),
            (
                r#"{"name":"n","items":[]} x"#,
                "not JSON at line 1, column 25",
            ),
        ] {
            let error = read_json::<Outer>(body.as_bytes()).unwrap_err();
            let [one] = error.violation_list() else {
                panic!("{error}")
            };
            assert_eq!(
                (one.path.as_str(), one.message.as_str()),
                ("", message),
                "{body}"
            );
            assert_eq!(error.message(), format!("the body: {message}"));
        }
    }
}
