//! The port of a tool that runs for real.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use http::{HeaderName, HeaderValue, Uri, header};

use super::{
    read::{self, Reading},
    retry::{self, Failure},
    send::{Outgoing, Sender, set_product_headers},
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Endpoints, Snapshot, bulkheads::Held, rate_limit::Cost},
    policy::Admission,
    ports::{Body, BoxFuture},
    product::Product,
    tool::{ApiRequest, Effect, IoBackend, Response, Retry},
};

const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Sends a tool's requests with the user's token.
pub(super) struct ToolIo<'c> {
    sender: Sender<'c>,
    repeats_interrupted: bool,
}

impl<'c> ToolIo<'c> {
    /// `repeats_interrupted` says whether an earlier run with the same ID was interrupted, so that every request may be
    /// a retry.
    pub(super) fn new(sender: Sender<'c>, repeats_interrupted: bool) -> Self {
        Self {
            sender,
            repeats_interrupted,
        }
    }

    /// The decisions of policies on the call.
    pub(super) fn admission(&self) -> &'c Admission {
        self.sender.admission
    }

    async fn send(&self, request: ApiRequest) -> Result<Response> {
        let repeats_interrupted = self.repeats_interrupted;
        let request = &mut ToolRequest {
            request,
            repeats_interrupted,
        };
        self.sender.send(request).await
    }
}

impl IoBackend for ToolIo<'_> {
    fn exchange(&self, mut requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>> {
        if requests.len() == 1
            && let Some(request) = requests.pop()
        {
            return Box::pin(async move { vec![self.send(request).await] });
        }
        let at_once = self.sender.at_once();
        let sending = stream::iter(requests)
            .map(|request| self.send(request))
            .buffered(at_once);
        Box::pin(sending.collect())
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.sender.pause(duration))
    }
}

/// A tool's request as its first attempt would be sent, without the user's token.
pub(super) fn first_attempt(
    request: ApiRequest,
    endpoints: &Endpoints,
) -> Result<http::Request<Body>> {
    let mut first = ToolRequest {
        request,
        repeats_interrupted: false,
    };
    let target = first.target(endpoints, 1)?;
    let mut request = first.build(target)?;
    set_product_headers(request.headers_mut(), endpoints.product);
    Ok(request)
}

/// One request of a tool. Its response is read completely.
struct ToolRequest {
    request: ApiRequest,
    repeats_interrupted: bool,
}

impl Outgoing for ToolRequest {
    type Response = Response;

    fn origin(&self) -> &'static str {
        self.request.origin
    }

    fn effect(&self) -> Effect {
        self.request.effect_of()
    }

    /// The pinned origin, followed by the encoded path.
    fn target(&self, endpoints: &Endpoints, attempt: u8) -> Result<Uri> {
        let (_, base) = endpoints.origin_or_fail(self.request.origin)?;
        let target = match self.request.retry {
            Retry::AlwaysWith(key, value) if attempt > 1 || self.repeats_interrupted => {
                self.request.clone().query(key, value).target(base)?
            }
            _ => self.request.target(base)?,
        };
        let target = endpoints.target(self.request.origin, &target);
        target.map_err(|error| {
            Error::new(
                ErrorKind::InvalidRequest,
                "the request's path and query are too long",
            )
            .with_source(error)
        })
    }

    fn cost(&self, product: &Product, target: &Uri) -> Cost {
        Cost::of(
            self.effect(),
            (product.cost)(&self.request.method, target.path()),
        )
    }

    fn build(&mut self, target: Uri) -> Result<http::Request<Body>> {
        let body = self.request.body.clone();
        let mut request = http::Request::new(body.map_or(Body::Empty, Body::from));
        *request.method_mut() = self.request.method.clone();
        *request.uri_mut() = target;
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT_ENCODING, GZIP);
        headers.insert(header::ACCEPT, JSON);
        match self.request.content_type() {
            None => {}
            // Most bodies are JSON, so this header isn't built each time.
            Some(ApiRequest::JSON) => drop(headers.insert(header::CONTENT_TYPE, JSON)),
            Some(other) => {
                headers.insert(header::CONTENT_TYPE, value_of("content-type", other)?);
            }
        }
        for (name, value) in &self.request.headers {
            headers.insert(HeaderName::from_static(name), value_of(name, value)?);
        }
        Ok(request)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    async fn read(
        &mut self,
        context: &Context,
        snapshot: &Snapshot,
        attempt: u8,
        response: http::Response<Body>,
        held: &Arc<Held>,
    ) -> Reading<Response> {
        let product = snapshot.endpoints.product;
        read::whole(context, product, &self.request, attempt, response, held).await
    }

    fn pause(
        &self,
        context: &Context,
        failure: &Failure,
        attempt: u8,
        left: Duration,
    ) -> Option<Duration> {
        retry::pause(context, self.request.retry, failure, attempt, left)
    }
}

/// The value of a header.
fn value_of(name: &str, value: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(value).map_err(|_| {
        Error::new(
            ErrorKind::InvalidRequest,
            format!("the value for the header {name} has characters that a header can't contain"),
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, atomic::AtomicU32};

    use super::*;
    use crate::{
        ports::Limits,
        state::AccountState,
        testing::{Responses, STABLE, World, always, context, insert_account, response},
    };

    const MINUTE: Duration = Duration::from_secs(60);

    /// The request as it is sent, for a call with one minute left.
    fn sent(request: &ApiRequest) -> Result<(http::request::Parts, Body), ErrorKind> {
        let seen = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&seen);
        let transport = Responses::by(move |request: http::Request<Body>| {
            *keep.lock().unwrap() = Some(request.into_parts());
            std::future::ready(Ok(response(200, "{}")))
        });
        let world = World::new();
        let context = context(&world, &STABLE, transport);
        let outcome = world.run(async {
            insert_account(&context, AccountState::Active).await;
            let snapshot = context
                .reload(&crate::domain::AccountRef::new("demo", "ada")?)
                .await?;
            let (requests, held) = (AtomicU32::new(0), context.limits.bulkheads.bytes());
            let admission = Admission::of(&context, false).await?;
            let sender = Sender::new(&context, snapshot, MINUTE, &requests, &held, &admission);
            ToolIo::new(sender, false).send(request.clone()).await
        });
        outcome
            .map(|_| seen.lock().unwrap().take().unwrap())
            .map_err(|error| error.kind())
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
    fn an_upload_has_its_own_base_and_media_type() {
        let request = ApiRequest::post(["notes"]).base("/upload/v1");
        let request = request.body("text/plain; charset=UTF-8", &b"\xff"[..]);
        let (head, body) = sent(&request).unwrap();
        assert_eq!(
            head.uri.to_string(),
            "https://api.demo.test/upload/v1/notes"
        );
        assert_eq!(
            head.headers[header::CONTENT_TYPE],
            "text/plain; charset=UTF-8"
        );
        assert!(matches!(body, Body::Bytes(bytes) if bytes == b"\xff"[..]));
        let broken = request.body("text/plain\r\nx: y", "");
        assert_eq!(sent(&broken).unwrap_err(), ErrorKind::InvalidRequest);
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
        assert_eq!(
            (limits.total, limits.first_byte),
            (MINUTE, STABLE.limits.first_byte.min(MINUTE))
        );
    }

    #[test]
    fn a_malformed_request_of_a_tool_is_not_sent() {
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
    fn a_retry_is_marked_if_the_product_wants_it() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let endpoints = context.products.endpoints("demo").unwrap();
        let cases = [
            (false, 1, None),
            (false, 2, Some("retry=true")),
            (false, 4, Some("retry=true")),
            // An earlier run was interrupted.
            (true, 1, Some("retry=true")),
        ];
        for (repeats_interrupted, attempt, query) in cases {
            let request = ApiRequest::post(["notes"]).retry(Retry::AlwaysWith("retry", "true"));
            let request = ToolRequest {
                request,
                repeats_interrupted,
            };
            assert_eq!(request.target(endpoints, attempt).unwrap().query(), query);
        }
    }
}
