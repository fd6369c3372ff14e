//! A server for the official conformance suite of the Model Context Protocol: the service's own router, with a handler
//! that has the suite's tools, prompts and resources. It prints its address. `cargo xtask mcp-conformance` runs the
//! suite.

#![expect(clippy::print_stdout, reason = "its output is what a program is for")]

mod fixture;
mod rounds;

use std::{error::Error, future::pending, sync::Arc};

use axum::extract::Request;
use http::{HeaderValue, header};
use secrecy::ExposeSecret as _;
use stead::Platform;
use stead_core::{
    ports::{Body, BoxFuture, Transport, TransportError, TransportErrorKind},
    resource::NewMcpSession,
};
use stead_server::{McpHandlers, Server, ServerOptions};
use tokio::net::TcpListener;
use tower::util::MapRequestLayer;

/// No product is called.
struct Nowhere;

impl Transport for Nowhere {
    fn send(
        &self,
        _: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        Box::pin(async {
            Err(TransportError::new(
                TransportErrorKind::Refused,
                "no product is called",
            ))
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let builder = Platform::builder(&url).ephemeral_key().in_memory();
    let platform = builder.transport(Arc::new(Nowhere)).build().await?;
    let session = NewMcpSession::new("suite").verify_url("https://app.example.com");
    let token = platform.send(session).await?.token;
    let mut options = ServerOptions::default();
    options.mcp_handlers = Some(McpHandlers::new(fixture::Fixture::read()?));
    // The suite has no token of its own.
    let bearer = HeaderValue::try_from(format!("Bearer {}", token.expose_secret()))?;
    let with_token = move |mut request: Request| {
        let headers = request.headers_mut();
        headers.insert(header::AUTHORIZATION, bearer.clone());
        request
    };
    let router = stead_server::router_with(&platform, &options);
    let router = router.layer(MapRequestLayer::new(with_token));
    println!("{url}/mcp");
    Server::new(router)
        .serve(listener, pending(), pending())
        .await;
    Ok(())
}
