//! Follows events as an application does: in the feed, and through a webhook.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use http::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::{
    http_client::HttpClient,
    report::Report,
    stage::{Stage, with},
    time::{seconds, until},
};

/// The longest wait for the last delivery. It covers the claim of a dead process and the pause after a failure.
const DELIVERED: Duration = Duration::from_secs(150);
const PAUSE: Duration = Duration::from_millis(100);

/// An application with a webhook that reads the feed by cursor, from each service in turn.
pub(crate) struct Follower {
    /// The number of events before the webhook existed.
    before: usize,
    read: JoinHandle<Result<Vec<String>>>,
    ends: Arc<AtomicBool>,
}

/// A stored event.
pub(crate) struct Stored {
    id: String,
    pub(crate) name: String,
    pub(crate) account: Option<String>,
}

impl Follower {
    /// Creates the webhook and reads the feed from the oldest event.
    pub(crate) async fn start(stage: &Stage) -> Result<Self> {
        let new = json!({ "url": format!("{}/hooks/all", stage.product) });
        let reply = stage.call(Method::POST, "/v1/webhooks", Some(new)).await?;
        ensure!(reply.status == 201, "no webhook: {}", reply.says());
        let before = stored(stage)?.len();
        let ends = Arc::new(AtomicBool::new(false));
        let urls = stage.services().map(|one| one.setup.url()).collect();
        let read = follow(urls, stage.bearer.clone(), Arc::clone(&ends));
        Ok(Self {
            before,
            read: tokio::spawn(read),
            ends,
        })
    }
}

async fn follow(urls: Vec<String>, bearer: String, ends: Arc<AtomicBool>) -> Result<Vec<String>> {
    let http = HttpClient::new();
    let mut ids = Vec::new();
    let mut cursor = String::new();
    for url in urls.iter().cycle() {
        let is_last = ends.load(Ordering::Relaxed);
        let url = format!("{url}/v1/events?limit=500{cursor}");
        // The service may be down, or its database; ask the next one.
        let reply = http.send(Method::GET, &url, with(&bearer)).await;
        let page = match reply {
            Ok(reply) if reply.status == 200 => reply.json(),
            _ => Value::Null,
        };
        if let Some(items) = page["items"].as_array() {
            ensure!(page["gap"] == false, "the feed has a gap: {page}");
            ids.extend(items.iter().map(|item| plain(text(item, "id"))));
            cursor = format!("&after={}", text(&page, "cursor"));
            if is_last && items.is_empty() {
                break;
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(ids)
}

/// Checks that the feed delivered each event once, in commit order, and that the webhook received each event at least
/// once, in the order of its account.
pub(crate) async fn came(stage: &Stage, follower: Follower, report: &mut Report) -> Result<()> {
    let count = stored(stage)?.len();
    follower.ends.store(true, Ordering::Relaxed);
    let read = follower.read.await??;
    let stored = stored(stage)?;
    let ids: Vec<&String> = stored.iter().map(|event| &event.id).collect();
    let differs = read.iter().zip(&ids).position(|(read, id)| read != *id);
    report.fact(
        "events, read in the feed",
        format!("{count}, {}", read.len()),
    );
    report.holds(
        read.len() >= count && read.len() <= ids.len() && differs.is_none(),
        format!(
            "the feed gave {} of {count} events; the first that is missing, twice or out of order has the place {differs:?}",
            read.len()
        ),
    );
    let stored = &stored[follower.before..];
    let delivered = until("all events are delivered", DELIVERED, async || {
        let state = stage.books.state();
        let came: BTreeSet<String> = state.delivered.iter().map(|id| plain(id)).collect();
        let all = stored.iter().all(|event| came.contains(&event.id));
        all.then_some(())
    });
    if let Err(error) = delivered.await.map(|((), after)| {
        report.fact("all delivered to the webhook after", seconds(after));
    }) {
        report.violation(format!("{error:#}"));
    }
    deliveries(stage, stored, report);
    Ok(())
}

fn deliveries(stage: &Stage, stored: &[Stored], report: &mut Report) {
    let came = stage.books.state().delivered.clone();
    let came: Vec<String> = came.iter().map(|id| plain(id)).collect();
    let mut first: BTreeMap<&String, usize> = BTreeMap::new();
    for (place, id) in came.iter().enumerate() {
        first.entry(id).or_insert(place);
    }
    let missing = stored.iter().filter(|event| !first.contains_key(&event.id));
    let missing = missing.count();
    let mut last: BTreeMap<&String, usize> = BTreeMap::new();
    let mut late = 0;
    for event in stored {
        let (Some(account), Some(place)) = (&event.account, first.get(&event.id)) else {
            continue;
        };
        let before = last.insert(account, *place);
        late += usize::from(before.is_some_and(|before| before > *place));
    }
    report.fact(
        "deliveries, of these once more, missing, out of order",
        format!(
            "{}, {}, {missing}, {late}",
            came.len(),
            came.len() - first.len()
        ),
    );
    report.holds(missing == 0, format!("{missing} events were not delivered"));
    report.holds(
        late == 0,
        format!("{late} events came after a later one of their account"),
    );
}

/// All events in commit order.
pub(crate) fn stored(stage: &Stage) -> Result<Vec<Stored>> {
    let bodies = "SELECT body FROM event ORDER BY position";
    let bodies = stage.database.rows(bodies)?;
    let events = bodies.iter().map(|body| {
        let event: Value = serde_json::from_str(body).context("an event cannot be read")?;
        let account = event["account_id"].as_str().map(str::to_owned);
        Ok(Stored {
            id: plain(text(&event, "id")),
            name: text(&event, "name").to_owned(),
            account,
        })
    });
    events.collect()
}

/// An ID without its prefix and dashes.
fn plain(id: &str) -> String {
    id.trim_start_matches("evt_").replace('-', "")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
