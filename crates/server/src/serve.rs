//! Serving of connections: bounds on slow callers, and an orderly end.

use std::{future::Future, io, pin::pin, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};

/// Longest time for a request's head: a caller who sends a byte now and then holds no connection for ever.
const HEAD: Duration = Duration::from_secs(30);
/// Longest wait for requests under way when the service stops.
const DRAIN: Duration = Duration::from_secs(30);
/// Pause after an `accept` that failed for want of file descriptors or memory.
const EXHAUSTED: Duration = Duration::from_millis(200);

/// Serves HTTP/1.1 and HTTP/2 until `shutdown` resolves, then takes no more connections and waits at most 30 s for the
/// requests under way.
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
        let service = TowerToHyperService::new(router.clone());
        let connection = server
            .serve_connection_with_upgrades(TokioIo::new(stream), service)
            .into_owned();
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
    server
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    server
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(HEAD));
    server
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
