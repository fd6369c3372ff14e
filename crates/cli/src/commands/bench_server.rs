//! `stead bench-server`: a service for measurements, hidden from the help.

use std::net::SocketAddr;

use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::{products, resource::NewMcpSession};
use stead_core::results::View;
use stead_sandbox::{Fault, Sandbox};

use crate::{
    failure::Outcome,
    listener, signals,
    target::{CONNECTION, Listeners, Stack, USER, with_storage},
    terminal::Terminal,
};

/// Ten years, so no refresh disturbs a measurement.
const TOKEN_SECONDS: u32 = 315_360_000;

/// Start a service with one connected account whose calls go to an upstream, and print how to reach it.
#[derive(Debug, Args)]
pub(crate) struct BenchServer {
    /// Address of the service.
    #[arg(long, value_name = "ADDRESS")]
    listen: SocketAddr,

    /// Address of the product's API.
    #[arg(long, value_name = "URL")]
    upstream: String,
}

impl BenchServer {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let listeners = Listeners {
            service: listener::bind(self.listen, "--listen").await?,
            ..Listeners::free().await?
        };
        let upstream = &self.upstream;
        let stack = Stack::start(
            listeners,
            Sandbox::new(),
            None,
            |mut builder, sandbox_url| {
                for product in products::PRODUCTS {
                    let mut options = products::behind(product, sandbox_url);
                    options
                        .origins
                        .values_mut()
                        .for_each(|origin| origin.clone_from(upstream));
                    options.rate_limited = Some(false);
                    builder = builder.product(product.name, options);
                }
                with_storage(builder, None)
            },
        )
        .await?;
        stack.sandbox.fault(Fault::TokenLifetime {
            seconds: TOKEN_SECONDS,
        });
        let connection = CONNECTION;
        let actions = stack.platform.actions();
        let link = actions.authorization_link(connection, USER).await?;
        stack.consent(&link.link).await?;
        let token = stack
            .platform
            .environment()
            .issue_access_token(&stack.client_id, stack.client_secret.expose_secret(), None)
            .await?;
        // The same result as over REST, with a session's longest lifetime.
        let session = NewMcpSession::new(USER).view(View::Full).expires_in(86_400);
        let session = stack.platform.send(session).await?;
        terminal.result_json(&json!({
            "url": stack.url,
            "bearer": token.access_token.expose_secret(),
            "mcp_bearer": session.token.expose_secret(),
            "connection_name": connection,
            "identifier": USER,
        }));
        signals::stop().await;
        stack.stop().await;
        Ok(())
    }
}
