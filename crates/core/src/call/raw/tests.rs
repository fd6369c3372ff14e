//! Raw requests with a product of one account, whose transport is a closure.

use std::{mem, sync::Mutex};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Uri, header};

use super::{given::SHORT, *};
use crate::{
    ErrorKind,
    context::rate_limit::Cost,
    ports::{Decision, Limits, Policy, PolicyRequest, TransportError, TransportErrorKind},
    product::{Product, ProxyRoute, ProxyRules, Rotation},
    proxy::{Checked, Part},
    state::AccountState,
    testing::{Responses, World, context, context_with, demo, insert_account, response},
};

pub(super) static RAW: Product = Product {
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v1", "api")],
        path_words: "notes v1",
        ..ProxyRules::BASE
    },
    ..demo(Rotation::Stable)
};

/// How a request ends, and how often it was sent. The product responds with `first` to the first attempt, then with
/// success.
fn sent(
    method: Method,
    body: Body,
    first: Result<u16, TransportErrorKind>,
) -> (Result<u16, ErrorKind>, usize) {
    let count = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&count);
    let transport = Responses::by(move |request: http::Request<Body>| {
        assert_eq!(request.headers()[header::AUTHORIZATION], "Bearer token-1");
        assert_eq!(request.headers()[header::ACCEPT_ENCODING], "identity");
        let mut count = counter.lock().unwrap();
        *count += 1;
        std::future::ready(match first {
            Err(kind) if *count == 1 => Err(TransportError::new(kind, "lost")),
            Ok(status) if *count == 1 => Ok(response(status, "")),
            _ => Ok(response(200, "")),
        })
    });
    let world = World::new();
    let context = context(&world, &RAW, transport);
    let mut request = http::Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = Uri::from_static("/v1/notes?a=1");
    let outcome = world.run(async {
        insert_account(&context, AccountState::Active).await;
        stream_raw(&context, "demo", "ada", request).await
    });
    let outcome = outcome
        .map(|response| response.status().as_u16())
        .map_err(|error| error.kind());
    let count = *count.lock().unwrap();
    (outcome, count)
}

/// A body that is too long to be read before sending.
fn stream() -> Body {
    Body::stream(http_body_util::Full::new(Bytes::from(vec![
        b'x';
        SHORT + 1
    ])))
}

#[test]
fn a_raw_request_is_resent_only_if_nothing_was_sent_and_its_body_is_buffered() {
    use ErrorKind::{OutcomeUnknown, ProductTimeout, ProductUnavailable, UpstreamTruncated};
    use TransportErrorKind::{Cut, TimedOut, Unreachable};
    let bytes = || Body::from(b"text".to_vec());
    for (method, body) in [(Method::GET, Body::Empty), (Method::POST, bytes())] {
        assert_eq!(sent(method, body, Err(Unreachable)), (Ok(200), 2));
    }
    for (method, body, kind, expected) in [
        (Method::POST, stream(), Unreachable, ProductUnavailable),
        (Method::POST, bytes(), TimedOut, OutcomeUnknown),
        (Method::GET, Body::Empty, TimedOut, ProductTimeout),
        (Method::GET, Body::Empty, Cut, UpstreamTruncated),
    ] {
        let name = format!("{method} {body:?} {kind:?}");
        let ended = sent(method, body, Err(kind));
        assert_eq!(ended, (Err(expected), 1), "{name}");
    }
}

#[test]
fn the_products_own_errors_are_responses_and_a_redirect_is_not() {
    for status in [404, 429, 503, 304] {
        let passed = sent(Method::POST, Body::Empty, Ok(status));
        assert_eq!(passed, (Ok(status), 1));
    }
    let redirected = sent(Method::POST, Body::Empty, Ok(307));
    assert_eq!(redirected, (Err(ErrorKind::UpstreamRedirectBlocked), 1));
}

#[test]
fn a_refused_token_that_cannot_be_refreshed_is_not_sent_again() {
    for body in [Body::Empty, stream()] {
        let refused = sent(Method::POST, body, Ok(401));
        assert_eq!(refused, (Err(ErrorKind::AuthorizationRequired), 1));
    }
}

/// A product that supports uploads, batches and long queries.
pub(super) static WHOLE: Product = Product {
    headers: &[("demo-token-kind", "oauth")],
    cost: |method, _| if *method == Method::GET { 1 } else { 5 },
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/v1", "api"),
            ProxyRoute::new("/upload", "api").upload(),
            ProxyRoute::new("/batch", "api").batch(),
        ],
        refused: Some("/v1/oauth"),
        takes_get_as_form: true,
        ..ProxyRules::BASE
    },
    ..demo(Rotation::Stable)
};

/// A request as the product received it.
#[derive(Debug)]
pub(super) struct Seen {
    line: String,
    pub(super) headers: HeaderMap,
    limits: Limits,
    pub(super) body: String,
}

/// The questions to a policy, which denies deletions.
#[derive(Default)]
struct NoDeletions(Mutex<Vec<String>>);

impl Policy for NoDeletions {
    fn admit(&self, request: &PolicyRequest<'_>) -> Decision {
        let (method, path) = request.target.unwrap();
        self.0.lock().unwrap().push(format!("{method} {path}"));
        match request.effect {
            Effect::Delete => Decision::Deny(String::from("no deletions")),
            _ => Decision::Allow,
        }
    }
}

pub(super) struct Outcome {
    pub(super) result: Result<http::Response<Body>>,
    pub(super) seen: Vec<Seen>,
    asked: Vec<String>,
}

/// Sends a request to a product that gives this response.
pub(super) fn exchange(
    send: impl AsyncFnOnce(&Context) -> Result<http::Response<Body>>,
    respond: impl Fn() -> http::Response<Body> + Send + Sync + 'static,
) -> Outcome {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let respond = Arc::new(respond);
    let transport = {
        let seen = Arc::clone(&seen);
        Responses::by(move |request: http::Request<Body>| {
            let (seen, respond) = (Arc::clone(&seen), Arc::clone(&respond));
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect(u64::MAX).await?;
                seen.lock().unwrap().push(Seen {
                    line: format!("{} {}", head.method, head.uri),
                    headers: head.headers,
                    limits: *head.extensions.get().unwrap(),
                    body: String::from_utf8(body.to_vec()).unwrap(),
                });
                Ok(respond())
            }
        })
    };
    let world = World::new();
    let policy = Arc::new(NoDeletions::default());
    let context = context_with(&world, &WHOLE, transport, Arc::clone(&policy) as _);
    let result = world.run(async {
        insert_account(&context, AccountState::Active).await;
        send(&context).await
    });
    let seen = mem::take(&mut *seen.lock().unwrap());
    let asked = mem::take(&mut *policy.0.lock().unwrap());
    Outcome {
        result,
        seen,
        asked,
    }
}

pub(super) fn over_http(
    method: Method,
    path: &str,
    headers: &[(&'static str, &str)],
    body: &str,
) -> http::Request<Body> {
    let mut request = http::Request::new(Body::from(body.as_bytes().to_vec()));
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().unwrap();
    for (name, value) in headers {
        request
            .headers_mut()
            .append(*name, HeaderValue::from_str(value).unwrap());
    }
    request
}

/// The outcome of a request over HTTP that gets this response.
pub(super) fn answered(
    request: http::Request<Body>,
    respond: impl Fn() -> http::Response<Body> + Send + Sync + 'static,
) -> Outcome {
    exchange(
        async |context| stream_raw(context, "demo", "ada", request).await,
        respond,
    )
}

pub(super) fn with_header(
    status: u16,
    name: header::HeaderName,
    value: &'static str,
) -> http::Response<Body> {
    let mut response = response(status, "");
    let value = HeaderValue::from_static(value);
    response.headers_mut().insert(name, value);
    response
}

pub(super) fn streamed(request: http::Request<Body>) -> Outcome {
    answered(request, || response(200, "{}"))
}

#[test]
fn the_product_gets_only_allowed_headers_and_those_of_stead() {
    let given = [
        ("accept", "application/json"),
        ("accept-encoding", "gzip, br"),
        ("authorization", "Bearer canary"),
        ("cookie", "canary=1"),
        ("demo-token-kind", "canary"),
        ("x-forwarded-host", "evil.test"),
    ];
    let request = over_http(Method::GET, "/v1/notes?a=1", &given, "");
    let seen = streamed(request).seen.remove(0);
    let expected = [
        ("accept", "application/json"),
        ("accept-encoding", "gzip, br"),
        ("authorization", "Bearer token-1"),
        ("demo-token-kind", "oauth"),
        ("user-agent", concat!("stead/", env!("CARGO_PKG_VERSION"))),
    ];
    let expected = expected.map(|(name, value)| {
        (
            http::HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    assert_eq!(seen.headers, HeaderMap::from_iter(expected));
    assert_eq!(seen.line, "GET https://api.demo.test/v1/notes?a=1");
}

#[test]
fn a_stream_has_no_largest_size_and_a_request_in_json_has() {
    let seen = streamed(over_http(Method::GET, "/v1/notes", &[], ""))
        .seen
        .remove(0);
    assert_eq!(seen.limits.response_bytes, u64::MAX);
    assert!(seen.limits.steady > 0);
    let request = ProxyRequest::new("demo", "ada", "GET", "/v1/notes");
    let written = exchange(
        async |context| send_raw(context, request).await,
        || response(200, "{}"),
    );
    assert_eq!(
        written.seen[0].limits.response_bytes,
        WHOLE.limits.response_bytes
    );
    assert_eq!(written.seen[0].limits.steady, 0);
}

#[test]
fn a_long_get_in_the_form_of_a_post_is_a_get() {
    const FORM: &[(&str, &str)] = &[
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-length", "2005"),
        ("x-http-method-override", "GET"),
    ];
    let query = format!("q=a+b&{}", "x".repeat(3000));
    let Outcome { seen, asked, .. } = streamed(over_http(Method::POST, "/v1/notes", FORM, &query));
    assert_eq!(
        seen[0].line,
        format!("GET https://api.demo.test/v1/notes?{query}")
    );
    assert_eq!(
        (seen[0].body.as_str(), asked[0].as_str()),
        ("", "GET /v1/notes")
    );
    for name in ["content-type", "content-length", "x-http-method-override"] {
        assert!(!seen[0].headers.contains_key(name), "{name}");
    }
    let both = streamed(over_http(Method::POST, "/v1/notes?alt=json", FORM, "q=a"));
    assert_eq!(
        both.seen[0].line,
        "GET https://api.demo.test/v1/notes?alt=json&q=a"
    );

    let too_long = "x".repeat(20_000);
    for (body, kind) in [
        ("key=1", ErrorKind::PathInvalid),
        ("a=b#c", ErrorKind::PathInvalid),
        ("a=b c", ErrorKind::PathInvalid),
        (too_long.as_str(), ErrorKind::RequestTooLarge),
    ] {
        let refused = streamed(over_http(Method::POST, "/v1/notes", FORM, body));
        assert_eq!(refused.result.unwrap_err().kind(), kind, "{:.20}", body);
        assert!(refused.seen.is_empty());
    }
}

/// A batch of these request lines.
pub(super) fn batch(lines: &[&str]) -> http::Request<Body> {
    let parts = lines.iter().map(|line| {
        format!("--b\nContent-Type: application/http\n\n{line}\nAuthorization: Bearer canary\n\n")
    });
    let body = format!("{}--b--\n", parts.collect::<String>());
    let kind = [("content-type", "multipart/mixed; boundary=b")];
    over_http(Method::POST, "/batch/demo/v1", &kind, &body)
}

#[test]
fn each_part_of_a_batch_is_admitted_by_the_policy() {
    let allowed = streamed(batch(&[
        "GET /v1/notes/1?a=b",
        "POST /proxy/demo/ada/v1/notes",
    ]));
    assert_eq!(allowed.asked, ["GET /v1/notes/1", "POST /v1/notes"]);
    assert_eq!(allowed.seen.len(), 1);
    let seen = &allowed.seen[0];
    assert_eq!(seen.line, "POST https://api.demo.test/batch/demo/v1");
    let body = &seen.body;
    for line in ["GET /v1/notes/1?a=b", "POST /v1/notes"] {
        assert!(body.contains(&format!("{line} HTTP/1.1\r\n")), "{body}");
    }
    assert!(
        !body.contains("canary") && !body.contains("--b\n"),
        "{body}"
    );
    let kind = seen.headers["content-type"].to_str().unwrap();
    let boundary = kind.strip_prefix("multipart/mixed; boundary=").unwrap();
    assert_eq!(body.matches(boundary).count(), 3);

    let denied = streamed(batch(&["GET /v1/notes/1", "DELETE /v1/notes/1"]));
    assert_eq!(denied.result.unwrap_err().kind(), ErrorKind::Forbidden);
    let wrong = streamed(batch(&["GET /v1/notes/1", "GET /v1/oauth/token"]));
    let error = wrong.result.unwrap_err();
    assert!(
        error.message().starts_with("part 2 of the batch: "),
        "{error}"
    );
    assert!(denied.seen.is_empty() && wrong.seen.is_empty());
}

#[test]
fn a_batch_has_the_cost_of_its_parts_and_their_strongest_effect() {
    let parts = |methods: &[Method]| {
        let part = |method: &Method| Part {
            method: method.clone(),
            path: String::from("/v1"),
            query: None,
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        let checked = Checked {
            method: Method::POST,
            origin: "api",
            kind: RouteKind::Batch,
            path_and_query: String::from("/batch"),
            headers: HeaderMap::new(),
        };
        let mut request = RawRequest::new(&ProxyRules::BASE, At::Path, checked, Body::Empty);
        request.parts = methods.iter().map(part).collect();
        let Cost { reads, writes } = request.cost(&WHOLE, &Uri::from_static("/"));
        (reads, writes, request.effect())
    };
    assert_eq!(parts(&[Method::GET, Method::GET]), (2, 0, Effect::Read));
    assert_eq!(parts(&[Method::GET, Method::PATCH]), (1, 5, Effect::Write));
    assert_eq!(
        parts(&[Method::DELETE, Method::POST]),
        (0, 10, Effect::Delete)
    );
}

#[test]
fn an_upload_session_continues_through_stead() {
    let begun = |location: &'static str| {
        let path = "/upload/notes?uploadType=resumable";
        let request = over_http(Method::POST, path, &[], "{}");
        answered(request, move || {
            with_header(200, header::LOCATION, location)
        })
        .result
    };
    let started =
        begun("https://api.demo.test/upload/notes?uploadType=resumable&upload_id=1").unwrap();
    assert_eq!(
        started.headers()[header::LOCATION],
        "https://stead.test/proxy/demo/ada/upload/notes?uploadType=resumable&upload_id=1"
    );
    let elsewhere = begun("https://evil.test/upload/notes?upload_id=1").unwrap();
    assert_eq!(elsewhere.status(), 200, "the product has begun it");
    assert_eq!(elsewhere.headers().get(header::LOCATION), None);

    let range = [("content-range", "bytes 0-1/4")];
    let request = over_http(Method::PUT, "/upload/notes?upload_id=1", &range, "ab");
    let more = answered(request, || with_header(308, header::RANGE, "bytes=0-1"));
    let more = more.result.unwrap();
    assert_eq!(more.status(), 308);
    assert_eq!(more.headers()[header::RANGE], "bytes=0-1");
}

#[test]
fn a_short_body_is_read_before_sending_and_must_come_in_time() {
    use http_body_util::{BodyExt as _, Full};
    let short = || Full::new(Bytes::from("text"));
    let (ended, count) = sent(
        Method::POST,
        Body::stream(short()),
        Err(TransportErrorKind::Unreachable),
    );
    assert_eq!((ended, count), (Ok(200), 2), "it can be sent again");

    let stalled = short().with_trailers(std::future::pending());
    let mut request = over_http(Method::POST, "/v1/notes", &[], "");
    *request.body_mut() = Body::stream(stalled);
    let given_up = streamed(request);
    let error = given_up.result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.message(), "the body wasn't complete after 60 s");
    assert!(given_up.seen.is_empty());
}
