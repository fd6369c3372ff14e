//! Exports accounts with their tokens.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, accounts,
    environment::Environment,
    resource::{AccountWithTokens, AccountsExported},
};

impl Environment {
    /// Passes every connected account with its tokens to `write`; with `connection_name`, only that connection's. The
    /// audit log records that an export began, and how many accounts it contained. A running service keeps refreshing.
    /// If it refreshes an account after this was written, the export doesn't have the new tokens.
    ///
    /// # Errors
    /// [`ErrorKind::Forbidden`] for every caller but the operator, [`ErrorKind::UnknownConnection`],
    /// [`ErrorKind::StorageUnavailable`], and every error that `write` returns. An account whose tokens can't be
    /// decrypted is only counted.
    pub async fn export_accounts(
        &self,
        connection_name: Option<&str>,
        write: impl FnMut(AccountWithTokens) -> Result<()>,
    ) -> Result<AccountsExported> {
        accounts::export(&self.0, connection_name, write).await
    }
}
