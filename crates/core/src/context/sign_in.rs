//! What sign-ins share in a process: how often it was tried, how many passwords are compared at once, and the link for the
//! first owner.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use quick_cache::unsync::Cache;
use tokio::sync::Semaphore;

use super::Context;
use crate::{Error, ErrorKind, Result, digest::Digest};

/// Attempts are counted for so long after the first one.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Attempts within that time for one account, and from one source.
const PER_ACCOUNT: u32 = 10;
const PER_SOURCE: u32 = 30;
/// Accounts and sources that are counted at most: those that were not seen lately make room.
const COUNTED: usize = 20_000;
/// Passwords that are compared at once, at 19 MiB each; and with those that wait for their turn.
const AT_ONCE: usize = 2;
const WITH_WAITING: usize = 64;
/// How long the link for the first owner is good.
const SETUP_LIFE: SignedDuration = SignedDuration::from_mins(15);

/// What sign-ins share.
pub(crate) struct SignIns {
    attempts: Mutex<Cache<Digest, Attempts>>,
    turns: Semaphore,
    places: Semaphore,
    setup: Mutex<Option<(Digest, Timestamp)>>,
}

#[derive(Clone, Copy)]
struct Attempts {
    count: u32,
    began: Duration,
}

impl Default for SignIns {
    fn default() -> Self {
        Self {
            attempts: Mutex::new(Cache::new(COUNTED)),
            turns: Semaphore::new(AT_ONCE),
            places: Semaphore::new(WITH_WAITING),
            setup: Mutex::default(),
        }
    }
}

impl fmt::Debug for SignIns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignIns")
    }
}

impl Context {
    /// Counts an attempt to sign in as somebody from somewhere, before it is known whether it succeeds. A source that is
    /// not known is empty, and not counted: everyone behind a proxy that does not say for whom it asks would share it.
    ///
    /// # Errors
    /// [`ErrorKind::RateLimited`] where there were too many, with the time until they count no more.
    pub(crate) fn count_attempt(&self, account: &str, source: &str) -> Result<()> {
        let account = (of_account(account), PER_ACCOUNT);
        self.count([account].into_iter().chain(of_source(source)).collect())
    }

    /// The same from somewhere, where it is not known yet as whom.
    ///
    /// # Errors
    /// [`ErrorKind::RateLimited`].
    pub(crate) fn count_attempt_from(&self, source: &str) -> Result<()> {
        self.count(of_source(source).into_iter().collect())
    }

    fn count(&self, counted: Vec<(Digest, u32)>) -> Result<()> {
        let now = self.monotonic();
        let mut attempts = lock(&self.sign_ins.attempts);
        for (key, most) in &counted {
            let live = live(&attempts, key, now);
            if let Some(live) = live.filter(|live| live.count >= *most) {
                let wait = (live.began + WINDOW).saturating_sub(now);
                let message = "there were too many attempts to sign in; wait, and try again";
                return Err(Error::new(ErrorKind::RateLimited, message).with_retry_after(wait));
            }
        }
        for (key, _) in counted {
            let mut counted = live(&attempts, &key, now).unwrap_or(Attempts {
                count: 0,
                began: now,
            });
            counted.count += 1;
            attempts.insert(key, counted);
        }
        Ok(())
    }

    /// Forgets the attempts for an account: one of them has succeeded.
    pub(crate) fn attempt_succeeded(&self, account: &str) {
        lock(&self.sign_ins.attempts).remove(&of_account(account));
    }

    /// Runs the work on one password where it holds up no other task. Few at once: each takes memory on purpose.
    ///
    /// # Errors
    /// [`ErrorKind::Overloaded`] where too many wait already.
    pub(crate) async fn password_work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let overloaded = |_| {
            Error::new(
                ErrorKind::Overloaded,
                "too many sign-ins are under way; try again",
            )
        };
        let _place = self.sign_ins.places.try_acquire().map_err(overloaded)?;
        let turn = self.sign_ins.turns.acquire().await;
        let done = self.aside(work).await;
        drop(turn);
        Ok(done?)
    }

    /// Takes note of the link for the first owner, in the place of one before.
    pub(crate) fn note_setup(&self, token: Digest) {
        let end = self.now().checked_add(SETUP_LIFE).unwrap_or(Timestamp::MAX);
        *lock(&self.sign_ins.setup) = Some((token, end));
    }

    /// Whether this is the link for the first owner, and good.
    pub(crate) fn is_setup(&self, token: &Digest) -> bool {
        let now = self.now();
        let noted = lock(&self.sign_ins.setup);
        noted
            .as_ref()
            .is_some_and(|(noted, end)| noted == token && now < *end)
    }

    /// Uses the link for the first owner up; whether it was good.
    pub(crate) fn take_setup(&self, token: &Digest) -> bool {
        let good = self.is_setup(token);
        good && lock(&self.sign_ins.setup)
            .take_if(|(noted, _)| noted == token)
            .is_some()
    }
}

fn live(attempts: &Cache<Digest, Attempts>, key: &Digest, now: Duration) -> Option<Attempts> {
    let known = attempts.get(key).copied();
    known.filter(|known| now.saturating_sub(known.began) < WINDOW)
}

fn of_account(account: &str) -> Digest {
    Digest::of(&format!("account {account}"))
}

/// Nothing for a source that is not known.
fn of_source(source: &str) -> Option<(Digest, u32)> {
    let key = || (Digest::of(&format!("source {source}")), PER_SOURCE);
    (!source.is_empty()).then(key)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
