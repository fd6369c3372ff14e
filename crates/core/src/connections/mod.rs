//! Connections: one product's OAuth client each.

mod change;
mod create;
mod delete;
mod list;
mod read;

use secrecy::{ExposeSecret as _, SecretString};

pub(crate) use change::change;
pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use list::list;
pub(crate) use read::read;

use crate::{
    Error, Result,
    context::Context,
    domain::{Account, Connection},
    identifier::ConnectionId,
    oauth::client_secret_place,
    resource,
    sealed::Sealed,
    store::Versioned,
};

fn view(context: &Context, row: &Connection) -> resource::Connection {
    resource::Connection {
        id: row.id,
        connection_name: row.name.clone(),
        product: row.product.clone(),
        state: row.state,
        health: row.health,
        client_id: row.client_id.clone(),
        has_client_secret: row.client_secret.is_some(),
        permissions: row.permissions.clone(),
        settings: row.settings.clone(),
        redirect_uri: context.redirect_uri(row.id),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

async fn accounts_of(
    context: &Context,
    connection: ConnectionId,
) -> Result<Vec<Versioned<Account>>> {
    const PAGE: u32 = 500;
    let mut all = Vec::new();
    loop {
        let after = all
            .last()
            .map(|account: &Versioned<Account>| account.row.id);
        let page = context
            .store
            .accounts(Some(connection), after, PAGE)
            .await?;
        let last = page.len() < PAGE as usize;
        all.extend(page);
        if last {
            return Ok(all);
        }
    }
}

fn sealed_client_secret(
    context: &Context,
    connection: ConnectionId,
    secret: Option<&SecretString>,
) -> Result<Option<Sealed>> {
    let Some(secret) = secret else {
        return Ok(None);
    };
    let text = secret.expose_secret();
    if text.is_empty() || text.len() > 1024 || text.chars().any(char::is_control) {
        return Err(Error::invalid_at(
            "/client_secret",
            "a client secret has 1 to 1024 characters and no control characters",
        ));
    }
    context
        .vault
        .seal(client_secret_place(connection), text.as_bytes())
        .map(Some)
}
