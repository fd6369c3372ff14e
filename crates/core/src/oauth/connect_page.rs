//! What the page of a link says.

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    digest::Digest,
    domain::{
        Authorization, AuthorizationState, authorization::expired, readiness::connection_ready,
    },
    identifier::{AuthorizationId, ConnectionName},
    product::Permissions,
    store::Versioned,
};

/// What the page that the link leads to says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectPage {
    /// Authorization.
    pub authorization_id: AuthorizationId,
    /// Connection.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: &'static str,
    /// Name of the product for people.
    pub product_title: &'static str,
    /// Scopes that will be asked for.
    pub scopes: Vec<String>,
    /// The product's plain words for scopes.
    pub scope_descriptions: &'static [(&'static str, &'static str)],
    /// What an application can do besides what the scopes say, in the product's plain words.
    pub abilities: &'static [&'static str],
    /// When the link ends.
    pub expires_at: Timestamp,
}

/// What the page of a link says. Changes nothing: mail scanners open links too.
pub(crate) async fn connect_page(context: &Context, link: &str) -> Result<ConnectPage> {
    let authorization = authorization_of_link(context, link).await?.row;
    authorization.openable(context.now())?;
    let connection = context
        .connection_by_id(authorization.connection_id)
        .await?
        .row;
    connection_ready(&connection)?;
    let product = context.endpoints_of(&connection)?.product;
    // Capabilities are not sent, but the integration at the product has them.
    let (scopes, abilities) = match product.oauth.permissions {
        Permissions::Capabilities if !connection.permissions.is_empty() => {
            (connection.permissions, &[][..])
        }
        _ => (authorization.scopes, product.abilities),
    };
    Ok(ConnectPage {
        authorization_id: authorization.id,
        connection_name: connection.name,
        product: product.name,
        product_title: product.title,
        scopes,
        scope_descriptions: product.scope_descriptions,
        abilities,
        expires_at: authorization.expires_at,
    })
}

pub(super) async fn authorization_of_link(
    context: &Context,
    link: &str,
) -> Result<Versioned<Authorization>> {
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "this link is not known; ask for a new one",
        )
    };
    if link.len() != 43 {
        return Err(unknown());
    }
    let found = context
        .store
        .authorization_by_link(&Digest::of(link))
        .await?
        .ok_or_else(unknown)?;
    if found.row.state == AuthorizationState::Expired {
        return Err(expired());
    }
    Ok(found)
}
