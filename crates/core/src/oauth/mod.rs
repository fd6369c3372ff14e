//! OAuth 2.0 as a client. The `oauth2` crate is named here and nowhere else, and no other crate can name a token.

mod callback;
mod client;
mod end;
mod exchange;
mod link;
mod refresh;
mod revoke;
mod subject;

pub(crate) use callback::finish;
pub use callback::{Callback, FinishedAuthorization};
pub(crate) use client::client_secret_place;
pub(crate) use end::end;
pub(crate) use exchange::verify;
pub use link::{ConnectPage, StartedAuthorization};
pub(crate) use link::{connect_page, create_link, start};
pub(crate) use refresh::{Renewal, live, renew};
pub(crate) use revoke::{revocation, work_off_outbox};
