//! Kills the service around keyed writes, and then sends each key again. The product must have counted each write once.
//! If no one can know, the response must say so. It must never count a write twice.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Result, ensure};
use futures_util::{StreamExt as _, stream};
use http::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    Options,
    http_client::{HttpClient, Parts, Reply},
    report::Report,
    stage::Stage,
    time::{Chance, until},
};

/// The longest wait until the service reaches a place.
const REACHED: Duration = Duration::from_secs(20);
/// The number of callers that write at the same time.
const CALLERS: usize = 8;
/// The fewest keys of each kind in a long run. With fewer, a rare fault would go unseen.
const KEYS: usize = 100;

/// The kind of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Door {
    /// A raw request. The product doesn't recognise a repeat.
    Raw,
    /// A mail that a tool sends. The product doesn't recognise a repeat.
    Mail,
    /// A statement of the warehouse. The product recognises a repeat by its ID.
    Statement,
}
use Door::{Mail, Raw, Statement};

/// The response to a caller who sends a key again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    /// The write was executed now.
    Done,
    /// The write was executed before.
    Replayed,
    Unknown,
}

/// Each place, with the product's count at that time and the response to the key when it's sent again.
const PLACES: [(&str, u32, Door, Said); 15] = [
    ("idempotency.start:before", 0, Raw, Said::Done),
    ("idempotency.start:after", 0, Raw, Said::Unknown),
    (AT_PRODUCT, 1, Raw, Said::Unknown),
    ("idempotency.end:before", 1, Raw, Said::Unknown),
    ("idempotency.end:after", 1, Raw, Said::Replayed),
    ("idempotency.start:before", 0, Mail, Said::Done),
    ("idempotency.start:after", 0, Mail, Said::Unknown),
    (AT_PRODUCT, 1, Mail, Said::Unknown),
    ("idempotency.end:before", 1, Mail, Said::Unknown),
    ("idempotency.end:after", 1, Mail, Said::Replayed),
    ("idempotency.start:before", 0, Statement, Said::Done),
    ("idempotency.start:after", 0, Statement, Said::Done),
    (AT_PRODUCT, 1, Statement, Said::Done),
    ("idempotency.end:before", 1, Statement, Said::Done),
    ("idempotency.end:after", 1, Statement, Said::Replayed),
];
/// The product has executed the write, and its response is on the way.
const AT_PRODUCT: &str = "at the product";

/// A write with a key.
#[derive(Debug, Clone)]
struct Write {
    id: String,
    door: Door,
    user: String,
    /// How long the product takes to respond.
    takes: Duration,
}

/// Everything that a caller needs to send a write.
#[derive(Debug, Clone)]
struct Sender {
    http: HttpClient,
    url: Arc<str>,
    bearer: Arc<str>,
}

impl Sender {
    fn of(stage: &Stage) -> Self {
        Self {
            http: HttpClient::new(),
            url: stage.service.setup.url().into(),
            bearer: stage.bearer.clone().into(),
        }
    }

    async fn send(&self, write: &Write) -> Result<Reply> {
        let path = format!("write/{}/slow/{}", write.id, write.takes.as_millis());
        let (route, body) = match write.door {
            Raw => (
                "/v1/proxy",
                json!({
                    "connection_name": "stable", "identifier": write.user,
                    "method": "POST", "path": format!("/api/v2/{path}"),
                }),
            ),
            Mail => (
                "/v1/tools/mail_send_message/execute",
                json!({
                    "connection_name": "signed-in", "identifier": write.user,
                    "input": { "to": ["ada@example.com"], "subject": path, "body": "" },
                }),
            ),
            Statement => (
                "/v1/tools/warehouse_execute_query/execute",
                json!({
                    "connection_name": "stable", "identifier": write.user,
                    "input": { "statement": path },
                }),
            ),
        };
        let parts = Parts {
            bearer: Some(&self.bearer),
            idempotency_key: Some(&write.id),
            json: Some(body),
            ..Parts::default()
        };
        let url = format!("{}{route}", self.url);
        self.http.send(Method::POST, &url, parts).await
    }
}

pub(crate) async fn run(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    stage.populate(&["stable", "signed-in"], CALLERS).await?;
    stage.allow_raw_writes().await?;
    for (number, place) in PLACES.into_iter().enumerate() {
        let (name, _, door, _) = place;
        let step = at_place(stage, number, place, report).await;
        report.expect(&format!("{name} ({door:?})"), step);
        stage.service.setup.disarm()?;
        if stage.service.has_ended() {
            stage.restart().await?;
        }
    }
    at_random(options, stage, report).await
}

/// Kills the service at one place of one write.
async fn at_place(
    stage: &mut Stage,
    number: usize,
    (place, counted, door, expected): (&'static str, u32, Door, Said),
    report: &mut Report,
) -> Result<()> {
    let is_at_product = place == AT_PRODUCT;
    let write = Write {
        id: format!("place-{number}"),
        door,
        user: stage.users[0].identifier.clone(),
        takes: Duration::from_secs(if is_at_product { 60 } else { 0 }),
    };
    let sender = Sender::of(stage);
    let line = format!("{place}=pause");
    if !is_at_product {
        stage.service.setup.arm(&[&line])?;
    }
    let first = tokio::spawn({
        let (sender, write) = (sender.clone(), write.clone());
        async move { sender.send(&write).await }
    });
    until(place, REACHED, async || {
        let is_there = match is_at_product {
            true => stage.books.written(&write.id) > 0,
            false => stage.service.setup.reached().contains(place),
        };
        is_there.then_some(())
    })
    .await?;
    stage.service.kill().await?;
    ensure!(first.await?.is_err(), "the first caller read a response");
    stage.service.setup.disarm()?;
    let before = stage.books.written(&write.id);
    stage.restart().await?;
    // A second repeat gets the same response, and executes nothing again.
    let said = said(&sender.send(&write).await?)?;
    let later = self::said(&sender.send(&write).await?)?;
    let after = stage.books.written(&write.id);
    report.fact(
        format!("{place} ({door:?})"),
        format!("the product counted {before}, then {after}; sent again: {said:?}, {later:?}"),
    );
    let at_last = u32::from(expected != Said::Unknown).max(counted);
    let once_more = if said == Said::Done {
        Said::Replayed
    } else {
        said
    };
    ensure!(
        (before, after, said, later) == (counted, at_last, expected, once_more),
        "expected {counted}, then {at_last}, {expected:?}, {once_more:?}"
    );
    Ok(())
}

/// Kills the service at random times while callers write.
async fn at_random(options: &Options, stage: &mut Stage, report: &mut Report) -> Result<()> {
    let kills = if options.smoke { 6 } else { 60 };
    let mut chance = Chance::new(options.seed);
    let mut counts: BTreeMap<(Door, Said, u32, u32), usize> = BTreeMap::new();
    for round in 0..kills {
        let moment = Duration::from_millis(chance.below(500) as u64);
        let writes = under_load(stage, round, chance.below(1_000_000) as u64, moment).await?;
        let sender = &Sender::of(stage);
        let books = &stage.books;
        let ends: Vec<Result<_>> = stream::iter(writes)
            .map(|(write, first)| async move {
                let before = books.written(&write.id);
                let said = said(&sender.send(&write).await?)?;
                Ok((before, said, books.written(&write.id), write, first))
            })
            .buffer_unordered(CALLERS)
            .collect()
            .await;
        for end in ends {
            let (before, said, after, write, first) = end?;
            *counts.entry((write.door, said, before, after)).or_default() += 1;
            let fits = match said {
                // A response that was read before the kill must be replayed.
                _ if first => said == Said::Replayed && (before, after) == (1, 1),
                Said::Replayed => (before, after) == (1, 1),
                // This is only right if nothing was sent before, or if the product recognises the repeat.
                Said::Done => after == 1 && (before == 0 || write.door == Statement),
                Said::Unknown => before == after && after <= 1 && write.door != Statement,
            };
            report.holds(
                fits,
                format!("{write:?}: counted {before}, then {after}, and it says {said:?}; read before: {first}"),
            );
        }
    }
    report.fact("kills at random", kills);
    for door in [Raw, Mail, Statement] {
        let keys = |fits: &dyn Fn(Said, u32) -> bool| -> usize {
            let fitting = counts
                .iter()
                .filter(|((of, said, _, after), _)| *of == door && fits(*said, *after));
            fitting.map(|(_, times)| times).sum()
        };
        let all = keys(&|_, _| true);
        let unknown = keys(&|said, _| said == Said::Unknown);
        let (once, twice) = (keys(&|_, after| after == 1), keys(&|_, after| after > 1));
        report.fact(
            format!("{door:?}"),
            format!("{all} keys; the product counted {once} once and {twice} more often; {unknown} unknown"),
        );
        report.holds(
            options.smoke || all >= KEYS,
            format!("{door:?}: only {all} keys"),
        );
    }
    for ((door, said, before, after), times) in counts {
        report.fact(
            format!("{door:?}, counted {before}, then {after}, sent again: {said:?}"),
            format!("{times} keys"),
        );
    }
    Ok(())
}

/// Lets callers write until the service is killed, and starts it again. Returns the writes, each with whether its
/// response was read.
async fn under_load(
    stage: &mut Stage,
    round: usize,
    seed: u64,
    moment: Duration,
) -> Result<Vec<(Write, bool)>> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let sender = Sender::of(stage);
        let user = stage.users[caller].identifier.clone();
        let mut chance = Chance::new(seed.wrapping_add(caller as u64));
        let sent = Arc::clone(&sent);
        callers.spawn(async move {
            for number in 0.. {
                let write = Write {
                    id: format!("{round}-{caller}-{number}"),
                    door: [Raw, Mail, Statement][(caller + number) % 3],
                    user: user.clone(),
                    takes: Duration::from_millis(chance.below(40) as u64),
                };
                let reply = sender.send(&write).await;
                let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                let was_read = reply.as_ref().is_ok_and(|reply| reply.status == 200);
                sent.push((write, was_read));
                if !was_read {
                    break;
                }
            }
        });
    }
    tokio::time::sleep(moment).await;
    stage.service.kill().await?;
    while callers.join_next().await.is_some() {}
    stage.restart().await?;
    Ok(std::mem::take(
        &mut *sent.lock().unwrap_or_else(PoisonError::into_inner),
    ))
}

/// Classifies a response.
fn said(reply: &Reply) -> Result<Said> {
    match (reply.status, reply.header("stead-idempotent-replayed")) {
        (200, "true") => Ok(Said::Replayed),
        (200, _) => Ok(Said::Done),
        _ if reply.kind() == "outcome_unknown" => Ok(Said::Unknown),
        _ => anyhow::bail!("it says {}", reply.says()),
    }
}
