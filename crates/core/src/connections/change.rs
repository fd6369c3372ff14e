//! Changes a connection, and the accounts that depend on its client.

use secrecy::{ExposeSecret as _, SecretString};

use super::{read::view, sealed_client_secret};
use crate::{
    Result,
    context::{Context, change::Change},
    digest::Digest,
    domain::{
        Connection, NewAudit,
        connection::{Changes, Trigger, check_client_id, read_allowed},
        scopes::read_changed,
    },
    oauth,
    resource::{self, ChangeConnection, ConnectionChange},
    sealed::{Sealed, place},
    store::Versioned,
};

/// Changes a connection. With a different client ID or host, every account has to authorize again, starting with the
/// same transaction. With a new secret, accounts stay connected.
pub(crate) async fn change(
    context: &Context,
    ChangeConnection {
        connection_name,
        change,
    }: ChangeConnection,
) -> Result<resource::Connection> {
    let name = connection_name.as_str();
    let name = name.to_owned();
    context
        .detached(|context| async move { apply(&context, &name, change).await })
        .await?
}

async fn apply(
    context: &Context,
    name: &str,
    change: ConnectionChange,
) -> Result<resource::Connection> {
    let after = context
        .change(
            "connection.change",
            || load(context, name, &change),
            |(connection, client_secret)| decide(context, connection, client_secret, &change),
        )
        .await?;
    oauth::end_older_clients(context, &after).await?;
    Ok(view(context, &after))
}

async fn load(
    context: &Context,
    name: &str,
    change: &ConnectionChange,
) -> Result<(Versioned<Connection>, Option<Sealed<place::ClientSecret>>)> {
    let connection = context.connection_row(name).await?;
    let other = match &change.client_secret {
        Some(given) if !is_kept(context, &connection.row, given).await => Some(given),
        _ => None,
    };
    let secret = sealed_client_secret(context, connection.row.id, other)?;
    Ok((connection, secret))
}

/// Whether the given secret is already stored, so that repeating a change changes nothing. If the stored secret can't
/// be decrypted, the given one replaces it.
async fn is_kept(context: &Context, connection: &Connection, given: &SecretString) -> bool {
    let Some(kept) = &connection.client_secret else {
        return false;
    };
    let place = place::ClientSecret(connection.id);
    let opened = context.store.vault.open(&place, kept).await.ok();
    let kept = opened.as_deref().and_then(|kept| str::from_utf8(kept).ok());
    kept.is_some_and(|kept| Digest::of(kept).is_of(given.expose_secret().trim()))
}

fn decide(
    context: &Context,
    connection: Versioned<Connection>,
    client_secret: Option<Sealed<place::ClientSecret>>,
    change: &ConnectionChange,
) -> Result<(Change, Connection)> {
    let Versioned { row, version, .. } = connection;
    let product = context.products.endpoints(&row.product)?.product;
    let given = change.permissions.as_deref();
    let permissions = read_changed(product, &row.permissions, given, "permissions")?;
    check_client_id(change.client_id.as_deref())?;
    if let Some(settings) = &change.settings {
        product.derived(settings)?;
    }
    let allowed = change.allowed_requests.as_deref();
    let allowed = allowed.map(|given| read_allowed(product, given));
    let changes = Changes {
        client_id: change.client_id.clone(),
        client_secret,
        permissions: change.permissions.as_ref().map(|_| permissions),
        settings: change.settings.clone(),
        allowed_requests: allowed.transpose()?,
        disabled: change.disabled,
    };
    let trigger = Trigger::Changed {
        changes: &changes,
        product,
    };
    let changed = row.on(trigger, context.host.now());
    let Some((after, event)) = changed else {
        return Ok((Change::none(), row));
    };
    let change = Change::none()
        .audit(audit(&row, &after))
        .connection(Some((after.clone(), event)), version);
    Ok((change, after))
}

/// Records which members changed, but not their values.
fn audit(before: &Connection, after: &Connection) -> NewAudit {
    let members = [
        ("client_id", before.client_id != after.client_id),
        ("client_secret", before.client_secret != after.client_secret),
        ("permissions", before.permissions != after.permissions),
        ("settings", before.settings != after.settings),
        (
            "allowed_requests",
            before.allowed_requests != after.allowed_requests,
        ),
        ("disabled", before.is_disabled() != after.is_disabled()),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs);
    let changed: Vec<&str> = changed.map(|(name, _)| name).collect();
    after.audit("connection.changed").fact("changed", changed)
}
