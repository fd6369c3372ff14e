//! The header `stead-timeout`: how long the caller waits.

use std::time::Duration;

use http::HeaderMap;
use serde_json::{Value, json};
use stead::Error;

use crate::extract::invalid;

pub(crate) const NAME: &str = "stead-timeout";
pub(crate) const DESCRIPTION: &str = "Deadline in seconds, such as 2.5. After it, Stead sends no more requests for this call. It can shorten a call's time limit, not extend it.";
const PATTERN: &str = "^[0-9]{1,6}([.][0-9]{1,3})?$";

/// The schema of its value.
pub(crate) fn schema() -> Value {
    json!({ "type": "string", "pattern": PATTERN })
}

/// How long a request's caller waits, if the request says so.
pub(crate) fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, Error> {
    let mut given = headers.get_all(NAME).iter();
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => read(value.as_bytes()).map(Some).ok_or_else(refusal),
        (Some(_), Some(_)) => Err(refusal()),
    }
}

fn read(value: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str, most| {
        (1..=most).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if !is_number(seconds, 6) || !is_number(fraction, 3) {
        return None;
    }
    let millis = format!("{fraction:0<3}").parse().ok()?;
    let timeout = Duration::from_secs(seconds.parse().ok()?) + Duration::from_millis(millis);
    Some(timeout).filter(|timeout| !timeout.is_zero())
}

fn refusal() -> Error {
    invalid(
        "/stead-timeout",
        "format",
        "stead-timeout is a number of seconds above 0 with at most 3 decimal places, such as 2.5",
    )
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::{Body, Bytes};
    use futures_util::stream;
    use http::{HeaderValue, StatusCode};
    use stead::ErrorKind;

    use super::*;
    use crate::testing::TestService;

    /// The time limit of the last request: until its response's head if the response is forwarded, otherwise until its
    /// end.
    fn last_limit(service: &TestService, is_passed_on: bool) -> Duration {
        let received = service.received();
        let limits = received.last().and_then(|last| last.limits).unwrap();
        if is_passed_on {
            limits.first_byte
        } else {
            limits.total
        }
    }

    /// All routes that make calls.
    #[tokio::test]
    async fn a_call_has_no_more_time_than_its_caller_waits() {
        let service = TestService::new().await.with_account("u1").await;
        let tool = json!({ "connection_name": "mail", "identifier": "u1", "input": {} });
        let calls = json!({ "connection_name": "mail", "identifier": "u1", "calls": [
            { "id": "call_0123456789", "type": "function",
                "function": { "name": "mail_list_threads", "arguments": "{}" } },
        ]});
        let path = "/gmail/v1/users/me/drafts";
        let raw =
            json!({ "connection_name": "mail", "identifier": "u1", "method": "GET", "path": path });
        let streamed = format!("/proxy/mail/u1{path}");
        for (method, to, body) in [
            ("POST", "/v1/tools/mail_list_threads/execute", Some(tool)),
            ("POST", "/v1/tool-calls", Some(calls)),
            ("POST", "/v1/proxy", Some(raw)),
            ("GET", &streamed, None),
        ] {
            for timeout in ["7.5", "4000"] {
                let request = service.request(method, to).header(NAME, timeout);
                let request = match &body {
                    None => request.body(Body::empty()),
                    Some(body) => request
                        .header("content-type", "application/json")
                        .body(Body::from(body.to_string())),
                };
                let response = service.send(request.unwrap()).await;
                assert_eq!(response.status, StatusCode::OK, "{to}: {response:?}");
                let most = Duration::from_millis(7500);
                let limit = last_limit(&service, to.contains("/proxy"));
                assert_eq!(limit <= most, timeout == "7.5", "{to}");
            }
        }
    }

    #[tokio::test]
    async fn waiting_for_a_body_ends_with_the_callers_deadline() {
        let service = TestService::new().await;
        for path in ["/v1/proxy", "/v1/tool-calls"] {
            let never = stream::pending::<Result<Bytes, Infallible>>();
            let request = service
                .request("POST", path)
                .header("content-type", "application/json")
                .header(NAME, "0.001")
                .body(Body::from_stream(never));
            let response = service.send(request.unwrap()).await;
            response.assert_problem(StatusCode::GATEWAY_TIMEOUT, "deadline_exceeded");
        }
    }

    #[tokio::test]
    async fn an_invalid_timeout_is_refused_after_authentication() {
        let service = TestService::new().await;
        let request = || service.request("GET", "/v1/tools").header(NAME, "soon");
        let response = service.send(request().body(Body::empty()).unwrap()).await;
        response.assert_problem(StatusCode::BAD_REQUEST, "invalid_request");
        let mut stranger = request().body(Body::empty()).unwrap();
        let token = HeaderValue::from_static("Bearer unknown");
        stranger.headers_mut().insert("authorization", token);
        let response = service.send(stranger).await;
        response.assert_problem(StatusCode::UNAUTHORIZED, "unauthenticated");
    }

    fn given(values: &[&'static str]) -> Result<Option<Duration>, Error> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(NAME, HeaderValue::from_static(value));
        }
        timeout(&headers)
    }

    #[test]
    fn seconds_are_read_to_the_millisecond() {
        assert_eq!(given(&[]).unwrap(), None);
        for (text, millis) in [("30", 30_000), ("2.5", 2500), ("0.05", 50), ("1.001", 1001)] {
            let expected = Some(Duration::from_millis(millis));
            assert_eq!(given(&[text]).unwrap(), expected, "{text}");
        }
        for wrong in [
            &["0"][..],
            &["0.000"],
            &[""],
            &["1."],
            &[".5"],
            &["1.0001"],
            &["-1"],
            &["1e3"],
            &["5s"],
            &["1234567"],
            &["1", "1"],
        ] {
            let error = given(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{wrong:?}");
        }
    }
}
