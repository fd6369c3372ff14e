//! Tokens that a product refused although they were new.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{domain::Account, identifier::AccountId};

/// For so long such a token is not refreshed: the one before it was refused too, and the next would be.
const PAUSE: Duration = Duration::from_secs(30);
const CAPACITY: usize = 10_000;

/// Per account, the generation that was refused right after its refresh, and when.
#[derive(Default)]
pub(crate) struct RefusedTokens(Mutex<HashMap<AccountId, (u64, Duration)>>);

impl RefusedTokens {
    pub(crate) fn note(&self, account: &Account, now: Duration) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= CAPACITY {
            refused.retain(|_, (_, at)| *at + PAUSE > now);
        }
        refused.insert(account.id, (account.generation, now));
    }

    /// Whether another refresh would be in vain.
    pub(crate) fn holds(&self, account: &Account, now: Duration) -> bool {
        let refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        refused
            .get(&account.id)
            .is_some_and(|(generation, at)| *generation == account.generation && *at + PAUSE > now)
    }
}
