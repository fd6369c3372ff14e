//! Whether the product accepts a connection's client id and secret.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::{Connection, connection::Trigger},
    state::ConnectionHealth,
    store::Versioned,
};

/// Notes how the product took the client, where it is news. What was learned besides does not wait for a store that fails.
pub(super) async fn note_client(context: &Context, used: &Connection, health: ConnectionHealth) {
    if used.health != health
        && let Err(error) = client_used(context, used, health).await
    {
        tracing::warn!(connection = %used.name, kind = %error.kind(), "couldn't record whether the product accepts the connection's client");
    }
}

/// Notes how the product took the client, unless its credentials were changed since they were sent.
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
