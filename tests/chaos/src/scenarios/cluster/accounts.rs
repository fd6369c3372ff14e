//! A million accounts on one PostgreSQL, next to ten: how a service starts, what it holds in memory, and what a call costs.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
    process::Stdio,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::{
    Options,
    books::Behaviour,
    check::seconds,
    connections::{User, connection},
    load::{self, Load},
    report::Report,
    stage::Stage,
    time::now,
};

/// Accounts that are called at both, and all that the other one has.
const FEW: usize = 10;
const MANY: usize = 1_000_000;
const SMOKE: usize = 500;
/// Accounts that are imported, and can be called. The others are copies of the rows of one of them.
const IMPORTED: usize = 10_000;
/// Copies of an account's rows: the account itself, its credential and its event.
const COPIES: [&str; 3] = [
    "account SELECT n.id, connection_id, n.name, state, version, replace(replace(body, one.id, n.id), one.identifier, n.name)
     FROM n, one",
    "credential SELECT n.id, generation, live, created_at, rows.version, replace(rows.body, one.id, n.id)
     FROM n, one JOIN credential rows ON rows.account_id = one.id",
    "event (id, lasts, at, account_id, version, body)
     SELECT left(rows.id, -8) || right(n.id, 8), lasts, at, n.id, rows.version,
         replace(replace(rows.body, one.id, n.id), rows.id, left(rows.id, -8) || right(n.id, 8))
     FROM n, one JOIN event rows ON rows.account_id = one.id",
];
const CALLERS: usize = 16;
/// Rounds, in which one is measured after the other.
const ROUNDS: usize = 5;
/// Calls of which none refreshes.
const NO_REFRESH: usize = usize::MAX;
/// No token ends during a run.
const LIFETIME: Duration = Duration::from_secs(86_400);

/// # Errors
/// Where a stage cannot be set.
pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    let count = match options.smoke {
        true => SMOKE,
        false => options.accounts.unwrap_or(MANY),
    };
    let (Some(mut few), Some(mut many)) = (stage(options).await?, stage(options).await?) else {
        report.left_out = Some(String::from("PostgreSQL is not installed"));
        return Ok(());
    };
    let empty = size(&many)?;
    // A service that follows the feed meanwhile is not what is measured.
    many.service.kill().await?;
    let imported = (count - FEW).min(IMPORTED);
    let began = now();
    import(&many, imported).await?;
    let took = began.elapsed();
    report.fact(
        "import",
        format!(
            "{imported} accounts in {}, {:.0} a second",
            seconds(took),
            imported as f64 / took.as_secs_f64()
        ),
    );
    copy(&many, FEW + imported, count)?;
    few.service.kill().await?;
    few.restart().await?;
    many.restart().await?;
    for (stage, accounts) in [(&few, FEW), (&many, count)] {
        report.fact(
            format!("{accounts} accounts: ready after, memory"),
            format!(
                "{} ms, {}",
                stage.service.started_in.as_millis(),
                memory(stage)
            ),
        );
    }
    measure(&few, &mut many, count, report).await?;
    let size = size(&many)?;
    report.fact(
        format!("size of the database with {count} accounts, of which each"),
        format!(
            "{:.0} MiB, {:.0} bytes",
            size / 1024.0 / 1024.0,
            (size - empty) / count as f64
        ),
    );
    Ok(())
}

/// One service with the accounts that are called.
async fn stage(options: &Options) -> Result<Option<Stage>> {
    let binary: &Path = &options.binary;
    let Some(mut stage) = Stage::cluster(&[(binary, 0)], "").await? else {
        return Ok(None);
    };
    stage.books.behave(Behaviour {
        lifetime: LIFETIME,
        ..Behaviour::default()
    });
    stage.populate(&["stable"], FEW).await?;
    Ok(Some(stage))
}

/// Calls of the same accounts at both in turns, and then of all.
async fn measure(few: &Stage, many: &mut Stage, count: usize, report: &mut Report) -> Result<()> {
    let seconds = if few.users.len() < count && count > SMOKE {
        5
    } else {
        1
    };
    let mut costs = [Vec::new(), Vec::new()];
    // What each remembers, it knows after the first round.
    for round in 0..=ROUNDS {
        for (stage, costs) in [few, &*many].into_iter().zip(&mut costs) {
            let cost = cost(stage, seconds).await?;
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    let [of_few, of_many] = costs.map(median);
    report.fact(
        format!("CPU us per call, {FEW} of {FEW} accounts, {FEW} of {count}; ratio"),
        format!("{of_few:.0}, {of_many:.0}; {:.2}", of_many / of_few),
    );
    report.fact(format!("memory, {FEW} accounts called"), memory(many));
    let last = many.users.last().context("no users")?.clone();
    let callable = (FEW + IMPORTED).min(count);
    many.users.extend((FEW..callable).map(|number| User {
        identifier: name(number),
        ..last.clone()
    }));
    let first = cost(many, seconds).await?;
    report.fact(
        format!(
            "CPU us per call, any of {callable} of {count} accounts, each read at its first call"
        ),
        format!("{first:.0}"),
    );
    report.fact(format!("memory, {callable} accounts called"), memory(many));
    Ok(())
}

/// Microseconds of the service's processor time for a call.
async fn cost(stage: &Stage, seconds: u64) -> Result<f64> {
    let before = stage.service.ticks();
    let load = Load::start(stage, CALLERS, NO_REFRESH, 1);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let said = load.stop().await;
    let ticks = stage.service.ticks() - before;
    ensure!(
        said.keys().all(|said| said == "200"),
        "not every call succeeds: {}",
        load::counts(&said)
    );
    let calls: usize = said.values().sum();
    Ok(ticks as f64 * 10_000.0 / calls as f64)
}

/// Accounts of other users, with the access token of one who has authorized.
async fn import(stage: &Stage, count: usize) -> Result<()> {
    let connection = connection("stable");
    let grant = stage.users.last().context("no users")?.grant;
    let scope = stage.books.state().grants[grant].scope.clone();
    let scopes: Vec<&str> = scope.split(' ').collect();
    let path = stage.service.setup.folder.join("accounts.jsonl");
    let mut file = BufWriter::new(File::create(&path)?);
    for number in FEW..FEW + count {
        let line = json!({
            "connection_name": connection.name,
            "identifier": name(number),
            "access_token": format!("access-{grant}-1"),
            "scopes": scopes,
        });
        writeln!(file, "{line}")?;
    }
    file.flush()?;
    let mut command = stage
        .service
        .setup
        .command(&["--json", "accounts", "import"]);
    let output = command.arg(&path).stdin(Stdio::null()).output().await?;
    ensure!(
        output.status.success(),
        "not imported: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Adds the rows of further accounts, which no one calls.
fn copy(stage: &Stage, first: usize, count: usize) -> Result<()> {
    let copied = name(FEW);
    for rows in COPIES {
        stage.database.rows(&format!(
            "WITH one AS (SELECT * FROM account WHERE identifier = '{copied}'),
             n AS (SELECT left(one.id, -8) || lpad(to_hex(number), 8, '0') AS id, 'user-' || number || '@example.com' AS name
                   FROM one, generate_series({first}, {count} - 1) AS number)
             INSERT INTO {rows}"
        ))?;
    }
    stage.database.rows("VACUUM ANALYZE")?;
    Ok(())
}

fn name(number: usize) -> String {
    format!("user-{number}@example.com")
}

/// Bytes of the database.
fn size(stage: &Stage) -> Result<f64> {
    let rows = stage
        .database
        .rows("SELECT pg_database_size(current_database())::text")?;
    let size = rows.first().context("the database says no size")?;
    Ok(size.parse()?)
}

fn memory(stage: &Stage) -> String {
    let memory = stage.service.resident_mib();
    memory.map_or("unknown".into(), |mib| format!("{mib:.0} MiB"))
}

fn median(mut costs: Vec<f64>) -> f64 {
    costs.sort_by(f64::total_cmp);
    costs.get(costs.len() / 2).copied().unwrap_or_default()
}
