//! PostgreSQL is away under load: stopped, killed or frozen. Calls of accounts that are known go on, everything else is refused
//! at once, and soon after it is as it was.

use std::{
    collections::BTreeMap,
    fs,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use http::Method;
use serde_json::json;
use stead_test_postgres::Server;
use tokio::task::JoinSet;

use crate::{
    Options,
    books::Behaviour,
    check::seconds,
    connections::{CONNECTIONS, User},
    http_client::{HttpClient, Parts, Reply},
    report::Report,
    stage::Stage,
    time::{now, until},
};

/// Callers of accounts that are known, and callers of everything else.
const CALLERS: usize = 6;
/// Tokens of the application that they take turns with.
const BEARERS: usize = 4;
/// Pause of a caller between two requests.
const PAUSE: Duration = Duration::from_millis(20);
/// So long after its beginning an outage is noticed.
const NOTICED: Duration = Duration::from_secs(3);
/// What needs the store is refused within this, once the outage is noticed, or as fast as calls were before it on a machine
/// that has much to do.
const AT_ONCE: f64 = 100.0;
/// Everything is as before so soon after the store has come back.
const BACK: Duration = Duration::from_secs(10);
/// The 99th percentile is back where it is below so many times what it was, or below what no caller notices.
const TIMES: f64 = 2.0;
const UNNOTICED: f64 = 50.0;

/// How PostgreSQL goes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In order, with its socket.
    Stopped,
    /// At once: its socket stays and refuses.
    Killed,
    /// It takes connections and says nothing.
    Frozen,
}

pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    for way in [Way::Stopped, Way::Killed, Way::Frozen] {
        let Some(server) = tokio::task::spawn_blocking(Server::start).await? else {
            report.left_out = Some(String::from("there is no PostgreSQL"));
            return Ok(());
        };
        one(options, way, Arc::new(server), report).await?;
    }
    Ok(())
}

async fn one(options: &Options, way: Way, server: Arc<Server>, report: &mut Report) -> Result<()> {
    let url = server.url(&server.database());
    let mut stage = Stage::open(&options.binary, |setup| {
        setup.database_url = Some(url);
        Ok(())
    })
    .await?;
    stage
        .populate(&["stable", "signed-in", "strict"], 4)
        .await?;
    let bearers = bearers(&stage).await?;
    let quiet = Duration::from_secs(if options.smoke { 4 } else { 15 });
    let held = Duration::from_secs(if options.smoke { 10 } else { 60 });
    let load = Load::start(&stage, &bearers);
    tokio::time::sleep(quiet).await;

    // Of some users, new tokens are on their way when it begins.
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(1500),
        ..Behaviour::default()
    });
    let refreshing = refreshes(&stage);
    tokio::time::sleep(Duration::from_millis(700)).await;
    let began = now();
    act(&server, way, true).await?;
    tokio::time::sleep(held).await;
    let ended = now();
    act(&server, way, false).await?;
    let up = now();
    tokio::time::sleep(BACK + quiet).await;
    let samples = load.stop().await;
    drop(refreshing);

    let found = Found {
        samples: &samples,
        began,
        ended,
        up,
    };
    found.tell(way, held, report);
    stage.books.behave(Behaviour::default());
    for line in log(&stage) {
        report.fact(format!("{way:?}: it logs"), line);
    }
    for user in &stage.users {
        let serves = until("it serves", Duration::from_secs(30), async || {
            let reply = stage.read(user).await.ok()?;
            (reply.status == 200).then_some(())
        });
        report.expect(&format!("{way:?}: {}", user.account()), serves.await);
    }
    let state = stage.books.state();
    let reuse: u32 = state.grants.iter().map(|grant| grant.reuse).sum();
    let dead = state.grants.iter().filter(|grant| grant.dead).count();
    report.fact(
        format!("{way:?}: accounts that serve, reuse, families ended"),
        format!("{}, {reuse}, {dead}", stage.users.len()),
    );
    report.holds(reuse == 0 && dead == 0, "a refresh was lost");
    Ok(())
}

async fn bearers(stage: &Stage) -> Result<Arc<[String]>> {
    let mut bearers = Vec::new();
    for _ in 0..BEARERS {
        let reply = stage.issue_token().await?;
        let token = reply.json()["access_token"].as_str().map(str::to_owned);
        bearers.push(token.context("no access token")?);
    }
    Ok(bearers.into())
}

/// Asks for new tokens of the accounts that rotate strictly; ends with what is returned.
fn refreshes(stage: &Stage) -> JoinSet<()> {
    let mut all = JoinSet::new();
    let strict = |user: &&User| user.connection.name == "strict";
    for user in stage.users.iter().filter(strict) {
        let (http, bearer) = (stage.http.clone(), stage.bearer.clone());
        let url = format!("{}{}/refresh", stage.service.setup.url(), user.account());
        all.spawn(async move {
            let bearer = Some(bearer.as_str());
            let parts = Parts {
                bearer,
                ..Parts::default()
            };
            // What becomes of it is seen by the account.
            let _ = http.send(Method::POST, &url, parts).await;
        });
    }
    all
}

async fn act(server: &Arc<Server>, way: Way, away: bool) -> Result<()> {
    let server = Arc::clone(server);
    tokio::task::spawn_blocking(move || match (way, away) {
        (Way::Stopped, true) => {
            server.down("fast");
            Ok(())
        }
        (Way::Killed, true) => signal(&server, "KILL", false),
        (Way::Stopped | Way::Killed, false) => {
            server.up();
            Ok(())
        }
        (Way::Frozen, true) => signal(&server, "STOP", true),
        (Way::Frozen, false) => signal(&server, "CONT", true),
    })
    .await?
}

/// Sends a signal to the server's first process, or to all of them.
fn signal(server: &Server, name: &str, to_all: bool) -> Result<()> {
    let file = fs::read_to_string(server.folder().join("data/postmaster.pid"))?;
    let first = file.lines().next().context("no process")?;
    let line = match to_all {
        true => format!("kill -s {name} {first} $(pgrep -P {first})"),
        false => format!("kill -s {name} {first}"),
    };
    let status = Command::new("sh").args(["-c", &line]).status()?;
    ensure!(status.success(), "{line}: {status}");
    Ok(())
}

/// What the service says of its store.
fn log(stage: &Stage) -> Vec<String> {
    let text = fs::read_to_string(stage.service.setup.log()).unwrap_or_default();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for line in text
        .lines()
        .filter(|line| line.contains("ERROR") || line.contains("WARN"))
    {
        // Without the time.
        let shown: String = line.chars().skip(28).take(180).collect();
        *lines.entry(shown).or_default() += 1;
    }
    lines
        .into_iter()
        .map(|(line, count)| format!("{count} x {line}"))
        .collect()
}

/// One request.
#[derive(Debug)]
struct Sample {
    began: Instant,
    /// In milliseconds.
    took: f64,
    /// A call of an account that is known, with a token that is known.
    is_known: bool,
    ok: bool,
    /// Refused for the store's sake, and with a time to come again.
    retryable: bool,
    says: String,
}

struct Load {
    callers: JoinSet<()>,
    samples: Arc<Mutex<Vec<Sample>>>,
}

impl Load {
    fn start(stage: &Stage, bearers: &Arc<[String]>) -> Self {
        let mut load = Self {
            callers: JoinSet::new(),
            samples: Arc::default(),
        };
        // Those whose tokens are replaced when it begins are looked at in the end: the product takes their old ones no more.
        let users = stage
            .users
            .iter()
            .filter(|user| user.connection.name != "strict");
        let users: Arc<[User]> = users.cloned().collect();
        let url: Arc<str> = stage.service.setup.url().into();
        let form: Arc<str> = stage.token_form().into();
        for caller in 0..2 * CALLERS {
            let is_known = caller < CALLERS;
            let (http, samples) = (HttpClient::new(), Arc::clone(&load.samples));
            let (users, url) = (Arc::clone(&users), Arc::clone(&url));
            let (bearers, form) = (Arc::clone(bearers), Arc::clone(&form));
            load.callers.spawn(async move {
                for turn in caller.. {
                    let bearer = &bearers[turn % bearers.len()];
                    let user = &users[turn % users.len()];
                    let (method, path, parts): (_, String, _) = match is_known {
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
        load
    }

    async fn stop(mut self) -> Vec<Sample> {
        self.callers.shutdown().await;
        std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn with(bearer: &str) -> Parts<'_> {
    Parts {
        bearer: Some(bearer),
        ..Parts::default()
    }
}

/// Something that needs the store.
fn other<'a>(turn: usize, user: &User, bearer: &'a str, form: &str) -> (Method, String, Parts<'a>) {
    match turn % 6 {
        0 => {
            let new = json!({
                "connection_name": CONNECTIONS[0].name,
                "identifier": format!("someone-{}", turn % 50),
                "verify_url": "https://app.example/back",
            });
            let parts = Parts {
                json: Some(new),
                ..with(bearer)
            };
            (Method::POST, String::from("/v1/authorization-links"), parts)
        }
        1 => (Method::GET, String::from("/v1/accounts"), with(bearer)),
        2 => {
            let form = Some(form.to_owned());
            let parts = Parts {
                form,
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
        let (ok, retryable, says) = match &reply {
            Ok(reply) => (
                reply.status < 300,
                reply.status == 503 && !reply.header("retry-after").is_empty(),
                reply.says(),
            ),
            Err(error) => (false, false, format!("{error:#}")),
        };
        let what = path.split('/').take(3).collect::<Vec<_>>().join("/");
        Self {
            began,
            took: began.elapsed().as_secs_f64() * 1000.0,
            is_known,
            ok,
            retryable,
            says: format!("{what} {says}"),
        }
    }

    fn ended(&self) -> Instant {
        self.began + Duration::from_secs_f64(self.took / 1000.0)
    }
}

/// What was measured around one outage.
struct Found<'a> {
    samples: &'a [Sample],
    began: Instant,
    ended: Instant,
    /// When the server takes connections again.
    up: Instant,
}

impl Found<'_> {
    fn tell(&self, way: Way, held: Duration, report: &mut Report) {
        let mut fact = |what: &str, value: String| report.fact(format!("{way:?}: {what}"), value);
        let noticed = self.began + NOTICED;
        let before = |sample: &&Sample| sample.ended() < self.began;
        let during = |sample: &&Sample| (noticed..self.ended).contains(&sample.began);
        let noticing = |sample: &&Sample| sample.ended() >= self.began && sample.began < noticed;
        let known = |sample: &&Sample| sample.is_known;
        let all: Vec<&Sample> = self.samples.iter().collect();
        let of = |one: &dyn Fn(&&Sample) -> bool, two: &dyn Fn(&&Sample) -> bool| {
            let chosen = all.iter().filter(|sample| one(sample) && two(sample));
            chosen.copied().collect::<Vec<_>>()
        };
        let other = |sample: &&Sample| !sample.is_known;

        fact("held for", seconds(held));
        let quiet = percentile(&of(&before, &known), 99);
        fact("known, before", says(&of(&before, &known)));
        fact("others, before", says(&of(&before, &other)));
        fact("known, noticing", says(&of(&noticing, &known)));
        fact("others, noticing", says(&of(&noticing, &other)));
        let (known_during, others_during) = (of(&during, &known), of(&during, &other));
        fact("known, during", says(&known_during));
        fact("others, during", says(&others_during));
        for (says, count) in refused(&others_during) {
            fact("others, during, were told", format!("{count} x {says}"));
        }
        let whole = |sample: &&Sample| sample.ended() >= self.began && sample.began < self.up;
        let known_whole = of(&whole, &known);
        let served = known_whole.iter().filter(|sample| sample.ok).count();
        fact(
            "known that succeeded, of all from the first moment",
            format!("{served}/{}", known_whole.len()),
        );
        let back = self.back(quiet);
        fact(
            "p99 of known calls is back after",
            back.map_or("never".into(), seconds),
        );
        let calm = self.up + BACK;
        let after = |sample: &&Sample| sample.began >= calm;
        fact("known, 10 s after", says(&of(&after, &known)));
        fact("others, 10 s after", says(&of(&after, &other)));

        let slow = percentile(&others_during, 99);
        let wrong = others_during.iter().filter(|sample| !sample.retryable);
        let wrong = wrong.count();
        report.holds(
            served == known_whole.len(),
            format!("{way:?}: {:?}", refused(&known_whole)),
        );
        report.holds(
            slow < quiet.max(AT_ONCE) && !others_during.is_empty(),
            format!("{way:?}: the p99 of refusals is {slow:.0} ms"),
        );
        report.holds(
            wrong == 0,
            format!("{way:?}: {wrong} answers of others were no retryable error"),
        );
        report.holds(
            back.is_some_and(|back| back <= BACK),
            format!("{way:?}: the p99 is not back within {}", seconds(BACK)),
        );
        let late = of(&after, &|_| true);
        let failed = refused(&late)
            .into_iter()
            .filter(|(says, _)| says.contains("storage_unavailable"));
        let failed: Vec<_> = failed.collect();
        report.holds(
            failed.is_empty(),
            format!("{way:?}: 10 s after: {failed:?}"),
        );
    }

    /// The first second after the store's return from which on no second is slower than before, and none fails.
    fn back(&self, quiet: f64) -> Option<Duration> {
        let limit = (quiet * TIMES).max(UNNOTICED);
        let known = self.samples.iter().filter(|sample| sample.is_known);
        let mut seconds: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
        for sample in known.filter(|sample| sample.began >= self.up) {
            let second = sample.began.duration_since(self.up).as_secs();
            seconds.entry(second).or_default().push(sample);
        }
        let slow = |samples: &Vec<&Sample>| {
            percentile(samples, 99) > limit || samples.iter().any(|sample| !sample.ok)
        };
        let last = seconds.keys().next_back()?;
        let last_slow = seconds.iter().rev().find(|(_, samples)| slow(samples));
        let back = last_slow.map_or(0, |(second, _)| second + 1);
        (back <= *last).then(|| Duration::from_secs(back))
    }
}

fn percentile(samples: &[&Sample], hundredths: usize) -> f64 {
    let mut times: Vec<f64> = samples.iter().map(|sample| sample.took).collect();
    times.sort_by(f64::total_cmp);
    let index = (times.len() * hundredths / 100).min(times.len().saturating_sub(1));
    times.get(index).copied().unwrap_or_default()
}

fn says(samples: &[&Sample]) -> String {
    let ok = samples.iter().filter(|sample| sample.ok).count();
    format!(
        "{ok}/{} succeeded, p50 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms",
        samples.len(),
        percentile(samples, 50),
        percentile(samples, 99),
        percentile(samples, 100)
    )
}

fn refused(samples: &[&Sample]) -> BTreeMap<String, usize> {
    let mut said = BTreeMap::new();
    for sample in samples.iter().filter(|sample| !sample.ok) {
        *said.entry(sample.says.clone()).or_default() += 1;
    }
    said
}
