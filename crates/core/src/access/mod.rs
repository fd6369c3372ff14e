//! Access of applications: credentials with their secrets and scopes, and bearer tokens; and of the people at the
//! dashboard: members and their sessions.

pub(crate) mod account_tokens;
pub(crate) mod app_credentials;
mod authenticate;
mod issue_access_token;
pub(crate) mod mcp_sessions;
mod member;
pub(crate) mod members;
pub(crate) mod sessions;
mod token;

pub(crate) use authenticate::{authenticate, authenticate_agent};
pub use issue_access_token::IssuedToken;
pub(crate) use issue_access_token::issue_access_token;
pub use sessions::{
    FinishedAtProvider, ReturnFromProvider, SignIn, SignedInMember, StartedSession, StepUp,
};
