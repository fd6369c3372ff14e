//! Serving of connections: bounds on slow callers, and an orderly end.

mod activity;
mod framing;

use std::{future::Future, io, pin::pin, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto::{self, UpgradeableConnection},
        graceful::GracefulShutdown,
    },
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};

use activity::{Activity, Noted, Watched};

/// How often a caller over HTTP/2 is asked whether it is still there.
const PING: Duration = Duration::from_secs(30);
/// Longest wait for requests under way when the service stops.
const DRAIN: Duration = Duration::from_secs(30);
/// Pause after an `accept` that failed for want of file descriptors or memory.
const EXHAUSTED: Duration = Duration::from_millis(200);

/// Serves HTTP/1.1 and HTTP/2 until `shutdown` resolves, then takes no more connections and waits at most 30 s for the
/// requests under way.
///
/// A connection without a request stays open for 90 s, longer than load balancers keep theirs; a request's head has to
/// be complete 30 s after its first byte. A head that says in two ways how long its body is gets 400.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send,
) {
    let server = server();
    let connections = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let stream = tokio::select! {
            biased;
            () = shutdown.as_mut() => break,
            stream = accept(&listener) => stream,
        };
        let connection = connection(&server, stream, router.clone());
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %error, "a connection ended early");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still under way when the time to stop was up");
    }
}

fn server() -> auto::Builder<TokioExecutor> {
    let mut server = auto::Builder::new(TokioExecutor::new());
    // The time of a head begins with its first byte, which the server does not see: the connection counts it.
    server.http1().header_read_timeout(None);
    server
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(PING));
    server
}

fn connection<S>(
    server: &auto::Builder<TokioExecutor>,
    stream: S,
    router: Router,
) -> UpgradeableConnection<
    'static,
    TokioIo<Watched<S>>,
    TowerToHyperService<Noted<Router>>,
    TokioExecutor,
>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Activity::new();
    let stream = Watched::new(stream, activity.clone());
    let service = TowerToHyperService::new(Noted { router, activity });
    server
        .serve_connection_with_upgrades(TokioIo::new(stream), service)
        .into_owned()
}

/// The next connection. Small responses go out at once (`TCP_NODELAY`).
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(error = %error, "a connection takes no TCP_NODELAY");
                }
                return stream;
            }
            // The caller hung up before its turn.
            Err(error) if is_the_callers(&error) => {}
            Err(error) => {
                tracing::error!(error = %error, "no connection can be accepted");
                tokio::time::sleep(EXHAUSTED).await;
            }
        }
    }
}

fn is_the_callers(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::ConnectionRefused | Kind::ConnectionAborted | Kind::ConnectionReset
    )
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        sync::oneshot,
    };

    use super::*;

    /// One connection to a router that says `done`.
    fn connected() -> tokio::io::DuplexStream {
        let (caller, stream) = tokio::io::duplex(4096);
        let router = Router::new().route("/", get(|| async { "done" }).post(|| async { "done" }));
        let connection = connection(&server(), stream, router);
        tokio::spawn(async move { connection.await.unwrap_or_default() });
        caller
    }

    async fn ask(caller: &mut tokio::io::DuplexStream, request: &str) -> String {
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

    /// After how many seconds the server closes the connection.
    async fn closed_after(caller: &mut tokio::io::DuplexStream) -> u64 {
        let start = tokio::time::Instant::now();
        assert_eq!(caller.read(&mut [0; 64]).await.unwrap(), 0);
        start.elapsed().as_secs()
    }

    const REQUEST: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

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
    async fn a_head_that_does_not_end_is_cut_off_after_its_first_byte() {
        let mut caller = connected();
        assert_eq!(closed_after(&mut caller).await, 90, "nothing ever came");

        let mut caller = connected();
        ask(&mut caller, REQUEST).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        caller.write_all(b"GET / HT").await.unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
        caller.write_all(b"TP/1.1\r\n").await.unwrap();
        assert_eq!(closed_after(&mut caller).await, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_may_take_longer_than_its_head() {
        let (caller, stream) = tokio::io::duplex(4096);
        let slow = get(|| async {
            tokio::time::sleep(Duration::from_secs(300)).await;
            "done"
        });
        let connection = connection(&server(), stream, Router::new().route("/", slow));
        tokio::spawn(async move { connection.await.unwrap_or_default() });
        let mut caller = caller;
        assert!(
            ask(&mut caller, REQUEST)
                .await
                .starts_with("HTTP/1.1 200 OK")
        );
        assert_eq!(closed_after(&mut caller).await, 90);
    }

    #[tokio::test]
    async fn a_body_with_two_lengths_is_refused() {
        for lines in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
            "Content-Length: 3\r\nContent-Length: 3\r\n",
            "Content-Length: 3\r\nContent-Length: 4\r\n",
            "Content-Length: +3\r\n",
            "Content-Length: 3, 3\r\n",
            "Transfer-Encoding: chunked, gzip\r\n",
        ] {
            let mut caller = connected();
            let request = format!("POST / HTTP/1.1\r\nHost: x\r\n{lines}\r\n0\r\n\r\n");
            let response = ask(&mut caller, &request).await;
            assert!(response.starts_with("HTTP/1.1 400"), "{lines}: {response}");
            assert_eq!(closed_after(&mut caller).await, 0, "{lines}");
        }
    }

    #[tokio::test]
    async fn a_request_under_way_is_answered_before_it_ends() {
        let (arrived, arrival) = oneshot::channel();
        let (release, released) = oneshot::channel::<()>();
        let slots = std::sync::Arc::new(std::sync::Mutex::new(Some((arrived, released))));
        let handler = move || {
            let (arrived, released) = slots.lock().unwrap().take().unwrap();
            async move {
                arrived.send(()).unwrap();
                released.await.unwrap();
                "done"
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = Router::new().route("/", get(handler));
        let served = tokio::spawn(serve(
            listener,
            router,
            async move { stopped.await.unwrap() },
        ));

        let mut caller = TcpStream::connect(address).await.unwrap();
        caller
            .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        arrival.await.unwrap();
        stop.send(()).unwrap();
        release.send(()).unwrap();
        let mut response = String::new();
        caller.read_to_string(&mut response).await.unwrap();
        assert!(
            response.starts_with("HTTP/1.1 200 OK") && response.ends_with("done"),
            "{response}"
        );
        served.await.unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }
}
