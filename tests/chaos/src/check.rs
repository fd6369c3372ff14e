//! The checks at the end of a run. Every account works or asks for its user, and the service kept every token
//! that it read.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crate::{
    books::Class,
    connections::User,
    events::stored,
    report::Report,
    stage::Stage,
    time::{now, seconds},
};
use anyhow::{Context as _, Result, anyhow, bail};
use futures_util::{StreamExt as _, stream};
use http::Method;

/// The longest wait for an account. It covers the lease of a dead process and a pending token request.
const DECIDED: Duration = Duration::from_secs(150);
/// The service must have stored the tokens of a response that is older than this.
const KEPT: Duration = Duration::from_millis(500);

/// How an account ended up.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Serves,
    /// The user has to authorize again; holds the reason.
    NeedsUser(String),
    /// Neither, for too long; holds the last response.
    Stuck(String),
}

/// Which accounts of the rotating classes may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// None.
    Nothing,
    /// Accounts whose last response wasn't stored when the process was killed.
    Unread,
}

/// Calls each account until it works or asks for its user, and reports the lost ones.
pub(crate) async fn accounts(stage: &Stage, allowed: Allowed, report: &mut Report) -> Result<()> {
    let began = now();
    let ends: Vec<(&User, End)> = stream::iter(&stage.users)
        .map(|user| async move { (user, outcome(stage, user, DECIDED).await) })
        .buffer_unordered(16)
        .collect()
        .await;
    report.fact("all accounts decided after", seconds(began.elapsed()));
    for class in Class::ALL {
        let of_class: Vec<_> = ends
            .iter()
            .filter(|(user, _)| user.connection.class == class)
            .collect();
        if of_class.is_empty() {
            continue;
        }
        let (mut lost, mut unread) = (0, 0);
        for (user, end) in &of_class {
            match end {
                End::Serves => {}
                End::Stuck(said) => {
                    let row = row(stage, user).unwrap_or_else(|error| format!("{error:#}"));
                    report.violation(format!("{} is stuck: {said}; {row}", user.account()));
                }
                End::NeedsUser(reason) => {
                    lost += 1;
                    let excused = class != Class::Stable
                        && allowed == Allowed::Unread
                        && was_unread(stage, user);
                    if excused {
                        unread += 1;
                    } else {
                        report.violation(format!(
                            "{} ({}) is lost: {reason}",
                            user.account(),
                            class.name()
                        ));
                    }
                }
            }
        }
        report.fact(
            format!("{}: accounts, lost, of these unread", class.name()),
            format!("{}, {lost}, {unread}", of_class.len()),
        );
    }
    books(stage, report);
    events(stage, report).await
}

/// Reports what the product saw.
fn books(stage: &Stage, report: &mut Report) {
    let state = stage.books.state();
    let refreshes: usize = state.grants.iter().map(|grant| grant.refreshes.len()).sum();
    let reuse: u32 = state.grants.iter().map(|grant| grant.reuse).sum();
    let dead = state.grants.iter().filter(|grant| grant.dead).count();
    report.fact(
        "refreshes, reuse, families ended",
        format!("{refreshes}, {reuse}, {dead}"),
    );
    for stray in state.strays.iter().take(3) {
        report.violation(format!(
            "a {} of {} was presented by {}",
            stray.what, stray.belongs, stray.presented
        ));
    }
    report.fact("credentials at a wrong host", state.strays.len());
}

/// Returns how long an account takes to work or to ask for its user.
pub(crate) async fn decided(stage: &Stage, user: &User, limit: Duration) -> Result<Duration> {
    let began = now();
    match outcome(stage, user, limit).await {
        End::Stuck(said) => bail!(
            "{} is not decided after {}: {said}",
            user.account(),
            seconds(limit)
        ),
        _ => Ok(began.elapsed()),
    }
}

/// Whether an account works. If it doesn't, its user has to authorize again.
pub(crate) async fn serves(stage: &Stage, user: &User) -> bool {
    outcome(stage, user, DECIDED).await == End::Serves
}

/// Calls an account until it works or asks for its user.
async fn outcome(stage: &Stage, user: &User, limit: Duration) -> End {
    let began = now();
    let mut said;
    loop {
        // A call can wait for a lease; give up after `limit`.
        let call = tokio::time::timeout(limit, stage.read(user)).await;
        match call.unwrap_or_else(|_| Err(anyhow!("no response yet"))) {
            Ok(reply) if reply.status == 200 => return End::Serves,
            Ok(reply) if reply.kind() == "authorization_required" => {
                return End::NeedsUser(reason(stage, user).await);
            }
            Ok(reply) => said = reply.says(),
            Err(error) => said = format!("{error:#}"),
        }
        if began.elapsed() >= limit {
            return End::Stuck(said);
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

/// The state and reason of an account, as the API shows them.
pub(crate) async fn reason(stage: &Stage, user: &User) -> String {
    let Ok(reply) = stage.call(Method::GET, &user.account(), None).await else {
        return String::from("it cannot be read");
    };
    let account = reply.json();
    let text = |name: &str| account[name].as_str().unwrap_or_default().to_owned();
    format!("{} {}", text("state"), text("reason"))
        .trim()
        .to_owned()
}

/// Whether a service was killed before it stored the latest response for this user.
fn was_unread(stage: &Stage, user: &User) -> bool {
    let state = stage.books.state();
    let Some(grant) = state.grants.get(user.grant) else {
        return false;
    };
    // In the rotating classes, only the newest tokens are valid.
    let Some(last) = grant.refreshes.last() else {
        return false;
    };
    let is_read = |by: Instant| last.responded.is_some_and(|at| at + KEPT < by);
    let mut kills = stage.kills.iter();
    kills.any(|(service, killed)| {
        *service == last.service && last.arrived <= *killed && !is_read(*killed)
    })
}

/// The stored account. It holds no secret.
fn row(stage: &Stage, user: &User) -> Result<String> {
    let rows = stage.database.rows(&format!(
        "SELECT account.body FROM account JOIN connection ON connection.id = account.connection_id
         WHERE account.identifier = '{}' AND connection.name = '{}'",
        user.identifier, user.connection.name
    ))?;
    rows.into_iter().next().context("it is not stored")
}

/// Checks the events: no account has the same event twice in a row, and its last event matches its state.
async fn events(stage: &Stage, report: &mut Report) -> Result<()> {
    const STATES: [(&str, &str); 8] = [
        ("account.created", "pending_authorization"),
        ("account.activated", "active"),
        ("account.recovered", "active"),
        ("account.reauthorized", "active"),
        ("account.needs_reauthorization", "needs_reauthorization"),
        ("account.suspended", "suspended"),
        ("account.resumed", "active"),
        ("account.disconnected", "disconnected"),
    ];
    let mut events: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in stored(stage)? {
        let names = events.entry(event.account.unwrap_or_default());
        names.or_default().push(event.name);
    }
    let mut counted = 0;
    for user in &stage.users {
        let reply = stage.call(Method::GET, &user.account(), None).await?;
        let account = reply.json();
        let id = account["id"].as_str().unwrap_or_default();
        let Some(names) = events.get(id) else {
            report.violation(format!("{} has no event", user.account()));
            continue;
        };
        counted += names.len();
        let states: Vec<&(&str, &str)> = names
            .iter()
            .filter_map(|name| STATES.iter().find(|(event, _)| event == name))
            .collect();
        for pair in states.windows(2) {
            if pair[0].0 == pair[1].0 {
                report.violation(format!("{} has {} twice", user.account(), pair[0].0));
            }
        }
        let last = states.last().map_or("", |(_, state)| *state);
        let state = account["state"].as_str().unwrap_or_default();
        let pending = state == "pending_verification" || last.is_empty();
        if last != state && !pending {
            report.violation(format!(
                "{} is {state}, and its last event says {last}",
                user.account()
            ));
        }
    }
    report.fact("events of accounts", counted);
    Ok(())
}
