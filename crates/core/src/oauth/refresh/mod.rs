//! Refreshing a credential: one refresh per account in this process, a lease among processes, and no token lost.
//!
//! The work runs on `Runtime::spawn`: a caller that goes away never cuts it between the product's response and the commit.

mod adopt;
mod failure;
mod keep;
mod refresh_now;

use std::sync::Arc;

use jiff::SignedDuration;
use uuid::Uuid;

pub(crate) use refresh_now::refresh_now;

use crate::{
    Result,
    context::{Context, Snapshot},
    domain::{Account, AccountRef, Connection},
};

/// An access token with less life than this is refreshed before it is used.
const TOO_SHORT: SignedDuration = SignedDuration::from_secs(60);
/// An access token with less life than this is refreshed in the background while it is used.
const SHORT: SignedDuration = SignedDuration::from_mins(5);

/// Why a credential is refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefreshReason {
    /// Its end is near; it still serves.
    Early,
    /// It has ended, or nearly.
    Due,
    /// The product refused it.
    Refused,
    /// The application asked.
    Asked,
}

/// A refresh that holds the lease.
struct Attempt {
    of: AccountRef,
    connection: Connection,
    /// The account as it was claimed.
    account: Account,
    owner: Uuid,
    reason: RefreshReason,
    /// The refresh before it never said how it ended.
    recovering: bool,
}

/// A snapshot whose tokens can be sent now.
pub(crate) async fn live(context: &Context, snapshot: Arc<Snapshot>) -> Result<Arc<Snapshot>> {
    let tokens = snapshot.usable()?;
    let Some(expires_at) = tokens.expires_at() else {
        return Ok(snapshot);
    };
    let left = expires_at.duration_since(context.now());
    if left >= SHORT {
        return Ok(snapshot);
    }
    if left >= TOO_SHORT {
        if tokens.refresh_token().is_some() && snapshot.account.may_refresh(context.now()) {
            drop(refresh_now(context, &snapshot, RefreshReason::Early));
        }
        return Ok(snapshot);
    }
    refresh_now(context, &snapshot, RefreshReason::Due).await
}

/// The account as the store has it now, where it can be called.
async fn current(context: &Context, of: &AccountRef) -> Result<Arc<Snapshot>> {
    let snapshot = context.reload(of).await?;
    snapshot.usable()?;
    Ok(snapshot)
}

#[cfg(test)]
mod model;
