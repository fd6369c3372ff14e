//! The scenarios, a function each.

mod bounds;
mod change;
mod cluster;
mod disk;
mod idempotency;
mod kill_points;
mod kill_random;
mod outage;
mod stop;
mod store;
mod unknown;

use futures_util::future::LocalBoxFuture;

use crate::{Options, report::Report};

/// Something that is done to the service.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) in_smoke: bool,
    pub(crate) run: Run,
}

type Run = for<'a> fn(&'a Options, &'a mut Report) -> LocalBoxFuture<'a, anyhow::Result<()>>;

macro_rules! scenarios {
    ($($name:literal $in_smoke:literal $function:path: $what:literal;)*) => {
        /// Every scenario, in the order in which they are run.
        pub(crate) const SCENARIOS: [Scenario; [$($name),*].len()] = [$(Scenario {
            name: $name,
            what: $what,
            in_smoke: $in_smoke,
            run: |options, report| Box::pin($function(options, report)),
        }),*];
    };
}

scenarios! {
    "kill-points" true kill_points::run: "killed before and after every write and token request";
    "connection-change" true change::run: "killed at every write of a connection's change to another host and to another client";
    "kill-random" true kill_random::run: "killed at moments drawn by chance, under load";
    "idempotency" true idempotency::run: "killed around keyed writes, which are then sent again";
    "commit-unknown" true unknown::run: "every change is committed and its commit reported as failed";
    "disk-full" true disk::full: "the disk is full, also while a token response is under way";
    "disk-full-stop" true disk::more_than_room: "stopped on a full disk with more new tokens than the spool has room for";
    "damaged-page" true store::damaged: "a page of the database is damaged that only readers meet";
    "write-lock" true store::write_lock: "another program holds the write lock while token responses arrive";
    "store-away" true store::away: "the store takes and gives nothing while token responses arrive";
    "read-only" true store::read_only: "a start on a read-only disk";
    "file-gone" true store::file_gone: "the database is moved away under the service";
    "sigstop" true stop::sigstop: "a process with new tokens is frozen past its lease";
    "clock-back" true stop::clock_back: "the clock goes back by an hour";
    "descriptors" true stop::descriptors: "idle sockets take every file descriptor";
    "sighup" true stop::sighup: "SIGHUP with 50 calls in flight";
    "sigterm" true stop::sigterm: "SIGTERM with 50 calls in flight";
    "sigterm-twice" true stop::sigterm_twice: "SIGTERM twice with 50 calls in flight";
    "restarts" true cluster::restarts: "PostgreSQL is started again while three services refresh every account";
    "storm" false cluster::storm: "1,000 callers of one expired account at five services on one PostgreSQL";
    "deny" false cluster::deny: "five services on one PostgreSQL, and what one of them denies";
    "kills" false cluster::kills: "five services and their PostgreSQL, killed at moments drawn by chance, under load";
    "upgrade" false cluster::upgrade: "an older version and this one side by side on one PostgreSQL, under load";
    "outage" false outage::run: "PostgreSQL is stopped, killed and frozen under load";
    "bounds" false bounds::run: "callers who hold what they do not use, and a product that stands still";
}
