//! Access of the application itself: client ids with their secrets, and bearer tokens.

mod authenticate;
mod create_app_credential;
mod issue_access_token;

pub(crate) use authenticate::authenticate;
pub use create_app_credential::NewAppCredential;
pub(crate) use create_app_credential::create_app_credential;
pub use issue_access_token::IssuedToken;
pub(crate) use issue_access_token::issue_access_token;
