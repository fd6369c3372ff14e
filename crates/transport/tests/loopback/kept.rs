//! Which connections are kept for the next request, and for how long.

use std::time::Duration;

use futures_util::future::join_all;
use stead_core::ports::Transport as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time,
};

use super::{
    get,
    server::{Server, Then},
    transport, whole,
};

const HELLO: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"];

/// The server's end of one connection, and what it has heard so far.
struct End(TcpStream);

impl End {
    async fn accept(listener: &TcpListener) -> Self {
        Self(listener.accept().await.unwrap().0)
    }

    async fn respond(&mut self, response: &[u8]) {
        let mut heard = Vec::new();
        while !heard.ends_with(b"\r\n\r\n") {
            assert!(self.0.read_buf(&mut heard).await.unwrap() > 0);
        }
        self.0.write_all(response).await.unwrap();
    }

    /// Waits for the client to close.
    async fn closed(mut self) {
        while self.0.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
    }
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (listener, address)
}

#[tokio::test]
async fn a_connection_is_reused_after_a_chunked_body() {
    const PIECES: &[&[u8]] = &[
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        b"3\r\none\r\n",
        b"3\r\ntwo\r\n",
        b"0\r\n\r\n",
    ];
    let server = Server::start(PIECES, Then::Listen).await;
    let transport = transport();
    for _ in 0..3 {
        let response = transport.send(get(&server)).await.unwrap();
        assert_eq!(whole(response).await.unwrap(), "onetwo");
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn a_connection_is_reused_after_a_buffered_unread_body() {
    const CHUNKED: &[&[u8]] =
        &[b"HTTP/1.1 401 Unauthorized\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"];
    let server = Server::start(CHUNKED, Then::Listen).await;
    let transport = transport();
    for _ in 0..3 {
        drop(transport.send(get(&server)).await.unwrap());
        // Lets the client's task for this connection run.
        tokio::task::yield_now().await;
    }
    assert_eq!(server.heard().len(), 3);
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn dropping_an_incomplete_body_closes_its_connection() {
    let (listener, address) = listen().await;
    let transport = transport();
    let (response, end) = tokio::join!(transport.send(get(address)), async {
        let mut end = End::accept(&listener).await;
        end.respond(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello")
            .await;
        end
    });
    drop(response.unwrap());
    end.closed().await;
}

#[tokio::test]
async fn a_request_that_is_given_up_closes_its_connection() {
    let (listener, address) = listen().await;
    let transport = transport();
    let end = tokio::select! {
        _ = transport.send(get(address)) => unreachable!("no response was given"),
        end = End::accept(&listener) => end,
    };
    end.closed().await;
}

#[tokio::test]
async fn a_connection_closed_by_the_server_is_not_reused() {
    let (listener, address) = listen().await;
    let transport = transport();
    for _ in 0..3 {
        let (response, ()) = tokio::join!(transport.send(get(&address)), async {
            End::accept(&listener).await.respond(HELLO[0]).await;
        });
        assert_eq!(whole(response.unwrap()).await.unwrap(), "hello");
        // Another exchange gives the client time to notice the end.
        let other = Server::start(HELLO, Then::Listen).await;
        transport.send(get(&other)).await.unwrap();
    }
}

#[tokio::test]
async fn unused_connections_are_closed_after_the_idle_timeout() {
    let (listener, address) = listen().await;
    let transport = transport();
    let requests = (0..3).map(async |_| {
        let response = transport.send(get(&address)).await;
        assert_eq!(whole(response.unwrap()).await.unwrap(), "hello");
    });
    let (_, ends) = tokio::join!(join_all(requests), async {
        let mut ends = Vec::new();
        for _ in 0..3 {
            ends.push(End::accept(&listener).await);
        }
        join_all(ends.into_iter().map(async |mut end| {
            end.respond(HELLO[0]).await;
            end
        }))
        .await
    });
    time::pause();
    let closed = join_all(ends.into_iter().map(End::closed));
    time::timeout(Duration::from_secs(600), closed)
        .await
        .unwrap();
}
