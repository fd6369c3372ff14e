//! State that sign-ins share in a process: counters of attempts, a limit on concurrent password checks, and the link
//! for the first owner.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use quick_cache::unsync::Cache;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::Context;
use crate::{Error, ErrorKind, Result, digest::Digest};

/// Attempts count for this long after the first one.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Maximum attempts in that time in one session, from one known browser, or for one account from one source.
const MOST: u32 = 10;
/// Maximum attempts in that time from one source, for all accounts.
const PER_SOURCE: u32 = 30;
/// Attempts for one account from all sources before Stead enforces a pause between them. The pause doubles with each
/// attempt.
const WITHOUT_PAUSE: u32 = 10;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Maximum number of accounts and sources that are counted. New ones replace those not seen recently.
const COUNTED: usize = 20_000;
/// Maximum number of passwords that are checked at the same time, at 19 MiB each. Then the
/// maximum together with those that wait.
const AT_ONCE: usize = 2;
const WITH_WAITING: usize = 64;
/// Maximum number of these from browsers without a current or earlier sign-in.
const OF_STRANGERS: usize = 48;
/// Lifetime of the link for the first owner.
const SETUP_LIFE: SignedDuration = SignedDuration::from_mins(15);

/// State that sign-ins share.
pub(crate) struct SignIns {
    attempts: Mutex<Cache<Digest, Attempts>>,
    turns: Semaphore,
    places: Semaphore,
    of_strangers: Semaphore,
    setup: Mutex<Option<(Digest, Timestamp)>>,
}

/// The attempts of one counter.
#[derive(Clone, Copy)]
struct Attempts {
    count: u32,
    began: Duration,
    last: Duration,
}

/// A limit on attempts.
#[derive(Debug, Clone, Copy)]
enum Limit {
    /// At most this many in a window.
    Most(u32),
    /// Any number. After the first ones, there is a pause before each attempt, so a stranger's attempts can't block the
    /// account for long.
    Pauses,
}

impl Limit {
    /// Whether the earlier attempts don't count any more.
    fn is_over(self, before: Attempts, now: Duration) -> bool {
        let since = match self {
            Self::Most(_) => before.began,
            Self::Pauses => before.last,
        };
        now.saturating_sub(since) >= WINDOW
    }

    /// Time until the next allowed attempt.
    fn wait(self, before: Attempts, now: Duration) -> Duration {
        let end = match self {
            Self::Most(most) if before.count >= most => before.began + WINDOW,
            Self::Pauses if before.count >= WITHOUT_PAUSE => {
                let doubled = 1 << (before.count - WITHOUT_PAUSE).min(6);
                before.last + Duration::from_secs(doubled).min(LONGEST_PAUSE)
            }
            _ => now,
        };
        end.saturating_sub(now)
    }
}

/// An attempt to authenticate, for the counters.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// Counters that a success resets.
    of_account: Vec<(Digest, Limit)>,
    of_source: Option<(Digest, Limit)>,
}

impl Attempt {
    /// An attempt to sign in to an account. A browser that has signed in to the account before has its own counter, so
    /// attempts by strangers don't block it. An unknown source is empty and isn't counted, because everyone behind a
    /// proxy that hides client addresses would share it.
    pub(crate) fn to_sign_in(account: &str, source: &str, device: Option<&Digest>) -> Self {
        if let Some(device) = device {
            let key = format!("device {} {account}", device.as_str());
            return Self {
                of_account: vec![(Digest::of(&key), Limit::Most(MOST))],
                of_source: None,
            };
        }
        let from = Self::from(source);
        let here = format!("account {account} source {source}");
        let here = (Digest::of(&here), Limit::Most(MOST));
        let anywhere = Digest::of(&format!("account {account}"));
        let here = from.of_source.is_some().then_some(here);
        Self {
            of_account: here
                .into_iter()
                .chain([(anywhere, Limit::Pauses)])
                .collect(),
            ..from
        }
    }

    /// An attempt from a source whose account isn't known yet.
    pub(crate) fn from(source: &str) -> Self {
        let key = || Digest::of(&format!("source {source}"));
        Self {
            of_account: Vec::new(),
            of_source: (!source.is_empty()).then(|| (key(), Limit::Most(PER_SOURCE))),
        }
    }

    /// An attempt by a member who is signed in. No one else has the session, so no one else can use up its attempts.
    pub(crate) fn in_session(session: &Digest) -> Self {
        let key = Digest::of(&format!("session {}", session.as_str()));
        Self {
            of_account: vec![(key, Limit::Most(MOST))],
            of_source: None,
        }
    }
}

impl Default for SignIns {
    fn default() -> Self {
        Self {
            attempts: Mutex::new(Cache::new(COUNTED)),
            turns: Semaphore::new(AT_ONCE),
            places: Semaphore::new(WITH_WAITING),
            of_strangers: Semaphore::new(OF_STRANGERS),
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
    /// Counts an attempt before its result is known.
    ///
    /// # Errors
    /// [`ErrorKind::RateLimited`] if there were too many, with the time until the next allowed one.
    pub(crate) fn count_attempt(&self, attempt: &Attempt) -> Result<()> {
        let now = self.host.monotonic();
        let mut attempts = lock(&self.limits.sign_ins.attempts);
        let counters = || attempt.of_account.iter().chain(&attempt.of_source);
        let waits = counters().filter_map(|(key, limit)| {
            let before = live(&attempts, key, *limit, now)?;
            Some(limit.wait(before, now))
        });
        let wait = waits.max().unwrap_or_default();
        if !wait.is_zero() {
            let message = "too many attempts to sign in; wait, then try again";
            return Err(Error::new(ErrorKind::RateLimited, message).with_retry_after(wait));
        }
        for (key, limit) in counters() {
            let before = live(&attempts, key, *limit, now);
            let counted = Attempts {
                count: before.map_or(0, |before| before.count).saturating_add(1),
                began: before.map_or(now, |before| before.began),
                last: now,
            };
            attempts.insert(key.clone(), counted);
        }
        Ok(())
    }

    /// Resets the counters of an account after a successful attempt.
    pub(crate) fn attempt_succeeded(&self, attempt: &Attempt) {
        let mut attempts = lock(&self.limits.sign_ins.attempts);
        for (key, _) in &attempt.of_account {
            attempts.remove(key);
        }
    }

    /// Reserves a place for a stranger's password. Some places are always left for members.
    ///
    /// # Errors
    /// [`ErrorKind::Overloaded`] if too many are already waiting.
    pub(crate) fn place_of_stranger(&self) -> Result<SemaphorePermit<'_>> {
        let place = self.limits.sign_ins.of_strangers.try_acquire();
        place.map_err(|_| overloaded())
    }

    /// Runs the work on one password without blocking other tasks. Only a few run at the same time, because each
    /// deliberately uses a lot of memory.
    ///
    /// # Errors
    /// [`ErrorKind::Overloaded`] if too many are already waiting.
    pub(crate) async fn password_work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let place = self.limits.sign_ins.places.try_acquire();
        let _place = place.map_err(|_| overloaded())?;
        let turn = self.limits.sign_ins.turns.acquire().await;
        let done = self.aside(work).await;
        drop(turn);
        Ok(done?)
    }

    /// Sets the link for the first owner, replacing an earlier one.
    pub(crate) fn note_setup(&self, token: Digest) {
        let end = self
            .host
            .now()
            .checked_add(SETUP_LIFE)
            .unwrap_or(Timestamp::MAX);
        *lock(&self.limits.sign_ins.setup) = Some((token, end));
    }

    /// Whether this is the valid link for the first owner.
    pub(crate) fn is_setup(&self, token: &Digest) -> bool {
        let now = self.host.now();
        let noted = lock(&self.limits.sign_ins.setup);
        noted
            .as_ref()
            .is_some_and(|(noted, end)| noted == token && now < *end)
    }

    /// Uses up the link for the first owner. Returns whether it was valid.
    pub(crate) fn take_setup(&self, token: &Digest) -> bool {
        let good = self.is_setup(token);
        good && lock(&self.limits.sign_ins.setup)
            .take_if(|(noted, _)| noted == token)
            .is_some()
    }
}

fn live(
    attempts: &Cache<Digest, Attempts>,
    key: &Digest,
    limit: Limit,
    now: Duration,
) -> Option<Attempts> {
    let known = attempts.get(key).copied();
    known.filter(|known| !limit.is_over(*known, now))
}

fn overloaded() -> Error {
    Error::new(
        ErrorKind::Overloaded,
        "too many people are signing in right now; try again",
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
