//! An account: one user of one connection, and how far they are connected.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Lease;
use crate::{
    identifier::{AccountId, ConnectionId, Identifier},
    state::{AccountHealth, AccountReason, AccountState},
};

/// An account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Id; primary key.
    pub id: AccountId,
    /// Connection; unique together with the identifier.
    pub connection_id: ConnectionId,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// State.
    pub state: AccountState,
    /// State to go back to when a suspension ends.
    pub suspended_from: Option<AccountState>,
    /// Why it needs a new authorization.
    pub reason: Option<AccountReason>,
    /// Whether the last refresh went well.
    pub health: AccountHealth,
    /// Scopes that the user granted.
    pub granted_scopes: Vec<String>,
    /// Scopes asked for and not granted.
    pub missing_scopes: Vec<String>,
    /// Who the user is at the product.
    pub subject: Option<Subject>,
    /// Generation of the current credential; 0 for none.
    pub generation: u64,
    /// Highest generation ever given out.
    pub last_generation: u64,
    /// When the current access token ends, if it does.
    pub token_expires_at: Option<Timestamp>,
    /// Who is refreshing the credential now.
    pub lease: Option<Lease>,
    /// Temporary failures of refreshing in a row.
    pub refresh_failures: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Who a user is at a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The product's stable id.
    pub id: String,
    /// What a person recognizes, such as an address.
    pub display: Option<String>,
}
