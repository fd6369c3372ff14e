//! A credential: one encrypted token set of an account.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::{
    identifier::{AccountId, AuthorizationId},
    sealed::{Sealed, place},
};

/// One token set. It's inserted once and can later only be shredded. A refresh inserts a new generation. Replaced
/// tokens are shredded in a second commit, so that a credential that can't be read doesn't block new tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Credential {
    /// Account; primary key together with the generation.
    pub(crate) account_id: AccountId,
    /// Generation, from 1.
    pub(crate) generation: u64,
    /// The encrypted tokens. `None` once shredded.
    pub(crate) sealed: Option<Sealed<place::Tokens>>,
    /// Authorization that prevents this from being the account's current credential. Either it's pending for that
    /// authorization, or that authorization's grant has replaced it. `None` if it can be the current one.
    #[serde(default, rename = "held_by")]
    pub(crate) pending_for: Option<AuthorizationId>,
    /// Epoch of the connection's client that the tokens were issued to.
    #[serde(default)]
    pub(crate) client_epoch: u64,
    /// When the request for the tokens was sent, by the store's time, if a refresh got them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sent_at: Option<Timestamp>,
    /// When it was inserted.
    pub(crate) created_at: Timestamp,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl Credential {
    /// The row without its tokens, which are permanently removed.
    pub(crate) fn shredded(&self) -> Self {
        Self {
            sealed: None,
            ..self.clone()
        }
    }
}
