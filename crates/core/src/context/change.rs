//! Changes of an aggregate: load, decide, commit, and again on a conflict.

use super::Context;
use crate::{
    Error, ErrorKind, Result,
    domain::{Account, Connection, account::Transition},
    identifier::AccountId,
    store::{Batch, Commit, Versioned},
};

impl Context {
    /// Applies a transition with its event, anew on every conflict. `None` leaves the account as it is.
    pub(crate) async fn change_account(
        &self,
        connection: &Connection,
        id: AccountId,
        transition: impl Fn(&Account) -> Transition,
    ) -> Result<Account> {
        loop {
            let Versioned { row, version, .. } = self.store.account(id).await?.ok_or_else(gone)?;
            let Some((mut changed, event)) = transition(&row)? else {
                return Ok(row);
            };
            changed.updated_at = self.now();
            let event = self.account_event(event, &changed);
            let outcome = self
                .store
                .commit(Batch::new().update(changed.clone(), version).insert(event))
                .await;
            self.snapshots
                .forget(connection.name.as_str(), changed.identifier.as_str());
            if outcome? == Commit::Committed {
                return Ok(changed);
            }
        }
    }
}

pub(crate) fn gone() -> Error {
    Error::new(
        ErrorKind::AccountNotFound,
        "the account was deleted meanwhile",
    )
}
