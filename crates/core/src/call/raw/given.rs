//! A raw request as received, validated by the proxy's rules.

use std::{mem, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use http::{HeaderValue, header};
use http_body::Body as _;
use serde_json::Value;

use crate::{
    Error, ErrorKind, Result,
    call::once::Keyed,
    context::{
        Context,
        bulkheads::{Held, Unread},
        time_is_over,
    },
    ports::{Body, TransportErrorKind},
    product::Product,
    proxy::{self, Checked},
    resource::ProxyRequest,
};

/// A body of at most this many bytes is read before sending, so that a safe retry can send it again.
pub(super) const SHORT: usize = 64 * 1024;
/// Longest wait for a body that is read completely, so that a slow caller doesn't block a call forever.
const BODY: Duration = Duration::from_secs(60);

/// A raw request as the caller gave it.
pub(super) enum Given {
    /// Its parts as members of a JSON document.
    Written(ProxyRequest),
    /// As received over HTTP.
    Received(http::Request<Body>),
}

impl Given {
    /// Whether to describe it and not send it.
    pub(super) fn is_dry_run(&self) -> bool {
        matches!(self, Self::Written(request) if request.dry_run)
    }

    /// The idempotency key, unless this is a `GET`, a `HEAD` or a dry run.
    pub(super) fn keyed(&self, context: &Context) -> Result<Option<Keyed>> {
        let Self::Written(request) = self else {
            return Ok(None);
        };
        let may_change = !matches!(request.method.as_str(), "GET" | "HEAD");
        let key = request.idempotency_key.as_deref();
        let key = key.filter(|_| may_change && !request.dry_run);
        key.map(|key| Keyed::new(context, "proxy", key, request))
            .transpose()
    }

    pub(super) async fn check(
        self,
        context: &Context,
        product: &Product,
        held: &Arc<Held>,
    ) -> Result<(Checked, Body)> {
        match self {
            Self::Written(request) => {
                let headers = request.headers.iter();
                let checked = proxy::check_written(
                    &product.proxy,
                    &request.method,
                    &request.path,
                    &request.query,
                    headers.map(|(name, value)| (name.as_str(), value.as_bytes())),
                    request.body.is_some(),
                )?;
                let body = match request.body {
                    Some(body) => Some(written(body, checked.headers.get(header::CONTENT_TYPE))?),
                    None => None,
                };
                held.add(body.as_ref().map_or(0, Vec::len) as u64)?;
                Ok((checked, body.map_or(Body::Empty, Body::from)))
            }
            Self::Received(request) => {
                let (mut head, mut body) = request.into_parts();
                if proxy::is_get_as_form(&product.proxy, &head)? {
                    let query =
                        whole(context, mem::take(&mut body), proxy::MAX_QUERY, held).await?;
                    proxy::into_get(&mut head, &query)?;
                }
                let checked = proxy::check_received(&product.proxy, &head)?;
                let body = match body.size_hint().upper() {
                    Some(length) if length <= SHORT as u64 => {
                        whole(context, body, SHORT, held).await?.into()
                    }
                    _ => body,
                };
                Ok((checked, body))
            }
        }
    }
}

/// A body that is given in JSON, as the product receives it. With another content type it must be a text, which is sent
/// unchanged.
fn written(body: Value, content_type: Option<&HeaderValue>) -> Result<Vec<u8>> {
    let named = content_type.and_then(|named| named.to_str().ok());
    let named = named.unwrap_or("application/json");
    let essence = named.split(';').next().unwrap_or_default().trim();
    let is_json = essence.to_ascii_lowercase().ends_with("json");
    match body {
        Value::String(text) if !is_json => Ok(text.into_bytes()),
        _ if !is_json => Err(Error::invalid_at(
            "/body",
            format!("with the Content-Type {essence}, the body must be a JSON string"),
        )),
        body => Ok(body.to_string().into_bytes()),
    }
}

/// The complete body, if the rules need it.
pub(super) async fn whole(
    context: &Context,
    body: Body,
    limit: usize,
    held: &Arc<Held>,
) -> Result<Bytes> {
    let mut reading = pin!(held.collect(body, limit as u64, 1));
    // Most short bodies are available immediately and need no timer.
    let read = match reading.as_mut().now_or_never() {
        Some(read) => read,
        None => match select(reading, context.host.runtime.sleep(context.at_most(BODY))).await {
            Either::Left((read, _)) => read,
            Either::Right(_) if context.at_most(BODY).is_zero() => return Err(time_is_over()),
            Either::Right(_) => {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!("the body wasn't complete after {} s", BODY.as_secs()),
                ));
            }
        },
    };
    read.map_err(|unread| {
        let error = match unread {
            Unread::Overloaded(error) => return error,
            Unread::Broken(error) => error,
        };
        let (kind, message) = match error.kind() {
            TransportErrorKind::TooLarge => (
                ErrorKind::RequestTooLarge,
                format!("the body is larger than {limit} bytes"),
            ),
            _ => (
                ErrorKind::InvalidRequest,
                String::from("the body was interrupted; send the request again"),
            ),
        };
        Error::new(kind, message).with_source(error)
    })
}
