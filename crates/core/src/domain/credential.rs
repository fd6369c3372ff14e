//! A credential: one sealed token set of an account.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::{
    identifier::{AccountId, AuthorizationId},
    sealed::Sealed,
};

/// One token set. Inserted once; later only shredded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Credential {
    /// Account; primary key together with the generation.
    pub(crate) account_id: AccountId,
    /// Generation, from 1.
    pub(crate) generation: u64,
    /// The tokens; `None` once shredded.
    pub(crate) sealed: Option<Sealed>,
    /// Authorization that keeps it from being the account's current one: the one that it waits for pending, or
    /// the one whose grant has replaced it. `None` where it may be the current one.
    #[serde(default, rename = "held_by")]
    pub(crate) pending_for: Option<AuthorizationId>,
    /// Which of the connection's clients the tokens were issued to.
    #[serde(default)]
    pub(crate) client_epoch: u64,
    /// When the request left that brought the tokens, by the store's time, where a refresh brought them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sent_at: Option<Timestamp>,
    /// When it was inserted.
    pub(crate) created_at: Timestamp,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl Credential {
    /// The row without its tokens, which are gone for good.
    pub(crate) fn shredded(&self) -> Self {
        Self {
            sealed: None,
            ..self.clone()
        }
    }
}
