#![doc = include_str!("lib.md")]
// On docs.rs, items show the feature that they need.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "platform", feature = "client"))]
mod backend;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "platform")]
mod entropy;
#[cfg(any(feature = "platform", feature = "client"))]
mod handles;
#[cfg(any(feature = "platform", feature = "client"))]
mod operation;
#[cfg(feature = "platform")]
mod platform;
pub mod products;
#[cfg(feature = "client")]
mod remote;
#[cfg(feature = "platform")]
mod runtime;
#[cfg(feature = "platform")]
pub mod store {
    //! The port [`Store`], and the stores of Stead. To write your own, start from `examples/custom_store.rs`, and test
    //! it with the crate `stead-testkit`.

    pub use stead_core::store::{
        Batch, Column, ColumnKind, Commit, Found, Index, Key, List, MemoryStore, Row, Store,
        TABLES, Table, Value, Versioned, Write,
    };
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub use stead_store::*;
}

#[cfg(feature = "calendar")]
pub use stead_calendar as calendar;
#[cfg(feature = "drive")]
pub use stead_drive as drive;
#[cfg(feature = "mail")]
pub use stead_mail as mail;
#[cfg(feature = "sheets")]
pub use stead_sheets as sheets;
#[cfg(feature = "reqwest")]
pub use stead_transport as transport;
#[cfg(feature = "warehouse")]
pub use stead_warehouse as warehouse;
#[cfg(feature = "workspace")]
pub use stead_workspace as workspace;

#[cfg(feature = "client")]
pub use client::Client;
#[cfg(feature = "platform")]
pub use entropy::OsEntropy;
#[cfg(any(feature = "platform", feature = "client"))]
pub use handles::{
    Account, Accounts, Actions, Agent, Authorizations, Authorize, Connections, Disconnect, Events,
    Execute, Executions, List, Request, Stead, Tools, Webhooks,
};
#[cfg(any(feature = "platform", feature = "client"))]
pub use operation::Operation;
#[cfg(feature = "platform")]
pub use platform::{Platform, PlatformBuilder};
#[cfg(feature = "platform")]
pub use runtime::TokioRuntime;
pub use stead_core::{
    Error, ErrorKind, Result, agent,
    api::Paging,
    error::{ActBy, AuthorizationRequest, Upstream, Violation},
    identifier, ports,
    product::Product,
    resource::{self, ConnectionChange, Execution, NewConnection, NewWebhook, TokenAccess},
    results::{ResultOptions, View},
    schema::{Detail, ExportFormat},
    tool::{Effect, Tool},
};
#[cfg(feature = "platform")]
pub use stead_core::{
    caller::Caller,
    catalogue::{Catalogue, CatalogueTool},
    environment::{
        CallLimits, Environment, EnvironmentOptions, McpIssuer, ProductOptions, Retention,
        SignInProvider, Verification,
    },
    oauth::{Callback, ConnectPage, FinishedAuthorization, StartedAuthorization},
    schema::{check_request, check_tool},
    seal::KeyRing,
};

/// The transport of the feature `reqwest`, with its own limits. If `private_hosts` are given, it reaches only these and
/// public addresses.
#[cfg(any(feature = "platform", all(feature = "client", feature = "reqwest")))]
fn default_transport(
    private_hosts: Option<Vec<String>>,
) -> Result<std::sync::Arc<dyn ports::Transport>> {
    #[cfg(feature = "reqwest")]
    {
        let mut options = stead_transport::TransportOptions::default();
        if let Some(private_hosts) = private_hosts {
            options = options.with_public_addresses(private_hosts);
        }
        let transport = stead_transport::ReqwestTransport::new(options).map_err(|error| {
            Error::new(ErrorKind::Internal, "the HTTP client cannot be set up").with_source(error)
        })?;
        Ok(std::sync::Arc::new(transport))
    }
    #[cfg(not(feature = "reqwest"))]
    drop(private_hosts);
    #[cfg(not(feature = "reqwest"))]
    Err(Error::new(
        ErrorKind::InvalidRequest,
        "a transport is needed: enable the feature `reqwest`, or choose .transport(your own)",
    ))
}

/// The Rust blocks of the README, as tests.
#[cfg(all(
    doctest,
    feature = "platform",
    feature = "client",
    feature = "sqlite",
    feature = "reqwest",
    feature = "mail"
))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Types that applications share between threads and tasks must be `Send` and `Sync`.
const _: () = {
    const fn movable<T: Send + Sync + 'static>() {}
    movable::<Error>();
    #[cfg(any(feature = "platform", feature = "client"))]
    {
        movable::<Stead>();
        movable::<Account>();
        movable::<Actions>();
        movable::<Execution>();
    }
    #[cfg(feature = "platform")]
    movable::<Platform>();
    #[cfg(feature = "client")]
    movable::<Client>();
};
