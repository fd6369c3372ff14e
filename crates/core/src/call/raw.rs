//! A call of the product's own API: path and headers are checked, and the response is passed on as it comes.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};

use super::{
    read::{self, Reading},
    record::Record,
    retry::{self, Failure},
    send::{Outgoing, Sender},
    unknown_after_panic,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Endpoints, Snapshot},
    domain::AccountRef,
    policy::{self, Action},
    ports::Body,
    product::Product,
    proxy::{self, Checked},
    resource::ProxyRequest,
    tool::{Effect, effect_of_method},
};

/// Names the execution on every response of the proxy.
const EXECUTION_ID: HeaderName = HeaderName::from_static("stead-execution-id");
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

/// Sends a raw request that is given as JSON.
pub(crate) async fn send_raw(
    context: &Context,
    request: ProxyRequest,
) -> Result<http::Response<Body>> {
    let ProxyRequest {
        connection_name,
        identifier,
        path,
        method,
        query,
        headers,
        body,
    } = request;
    call(context, &connection_name, &identifier, |product| {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()));
        let checked = proxy::check_written(
            &product.proxy,
            &method,
            &path,
            &query,
            headers,
            body.is_some(),
        )?;
        let body = body.map_or(Body::Empty, |body| body.to_string().into_bytes().into());
        Ok((checked, body))
    })
    .await
}

/// Sends a raw request as it came over HTTP: `request`'s URI is the product's path and query, byte for byte.
pub(crate) async fn stream_raw(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    request: http::Request<Body>,
) -> Result<http::Response<Body>> {
    // This service speaks plain HTTP: where users reach it by https, a TLS proxy stands before it.
    let behind_proxy = context.public_url.scheme() == "https";
    call(context, connection_name, identifier, |product| {
        let (head, body) = request.into_parts();
        let checked = proxy::check_received(&product.proxy, &head, behind_proxy)?;
        Ok((checked, body))
    })
    .await
}

/// The stages in their order. A request that changes something goes on even when its caller hangs up.
async fn call(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    check: impl FnOnce(&Product) -> Result<(Checked, Body)>,
) -> Result<http::Response<Body>> {
    let mut record = Record::begin(context, "proxy", connection_name, identifier);
    let admitted = async {
        let guard = context.tasks.enter()?;
        let snapshot = context
            .snapshot(&AccountRef::new(connection_name, identifier)?)
            .await?;
        record.account(snapshot.account.id);
        snapshot.usable()?;
        let (checked, body) = check(snapshot.endpoints.product)?;
        record.version(checked.method.as_str());
        let request = RawRequest::new(&snapshot.endpoints, checked, body)?;
        let action = Action::Request {
            method: request.method.as_str(),
            path: &request.path,
        };
        policy::admit(context, &snapshot, request.effect, action)?;
        Ok((guard, snapshot, request))
    };
    let (guard, snapshot, request) = match admitted.await {
        Ok(admitted) => admitted,
        Err(error) => return record.end(Err(error)),
    };
    if request.effect == Effect::Read {
        return send(context, snapshot, request, record).await;
    }
    context
        .detached(|context| async move {
            let _guard = guard;
            send(&context, snapshot, request, record).await
        })
        .await
        .map_err(unknown_after_panic)?
}

async fn send(
    context: &Context,
    snapshot: Arc<Snapshot>,
    request: RawRequest,
    record: Record,
) -> Result<http::Response<Body>> {
    let deadline = snapshot.endpoints.product.limits.total;
    let sender = Sender::new(context, snapshot, deadline, record.requests());
    let result = sender.send(request).await;
    let id = record.id();
    let mut response = record.end(result)?;
    if let Ok(id) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert(EXECUTION_ID, id);
    }
    Ok(response)
}

/// A request that passed the rules of the proxy; its response is passed on as a stream.
struct RawRequest {
    method: Method,
    uri: Uri,
    /// Path without the origin and the query, for policy and cost.
    path: String,
    headers: HeaderMap,
    body: Option<Body>,
    /// Bytes at hand can be sent once more; a stream cannot.
    spare: Option<Bytes>,
    effect: Effect,
}

impl RawRequest {
    fn new(endpoints: &Endpoints, checked: Checked, body: Body) -> Result<Self> {
        let (prefix, _) = endpoints.origin_or_fail(checked.origin)?;
        let mut path = checked.path_and_query;
        let uri = Uri::try_from(format!("{prefix}{path}")).map_err(|error| {
            Error::new(ErrorKind::PathInvalid, "the path cannot be part of a URI")
                .with_source(error)
        })?;
        path.truncate(path.find('?').unwrap_or(path.len()));
        let mut headers = checked.headers;
        headers.entry(header::ACCEPT_ENCODING).or_insert(IDENTITY);
        Ok(Self {
            effect: effect_of_method(&checked.method),
            method: checked.method,
            uri,
            path,
            headers,
            spare: match &body {
                Body::Empty => Some(Bytes::new()),
                Body::Bytes(bytes) => Some(bytes.clone()),
                Body::Stream(_) => None,
            },
            body: Some(body),
        })
    }
}

impl Outgoing for RawRequest {
    type Response = http::Response<Body>;

    fn effect(&self) -> Effect {
        self.effect
    }

    fn target(&self, _: &Endpoints, _: u8) -> Result<Uri> {
        Ok(self.uri.clone())
    }

    fn units(&self, product: &Product, _: &Uri) -> u32 {
        (product.cost)(&self.method, &self.path)
    }

    fn build(&mut self, target: Uri) -> Result<http::Request<Body>> {
        let again = || self.spare.clone().map(Body::from);
        let body = self.body.take().or_else(again).unwrap_or_default();
        let mut request = http::Request::new(body);
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = target;
        *request.headers_mut() = self.headers.clone();
        Ok(request)
    }

    fn is_repeatable(&self) -> bool {
        self.spare.is_some()
    }

    async fn read(
        &mut self,
        _: &Context,
        _: &Product,
        _: u8,
        response: http::Response<Body>,
    ) -> Reading<http::Response<Body>> {
        read::streamed(response)
    }

    fn pause(&self, _: &Context, failure: &Failure, attempt: u8, _: Duration) -> Option<Duration> {
        self.is_repeatable()
            .then(|| retry::at_once(failure, attempt))
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{
        ports::{TransportError, TransportErrorKind},
        product::{ProxyRoute, ProxyRules, Rotation},
        state::AccountState,
        testing::{Responses, World, context, demo, insert_account, response},
    };

    static RAW: Product = Product {
        proxy: ProxyRules {
            routes: &[ProxyRoute::new("/v1", "api")],
            ..ProxyRules::BASE
        },
        ..demo(Rotation::Stable)
    };

    /// How a request ends, and how often it was sent, where the product meets it first with `first` and then with success.
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

    fn stream() -> Body {
        Body::stream(http_body_util::Full::new(Bytes::from("text")))
    }

    #[test]
    fn a_request_is_sent_once_more_only_where_nothing_was_sent_and_its_body_is_at_hand() {
        use TransportErrorKind::{Cut, TimedOut, Unreachable};
        let bytes = || Body::from(b"text".to_vec());
        let cases = [
            (Method::GET, Body::Empty, Unreachable, Ok(200), 2),
            (Method::POST, bytes(), Unreachable, Ok(200), 2),
            (
                Method::POST,
                stream(),
                Unreachable,
                Err(ErrorKind::ProductUnavailable),
                1,
            ),
            (
                Method::POST,
                bytes(),
                TimedOut,
                Err(ErrorKind::OutcomeUnknown),
                1,
            ),
            (
                Method::GET,
                Body::Empty,
                TimedOut,
                Err(ErrorKind::ProductTimeout),
                1,
            ),
            (
                Method::GET,
                Body::Empty,
                Cut,
                Err(ErrorKind::UpstreamTruncated),
                1,
            ),
        ];
        for (method, body, kind, expected, count) in cases {
            let name = format!("{method} {body:?} {kind:?}");
            assert_eq!(sent(method, body, Err(kind)), (expected, count), "{name}");
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
}
