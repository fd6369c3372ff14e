//! The server accepts connections, and can close one without a response.

use std::{net::Ipv4Addr, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Request, Response},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};
use tower::ServiceExt as _;

use crate::Sandbox;

/// Marks a response that must not be sent. The connection closes instead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HangUp;

/// A running sandbox. Dropping it stops the sandbox.
#[derive(Debug)]
#[non_exhaustive]
pub struct Running {
    /// The URL that it listens on, such as `http://127.0.0.1:49152`, without a slash at the end.
    pub url: String,
    /// The sandbox that responds there.
    pub sandbox: Sandbox,
    task: JoinHandle<()>,
}

impl Running {
    /// Binds a loopback port, and serves in a separate task.
    pub(crate) async fn start(sandbox: Sandbox) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let served = sandbox.clone();
        let task = tokio::spawn(async move {
            if let Err(error) = serve(&served, &listener).await {
                tracing::error!(%error, "the sandbox stopped");
            }
        });
        Ok(Self { url, sandbox, task })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts connections until it's dropped, which also closes them.
pub(crate) async fn serve(sandbox: &Sandbox, listener: &TcpListener) -> std::io::Result<()> {
    tracing::debug!(address = %listener.local_addr()?, "the sandbox listens");
    let router = sandbox.router();
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(serve_connection(stream, router.clone()));
            }
            Err(error) => {
                // The process may be out of file handles, or the client may have left early. Neither stops the sandbox.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve_connection(stream: TcpStream, router: Router) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let service = tower::service_fn(move |request| respond(router.clone(), request));
    let outcome = Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .await;
    if let Err(error) = outcome {
        tracing::debug!(error, "a connection ended early");
    }
}

async fn respond<B>(router: Router, request: Request<B>) -> std::io::Result<Response<Body>>
where
    B: axum::body::HttpBody<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    let response = router
        .oneshot(request.map(Body::new))
        .await
        .map_err(std::io::Error::other)?;
    if response.extensions().get::<HangUp>().is_some() {
        return Err(std::io::Error::other("hung up on request"));
    }
    Ok(response)
}
