//! Accounts with their tokens, in and out.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, accounts,
    environment::Environment,
    resource::{AccountImport, AccountImportResults, AccountWithTokens, AccountsExported},
};

impl Environment {
    /// Imports accounts with the tokens that another platform had. Each is taken or refused by itself, in one commit, and
    /// can be used at once: no link and no confirmation says whose it is, so whoever imports vouches for it. An account
    /// that was imported before from the same line stays as it is, whatever has become of its tokens, so that an import
    /// which was cut off can be done again.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for more than 100 accounts, [`ErrorKind::StorageUnavailable`]. What is wrong with an
    /// account is in its result.
    pub async fn import_accounts(&self, import: AccountImport) -> Result<AccountImportResults> {
        accounts::import(&self.0, import).await
    }

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
