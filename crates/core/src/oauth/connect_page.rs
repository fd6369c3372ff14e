//! Content of a link's page.

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    digest::Digest,
    domain::{
        Authorization, AuthorizationState, authorization::expired, readiness::connection_ready,
    },
    identifier::{AuthorizationId, ConnectionName},
    product::{PermissionText, Permissions, Product},
    store::Versioned,
};

/// Content of the page that a link leads to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectPage {
    /// Authorization.
    pub authorization_id: AuthorizationId,
    /// Connection.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: &'static Product,
    /// Scopes or capabilities to request. Scopes that only identify the user come last.
    pub scopes: Vec<String>,
    /// When the link expires.
    pub expires_at: Timestamp,
    /// Whether `scopes` are capabilities, which already describe everything.
    are_capabilities: bool,
}

impl ConnectPage {
    /// Permissions of the application in plain words, in a language (one of [`LANGUAGES`](crate::product::LANGUAGES)).
    pub fn permissions(&self, language: &str) -> Vec<PermissionText> {
        let abilities = match self.are_capabilities {
            true => &[],
            false => self.product.abilities(language),
        };
        let abilities = abilities.iter().map(|text| PermissionText {
            text: text.clone(),
            is_scope: false,
        });
        let scopes = self.product.describe_scopes(&self.scopes, language);
        abilities.chain(scopes).collect()
    }
}

/// Content of a link's page. Changes nothing, because mail scanners also open links.
pub(crate) async fn connect_page(context: &Context, link: &str) -> Result<ConnectPage> {
    let authorization = authorization_of_link(context, link).await?.row;
    authorization.openable(context.host.now())?;
    let connection = context
        .connection_by_id(authorization.connection_id)
        .await?
        .row;
    connection_ready(&connection)?;
    let product = context.endpoints_of(&connection)?.product;
    // Stead doesn't request capabilities, but the integration at the product has them.
    let are_capabilities = product.oauth.permissions == Permissions::Capabilities
        && !connection.permissions.is_empty();
    let scopes = match product.oauth.permissions {
        _ if are_capabilities => connection.permissions,
        Permissions::Scopes { always, .. } => {
            let (who, mut scopes): (Vec<_>, Vec<_>) = (authorization.scopes.into_iter())
                .partition(|scope| always.contains(&scope.as_str()));
            scopes.extend(who);
            scopes
        }
        _ => authorization.scopes,
    };
    Ok(ConnectPage {
        authorization_id: authorization.id,
        connection_name: connection.name,
        product,
        scopes,
        expires_at: authorization
            .opens_until
            .map_or(authorization.expires_at, |until| {
                until.min(authorization.expires_at)
            }),
        are_capabilities,
    })
}

pub(super) async fn authorization_of_link(
    context: &Context,
    link: &str,
) -> Result<Versioned<Authorization>> {
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "this link doesn't exist; ask for a new one",
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
