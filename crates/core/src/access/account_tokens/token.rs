//! An account token as a caller presents it.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Result,
    access::token::Token,
    caller::{AccountToken, Caller, Connections, TokenAccount},
    context::Context,
    digest::Digest,
    domain::{self, AppCredential},
    store::{Records, Versioned},
};

impl Token for domain::AccountToken {
    type Opened = Caller;

    const REFUSED: &'static str =
        "the account token is unknown, expired or revoked; create one with POST /v1/account-tokens";

    async fn find(store: &Records, digest: &Digest) -> Result<Option<Versioned<Self>>> {
        store.account_token_by_digest(digest).await
    }

    fn client_id(&self) -> Option<&str> {
        self.client_id.as_deref()
    }

    fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// It doesn't work for an account that the user has disconnected, even if they connect again, or for a connection
    /// that the credential can't use any more. If no account is left, it opens nothing.
    async fn open(
        found: Versioned<Self>,
        context: &Context,
        credential: Option<AppCredential>,
    ) -> Result<Option<(Caller, Option<Timestamp>)>> {
        let (store, row) = (&context.store, found.row);
        let (mut scopes, mut policy) = (None, None);
        let mut connections = Connections::ALL;
        if let Some(credential) = credential {
            scopes = Some(credential.scopes());
            connections = credential.connections;
            policy = credential.policy;
        }
        let (mut accounts, mut identifier) = (Vec::new(), None);
        for one in row.accounts() {
            let Some(account) = store.account(one.account_id).await? else {
                continue;
            };
            let account = account.row;
            let connection = store.connection(account.connection_id).await?;
            let Some(connection) = connection.map(|found| found.row) else {
                continue;
            };
            if !connections.have(connection.name.as_str()) {
                continue;
            }
            // A disconnected account stays in the list, so that a call for it gets the right error.
            accounts.push(TokenAccount {
                connection_name: connection.name,
                product: connection.product,
                account_id: one.account_id,
                disconnections: one.disconnections,
            });
            if one == domain::TokenAccount::of(&account) {
                identifier = Some(account.identifier);
            }
        }
        let caller = identifier.map(|identifier| {
            let (id, client, access) = (row.id, row.client_id, row.access);
            let token = AccountToken::new(id, client, access, identifier, accounts, scopes);
            Caller::AccountToken(Arc::new(token.with_policy(policy)))
        });
        Ok(caller.map(|caller| (caller, None)))
    }
}
