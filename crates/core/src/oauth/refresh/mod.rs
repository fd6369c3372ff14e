//! Refreshes credentials. An account has one refresh at a time in this process, a lease coordinates processes, and no
//! token is lost.
//!
//! The work runs on `Runtime::spawn`, so a caller that leaves can't interrupt it between the product's response and the
//! commit.

mod adopt;
mod failure;
mod keep;
mod keep_alive;
mod present;
mod refresh_now;
mod replay_spool;
mod spooled;

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

pub(crate) use keep_alive::keep_alive;
pub(crate) use refresh_now::refresh_now;
pub(crate) use replay_spool::replay_spool;

pub(crate) use crate::domain::refresh::RefreshReason;
use crate::{
    ErrorKind, Result,
    context::{Context, Snapshot, TokenSet},
    domain::{Account, AccountRef, Connection, refresh::client_stamp},
    product::Rotation,
};

/// If an access token expires within this time, Stead refreshes it before using it.
const DUE: SignedDuration = SignedDuration::from_secs(60);
/// If an access token expires within this time, Stead refreshes it in the background and keeps using it.
const EARLY: SignedDuration = SignedDuration::from_mins(5);
/// For short-lived tokens, these fractions of the lifetime apply instead, so that not every call triggers a refresh.
const DUE_PART: i32 = 10;
const EARLY_PART: i32 = 4;
/// Stead uses tokens this young as they are, however short their lifetime: a refresh wouldn't return better ones.
const JUST_ISSUED: SignedDuration = SignedDuration::from_secs(5);

/// A refresh that holds the lease.
#[derive(Clone)]
struct Attempt {
    of: AccountRef,
    connection: Connection,
    /// The product's handling of used refresh tokens, according to its definition.
    rotation: Rotation,
    /// The connection's client, in a form that may be stored.
    client: String,
    /// The account when its lease was claimed.
    account: Account,
    owner: Uuid,
    reason: RefreshReason,
    /// The store's time when the lease was claimed, and this process's time just before.
    read_at: Timestamp,
    read_when: Duration,
}

impl Attempt {
    /// An upper bound of the store's time, as far as this process can tell.
    fn now(&self, context: &Context) -> Timestamp {
        let elapsed = context.host.monotonic().saturating_sub(self.read_when);
        self.read_at.checked_add(elapsed).unwrap_or(Timestamp::MAX)
    }
}

/// Returns a snapshot whose tokens can be used now.
pub(crate) async fn live(context: &Context, snapshot: Arc<Snapshot>) -> Result<Arc<Snapshot>> {
    let tokens = snapshot.usable()?;
    if let Err(unusable) = tokens.bearer() {
        let renewed = refresh_now(context, &snapshot, RefreshReason::Refused).await;
        return renewed.map_err(|error| match error.kind() {
            // These are the newest tokens, and the product has never seen them.
            ErrorKind::ProductRejectedToken => unusable,
            _ => error,
        });
    }
    let Some(expires_at) = tokens.expires_at() else {
        return Ok(snapshot);
    };
    let now = context.host.now();
    let (mut due, mut early) = (DUE, EARLY);
    if let Some(issued_at) = tokens.issued_at() {
        let life = expires_at.duration_since(issued_at);
        due = due.min(life / DUE_PART);
        early = early.min(life / EARLY_PART);
        let age = now.duration_since(issued_at);
        if !age.is_negative() && age < JUST_ISSUED {
            return Ok(snapshot);
        }
    }
    let left = expires_at.duration_since(now);
    if left >= early {
        return Ok(snapshot);
    }
    if left >= due {
        let client = client_stamp(&snapshot.connection);
        let waits = (snapshot.account).backs_off(RefreshReason::Early, &client, now);
        let may = waits.is_none() && !is_suspect(context, &snapshot, tokens);
        if tokens.refresh_token().is_some() && may {
            drop(refresh_now(context, &snapshot, RefreshReason::Early));
        }
        return Ok(snapshot);
    }
    refresh_now(context, &snapshot, RefreshReason::Due).await
}

/// Whether the refresh token may have been used already: it comes from a restored backup, and the product rotates
/// refresh tokens. Presenting it could revoke the grant, so Stead waits until the access token has to be renewed.
fn is_suspect(context: &Context, snapshot: &Snapshot, tokens: &TokenSet) -> bool {
    let product = snapshot.endpoints.product.oauth.rotation;
    let came_before = |restored_at| tokens.issued_at().is_none_or(|at| at < restored_at);
    context.store.restored_at.is_some_and(came_before)
        && snapshot.account.rotation(product) != Rotation::Stable
}

/// Reads the account from the store, and checks that it can be used for calls.
async fn current(context: &Context, of: &AccountRef) -> Result<Arc<Snapshot>> {
    let snapshot = context.reload(of).await?;
    snapshot.usable()?;
    Ok(snapshot)
}

#[cfg(test)]
mod asked_tests;
#[cfg(test)]
mod flow_tests;
#[cfg(test)]
mod keep_alive_tests;
#[cfg(test)]
mod margins_tests;
#[cfg(test)]
mod outage_tests;
#[cfg(test)]
mod restored_tests;
#[cfg(test)]
mod shred_tests;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
