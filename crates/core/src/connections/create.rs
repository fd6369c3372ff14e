//! Creates a connection and issues its redirect URI.

use super::{set_client_secret, view};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    domain::{
        Connection,
        connection::{check_permissions, checked_client_id, settled},
    },
    identifier::{ConnectionId, ConnectionName},
    resource::{self, NewConnection},
    state::{ConnectionHealth, ConnectionState},
    store::Batch,
};

/// Creates a connection and issues its redirect URI. Without client id or secret it is a draft.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::AlreadyExists`] where the name is taken.
pub(crate) async fn create(context: &Context, new: NewConnection) -> Result<resource::Connection> {
    let name = ConnectionName::new(new.connection_name)?;
    let product = context.endpoints(&new.product)?.product;
    check_permissions(product, &new.permissions)?;
    (product.settings)(&new.settings)?;
    let mut row = Connection {
        id: ConnectionId::from_uuid(context.new_id()),
        name,
        product: product.name.to_owned(),
        client_id: checked_client_id(new.client_id)?,
        client_secret: None,
        permissions: new.permissions,
        settings: new.settings,
        state: ConnectionState::Draft,
        health: ConnectionHealth::ClientOk,
        created_at: context.now(),
        updated_at: context.now(),
    };
    set_client_secret(context, &mut row, new.client_secret.as_ref())?;
    row.state = settled(&row, false);
    let taken = Error::new(
        ErrorKind::AlreadyExists,
        format!("the connection {} exists", row.name),
    );
    let event = context.new_event(
        "connection.created",
        None,
        serde_json::json!({ "connection_name": row.name, "product": row.product }),
    );
    context
        .commit_or(Batch::new().insert(row.clone()).insert(event), taken)
        .await?;
    Ok(view(context, &row))
}
