//! Creates a connection and issues its redirect URI.

use super::{read::view, sealed_client_secret};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{
        Connection,
        connection::{check_client_id, check_permissions},
    },
    identifier::{ConnectionId, ConnectionName},
    resource::{self, NewConnection},
    state::{ConnectionHealth, ConnectionState},
};

/// Creates a connection and issues its redirect URI. Without client id or secret it is a draft.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::AlreadyExists`] where the name is taken.
pub(crate) async fn create(context: &Context, new: NewConnection) -> Result<resource::Connection> {
    let product = context.endpoints(&new.product)?.product;
    check_permissions(product, &new.permissions)?;
    (product.settings)(&new.settings)?;
    check_client_id(new.client_id.as_deref())?;
    let id = ConnectionId::from_uuid(context.new_id());
    let mut connection = Connection {
        id,
        name: ConnectionName::new(new.connection_name)?,
        product: product.name.to_owned(),
        client_id: new.client_id,
        client_secret: sealed_client_secret(context, id, new.client_secret.as_ref())?,
        permissions: new.permissions,
        settings: new.settings,
        state: ConnectionState::Draft,
        health: ConnectionHealth::ClientOk,
        created_at: context.now(),
        updated_at: context.now(),
        extra: Default::default(),
    };
    connection.state = connection.state_of_contents(false);
    context
        .change(
            || context.store.connection_named(&connection.name),
            |existing| match existing {
                Some(_) => Err(Error::new(
                    ErrorKind::AlreadyExists,
                    format!("the connection {} exists", connection.name),
                )),
                None => {
                    let created = connection.event("connection.created");
                    Ok((Change::none().insert(connection.clone()).event(created), ()))
                }
            },
        )
        .await?;
    Ok(view(context, &connection))
}
