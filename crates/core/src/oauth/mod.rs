//! OAuth 2.0 as a client. The `oauth2` crate is named here and nowhere else, and no other crate can name a token.

mod callback;
mod client;
mod exchange;
mod link;
mod refresh;
mod revoke;
mod subject;
mod token;

pub use callback::{Callback, FinishedAuthorization};
pub(crate) use client::client_secret_place;
pub use link::{ConnectPage, StartedAuthorization};
pub(crate) use refresh::{Flights, Renewal};
pub(crate) use revoke::OutboxWorker;
pub(crate) use token::TokenSet;
