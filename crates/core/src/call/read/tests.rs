use std::{io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use futures_util::FutureExt as _;
use http::HeaderValue;

use super::*;
use crate::testing::{STABLE, World, always, context};

fn answer(status: u16, body: &'static str) -> Response {
    Response::new(status, HeaderMap::new(), body)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An answer to a request as the demo product would be read, but with this reader of errors.
fn judged(
    read_error: fn(&Response) -> Option<Error>,
    request: &ApiRequest,
    answer: Response,
) -> Reading {
    let context = context(&World::new(), &STABLE, always(200, ""));
    judge(
        &context,
        &Product {
            read_error,
            ..Product::BASE
        },
        request,
        answer,
    )
}

fn failure(reading: Reading) -> Failure {
    match reading {
        Reading::Failure(failure) => failure,
        Reading::Response(answer) => panic!("an answer: {answer:?}"),
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
        assert_eq!(
            (error.kind(), error.upstream().unwrap().status),
            (kind, status)
        );
    }
}

#[test]
fn no_4xx_of_a_product_is_our_500() {
    for status in 400..500 {
        assert!(
            by_status(&answer(status, "")).kind().status() != 500,
            "{status}"
        );
    }
}

#[test]
fn an_accepted_status_is_an_answer_whatever_the_product_thinks() {
    let hostile = |_: &Response| Some(Error::new(ErrorKind::ProductForbidden, ""));
    for status in [304, 401, 404, 500] {
        let request = ApiRequest::get(["a"]).accept(&[304, 401, 404, 500]);
        assert!(
            matches!(judged(hostile, &request, answer(status, "")), Reading::Response(answer) if answer.status == status)
        );
    }
}

#[test]
fn a_401_asks_for_a_new_token_before_the_product_is_asked() {
    let hostile = |_: &Response| Some(Error::new(ErrorKind::ProductForbidden, ""));
    assert!(matches!(
        judged(hostile, &ApiRequest::get(["a"]), answer(401, "")),
        Reading::Unauthorized
    ));
}

#[test]
fn a_success_can_tell_of_an_error() {
    let read_error = |answer: &Response| {
        (answer.body == "error").then(|| Error::new(ErrorKind::ProductNotFound, ""))
    };
    let request = ApiRequest::get(["a"]);
    assert!(matches!(
        judged(read_error, &request, answer(200, "fine")),
        Reading::Response(_)
    ));
    let failure = failure(judged(read_error, &request, answer(200, "error")));
    assert_eq!(failure.error.kind(), ErrorKind::ProductNotFound);
}

#[test]
fn only_what_the_product_threw_back_was_certainly_not_processed() {
    let read = |status| {
        failure(judged(
            |_| None,
            &ApiRequest::post(["a"]),
            answer(status, ""),
        ))
    };
    assert!(read(429).processed == Processed::No);
    for status in [400, 403, 408, 409, 500, 503] {
        assert!(read(status).processed == Processed::Unknown, "{status}");
    }
}

#[test]
fn the_products_own_pause_goes_before_the_header() {
    let with_header = |mut answer: Response| {
        answer
            .headers
            .insert(header::RETRY_AFTER, HeaderValue::from_static("7"));
        answer
    };
    let request = ApiRequest::get(["a"]);
    let by_header = failure(judged(|_| None, &request, with_header(answer(503, ""))));
    assert_eq!(by_header.error.retry_after(), Some(Duration::from_secs(7)));
    let own = |_: &Response| {
        Some(Error::new(ErrorKind::ProductRateLimited, "").with_retry_after(Duration::from_secs(3)))
    };
    let by_product = failure(judged(own, &request, with_header(answer(429, ""))));
    assert_eq!(by_product.error.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(
        failure(judged(|_| None, &request, answer(503, "")))
            .error
            .retry_after(),
        None
    );
}

#[test]
fn compressed_answers_are_opened_and_say_so_no_more() {
    let text = b"{\"a\":1}".repeat(1000);
    for (encoding, body) in [
        ("gzip", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("identity", text.clone()),
    ] {
        let mut headers =
            HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static(encoding))]);
        assert_eq!(decompressed(&mut headers, body.into()).unwrap(), text);
        assert!(headers.is_empty());
    }
    let mut headers =
        HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static("br"))]);
    assert_eq!(
        decompressed(&mut headers, Bytes::from_static(b"x"))
            .unwrap_err()
            .kind(),
        ErrorKind::ProductProtocolError
    );
}

#[test]
fn an_empty_compressed_answer_is_empty() {
    let mut headers =
        HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
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
        assert_eq!(
            gunzip(&whole[..length]).unwrap_err().kind(),
            ErrorKind::ProductProtocolError,
            "{length}"
        );
    }
    let mut changed = whole;
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(
        gunzip(&changed).unwrap_err().kind(),
        ErrorKind::ProductProtocolError
    );
    assert_eq!(
        gunzip(b"plain text").unwrap_err().kind(),
        ErrorKind::ProductProtocolError
    );
}

#[test]
fn a_small_answer_may_grow_to_a_mebibyte_and_a_bomb_may_not() {
    let zeros = vec![0; 1024 * 1024];
    assert_eq!(gunzip(&gzip(&zeros)).unwrap().len(), zeros.len());
    let bomb = gzip(&vec![0; 1024 * 1024 + 1]);
    assert_eq!(
        gunzip(&bomb).unwrap_err().kind(),
        ErrorKind::ResponseTooLarge
    );
}

#[test]
fn what_the_transport_lost_is_judged_by_how_far_it_came() {
    use ErrorKind as Kind;
    use TransportErrorKind::{Cut, Refused, TimedOut, TooLarge, Unreachable};
    let table = [
        (Refused, Kind::InvalidRequest, Kind::InvalidRequest, true),
        (
            Unreachable,
            Kind::ProductUnavailable,
            Kind::ProductUnavailable,
            true,
        ),
        (TimedOut, Kind::ProductTimeout, Kind::OutcomeUnknown, false),
        (Cut, Kind::UpstreamTruncated, Kind::OutcomeUnknown, false),
    ];
    for (lost, reading, writing, unprocessed) in table {
        for (request, kind) in [
            (ApiRequest::get(["a"]), reading),
            (ApiRequest::post(["a"]), writing),
        ] {
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
    let context = context(&World::new(), &STABLE, always(200, ""));
    let reading = |limit, body: &'static str| {
        let product = Product {
            limits: crate::ports::Limits {
                response_bytes: limit,
                ..crate::ports::Limits::DEFAULT
            },
            ..Product::BASE
        };
        let request = ApiRequest::get(["a"]);
        let sent = Ok(crate::testing::response(200, body));
        read(&context, &product, &request, 2, sent)
            .now_or_never()
            .unwrap()
    };
    assert!(
        matches!(reading(3, "abc"), Reading::Response(answer) if answer.attempt == 2 && answer.body == "abc")
    );
    assert_eq!(
        failure(reading(2, "abc")).error.kind(),
        ErrorKind::ResponseTooLarge
    );
}
