//! Accounts by ID, by user, by state, and by the prefix of their identifier.

use super::{Found, Listed, Records, text};
use crate::{
    domain::{Account, Extra},
    identifier::{AccountId, ConnectionId, Identifier},
    state::AccountState,
    store::{Index, List, Record, Rewritten, Table, Value},
};

pub(super) static ACCOUNT: Table = Table {
    name: "account",
    columns: &[
        text("id"),
        text("connection_id"),
        text("identifier"),
        text("state"),
    ],
    key: Index::unique(&["id"]),
    indexes: &[ACCOUNT_OF_USER, ACCOUNTS_OF_CONNECTION, ACCOUNTS_IN_STATE],
    sealed: false,
};
const ACCOUNT_OF_USER: Index = Index::unique(&["connection_id", "identifier"]);
const ACCOUNTS_OF_CONNECTION: Index = Index::of(&["connection_id", "id"]);
const ACCOUNTS_IN_STATE: Index = Index::of(&["state", "id"]);

impl Rewritten for Account {}
impl Record for Account {
    const TABLE: &'static Table = &ACCOUNT;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.id),
            Value::text(self.connection_id),
            Value::text(&self.identifier),
            Value::text(self.state.name()),
        ]
    }
}

impl Records {
    /// An account by ID.
    pub(crate) async fn account(&self, id: AccountId) -> Found<Account> {
        self.get(id).await
    }
    /// The account of a user.
    pub(crate) async fn account_of(
        &self,
        connection: ConnectionId,
        identifier: &Identifier,
    ) -> Found<Account> {
        let user = [Value::text(connection), Value::text(identifier)];
        self.find(ACCOUNT_OF_USER, &user).await
    }
    /// Accounts of one connection or all, by ID, after `after`.
    pub(crate) async fn accounts(
        &self,
        connection: Option<ConnectionId>,
        after: Option<AccountId>,
        limit: u32,
    ) -> Listed<Account> {
        let list = match connection {
            Some(id) => List::new(&ACCOUNT, ACCOUNTS_OF_CONNECTION).prefix([Value::text(id)]),
            None => List::new(&ACCOUNT, ACCOUNT.key),
        };
        self.list(
            list.after(after.map(|id| vec![Value::text(id)]))
                .limit(limit),
        )
        .await
    }

    /// Accounts whose rows are in a state, by ID, after `after`.
    pub(crate) async fn accounts_in_state(
        &self,
        state: AccountState,
        after: Option<AccountId>,
        limit: u32,
    ) -> Listed<Account> {
        let list = List::new(&ACCOUNT, ACCOUNTS_IN_STATE).prefix([Value::text(state.name())]);
        let list = list.after(after.map(|id| vec![Value::text(id)]));
        self.list(list.limit(limit)).await
    }

    /// Accounts of a connection whose identifier starts with `prefix`, by identifier. They come after `after`, which
    /// starts with it too, or after the prefix itself.
    pub(crate) async fn accounts_of_prefix(
        &self,
        connection: ConnectionId,
        prefix: &str,
        after: Option<&Identifier>,
        limit: u32,
    ) -> Listed<Account> {
        let after = Value::text(after.map_or(prefix, Identifier::as_str));
        let list = List::new(&ACCOUNT, ACCOUNT_OF_USER).prefix([Value::text(connection)]);
        let list = list.after(Some(vec![after]));
        // No identifier with this prefix sorts after this.
        let end = format!("{prefix}{}", char::MAX);
        self.list(list.below(Value::text(end)).limit(limit)).await
    }
}
