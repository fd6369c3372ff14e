//! Checks an account token.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    caller::{AccountToken, Caller, Connections},
    context::Context,
    digest::Digest,
};

/// Whose account token it is, and until when. It ends with its time, with the application's credential that made it or its
/// limit to other connections, and with the account: a disconnection ends it, also where the user connects again.
pub(in crate::access) async fn check(
    context: &Context,
    digest: &Digest,
    now: Timestamp,
) -> Result<(Caller, Timestamp)> {
    let refused = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "the account token is unknown, expired or ended; make one with POST /v1/account-tokens",
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
    let account = store
        .account(row.account_id)
        .await?
        .ok_or_else(refused)?
        .row;
    if !row.is_of(&account) {
        return Err(refused());
    }
    let connection = store.connection(account.connection_id).await?;
    let connection = connection.ok_or_else(refused)?.row;
    if !connections.have(connection.name.as_str()) {
        return Err(refused());
    }
    let token = AccountToken::new(
        row.id,
        row.client_id,
        row.access,
        (account.id, row.disconnections),
        (connection.name, account.identifier),
        scopes,
    )
    .with_policy(policy);
    Ok((Caller::AccountToken(Arc::new(token)), end))
}
