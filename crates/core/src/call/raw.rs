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
///
/// # Errors
/// [`ErrorKind::PathInvalid`], [`ErrorKind::MethodNotAllowed`], [`ErrorKind::HeaderNotAllowed`], and any reason for which
/// the product does not respond. The product's own refusals are responses, not errors; only its 401 is not passed on.
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
///
/// # Errors
/// As [`send_raw`].
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
        let snapshot = context.snapshot(connection_name, identifier).await?;
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
