//! The state of the environment: its connections, its accounts and the calls of the last day.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use stead::{Error, ErrorKind};
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{
        AccountFilter, CallTotals, Connection, ConnectionState, CountExecutions, ExecutionFilter,
        ListAppCredentials, ListConnections, ListExecutions, TotalsSpan, TotalsStep,
    },
};

use super::to_do::{self, Step, ToDo};
use crate::dashboard::{
    account_states::{Share, accounts, shares},
    chart::{Bars, Count},
    words,
};

/// Maximum number of connections to read.
const MOST: usize = 1_000;
const PAGE: u32 = 100;
/// Maximum number of failures to list.
const FAILURES: usize = 5;

/// The state of the environment.
#[derive(Debug, Serialize)]
pub(super) struct Overview {
    connections: usize,
    connections_ready: usize,
    accounts: usize,
    /// Whether there are more accounts than it has read.
    more_accounts: bool,
    states: Vec<Share>,
    calls: u64,
    failed: u64,
    /// Upper bounds of the duration of half of the calls, and of 95 of 100.
    median: Option<String>,
    slowest: Option<String>,
    chart: Bars,
    failures: Vec<Failure>,
    to_do: Vec<ToDo>,
    /// The steps up to the first call. Empty when they are done.
    steps: Vec<Step>,
}

/// Calls that failed in one way.
#[derive(Debug, Serialize)]
struct Failure {
    kind: String,
    summary: &'static str,
    act_by: &'static str,
    calls: u64,
}

impl Overview {
    /// Reads everything. `is_trial` if the environment is for trying Stead.
    pub(super) async fn of(environment: &Environment, is_trial: bool) -> Result<Self, Error> {
        let connections = connections(environment).await?;
        let filter = AccountFilter::default();
        let (accounts, more_accounts) = accounts(environment, &filter).await?;
        let now = environment.runtime().now();
        let since = now
            .checked_sub(SignedDuration::from_hours(24))
            .unwrap_or(now);
        let totals = environment
            .send(CountExecutions::new().span(TotalsSpan::new(TotalsStep::Hour, since, now)))
            .await?
            .items;
        let sum = |keep: fn(&CallTotals) -> bool| {
            let kept = totals.iter().filter(|total| keep(total));
            kept.map(|total| total.calls).sum::<u64>()
        };
        let calls = sum(|_| true);
        let moved = environment.moved_public_url().await?;
        let steps = if is_trial {
            Vec::new()
        } else {
            let credentials = environment
                .send(ListAppCredentials::new().page(Paging::new(None, 1)))
                .await?;
            let mut filter = ExecutionFilter::default();
            filter.outcome = Some(String::from("ok"));
            let called = sum(|total| total.outcome == "ok") > 0
                || !environment
                    .send(
                        ListExecutions::new()
                            .filter(filter.clone())
                            .page(Paging::new(None, 1)),
                    )
                    .await?
                    .items
                    .is_empty();
            to_do::steps(
                environment.public_url(),
                &connections,
                !credentials.items.is_empty(),
                &accounts,
                called,
            )
        };
        Ok(Self {
            connections_ready: connections
                .iter()
                .filter(|connection| connection.state == ConnectionState::Ready)
                .count(),
            to_do: to_do::list(&connections, &accounts, moved.as_ref()),
            connections: connections.len(),
            states: shares(&accounts),
            accounts: accounts.len(),
            more_accounts,
            calls,
            failed: sum(|total| total.outcome != "ok"),
            median: below(&totals, 50),
            slowest: below(&totals, 95),
            chart: Bars::new(&hours(&totals, now), SignedDuration::from_hours(1)),
            failures: failures(&totals),
            steps,
        })
    }
}

async fn connections(environment: &Environment) -> Result<Vec<Connection>, Error> {
    let (mut all, mut token) = (Vec::new(), None::<String>);
    loop {
        let page = environment
            .send(ListConnections::new().page(Paging::new(token.as_deref(), PAGE)))
            .await?;
        all.extend(page.items);
        token = page.next_page_token;
        if token.is_none() || all.len() >= MOST {
            return Ok(all);
        }
    }
}

/// The last 24 hours, including the current one.
fn hours(totals: &[CallTotals], now: Timestamp) -> Vec<Count> {
    let hour = now.as_second().div_euclid(3_600);
    let starts = (hour - 23..=hour).filter_map(|hour| Timestamp::from_second(hour * 3_600).ok());
    starts
        .map(|start| {
            let mut count = Count {
                start,
                good: 0,
                bad: 0,
            };
            for total in totals.iter().filter(|total| total.start == start) {
                if total.outcome == "ok" {
                    count.good += total.calls;
                } else {
                    count.bad += total.calls;
                }
            }
            count
        })
        .collect()
}

/// An upper bound of the duration of this share (of 100) of the calls.
fn below(totals: &[CallTotals], percent: u64) -> Option<String> {
    let mut calls: BTreeMap<u64, u64> = BTreeMap::new();
    for durations in totals.iter().flat_map(|total| &total.durations) {
        *calls
            .entry(durations.below_millis.unwrap_or(u64::MAX))
            .or_default() += durations.calls;
    }
    let all: u64 = calls.values().sum();
    let mut seen = 0;
    let (millis, _) = calls.into_iter().find(|(_, count)| {
        seen += count;
        seen * 100 >= all * percent
    })?;
    Some(match millis {
        u64::MAX => String::from("longer"),
        1_000.. => format!("< {} s", millis / 1_000),
        _ => format!("< {millis} ms"),
    })
}

fn failures(totals: &[CallTotals]) -> Vec<Failure> {
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    for total in totals.iter().filter(|total| total.outcome != "ok") {
        *calls.entry(&total.outcome).or_default() += total.calls;
    }
    let mut calls: Vec<_> = calls.into_iter().collect();
    calls.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let listed = calls.into_iter().take(FAILURES);
    listed
        .map(|(name, calls)| {
            let kind = ErrorKind::from_name(name);
            Failure {
                kind: name.to_owned(),
                summary: kind.map(ErrorKind::summary).unwrap_or_default(),
                act_by: kind
                    .map(|kind| words::act_by(kind.act_by()))
                    .unwrap_or_default(),
                calls,
            }
        })
        .collect()
}
