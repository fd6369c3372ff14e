//! Accounts with their tokens, in and out.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, accounts,
    environment::Environment,
    resource::{AccountWithTokens, AccountsExported},
};

impl Environment {
    /// Gives every account that is connected to `write`, with its tokens; those of one connection, where it is named. The
    /// audit log says that an export began, and how many accounts it gave out. A service that runs meanwhile goes on
    /// refreshing: what it refreshes after an account was given out is not in the export.
    ///
    /// # Errors
    /// [`ErrorKind::Forbidden`] for every caller but the operator, [`ErrorKind::UnknownConnection`],
    /// [`ErrorKind::StorageUnavailable`], and what `write` returns. An account whose tokens cannot be opened is only counted.
    pub async fn export_accounts(
        &self,
        connection_name: Option<&str>,
        write: impl FnMut(AccountWithTokens) -> Result<()>,
    ) -> Result<AccountsExported> {
        accounts::export(&self.0, connection_name, write).await
    }
}
