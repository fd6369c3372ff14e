//! Changes a connection, and the accounts that depend on its client.

use secrecy::{ExposeSecret as _, SecretString};

use super::{read::view, sealed_client_secret};
use crate::{
    Result,
    context::{Context, change::Change},
    digest::Digest,
    domain::{
        Connection,
        connection::{Changes, Trigger, check_client_id},
        scopes::read_permissions,
    },
    oauth,
    resource::{self, ConnectionChange},
    sealed::Sealed,
    store::Versioned,
};

/// Changes a connection. Another client id or host makes every account of it authorize again, in the same transaction; a
/// new secret does not.
pub(crate) async fn change(
    context: &Context,
    name: &str,
    change: ConnectionChange,
) -> Result<resource::Connection> {
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
) -> Result<(Versioned<Connection>, Option<Sealed>)> {
    let connection = context.connection_row(name).await?;
    let given = change.client_secret.as_ref();
    let other = given.filter(|given| !is_kept(context, &connection.row, given));
    let secret = sealed_client_secret(context, connection.row.id, other)?;
    Ok((connection, secret))
}

/// Whether the secret is the one that is kept, so that the same change twice is one. Where that one cannot be opened, a
/// given one takes its place.
fn is_kept(context: &Context, connection: &Connection, given: &SecretString) -> bool {
    let kept = connection.client_secret.as_ref();
    let opened = kept.and_then(|kept| {
        let place = oauth::client_secret_place(connection.id);
        context.vault.open_sealed(place, kept).ok()
    });
    let kept = opened.as_deref().and_then(|kept| str::from_utf8(kept).ok());
    kept.is_some_and(|kept| Digest::of(kept).is_of(given.expose_secret()))
}

fn decide(
    context: &Context,
    connection: Versioned<Connection>,
    client_secret: Option<Sealed>,
    change: &ConnectionChange,
) -> Result<(Change, Connection)> {
    let Versioned { row, version, .. } = connection;
    let product = context.endpoints(&row.product)?.product;
    let permissions = read_permissions(product, change.permissions.as_deref(), "permissions")?;
    check_client_id(change.client_id.as_deref())?;
    if let Some(settings) = &change.settings {
        product.derived(settings)?;
    }
    let changes = Changes {
        client_id: change.client_id.clone(),
        client_secret,
        permissions: change.permissions.as_ref().map(|_| permissions),
        settings: change.settings.clone(),
        disabled: change.disabled,
    };
    let trigger = Trigger::Changed {
        changes: &changes,
        product,
    };
    let changed = row.on(trigger, context.now());
    let after = changed.as_ref().map_or(row, |(after, _)| after.clone());
    Ok((Change::none().connection(changed, version), after))
}
