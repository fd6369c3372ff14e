//! JSON bodies: read from a request, with the place of a fault, and written as a response.

use std::{pin::pin, time::Duration};

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use http::{HeaderMap, HeaderValue, header};
use serde::{Serialize, de::DeserializeOwned};
use serde_path_to_error::Segment;
use stead::{
    Error, ErrorKind,
    core::{error::push_segment, ports::BoxFuture},
};

use super::invalid;
use crate::{problem::Problem, state::ServerState};

/// Most bytes of a JSON body.
const LIMIT: usize = 10 * 1024 * 1024;
/// Longest wait for a body to be complete: a caller who sends a byte now and then holds no connection for ever.
const WAIT: Duration = Duration::from_secs(60);

/// A body in JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<ServerState> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Problem> {
        check_content_type(request.headers())?;
        let body = collect(request.into_body(), || {
            state.environment.runtime().sleep(WAIT)
        })
        .await?;
        Ok(Self(read(&body)?))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    /// What an application reads here concerns its users: no cache keeps it.
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
                let message = "the response cannot be written as JSON";
                Problem::from(Error::new(ErrorKind::Internal, message).with_source(error))
                    .into_response()
            }
        }
    }
}

/// A browser cannot send this type across sites without asking first; a form can send the others.
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

/// Most bodies are there at once and need no timer.
async fn collect(
    body: Body,
    wait: impl FnOnce() -> BoxFuture<'static, ()>,
) -> Result<Bytes, Error> {
    let mut reading = pin!(axum::body::to_bytes(body, LIMIT));
    let read = match reading.as_mut().now_or_never() {
        Some(read) => read,
        None => match select(reading, wait()).await {
            Either::Left((read, _)) => read,
            Either::Right(_) => {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!("the body was not complete after {} s", WAIT.as_secs()),
                ));
            }
        },
    };
    read.map_err(|_| {
        Error::new(
            ErrorKind::InvalidRequest,
            format!("the body broke off or is larger than {LIMIT} bytes"),
        )
    })
}

/// Reads at full speed; only a body that is refused is read again, to find the place.
fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Error> {
    serde_json::from_slice(body).or_else(|_| {
        let mut deserializer = serde_json::Deserializer::from_slice(body);
        let value =
            serde_path_to_error::deserialize(&mut deserializer).map_err(|error| place(&error))?;
        deserializer.end().map_err(|error| syntax(&error))?;
        Ok(value)
    })
}

fn place(error: &serde_path_to_error::Error<serde_json::Error>) -> Error {
    let cause = error.inner();
    if !cause.is_data() {
        return syntax(cause);
    }
    let mut pointer = String::new();
    for segment in error.path() {
        match segment {
            Segment::Seq { index } => push_segment(&mut pointer, &index.to_string()),
            Segment::Map { key } => push_segment(&mut pointer, key),
            Segment::Enum { variant } => push_segment(&mut pointer, variant),
            Segment::Unknown => {}
        }
    }
    let message = cause.to_string();
    let keyword = match () {
        () if message.starts_with("missing field") => "required",
        () if message.starts_with("unknown field") => "additionalProperties",
        () if message.starts_with("invalid type") => "type",
        () => "format",
    };
    invalid(pointer, keyword, message)
}

fn syntax(error: &serde_json::Error) -> Error {
    Error::new(
        ErrorKind::InvalidRequest,
        format!("the body is not JSON: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures_util::stream;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only its presence and type are tested")]
        name: String,
        #[expect(dead_code, reason = "only its presence and type are tested")]
        items: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its presence and type are tested")]
        #[serde(rename = "a/b~")]
        odd: u8,
    }

    fn refused(body: &'static str) -> (String, String) {
        let error = read::<Outer>(&Bytes::from_static(body.as_bytes())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        match error.violation_list() {
            [one] => (one.path.clone(), one.keyword.clone()),
            _ => (String::new(), error.message().to_owned()),
        }
    }

    #[test]
    fn a_fault_is_named_by_its_pointer() {
        let at = |path: &str, keyword: &str| (String::from(path), String::from(keyword));
        assert_eq!(refused(r#"{"name":"n"}"#), at("", "required"));
        assert_eq!(refused(r#"{"name":1,"items":[]}"#), at("/name", "type"));
        assert_eq!(
            refused(r#"{"name":"n","items":[],"more":1}"#),
            at("/more", "additionalProperties")
        );
        assert_eq!(
            refused(r#"{"name":"n","items":[{"a/b~":1},{"a/b~":"x"}]}"#),
            at("/items/1/a~1b~0", "type")
        );
    }

    #[test]
    fn what_is_not_json_says_where_it_ends() {
        assert_eq!(
            refused("").1,
            "the body is not JSON: EOF while parsing a value at line 1 column 0"
        );
        assert!(
            refused(r#"{"name":"n","items":[]} x"#)
                .1
                .contains("trailing characters")
        );
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_refused() {
        let never = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        let error = collect(never, || Box::pin(ready(()))).await.unwrap_err();
        assert_eq!(error.message(), "the body was not complete after 60 s");
        let piece = async {
            tokio::task::yield_now().await;
            Ok::<_, std::io::Error>(Bytes::from("late"))
        };
        let late = Body::from_stream(stream::once(piece));
        assert_eq!(collect(late, || Box::pin(pending())).await.unwrap(), "late");
    }
}
