//! A raw request to a product: validated, sent with the user's token, its answer passed on as it comes.

mod answer;
mod headers;
mod path;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};

use crate::{
    Error, ErrorKind, Result,
    call::{self, Record, set_product_headers, transport_failure, unknown_after_panic},
    context::Context,
    context::Snapshot,
    error::Upstream,
    oauth::{self, Renewal},
    ports::{Body, Limits, TransportErrorKind},
    resource::ProxyRequest,
    tool::{Effect, effect_of_method},
};

/// Names the execution on every answer of the proxy.
const EXECUTION_ID: HeaderName = HeaderName::from_static("stead-execution-id");
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

/// A validated request.
struct Outgoing {
    method: Method,
    uri: Uri,
    /// Path without the origin and the query, for policy and cost.
    path: String,
    headers: HeaderMap,
    body: Body,
    effect: Effect,
}

/// Sends a raw request that is given as JSON.
///
/// # Errors
/// [`ErrorKind::PathInvalid`], [`ErrorKind::MethodNotAllowed`], [`ErrorKind::HeaderNotAllowed`], and whatever keeps the
/// product from answering. The product's own refusals are answers, not errors; its 401 alone is not passed on.
pub(crate) async fn send(context: &Context, request: ProxyRequest) -> Result<http::Response<Body>> {
    let ProxyRequest {
        connection_name,
        identifier,
        path,
        method,
        query,
        headers,
        body,
    } = request;
    pass(context, &connection_name, &identifier, |snapshot| {
        let method = path::method(&method)?;
        let resolved = path::resolve(&snapshot.endpoints.product.proxy, &path)?;
        let path_and_query = path::with_query(&resolved.path_and_query, &query)?;
        let given = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()));
        let mut headers = headers::request_headers(&snapshot.endpoints.product.proxy, given)?;
        let body = match body {
            None => Body::Empty,
            Some(body) => {
                headers
                    .entry(header::CONTENT_TYPE)
                    .or_insert(HeaderValue::from_static("application/json"));
                body.to_string().into_bytes().into()
            }
        };
        outgoing(
            snapshot,
            method,
            resolved.origin,
            path_and_query,
            headers,
            body,
        )
    })
    .await
}

/// Sends a raw request as it came over HTTP: `request`'s URI is the product's path and query, byte for byte.
///
/// # Errors
/// As [`Context::proxy`].
pub(crate) async fn stream(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    request: http::Request<Body>,
) -> Result<http::Response<Body>> {
    // This service speaks plain HTTP: where users reach it by https, a TLS proxy stands before it.
    let behind_proxy = context.public_url.scheme() == "https";
    pass(context, connection_name, identifier, |snapshot| {
        let (head, body) = request.into_parts();
        let method = path::method(head.method.as_str())?;
        let raw = head.uri.path_and_query().map_or("", |raw| raw.as_str());
        let resolved = path::resolve(&snapshot.endpoints.product.proxy, raw)?;
        let headers = headers::streamed_headers(
            &snapshot.endpoints.product.proxy,
            &head.headers,
            behind_proxy,
        )?;
        outgoing(
            snapshot,
            method,
            resolved.origin,
            resolved.path_and_query,
            headers,
            body,
        )
    })
    .await
}

/// Account, validation, policy, and then the product. A request that changes something goes on where the caller
/// hangs up.
async fn pass(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    validate: impl FnOnce(&Snapshot) -> Result<Outgoing>,
) -> Result<http::Response<Body>> {
    let mut record = Record::begin(context, "proxy", connection_name, identifier);
    let admitted = async {
        let guard = context.tasks.enter()?;
        let snapshot = context.snapshot(connection_name, identifier).await?;
        record.account(snapshot.account.id);
        snapshot.usable()?;
        let outgoing = validate(&snapshot)?;
        record.version(outgoing.method.as_str());
        call::admit_proxy(
            context,
            &snapshot,
            outgoing.effect,
            outgoing.method.as_str(),
            &outgoing.path,
        )?;
        Ok((guard, snapshot, outgoing))
    };
    let (guard, snapshot, outgoing) = match admitted.await {
        Ok(admitted) => admitted,
        Err(error) => return record.end(Err(error)),
    };
    if outgoing.effect == Effect::Read {
        return send_recorded(context, snapshot, outgoing, record).await;
    }
    context
        .detached(|context| async move {
            let _guard = guard;
            send_recorded(&context, snapshot, outgoing, record).await
        })
        .await
        .map_err(unknown_after_panic)?
}

async fn send_recorded(
    context: &Context,
    snapshot: Arc<Snapshot>,
    outgoing: Outgoing,
    record: Record,
) -> Result<http::Response<Body>> {
    let (requests, id) = (record.requests(), record.id());
    let mut response = record.end(send_proxied(context, snapshot, outgoing, &requests).await)?;
    if let Ok(id) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert(EXECUTION_ID, id);
    }
    Ok(response)
}

async fn send_proxied(
    context: &Context,
    mut snapshot: Arc<Snapshot>,
    outgoing: Outgoing,
    requests: &AtomicU32,
) -> Result<http::Response<Body>> {
    let Outgoing {
        method,
        uri,
        path,
        headers,
        body,
        effect,
    } = outgoing;
    let product = snapshot.endpoints.product;
    let ends_at = context.monotonic() + product.limits.total;
    let left = || ends_at.saturating_sub(context.monotonic());
    let units = (product.cost)(&method, &path);
    // Bytes at hand can be sent once more; a stream cannot.
    let spare = match &body {
        Body::Empty => Some(bytes::Bytes::new()),
        Body::Bytes(bytes) => Some(bytes.clone()),
        Body::Stream(_) => None,
    };
    let mut body = Some(body);
    let (mut renewed, mut repeated) = (false, false);
    loop {
        let (permit, waited) = snapshot
            .pace
            .turn(context.runtime.as_ref(), units, left())
            .await?;
        if waited {
            // The account may have been disconnected or renewed while this request waited for its turn.
            snapshot = context
                .snapshot(
                    snapshot.connection.name.as_str(),
                    snapshot.account.identifier.as_str(),
                )
                .await?;
        }
        let live = oauth::live(context, Arc::clone(&snapshot)).await?;
        let left = left();
        if left.is_zero() {
            return Err(Error::new(
                ErrorKind::ProductTimeout,
                "the call's time is over; this request was not sent",
            ));
        }
        requests.fetch_add(1, Ordering::Relaxed);
        let mut request = http::Request::new(body.take().unwrap_or_default());
        *request.method_mut() = method.clone();
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers.clone();
        request
            .headers_mut()
            .entry(header::ACCEPT_ENCODING)
            .or_insert(IDENTITY);
        set_product_headers(request.headers_mut(), product);
        request
            .headers_mut()
            .insert(header::AUTHORIZATION, live.usable()?.bearer().clone());
        request.extensions_mut().insert(Limits {
            total: left,
            ..product.limits
        });
        let sent = context.transport.send(request).await;
        drop(permit);
        let response = match sent {
            Ok(response) => response,
            Err(error)
                if error.kind() == TransportErrorKind::Unreachable
                    && !repeated
                    && spare.is_some() =>
            {
                // Nothing was sent: one more attempt is safe for every method.
                repeated = true;
                body = spare.clone().map(Body::from);
                continue;
            }
            Err(error) => return Err(transport_failure(error, effect)),
        };
        if response.status() == http::StatusCode::UNAUTHORIZED {
            if renewed || spare.is_none() {
                return Err(unauthorized(context, &live, renewed).await);
            }
            renewed = true;
            snapshot = oauth::renew(context, &live, Renewal::Refused).await?;
            body = spare.clone().map(Body::from);
            continue;
        }
        return passed_on(response);
    }
}

/// The product's 401 that cannot be mended by sending again. The credential is renewed for the next call.
async fn unauthorized(context: &Context, live: &Arc<Snapshot>, renewed: bool) -> Error {
    if !renewed && let Err(error) = oauth::renew(context, live, Renewal::Refused).await {
        return error;
    }
    let message = if renewed {
        "the product refuses a token that it has just issued; if this stays, the user has to authorize again"
    } else {
        "the product refused the token, and a streamed body cannot be sent twice; the token is renewed, send again"
    };
    Error::new(ErrorKind::ProductRejectedToken, message).with_upstream(Upstream::new(401))
}

fn outgoing(
    snapshot: &Snapshot,
    method: Method,
    origin: &str,
    path_and_query: String,
    headers: HeaderMap,
    body: Body,
) -> Result<Outgoing> {
    let unknown = || {
        Error::new(
            ErrorKind::Internal,
            format!("the product has no origin {origin:?}"),
        )
    };
    let (prefix, _) = snapshot.endpoints.origin(origin).ok_or_else(unknown)?;
    let uri = Uri::try_from(format!("{prefix}{path_and_query}")).map_err(|error| {
        Error::new(ErrorKind::PathInvalid, "the path cannot be part of a URI").with_source(error)
    })?;
    let mut path = path_and_query;
    path.truncate(path.find('?').unwrap_or(path.len()));
    Ok(Outgoing {
        effect: effect_of_method(&method),
        method,
        uri,
        path,
        headers,
        body,
    })
}

fn passed_on(response: http::Response<Body>) -> Result<http::Response<Body>> {
    let (mut head, body) = response.into_parts();
    if head.status.is_redirection() && head.status != http::StatusCode::NOT_MODIFIED {
        let host = answer::redirect_host(&head.headers)
            .unwrap_or_else(|| String::from("an unnamed place"));
        return Err(Error::new(
            ErrorKind::UpstreamRedirectBlocked,
            format!("the product redirects to {host}; credentials are not sent along"),
        )
        .with_upstream(Upstream::new(head.status.as_u16())));
    }
    head.headers = answer::answer_headers(head.headers);
    Ok(http::Response::from_parts(head, body))
}
