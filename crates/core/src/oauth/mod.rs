//! OAuth 2.0 as a client. Only this module uses the `oauth2` crate, and no other crate can name a token.

mod activate;
mod ask_again;
mod callback;
mod client;
mod client_health;
mod connect_page;
mod end;
mod exchange;
pub(crate) mod issuer;
pub(crate) mod links;
mod metadata;
mod older_clients;
mod read;
mod refresh;
mod revoke;
mod shared_grant;
pub(crate) mod sign_in;
mod start;
mod subject;
mod token_endpoint;
mod verify;

pub(crate) use ask_again::ask_again;
pub use callback::Callback;
pub(crate) use callback::finish;
pub use connect_page::ConnectPage;
pub(crate) use connect_page::connect_page;
pub(crate) use end::end;
pub use exchange::FinishedAuthorization;
pub(crate) use older_clients::{end_all_older_clients, end_older_clients};
pub(crate) use read::read;
/// For the tests of a store.
#[cfg(feature = "simulation")]
pub use refresh::simulation;
pub(crate) use refresh::{RefreshReason, keep_alive, live, refresh_now, replay_spool};
pub(crate) use revoke::{revocation, work_off_outbox};
pub(crate) use shared_grant::shares_grant;
pub use sign_in::StartedAtProvider;
pub use start::StartedAuthorization;
pub(crate) use start::start;
pub(crate) use subject::imported_subject;
/// Checks what must hold for any response of a token endpoint.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use token_endpoint::property::holds as token_response_holds;
pub(crate) use verify::verify;

#[cfg(test)]
mod visitor;
