use std::io::Read as _;

use bytes::Bytes;
use http::{HeaderMap, header};

use super::send::{Unsent, transport_failure};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    error::Upstream,
    ports::{Body, TransportError, TransportErrorKind},
    product::Product,
    tool::{ApiRequest, Response},
};

/// Largest answer that a tool reads, after decompression.
const ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// Largest growth by decompression; a mail of plain text comes near 20.
const RATIO: u64 = 100;

/// What an exchange brought.
pub(super) enum Reading {
    Response(Response),
    /// The product's 401.
    Unauthorized,
    Failure(Failure),
}

/// An error, and whether the product can have processed the request.
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) processed: Processed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Processed {
    No,
    Unknown,
}

/// Reads an answer to its end and judges it by the product's table.
pub(super) async fn read(
    context: &Context,
    product: &Product,
    request: &ApiRequest,
    attempt: u8,
    sent: Result<http::Response<Body>, Unsent>,
) -> Reading {
    let response = match sent {
        Ok(response) => response,
        Err(Unsent::Ours(error)) => {
            return Reading::Failure(Failure {
                error,
                processed: Processed::No,
            });
        }
        Err(Unsent::Transport(error)) => return failed(error, request),
    };
    let (head, body) = response.into_parts();
    let body = match body
        .collect(ANSWER_BYTES.min(product.limits.response_bytes))
        .await
    {
        Ok(body) => body,
        Err(error) => return failed(error, request),
    };
    let mut headers = head.headers;
    let body = match decompressed(&mut headers, body) {
        Ok(body) => body,
        Err(error) => {
            return Reading::Failure(Failure {
                error,
                processed: Processed::Unknown,
            });
        }
    };
    tracing::debug!(
        product = product.name,
        status = head.status.as_u16(),
        bytes = body.len(),
        "answer of the product"
    );
    let answer = Response::new(head.status.as_u16(), headers, body).with_attempt(attempt);
    judge(context, product, request, answer)
}

fn judge(context: &Context, product: &Product, request: &ApiRequest, answer: Response) -> Reading {
    if request.accept.contains(&answer.status) {
        return Reading::Response(answer);
    }
    if answer.status == 401 {
        return Reading::Unauthorized;
    }
    let error = match (product.read_error)(&answer) {
        Some(error) => error,
        None if answer.is_success() => return Reading::Response(answer),
        None => by_status(&answer),
    };
    let error = match (error.retry_after(), answer.retry_after(Some(context.now()))) {
        (None, Some(after)) => error.with_retry_after(after),
        _ => error,
    };
    let processed = match error.kind() {
        // The product says that it has not begun.
        ErrorKind::ProductRateLimited | ErrorKind::ProductQuotaExhausted => Processed::No,
        _ => Processed::Unknown,
    };
    Reading::Failure(Failure { error, processed })
}

fn failed(error: TransportError, request: &ApiRequest) -> Reading {
    let processed = if error.may_have_been_sent() && error.kind() != TransportErrorKind::TooLarge {
        Processed::Unknown
    } else {
        Processed::No
    };
    Reading::Failure(Failure {
        error: transport_failure(error, request.effect_of()),
        processed,
    })
}

/// Where the product's own table does not know an answer.
fn by_status(answer: &Response) -> Error {
    let kind = ErrorKind::of_product_status(answer.status);
    let message = match kind {
        ErrorKind::UpstreamRedirectBlocked => {
            "the product redirected; credentials are not sent to the new address"
        }
        ErrorKind::ProductForbidden => "the product forbids this",
        ErrorKind::ProductNotFound => "the product has no such object, or the user may not see it",
        ErrorKind::ProductTimeout => "the product gave up waiting",
        ErrorKind::ProductConflict => "the product's object is in another state",
        ErrorKind::ProductRateLimited => "the product asks to slow down",
        ErrorKind::ProductInvalidRequest => "the product refuses the request",
        _ => "the product failed",
    };
    Error::new(kind, message).with_upstream(Upstream::new(answer.status))
}

pub(super) fn rejected_token() -> Error {
    Error::new(ErrorKind::ProductRejectedToken, "the product refuses a token that it has just issued; if this stays, the user has to authorize again")
        .with_upstream(Upstream::new(401))
}

fn decompressed(headers: &mut HeaderMap, body: Bytes) -> Result<Bytes> {
    let Some(encoding) = headers.remove(header::CONTENT_ENCODING) else {
        return Ok(body);
    };
    match encoding.as_bytes() {
        b"identity" => Ok(body),
        b"gzip" | b"x-gzip" if body.is_empty() => Ok(body),
        b"gzip" | b"x-gzip" => gunzip(&body),
        _ => Err(Error::new(
            ErrorKind::ProductProtocolError,
            "the product's answer has an encoding that was not asked for",
        )),
    }
}

fn gunzip(body: &[u8]) -> Result<Bytes> {
    let limit = ANSWER_BYTES.min((body.len() as u64).saturating_mul(RATIO).max(1024 * 1024));
    let mut plain = Vec::with_capacity(body.len().saturating_mul(4).min(1024 * 1024));
    flate2::read::MultiGzDecoder::new(body)
        .take(limit + 1)
        .read_to_end(&mut plain)
        .map_err(|error| {
            Error::new(
                ErrorKind::ProductProtocolError,
                "the product's answer cannot be decompressed",
            )
            .with_source(error)
        })?;
    if plain.len() as u64 > limit {
        return Err(Error::new(
            ErrorKind::ResponseTooLarge,
            "the product's answer grows beyond its limit when decompressed",
        ));
    }
    Ok(plain.into())
}

#[cfg(test)]
mod tests;
