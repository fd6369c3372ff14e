//! Account tokens of an environment.

use super::Environment;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, access,
    domain::AccountRef,
    resource::{AccountToken, IssuedAccountToken, NewAccountToken, Page},
};

impl Environment {
    /// Makes a bearer token for one account, with which a program can use the proxy, and nothing else. It ends with its
    /// time, with the application's credential that made it, and with the account, also where the user connects again.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`]; as a call where the account cannot be called now.
    pub async fn create_account_token(&self, new: NewAccountToken) -> Result<IssuedAccountToken> {
        access::account_tokens::create(&self.0, new).await
    }

    /// The tokens of an account that are good, oldest first. A page may hold fewer than `page_size` although more follow.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`], [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidRequest`] for a page token of
    /// another list.
    pub async fn account_tokens(
        &self,
        connection_name: &str,
        identifier: &str,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<AccountToken>> {
        let of = AccountRef::new(connection_name, identifier)?;
        access::account_tokens::list(&self.0, &of, page_token, page_size).await
    }

    /// Ends an account token. It acts within 1 s.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub async fn delete_account_token(&self, token_id: &str) -> Result<()> {
        access::account_tokens::delete(&self.0, token_id).await
    }
}

#[cfg(test)]
#[path = "account_tokens_tests.rs"]
mod tests;
