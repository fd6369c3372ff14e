//! Bearer tokens that were good a moment ago, so that not every request asks the store.

use std::{fmt, time::Duration};

use jiff::Timestamp;
use quick_cache::sync::Cache;

use crate::digest::Digest;

/// Tokens kept at most: those that were not used lately make room.
const CAPACITY: usize = 100_000;

/// The tokens, with their end and when they were checked.
pub(crate) struct AccessTokens(Cache<Digest, (Timestamp, Duration)>);

impl Default for AccessTokens {
    fn default() -> Self {
        Self(Cache::new(CAPACITY))
    }
}

impl fmt::Debug for AccessTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AccessTokens").field(&self.0.len()).finish()
    }
}

impl AccessTokens {
    pub(crate) fn is_good(
        &self,
        token: &Digest,
        now: Timestamp,
        monotonic: Duration,
        fresh: Duration,
    ) -> bool {
        self.0.get(token).is_some_and(|(expires_at, at)| {
            expires_at > now && monotonic.saturating_sub(at) < fresh
        })
    }

    pub(crate) fn keep(&self, token: Digest, expires_at: Timestamp, monotonic: Duration) {
        self.0.insert(token, (expires_at, monotonic));
    }
}
