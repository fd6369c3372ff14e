//! Credentials, including unreadable ones.

use jiff::Timestamp;

use super::{Found, Listed, Records, integer, read, text};
use crate::{
    Result,
    domain::{Credential, Extra},
    identifier::AccountId,
    store::{Index, Key, List, Record, Rewritten, Table, Value},
};

/// `live` is 1 until the credential is shredded.
pub(super) static CREDENTIAL: Table = Table {
    name: "credential",
    columns: &[
        text("account_id"),
        integer("generation"),
        integer("live"),
        integer("created_at"),
    ],
    key: Index::unique(&["account_id", "generation"]),
    indexes: &[CREDENTIALS_BY_AGE],
    sealed: true,
};
pub(super) const CREDENTIALS_BY_AGE: Index = Index::of(&["live", "created_at"]);

impl Rewritten for Credential {}
impl Record for Credential {
    const TABLE: &'static Table = &CREDENTIAL;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.account_id),
            Value::count(self.generation),
            Value::flag(self.sealed.is_some()),
            Value::moment(self.created_at),
        ]
    }
}

impl Records {
    /// A credential of an account.
    pub(crate) async fn credential(
        &self,
        account: AccountId,
        generation: u64,
    ) -> Found<Credential> {
        let key = vec![Value::text(account), Value::count(generation)];
        self.get(Key::new(&CREDENTIAL, key)).await
    }
    /// Deletes the credentials of an account that can't be read. They can't be shredded, but their tokens need to be
    /// removed too.
    pub(crate) async fn remove_unreadable_credentials(&self, account: AccountId) -> Result<()> {
        let all = List::new(&CREDENTIAL, CREDENTIAL.key).prefix([Value::text(account)]);
        for found in self.0.list(&all).await? {
            let Value::Integer(generation) = *found.row.value("generation") else {
                continue;
            };
            if read::<Credential>(found).is_ok() {
                continue;
            }
            // By its position in the list, whatever its version.
            let before = Value::Integer(generation.saturating_sub(1));
            let only = all.clone().after(Some(vec![before]));
            let only = only.below(Value::Integer(generation.saturating_add(1)));
            self.0.prune(&only).await?;
            tracing::warn!(%account, generation, "deleted a credential that can't be read");
        }
        Ok(())
    }
    /// Credentials that aren't shredded and were inserted before one time and after another, oldest first.
    pub(crate) async fn idle_credentials(
        &self,
        before: Timestamp,
        after: Option<Timestamp>,
        limit: u32,
    ) -> Listed<Credential> {
        let list = List::new(&CREDENTIAL, CREDENTIALS_BY_AGE)
            .prefix([Value::flag(true)])
            .after(after.map(|moment| vec![Value::moment(moment)]))
            .below(Value::moment(before));
        self.list(list.limit(limit)).await
    }
    /// All credentials of an account that aren't shredded.
    pub(crate) async fn credentials(&self, account: AccountId) -> Listed<Credential> {
        let list = List::new(&CREDENTIAL, CREDENTIAL.key).prefix([Value::text(account)]);
        let mut rows = self.list::<Credential>(list).await?;
        rows.retain(|found| found.row.sealed.is_some());
        Ok(rows)
    }
}
