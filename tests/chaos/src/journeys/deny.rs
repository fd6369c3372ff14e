//! Measures how long it takes until all services enforce a denial that one of them made.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures_util::future::{join, join_all, try_join_all};
use http::Method;
use serde_json::{Value, json};

use crate::{
    Options,
    connections::connection,
    http_client::{HttpClient, Parts},
    report::Report,
    stage::{Stage, new_credentials, with},
    time::{Chance, now},
};

/// All services must enforce a denial within this time.
const BOUND: Duration = Duration::from_secs(1);
/// Callers use the services for this long before a denial, so that the services cache what they read. A fresh entry
/// stays in the cache the longest. Later rounds add a random time of up to `BEFORE_AT_MOST` milliseconds.
const BEFORE: Duration = Duration::from_millis(500);
const BEFORE_AT_MOST: usize = 5500;
/// Callers stop when every call has been refused for this long. That shows that a refusal lasts.
const STAYS: Duration = Duration::from_millis(1500);
/// The longest wait for a refusal.
const LONGEST: Duration = Duration::from_secs(30);
/// The pause between two calls to a service, and so the precision of the measurement.
const PAUSE: Duration = Duration::from_millis(50);

struct Denial {
    name: &'static str,
    /// The request that denies it.
    method: Method,
    path: String,
    body: Option<Value>,
    /// The call that must be refused, and its token.
    call: String,
    bearer: String,
}

pub(crate) async fn run(stage: &Stage, options: &Options, report: &mut Report) -> Result<()> {
    let mut chance = Chance::new(options.seed);
    let rounds = if options.smoke { 1 } else { 10 };
    report.fact("bound", millis(BOUND));
    let setup = &stage.service.setup;
    let manager = ["--name", "manager", "--scope", "credentials:manage"];
    let manager = stage
        .token(&new_credentials(setup, &manager).await?)
        .await?;
    let mut longest: Vec<(&str, Timing)> = Vec::new();
    for round in 0..rounds {
        let denials = denials(stage, round).await?;
        let longer = match round {
            0 => Duration::ZERO,
            _ => Duration::from_millis(chance.below(BEFORE_AT_MOST) as u64),
        };
        let before = BEFORE + longer;
        let measured = denials
            .iter()
            .map(|denial| one(stage, denial, &manager, before));
        for (denial, measured) in denials.iter().zip(join_all(measured).await) {
            let name = denial.name;
            let Some(timing) = report.expect(name, measured) else {
                continue;
            };
            match longest.iter_mut().find(|(named, _)| *named == name) {
                Some((_, most)) => {
                    most.denied_in = timing.denied_in.max(most.denied_in);
                    most.after = timing.after.max(most.after);
                }
                None => longest.push((name, timing)),
            }
        }
        let enable = Some(json!({ "disabled": false }));
        stage
            .call(Method::PATCH, "/v1/connections/signed-in", enable)
            .await?;
    }
    for (name, timing) in longest {
        report.fact(
            format!("{name}: refused by all after"),
            format!(
                "{} (the longest of {rounds}), behind a response of {}",
                millis(timing.after),
                millis(timing.denied_in)
            ),
        );
        report.holds(
            timing.after <= BOUND,
            format!("{name}: refused by all only after {}", millis(timing.after)),
        );
    }
    Ok(())
}

/// One denial of each kind, with new users and a new application.
async fn denials(stage: &Stage, round: usize) -> Result<Vec<Denial>> {
    let application = new_credentials(&stage.service.setup, &["--name", "revoked"]).await?;
    let client = application["client_id"].as_str().unwrap_or_default();
    let users = ["stable", "rotating", "learned", "signed-in"];
    let identifier = format!("denied-{round}");
    let users = users.map(|name| stage.connect(connection(name), &identifier));
    let users = try_join_all(users).await?;
    let revoked = format!("/v1/app-credentials/{client}");
    let disabled = String::from("/v1/connections/signed-in");
    let account = |user: usize| users[user].account();
    let denials = [
        ("a suspended account", Method::POST, account(0) + "/suspend"),
        ("a disconnected account", Method::DELETE, account(1)),
        ("a revoked application credential", Method::DELETE, revoked),
        ("a disabled connection", Method::PATCH, disabled),
    ];
    let denials = denials.into_iter().zip(&users);
    let denials = denials.map(|((name, method, path), user)| Denial {
        name,
        body: (method == Method::PATCH).then(|| json!({ "disabled": true })),
        method,
        path,
        call: user.path("thing"),
        bearer: stage.bearer.clone(),
    });
    let mut denials: Vec<Denial> = denials.collect();
    denials[2].bearer = stage.token(&application).await?;
    Ok(denials)
}

/// How long a denial took.
struct Timing {
    /// Until the first service responded to the denial.
    denied_in: Duration,
    /// From that response until the start of the last call that a service still allowed.
    after: Duration,
}

/// Sends the denial to the first service while callers use all of them.
async fn one(stage: &Stage, denial: &Denial, manager: &str, before: Duration) -> Result<Timing> {
    let began = now();
    let deny = async {
        tokio::time::sleep(before).await;
        let parts = Parts {
            bearer: Some(match denial.path.starts_with("/v1/app-credentials") {
                true => manager,
                false => &stage.bearer,
            }),
            json: denial.body.clone(),
            ..Parts::default()
        };
        let url = format!("{}{}", stage.service.setup.url(), denial.path);
        let reply = stage.http.send(denial.method.clone(), &url, parts).await?;
        ensure!(
            (200..300).contains(&reply.status),
            "it is not denied: {}",
            reply.says()
        );
        Ok(began.elapsed())
    };
    let calls = stage
        .services()
        .map(|service| calls(service.setup.url(), denial, before));
    let (denied, passed) = join(deny, try_join_all(calls)).await;
    let denied = denied?;
    let last = passed?.into_iter().max().unwrap_or_default();
    Ok(Timing {
        denied_in: denied.saturating_sub(before),
        after: last.saturating_sub(denied),
    })
}

/// Calls a service until it has refused calls for `STAYS`. Returns when the last allowed call began.
async fn calls(url: String, denial: &Denial, before: Duration) -> Result<Duration> {
    let http = HttpClient::new();
    let url = format!("{url}{}", denial.call);
    let began = now();
    let mut passed = Duration::ZERO;
    let mut refused: Option<Duration> = None;
    loop {
        if refused.is_some_and(|since| began.elapsed() > since + STAYS) {
            return Ok(passed);
        }
        ensure!(began.elapsed() < before + LONGEST, "it is never refused");
        let sent = began.elapsed();
        let reply = http.send(Method::GET, &url, with(&denial.bearer)).await?;
        if reply.status == 200 {
            passed = sent;
            refused = None;
        } else {
            // A refusal before the denial, or an error of the service, isn't the refusal that we measure.
            ensure!(
                began.elapsed() + PAUSE > before && reply.status < 500,
                "a call is refused otherwise: {}",
                reply.says()
            );
            refused.get_or_insert(sent);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn millis(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
