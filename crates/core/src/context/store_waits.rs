//! Refreshes that wait for a store that doesn't accept writes. Their callers get an error, and Stead counts tokens that
//! only this process has.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::watch;
use uuid::Uuid;

use super::Context;
use crate::{Error, ErrorKind, Result, identifier::AccountId};

/// If the store accepts the next offer within this time, callers hardly wait.
const UNNOTICED: Duration = Duration::from_millis(500);
/// Longest pause between two offers, so that a store gets the tokens soon after it's back.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Refreshes that wait, by account and owner of the lease.
pub(crate) struct StoreWaits {
    waits: watch::Sender<BTreeMap<(AccountId, Uuid), Wait>>,
    /// Why the store didn't accept tokens, as logged. Empty while all are stored.
    causes: Mutex<BTreeSet<String>>,
    /// Number of tokens only in memory when it was last logged.
    told: AtomicUsize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Wait {
    /// It has lasted too long for callers that wait for its result.
    is_long: bool,
    /// It has tokens that exist nowhere else and that the product won't issue again.
    in_memory: bool,
}

impl Default for StoreWaits {
    fn default() -> Self {
        Self {
            waits: watch::Sender::new(BTreeMap::new()),
            causes: Mutex::default(),
            told: AtomicUsize::new(0),
        }
    }
}

impl StoreWaits {
    /// Completes when a refresh of this account waits for the store.
    pub(crate) async fn is_long(&self, account: AccountId) {
        let waits = |waits: &BTreeMap<(AccountId, Uuid), Wait>| {
            let of_account = waits.range((account, Uuid::nil())..=(account, Uuid::max()));
            of_account.into_iter().any(|(_, wait)| wait.is_long)
        };
        // Can't fail, because the sender belongs to `self`.
        let _ = self.waits.subscribe().wait_for(waits).await;
    }

    /// Accounts whose new tokens are only in the memory of this process.
    pub(crate) fn in_memory(&self) -> Vec<AccountId> {
        let waits = self.waits.borrow();
        let in_memory = waits.iter().filter(|(_, wait)| wait.in_memory);
        in_memory.map(|((account, _), _)| *account).collect()
    }

    /// Logs the number of tokens that are only in memory, if it has changed.
    pub(crate) fn tell(&self) {
        let count = self.in_memory().len();
        if self.told.swap(count, Ordering::Relaxed) == count {
            return;
        }
        match count {
            0 => tracing::info!("all refreshed tokens are stored"),
            _ => tracing::error!("{}", are_in_memory(count)),
        }
    }

    /// Whether the store is ready. The error mentions tokens that it hasn't accepted yet.
    pub(crate) fn check(&self, ready: Result<()>) -> Result<()> {
        let count = self.in_memory().len();
        if count == 0 {
            return ready;
        }
        let said = ready.err().map(|error| format!("{}; ", error.message()));
        let message = said.unwrap_or_default() + &are_in_memory(count);
        Err(Error::new(ErrorKind::StorageUnavailable, message))
    }

    /// Logs a message about the accounts whose tokens are only in memory, if there are any.
    pub(crate) fn tell_accounts(&self, what: &str) {
        let accounts = self.in_memory();
        if !accounts.is_empty() {
            let accounts: Vec<String> = accounts.iter().map(ToString::to_string).collect();
            tracing::error!(accounts = accounts.join(" "), "{what}");
        }
    }

    /// Logs that the store didn't accept tokens. It logs each cause only once, because it affects many accounts.
    fn tell_cause(&self, account: AccountId, error: &Error) {
        let is_new = self
            .causes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(error.message().to_owned());
        if is_new {
            tracing::error!(%account, %error, "couldn't store a refreshed credential; Stead tries again until it is stored");
        } else {
            tracing::debug!(%account, %error, "couldn't store a refreshed credential");
        }
    }

    fn set(&self, key: (AccountId, Uuid), change: impl FnOnce(&mut Wait)) {
        self.waits
            .send_modify(|waits| change(waits.entry(key).or_default()));
    }

    fn end(&self, key: (AccountId, Uuid)) {
        let mut is_empty = false;
        self.waits.send_if_modified(|waits| {
            let was_there = waits.remove(&key).is_some();
            is_empty = waits.is_empty();
            was_there
        });
        if is_empty {
            let mut causes = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
            causes.clear();
        }
    }
}

fn are_in_memory(count: usize) -> String {
    let tokens = match count {
        1 => String::from("1 token is"),
        _ => format!("{count} tokens are"),
    };
    format!(
        "{tokens} only in memory; if this process stops before they are stored, their users need to authorize again"
    )
}

/// Repeated offers of one refresh to the store. They end when this is dropped.
pub(crate) struct Offers<'a> {
    context: &'a Context,
    key: (AccountId, Uuid),
    began: Duration,
}

impl Context {
    /// Starts offers to the store for a refresh.
    pub(crate) fn offers(&self, account: AccountId, owner: Uuid) -> Offers<'_> {
        Offers {
            context: self,
            key: (account, owner),
            began: self.host.monotonic(),
        }
    }
}

impl Offers<'_> {
    /// Pauses before the next offer, given the number of failures so far.
    pub(crate) async fn pause(&self, failures: u32) {
        if self.lasts() >= UNNOTICED {
            self.context
                .store
                .waits
                .set(self.key, |wait| wait.is_long = true);
        }
        let pause = Duration::from_millis(50) * 2_u32.pow(failures.clamp(1, 7) - 1);
        self.context
            .host
            .runtime
            .sleep(pause.min(LONGEST_PAUSE))
            .await;
    }

    /// Time since the first offer.
    pub(crate) fn lasts(&self) -> Duration {
        self.context.host.monotonic().saturating_sub(self.began)
    }

    /// Records that the store didn't accept tokens, and whether they are only in memory.
    pub(crate) fn not_stored(&self, error: &Error, in_memory: bool) {
        let waits = &self.context.store.waits;
        waits.tell_cause(self.key.0, error);
        waits.set(self.key, |wait| wait.in_memory = in_memory);
        // Only the first one is logged here, because each token would otherwise add a line. Maintenance logs the count.
        if in_memory && waits.told.load(Ordering::Relaxed) == 0 {
            waits.tell();
        }
    }
}

impl Drop for Offers<'_> {
    fn drop(&mut self) {
        self.context.store.waits.end(self.key);
    }
}
