//! Limits of time and size. Nothing here waits for longer than a limit.

use std::time::Duration;

use stead_core::ports::{Limits, Transport as _, TransportErrorKind};

use crate::{
    failure, get, send,
    server::{Server, Then},
    transport, whole, within,
};

const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn a_server_that_never_responds_is_given_up() {
    let server = Server::start(&[], Then::Stall).await;
    let error = send(within(
        Limits {
            first_byte: SHORT,
            ..Limits::DEFAULT
        },
        get(&server),
    ))
    .await
    .unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(error.to_string(), "no response came in time");
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn the_whole_exchange_is_bounded_before_its_head() {
    let server = Server::start(&[], Then::Stall).await;
    let error = send(within(
        Limits {
            total: SHORT,
            ..Limits::DEFAULT
        },
        get(&server),
    ))
    .await
    .unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(error.to_string(), "the request took too long");
}

#[tokio::test]
async fn a_body_that_stops_halfway_is_given_up() {
    const KNOWN: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"];
    const CHUNKED: &[&[u8]] =
        &[b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"];
    for response in [KNOWN, CHUNKED] {
        let server = Server::start(response, Then::Stall).await;
        let response = send(within(
            Limits {
                idle: SHORT,
                ..Limits::DEFAULT
            },
            get(&server),
        ))
        .await
        .unwrap();
        let error = whole(response).await.unwrap_err();

        assert_eq!(error.kind(), TransportErrorKind::TimedOut);
        assert_eq!(error.to_string(), "the response stopped halfway");
    }
}

#[tokio::test]
async fn the_whole_exchange_is_bounded_within_its_body() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"],
        Then::Stall,
    )
    .await;
    let error = failure(within(
        Limits {
            total: SHORT,
            ..Limits::DEFAULT
        },
        get(&server),
    ))
    .await;

    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(error.to_string(), "the request took too long");
}

#[tokio::test]
async fn limits_beyond_the_clock_do_not_limit() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwh", b"ole"],
        Then::Listen,
    )
    .await;
    let most = Duration::MAX;
    let limits = Limits {
        connect: most,
        first_byte: most,
        idle: most,
        total: most,
        steady: 1,
        response_bytes: u64::MAX,
    };
    let response = send(within(limits, get(&server))).await.unwrap();
    assert_eq!(whole(response).await.unwrap(), "whole");
}

#[tokio::test]
async fn a_body_that_says_it_is_too_large_is_refused_at_once() {
    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n"],
        Then::Stall,
    )
    .await;
    let error = send(within(
        Limits {
            response_bytes: 5,
            ..Limits::DEFAULT
        },
        get(&server),
    ))
    .await
    .unwrap_err();

    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    assert!(error.may_have_been_sent());
}

#[tokio::test]
async fn a_body_that_grows_too_large_is_cut_off() {
    let server = Server::start(
        &[
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n",
            b"3\r\ntwo\r\n0\r\n\r\n",
        ],
        Then::Listen,
    )
    .await;
    let fits = send(within(
        Limits {
            response_bytes: 6,
            ..Limits::DEFAULT
        },
        get(&server),
    ))
    .await
    .unwrap();
    assert_eq!(whole(fits).await.unwrap(), "onetwo");

    let large = send(within(
        Limits {
            response_bytes: 5,
            ..Limits::DEFAULT
        },
        get(&server),
    ))
    .await
    .unwrap();
    let error = whole(large).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    assert_eq!(error.to_string(), "the response is larger than 5 bytes");
}

#[tokio::test]
async fn a_body_that_failed_has_ended() {
    use http_body_util::BodyExt as _;

    let server = Server::start(
        &[b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n"],
        Then::Stall,
    )
    .await;
    let request = within(
        Limits {
            response_bytes: 2,
            ..Limits::DEFAULT
        },
        get(&server),
    );
    let mut body = transport().send(request).await.unwrap().into_body();

    assert!(body.frame().await.unwrap().is_err());
    assert!(body.frame().await.is_none());
    assert!(http_body::Body::is_end_stream(&body));
}
