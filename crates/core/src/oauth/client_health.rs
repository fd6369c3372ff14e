//! Whether the product accepts a connection's client id and secret.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::{Connection, connection::Trigger},
    state::ConnectionHealth,
    store::Versioned,
};

/// Records whether the product accepted the client, if that changed. A store failure is only logged, so that the caller
/// can still store what else it learned.
pub(super) async fn note_client(context: &Context, used: &Connection, health: ConnectionHealth) {
    if used.health != health
        && let Err(error) = client_used(context, used, health).await
    {
        tracing::warn!(connection = %used.name, kind = %error.kind(), "couldn't record whether the product accepts the connection's client");
    }
}

/// Records whether the product accepted the client, unless the credentials have changed since they were sent.
pub(super) async fn client_used(
    context: &Context,
    used: &Connection,
    health: ConnectionHealth,
) -> Result<()> {
    context
        .change(
            "connection.health",
            || context.connection_by_id(used.id),
            |Versioned { row, version, .. }: Versioned<Connection>| {
                let changed = row.on(Trigger::ClientUsed { used, health }, context.host.now());
                Ok((Change::none().connection(changed, version), ()))
            },
        )
        .await
}
