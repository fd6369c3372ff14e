//! How a product's response to a raw request reaches the caller.

use std::{
    io::Write as _,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use futures_util::FutureExt as _;
use http::{Method, header};

use super::{
    tests::{RAW, WHOLE, answered, batch, exchange, over_http, streamed, with_header},
    *,
};
use crate::{
    ErrorKind,
    ports::{Limits, TransportErrorKind},
    state::AccountState,
    testing::{Responses, World, context, executions, insert_account, response},
};

#[test]
fn v59_a_compressed_body_passes_unchanged() {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![0; 4 * 1024 * 1024]).unwrap();
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() * 900 < 4 * 1024 * 1024);
    let sent = bomb.clone();
    let request = over_http(Method::GET, "/v1/notes", &[("accept-encoding", "gzip")], "");
    let passed = answered(request, move || {
        let response = with_header(200, header::CONTENT_ENCODING, "gzip");
        response.map(|_| sent.clone().into())
    });
    let passed = passed.result.unwrap();
    assert_eq!(passed.headers()[header::CONTENT_ENCODING], "gzip");
    let body = passed.into_body().collect(u64::MAX).now_or_never().unwrap();
    assert_eq!(body.unwrap(), bomb);
}

#[test]
fn the_length_of_a_missing_body_is_not_passed_on_in_the_json_form() {
    let long = || with_header(200, header::CONTENT_LENGTH, "99999999999");
    let request = ProxyRequest::new("demo", "ada", "HEAD", "/v1/notes");
    let written = exchange(async |context| send_raw(context, request).await, long);
    let written = written.result.unwrap();
    assert_eq!(written.headers().get(header::CONTENT_LENGTH), None);
    let request = over_http(Method::HEAD, "/v1/notes", &[], "");
    let received = answered(request, long);
    let headers = received.result.unwrap().into_parts().0.headers;
    assert_eq!(headers[header::CONTENT_LENGTH], "99999999999");
}

#[test]
fn a_request_that_the_product_refused_is_a_failure_in_the_history() {
    for (method, status, outcome) in [
        (Method::GET, 200, "ok"),
        (Method::POST, 201, "ok"),
        (Method::GET, 304, "ok"),
        (Method::GET, 404, "product_not_found"),
        (Method::POST, 403, "product_forbidden"),
        (Method::DELETE, 409, "product_conflict"),
        (Method::GET, 500, "product_unavailable"),
    ] {
        for key in [None, Some(String::from("key"))] {
            let path = "/v1/notes/of-ada%40example.com";
            let written = || ProxyRequest {
                idempotency_key: key.clone(),
                ..ProxyRequest::new("demo", "ada", method.as_str(), path)
            };
            let world = World::new();
            let transport = Responses::by(move |_| std::future::ready(Ok(response(status, "{}"))));
            let context = context(&world, &RAW, transport);
            world.run(insert_account(&context, AccountState::Active));
            for _ in 0..2 {
                let sent = world.ok(send_raw(&context, written()));
                assert_eq!(sent.status(), status);
                world.ok(sent.into_body().collect(99));
            }
            world.advance(Duration::from_millis(200));
            let rows = world.run(executions(&context));
            assert_eq!(rows.len(), 2);
            for row in rows {
                assert_eq!(row.outcome, outcome, "{method} {status} {key:?}");
                assert_eq!(row.product_status, Some(status));
                assert_eq!(row.path.as_deref(), Some("/v1/notes/{id}"));
            }
        }
    }
}

/// The response to a batch whose requests end with these statuses.
fn of_batch(statuses: &[u16]) -> String {
    let parts = statuses.iter().map(|status| {
        format!(
            "--r\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 {status} Said\r\n\
             Content-Type: application/json\r\n\r\n{{\"error\": \"HTTP/1.1 200\"}}\r\n"
        )
    });
    parts.chain([String::from("--r--\r\n")]).collect()
}

#[test]
fn a_batch_with_only_refused_requests_means_a_refused_token() {
    // The account has no refresh token, so a refresh finds that the user must act.
    for (statuses, refused) in [
        (&[401, 401][..], true),
        (&[401], true),
        (&[200, 401], false),
        (&[401, 404], false),
        (&[200, 200], false),
        (&[], false),
    ] {
        let lines = ["GET /v1/notes/1", "POST /v1/notes"];
        let sent = answered(batch(&lines), || response(200, of_batch(statuses)));
        match sent.result {
            Err(error) if refused => assert_eq!(error.kind(), ErrorKind::AuthorizationRequired),
            Ok(response) if !refused => {
                let body = response.into_body().collect(9999).now_or_never().unwrap();
                assert_eq!(body.unwrap(), of_batch(statuses), "as it came");
            }
            other => panic!("{statuses:?}: {other:?}"),
        }
        assert_eq!(sent.seen.len(), 1);
        assert_eq!(sent.seen[0].headers[header::ACCEPT_ENCODING], "identity");
    }
}

#[test]
fn a_retry_has_only_the_rest_of_the_calls_time() {
    use crate::ports::{Runtime as _, TransportError};
    let world = World::new();
    let timer = world.process(0);
    let count = AtomicUsize::new(0);
    let (limits, seen) = std::sync::mpsc::channel();
    let transport = Responses::by(move |request: http::Request<Body>| {
        limits
            .send(*request.extensions().get::<Limits>().unwrap())
            .unwrap();
        let first = count.fetch_add(1, Ordering::SeqCst) == 0;
        let pause = timer.sleep(Duration::from_secs(100));
        async move {
            if first {
                pause.await;
                let kind = TransportErrorKind::Unreachable;
                return Err(TransportError::new(kind, "no one"));
            }
            Ok(response(200, ""))
        }
    });
    let context = context(&world, &WHOLE, transport);
    let request = over_http(Method::GET, "/v1/notes", &[], "");
    let sent = world.run(async {
        insert_account(&context, AccountState::Active).await;
        stream_raw(&context, "demo", "ada", request).await
    });
    assert_eq!(sent.unwrap().status(), 200);
    let given: Vec<_> = seen
        .try_iter()
        .map(|limits| (limits.total, limits.first_byte))
        .collect();
    let seconds = Duration::from_secs;
    assert_eq!(
        given,
        [(seconds(120), seconds(30)), (seconds(120), seconds(20))],
        "the time of a call is that to the head of its response"
    );
}

#[test]
fn a_response_that_any_cache_might_keep_is_for_its_caller() {
    let request = over_http(Method::GET, "/v1/notes", &[], "");
    let headers = streamed(request).result.unwrap().into_parts().0.headers;
    assert_eq!(headers[header::CACHE_CONTROL], "private");
}
