//! The accounts of all users.

use std::fmt;

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{
        Account, AccountFilter, AccountImport, AccountImportResults, AccountState, ListAccounts,
    },
};

use super::list::List;
use crate::backend::Backend;

/// The accounts of all users, or those that match your filters.
#[derive(Clone)]
#[must_use = "accounts are read by `list`"]
pub struct Accounts {
    backend: Backend,
    filter: AccountFilter,
}

impl Accounts {
    pub(crate) fn new(backend: Backend) -> Self {
        Self {
            backend,
            filter: AccountFilter::default(),
        }
    }
    /// Only accounts of this connection.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.filter.connection_name = Some(name.into());
        self
    }
    /// Only accounts of this product.
    pub fn product(mut self, name: impl Into<String>) -> Self {
        self.filter.product = Some(name.into());
        self
    }
    /// Only accounts of this user.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.filter.identifier = Some(identifier.into());
        self
    }
    /// Only accounts of users whose identifier starts with this. They are sorted by connection, then by identifier.
    pub fn identifier_prefix(mut self, beginning: impl Into<String>) -> Self {
        self.filter.identifier_prefix = Some(beginning.into());
        self
    }
    /// Only accounts in this state.
    pub fn state(mut self, state: AccountState) -> Self {
        self.filter.state = Some(state);
        self
    }
    /// Imports accounts with the tokens that another platform had, at most 100 in one call. Each account is imported or
    /// refused independently of the others. There is no link and no confirmation, so your application vouches for who
    /// the user is.
    ///
    /// ```
    /// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> stead::Result<()> {
    /// # use stead::Platform;
    /// use stead::resource::{AccountImport, AccountWithTokens, ImportOutcome};
    ///
    /// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
    /// # let mail = stead::NewConnection::mail("mail").client("id", "secret");
    /// # platform.connections().create(mail).await?;
    /// let ada = AccountWithTokens::new("mail", "user-42", "ya29.a0Af")
    ///     .refresh_token("1//0e-x")
    ///     .scopes(["gmail.modify"]);
    /// let import = AccountImport::new([ada]).dry_run(true);
    /// let imported = platform.accounts().import(import).await?;
    /// assert_eq!(imported.results[0].outcome, ImportOutcome::Created);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for more than 100, [`ErrorKind::StorageUnavailable`]. If an account is refused,
    /// its result says why.
    pub async fn import(&self, import: AccountImport) -> Result<AccountImportResults> {
        self.backend.send(import).await
    }
    /// The accounts, by ID. A page may have fewer than its size even if more follow.
    pub fn list(self) -> List<Account> {
        List::of(self.backend, ListAccounts::new().filter(self.filter))
    }
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accounts")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
