use std::net::SocketAddr;

use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::products;
use stead_sandbox::Fault;

use crate::{
    browser::Browser,
    failure::Outcome,
    house::{self, House, SANDBOX_USER, USER},
    signals,
    terminal::Terminal,
};

/// Ten years: no refresh disturbs a measurement.
const TOKEN_SECONDS: u32 = 315_360_000;

/// Start a service with one connected account whose calls go to an upstream, and print how to reach it.
#[derive(Debug, Args)]
pub(crate) struct BenchServer {
    /// Address of the service.
    #[arg(long, value_name = "ADDRESS")]
    listen: SocketAddr,

    /// Where the product's API is.
    #[arg(long, value_name = "URL")]
    upstream: String,
}

impl BenchServer {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let listener = house::listen(self.listen, "--listen").await?;
        let sandbox_listener = house::listen_anywhere().await?;
        let upstream = &self.upstream;
        let house = House::start(listener, sandbox_listener, |mut builder, sandbox_url| {
            for product in products::PRODUCTS {
                let mut options = products::behind(product, sandbox_url);
                options
                    .origins
                    .values_mut()
                    .for_each(|origin| origin.clone_from(upstream));
                options.paced = Some(false);
                builder = builder.product(product.name, options);
            }
            house::keep(builder, None)
        })
        .await?;
        house.sandbox.fault(Fault::TokenLifetime {
            seconds: TOKEN_SECONDS,
        });
        let connection = house::CONNECTION;
        let actions = house.platform.actions();
        let link = actions.authorization_link(connection, USER).await?;
        Browser::new()?.connect(&link.link, SANDBOX_USER).await?;
        let token = house
            .platform
            .environment()
            .issue_access_token(&house.client_id, house.client_secret.expose_secret())
            .await?;
        terminal.result_json(&json!({
            "url": house.url,
            "bearer": token.access_token.expose_secret(),
            "connection_name": connection,
            "identifier": USER,
        }));
        signals::stop().await;
        house.stop().await;
        Ok(())
    }
}
