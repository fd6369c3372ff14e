//! Erased users, the secret for their pseudonyms, and the lists to search for their names.

use jiff::Timestamp;

use super::{
    ACCOUNT_TOKEN, AUTHORIZATION, AUTHORIZATIONS_OF_ACCOUNT, Found, Listed, Records,
    account_token::ACCOUNT_TOKENS_OF_ACCOUNT, credential::CREDENTIAL, integer, text,
};
use crate::{
    Result,
    domain::{Erasure, Extra, Secret},
    identifier::AccountId,
    store::{Index, Key, List, Record, Rewritten, Table, Value},
};

/// `due_at` is the end of time if nothing is left to do. Its rows have no ciphertext. They are written last, after rows
/// that need to be removed from the disk.
pub(super) static ERASURE: Table = Table {
    name: "erasure",
    columns: &[text("pseudonym"), integer("due_at")],
    key: Index::unique(&["pseudonym"]),
    indexes: &[ERASURES_BY_DUE],
    sealed: true,
};
const ERASURES_BY_DUE: Index = Index::of(&["due_at", "pseudonym"]);

impl Rewritten for Erasure {}
impl Record for Erasure {
    const TABLE: &'static Table = &ERASURE;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        let due_at = self.due_at.unwrap_or(Timestamp::MAX);
        vec![Value::text(&self.pseudonym), Value::moment(due_at)]
    }
}

pub(super) static SECRET: Table = Table {
    name: "secret",
    columns: &[text("name")],
    key: Index::unique(&["name"]),
    indexes: &[],
    sealed: true,
};

impl Rewritten for Secret {}
impl Record for Secret {
    const TABLE: &'static Table = &SECRET;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(&self.name)]
    }
}

impl Records {
    /// A secret of the deployment.
    pub(crate) async fn secret(&self, name: &str) -> Found<Secret> {
        self.get(Key::new(&SECRET, vec![Value::text(name)])).await
    }

    /// The erased user with this pseudonym.
    pub(crate) async fn erasure(&self, pseudonym: &str) -> Found<Erasure> {
        self.get(Key::new(&ERASURE, vec![Value::text(pseudonym)]))
            .await
    }

    /// Erasures with a pass that is due at `now`.
    pub(crate) async fn due_erasures(&self, now: Timestamp, limit: u32) -> Listed<Erasure> {
        let later = now.checked_add(jiff::SignedDuration::from_nanos(1));
        let list = List::new(&ERASURE, ERASURES_BY_DUE);
        let list = list.below(Value::moment(later.unwrap_or(now)));
        self.list(list.limit(limit)).await
    }

    /// Deletes some authorizations, credentials, tokens and keyed calls of a deleted account, even unreadable ones.
    /// Returns how many.
    pub(crate) async fn remove_rows_of(&self, account: AccountId, limit: u32) -> Result<u64> {
        let mut gone = self.remove_keyed_calls_of(account, limit).await?;
        for list in [
            List::new(&AUTHORIZATION, AUTHORIZATIONS_OF_ACCOUNT),
            List::new(&CREDENTIAL, CREDENTIAL.key),
            List::new(&ACCOUNT_TOKEN, ACCOUNT_TOKENS_OF_ACCOUNT),
        ] {
            let of_account = list.prefix([Value::text(account)]).limit(limit);
            gone += self.0.prune(&of_account).await?;
        }
        Ok(gone)
    }
}
