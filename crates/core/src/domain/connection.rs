//! A connection: one product's OAuth client.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    identifier::{ConnectionId, ConnectionName},
    sealed::Sealed,
    state::{ConnectionHealth, ConnectionState},
};

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Connection {
    /// Id; primary key.
    pub id: ConnectionId,
    /// Name; unique.
    pub name: ConnectionName,
    /// Product.
    pub product: String,
    /// OAuth client id.
    pub client_id: Option<String>,
    /// OAuth client secret.
    pub client_secret: Option<Sealed>,
    /// Scopes or capabilities.
    pub permissions: Vec<String>,
    /// Settings of the product.
    pub settings: Map<String, Value>,
    /// State.
    pub state: ConnectionState,
    /// Whether the product takes the client credentials.
    pub health: ConnectionHealth,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}
