//! The accounts of all users.

use std::{fmt, sync::Arc};

use stead_core::resource::{Account, AccountFilter, AccountState};

use super::{backend::Shared, list::List};

/// The accounts of all users, narrowed by what is given.
#[derive(Clone)]
#[must_use = "accounts are read by `list`"]
pub struct Accounts {
    backend: Shared,
    filter: AccountFilter,
}

impl Accounts {
    pub(crate) fn new(backend: Shared) -> Self {
        Self {
            backend,
            filter: AccountFilter::default(),
        }
    }
    /// Only those of this connection.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.filter.connection_name = Some(name.into());
        self
    }
    /// Only those of this product.
    pub fn product(mut self, name: impl Into<String>) -> Self {
        self.filter.product = Some(name.into());
        self
    }
    /// Only those of this user: what the user has connected.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.filter.identifier = Some(identifier.into());
        self
    }
    /// Only those of users whose identifier begins so; they come by connection, and there by identifier.
    pub fn identifier_prefix(mut self, beginning: impl Into<String>) -> Self {
        self.filter.identifier_prefix = Some(beginning.into());
        self
    }
    /// Only those in this state.
    pub fn state(mut self, state: AccountState) -> Self {
        self.filter.state = Some(state);
        self
    }
    /// The accounts, by id. A page may hold fewer than its size although more follow.
    pub fn list(self) -> List<Account> {
        List::new(move |paging| {
            let (backend, filter) = (Arc::clone(&self.backend), self.filter.clone());
            Box::pin(async move { backend.accounts(filter, paging).await })
        })
    }
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accounts")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
