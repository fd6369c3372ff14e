//! The entities of the platform and their transitions. What is stored is what is here: secrets are sealed or digests.

pub(crate) mod account;
pub(crate) mod account_ref;
pub(crate) mod account_token;
pub(crate) mod app_credential;
pub(crate) mod approval;
pub(crate) mod audit;
pub(crate) mod authorization;
pub(crate) mod connection;
pub(crate) mod credential;
pub(crate) mod data_key;
pub(crate) mod erasure;
pub(crate) mod event;
pub(crate) mod execution;
pub(crate) mod extra;
pub(crate) mod keyed_call;
pub(crate) mod lease;
pub(crate) mod mcp_session;
pub(crate) mod member;
pub(crate) mod one_time_code;
pub(crate) mod outbox;
pub(crate) mod password;
pub(crate) mod policy;
pub(crate) mod readiness;
pub(crate) mod refresh;
pub(crate) mod scopes;
pub(crate) mod secret;
pub(crate) mod session;
pub(crate) mod totals;
pub(crate) mod webhook;

pub(crate) use account::{Account, Subject};
pub(crate) use account_ref::AccountRef;
pub(crate) use account_token::AccountToken;
pub(crate) use app_credential::{AccessToken, AppCredential, AppSecret, CredentialChanges};
pub(crate) use approval::Approval;
pub(crate) use audit::{AuditEntry, AuditHead, NewAudit};
pub(crate) use authorization::{
    Authorization, AuthorizationState, EndpointSnapshot, PendingCredential,
};
pub(crate) use connection::Connection;
pub(crate) use credential::Credential;
pub(crate) use data_key::DataKey;
pub(crate) use erasure::Erasure;
pub(crate) use event::{Event, NewEvent};
pub(crate) use execution::Execution;
pub(crate) use extra::Extra;
pub(crate) use keyed_call::KeyedCall;
pub(crate) use lease::Lease;
pub(crate) use mcp_session::McpSession;
pub(crate) use member::{Member, MemberLink, ProviderSubject};
pub(crate) use outbox::{OutboxEntry, OutboxTask};
pub(crate) use password::PasswordHash;
pub(crate) use policy::Policy;
pub(crate) use secret::Secret;
pub(crate) use session::Session;
pub(crate) use totals::Totals;
