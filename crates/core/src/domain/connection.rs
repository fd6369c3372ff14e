//! A connection: one product's OAuth client.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Error, ErrorKind, Result,
    identifier::{ConnectionId, ConnectionName},
    product::{Permissions, Product},
    sealed::Sealed,
    state::{ConnectionHealth, ConnectionState},
};

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Connection {
    /// Id; primary key.
    pub(crate) id: ConnectionId,
    /// Name; unique.
    pub(crate) name: ConnectionName,
    /// Product.
    pub(crate) product: String,
    /// OAuth client id.
    pub(crate) client_id: Option<String>,
    /// OAuth client secret.
    pub(crate) client_secret: Option<Sealed>,
    /// Scopes or capabilities.
    pub(crate) permissions: Vec<String>,
    /// Settings of the product.
    pub(crate) settings: Map<String, Value>,
    /// State.
    pub(crate) state: ConnectionState,
    /// Whether the product takes the client credentials.
    pub(crate) health: ConnectionHealth,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    /// When it was last changed.
    pub(crate) updated_at: Timestamp,
}

/// Refuses a connection through which nothing can be called.
pub(crate) fn connection_ready(connection: &Connection) -> Result<()> {
    let why = match connection.state {
        ConnectionState::Ready => return Ok(()),
        ConnectionState::Draft => "has no client id or secret yet",
        ConnectionState::Disabled => "is disabled",
    };
    Err(Error::new(
        ErrorKind::ConnectionNotReady,
        format!("the connection {} {why}", connection.name),
    ))
}

/// The scopes that a link through this connection asks for.
pub(crate) fn asked_scopes(
    product: &Product,
    connection: &Connection,
    given: Option<&[String]>,
) -> Result<Vec<String>> {
    let derived = (product.settings)(&connection.settings)?.scopes;
    let Permissions::Scopes { always, default } = product.oauth.permissions else {
        return Ok(derived);
    };
    let own: Vec<String> = match given {
        Some(given) => given.to_vec(),
        None if connection.permissions.is_empty() => {
            default.iter().map(|scope| (*scope).to_owned()).collect()
        }
        None => connection.permissions.clone(),
    };
    let mut scopes: Vec<String> = always
        .iter()
        .map(|scope| (*scope).to_owned())
        .chain(derived)
        .collect();
    for scope in own {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

/// Scopes and capabilities are visible ASCII without quotes (RFC 6749, 3.3).
pub(crate) fn check_permissions(product: &Product, permissions: &[String]) -> Result<()> {
    if product.oauth.permissions == Permissions::None && !permissions.is_empty() {
        return Err(Error::invalid_at(
            "/permissions",
            "connections of this product take no permissions",
        ));
    }
    let capabilities = product.oauth.permissions == Permissions::Capabilities;
    for (index, permission) in permissions.iter().enumerate() {
        let well_formed = (1..=200).contains(&permission.len())
            && permission.bytes().all(|byte| {
                matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e) || capabilities && byte == b' '
            });
        if !well_formed {
            return Err(Error::invalid_at(
                format!("/permissions/{index}"),
                "a permission has 1 to 200 visible characters, no quotes and no spaces",
            ));
        }
    }
    if permissions.len() > 100 {
        return Err(Error::invalid_at(
            "/permissions",
            "a connection has at most 100 permissions",
        ));
    }
    Ok(())
}

pub(crate) fn settled(row: &Connection, disabled: bool) -> ConnectionState {
    match (disabled, &row.client_id, &row.client_secret) {
        (true, ..) => ConnectionState::Disabled,
        (false, Some(_), Some(_)) => ConnectionState::Ready,
        (false, ..) => ConnectionState::Draft,
    }
}

pub(crate) fn checked_client_id(given: Option<String>) -> Result<Option<String>> {
    match given {
        Some(id)
            if id.is_empty()
                || id.len() > 512
                || !id.bytes().all(|byte| byte.is_ascii_graphic()) =>
        {
            Err(Error::invalid_at(
                "/client_id",
                "a client id has 1 to 512 visible characters",
            ))
        }
        given => Ok(given),
    }
}
