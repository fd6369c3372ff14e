//! Creates a connection and issues its redirect URI.

use super::{read::view, sealed_client_secret};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{Connection, connection::check_client_id, scopes::read_permissions},
    identifier::{ConnectionId, ConnectionName},
    resource::{self, NewConnection},
    state::{ConnectionHealth, ConnectionState},
};

/// Creates a connection and issues its redirect URI. Without client id or secret it is a draft.
pub(crate) async fn create(context: &Context, new: NewConnection) -> Result<resource::Connection> {
    let product = context.endpoints(&new.product)?.product;
    let permissions = read_permissions(product, new.permissions.as_deref(), "permissions")?;
    product.derived(&new.settings)?;
    check_client_id(new.client_id.as_deref())?;
    let id = ConnectionId::from_uuid(context.new_id());
    let mut connection = Connection {
        id,
        name: ConnectionName::new(new.connection_name)?,
        product: product.name.to_owned(),
        client_id: new.client_id,
        client_secret: sealed_client_secret(context, id, new.client_secret.as_ref())?,
        client_epoch: 0,
        ended_epoch: 0,
        permissions,
        settings: new.settings,
        state: ConnectionState::Draft,
        health: ConnectionHealth::ClientOk,
        created_at: context.now(),
        updated_at: context.now(),
        extra: Default::default(),
    };
    connection.state = connection.state_of_contents(false);
    let exists = format!("the connection {} exists", connection.name);
    let created = Change::none()
        .event(connection.event("connection.created"))
        .insert(connection.clone());
    context
        .add(
            "connection.create",
            created,
            Error::new(ErrorKind::AlreadyExists, exists),
        )
        .await?;
    Ok(view(context, &connection))
}
