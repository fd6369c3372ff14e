//! Calls with an idempotency key.

use super::{Found, Records, integer, text};
use crate::{
    Result,
    digest::Digest,
    domain::{Extra, KeyedCall},
    identifier::AccountId,
    store::{Index, Key, List, Record, Rewritten, Table, Value},
};

pub(super) static IDEMPOTENCY: Table = Table {
    name: "idempotency",
    columns: &[text("key"), text("account_id"), integer("expires_at")],
    key: Index::unique(&["key"]),
    indexes: &[KEYED_CALLS_OF_ACCOUNT, KEYED_CALLS_BY_END],
    sealed: true,
};
const KEYED_CALLS_OF_ACCOUNT: Index = Index::of(&["account_id", "key"]);
pub(super) const KEYED_CALLS_BY_END: Index = Index::of(&["expires_at"]);

impl Rewritten for KeyedCall {}
impl Record for KeyedCall {
    const TABLE: &'static Table = &IDEMPOTENCY;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.key.as_str()),
            Value::text(self.account_id),
            Value::moment(self.expires_at),
        ]
    }
}

impl KeyedCall {
    /// Its primary key.
    pub(crate) fn row_key(&self) -> Key {
        Key::new(&IDEMPOTENCY, vec![Value::text(self.key.as_str())])
    }
}

impl Records {
    /// The call with this key.
    pub(crate) async fn keyed_call(&self, key: &Digest) -> Found<KeyedCall> {
        self.get(Key::new(&IDEMPOTENCY, vec![Value::text(key.as_str())]))
            .await
    }

    /// Deletes some calls of a deleted account. Returns how many.
    pub(super) async fn remove_keyed_calls_of(
        &self,
        account: AccountId,
        limit: u32,
    ) -> Result<u64> {
        let list = List::new(&IDEMPOTENCY, KEYED_CALLS_OF_ACCOUNT);
        let of_account = list.prefix([Value::text(account)]).limit(limit);
        self.0.prune(&of_account).await
    }
}
