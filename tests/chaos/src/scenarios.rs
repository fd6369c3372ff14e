//! The scenarios. Each row has a ground and its journeys.

use futures_util::future::LocalBoxFuture;

use crate::{
    Options,
    connections::NAMES,
    fault::Fault::*,
    journeys::{
        change, deny, disk, hold, idempotency, kill_points, load, restart_killed, stop, storm,
        unknown, upgrade,
    },
    report::Report,
    stage::{
        Ground::{Crowd, Descriptors, Disk, File, OldAndNew, Services, SmallDisk},
        Stage,
    },
};

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) in_smoke: bool,
    pub(crate) run: Run,
}

type Run = for<'a> fn(&'a Options, &'a mut Report) -> LocalBoxFuture<'a, anyhow::Result<()>>;

/// How wrong the clocks of five services are, in seconds.
const FIVE: &[i64] = &[0, 30, -30, 17, -11];

macro_rules! scenarios {
    (($stage:ident, $options:ident, $report:ident)
     $($name:literal $in_smoke:literal on $ground:expr => [$($journey:expr),*]: $what:literal;)*) => {
        /// All scenarios, in the order in which they run.
        pub(crate) const SCENARIOS: [Scenario; [$($name),*].len()] = [$(Scenario {
            name: $name,
            what: $what,
            in_smoke: $in_smoke,
            run: |$options, $report| Box::pin(async move {
                let Some(mut stage) = Stage::on($ground, $options, $report).await? else {
                    return Ok(());
                };
                let $stage = &mut stage;
                $($journey.await?;)*
                Ok(())
            }),
        }),*];
    };
}

scenarios! {
    (stage, options, report)
    "kill-points" true on File => [kill_points::run(stage, options, report)]:
        "killed before and after every write and token request";
    "connection-change" true on File => [change::run(stage, options, report)]:
        "killed at every write of a connection's change to another host and to another client";
    "kill-random" true on File => [load::kills(stage, options, report)]:
        "killed at random times under load";
    "idempotency" true on File => [idempotency::run(stage, options, report)]:
        "killed around keyed writes, which callers then send again";
    "commit-unknown" true on File => [unknown::run(stage, report)]:
        "every change is committed, but reported as failed";
    "disk-full" true on Disk => [
        hold::hold(stage, DiskFull, options, report),
        restart_killed(stage, report),
        disk::stop_while_full(stage, false, report)
    ]: "the disk fills while a token response is in flight; then the service stops on the full disk";
    "disk-full-stop" true on SmallDisk => [
        stage.populate(&["strict"], 60),
        disk::stop_while_full(stage, true, report)
    ]: "stopped on a full disk with more new tokens than the spool has room for";
    "damaged-page" true on File => [stage.populate(&NAMES, 1), disk::damaged_page(stage, report)]:
        "a page of the database is damaged that is only read";
    "write-lock" true on File => [hold::hold(stage, WriteLock, options, report)]:
        "another program holds the write lock while token responses arrive";
    "store-away" true on File => [
        hold::hold(stage, StoreAway, options, report),
        hold::killed(stage, StoreAway, report)
    ]: "the store can't be reached while token responses arrive; then the service is also killed";
    "read-only" true on SmallDisk => [stage.populate(&NAMES, 1), disk::read_only(stage, report)]:
        "a start on a read-only disk";
    "file-gone" true on File => [hold::hold(stage, FileGone, options, report)]:
        "the database file is moved away while the service runs";
    "sigstop" true on File => [stop::sigstop(stage, options, report)]:
        "a process with new tokens is frozen past its lease";
    "clock-back" true on File => [stop::clock_back(stage, report)]:
        "the clock goes back by an hour";
    "descriptors" true on Descriptors("-n 128") => [hold::hold(stage, NoDescriptors, options, report)]:
        "idle sockets take every file descriptor";
    "sighup" true on File => [stop::signalled(stage, &["HUP"], 3, report)]:
        "SIGHUP with 50 calls in flight";
    "sigterm" true on File => [
        // Longer than the 25 s that a stop grants to strangers.
        stop::signalled(stage, &["TERM"], if options.smoke { 3 } else { 28 }, report)
    ]: "SIGTERM with 50 calls in flight";
    "sigterm-twice" true on File => [stop::signalled(stage, &["TERM", "TERM"], 20, report)]:
        "SIGTERM twice with 50 calls in flight";
    "restarts" true on Services(&[0, 0, 0]) => [load::restarts(stage, options, report)]:
        "PostgreSQL restarts while three services refresh every account";
    "storm" false on Crowd(FIVE) => [storm::run(stage, report)]:
        "1,000 callers of one expired account at five services on one PostgreSQL";
    "deny" false on Services(FIVE) => [deny::run(stage, options, report)]:
        "one of five services on one PostgreSQL denies access, and all must enforce it";
    "kills" false on Services(FIVE) => [load::kills(stage, options, report)]:
        "five services and their PostgreSQL, killed at random times under load";
    "upgrade" false on OldAndNew => [upgrade::run(stage, options, report)]:
        "an older version and this one side by side on one PostgreSQL, under load";
    "outage" false on Services(&[0]) => [
        hold::hold(stage, PostgresStopped, options, report),
        hold::hold(stage, PostgresKilled, options, report),
        hold::hold(stage, PostgresFrozen, options, report)
    ]: "PostgreSQL is stopped, killed and frozen under load";
    "bounds" false on Descriptors("-S -n 1024") => [
        // The usual limit of a login shell.
        hold::hold(stage, IdleSockets, options, report),
        hold::hold(stage, SlowBodies, options, report),
        hold::hold(stage, SlowReaders, options, report),
        hold::hold(stage, StalledProduct, options, report)
    ]: "callers who hold unused connections, and a product that never responds";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_name_scenarios_that_exist() {
        let promises = include_str!("../../../docs/trust/promises.md");
        let mut named = 0;
        for (at, before) in promises.match_indices("chaos `") {
            let rest = &promises[at + before.len()..];
            // A list ends at the first name without a comma after it.
            for name in rest.split("`, `") {
                let (name, is_last) = name
                    .split_once('`')
                    .map_or((name, false), |(name, _)| (name, true));
                assert!(SCENARIOS.iter().any(|one| one.name == name), "{name}");
                named += 1;
                if is_last {
                    break;
                }
            }
        }
        assert!(named > 15, "{named}");
    }
}
