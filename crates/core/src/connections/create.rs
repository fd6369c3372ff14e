//! Creates a connection and issues its redirect URI.

use secrecy::SecretString;

use super::{read::view, sealed_client_secret};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{
        Connection, KnownPublicUrl,
        connection::{check_client_id, read_allowed},
        scopes::read_permissions,
    },
    identifier::{ConnectionId, ConnectionName},
    resource::{self, NewConnection},
    state::{ConnectionHealth, ConnectionState},
};

/// Creates a connection and issues its redirect URI. Without a client ID or secret, it's a draft.
pub(crate) async fn create(context: &Context, new: NewConnection) -> Result<resource::Connection> {
    let product = context.products.endpoints(&new.product)?.product;
    let permissions = read_permissions(product, new.permissions.as_deref(), "permissions")?;
    product.derived(&new.settings)?;
    let allowed_requests =
        read_allowed(product, new.allowed_requests.as_deref().unwrap_or_default())?;
    check_client_id(new.client_id.as_deref())?;
    let id = ConnectionId::from_uuid(context.host.new_id());
    let name = ConnectionName::new(new.connection_name)?;
    if !context.caller.sees(name.as_str()) {
        return Err(Error::new(
            ErrorKind::InsufficientScope,
            "your credential is limited to connections with other names",
        ));
    }
    let connection = Connection {
        id,
        name,
        product: product.name.to_owned(),
        client_id: new.client_id,
        client_secret: None,
        client_epoch: 0,
        ended_epoch: 0,
        permissions,
        settings: new.settings,
        allowed_requests,
        state: ConnectionState::Draft,
        health: ConnectionHealth::ClientOk,
        created_at: context.host.now(),
        updated_at: context.host.now(),
        extra: Default::default(),
    };
    let connection = context
        .change(
            "connection.create",
            || load(context, &connection, new.client_secret.as_ref()),
            |(connection, is_first)| {
                let mut created = Change::none().audit(connection.audit("connection.created"));
                if is_first {
                    created = created.insert(KnownPublicUrl::new(context.site.at("")));
                }
                Ok((created.new_connection(connection.clone()), connection))
            },
        )
        .await?;
    Ok(view(context, &connection))
}

/// Encrypts the client secret of a new connection, and checks that no other connection has its name in any case. Also
/// returns whether this is the first redirect URI of the environment.
async fn load(
    context: &Context,
    new: &Connection,
    client_secret: Option<&SecretString>,
) -> Result<(Connection, bool)> {
    let exists = |exists: String| Err(Error::new(ErrorKind::AlreadyExists, exists));
    if context.store.connection_named(&new.name).await?.is_some() {
        return exists(format!("the connection {} already exists", new.name));
    }
    let all = context.all_connections().await?;
    let has_name = |one: &Connection| one.name.as_str().eq_ignore_ascii_case(new.name.as_str());
    if all.iter().any(has_name) {
        return exists(format!(
            "the connection {} already exists, and names differ only in upper and lower case",
            new.name
        ));
    }
    let mut connection = new.clone();
    connection.client_secret = sealed_client_secret(context, new.id, client_secret)?;
    connection.state = connection.state_of_contents(false);
    let is_first = context.store.known_public_url().await?.is_none();
    Ok((connection, is_first))
}
