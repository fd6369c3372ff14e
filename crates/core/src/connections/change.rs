//! Changes a connection, and the accounts that depend on its client.

use super::{accounts_of, set_client_secret, view};
use crate::{
    Result,
    context::Context,
    domain::{
        AuthorizationState, Connection,
        account::client_changed,
        connection::{check_permissions, checked_client_id, settled},
    },
    oauth,
    resource::{self, ConnectionChange},
    state::{ConnectionHealth, ConnectionState},
    store::{Batch, Commit, Versioned},
};

/// Changes a connection. A new client id makes every account of it authorize again; a new secret does not.
///
/// # Errors
/// [`ErrorKind::UnknownConnection`], [`ErrorKind::InvalidRequest`].
pub(crate) async fn change(
    context: &Context,
    name: &str,
    change: ConnectionChange,
) -> Result<resource::Connection> {
    let name = name.to_owned();
    context
        .detached(|context| async move { apply_change(&context, &name, change).await })
        .await?
}

async fn apply_change(
    context: &Context,
    name: &str,
    change: ConnectionChange,
) -> Result<resource::Connection> {
    loop {
        let Versioned {
            mut row, version, ..
        } = context.connection_row(name).await?;
        let product = context.endpoints(&row.product)?.product;
        let before = row.clone();
        if let Some(permissions) = change.permissions.clone() {
            check_permissions(product, &permissions)?;
            row.permissions = permissions;
        }
        if change.client_id.is_some() {
            row.client_id = checked_client_id(change.client_id.clone())?;
        }
        if let Some(settings) = change.settings.clone() {
            (product.settings)(&settings)?;
            row.settings = settings;
        }
        if change.client_id.is_some() || change.client_secret.is_some() {
            row.health = ConnectionHealth::ClientOk;
        }
        set_client_secret(context, &mut row, change.client_secret.as_ref())?;
        row.state = settled(
            &row,
            change
                .disabled
                .unwrap_or(row.state == ConnectionState::Disabled),
        );
        row.updated_at = context.now();
        let event = context.new_event(
            "connection.changed",
            None,
            serde_json::json!({ "connection_name": row.name, "state": row.state }),
        );
        let outcome = context
            .store
            .commit(Batch::new().update(row.clone(), version).insert(event))
            .await;
        context.snapshots.forget_connection(name);
        if outcome? == Commit::Conflict {
            continue;
        }
        let host = |row: &Connection| {
            (product.settings)(&row.settings)
                .map(|derived| derived.host)
                .ok()
        };
        if before.client_id.is_some()
            && (before.client_id != row.client_id || host(&before) != host(&row))
        {
            reauthorize_all(context, &row).await?;
        }
        return Ok(view(context, &row));
    }
}

/// Every account of a changed client has to authorize again, since tokens belong to the client and the host that
/// issued them; what waits to be confirmed ends.
async fn reauthorize_all(context: &Context, connection: &Connection) -> Result<()> {
    for Versioned { row, .. } in accounts_of(context, connection.id).await? {
        for waiting in context.store.authorizations(row.id, 50).await? {
            if waiting.row.state == AuthorizationState::Verifying {
                // A conflict means that it was confirmed just now; the account is then changed below.
                let _ = oauth::end(
                    context,
                    waiting,
                    AuthorizationState::Failed,
                    "client_changed",
                )
                .await?;
            }
        }
        context
            .change_account(connection, row.id, |account| {
                Ok(client_changed(account).map(|row| (row, "account.needs_reauthorization")))
            })
            .await?;
    }
    Ok(())
}
