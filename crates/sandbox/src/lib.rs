#![doc = include_str!("lib.md")]

mod admin;
mod consent;
mod faults;
mod google;
mod log;
mod oauth;
mod pages;
mod product;
mod receive;
mod records;
mod request;
mod response;
mod serve;
mod shared;
mod state;
mod users;
mod warehouse;
mod workspace;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::Router;
use tokio::{net::TcpListener, sync::watch};

pub use faults::{Fault, RotationMode};
pub use log::Received;
pub use records::{Field, Record, Section};
pub use serve::Running;
pub use state::reference;

use state::State;

/// Identifier of the OAuth client that every sandbox has.
pub const CLIENT_ID: &str = "sandbox-client.apps.googleusercontent.com";

/// Secret of the OAuth client [`CLIENT_ID`]. It only works with a sandbox.
pub const CLIENT_SECRET: &str = "sandbox-secret";

/// Identifier of the integration (the OAuth client) that every sandbox has at Notion.
pub const WORKSPACE_CLIENT_ID: &str = "sandbox-workspace-client";

/// Secret of the integration [`WORKSPACE_CLIENT_ID`]. It only works with a sandbox.
pub const WORKSPACE_CLIENT_SECRET: &str = "sandbox-secret";

/// Identifier of the integration (the OAuth client) that every sandbox has at each account of Snowflake.
pub const WAREHOUSE_CLIENT_ID: &str = "sandbox-warehouse-client";

/// Secret of the integration [`WAREHOUSE_CLIENT_ID`]. It only works with a sandbox.
pub const WAREHOUSE_CLIENT_SECRET: &str = "sandbox-secret";

/// Account of the warehouse that every sandbox has.
pub const WAREHOUSE_ACCOUNT: &str = "sandbox-acme";

/// A small world of products and their authorization servers, held in memory.
///
/// Clones share one world. Nothing in it depends on the machine's clock or randomness: the same requests in
/// the same order get the same responses.
#[derive(Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

/// The state that all clones of a [`Sandbox`] share.
struct Inner {
    state: Mutex<State>,
    /// Wakes waiting responses.
    signals: watch::Sender<Signals>,
}

/// The events that a waiting response waits for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Signals {
    /// The number of resets. A stalled response waits for the next one.
    pub(crate) reset_count: u64,
    /// Whether the token endpoint holds its responses.
    pub(crate) token_responses_held: bool,
}

impl Sandbox {
    /// The seeded world, with its clock at 2026-05-04T09:00:00Z.
    #[must_use]
    pub fn new() -> Self {
        Self {
            inner: Arc::new(Inner {
                state: Mutex::new(State::new()),
                signals: watch::Sender::new(Signals::default()),
            }),
        }
    }

    /// Puts a text of your choice into every code and token that is issued from now on. Search for it to see
    /// whether a token leaked.
    ///
    /// Letters, digits, `-` and `_` are kept. All other characters are removed, because a token can't have them.
    #[must_use]
    pub fn with_token_marker(self, marker: &str) -> Self {
        self.state().shared.ids.set_marker(marker);
        self
    }

    /// Registers one more OAuth client in addition to [`CLIENT_ID`].
    ///
    /// With no `redirect_uris`, any loopback or https address is accepted. Clients survive a reset.
    ///
    /// The part of `id` before its first `-` names the client's project. Revoking a token affects all clients of
    /// the project, as at Google (OAuth 2.0 for Web Server Applications, "Revoking a token").
    pub fn add_client(&self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.state()
            .add_client("accounts.google.com", id, secret, redirect_uris);
    }

    /// Registers one more integration at Notion in addition to [`WORKSPACE_CLIENT_ID`].
    ///
    /// With no `redirect_uris`, any loopback or https address is accepted. Integrations survive a reset.
    pub fn add_workspace_client(&self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.state()
            .add_client("api.notion.com", id, secret, redirect_uris);
    }

    /// Registers one more integration at the accounts of Snowflake in addition to [`WAREHOUSE_CLIENT_ID`].
    ///
    /// With no `redirect_uris`, any loopback or https address is accepted. Integrations survive a reset.
    pub fn add_warehouse_client(&self, id: &str, secret: &str, redirect_uris: &[&str]) {
        let host = format!("{WAREHOUSE_ACCOUNT}.snowflakecomputing.com");
        self.state().add_client(&host, id, secret, redirect_uris);
    }

    /// All routes. Serve them, or nest them at the root of a listener.
    ///
    /// A router can't close the connection. If you serve it without [`Sandbox::serve`], the fault
    /// [`Fault::CutBeforeResponse`] shows as an empty response with status 500.
    pub fn router(&self) -> Router {
        receive::router(self.clone())
    }

    /// Serves HTTP/1.1 and HTTP/2 on `listener`. Dropping the future also closes the connections.
    ///
    /// # Errors
    /// If the listener's own address can't be read.
    pub async fn serve(self, listener: TcpListener) -> std::io::Result<()> {
        serve::serve(&self, &listener).await
    }

    /// Serves a new sandbox on a loopback port that the system chooses.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn start() -> std::io::Result<Running> {
        Self::new().run().await
    }

    /// Serves this sandbox on a loopback port that the system chooses.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn run(self) -> std::io::Result<Running> {
        Running::start(self).await
    }

    /// The last 10,000 requests since the start or the last reset, oldest first and without secrets.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.state().log.entries()
    }

    /// How many POSTs reached the token endpoint since the start or the last reset.
    #[must_use]
    pub fn token_requests(&self) -> usize {
        self.state().log.token_requests(None)
    }

    /// The same for one `grant_type`, such as `refresh_token`.
    #[must_use]
    pub fn token_requests_of(&self, grant_type: &str) -> usize {
        self.state().log.token_requests(Some(grant_type))
    }

    /// Makes the sandbox misbehave, or changes its world.
    ///
    /// A fault that names an unknown user or message changes nothing, and the log gets a warning. The admin route
    /// refuses such a fault.
    pub fn fault(&self, fault: Fault) {
        if let Err(reason) = self.try_fault(fault) {
            tracing::warn!(reason, "the fault changes nothing");
        }
    }

    /// Forgets grants, tokens, faults, the log and changes of the world, and sets the clock back. Keeps clients and the
    /// token marker. Sends stalled responses.
    pub fn reset(&self) {
        let reset_count = {
            let mut state = self.state();
            state.reset();
            state.reset_count
        };
        self.inner.signals.send_modify(|signals| {
            signals.reset_count = reset_count;
            signals.token_responses_held = false;
        });
    }

    /// All grants with their tokens, for [`Sandbox::restore`] after a restart. Changes of the world, faults, the log,
    /// consent pages, codes and added clients aren't saved.
    #[must_use]
    pub fn save(&self) -> serde_json::Value {
        self.state().save()
    }

    /// Restores the grants that [`Sandbox::save`] returned. Call it before the first request.
    ///
    /// # Errors
    /// If another version of the sandbox saved it in another form. Some of it may have been restored.
    pub fn restore(&self, saved: &serde_json::Value) -> serde_json::Result<()> {
        self.state().restore(saved)
    }

    /// The world in readable JSON, to compare with a response. It has users, messages, attachments with size and
    /// SHA-256, drafts, contacts, other contacts, files and spreadsheets.
    #[must_use]
    pub fn world(&self) -> serde_json::Value {
        self.state().describe()
    }

    /// Email address and name of each person.
    pub fn people(&self) -> Vec<(&'static str, &'static str)> {
        let people = users::all().iter();
        people.map(|user| (user.email, user.name)).collect()
    }

    /// The records of a person by section, to view and change by hand.
    #[must_use]
    pub fn sections(&self, user: &str) -> Vec<Section> {
        self.state().sections(user)
    }

    /// Adds a record to a section. `values` has a value for each of its fields.
    ///
    /// # Errors
    /// One sentence, if a value is missing or can't be read, or there is no such section.
    pub fn add_record(
        &self,
        user: &str,
        section: &str,
        values: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        self.state().add_record(user, section, values)
    }

    /// Deletes a record of a section.
    ///
    /// # Errors
    /// One sentence, if there is no such section or record.
    pub fn delete_record(&self, user: &str, section: &str, id: &str) -> Result<(), String> {
        self.state().delete_record(user, section, id)
    }

    /// The faults that wait for a request, each with the number of requests that it applies to.
    #[must_use]
    pub fn waiting(&self) -> Vec<serde_json::Value> {
        self.state().faults.waiting()
    }

    /// The time of the sandbox's clock. It advances only on request ([`Fault::Advance`]).
    #[must_use]
    pub fn now(&self) -> jiff::Timestamp {
        self.state().shared.now
    }

    /// Applies a fault.
    ///
    /// # Errors
    /// One sentence, if the fault names a user or a message that doesn't exist.
    pub fn try_fault(&self, fault: Fault) -> Result<(), String> {
        let held = match fault {
            Fault::HoldTokenRequests => true,
            Fault::ReleaseTokenRequests => false,
            other => return self.state().plan(other),
        };
        self.inner
            .signals
            .send_modify(|signals| signals.token_responses_held = held);
        Ok(())
    }

    /// The mutable state. Hold it only for short, synchronous work.
    fn state(&self) -> MutexGuard<'_, State> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A receiver of the signals, for a waiting response.
    fn signals(&self) -> watch::Receiver<Signals> {
        self.inner.signals.subscribe()
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").finish_non_exhaustive()
    }
}
