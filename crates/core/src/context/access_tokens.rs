//! Bearer tokens that were good a moment ago, so that not every request asks the store.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use jiff::Timestamp;

use crate::digest::Digest;

const CAPACITY: usize = 10_000;

/// The tokens, with their end and when they were checked.
#[derive(Debug, Default)]
pub(crate) struct AccessTokens(RwLock<HashMap<Digest, (Timestamp, Duration)>>);

impl AccessTokens {
    pub(crate) fn is_good(
        &self,
        token: &Digest,
        now: Timestamp,
        monotonic: Duration,
        fresh: Duration,
    ) -> bool {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        cached.get(token).is_some_and(|(expires_at, at)| {
            *expires_at > now && monotonic.saturating_sub(*at) < fresh
        })
    }

    pub(crate) fn keep(&self, token: Digest, expires_at: Timestamp, monotonic: Duration) {
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= CAPACITY {
            cached.clear();
        }
        cached.insert(token, (expires_at, monotonic));
    }
}
