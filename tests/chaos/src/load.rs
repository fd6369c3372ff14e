//! Sends load over HTTP in the background of a scenario.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Result;
use http::Method;
use tokio::task::JoinSet;

use crate::{
    connections::User,
    http_client::HttpClient,
    stage::{Stage, with},
    time::{Chance, until},
};

pub(crate) const NO_RESPONSE: &str = "no response";
/// Marks an error that the caller can't retry.
pub(crate) const FINAL: &str = " (not retryable)";

/// Callers that send requests until they're stopped.
#[derive(Debug)]
pub(crate) struct Load {
    callers: JoinSet<()>,
    said: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Load {
    /// Starts this many callers. Each calls random users; about one call in `refreshes` requests a refresh instead.
    pub(crate) fn start(stage: &Stage, callers: usize, refreshes: usize, seed: u64) -> Self {
        let said = Arc::new(Mutex::new(BTreeMap::new()));
        let mut load = Self {
            callers: JoinSet::new(),
            said: Arc::clone(&said),
        };
        let users: Arc<[User]> = stage.users.clone().into();
        let urls: Arc<[String]> = stage.services().map(|one| one.setup.url()).collect();
        let bearer: Arc<str> = stage.bearer.clone().into();
        for caller in 0..callers {
            let chance = Chance::new(seed.wrapping_mul(31).wrapping_add(caller as u64));
            load.callers.spawn(call(
                HttpClient::new(),
                Arc::clone(&users),
                Arc::clone(&urls),
                Arc::clone(&bearer),
                (refreshes, chance),
                Arc::clone(&said),
            ));
        }
        load
    }

    /// Waits until this many more calls got a response.
    pub(crate) async fn next(&self, calls: usize, limit: Duration) -> Result<()> {
        let responses = || {
            let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            let counts = said.iter().filter(|(said, _)| *said != NO_RESPONSE);
            counts.map(|(_, count)| count).sum::<usize>()
        };
        let enough = responses() + calls;
        until("calls that go on", limit, async || {
            (responses() >= enough).then_some(())
        })
        .await
        .map(drop)
    }

    /// Stops the callers. Returns how often each response came.
    pub(crate) async fn stop(mut self) -> BTreeMap<String, usize> {
        self.callers.shutdown().await;
        std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The counts, for people.
pub(crate) fn counts(said: &BTreeMap<String, usize>) -> String {
    let counts: Vec<String> = said
        .iter()
        .map(|(said, count)| format!("{count} x {said}"))
        .collect();
    counts.join(", ")
}

async fn call(
    http: HttpClient,
    users: Arc<[User]>,
    urls: Arc<[String]>,
    bearer: Arc<str>,
    (refreshes, mut chance): (usize, Chance),
    said: Arc<Mutex<BTreeMap<String, usize>>>,
) {
    loop {
        let user = &users[chance.below(users.len())];
        let (method, path) = match chance.below(refreshes) {
            0 => (Method::POST, format!("{}/refresh", user.account())),
            _ => (Method::GET, user.path("thing")),
        };
        let url = &urls[chance.below(urls.len())];
        let reply = http
            .send(method, &format!("{url}{path}"), with(&bearer))
            .await;
        let text = match &reply {
            Ok(reply) if reply.status < 400 || reply.is_retryable() => reply.says(),
            // Most scenarios allow no final error, so the report quotes it.
            Ok(reply) => format!("{}: {}{FINAL}", reply.says(), reply.json()["detail"]),
            Err(_) => String::from(NO_RESPONSE),
        };
        *said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(text)
            .or_default() += 1;
        if reply.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
