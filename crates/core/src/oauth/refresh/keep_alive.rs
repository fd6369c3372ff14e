//! Refreshes credentials that no one uses, before their product drops them.

use std::sync::PoisonError;

use super::{RefreshReason, refresh_now};
use crate::{
    Result,
    context::Context,
    domain::{AccountRef, Credential},
    state::AccountState,
};

/// Maximum number of refreshes per round. It's low so that no product gets many at a time.
const REFRESHED: usize = 5;
/// Maximum number of credentials to look at per round.
const LOOKED_AT: u32 = 200;

/// Runs one round, oldest credentials first. It continues where the previous round stopped.
pub(crate) async fn keep_alive(context: &Context) -> Result<()> {
    let products = context.products.catalogue.products().iter();
    let shortest = products
        .filter_map(|product| product.oauth.keep_alive)
        .min();
    let Some(before) = shortest.and_then(|idle| context.host.now().checked_sub(idle).ok()) else {
        return Ok(());
    };
    let position = || {
        context
            .workers
            .kept_alive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let after = position().take();
    let idle = context
        .store
        .idle_credentials(before, after, LOOKED_AT)
        .await?;
    let more = idle.len() == LOOKED_AT as usize;
    let mut refreshed = 0;
    for credential in idle.into_iter().map(|found| found.row) {
        let created_at = credential.created_at;
        match refresh_idle(context, &credential).await {
            Ok(true) => refreshed += 1,
            Ok(false) => {}
            Err(error) => {
                tracing::debug!(account = %credential.account_id, kind = %error.kind(), "couldn't refresh an idle credential");
                refreshed += 1;
            }
        }
        if more || refreshed == REFRESHED {
            *position() = Some(created_at);
        }
        if refreshed == REFRESHED {
            break;
        }
    }
    Ok(())
}

/// Refreshes a credential if it's the account's current one and has been idle for too long. Returns whether it did.
async fn refresh_idle(context: &Context, credential: &Credential) -> Result<bool> {
    let account = context.existing_account(credential.account_id).await?.row;
    let is_current = account.generation == credential.generation;
    if !is_current || account.state != AccountState::Active {
        return Ok(false);
    }
    let connection = context.connection_by_id(account.connection_id).await?.row;
    let keep_alive = context.endpoints_of(&connection)?.product.oauth.keep_alive;
    let since = keep_alive.and_then(|idle| context.host.now().checked_sub(idle).ok());
    if since.is_none_or(|since| credential.created_at > since) {
        return Ok(false);
    }
    let of = AccountRef {
        connection: connection.name,
        identifier: account.identifier,
    };
    let snapshot = context.reload(&of).await?;
    snapshot.usable()?;
    refresh_now(context, &snapshot, RefreshReason::Early).await?;
    Ok(true)
}
