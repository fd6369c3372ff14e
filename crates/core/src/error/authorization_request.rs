//! What the end user has to be asked for: the body of the request that makes the link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The body for `POST /v1/authorization-links` that lets the failed call succeed. It asks for what the user has granted
/// and what is missing together, so that nothing that worked stops working. Where the application confirms its users, it
/// adds its `verify_url`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AuthorizationRequest {
    /// Connection.
    pub connection_name: String,
    /// The application's id of the user.
    pub identifier: String,
    /// Scopes to ask for; absent where the product has none to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

impl AuthorizationRequest {
    /// A request for these scopes.
    pub fn new(
        connection_name: impl Into<String>,
        identifier: impl Into<String>,
        scopes: Vec<String>,
    ) -> Self {
        Self {
            connection_name: connection_name.into(),
            identifier: identifier.into(),
            scopes,
        }
    }
}
