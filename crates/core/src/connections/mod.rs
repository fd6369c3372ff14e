//! Connections: one product's OAuth client each.

mod change;
mod create;
mod delete;
pub(crate) mod public_url;
mod read;

use secrecy::{ExposeSecret as _, SecretString};

pub(crate) use change::change;
pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use read::{list, read};

use crate::{
    Error, Result,
    context::Context,
    domain::Account,
    identifier::ConnectionId,
    sealed::{Sealed, place},
    store::Versioned,
};

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
) -> Result<Option<Sealed<place::ClientSecret>>> {
    let Some(secret) = secret else {
        return Ok(None);
    };
    // Copying often adds whitespace at the end.
    let text = secret.expose_secret().trim();
    if text.is_empty() || text.len() > 1024 || text.chars().any(char::is_control) {
        return Err(Error::invalid_at(
            "/client_secret",
            "a client secret has 1 to 1024 characters and no control characters",
        ));
    }
    let place = place::ClientSecret(connection);
    context.store.vault.seal(&place, text.as_bytes()).map(Some)
}
