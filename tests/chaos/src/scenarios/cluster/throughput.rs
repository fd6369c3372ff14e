//! How many calls one, two and four services on one PostgreSQL make, and what the database is asked for them.

use std::{
    path::Path,
    thread::available_parallelism,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    Options,
    load::{self, Load},
    report::Report,
    stage::Stage,
    time::now,
};

/// How many services are called, in the rounds.
const SERVICES: [usize; 3] = [1, 2, 4];
const CALLERS: usize = 16;
const USERS: usize = 20;
/// What the server needs to count statements.
const COUNTS: &str = "shared_preload_libraries = 'pg_stat_statements'\n";
/// What a call may have to read before it is sent; the rest is written behind it, by a service at most five times a second.
const BEFORE_A_CALL: [&str; 7] = [
    "reads of access_token",
    "reads of account",
    "reads of app_credential",
    "reads of connection",
    "reads of credential",
    "reads of data_key",
    "reads of policy",
];
/// Calls of which none refreshes.
const NO_REFRESH: usize = usize::MAX;

/// # Errors
/// Where the stage cannot be set.
pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    let binary: &Path = &options.binary;
    let services = [(binary, 0); 4];
    let Some(mut stage) = Stage::cluster(&services, COUNTS).await? else {
        report.left_out = Some(String::from("PostgreSQL is not installed"));
        return Ok(());
    };
    stage.database.rows("CREATE EXTENSION pg_stat_statements")?;
    stage.populate(&["stable"], USERS).await?;
    let seconds = if options.smoke { 3 } else { 10 };
    let cores = available_parallelism().map_or(1, usize::from);
    report.fact("cores, callers", format!("{cores}, {CALLERS}"));
    report.fact("services that rest", "they are up, and are not called");
    let idle = measure(&stage, 0, seconds).await?;
    report.fact(
        "no call: statements per second",
        statements(&idle, idle.seconds),
    );
    let mut first = None;
    for services in SERVICES {
        // What each remembers, it knows by now.
        measure(&stage, services, 2).await?;
        let round = measure(&stage, services, seconds).await?;
        let per_second = round.calls as f64 / round.seconds;
        let one = *first.get_or_insert(per_second);
        report.fact(
            format!("{services} of 4 services: calls/s, to one of 4"),
            format!("{per_second:.0}, {:.2}", per_second / one),
        );
        let micros = |ticks: u64| ticks as f64 * 10_000.0 / round.calls as f64;
        report.fact(
            format!("{services} of 4 services: CPU us per call, theirs and the database server's"),
            format!(
                "{:.0}, {:.0}",
                micros(round.ticks),
                micros(round.server_ticks)
            ),
        );
        report.fact(
            format!("{services} of 4 services: statements per 1,000 calls"),
            statements(&round, round.calls as f64 / 1000.0),
        );
        let waited = |(what, _): &&(String, u64)| BEFORE_A_CALL.contains(&what.as_str());
        let waited: u64 = round
            .statements
            .iter()
            .filter(waited)
            .map(|one| one.1)
            .sum();
        report.fact(
            format!("{services} of 4 services: of these before a call is sent; per second"),
            format!(
                "{:.1}; {:.1}",
                waited as f64 * 1000.0 / round.calls as f64,
                waited as f64 / round.seconds
            ),
        );
    }
    Ok(())
}

/// What came of a round.
struct Round {
    calls: usize,
    seconds: f64,
    /// Processor time of the services that were called, and of the database server.
    ticks: u64,
    server_ticks: u64,
    /// Statements by what they read or write, the most frequent first.
    statements: Vec<(String, u64)>,
}

/// Calls the first services for so long.
async fn measure(stage: &Stage, services: usize, seconds: u64) -> Result<Round> {
    let ticks = || stage.services().take(services).map(|one| one.ticks()).sum();
    stage.database.rows("SELECT pg_stat_statements_reset()")?;
    let (before, server_before): (u64, _) = (ticks(), stage.database.ticks());
    let began: Instant = now();
    let callers = if services == 0 { 0 } else { CALLERS };
    let load = Load::start_at(stage, services, callers, NO_REFRESH, 1);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let said = load.stop().await;
    let seconds = began.elapsed().as_secs_f64();
    let (after, server_after): (u64, _) = (ticks(), stage.database.ticks());
    ensure!(
        said.keys().all(|said| said == "200"),
        "not every call succeeds: {}",
        load::counts(&said)
    );
    let rows = stage.database.rows(
        "SELECT what || ' ' || SUM(calls) FROM (
             SELECT calls, CASE WHEN query ~ '^SELECT' AND query !~ 'FOR (UPDATE|SHARE)' THEN 'reads of '
                 WHEN query ~ '^SELECT' THEN 'locks of ' ELSE 'writes of ' END
                 || COALESCE(substring(query FROM '(?:FROM|INTO|UPDATE) \"([a-z_]+)\"'), 'other') AS what
             FROM pg_stat_statements
             WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND query ~ '^(SELECT|INSERT|UPDATE|DELETE)' AND query !~ 'pg_stat_statements') AS statement
         GROUP BY what ORDER BY SUM(calls) DESC",
    )?;
    let statements = rows.iter().map(|row| {
        let (what, calls) = row
            .rsplit_once(' ')
            .context("a statement without a count")?;
        Ok((what.to_owned(), calls.parse()?))
    });
    Ok(Round {
        calls: said.values().sum(),
        seconds,
        ticks: after - before,
        server_ticks: server_after.saturating_sub(server_before),
        statements: statements.collect::<Result<_>>()?,
    })
}

/// How many statements there were for each of so many, in all and by what they are.
fn statements(round: &Round, of: f64) -> String {
    let per = |count: u64| format!("{:.1}", count as f64 / of);
    let all: u64 = round.statements.iter().map(|(_, count)| count).sum();
    let each = round.statements.iter().take(8);
    let each: Vec<String> = each
        .map(|(what, count)| format!("{what} {}", per(*count)))
        .collect();
    format!("{} ({})", per(all), each.join(", "))
}
