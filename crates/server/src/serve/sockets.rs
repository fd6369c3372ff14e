//! Sockets: connections beyond the maximum, and running requests when the service stops.

use axum::{
    Extension, Router,
    body::to_bytes,
    extract::Request,
    routing::{any, get},
};
use futures_util::future::join_all;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::oneshot,
    time::Instant,
};

use super::{tests::REQUEST, *};
use crate::caller::Connection;

/// A server on a free port, the sender that stops it, and the one that cuts it off.
async fn serve_on_a_port(
    server: Server,
) -> (
    SocketAddr,
    [oneshot::Sender<()>; 2],
    tokio::task::JoinHandle<usize>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let (cut, was_cut) = oneshot::channel::<()>();
    let served = tokio::spawn(server.serve(
        listener,
        async move { stopped.await.unwrap() },
        async move { was_cut.await.unwrap() },
    ));
    (address, [stop, cut], served)
}

/// A router with one request, which reports its arrival and waits until it's released.
fn held() -> (Router, oneshot::Receiver<()>, oneshot::Sender<()>) {
    let (arrived, arrival) = oneshot::channel();
    let (release, released) = oneshot::channel::<()>();
    let slots = Arc::new(std::sync::Mutex::new(Some((arrived, released))));
    let handler = move || {
        let (arrived, released) = slots.lock().unwrap().take().unwrap();
        async move {
            arrived.send(()).unwrap();
            released.await.unwrap();
            "done"
        }
    };
    (Router::new().route("/", get(handler)), arrival, release)
}

#[tokio::test]
async fn a_request_under_way_is_answered_before_it_ends() {
    let (router, arrival, release) = held();
    let server = Server::new(router);
    let under_way = server.under_way();
    let (address, [stop, _cut], served) = serve_on_a_port(server).await;
    let mut caller = TcpStream::connect(address).await.unwrap();
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    arrival.await.unwrap();
    assert_eq!(under_way.count(), 1);
    stop.send(()).unwrap();
    release.send(()).unwrap();
    let mut response = String::new();
    caller.read_to_string(&mut response).await.unwrap();
    assert!(
        response.starts_with("HTTP/1.1 200 OK") && response.ends_with("done"),
        "{response}"
    );
    assert_eq!(served.await.unwrap(), 0);
    assert_eq!(under_way.count(), 0);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_drain_is_cut_short_on_demand() {
    let (router, arrival, release) = held();
    let (address, [stop, cut], served) = serve_on_a_port(Server::new(router)).await;
    let mut caller = TcpStream::connect(address).await.unwrap();
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    arrival.await.unwrap();
    stop.send(()).unwrap();
    cut.send(()).unwrap();
    assert_eq!(served.await.unwrap(), 1);
    assert!(release.is_closed(), "the request was dropped");
}

#[tokio::test]
async fn an_idle_connection_makes_room_for_a_new_one() {
    let (router, arrival, release) = held();
    let router = router.route("/quick", get(|| async { "done" }));
    let server = Server::new(router).max_connections(2);
    let (address, _stop, _served) = serve_on_a_port(server).await;
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(REQUEST.as_bytes()).await.unwrap();
    arrival.await.unwrap();
    let mut silent = TcpStream::connect(address).await.unwrap();
    let quick = REQUEST.replace("GET /", "GET /quick");
    for _ in 0..3 {
        let mut another = TcpStream::connect(address).await.unwrap();
        another.write_all(quick.as_bytes()).await.unwrap();
        let mut response = [0; 15];
        another.read_exact(&mut response).await.unwrap();
        assert_eq!(&response, b"HTTP/1.1 200 OK");
        assert_eq!(silent.read(&mut [0; 1]).await.unwrap(), 0, "made room");
        silent = another;
        // The connection is idle once its response has been read.
        let mut rest = Vec::new();
        while !rest.ends_with(b"done") {
            rest.push(silent.read_u8().await.unwrap());
        }
    }
    release.send(()).unwrap();
    let mut response = [0; 15];
    busy.read_exact(&mut response).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 200 OK", "a request is not cut off");
}

#[tokio::test]
async fn if_all_connections_are_busy_others_get_an_error() {
    let (router, arrival, _release) = held();
    let server = Server::new(router).max_connections(1);
    let (address, _stop, _served) = serve_on_a_port(server).await;
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(REQUEST.as_bytes()).await.unwrap();
    arrival.await.unwrap();
    let asking = (0..300).map(async |_| {
        let mut caller = TcpStream::connect(address).await.unwrap();
        caller.write_all(REQUEST.as_bytes()).await.unwrap();
        let mut response = String::new();
        caller.read_to_string(&mut response).await.unwrap();
        response
    });
    for response in join_all(asking).await {
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 503 ") && head.contains("\r\nretry-after: 1\r\n"));
        assert!(head.contains(&format!("content-length: {}", body.len())));
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["kind"], "overloaded");
    }
    let mut over_http2 = TcpStream::connect(address).await.unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    over_http2.write_all(preface).await.unwrap();
    let mut said = Vec::new();
    over_http2.read_to_end(&mut said).await.unwrap();
    // GOAWAY, with no stream and ENHANCE_YOUR_CALM.
    let go_away = [&[0, 0, 8, 7, 0][..], &[0; 8], &[0, 0, 0, 11]].concat();
    assert!(said.ends_with(&go_away), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn silent_refused_callers_do_not_block_others() {
    let (router, arrival, _release) = held();
    let server = Server::new(router).max_connections(1);
    let (address, _stop, _served) = serve_on_a_port(server).await;
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(REQUEST.as_bytes()).await.unwrap();
    arrival.await.unwrap();
    let silent = join_all((0..200).map(|_| TcpStream::connect(address))).await;
    let start = Instant::now();
    let mut caller = TcpStream::connect(address).await.unwrap();
    caller.write_all(REQUEST.as_bytes()).await.unwrap();
    let mut response = [0; 12];
    caller.read_exact(&mut response).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 503");
    assert!(start.elapsed().as_secs() <= 4, "{:?}", start.elapsed());
    drop(silent);
}

#[tokio::test]
async fn two_listeners_have_routers_of_their_own_and_share_every_bound() {
    let (router, arrival, release) = held();
    let second = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = second.local_addr().unwrap();
    let at_the_other = Router::new().route("/", get(|| async { "other, done" }));
    let server = Server::new(router)
        .also(second, at_the_other)
        .max_connections(1);
    let (address, [stop, _cut], served) = serve_on_a_port(server).await;
    let ask = async || {
        let mut caller = TcpStream::connect(other).await.unwrap();
        caller.write_all(REQUEST.as_bytes()).await.unwrap();
        caller
    };
    let mut response = [0; 128];
    let read = ask().await.read(&mut response).await.unwrap();
    assert!(response[..read].ends_with(b"other, done"));
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(REQUEST.as_bytes()).await.unwrap();
    arrival.await.unwrap();
    let mut told = String::new();
    ask().await.read_to_string(&mut told).await.unwrap();
    assert!(told.starts_with("HTTP/1.1 503 "), "{told}");
    stop.send(()).unwrap();
    release.send(()).unwrap();
    assert_eq!(served.await.unwrap(), 0);
    assert!(TcpStream::connect(other).await.is_err());
}

/// A router whose request takes this many seconds after its body has arrived. It's the request of an application or of
/// a stranger.
fn slow(seconds: u64, is_known: bool) -> (Router, oneshot::Receiver<()>) {
    let (arrived, arrival) = oneshot::channel();
    let arrived = Arc::new(std::sync::Mutex::new(Some(arrived)));
    let handler = move |Extension(connection): Extension<Connection>, request: Request| {
        let arrived = arrived.lock().unwrap().take().unwrap();
        async move {
            if is_known {
                connection.is_known();
            }
            arrived.send(()).unwrap();
            to_bytes(request.into_body(), 1024).await.unwrap();
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            "done"
        }
    };
    (Router::new().route("/", any(handler)), arrival)
}

/// The response of [`slow`] if the service stops a second after the request, when that was, and how many requests were
/// cut off. The second half of the request's body is sent after `pause` seconds.
async fn stopped(seconds: u64, is_known: bool, pause: u64) -> (String, u64, usize) {
    let (router, arrival) = slow(seconds, is_known);
    let (address, [stop, _cut], served) = serve_on_a_port(Server::new(router)).await;
    let mut caller = TcpStream::connect(address).await.unwrap();
    let start = Instant::now();
    let half = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc";
    caller.write_all(half).await.unwrap();
    arrival.await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_secs(pause)).await;
    // The service may have closed the connection.
    let _ = caller.write_all(b"def").await;
    let mut response = String::new();
    let _ = caller.read_to_string(&mut response).await;
    (response, start.elapsed().as_secs(), served.await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlasts_the_stop_of_strangers_gets_its_response() {
    for (seconds, pause) in [(40, 0), (0, 40)] {
        let (response, after, cut_off) = stopped(seconds, true, pause).await;
        assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
        assert!(
            response.ends_with("done") && (40..=42).contains(&after),
            "{after}"
        );
        assert_eq!(cut_off, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_25_s_for_strangers_and_70_s_for_calls() {
    for (is_known, expected) in [(false, 26), (true, 71)] {
        let (response, after, cut_off) = stopped(600, is_known, 0).await;
        assert_eq!((response.as_str(), after, cut_off), ("", expected, 1));
    }
}
