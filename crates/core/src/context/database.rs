//! The database with the keys of its secrets, and the caches of its rows.

use std::{ops::Deref, sync::Arc, time::Duration};

use jiff::Timestamp;

use super::{
    access_tokens::AccessTokens, audit::AuditTurn, feed::Feed, follow::Follower,
    outbox::OutboxQueue, policies::Policies, remembered::Remembered, snapshots::Snapshots,
    store_waits::StoreWaits,
};
use crate::{
    domain::Connection,
    ports::Spool,
    seal::Vault,
    store::{Breaker, Records},
};

/// The database, the keys of its secrets, and the state of work that waits for it.
pub(crate) struct Database {
    pub(super) records: Records,
    /// Whether the store responds.
    pub(super) breaker: Breaker,
    pub(crate) vault: Arc<Vault>,
    pub(crate) spool: Option<Arc<dyn Spool>>,
    /// When the database was last restored from an older copy, if known.
    pub(crate) restored_at: Option<Timestamp>,
    pub(crate) waits: StoreWaits,
    pub(crate) feed: Feed,
    pub(crate) outbox: OutboxQueue,
    pub(super) audit_turn: AuditTurn,
}

impl Deref for Database {
    type Target = Records;
    fn deref(&self) -> &Records {
        &self.records
    }
}

impl Database {
    /// Whether the store is known to be unavailable.
    pub(crate) fn is_away(&self) -> bool {
        self.breaker.is_away()
    }

    /// From now on, failures of the store don't mean that it's unavailable, because it may be closed.
    pub(crate) fn leave(&self) {
        self.breaker.leave();
    }

    /// Completes when the store is known to be unavailable.
    pub(crate) async fn goes_away(&self) {
        self.breaker.goes_away().await;
    }
}

/// Cached data from the database.
pub(crate) struct Memory {
    pub(crate) snapshots: Snapshots,
    pub(crate) policies: Remembered<Policies>,
    /// All connections, for callers that need them often.
    pub(super) connections: Remembered<Vec<Connection>>,
    pub(crate) access_tokens: AccessTokens,
    pub(super) follower: Follower,
    /// How long they're used while the store is unavailable.
    pub(crate) store_outage: Duration,
}
