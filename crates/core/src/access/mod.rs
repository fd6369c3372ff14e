//! Access of applications: credentials with their secrets and scopes, and bearer tokens.

pub(crate) mod account_tokens;
mod app_credentials;
mod authenticate;
mod issue_access_token;

pub(crate) use app_credentials::{change, create, delete, list, read, revoke_secret, rotate};
pub(crate) use authenticate::authenticate;
pub use issue_access_token::IssuedToken;
pub(crate) use issue_access_token::issue_access_token;
