//! Bearer tokens of a user's accounts, for programs that shouldn't have the application's own credential.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Account, NewAudit, NewEvent};
use crate::identifier::{AccountId, ConnectionId, ConnectionName};
pub(crate) use crate::resource::account_token::AccountTokenRow as AccountToken;

/// An account of an account token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenAccount {
    /// The account.
    pub(crate) account_id: AccountId,
    /// How often the account had been disconnected when the token was created.
    pub(crate) disconnections: u64,
}

impl TokenAccount {
    /// This account, until it's disconnected.
    pub(crate) fn of(account: &Account) -> Self {
        Self {
            account_id: account.id,
            disconnections: account.disconnections,
        }
    }
}

impl AccountToken {
    /// Its accounts.
    pub(crate) fn accounts(&self) -> impl Iterator<Item = TokenAccount> {
        let first = TokenAccount {
            account_id: self.account_id,
            disconnections: self.disconnections,
        };
        [first].into_iter().chain(self.others.iter().copied())
    }

    /// Whether it's valid for an account as it is now.
    pub(crate) fn is_of(&self, account: &Account) -> bool {
        let now = TokenAccount::of(account);
        self.accounts().any(|one| one == now)
    }

    /// An event about it, with the connection of its account if known.
    pub(crate) fn event(&self, name: &'static str, connection: Option<ConnectionId>) -> NewEvent {
        NewEvent {
            account_id: Some(self.account_id),
            connection_id: connection,
            ..NewEvent::new(name, json!({ "token_id": self.id }))
        }
    }

    /// An audit entry about it, with the connection of its account if known.
    pub(crate) fn audit(
        &self,
        action: &'static str,
        connection: Option<&ConnectionName>,
    ) -> NewAudit {
        let entry = NewAudit::new(action, "account_token", self.id)
            .fact("account_id", self.account_id.to_string())
            .fact("access", self.access.name());
        match connection {
            Some(name) => entry.fact("connection_name", name.as_str()),
            None => entry,
        }
    }
}
