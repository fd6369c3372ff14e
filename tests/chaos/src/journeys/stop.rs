//! Stops the process by signals, freezes it, and sets its clock back.

use std::time::Duration;

use anyhow::Result;
use futures_util::future::{join, join_all};
use http::Method;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::{
    Options,
    books::Class,
    check::{self, Allowed},
    connections::{NAMES, connection},
    http_client::HttpClient,
    report::Report,
    service::Service,
    stage::{Stage, free_port, with},
    time::{now, seconds, until},
};

/// Calls in flight when a signal arrives. Every other one writes.
const CALLS: usize = 50;
/// The longest wait for the exit after a second signal.
const CUT: Duration = Duration::from_secs(8);
/// The longest wait for the exit after one signal.
const DRAINED: Duration = Duration::from_secs(60);

/// Sends signals while calls are in flight. Each call takes `takes` seconds. The service must finish the calls, or
/// cancel and record them.
pub(crate) async fn signalled(
    stage: &mut Stage,
    signals: &[&str],
    takes: u64,
    report: &mut Report,
) -> Result<()> {
    stage.populate(&["stable"], 10).await?;
    stage.allow_raw_writes().await?;
    for user in &stage.users {
        stage.read(user).await?;
    }
    let recorded = until("the records are written", DRAINED, async || {
        let count = records(stage).ok()?;
        (count >= stage.users.len()).then_some(count)
    });
    let (recorded, _) = recorded.await?;
    let before = stage.books.state().arrived;
    let calls = Duration::from_secs(takes);
    let begun: Vec<JoinHandle<String>> = (0..CALLS)
        .map(|number| begin(stage, number, calls))
        .collect();
    until("the calls arrive", Duration::from_secs(20), async || {
        (stage.books.state().arrived >= before + CALLS as u64).then_some(())
    })
    .await?;
    let began = now();
    for (number, signal) in signals.iter().enumerate() {
        if number > 0 {
            // The kernel merges two identical signals that are pending.
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        stage.service.signal(signal)?;
    }
    let mut said: Vec<String> = join_all(begun)
        .await
        .into_iter()
        .map(|call| call.unwrap_or_default())
        .collect();
    let limit = if signals.len() > 1 { CUT } else { DRAINED };
    // SIGHUP only reloads, so the service must keep running.
    let goes_on = signals == ["HUP"] && stage.service.readiness(&stage.http).await == Some(200);
    if goes_on {
        report.fact("it goes on", "yes");
        stage.service.signal("TERM")?;
    }
    let ended = stage.service.ended(limit).await;
    if let Some(status) = report.expect("its end", ended) {
        report.fact("it ended with", status);
        report.fact("ended after", seconds(began.elapsed()));
        report.holds(
            began.elapsed() <= limit + Duration::from_secs(2) || goes_on,
            format!("it goes on for {}", seconds(began.elapsed())),
        );
        report.holds(
            status.success() || signals.len() > 1,
            format!("it ended with {status}"),
        );
    } else {
        stage.service.kill().await?;
    }
    let finished = said.iter().filter(|said| *said == "200").count();
    let writes = stage.books.state().writes.len();
    stage.restart().await?;
    let kept = records(stage)? - recorded;
    said.sort_unstable();
    said.dedup();
    report.fact(
        "calls, finished, writes done, records",
        format!("{CALLS}, {finished}, {writes}, {kept}"),
    );
    report.fact("the callers read", said.join(", "));
    report.holds(
        finished == CALLS || signals.len() > 1,
        format!("{} of {CALLS} calls were cut", CALLS - finished),
    );
    let expected = finished.max(writes);
    report.holds(
        kept >= expected,
        format!("{} calls have no record", expected.saturating_sub(kept)),
    );
    check::accounts(stage, Allowed::Nothing, report).await
}

/// Starts a call that takes this long. Returns what its caller reads.
fn begin(stage: &Stage, number: usize, takes: Duration) -> JoinHandle<String> {
    let user = &stage.users[number % stage.users.len()];
    let wait = takes.as_millis();
    let (method, path) = if number.is_multiple_of(2) {
        (Method::GET, user.path(&format!("slow/{wait}/thing")))
    } else {
        let rest = format!("write/w{number}/slow/{wait}/thing");
        (Method::POST, user.path(&rest))
    };
    let url = format!("{}{path}", stage.service.setup.url());
    let (http, bearer) = (HttpClient::new(), stage.bearer.clone());
    tokio::spawn(async move {
        match http.send(method, &url, with(&bearer)).await {
            Ok(reply) => reply.says(),
            Err(_) => String::from("no response"),
        }
    })
}

/// The number of recorded calls.
fn records(stage: &Stage) -> Result<usize> {
    let mut calls = 0;
    for body in stage.database.rows("SELECT body FROM call_total")? {
        // A row has the connection, the tool, the outcome, and the number of calls for each duration.
        let totals: Value = serde_json::from_str(&body)?;
        let rows = totals["counts"].as_array().into_iter().flatten();
        let counts = rows.filter_map(|row| row[3].as_array()).flatten();
        calls += counts.filter_map(Value::as_u64).sum::<u64>();
    }
    Ok(usize::try_from(calls)?)
}

/// Freezes a process that holds new tokens until its lease expires. Another process recovers the accounts, and then the
/// first one continues.
pub(crate) async fn sigstop(
    stage: &mut Stage,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    stage.populate(&NAMES, 2).await?;
    let mut other = stage.service.setup.clone();
    other.port = free_port()?;
    other.instance = "-other";
    // A lease expires by the wall clock. The short form sets the other process's clock ahead instead of waiting.
    other.arm(if options.smoke { &["clock=200"] } else { &[] })?;
    let other = Service::start(other, &stage.http).await?;
    stage.service.setup.arm(&["refresh.keep:before=pause"])?;
    let asked = |service: &Service| {
        let url = service.setup.url();
        join_all(stage.users.iter().map(|user| {
            let url = format!("{url}{}/refresh", user.account());
            let (http, bearer) = (stage.http.clone(), &stage.bearer);
            async move {
                match http.send(Method::POST, &url, with(bearer)).await {
                    Ok(reply) => reply.says(),
                    Err(_) => String::from("no response"),
                }
            }
        }))
    };
    let frozen = async {
        // Wait until the process has read its new tokens and is about to store them.
        let count = stage.users.len();
        let what = "the responses are read";
        until(what, Duration::from_secs(20), async || {
            let reached = stage.service.setup.reached();
            (reached.lines().count() >= count).then_some(())
        })
        .await?;
        stage.service.signal("STOP")?;
        tokio::time::sleep(Duration::from_secs(if options.smoke { 2 } else { 125 })).await;
        let said = asked(&other).await;
        stage.service.setup.disarm()?;
        stage.service.signal("CONT")?;
        anyhow::Ok(said)
    };
    let (_, said) = join(asked(&stage.service), frozen).await;
    let mut said = said?;
    said.sort_unstable();
    said.dedup();
    report.fact("the other process says", said.join(", "));
    other.setup.disarm()?;
    drop(other);
    for user in &stage.users {
        let decided = check::decided(stage, user, Duration::from_secs(100)).await;
        report.expect("after the thaw", decided);
        let state = check::reason(stage, user).await;
        let dead = stage.books.state().grants[user.grant].dead;
        let Class::Strict = user.connection.class else {
            report.holds(
                state == "active",
                format!(
                    "{} is {state}; ended at the product: {dead}",
                    user.account()
                ),
            );
            continue;
        };
        report.fact(
            format!("{}, ended at the product", user.account()),
            format!("{dead}, {state}"),
        );
    }
    Ok(())
}

/// Sets the clock back by an hour: after a crash with a lease, and while the service runs.
pub(crate) async fn clock_back(stage: &mut Stage, report: &mut Report) -> Result<()> {
    const LIMIT: Duration = Duration::from_secs(15);
    stage.populate(&["stable", "strict"], 1).await?;
    let user = stage.connect(connection("stable"), "in-the-middle").await?;
    stage.service.setup.arm(&["token.send:before=abort"])?;
    let path = format!("{}/refresh", user.account());
    let _ = stage.call(Method::POST, &path, None).await;
    stage.service.ended(LIMIT).await?;
    stage.kills.push((0, now()));
    stage.service.setup.arm(&["clock=-3600"])?;
    stage.restart().await?;
    let refreshed = until("a refresh after the crash", LIMIT, async || {
        let call = stage.call(Method::POST, &path, None);
        let reply = tokio::time::timeout(LIMIT, call).await.ok()?.ok()?;
        (reply.status == 200).then_some(())
    });
    if let Some((_, took)) = report.expect("the lease of the future", refreshed.await) {
        report.fact("refreshed after", seconds(took));
    }
    stage.users.push(user);
    for clock in ["clock=0", "clock=-3600", "clock=0"] {
        stage.service.setup.arm(&[clock])?;
        for user in &stage.users {
            let reply = stage.read(user).await?;
            report.holds(
                reply.status == 200,
                format!("{clock}: a call: {}", reply.says()),
            );
        }
    }
    check::accounts(stage, Allowed::Nothing, report).await
}
