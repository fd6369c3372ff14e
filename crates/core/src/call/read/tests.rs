//! Responses are classified, decompressed and limited.

use std::{io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use futures_util::FutureExt as _;
use http::HeaderValue;

use super::*;
use crate::{
    context::{CallLimits, bulkheads::Bulkheads},
    error::ActBy,
    testing::{STABLE, World, always, context},
};

fn response(status: u16, body: &'static str) -> Response {
    Response::new(status, HeaderMap::new(), body)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads a response like one of the demo product, but with this reader of errors.
fn classified(
    read_error: fn(&Response) -> Option<Error>,
    request: &ApiRequest,
    response: Response,
) -> Reading<Response> {
    let context = context(&World::new(), &STABLE, always(200, ""));
    classify(
        &context,
        &Product {
            read_error,
            ..Product::BASE
        },
        request,
        response,
    )
    .now_or_never()
    .unwrap()
}

fn failure(reading: Reading<Response>) -> Failure {
    match reading {
        Reading::Failure(failure) => failure,
        Reading::Response(response) => panic!("a response: {response:?}"),
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
        let error = by_status(&response(status, ""));
        assert_eq!(
            (error.kind(), error.upstream().unwrap().status),
            (kind, status)
        );
        let says_more = error.message() != "the product failed";
        assert_eq!(says_more, kind != Kind::ProductUnavailable, "{status}");
    }
}

#[test]
fn no_4xx_of_a_product_becomes_a_500() {
    for status in 400..500 {
        assert!(
            by_status(&response(status, "")).kind().status() != 500,
            "{status}"
        );
    }
}

#[test]
fn an_accepted_status_is_a_response_despite_the_products_table() {
    let hostile = |_: &Response| Some(Error::new(ErrorKind::ProductForbidden, ""));
    for status in [304, 401, 404, 500] {
        let request = ApiRequest::get(["a"]).accept(&[304, 401, 404, 500]);
        assert!(
            matches!(classified(hostile, &request, response(status, "")), Reading::Response(response) if response.status == status)
        );
    }
}

#[test]
fn a_401_asks_for_a_new_token_before_the_product_is_asked() {
    let hostile = |_: &Response| Some(Error::new(ErrorKind::ProductForbidden, ""));
    assert!(matches!(
        classified(hostile, &ApiRequest::get(["a"]), response(401, "")),
        Reading::Unauthorized
    ));
}

#[test]
fn a_success_can_tell_of_an_error() {
    let read_error = |response: &Response| {
        (response.body == "error").then(|| Error::new(ErrorKind::ProductNotFound, ""))
    };
    let request = ApiRequest::get(["a"]);
    assert!(matches!(
        classified(read_error, &request, response(200, "fine")),
        Reading::Response(_)
    ));
    let failure = failure(classified(read_error, &request, response(200, "error")));
    assert_eq!(failure.error.kind(), ErrorKind::ProductNotFound);
}

#[test]
fn only_a_429_proves_that_a_request_was_not_processed() {
    let read = |status| {
        failure(classified(
            |_| None,
            &ApiRequest::post(["a"]),
            response(status, ""),
        ))
    };
    assert!(read(429).processed == Processed::No);
    for status in [400, 403, 408, 409, 500, 503] {
        assert!(read(status).processed == Processed::Unknown, "{status}");
    }
}

#[test]
fn the_products_pause_overrides_the_retry_after_header() {
    let with_header = |mut response: Response| {
        response
            .headers
            .insert(header::RETRY_AFTER, HeaderValue::from_static("7"));
        response
    };
    let request = ApiRequest::get(["a"]);
    let by_header = failure(classified(
        |_| None,
        &request,
        with_header(response(503, "")),
    ));
    assert_eq!(by_header.error.retry_after(), Some(Duration::from_secs(7)));
    let own = |_: &Response| {
        Some(Error::new(ErrorKind::ProductRateLimited, "").with_retry_after(Duration::from_secs(3)))
    };
    let by_product = failure(classified(own, &request, with_header(response(429, ""))));
    assert_eq!(by_product.error.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(
        failure(classified(|_| None, &request, response(503, "")))
            .error
            .retry_after(),
        None
    );
}

/// Opens a compressed body.
fn opened(body: &[u8]) -> Result<Bytes> {
    let context = context(&World::new(), &STABLE, always(200, ""));
    gunzip(body, &context.limits.bulkheads.bytes())
}

/// A body without its encoding.
fn plain(headers: &mut HeaderMap, body: Vec<u8>) -> Result<Bytes> {
    let context = context(&World::new(), &STABLE, always(200, ""));
    let held = context.limits.bulkheads.bytes();
    decompressed(&context, headers, body.into(), &held)
        .now_or_never()
        .unwrap()
}

#[test]
fn compressed_responses_are_opened_and_no_longer_say_so() {
    let text = b"{\"a\":1}".repeat(1000);
    for (encoding, body, text) in [
        ("gzip", gzip(&text), &text[..]),
        ("x-gzip", gzip(&text), &text),
        ("identity", text.clone(), &text),
        ("gzip", Vec::new(), b""),
        ("gzip", [gzip(b"one"), gzip(b"two")].concat(), b"onetwo"),
    ] {
        let mut headers =
            HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static(encoding))]);
        assert_eq!(plain(&mut headers, body).unwrap(), text);
        assert!(headers.is_empty());
    }
    let mut headers =
        HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static("br"))]);
    assert_eq!(
        plain(&mut headers, b"x".to_vec()).unwrap_err().kind(),
        ErrorKind::ProductProtocolError
    );
}

#[test]
fn a_cut_or_changed_compressed_response_is_the_products_fault() {
    let whole = gzip(&b"text of some length".repeat(50));
    for length in [1, 9, 12, whole.len() / 2, whole.len() - 1] {
        assert_eq!(
            opened(&whole[..length]).unwrap_err().kind(),
            ErrorKind::ProductProtocolError,
            "{length}"
        );
    }
    let mut changed = whole;
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(
        opened(&changed).unwrap_err().kind(),
        ErrorKind::ProductProtocolError
    );
    assert_eq!(
        opened(b"plain text").unwrap_err().kind(),
        ErrorKind::ProductProtocolError
    );
}

#[test]
fn v59_a_small_response_may_grow_to_a_mebibyte_and_a_bomb_may_not() {
    let zeros = vec![0; 1024 * 1024];
    assert_eq!(opened(&gzip(&zeros)).unwrap().len(), zeros.len());
    let bomb = gzip(&vec![0; 1024 * 1024 + 1]);
    assert_eq!(
        opened(&bomb).unwrap_err().kind(),
        ErrorKind::ResponseTooLarge
    );
}

#[test]
fn a_response_is_read_within_the_products_limit_and_knows_its_attempt() {
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
        let sent = crate::testing::response(200, body);
        whole(
            &context,
            &product,
            &request,
            2,
            sent,
            &context.limits.bulkheads.bytes(),
        )
        .now_or_never()
        .unwrap()
    };
    assert!(
        matches!(reading(3, "abc"), Reading::Response(response) if response.attempt == 2 && response.body == "abc")
    );
    assert_eq!(
        failure(reading(2, "abc")).error.kind(),
        ErrorKind::ResponseTooLarge
    );
}

/// The error of a request whose response can't be read.
fn left_of(request: &ApiRequest, response: Response) -> Option<ErrorKind> {
    match classified(|_| None, request, response) {
        Reading::Failure(failure) => {
            Some(crate::call::retry::classify(request.effect_of(), failure).kind())
        }
        _ => None,
    }
}

#[test]
fn an_accepted_write_with_an_unreadable_response_has_an_unknown_outcome() {
    for body in [r#"{"id": "n1", "na"#, "<html>Welcome</html>", "\u{0}"] {
        for write in [
            ApiRequest::post(["a"]),
            ApiRequest::patch(["a"]),
            ApiRequest::put(["a"]),
        ] {
            let outcome = left_of(&write, response(200, body));
            assert_eq!(outcome, Some(ErrorKind::OutcomeUnknown), "{body}");
        }
        // Anyone can repeat a read, and the tool says that it can't be read.
        assert_eq!(left_of(&ApiRequest::get(["a"]), response(200, body)), None);
    }
    for body in ["", "{}", " null "] {
        assert_eq!(
            left_of(&ApiRequest::post(["a"]), response(200, body)),
            None,
            "{body:?}"
        );
    }
    assert_eq!(
        left_of(&ApiRequest::post(["a"]), response(400, "<html>")),
        Some(ErrorKind::ProductInvalidRequest)
    );
}

#[test]
fn a_write_with_a_corrupt_response_has_an_unknown_outcome_unless_refused() {
    let context = context(&World::new(), &STABLE, always(200, ""));
    for (status, kind) in [
        (200, ErrorKind::OutcomeUnknown),
        (500, ErrorKind::OutcomeUnknown),
        (400, ErrorKind::ProductProtocolError),
    ] {
        let mut cut = crate::testing::response(status, "not gzip");
        let encoding = HeaderValue::from_static("gzip");
        cut.headers_mut().insert(header::CONTENT_ENCODING, encoding);
        let request = ApiRequest::post(["a"]);
        let read = whole(
            &context,
            &STABLE,
            &request,
            1,
            cut,
            &context.limits.bulkheads.bytes(),
        )
        .now_or_never()
        .unwrap();
        let error = crate::call::retry::classify(request.effect_of(), failure(read));
        assert_eq!(error.kind(), kind, "{status}");
    }
}

#[test]
fn a_response_without_memory_is_dropped_and_leaves_a_write_unknown() {
    let context = context(&World::new(), &STABLE, always(200, ""));
    let limits = CallLimits {
        bytes: 1024 * 1024,
        ..CallLimits::default()
    };
    let bulkheads = Bulkheads::new(limits, std::iter::empty());
    let large = vec![b' '; 500 * 1024];
    let bomb = gzip(&vec![b' '; 8 * 1024 * 1024]);
    let all_held = bulkheads.bytes();
    all_held.add(512 * 1024).unwrap();
    for (body, encoding) in [(large.clone(), "identity"), (bomb, "gzip")] {
        for (request, kind) in [
            (ApiRequest::get(["a"]), ErrorKind::Overloaded),
            (ApiRequest::post(["a"]), ErrorKind::OutcomeUnknown),
        ] {
            let mut sent = crate::testing::response(200, body.clone());
            let encoding = HeaderValue::from_static(encoding);
            sent.headers_mut()
                .insert(header::CONTENT_ENCODING, encoding);
            let read = whole(&context, &STABLE, &request, 1, sent, &bulkheads.bytes())
                .now_or_never()
                .unwrap();
            let error = crate::call::retry::classify(request.effect_of(), failure(read));
            assert_eq!(error.kind(), kind);
            if kind == ErrorKind::OutcomeUnknown {
                // A client that waits and repeats the call would write twice.
                assert_eq!(error.retry_after(), None);
                assert_eq!(error.act_by(), ActBy::Operator);
            }
        }
    }
    drop(all_held);
    let (request, sent) = (ApiRequest::get(["a"]), crate::testing::response(200, large));
    let held = bulkheads.bytes();
    let read = whole(&context, &STABLE, &request, 1, sent, &held);
    assert!(matches!(read.now_or_never(), Some(Reading::Response(_))));
}
