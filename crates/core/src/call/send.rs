use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use crate::{
    Error, ErrorKind, Result,
    context::Snapshot,
    context::{Context, Endpoints},
    ports::{Body, Limits, TransportError, TransportErrorKind},
    product::Product,
    tool::{ApiRequest, Effect, Retry},
};

const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("stead/", env!("CARGO_PKG_VERSION")));
const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The request's address: the pinned origin, and below it the encoded path.
pub(super) fn target(endpoints: &Endpoints, request: &ApiRequest, attempt: u8) -> Result<Uri> {
    let unknown = || {
        Error::new(
            ErrorKind::Internal,
            format!("the product has no origin {:?}", request.origin),
        )
    };
    let (origin, base) = endpoints.origin(request.origin).ok_or_else(unknown)?;
    let mut target = match request.retry {
        Retry::AlwaysWith(key, value) if attempt > 1 => {
            request.clone().query(key, value).target(base)?
        }
        _ => request.target(base)?,
    };
    target.insert_str(0, origin);
    Uri::try_from(target).map_err(|error| {
        Error::new(
            ErrorKind::InvalidRequest,
            "the request's path and query are too long",
        )
        .with_source(error)
    })
}

/// Sends one request with the snapshot's token.
pub(super) async fn send(
    context: &Context,
    product: &Product,
    request: &ApiRequest,
    target: Uri,
    snapshot: &Snapshot,
    left: Duration,
) -> Result<http::Response<Body>, Unsent> {
    let bearer = snapshot.usable()?.bearer().clone();
    let mut sending = http::Request::new(request.body.clone().map_or(Body::Empty, Body::from));
    *sending.method_mut() = request.method.clone();
    *sending.uri_mut() = target;
    let headers = sending.headers_mut();
    set_product_headers(headers, product);
    headers.insert(header::ACCEPT_ENCODING, GZIP);
    headers.insert(header::ACCEPT, JSON);
    if request.body.is_some() {
        headers.insert(header::CONTENT_TYPE, JSON);
    }
    for (name, value) in &request.headers {
        let value = HeaderValue::from_str(value).map_err(|_| {
            Error::new(
                ErrorKind::InvalidRequest,
                format!("the value for the header {name} holds characters that no header takes"),
            )
        })?;
        headers.insert(HeaderName::from_static(name), value);
    }
    headers.insert(header::AUTHORIZATION, bearer);
    let limits = Limits {
        total: product.limits.total.min(left),
        first_byte: product.limits.first_byte.min(left),
        ..product.limits
    };
    sending.extensions_mut().insert(limits);
    tracing::debug!(product = product.name, method = %request.method, "request to the product");
    Ok(context.transport.send(sending).await?)
}

/// Headers that every request to a product carries. Where the product names a user agent, it goes in place of ours.
pub(crate) fn set_product_headers(headers: &mut HeaderMap, product: &Product) {
    for (name, value) in product.headers {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::USER_AGENT).or_insert(USER_AGENT);
}

/// Why there is no answer.
pub(super) enum Unsent {
    /// Nothing was sent.
    Ours(Error),
    /// The transport failed.
    Transport(TransportError),
}

impl From<Error> for Unsent {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl From<TransportError> for Unsent {
    fn from(error: TransportError) -> Self {
        Self::Transport(error)
    }
}

/// A failed exchange as an error of the table. A write that may have been processed has an unknown outcome.
pub(crate) fn transport_failure(error: TransportError, effect: Effect) -> Error {
    let unknown = effect != Effect::Read && error.may_have_been_sent();
    let (kind, message) = match error.kind() {
        TransportErrorKind::TooLarge => (
            ErrorKind::ResponseTooLarge,
            "the product's answer is larger than allowed",
        ),
        _ if unknown => (
            ErrorKind::OutcomeUnknown,
            "the request was sent and its answer never came: it may or may not have been carried out",
        ),
        TransportErrorKind::Refused => (
            ErrorKind::InvalidRequest,
            "the request cannot be sent as it is",
        ),
        TransportErrorKind::TimedOut => (
            ErrorKind::ProductTimeout,
            "the product did not answer in time",
        ),
        TransportErrorKind::Unreachable => (
            ErrorKind::ProductUnavailable,
            "the product cannot be reached",
        ),
        TransportErrorKind::Cut => (
            ErrorKind::UpstreamTruncated,
            "the product's answer broke off",
        ),
    };
    Error::new(kind, message).with_source(error)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{
        state::AccountState,
        testing::{Answers, STABLE, World, always, context, insert_account, response},
    };

    /// What goes over the wire for a request, sent with a minute left.
    fn sent(request: &ApiRequest) -> Result<(http::request::Parts, Body), ErrorKind> {
        let seen = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&seen);
        let transport = Answers::by(move |request: http::Request<Body>| {
            *keep.lock().unwrap() = Some(request.into_parts());
            std::future::ready(Ok(response(200, "{}")))
        });
        let world = World::new();
        let context = context(&world, &STABLE, transport);
        let outcome = world.run(async {
            insert_account(&context, AccountState::Active).await;
            let snapshot = context.reload("demo", "ada").await?;
            let target = target(&snapshot.endpoints, request, 1)?;
            send(
                &context,
                &STABLE,
                request,
                target,
                &snapshot,
                Duration::from_secs(60),
            )
            .await
        });
        match outcome {
            Ok(_) => Ok(seen.lock().unwrap().take().unwrap()),
            Err(Unsent::Ours(error)) => Err(error.kind()),
            Err(Unsent::Transport(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn a_request_goes_to_the_pinned_origin_with_the_accounts_token() {
        let request = ApiRequest::post(["notes"])
            .json(&[1])
            .header("if-match", "7");
        let (head, body) = sent(&request).unwrap();
        assert_eq!(
            (head.method.as_str(), head.uri.to_string().as_str()),
            ("POST", "https://api.demo.test/v1/notes")
        );
        assert_eq!(head.headers[header::AUTHORIZATION], "Bearer token-1");
        assert!(head.headers[header::AUTHORIZATION].is_sensitive());
        assert_eq!(
            (&head.headers["if-match"], &head.headers["content-type"]),
            (&HeaderValue::from_static("7"), &JSON)
        );
        assert!(matches!(body, Body::Bytes(bytes) if bytes == "[1]"));
    }

    #[test]
    fn a_tool_cannot_send_another_token() {
        let (head, _) =
            sent(&ApiRequest::get(["notes"]).header("authorization", "Bearer other")).unwrap();
        let all: Vec<_> = head.headers.get_all(header::AUTHORIZATION).iter().collect();
        assert_eq!(all, ["Bearer token-1"]);
    }

    #[test]
    fn a_request_without_a_body_has_no_content_type() {
        let (head, body) = sent(&ApiRequest::get(["notes"])).unwrap();
        assert!(!head.headers.contains_key(header::CONTENT_TYPE) && matches!(body, Body::Empty));
    }

    #[test]
    fn time_limits_end_with_the_call() {
        let limits = *sent(&ApiRequest::get(["notes"]))
            .unwrap()
            .0
            .extensions
            .get::<Limits>()
            .unwrap();
        let minute = Duration::from_secs(60);
        assert_eq!(
            (limits.total, limits.first_byte),
            (minute, STABLE.limits.first_byte.min(minute))
        );
    }

    #[test]
    fn what_cannot_be_sent_as_it_is_is_not_sent() {
        assert_eq!(
            sent(&ApiRequest::get(["notes"]).header("if-match", "a\r\nb")).unwrap_err(),
            ErrorKind::InvalidRequest
        );
        assert_eq!(
            sent(&ApiRequest::get(["notes", ".."])).unwrap_err(),
            ErrorKind::InvalidRequest
        );
        assert_eq!(
            sent(&ApiRequest::get(["x".repeat(70_000)])).unwrap_err(),
            ErrorKind::InvalidRequest
        );
        assert_eq!(
            sent(&ApiRequest::get(["notes"]).origin("other")).unwrap_err(),
            ErrorKind::Internal
        );
    }

    #[test]
    fn a_repeat_says_that_it_is_one_where_the_product_asks() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let endpoints = context.endpoints("demo").unwrap();
        let request = ApiRequest::post(["notes"]).retry(Retry::AlwaysWith("retry", "true"));
        for (attempt, query) in [(1, None), (2, Some("retry=true")), (4, Some("retry=true"))] {
            assert_eq!(target(endpoints, &request, attempt).unwrap().query(), query);
        }
    }
}
