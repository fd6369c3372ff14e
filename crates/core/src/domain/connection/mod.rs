//! A connection: one product's OAuth client.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{NewAudit, NewEvent};
pub(crate) use crate::resource::connection::ConnectionRow as Connection;
use crate::{
    Error, Result,
    error::Violation,
    product::Product,
    sealed::{Sealed, place},
    state::{ConnectionHealth, ConnectionState},
};

/// A trigger of a transition.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trigger<'a> {
    /// The developer changes it.
    Changed {
        changes: &'a Changes,
        product: &'a Product,
    },
    /// The product accepts or rejects the client that was used.
    ClientUsed {
        used: &'a Connection,
        health: ConnectionHealth,
    },
}

/// A validated change, with an encrypted client secret. Absent members don't change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<Sealed<place::ClientSecret>>,
    pub(crate) permissions: Option<Vec<String>>,
    pub(crate) settings: Option<Map<String, Value>>,
    pub(crate) allowed_requests: Option<Vec<String>>,
    pub(crate) disabled: Option<bool>,
}

impl Connection {
    /// All transitions of a connection: the changed connection and its event. `None` if nothing changes.
    pub(crate) fn on(&self, trigger: Trigger<'_>, now: Timestamp) -> Option<(Self, &'static str)> {
        let (mut next, event) = match trigger {
            Trigger::Changed { changes, product } => {
                let mut next = self.with(changes);
                if next == *self {
                    return None;
                }
                if next.has_other_client(self, product) {
                    next.client_epoch += 1;
                }
                (next, "connection.changed")
            }
            // The result says nothing about credentials other than those that were sent.
            Trigger::ClientUsed { used, health }
                if self.health == health
                    || self.client_id != used.client_id
                    || self.client_secret != used.client_secret =>
            {
                return None;
            }
            Trigger::ClientUsed { health, .. } => (
                Self {
                    health,
                    ..self.clone()
                },
                match health {
                    ConnectionHealth::ClientOk => "connection.credentials_accepted",
                    ConnectionHealth::ClientRejected => "connection.credentials_rejected",
                },
            ),
        };
        next.updated_at = now;
        Some((next, event))
    }

    fn with(&self, changes: &Changes) -> Self {
        let mut next = self.clone();
        if changes.client_id.is_some() || changes.client_secret.is_some() {
            next.health = ConnectionHealth::ClientOk;
        }
        if let Some(client_id) = &changes.client_id {
            next.client_id = Some(client_id.clone());
        }
        if let Some(secret) = &changes.client_secret {
            next.client_secret = Some(secret.clone());
        }
        if let Some(permissions) = &changes.permissions {
            next.permissions.clone_from(permissions);
        }
        if let Some(settings) = &changes.settings {
            next.settings.clone_from(settings);
        }
        if let Some(allowed) = &changes.allowed_requests {
            next.allowed_requests.clone_from(allowed);
        }
        next.state = next.state_of_contents(changes.disabled.unwrap_or(self.is_disabled()));
        next
    }

    /// The state that follows from the connection's content.
    pub(crate) fn state_of_contents(&self, disabled: bool) -> ConnectionState {
        match (disabled, &self.client_id, &self.client_secret) {
            (true, ..) => ConnectionState::Disabled,
            (false, Some(_), Some(_)) => ConnectionState::Ready,
            (false, ..) => ConnectionState::Draft,
        }
    }

    pub(crate) fn is_disabled(&self) -> bool {
        self.state == ConnectionState::Disabled
    }

    /// Whether tokens issued to `before` don't belong to this connection, because its client or host is different.
    fn has_other_client(&self, before: &Self, product: &Product) -> bool {
        let host = |connection: &Self| {
            product
                .derived(&connection.settings)
                .map(|derived| derived.host)
                .ok()
        };
        before.client_id.is_some()
            && (before.client_id != self.client_id || host(before) != host(self))
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({
            "connection_name": self.name,
            "product": self.product,
            "status": self.state,
        });
        NewEvent::new(name, data)
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "connection", self.id)
            .fact("connection_name", self.name.as_str())
            .fact("product", self.product.as_str())
    }
}

pub(crate) fn check_client_id(given: Option<&str>) -> Result<()> {
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
        _ => Ok(()),
    }
}

/// The kinds of requests that a connection allows, in the product's order and each once.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) with a pointer to each name that the product doesn't
/// have, and its names.
pub(crate) fn read_allowed(product: &Product, given: &[String]) -> Result<Vec<String>> {
    let names = || product.guards.iter().map(|guard| guard.name);
    let unknown = given.iter().enumerate();
    let unknown = unknown.filter(|(_, name)| !names().any(|known| known == *name));
    let expected = match product.guards {
        [] => format!("Stead refuses no kind of requests to {}", product.name),
        _ => {
            let names: Vec<&str> = names().collect();
            format!(
                "{} has no such kind of requests; use {}",
                product.name,
                names.join(", ")
            )
        }
    };
    let violations = unknown.map(|(index, _)| {
        Violation::new(
            format!("/allowed_requests/{index}"),
            "enum",
            expected.as_str(),
        )
    });
    let violations: Vec<Violation> = violations.collect();
    if !violations.is_empty() {
        return Err(Error::invalid(violations));
    }
    let allowed = names().filter(|name| given.iter().any(|one| one == name));
    Ok(allowed.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
