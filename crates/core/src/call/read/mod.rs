//! The two ways to read a product's response: whole, for a tool, or as a stream that is passed on to the caller.

use std::{io::Read as _, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::IgnoredAny;

use super::retry::{Failure, Processed};
use crate::{
    Error, ErrorKind, Result,
    context::{
        Context,
        bulkheads::{Held, Unread},
    },
    error::Upstream,
    ports::Body,
    product::{Product, RouteKind},
    proxy,
    scrub::Secrets,
    tool::{ApiRequest, Effect, Response},
};

/// Largest response that a tool reads, after decompression.
const RESPONSE_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum growth by decompression. Plain-text mails reach about 20.
const RATIO: u64 = 100;

/// Number of bytes of an error's body that are searched for secrets.
pub(super) const ERROR_BYTES: usize = 64 * 1024;

/// Number of copies of each byte in memory: the received response and the response to the caller.
const COPIES: u64 = 2;

/// Usual growth of compressed JSON.
const USUAL_RATIO: u64 = 4;
/// Number of bytes to decompress before more memory is reserved.
const STEP: u64 = 256 * 1024;

/// Result of a request.
pub(super) enum Reading<T> {
    Response(T),
    /// The product's 401.
    Unauthorized,
    Failure(Failure),
}

/// Forwards a response as it arrives, including the product's own errors. `here` maps a URL of the product to Stead's
/// URL for it.
pub(super) fn streamed(
    response: http::Response<Body>,
    kind: RouteKind,
    here: impl Fn(&str) -> Option<String>,
) -> Reading<http::Response<Body>> {
    let status = response.status();
    if status == StatusCode::UNAUTHORIZED {
        return Reading::Unauthorized;
    }
    match proxy::passed_on(response, kind, here) {
        Ok(response) => Reading::Response(response),
        Err(error) => Reading::Failure(Failure::of_response(error, status)),
    }
}

/// Masks the token in a forwarded error of the product. The length stays the same.
pub(super) async fn without_secrets(
    mut response: http::Response<Body>,
    secrets: &Secrets,
    effect: Effect,
) -> Result<http::Response<Body>, Failure> {
    let headers = response.headers_mut();
    for value in headers.values_mut() {
        let clean = value
            .to_str()
            .ok()
            .and_then(|text| secrets.overwritten(text));
        if let Some(clean) = clean.and_then(|text| HeaderValue::try_from(text).ok()) {
            *value = clean;
        }
    }
    let (head, body) = response.into_parts();
    let clean = |seen: Bytes| {
        let text = str::from_utf8(&seen).ok();
        let clean = text.and_then(|text| secrets.overwritten(text));
        clean.map_or(seen, Bytes::from)
    };
    match body.peek_edited(ERROR_BYTES, clean).await {
        Ok((_, body)) => Ok(http::Response::from_parts(head, body)),
        Err(error) => Err(Failure::of_body(error, effect, head.status)),
    }
}

/// Reads a complete response and classifies it by the product's table.
pub(super) async fn whole(
    context: &Context,
    product: &Product,
    request: &ApiRequest,
    attempt: u8,
    response: http::Response<Body>,
    held: &Arc<Held>,
) -> Reading<Response> {
    let (head, body) = response.into_parts();
    let limit = RESPONSE_BYTES.min(product.limits.response_bytes);
    let body = match held.collect(body, limit, COPIES).await {
        Ok(body) => body,
        Err(Unread::Broken(error)) => {
            let effect = request.effect_of();
            return Reading::Failure(Failure::of_body(error, effect, head.status));
        }
        Err(Unread::Overloaded(error)) => {
            return Reading::Failure(Failure::of_response(error, head.status));
        }
    };
    let mut headers = head.headers;
    let body = match decompressed(context, &mut headers, body, held).await {
        Ok(body) => body,
        Err(error) => return Reading::Failure(Failure::of_response(error, head.status)),
    };
    tracing::debug!(
        product = product.name,
        status = head.status.as_u16(),
        bytes = body.len(),
        "response of the product"
    );
    let response = Response::new(head.status.as_u16(), headers, body).with_attempt(attempt);
    classify(context, product, request, response).await
}

async fn classify(
    context: &Context,
    product: &Product,
    request: &ApiRequest,
    response: Response,
) -> Reading<Response> {
    let response = match readable(context, request, response).await {
        Ok(response) => response,
        Err(error) => {
            return Reading::Failure(Failure {
                error,
                processed: Processed::Unknown,
                on_new_connection: false,
            });
        }
    };
    if request.accept.contains(&response.status) {
        return Reading::Response(response);
    }
    if response.status == 401 {
        return Reading::Unauthorized;
    }
    let error = match (product.read_error)(&response) {
        Some(error) => error,
        None if response.is_success() => return Reading::Response(response),
        None => by_status(&response),
    };
    let error = match (
        error.retry_after(),
        response.retry_after(Some(context.host.now())),
    ) {
        (None, Some(after)) => error.with_retry_after(after),
        _ => error,
    };
    let processed = match error.kind() {
        // The product says that it hasn't started to process the request.
        ErrorKind::ProductRateLimited | ErrorKind::ProductQuotaExhausted => Processed::No,
        _ => Processed::Unknown,
    };
    Reading::Failure(Failure {
        error,
        processed,
        on_new_connection: false,
    })
}

/// Checks that the response to a write is readable. The product has accepted the request, but half a document or a
/// gateway's error page doesn't say what happened. Tools check the responses to reads.
async fn readable(context: &Context, request: &ApiRequest, response: Response) -> Result<Response> {
    let unread = request.effect_of() == Effect::Read || !response.is_success();
    if unread || response.body.is_empty() {
        return Ok(response);
    }
    let bytes = response.body.len() as u64;
    let read = move || response.json::<IgnoredAny>().map(|_| response);
    context.computed(bytes, read).await?
}

/// Fallback if the product's own table doesn't know a response.
fn by_status(response: &Response) -> Error {
    let kind = ErrorKind::of_product_status(response.status);
    let message = match kind {
        ErrorKind::UpstreamRedirectBlocked => {
            "the product redirected; Stead doesn't send credentials to the new address"
        }
        ErrorKind::ProductForbidden => "the product forbids this",
        ErrorKind::ProductNotFound => "the product has no such object, or the user can't see it",
        ErrorKind::ProductTimeout => "the product reported a timeout",
        ErrorKind::ProductConflict => "the product's object is in a state that doesn't allow this",
        ErrorKind::ProductRateLimited => "the product asks for fewer requests",
        ErrorKind::ProductInvalidRequest => "the product refuses the request",
        _ => "the product failed",
    };
    Error::new(kind, message).with_upstream(Upstream::new(response.status))
}

async fn decompressed(
    context: &Context,
    headers: &mut HeaderMap,
    body: Bytes,
    held: &Arc<Held>,
) -> Result<Bytes> {
    let Some(encoding) = headers.remove(header::CONTENT_ENCODING) else {
        return Ok(body);
    };
    match encoding.as_bytes() {
        b"identity" => Ok(body),
        b"gzip" | b"x-gzip" if body.is_empty() => Ok(body),
        b"gzip" | b"x-gzip" => {
            let (likely, held) = (body.len() as u64 * USUAL_RATIO, Arc::clone(held));
            context
                .computed(likely, move || gunzip(&body, &held))
                .await?
        }
        _ => Err(Error::new(
            ErrorKind::ProductProtocolError,
            "the product's response has an encoding that Stead didn't ask for",
        )),
    }
}

fn gunzip(body: &[u8], held: &Held) -> Result<Bytes> {
    let limit = RESPONSE_BYTES.min((body.len() as u64).saturating_mul(RATIO).max(1024 * 1024));
    let mut plain = Vec::with_capacity(body.len().saturating_mul(4).min(1024 * 1024));
    let mut decoder = flate2::read::MultiGzDecoder::new(body).take(limit + 1);
    loop {
        let read = decoder
            .by_ref()
            .take(STEP)
            .read_to_end(&mut plain)
            .map_err(|error| {
                Error::new(
                    ErrorKind::ProductProtocolError,
                    "the product's response can't be decompressed",
                )
                .with_source(error)
            })?;
        if plain.len() as u64 > limit {
            return Err(Error::new(
                ErrorKind::ResponseTooLarge,
                "the product's response is larger than the limit after decompression",
            ));
        }
        if read == 0 {
            return Ok(plain.into());
        }
        held.add(read as u64 * COPIES)?;
    }
}

#[cfg(test)]
mod tests;
