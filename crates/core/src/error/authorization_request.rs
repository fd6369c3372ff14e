//! The request body for a link that asks the end user for missing permissions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The body for `POST /v1/authorization-links` that lets the failed call succeed. It requests both the granted and the
/// missing scopes, so nothing stops working. If your application confirms its users, add your `verify_url`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AuthorizationRequest {
    /// Name of the connection.
    pub connection_name: String,
    /// Your application's ID of the user.
    pub identifier: String,
    /// Scopes to request. Absent if the product has no scopes.
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
