//! Random histories of one account. Two processes with their own clocks share one store. The authorization server
//! misbehaves, the store fails or loses responses, processes crash or freeze, and tasks interleave at every access to
//! the store. The simulation checks its invariants after every commit.

#![expect(
    clippy::unwrap_used,
    reason = "a simulation that cannot go on fails its test"
)]

mod history;
mod ledger;
#[cfg(test)]
mod scripts;
mod seen;
mod server;
#[cfg(test)]
mod tests;
mod work;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt as _;
use jiff::SignedDuration;
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    Result,
    domain::{AccountRef, lease::LEASE},
    ports::{Body, Runtime},
    product::Product,
    store::Store,
    testing::{Clock, Outage, ROTATING, STABLE, STRICT, Sent},
};
use history::History;
use server::Fault;

const NAME: &str = "demo";
const USER: &str = "ada";

fn user() -> AccountRef {
    AccountRef::new(NAME, USER).unwrap()
}
/// Life of an access token.
const LIFE: SignedDuration = SignedDuration::from_mins(10);

/// How a product handles refresh tokens that were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// They stay valid.
    Stable,
    /// They can be used once.
    Rotating,
    /// They can be used once, and again during a grace period.
    Grace,
    /// They can be used once. A second use revokes the grant.
    Strict,
}

impl Class {
    fn product(self) -> &'static Product {
        match self {
            Self::Stable => &STABLE,
            Self::Rotating | Self::Grace => &ROTATING,
            Self::Strict => &STRICT,
        }
    }
}

/// Reopens the store of a history.
pub type Open = Box<dyn Fn() -> Arc<dyn Store>>;

/// One event of a history. The number is the process.
#[derive(Debug, Clone)]
enum Act {
    Call(u32),
    Refresh(u32),
    Suspend(u32),
    Resume(u32),
    /// Disconnects, with revocation at the product or without.
    Disconnect(u32, bool),
    /// The user completes a link. The application confirms immediately or later.
    Authorize(u32, bool),
    /// The application confirms the authorization that has waited the longest.
    Verify(u32),
    /// The connection gets a different client.
    ChangeClient(u32),
    /// The next responses of the token endpoint are faulty.
    Fault(Fault, usize),
    /// The store is unavailable.
    Outage(Outage, Duration),
    /// The next commits report a failure, whether or not they are applied.
    Doubt(usize, bool),
    RevokeAtProduct,
    Kill(u32),
    /// Both processes crash and restart, possibly with a clock that was set back.
    Restart(bool),
    /// A process freezes for this number of scenes.
    Freeze(u32, u8),
    /// Freezes a process as soon as a commit with this name was applied.
    FreezeAfter(&'static str, u32, u8),
    /// The spool stops deleting records, or starts again.
    StickSpool(bool),
}

/// Commits of a refresh, after which a process may freeze.
const COMMITS: [&str; 6] = [
    "refresh.claim",
    "refresh.adopt",
    "refresh.keep",
    "refresh.failed",
    "refresh.died",
    "refresh.release",
];

/// Acts that happen at the same time, and the time until the next scene.
type Scene = (Vec<Act>, Duration);

fn scenes() -> impl Strategy<Value = Vec<Scene>> {
    let process = || 0..2_u32;
    let faults = [
        Fault::Unavailable,
        Fault::LosesRequests,
        Fault::LosesResponses,
        Fault::Late,
        Fault::TwiceFirst,
        Fault::TwiceSecond,
        Fault::RespondsIntoOutage(10),
        Fault::RespondsIntoOutage(100),
        Fault::RespondsIntoOutage(180),
    ];
    // Most processes freeze for one scene.
    let freezes = || prop_oneof![3 => Just(1_u8), 1 => 2..4_u8];
    let outage = prop::sample::select(vec![Outage::Writes, Outage::ReadsAndWrites]);
    let times = [300, 10_000, 50_000, 100_000].map(Duration::from_millis);
    let act = prop_oneof![
        24 => process().prop_map(Act::Call),
        8 => process().prop_map(Act::Refresh),
        1 => process().prop_map(Act::Suspend),
        3 => process().prop_map(Act::Resume),
        2 => (process(), any::<bool>()).prop_map(|(process, revoke)| Act::Disconnect(process, revoke)),
        6 => (process(), prop::bool::weighted(0.6)).prop_map(|(process, verify)| Act::Authorize(process, verify)),
        5 => process().prop_map(Act::Verify),
        1 => process().prop_map(Act::ChangeClient),
        4 => (prop::sample::select(faults.to_vec()), 1..4_usize).prop_map(|(fault, times)| Act::Fault(fault, times)),
        1 => (outage, prop::sample::select(times.to_vec())).prop_map(|(outage, time)| Act::Outage(outage, time)),
        2 => (1..4_usize, any::<bool>()).prop_map(|(commits, applied)| Act::Doubt(commits, applied)),
        1 => Just(Act::RevokeAtProduct),
        2 => process().prop_map(Act::Kill),
        1 => any::<bool>().prop_map(Act::Restart),
        2 => (process(), freezes()).prop_map(|(process, scenes)| Act::Freeze(process, scenes)),
        1 => (prop::sample::select(COMMITS.to_vec()), process(), freezes())
            .prop_map(|(commit, process, scenes)| Act::FreezeAfter(commit, process, scenes)),
        1 => any::<bool>().prop_map(Act::StickSpool),
    ];
    // Short pauses interrupt running work. Long ones reach the edges of a lease, and the last minutes and the expiry of
    // the access token.
    let lease = LEASE.as_millis() as u64;
    let waits = [
        50,
        200,
        400,
        2_000,
        30_000,
        lease - 1_000,
        lease,
        lease + 1_000,
        lease + 31_000,
        350_000,
        350_000,
        545_000,
        545_000,
        560_000,
        700_000,
    ];
    let wait = prop::sample::select(waits.map(Duration::from_millis).to_vec());
    prop::collection::vec((prop::collection::vec(act, 1..6), wait), 1..25)
}

/// A clock that is wrong by up to 5 minutes, and drifts by as much during a history.
fn clock() -> impl Strategy<Value = Clock> {
    let drift = prop_oneof![3 => Just(0), 1 => -20_000..20_000];
    (-300..=300_i64, drift).prop_map(|(ahead, drift)| Clock {
        ahead: SignedDuration::from_secs(ahead),
        drift,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A second panic must not hide a failed assertion.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ready<T>(future: impl Future<Output = Result<T>>) -> T {
    future
        .now_or_never()
        .expect("the rows are at hand")
        .unwrap()
}

/// Statistics of the histories that were run.
#[derive(Debug, Default)]
pub struct Reached {
    /// Histories.
    pub histories: u32,
    /// Steps of tasks.
    steps: u64,
    /// Commits that were checked.
    commits: u32,
    /// State changes that others can see, each with its event.
    transitions: u32,
    /// Distinct states of the account.
    pub situations: usize,
    /// Refresh tokens that were sent.
    pub refreshes: u32,
    /// Refresh tokens that were rejected.
    refusals: u32,
    /// Responses with a token that were lost, or whose process crashed.
    lost: u32,
    /// Used tokens that were sent again.
    second_presentations: u32,
    /// Histories in which the account was disconnected.
    disconnects: u32,
    seen: std::collections::BTreeSet<String>,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} histories, {} steps, {} commits, {} transitions each with its event, {} situations, {} refreshes, {} refusals, {} lost responses, {} second presentations, {} with a disconnect",
            self.histories,
            self.steps,
            self.commits,
            self.transitions,
            self.situations,
            self.refreshes,
            self.refusals,
            self.lost,
            self.second_presentations,
            self.disconnects
        )
    }
}

impl Reached {
    fn add(&mut self, history: &History) {
        let (server, mut seen) = (history.server.state(), lock(&history.seen));
        self.histories += 1;
        self.steps += history.world.steps();
        self.commits += seen.commits;
        self.transitions += seen.transitions;
        self.seen.append(&mut seen.situations);
        self.situations = self.seen.len();
        self.refreshes += server.ledger.refreshes;
        self.refusals += server.ledger.refusals;
        self.lost += server.ledger.lost;
        self.second_presentations += server.ledger.second_presentations;
        self.disconnects += u32::from(!seen.ended.is_empty());
    }
}

/// Number of cases that tests run: `PROPTEST_CASES`, or 256 by default.
pub fn cases() -> u32 {
    Config::default().cases
}

/// Runs this number of histories. `stores` creates their stores from the simulated clock. Every run has the same
/// histories.
///
/// # Panics
/// If a history violates an invariant.
pub fn play(class: Class, histories: u32, stores: impl Fn(Arc<dyn Runtime>) -> Open) -> Reached {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config {
        failure_persistence: None,
        cases: histories,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let reached = std::cell::RefCell::new(Reached::default());
    let drawn = (scenes(), any::<u64>(), [clock(), clock()]);
    let result = runner.run(&drawn, |(scenes, seed, clocks)| {
        let mut history = History::new(class, seed, clocks, &stores);
        scenes.iter().for_each(|scene| history.play(scene));
        history.end();
        reached.borrow_mut().add(&history);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    reached.into_inner()
}
