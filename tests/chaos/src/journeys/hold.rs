//! Starts a fault while the product issues new tokens, holds it for a while and ends it. Callers of every kind send
//! requests all the time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use futures_util::future::try_join_all;
use http::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    Options,
    books::{Behaviour, Class},
    check::{self, Allowed},
    connections::{CONNECTIONS, NAMES, User},
    fault::Fault,
    http_client::{HttpClient, Parts, Reply},
    report::Report,
    service,
    stage::{Stage, with},
    time::{now, seconds, until},
};

/// The connections of known accounts, whose tokens are in memory and stay valid.
const KNOWN: [&str; 2] = ["rotating", "signed-in"];
/// Accounts of each connection whose new tokens are in flight when a fault begins.
const REFRESHED: usize = 2;
/// How many callers use known accounts. As many others send everything else.
const CALLERS: usize = 6;
/// A caller's pause between two requests.
const PAUSE: Duration = Duration::from_millis(20);
/// The service notices a fault within this time.
const NOTICED: Duration = Duration::from_secs(3);
/// After a fault, the service writes to the store and serves a new connection within this time.
const AGAIN: Duration = Duration::from_secs(5);
/// After a fault, everything works as before within this time.
const BACK: Duration = Duration::from_secs(10);
/// The service closes a silent caller's connection within this time.
const CUT: Duration = Duration::from_secs(100);
/// The limit for the 99th percentile of refusals, in milliseconds. On a busy machine, refusals may take as long as
/// calls took before the fault.
const AT_ONCE: f64 = 100.0;
/// After a fault, the 99th percentile may double, or reach this many milliseconds.
const UNNOTICED: f64 = 50.0;
/// While callers hold connections, the 99th percentile of other calls may grow by at most this factor.
const SANE: f64 = 10.0;

pub(crate) async fn hold(
    stage: &mut Stage,
    fault: Fault,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    populate(stage).await?;
    // Timings need a quiet machine, so the short form of all scenarios doesn't measure them.
    let is_measured =
        fault.is_of_postgres() || !(fault.is_of_store() || fault == Fault::NoDescriptors);
    let quiet = Duration::from_secs(match (is_measured, options.smoke) {
        (false, _) => 1,
        (true, true) => 4,
        (true, false) => 15,
    });
    let lasts = fault.lasts(options.smoke);
    let probes = Probes::start(stage, fault).await?;
    tokio::time::sleep(quiet).await;
    let open = stage.service.descriptors().unwrap_or_default();
    let memory = stage.service.resident_mib().unwrap_or_default();

    let refreshes = refreshes(stage, |user| user.identifier.starts_with("refreshed")).await?;
    let began = now();
    let begun = fault.begin(stage).await?;
    if fault.is_of_store() {
        let unready = service::ready(&stage.service, &stage.http, false, lasts.max(AGAIN)).await;
        report.expect(&format!("{fault:?}: readyz"), unready);
    } else if fault != Fault::NoDescriptors {
        let served = new_connection(stage).await;
        report.expect(&format!("{fault:?}: a new connection"), served);
    }
    let noticed = now().max(began + NOTICED);
    tokio::time::sleep(lasts.saturating_sub(began.elapsed())).await;
    while_it_lasts(stage, fault, report).await?;
    report.fact(
        format!("{fault:?}: MiB, descriptors, before and meanwhile"),
        format!(
            "{memory:.0}, {:.0}, {open}, {}",
            stage.service.resident_mib().unwrap_or_default(),
            stage.service.descriptors().unwrap_or_default()
        ),
    );
    if fault.is_silent() && !options.smoke {
        // The kernel may keep a socket that the service never accepted, so count the service's own descriptors.
        let cut = until("all are cut", CUT, async || {
            (stage.service.descriptors()? < open + 50).then_some(())
        });
        report.expect(&format!("{fault:?}"), cut.await);
    }

    let ended = now();
    fault.end(stage, begun).await?;
    let up = now();
    let served = until("a new connection is served", AGAIN, async || {
        new_connection(stage).await.ok()
    });
    report.expect(&format!("{fault:?}: afterwards"), served.await);
    let again = stage.writes_again(Duration::from_secs(60)).await;
    if let Some(took) = report.expect(&format!("{fault:?}: writes"), again) {
        report.fact(format!("{fault:?}: writes again after"), seconds(took));
        report.holds(took <= AGAIN, format!("writes only after {took:?}"));
    }
    let ready = service::ready(&stage.service, &stage.http, true, AGAIN).await;
    report.expect(&format!("{fault:?}: readyz afterwards"), ready);
    for said in refreshes.join_all().await {
        let (is_right, said) = said?;
        report.holds(is_right, format!("{fault:?}: a refresh is told {said}"));
    }
    if is_measured {
        tokio::time::sleep(BACK + quiet).await;
    }
    let samples = probes.stop().await;
    let found = Found {
        fault,
        began,
        noticed,
        ended,
        up,
    };
    found.judge(&samples, report);
    stage.books.behave(Behaviour::default());
    check::accounts(stage, Allowed::Nothing, report).await
}

/// Like `hold`, but kills the service as soon as it could have saved its new tokens outside the store. Starts it again
/// when the fault is over.
pub(crate) async fn killed(stage: &mut Stage, fault: Fault, report: &mut Report) -> Result<()> {
    populate(stage).await?;
    let refreshes = refreshes(stage, |_| true).await?;
    let begun = fault.begin(stage).await?;
    until("the responses are handed out", AGAIN, async || {
        let state = stage.books.state();
        let mut all = state.grants.iter().flat_map(|grant| &grant.refreshes);
        all.all(|refresh| refresh.responded.is_some()).then_some(())
    })
    .await?;
    // The service waits only for the store, so by now the tokens must be somewhere durable.
    tokio::time::sleep(Duration::from_secs(2)).await;
    drop(refreshes);
    stage.kill().await?;
    fault.end(stage, begun).await?;
    stage.restart().await?;
    stage.books.behave(Behaviour::default());
    check::accounts(stage, Allowed::Nothing, report).await
}

async fn populate(stage: &mut Stage) -> Result<()> {
    if stage.users.is_empty() {
        stage.populate_as("refreshed", &NAMES, REFRESHED).await?;
        stage.populate_as("known", &KNOWN, 4).await?;
    }
    Ok(())
}

type Refreshes = JoinSet<Result<(bool, String)>>;

/// Refreshes some accounts, and waits until the product has received the token requests. Each task returns the
/// service's response, and whether that response is acceptable.
async fn refreshes(stage: &Stage, wanted: impl Fn(&User) -> bool) -> Result<Refreshes> {
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(1500),
        ..Behaviour::default()
    });
    let before = stage.books.requests();
    let mut all = JoinSet::new();
    for user in stage.users.iter().filter(|user| wanted(user)) {
        let (http, bearer) = (stage.http.clone(), stage.bearer.clone());
        let url = format!("{}{}/refresh", stage.service.setup.url(), user.account());
        all.spawn(async move {
            let reply = http.send(Method::POST, &url, with(&bearer)).await?;
            let is_right = reply.status == 200 || reply.is_retryable();
            let blames = reply.kind() == "product_unavailable";
            Ok((is_right && !blames, reply.says()))
        });
    }
    let expected = before + all.len();
    until("the token requests", Duration::from_secs(30), async || {
        (stage.books.requests() >= expected).then_some(())
    })
    .await?;
    Ok(all)
}

/// Refreshes other accounts during the fault. If the store is down, the service must not request tokens that it can't
/// store. The accounts must still work.
async fn while_it_lasts(stage: &Stage, fault: Fault, report: &mut Report) -> Result<()> {
    let asked = stage.books.requests();
    let stable = |user: &&User| {
        user.identifier.starts_with("known") && user.connection.class == Class::Stable
    };
    for user in stage.users.iter().filter(stable).take(2) {
        let path = format!("{}/refresh", user.account());
        let reply = stage.call(Method::POST, &path, None).await?;
        report.holds(
            reply.kind() != "product_unavailable" && (reply.status == 200) != fault.is_of_store(),
            format!("{fault:?}: a refresh is told {}", reply.says()),
        );
        let reply = stage.read(user).await?;
        report.holds(
            reply.status == 200,
            format!("{fault:?}: then a call is told {}", reply.says()),
        );
    }
    let asked = stage.books.requests() - asked;
    report.holds(
        asked == 0 || !fault.is_of_store(),
        format!("{fault:?}: {asked} tokens were asked for"),
    );
    Ok(())
}

/// Checks that the service serves a new connection.
async fn new_connection(stage: &Stage) -> Result<()> {
    let url = format!("{}/healthz", stage.service.setup.url());
    let http = HttpClient::new();
    let asked = http.send(Method::GET, &url, Parts::default());
    let reply = tokio::time::timeout(AGAIN, asked).await;
    let reply = reply.context("no response")??;
    ensure!(reply.status == 200, "{}", reply.says());
    Ok(())
}

/// A request and its result.
#[derive(Debug)]
struct Sample {
    began: Instant,
    ended: Instant,
    /// Whether the service has the account and its token in memory.
    is_known: bool,
    ok: bool,
    /// Refused with a time to retry.
    retryable: bool,
    /// Neither `ok` nor `retryable`, and the service is to blame.
    wrong: bool,
    says: String,
}

/// Callers that send requests until they're stopped.
struct Probes {
    callers: JoinSet<()>,
    samples: Arc<Mutex<Vec<Sample>>>,
}

impl Probes {
    async fn start(stage: &Stage, fault: Fault) -> Result<Self> {
        let mut probes = Self {
            callers: JoinSet::new(),
            samples: Arc::default(),
        };
        let bearers = try_join_all((0..4).map(|_| stage.new_token())).await?;
        let bearers: Arc<[String]> = bearers.into();
        let is_known = |user: &&User| user.identifier.starts_with("known");
        let users: Arc<[User]> = stage.users.iter().filter(is_known).cloned().collect();
        let (url, form) = (stage.service.setup.url(), stage.token_form());
        let others = if fault.is_of_store() { CALLERS } else { 0 };
        for caller in 0..CALLERS + others {
            let is_known = caller < CALLERS;
            let (http, samples) = (HttpClient::new(), Arc::clone(&probes.samples));
            let (users, bearers) = (Arc::clone(&users), Arc::clone(&bearers));
            let (url, form) = (url.clone(), form.clone());
            probes.callers.spawn(async move {
                for turn in caller.. {
                    let bearer = &bearers[turn % bearers.len()];
                    let user = &users[turn % users.len()];
                    let (method, path, parts) = match is_known {
                        true => (Method::GET, user.path("thing"), with(bearer)),
                        false => other(turn, user, bearer, &form),
                    };
                    let began = now();
                    let reply = http.send(method, &format!("{url}{path}"), parts).await;
                    let sample = Sample::of(began, is_known, &path, &reply);
                    samples
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(sample);
                    tokio::time::sleep(PAUSE).await;
                }
            });
        }
        Ok(probes)
    }

    async fn stop(mut self) -> Vec<Sample> {
        self.callers.shutdown().await;
        std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A request that needs the store.
fn other<'a>(turn: usize, user: &User, bearer: &'a str, form: &str) -> (Method, String, Parts<'a>) {
    match turn % 6 {
        0 => {
            let json = Some(json!({
                "connection_name": CONNECTIONS[0].name,
                "identifier": format!("someone-{}", turn % 50),
                "verify_url": "https://app.example/back",
            }));
            let parts = Parts {
                json,
                ..with(bearer)
            };
            (Method::POST, String::from("/v1/authorization-links"), parts)
        }
        1 => (Method::GET, String::from("/v1/accounts"), with(bearer)),
        2 => {
            let parts = Parts {
                form: Some(form.to_owned()),
                ..Parts::default()
            };
            (Method::POST, String::from("/oauth/token"), parts)
        }
        3 => {
            let path = format!("/proxy/stable/nobody-{turn}/api/v2/thing");
            (Method::GET, path, with(bearer))
        }
        4 => (Method::GET, user.account(), with(bearer)),
        _ => (Method::GET, user.path("thing"), with("no-such-token")),
    }
}

impl Sample {
    fn of(began: Instant, is_known: bool, path: &str, reply: &Result<Reply>) -> Self {
        let (status, retryable, says) = match reply {
            Ok(reply) => {
                let is_refused = reply.status == 503 && !reply.header("retry-after").is_empty();
                let blames = reply.kind() == "product_unavailable";
                (reply.status, is_refused && !blames, reply.says())
            }
            Err(error) => (0, false, format!("{error:#}")),
        };
        let what = path.split('/').take(3).collect::<Vec<_>>().join("/");
        Self {
            began,
            ended: now(),
            is_known,
            ok: (200..300).contains(&status),
            retryable,
            wrong: !retryable && !(200..500).contains(&status),
            says: format!("{what} {says}"),
        }
    }
}

/// When a fault began and ended.
struct Found {
    fault: Fault,
    began: Instant,
    /// When the service must have noticed it.
    noticed: Instant,
    ended: Instant,
    up: Instant,
}

impl Found {
    fn judge(&self, samples: &[Sample], report: &mut Report) {
        let fault = self.fault;
        let of = |is_known: bool, when: &dyn Fn(&Sample) -> bool| -> Vec<&Sample> {
            let chosen = samples.iter().filter(|one| one.is_known == is_known);
            chosen.filter(|one| when(one)).collect()
        };
        let before = |one: &Sample| one.ended < self.began;
        let whole = |one: &Sample| one.ended >= self.began && one.began < self.up;
        let during = |one: &Sample| (self.noticed..self.ended).contains(&one.began);
        let after = |one: &Sample| one.began >= self.up + BACK;
        let quiet = percentile(&of(true, &before));
        let meanwhile = percentile(&of(true, &during));
        let late = percentile(&of(true, &after));
        report.fact(
            format!("{fault:?}: p99 of known calls before, meanwhile, {BACK:?} after"),
            format!("{quiet:.0} ms, {meanwhile:.0} ms, {late:.0} ms"),
        );
        let known = of(true, &whole);
        let failed = counts(known.iter().filter(|one| !one.ok));
        report.fact(format!("{fault:?}: known calls"), known.len());
        report.holds(
            failed.is_empty() && !known.is_empty(),
            format!("{fault:?}: of {} known calls {failed:?}", known.len()),
        );
        if !fault.is_of_store() {
            report.holds(
                meanwhile < SANE * quiet || fault == Fault::NoDescriptors,
                format!("{fault:?}: the p99 of the others is {meanwhile:.0} ms"),
            );
            return;
        }
        let others = of(false, &during);
        let p99 = percentile(&others);
        report.fact(
            format!("{fault:?}: p99 of others meanwhile"),
            format!("{p99:.0} ms"),
        );
        for (says, count) in counts(others.iter()) {
            report.fact(
                format!("{fault:?}: others were told"),
                format!("{count} x {says}"),
            );
        }
        let is_wrong = |one: &&&Sample| match fault.takes_everything() {
            true => !one.retryable,
            false => one.wrong,
        };
        let wrong = counts(others.iter().filter(is_wrong));
        report.holds(
            wrong.is_empty() && !others.is_empty(),
            format!("{fault:?}: no retryable error: {wrong:?}"),
        );
        let after = of(false, &after);
        let failed = |one: &&&Sample| one.says.contains("storage_unavailable");
        let failed = counts(after.iter().filter(failed));
        report.holds(
            failed.is_empty(),
            format!("{fault:?}: {BACK:?} after it: {failed:?}"),
        );
        if fault.is_of_postgres() {
            report.holds(
                p99 < quiet.max(AT_ONCE),
                format!("{fault:?}: the p99 of refusals is {p99:.0} ms"),
            );
            report.holds(
                late < (2.0 * quiet).max(UNNOTICED) && !after.is_empty(),
                format!("{fault:?}: the p99 is {late:.0} ms {BACK:?} after it"),
            );
        }
    }
}

/// The 99th percentile, in milliseconds.
fn percentile(samples: &[&Sample]) -> f64 {
    let times = samples
        .iter()
        .map(|one| one.ended.duration_since(one.began));
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    let index = (times.len() * 99 / 100).min(times.len().saturating_sub(1));
    times
        .get(index)
        .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn counts<'a>(samples: impl Iterator<Item = &'a &'a Sample>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for sample in samples {
        *counts.entry(sample.says.as_str()).or_default() += 1;
    }
    counts
}
