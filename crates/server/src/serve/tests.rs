//! Limits on time and number, over streams in memory with a paused clock.

use std::{convert::Infallible, sync::Weak};

use axum::{
    Router,
    body::Body,
    routing::{any, get},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    time::Instant,
};

use super::*;

pub(super) const REQUEST: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
/// Preface and settings of a caller over HTTP/2 (RFC 9113, sections 3.4 and 6.5).
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// `GET /` of `x` on the first stream: HEADERS that end the headers and the stream, with HPACK's static table.
const HTTP2_GET: &[u8] = b"\0\0\x06\x01\x05\0\0\0\x01\x82\x84\x86\x41\x01x";

/// A connection to a router.
fn connect(router: Router) -> DuplexStream {
    let (caller, stream) = tokio::io::duplex(4096);
    let activity = Activity::new(UnderWay::default());
    let service = RouterService::new(router, activity, None, Stopping::never());
    let (serves, phases) = watch::channel(Phase::Serves);
    tokio::spawn(async move {
        let cut_off = AtomicUsize::default();
        connection::serve(&connection::http(), stream, service, phases, &cut_off).await;
        drop(serves);
    });
    caller
}

/// A connection to a router that responds with `done`.
pub(super) fn connected() -> DuplexStream {
    connect(Router::new().route("/", get(|| async { "done" }).post(|| async { "done" })))
}

pub(super) async fn ask(caller: &mut DuplexStream, request: &str) -> String {
    caller.write_all(request.as_bytes()).await.unwrap();
    let mut response = vec![0; 4096];
    let mut read = 0;
    while !response[..read].ends_with(b"done") {
        match caller.read(&mut response[read..]).await.unwrap() {
            0 => break,
            some => read += some,
        }
    }
    String::from_utf8(response[..read].to_vec()).unwrap()
}

/// After how many seconds the server closes the connection. It may send anything before.
pub(super) async fn closed_after(caller: &mut DuplexStream) -> u64 {
    let start = Instant::now();
    while matches!(caller.read(&mut [0; 64]).await, Ok(1..)) {}
    start.elapsed().as_secs()
}

/// The same over HTTP/2. The caller answers pings. A second after each piece, it gives the first response room for this
/// many bytes.
async fn closed_http2_after(caller: &mut DuplexStream, room: u8) -> u64 {
    const DATA: u8 = 0;
    const PING: u8 = 6;
    const WINDOW_UPDATE: &[u8] = b"\0\0\x04\x08\0\0\0\0\x01\0\0\0";
    let start = Instant::now();
    let mut head = [0; 9];
    while caller.read_exact(&mut head).await.is_ok() {
        let [a, b, c, kind, flags, ..] = head;
        let length = u32::from_be_bytes([0, a, b, c]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        caller.read_exact(&mut payload).await.unwrap();
        if (kind, flags) == (PING, 0) {
            head[4] = 1;
            // The connection may be closing.
            let _ = caller.write_all(&[&head[..], &payload].concat()).await;
        }
        if kind == DATA && room > 0 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let _ = caller.write_all(&[WINDOW_UPDATE, &[room]].concat()).await;
        }
    }
    start.elapsed().as_secs()
}

/// An endless body, and a reference that is gone once the body was dropped.
fn endless() -> (Body, Weak<()>) {
    let held = Arc::new(());
    let gone = Arc::downgrade(&held);
    let pieces = stream::repeat(Bytes::from_static(&[b'x'; 1024]))
        .map(move |piece| (piece, Arc::clone(&held)))
        .map(|(piece, _)| Ok::<_, Infallible>(piece));
    (Body::from_stream(pieces), gone)
}

/// A router that responds with such a body once.
fn download() -> (Router, Weak<()>) {
    let (body, gone) = endless();
    let body = Arc::new(std::sync::Mutex::new(Some(body)));
    let handler = get(move || std::future::ready(body.lock().unwrap().take().unwrap()));
    (Router::new().route("/", handler), gone)
}

#[tokio::test(start_paused = true)]
async fn an_unused_connection_outlives_that_of_a_load_balancer() {
    let mut caller = connected();
    for _ in 0..3 {
        assert!(
            ask(&mut caller, REQUEST)
                .await
                .starts_with("HTTP/1.1 200 OK")
        );
        tokio::time::sleep(Duration::from_secs(75)).await;
    }
    assert!(
        ask(&mut caller, REQUEST)
            .await
            .starts_with("HTTP/1.1 200 OK")
    );
    assert_eq!(closed_after(&mut caller).await, 90);
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_closed() {
    assert_eq!(closed_after(&mut connected()).await, 30);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_end_is_cut_off_after_its_first_byte() {
    let mut caller = connected();
    ask(&mut caller, REQUEST).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    caller.write_all(b"GET / HT").await.unwrap();
    tokio::time::sleep(Duration::from_secs(20)).await;
    caller.write_all(b"TP/1.1\r\n").await.unwrap();
    assert_eq!(closed_after(&mut caller).await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_part_of_the_preface_of_http2_turns_off_no_limit() {
    for length in [1, 3, 8, 18, 23] {
        let mut caller = connected();
        caller.write_all(&HTTP2[..length]).await.unwrap();
        assert_eq!(closed_after(&mut caller).await, 30, "{length} bytes");
    }
    let mut caller = connected();
    let response = ask(&mut caller, "PRINT / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(response.starts_with("HTTP/1.1 405"), "{response}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_over_http2_without_requests_is_closed() {
    let mut caller = connected();
    caller.write_all(HTTP2).await.unwrap();
    assert_eq!(closed_http2_after(&mut caller, 0).await, 30, "no request");

    let mut caller = connected();
    caller.write_all(HTTP2).await.unwrap();
    tokio::time::sleep(Duration::from_secs(20)).await;
    caller.write_all(HTTP2_GET).await.unwrap();
    assert_eq!(
        closed_http2_after(&mut caller, 0).await,
        90,
        "after the response"
    );
}

#[tokio::test(start_paused = true)]
async fn a_complete_request_may_take_longer_than_the_idle_timeout() {
    let slow = async |_: Bytes| {
        tokio::time::sleep(Duration::from_secs(300)).await;
        "done"
    };
    for rest in [
        "\r\n",
        "Content-Length: 3\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ] {
        let mut caller = connect(Router::new().route("/", any(slow)));
        let request = format!("POST / HTTP/1.1\r\nHost: x\r\n{rest}");
        let response = ask(&mut caller, &request).await;
        assert!(response.starts_with("HTTP/1.1 200 OK"), "{rest:?}");
        assert_eq!(closed_after(&mut caller).await, 90);
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_stops_reading_is_disconnected() {
    let (router, gone) = download();
    let mut caller = connect(router);
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert!(gone.upgrade().is_some());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(gone.upgrade().is_none());
    assert_eq!(closed_after(&mut caller).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_large_response_that_is_read_steadily_continues() {
    let (router, gone) = download();
    let mut caller = connect(router);
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_secs(50)).await;
        caller.read_exact(&mut [0; 64 * 1024]).await.unwrap();
    }
    assert!(gone.upgrade().is_some());
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_a_response_may_take_longer_than_the_idle_timeout() {
    const LENGTH: usize = 256 * 1024;
    let whole = get(|| async { Bytes::from_static(&[b'x'; LENGTH]) });
    let mut caller = connect(Router::new().route("/", whole));
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    for _ in 0..LENGTH / 2048 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        caller.read_exact(&mut [0; 2048]).await.unwrap();
    }
    // The last bytes were written a second before they were read.
    assert_eq!(closed_after(&mut caller).await, 89);
}

#[tokio::test(start_paused = true)]
async fn a_reader_of_a_few_bytes_a_second_is_cut_off() {
    let (router, gone) = download();
    let mut caller = connect(router);
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    let start = Instant::now();
    while caller.read_exact(&mut [0; 64]).await.is_ok() {
        assert!(start.elapsed() < Duration::from_secs(600), "still there");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(gone.upgrade().is_none());

    let (router, gone) = download();
    let mut caller = connect(router);
    caller.write_all(HTTP2).await.unwrap();
    caller.write_all(HTTP2_GET).await.unwrap();
    assert!(closed_http2_after(&mut caller, 64).await < 600);
    assert!(gone.upgrade().is_none());
}

/// The bytes of a caller that gives no response any room: SETTINGS with an initial window of 0.
const NO_WINDOW: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0";

/// The caller reads everything, but no WINDOW_UPDATE follows.
#[tokio::test(start_paused = true)]
async fn an_http2_response_without_a_window_is_dropped() {
    for settings in [HTTP2, NO_WINDOW] {
        let (router, gone) = download();
        let mut caller = connect(router);
        caller.write_all(settings).await.unwrap();
        caller.write_all(HTTP2_GET).await.unwrap();
        let reading = tokio::spawn(async move { closed_http2_after(&mut caller, 0).await });
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert!(gone.upgrade().is_some());
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(gone.upgrade().is_none());
        assert_eq!(reading.await.unwrap(), 60 + 90);
    }
}

#[tokio::test(start_paused = true)]
async fn unread_http2_bodies_leave_room_for_others() {
    const SETTINGS: u8 = 4;
    const WINDOW_UPDATE: u8 = 8;
    /// The window that all requests share before a WINDOW_UPDATE.
    const BEFORE: u32 = 65_535;
    let mut caller = connect(Router::new());
    caller.write_all(HTTP2).await.unwrap();
    let (mut requests, mut of_one, mut of_all) = (0, 0, 0);
    while of_one == 0 || of_all == 0 {
        let mut head = [0; 9];
        caller.read_exact(&mut head).await.unwrap();
        let [a, b, c, kind, ..] = head;
        let length = u32::from_be_bytes([0, a, b, c]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        caller.read_exact(&mut payload).await.unwrap();
        let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
        match kind {
            SETTINGS => {
                for setting in payload.chunks(6) {
                    match setting[..2] {
                        [0, 3] => requests = number(&setting[2..]),
                        [0, 4] => of_one = number(&setting[2..]),
                        _ => {}
                    }
                }
            }
            WINDOW_UPDATE => of_all = BEFORE + number(&payload),
            _ => {}
        }
    }
    assert!(requests > 0 && of_all >= requests * of_one, "{of_all}");
}

#[tokio::test(start_paused = true)]
async fn pipelined_requests_are_answered_in_order() {
    let mut caller = connected();
    let chunked =
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let first = ask(&mut caller, &format!("{chunked}{REQUEST}{chunked}")).await;
    let mut said = first;
    while said.matches("done").count() < 3 {
        said.push_str(&ask(&mut caller, "").await);
    }
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 3, "{said}");
    assert_eq!(closed_after(&mut caller).await, 90);
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_a_body_is_not_read_as_a_head() {
    let mut caller = connected();
    let response = ask(
        &mut caller,
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n",
    )
    .await;
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
    assert_eq!(closed_after(&mut caller).await, 0, "nothing more is read");
}
