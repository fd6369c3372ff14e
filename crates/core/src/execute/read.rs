use std::io::Read as _;

use bytes::Bytes;
use http::{HeaderMap, header};

use super::send::{Unsent, transport_failure};
use crate::{
    Error, ErrorKind, Result,
    environment::Environment,
    error::Upstream,
    ports::{Body, TransportError, TransportErrorKind},
    product::Product,
    tool::{Answer, ApiRequest},
};

/// Largest answer that a tool reads, after decompression.
const ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// Largest growth by decompression; a mail of plain text comes near 20.
const RATIO: u64 = 100;
const DAY: std::time::Duration = std::time::Duration::from_secs(86_400);

/// What an exchange brought.
pub(super) enum Reading {
    Answer(Answer),
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
    environment: &Environment,
    product: &Product,
    request: &ApiRequest,
    attempt: u8,
    sent: Result<http::Response<Body>, Unsent>,
) -> Reading {
    let response = match sent {
        Ok(response) => response,
        Err(Unsent::Ours(error)) => return Reading::Failure(Failure { error, processed: Processed::No }),
        Err(Unsent::Transport(error)) => return failed(error, request),
    };
    let (head, body) = response.into_parts();
    let body = match body.collect(ANSWER_BYTES.min(product.limits.response_bytes)).await {
        Ok(body) => body,
        Err(error) => return failed(error, request),
    };
    let mut headers = head.headers;
    let body = match decompressed(&mut headers, body) {
        Ok(body) => body,
        Err(error) => return Reading::Failure(Failure { error, processed: Processed::Unknown }),
    };
    tracing::debug!(product = product.name, status = head.status.as_u16(), bytes = body.len(), "answer of the product");
    let answer = Answer::new(head.status.as_u16(), headers, body).with_attempt(attempt);
    judge(environment, product, request, answer)
}

fn judge(environment: &Environment, product: &Product, request: &ApiRequest, answer: Answer) -> Reading {
    if request.accept.contains(&answer.status) {
        return Reading::Answer(answer);
    }
    if answer.status == 401 {
        return Reading::Unauthorized;
    }
    let error = match (product.read_error)(&answer) {
        Some(error) => error,
        None if answer.is_success() => return Reading::Answer(answer),
        None => by_status(&answer),
    };
    let error = match (error.retry_after(), retry_after(&answer.headers, environment.now())) {
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
    let processed = if error.may_have_been_sent() && error.kind() != TransportErrorKind::TooLarge { Processed::Unknown } else { Processed::No };
    Reading::Failure(Failure { error: transport_failure(error, request.effect_of()), processed })
}

/// Where the product's own table does not know an answer.
fn by_status(answer: &Answer) -> Error {
    let status = answer.status;
    let (kind, message) = match status {
        300..=399 => (ErrorKind::UpstreamRedirectBlocked, "the product redirected; credentials are not sent along"),
        403 => (ErrorKind::ProductForbidden, "the product forbids this"),
        404 | 410 => (ErrorKind::ProductNotFound, "the product has no such object, or the user may not see it"),
        408 => (ErrorKind::ProductTimeout, "the product gave up waiting"),
        409 | 412 => (ErrorKind::ProductConflict, "the product's object is in another state"),
        429 => (ErrorKind::ProductRateLimited, "the product asks to slow down"),
        400..=499 => (ErrorKind::ProductInvalidRequest, "the product refuses the request"),
        _ => (ErrorKind::ProductUnavailable, "the product failed"),
    };
    Error::new(kind, message).with_upstream(Upstream::new(status))
}

pub(super) fn rejected_token() -> Error {
    Error::new(ErrorKind::ProductRejectedToken, "the product refuses a token that it has just issued; if this stays, the user has to authorize again")
        .with_upstream(Upstream::new(401))
}

/// RFC 9110, 10.2.3: seconds, or a date. A day at most.
fn retry_after(headers: &HeaderMap, now: jiff::Timestamp) -> Option<std::time::Duration> {
    let value = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(std::time::Duration::from_secs(seconds).min(DAY));
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    std::time::Duration::try_from(at.duration_since(now)).ok().map(|after| after.min(DAY))
}

fn decompressed(headers: &mut HeaderMap, body: Bytes) -> Result<Bytes> {
    let Some(encoding) = headers.remove(header::CONTENT_ENCODING) else { return Ok(body) };
    match encoding.as_bytes() {
        b"identity" => Ok(body),
        b"gzip" | b"x-gzip" if body.is_empty() => Ok(body),
        b"gzip" | b"x-gzip" => gunzip(&body),
        _ => Err(Error::new(ErrorKind::ProductProtocolError, "the product's answer has an encoding that was not asked for")),
    }
}

fn gunzip(body: &[u8]) -> Result<Bytes> {
    let limit = ANSWER_BYTES.min((body.len() as u64).saturating_mul(RATIO).max(1024 * 1024));
    let mut plain = Vec::with_capacity(body.len().saturating_mul(4).min(1024 * 1024));
    flate2::read::MultiGzDecoder::new(body)
        .take(limit + 1)
        .read_to_end(&mut plain)
        .map_err(|error| Error::new(ErrorKind::ProductProtocolError, "the product's answer cannot be decompressed").with_source(error))?;
    if plain.len() as u64 > limit {
        return Err(Error::new(ErrorKind::ResponseTooLarge, "the product's answer grows beyond its limit when decompressed"));
    }
    Ok(plain.into())
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, time::Duration};

    use flate2::{Compression, write::GzEncoder};
    use futures_util::FutureExt as _;
    use http::HeaderValue;

    use super::*;
    use crate::testing::{START, STABLE, World, always, environment};

    fn answer(status: u16, body: &'static str) -> Answer {
        Answer::new(status, HeaderMap::new(), body)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn after(value: &str) -> Option<Duration> {
        let headers = HeaderMap::from_iter([(header::RETRY_AFTER, HeaderValue::from_str(value).unwrap())]);
        retry_after(&headers, START)
    }

    /// An answer to a request as the demo product would be read, but with this reader of errors.
    fn judged(read_error: fn(&Answer) -> Option<Error>, request: &ApiRequest, answer: Answer) -> Reading {
        let environment = environment(&World::new(), &STABLE, always(200, ""));
        judge(&environment, &Product { read_error, ..Product::BASE }, request, answer)
    }

    fn failure(reading: Reading) -> Failure {
        match reading {
            Reading::Failure(failure) => failure,
            Reading::Answer(answer) => panic!("an answer: {answer:?}"),
            Reading::Unauthorized => panic!("unauthorized"),
        }
    }

    #[test]
    fn a_status_that_the_product_does_not_explain_has_a_kind() {
        use ErrorKind as Kind;
        let table = [
            (300, Kind::UpstreamRedirectBlocked),
            (304, Kind::UpstreamRedirectBlocked),
            (399, Kind::UpstreamRedirectBlocked),
            (400, Kind::ProductInvalidRequest),
            (402, Kind::ProductInvalidRequest),
            (403, Kind::ProductForbidden),
            (404, Kind::ProductNotFound),
            (408, Kind::ProductTimeout),
            (409, Kind::ProductConflict),
            (410, Kind::ProductNotFound),
            (412, Kind::ProductConflict),
            (418, Kind::ProductInvalidRequest),
            (429, Kind::ProductRateLimited),
            (499, Kind::ProductInvalidRequest),
            (500, Kind::ProductUnavailable),
            (503, Kind::ProductUnavailable),
            (599, Kind::ProductUnavailable),
            (100, Kind::ProductUnavailable),
        ];
        for (status, kind) in table {
            let error = by_status(&answer(status, ""));
            assert_eq!((error.kind(), error.upstream().unwrap().status), (kind, status));
        }
    }

    #[test]
    fn no_4xx_of_a_product_is_our_500() {
        for status in 400..500 {
            assert!(by_status(&answer(status, "")).kind().status() != 500, "{status}");
        }
    }

    #[test]
    fn an_accepted_status_is_an_answer_whatever_the_product_thinks() {
        let hostile = |_: &Answer| Some(Error::new(ErrorKind::ProductForbidden, ""));
        for status in [304, 401, 404, 500] {
            let request = ApiRequest::get(["a"]).accept(&[304, 401, 404, 500]);
            assert!(matches!(judged(hostile, &request, answer(status, "")), Reading::Answer(answer) if answer.status == status));
        }
    }

    #[test]
    fn a_401_asks_for_a_new_token_before_the_product_is_asked() {
        let hostile = |_: &Answer| Some(Error::new(ErrorKind::ProductForbidden, ""));
        assert!(matches!(judged(hostile, &ApiRequest::get(["a"]), answer(401, "")), Reading::Unauthorized));
    }

    #[test]
    fn a_success_can_tell_of_an_error() {
        let read_error = |answer: &Answer| (answer.body == "error").then(|| Error::new(ErrorKind::ProductNotFound, ""));
        let request = ApiRequest::get(["a"]);
        assert!(matches!(judged(read_error, &request, answer(200, "fine")), Reading::Answer(_)));
        let failure = failure(judged(read_error, &request, answer(200, "error")));
        assert_eq!(failure.error.kind(), ErrorKind::ProductNotFound);
    }

    #[test]
    fn only_what_the_product_threw_back_was_certainly_not_processed() {
        let read = |status| failure(judged(|_| None, &ApiRequest::post(["a"]), answer(status, "")));
        assert!(read(429).processed == Processed::No);
        for status in [400, 403, 408, 409, 500, 503] {
            assert!(read(status).processed == Processed::Unknown, "{status}");
        }
    }

    #[test]
    fn the_products_own_pause_goes_before_the_header() {
        let with_header = |mut answer: Answer| {
            answer.headers.insert(header::RETRY_AFTER, HeaderValue::from_static("7"));
            answer
        };
        let request = ApiRequest::get(["a"]);
        let by_header = failure(judged(|_| None, &request, with_header(answer(503, ""))));
        assert_eq!(by_header.error.retry_after(), Some(Duration::from_secs(7)));
        let own = |_: &Answer| Some(Error::new(ErrorKind::ProductRateLimited, "").with_retry_after(Duration::from_secs(3)));
        let by_product = failure(judged(own, &request, with_header(answer(429, ""))));
        assert_eq!(by_product.error.retry_after(), Some(Duration::from_secs(3)));
        assert_eq!(failure(judged(|_| None, &request, answer(503, ""))).error.retry_after(), None);
    }

    #[test]
    fn a_pause_is_seconds_or_a_date() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (value, expected) in [
            ("0", seconds(0)),
            ("120", seconds(120)),
            (" 5 ", seconds(5)),
            ("99999999999", seconds(86_400)),
            ("Thu, 01 Jan 2026 00:00:30 GMT", seconds(30)),
            ("Thu, 01 Jan 2026 00:00:00 GMT", seconds(0)),
            ("Fri, 01 Jan 2038 00:00:00 GMT", seconds(86_400)),
            ("Wed, 31 Dec 2025 23:59:59 GMT", None),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("18446744073709551616", None),
        ] {
            assert_eq!(after(value), expected, "{value:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), START), None);
    }

    #[test]
    fn compressed_answers_are_opened_and_say_so_no_more() {
        let text = b"{\"a\":1}".repeat(1000);
        for (encoding, body) in [("gzip", gzip(&text)), ("x-gzip", gzip(&text)), ("identity", text.clone())] {
            let mut headers = HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static(encoding))]);
            assert_eq!(decompressed(&mut headers, body.into()).unwrap(), text);
            assert!(headers.is_empty());
        }
        let mut headers = HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static("br"))]);
        assert_eq!(decompressed(&mut headers, Bytes::from_static(b"x")).unwrap_err().kind(), ErrorKind::ProductProtocolError);
    }

    #[test]
    fn an_empty_compressed_answer_is_empty() {
        let mut headers = HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
        assert_eq!(decompressed(&mut headers, Bytes::new()).unwrap(), "");
    }

    #[test]
    fn several_members_are_one_text() {
        let two = [gzip(b"one"), gzip(b"two")].concat();
        assert_eq!(gunzip(&two).unwrap(), "onetwo");
    }

    #[test]
    fn a_cut_or_changed_compressed_answer_is_the_products_fault() {
        let whole = gzip(&b"text of some length".repeat(50));
        for length in [1, 9, 12, whole.len() / 2, whole.len() - 1] {
            assert_eq!(gunzip(&whole[..length]).unwrap_err().kind(), ErrorKind::ProductProtocolError, "{length}");
        }
        let mut changed = whole;
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(gunzip(&changed).unwrap_err().kind(), ErrorKind::ProductProtocolError);
        assert_eq!(gunzip(b"plain text").unwrap_err().kind(), ErrorKind::ProductProtocolError);
    }

    #[test]
    fn a_small_answer_may_grow_to_a_mebibyte_and_a_bomb_may_not() {
        let zeros = vec![0; 1024 * 1024];
        assert_eq!(gunzip(&gzip(&zeros)).unwrap().len(), zeros.len());
        let bomb = gzip(&vec![0; 1024 * 1024 + 1]);
        assert_eq!(gunzip(&bomb).unwrap_err().kind(), ErrorKind::ResponseTooLarge);
    }

    #[test]
    fn what_the_transport_lost_is_judged_by_how_far_it_came() {
        use ErrorKind as Kind;
        use TransportErrorKind::{Cut, Refused, TimedOut, TooLarge, Unreachable};
        let table = [
            (Refused, Kind::InvalidRequest, Kind::InvalidRequest, true),
            (Unreachable, Kind::ProductUnavailable, Kind::ProductUnavailable, true),
            (TimedOut, Kind::ProductTimeout, Kind::OutcomeUnknown, false),
            (Cut, Kind::UpstreamTruncated, Kind::OutcomeUnknown, false),
        ];
        for (lost, reading, writing, unprocessed) in table {
            for (request, kind) in [(ApiRequest::get(["a"]), reading), (ApiRequest::post(["a"]), writing)] {
                let failure = failure(failed(TransportError::new(lost, ""), &request));
                assert_eq!(failure.error.kind(), kind, "{lost:?} {}", request.method);
                assert_eq!(failure.processed == Processed::No, unprocessed, "{lost:?}");
            }
        }
        for request in [ApiRequest::get(["a"]), ApiRequest::post(["a"])] {
            let failure = failure(failed(TransportError::new(TooLarge, ""), &request));
            assert_eq!(failure.error.kind(), Kind::ResponseTooLarge);
        }
    }

    #[test]
    fn an_answer_is_read_within_the_products_limit_and_knows_its_attempt() {
        let environment = environment(&World::new(), &STABLE, always(200, ""));
        let reading = |limit, body: &'static str| {
            let product = Product { limits: crate::ports::Limits { response_bytes: limit, ..crate::ports::Limits::DEFAULT }, ..Product::BASE };
            let request = ApiRequest::get(["a"]);
            let sent = Ok(crate::testing::response(200, body));
            read(&environment, &product, &request, 2, sent).now_or_never().unwrap()
        };
        assert!(matches!(reading(3, "abc"), Reading::Answer(answer) if answer.attempt == 2 && answer.body == "abc"));
        assert_eq!(failure(reading(2, "abc")).error.kind(), ErrorKind::ResponseTooLarge);
    }
}
