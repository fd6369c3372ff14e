//! Checks an account token.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    caller::{AccountToken, Caller, Connections, TokenAccount},
    context::Context,
    digest::Digest,
    domain,
};

/// The caller of an account token, and when the token expires. It expires at its own time or with the credential of the
/// application that created it. It doesn't work for an account that the user has disconnected, even if they connect
/// again, or for a connection that the credential can't use any more. If no account is left, it's rejected.
/// credential may no longer use. Without an account left, it's refused.
pub(in crate::access) async fn check(
    context: &Context,
    digest: &Digest,
    now: Timestamp,
) -> Result<(Caller, Timestamp)> {
    let refused = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "the account token is unknown, expired or revoked; create one with POST /v1/account-tokens",
        )
    };
    let store = &context.store;
    let row = store.account_token_by_digest(digest).await?;
    let row = row.ok_or_else(refused)?.row;
    let (mut scopes, mut policy, mut end) = (None, None, row.expires_at);
    let mut connections = Connections::ALL;
    if let Some(client_id) = &row.client_id {
        let credential = store.app_credential(client_id).await?;
        let credential = credential.ok_or_else(refused)?.row;
        end = credential.expires_at.map_or(end, |ends| end.min(ends));
        scopes = Some(credential.scopes());
        connections = credential.connections;
        policy = credential.policy;
    }
    if end <= now {
        return Err(refused());
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
    let identifier = identifier.ok_or_else(refused)?;
    let token = AccountToken::new(
        row.id,
        row.client_id,
        row.access,
        identifier,
        accounts,
        scopes,
    )
    .with_policy(policy);
    Ok((Caller::AccountToken(Arc::new(token)), end))
}
