//! Makes a pending credential the account's current one.

use super::end::end;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{
        Account, Authorization, Connection, Credential, account,
        authorization::{CLIENT_CHANGED, End, Trigger, client_changed, expired},
    },
    identifier::AuthorizationId,
    store::Versioned,
};

/// Maximum number of the account's authorizations to look through.
const SIBLINGS: u32 = 50;

struct Loaded {
    authorization: Versioned<Authorization>,
    connection: Versioned<Connection>,
    account: Versioned<Account>,
    /// The account's other authorizations that wait for confirmation.
    siblings: Vec<Versioned<Authorization>>,
    credentials: Vec<Versioned<Credential>>,
}

/// Makes a pending credential the account's current one. Keeps the previous one and shreds older ones. Also ends the
/// account's other authorizations that wait for confirmation, with their credentials.
pub(super) async fn activate(context: &Context, id: AuthorizationId) -> Result<Account> {
    let activated = context
        .change(
            "authorization.activate",
            || load(context, id),
            |loaded| decide(context, loaded),
        )
        .await;
    let error = match activated {
        Ok(account) => return Ok(account),
        Err(error) => error,
    };
    let ending = match error.kind() {
        ErrorKind::AuthorizationExpired if error.context().contains_key("reason") => {
            Some((End::Failed, CLIENT_CHANGED))
        }
        ErrorKind::AuthorizationExpired => Some((End::Failed, "disconnected")),
        ErrorKind::AuthorizationConsumed => Some((End::Superseded, "another was confirmed")),
        _ => None,
    };
    if let Some((how, reason)) = ending {
        let _ = end(context, id, Authorization::is_verifying, how, reason).await?;
    }
    Err(error)
}

async fn load(context: &Context, id: AuthorizationId) -> Result<Loaded> {
    let authorization = context.authorization_row(id).await?;
    let connection = context
        .connection_by_id(authorization.row.connection_id)
        .await?;
    let account = context
        .existing_account(authorization.row.account_id)
        .await?;
    let mut siblings = context
        .store
        .authorizations(account.row.id, SIBLINGS)
        .await?;
    siblings.retain(|sibling| sibling.row.id != id && sibling.row.is_verifying());
    let credentials = context.store.credentials(account.row.id).await?;
    Ok(Loaded {
        authorization,
        connection,
        account,
        siblings,
        credentials,
    })
}

fn decide(context: &Context, loaded: Loaded) -> Result<(Change, Account)> {
    let Loaded {
        authorization,
        connection,
        account,
        siblings,
        credentials,
    } = loaded;
    let now = context.host.now();
    if !authorization.row.is_verifying() {
        return Err(Error::new(
            ErrorKind::AuthorizationConsumed,
            "this authorization is already finished",
        ));
    }
    let pending = authorization.row.pending.as_ref().ok_or_else(expired)?;
    if pending.client_epoch != connection.row.client_epoch {
        return Err(client_changed());
    }
    let changed = account
        .row
        .on(account::Trigger::Confirmed(pending), now)?
        .ok_or_else(expired)?;
    if credentials
        .iter()
        .all(|credential| credential.row.generation != pending.generation)
    {
        return Err(Error::new(
            ErrorKind::AuthorizationConsumed,
            "a different authorization of this account was confirmed first; create a new link",
        ));
    }
    let mut change = Change::none().guard(connection.row.id, connection.version);
    for Versioned { row, version, .. } in siblings {
        let superseded = Trigger::Ended(End::Superseded, "another was confirmed".into());
        change = change.authorization(row.on(superseded, now)?, version);
    }
    for Versioned { row, version, .. } in credentials {
        let next = if row.generation == pending.generation {
            Credential {
                pending_for: None,
                ..row
            }
        } else if row.generation == account.row.generation {
            // This grant was replaced, so no refresh may restore it.
            Credential {
                pending_for: Some(authorization.row.id),
                ..row
            }
        } else {
            row.shredded()
        };
        change = change.update(next, version);
    }
    let completed = authorization.row.on(Trigger::Confirmed, now)?;
    let after = changed.0.clone();
    let change = change
        .authorization(completed, authorization.version)
        .account(Some(changed), account.row.state, account.version);
    Ok((change, after))
}
