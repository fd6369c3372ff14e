//! One round of a webhook's delivery queue. It sends pending deliveries that are due and new events of the feed. One
//! commit then stores the results and the position in the feed. If the process crashes in between, some events are sent
//! again.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};

use super::send::send;
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{
        Event, NewEvent,
        webhook::{Attempt, Delivery, DeliveryState, Lane, Webhook},
    },
    events::view::{self, view},
    identifier::{AccountId, EventId, WebhookId},
    resource::EventFilter,
    store::Versioned,
};

/// Events that are read from the feed together.
const BATCH: u32 = 50;
/// Maximum number of concurrent requests to an endpoint, each for a different account.
const AT_ONCE: usize = 8;
/// No request starts after this part of a round, so that the round ends well within the lease.
const SENDING: Duration = Duration::from_secs(60);
/// Minimum remaining lease at the start of a round: for the sending, the last response and the commit.
const ROUND: SignedDuration = SignedDuration::from_secs(90);
/// After this many failures, a round stops sending.
const FAILURES: u32 = 4;
/// Number of deliveries to read together, and maximum number of pending ones before the feed has to wait.
const WAITING: u32 = 1_000;
const FULL: usize = 500;

/// Deliveries of one account are sent in order. Events without an account are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Account(AccountId),
    Single(EventId),
}

impl Group {
    fn of(account: Option<AccountId>, event: EventId) -> Self {
        account.map_or(Self::Single(event), Self::Account)
    }
}

/// Something to send: a delivery that waits, or a new event.
enum Item {
    Waiting(Box<Delivery>),
    New(Box<Event>),
}

impl Item {
    /// Its place in the feed.
    fn position(&self) -> i64 {
        match self {
            Self::Waiting(waiting) => waiting.position,
            Self::New(event) => event.position.unwrap_or(0),
        }
    }
}

/// Data that a round has read from the store.
struct Work {
    webhook: Webhook,
    lane: Versioned<Lane>,
    groups: BTreeMap<Group, Vec<Item>>,
    /// Position in the feed after all of it is done.
    position: i64,
}

/// Results of a round.
#[derive(Default)]
struct Outcome {
    /// Deliveries to store: changed ones in their new state, and new ones that wait.
    rows: Vec<Delivery>,
    succeeded: bool,
    failed: bool,
    gone: bool,
}

/// Runs one round. Returns whether there may be more to do immediately.
pub(super) async fn round(context: &Context, id: WebhookId) -> Result<bool> {
    let Some(work) = work(context, id).await? else {
        return Ok(false);
    };
    let Some(claimed) = claim(context, &work.lane).await? else {
        return Ok(false);
    };
    let begun = Begun {
        context,
        webhook: &work.webhook,
        until: context.host.monotonic() + SENDING,
        failures: AtomicU32::new(0),
    };
    let outcomes: Vec<Outcome> = stream::iter(work.groups.into_values())
        .map(|items| begun.group(items))
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let mut all = Outcome::default();
    for outcome in outcomes {
        all.rows.extend(outcome.rows);
        all.succeeded |= outcome.succeeded;
        all.failed |= outcome.failed;
        all.gone |= outcome.gone;
    }
    finish(context, &claimed, work.position, &all).await?;
    Ok(true)
}

/// The work to do now. `None` if everything has to wait.
async fn work(context: &Context, id: WebhookId) -> Result<Option<Work>> {
    let (webhook, lane) = (
        context.store.webhook(id).await?,
        context.store.lane(id).await?,
    );
    let (Some(webhook), Some(lane)) = (webhook, lane) else {
        return Ok(None);
    };
    if webhook.row.disabled.is_some() {
        return Ok(None);
    }
    let mut waiting = context.store.waiting_deliveries(id, WAITING).await?;
    let mut position = lane.row.position;
    let is_behind = |position| move |found: &Versioned<Delivery>| found.row.position <= position;
    let events = if waiting
        .iter()
        .filter(|found| is_behind(position)(found))
        .count()
        < FULL
    {
        let after = Some(position);
        context.store.events(None, after, BATCH).await?
    } else {
        Vec::new()
    };
    position = events
        .last()
        .and_then(|last| last.row.position)
        .unwrap_or(position);
    // If the position was set back, pending deliveries after it wait until the feed reaches them.
    waiting.retain(is_behind(position));
    let now = context.host.now();
    let mut groups: BTreeMap<Group, Vec<Item>> = BTreeMap::new();
    for Versioned { row, .. } in waiting {
        let group = Group::of(row.account_id, row.event_id);
        groups
            .entry(group)
            .or_default()
            .push(Item::Waiting(Box::new(row)));
    }
    let filter = EventFilter {
        types: webhook.row.events.clone(),
        ..EventFilter::default()
    };
    let moved = !events.is_empty();
    for Versioned { row, .. } in events {
        let known =
            |item: &Item| matches!(item, Item::Waiting(waiting) if waiting.event_id == row.id);
        let group = Group::of(row.account_id, row.id);
        let waits = groups
            .get(&group)
            .is_some_and(|items| items.iter().any(known));
        let takes = filter.takes_type(&row.name) && !waits;
        if takes && is_of(context, &webhook.row, &row).await {
            groups
                .entry(group)
                .or_default()
                .push(Item::New(Box::new(row)));
        }
    }
    for items in groups.values_mut() {
        items.sort_by_key(Item::position);
    }
    let is_due = |items: &Vec<Item>| match items.first() {
        Some(Item::Waiting(waiting)) => waiting.due_at <= now,
        Some(Item::New(_)) => true,
        None => false,
    };
    if !moved && !groups.values().any(is_due) {
        return Ok(None);
    }
    Ok(Some(Work {
        webhook: webhook.row,
        lane,
        groups,
        position,
    }))
}

/// Whether a webhook gets an event.
async fn is_of(context: &Context, webhook: &Webhook, event: &Event) -> bool {
    let connections = &webhook.connections;
    connections.are_all() || view::is_of(&view(context, event.clone()).await, connections)
}

/// The queue, held by this process for long enough. `None` if another process holds it.
async fn claim(context: &Context, found: &Versioned<Lane>) -> Result<Option<Lane>> {
    let process = context.host.process.to_string();
    // Clocks of processes may differ, but all use the store's.
    let now = context.store.now().await?;
    let long_enough = found.row.holder.as_ref().is_some_and(|holder| {
        holder.process == process && holder.until.duration_since(now) > ROUND
    });
    if long_enough {
        return Ok(Some(found.row.clone()));
    }
    let id = found.row.webhook_id;
    context
        .change(
            "webhook.claim",
            || async {
                let lane = context.store.lane(id).await?;
                let holder = lane.as_ref().and_then(|lane| lane.row.holder.as_ref());
                let ended = match holder.map(|holder| holder.process.parse()) {
                    Some(Ok(process)) => context.has_ended(process).await,
                    _ => false,
                };
                Ok((lane, ended))
            },
            |(lane, ended)| {
                let claimed = lane.as_ref().and_then(|lane| {
                    let claimed = lane.row.claimed(&process, now, ended)?;
                    // If another process has moved the position in the meantime, the read was too early.
                    (claimed.position == found.row.position).then_some((claimed, lane.version))
                });
                Ok(match claimed {
                    Some((claimed, version)) => (
                        Change::none().update(claimed.clone(), version),
                        Some(claimed),
                    ),
                    None => (Change::none(), None),
                })
            },
        )
        .await
}

/// A round that sends.
struct Begun<'a> {
    context: &'a Context,
    webhook: &'a Webhook,
    until: Duration,
    failures: AtomicU32,
}

impl Begun<'_> {
    /// Sends the deliveries of one group until one fails. Later new events are stored as pending.
    async fn group(&self, items: Vec<Item>) -> Outcome {
        let mut outcome = Outcome::default();
        let mut blocked = false;
        for item in items {
            let may_send = !blocked && self.may_send();
            let (delivery, is_stored) = match item {
                Item::Waiting(waiting) if !may_send || waiting.due_at > self.context.host.now() => {
                    blocked = true;
                    continue;
                }
                Item::Waiting(waiting) => (*waiting, true),
                Item::New(event) => (self.waiting(&event), false),
            };
            if !may_send {
                blocked = true;
                outcome.rows.push(delivery);
                continue;
            }
            let attempt = match self.attempt(&delivery).await {
                Ok(Some(attempt)) => attempt,
                Ok(None) => {
                    let gone = delivery.without_event(self.context.host.now());
                    outcome.rows.push(gone);
                    continue;
                }
                Err(_) => {
                    blocked = true;
                    outcome.rows.push(delivery.put_off(self.context.host.now()));
                    continue;
                }
            };
            let succeeded = attempt.is_success();
            outcome.gone |= attempt.is_gone();
            outcome.succeeded |= succeeded;
            outcome.failed |= !succeeded;
            if !succeeded {
                blocked = true;
                self.failures.fetch_add(1, Ordering::Relaxed);
            }
            // An event that is accepted immediately needs no row.
            if is_stored || !succeeded {
                let mut random = [0];
                self.context.host.entropy.fill(&mut random);
                let now = self.context.host.now();
                outcome.rows.push(delivery.after(attempt, now, random[0]));
            }
        }
        outcome
    }

    fn may_send(&self) -> bool {
        self.failures.load(Ordering::Relaxed) < FAILURES
            && self.context.host.monotonic() < self.until
            && self.context.host.tasks.open().is_ok()
    }

    /// Turns a new event into a delivery that wasn't tried yet.
    fn waiting(&self, event: &Event) -> Delivery {
        let now = self.context.host.now();
        Delivery {
            webhook_id: self.webhook.id,
            event_id: event.id,
            event_type: event.name.clone(),
            position: event.position.unwrap_or(0),
            account_id: event.account_id,
            state: DeliveryState::Waiting,
            attempts: 0,
            due_at: now,
            last: None,
            updated_at: now,
            extra: Default::default(),
        }
    }

    /// Sends the event as it is in the feed now, because a user may have been erased since. `None` if the event was
    /// removed; an error if this process couldn't try.
    async fn attempt(&self, delivery: &Delivery) -> Result<Option<Attempt>> {
        let Some(event) = self.context.store.event(delivery.event_id).await? else {
            return Ok(None);
        };
        let event = view(self.context, event.row).await;
        let body = serde_json::to_vec(&event).unwrap_or_default();
        let attempt = send(self.context, self.webhook, event.id, body).await?;
        Ok(Some(attempt))
    }
}

/// Commits the results of a round, unless another process holds the queue by now.
async fn finish(context: &Context, claimed: &Lane, position: i64, outcome: &Outcome) -> Result<()> {
    let id = claimed.webhook_id;
    context
        .change(
            "webhook.deliver",
            || async {
                let lane = context.store.lane(id).await?;
                let webhook = context.store.webhook(id).await?;
                let mut versions = Vec::new();
                for row in &outcome.rows {
                    let present = context.store.delivery(id, row.event_id).await?;
                    versions.push(present.map(|present| present.version));
                }
                Ok((lane, webhook, versions, context.store.now().await?))
            },
            |(lane, webhook, versions, store_now)| {
                let (Some(lane), Some(webhook)) = (lane, webhook) else {
                    return Ok((Change::none(), ()));
                };
                let process = claimed.holder.as_ref().map(|holder| &holder.process);
                if lane.row.holder.as_ref().map(|holder| &holder.process) != process {
                    return Ok((Change::none(), ()));
                }
                let now = context.host.now();
                let process = context.host.process.to_string();
                let after = lane.row.claimed(&process, store_now, false);
                let mut after = after.unwrap_or_else(|| lane.row.clone());
                // A replay may have set the position back in the meantime.
                if lane.row.position == claimed.position {
                    after.position = position;
                }
                after.failing_since = failing_since(&lane.row, outcome, now);
                let mut change = Change::none();
                for (row, version) in outcome.rows.iter().zip(versions) {
                    change = match version {
                        Some(version) => change.update(row.clone(), version),
                        None => change.insert(row.clone()),
                    };
                }
                let why = if outcome.gone {
                    Some("gone")
                } else {
                    (outcome.failed && after.is_given_up(now)).then_some("failing")
                };
                if let (Some(why), None) = (why, &webhook.row.disabled) {
                    let disabled = Webhook {
                        disabled: Some(why.to_owned()),
                        updated_at: now,
                        ..webhook.row
                    };
                    let facts = serde_json::json!({ "webhook_id": id, "reason": why });
                    change = change
                        .event(NewEvent::new("webhook.disabled", facts))
                        .update(disabled, webhook.version);
                }
                Ok((change.update(after, lane.version), ()))
            },
        )
        .await
}

fn failing_since(lane: &Lane, outcome: &Outcome, now: Timestamp) -> Option<Timestamp> {
    match (outcome.succeeded, outcome.failed) {
        (true, _) => None,
        (false, true) => lane.failing_since.or(Some(now)),
        (false, false) => lane.failing_since,
    }
}
