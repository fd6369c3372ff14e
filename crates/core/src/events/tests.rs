//! Reading the feed: pages in order, waits that end, and reported gaps.

use std::{sync::Arc, time::Duration};

use futures_util::future::join;
use jiff::SignedDuration;

use super::*;
use crate::{
    context::{Context, change::Change},
    domain::account::Trigger,
    identifier::AccountId,
    resource::{EventFilter, EventPage},
    state::AccountState,
    store::{Cutoffs, MemoryStore},
    testing::{STABLE, World, always, insert_account, insert_account_of},
};

const NONE: Duration = Duration::ZERO;

fn context(world: &World, process: u32, store: &Arc<MemoryStore>) -> Context {
    world.open(process, &STABLE, always(200, ""), store)
}

fn lonely(world: &World) -> Context {
    context(world, 0, &world.store())
}

fn filter(types: &[&str]) -> EventFilter {
    EventFilter::default().types(types.iter().copied())
}

async fn page(context: &Context, after: Option<&str>, limit: u32) -> EventPage {
    read(context, &EventFilter::default(), after, limit, NONE)
        .await
        .unwrap()
}

fn names(page: &EventPage) -> Vec<&str> {
    page.items.iter().map(|event| &*event.event_type).collect()
}

async fn change(context: &Context, id: AccountId, trigger: Trigger<'_>) {
    let now = context.host.now();
    context
        .change_account("test", id, |account| account.row.on(trigger, now))
        .await
        .unwrap();
}

/// A context with the account `ada` and three events: `connection.created`, `account.suspended`, `account.resumed`.
async fn three(context: &Context) -> AccountId {
    let id = insert_account(context, AccountState::Active).await.id;
    change(context, id, Trigger::Suspended).await;
    change(context, id, Trigger::Resumed).await;
    id
}

#[test]
fn pages_follow_each_other_and_end() {
    let world = World::new();
    let context = lonely(&world);
    let empty = world.run(page(&context, None, 10));
    assert!(empty.items.is_empty() && !empty.more && !empty.gap);
    let id = world.run(three(&context));
    let first = world.run(page(&context, Some(&empty.cursor), 2));
    assert_eq!(names(&first), ["connection.created", "account.suspended"]);
    assert!(first.more);
    let rest = world.run(page(&context, Some(&first.cursor), 2));
    assert_eq!(names(&rest), ["account.resumed"]);
    assert!(!rest.more);
    let end = world.run(page(&context, Some(&rest.cursor), 2));
    assert_eq!((end.items.len(), &end.cursor), (0, &rest.cursor));
    // Reading can continue after any event.
    let again = world.run(page(&context, Some(&first.items[0].cursor), 10));
    assert_eq!(names(&again), ["account.suspended", "account.resumed"]);
    let suspended = &again.items[0];
    let told = |member| suspended.text(member);
    assert_eq!(told("account_id"), Some(id.to_string().as_str()));
    assert_eq!(
        [told("connection_name"), told("product"), told("identifier")],
        [Some("demo"), Some("demo"), Some("ada")]
    );
    assert_eq!(
        [told("status"), told("previous_status")],
        [Some("suspended"), Some("active")]
    );
    let all = EventFilter::default();
    let wrong = read(&context, &all, Some("x"), 1, NONE);
    world.err(wrong);
}

#[test]
fn a_filter_omits_other_events_and_the_cursor_skips_them() {
    let world = World::new();
    let context = lonely(&world);
    world.run(three(&context));
    let other = world.run(insert_account_of(
        &context,
        "other",
        "demo",
        AccountState::Active,
    ));
    world.run(change(&context, other.id, Trigger::Suspended));
    let of = |filter: EventFilter| {
        let page = world.ok(read(&context, &filter, None, 10, NONE));
        let names = names(&page).join(" ");
        (names, page.cursor)
    };
    let (connections, cursor) = of(filter(&["connection.*"]));
    assert_eq!(connections, "connection.created connection.created");
    let latest = world.run(page(&context, Some("latest"), 10));
    assert_eq!((latest.items.len(), &latest.cursor), (0, &cursor));
    let mut of_other = filter(&[]);
    of_other.connection_name = Some(String::from("other"));
    let (found, _) = of(of_other.clone());
    assert_eq!(found, "connection.created account.suspended");
    of_other.identifier = Some(String::from("ada"));
    let (found, end) = of(of_other.clone());
    assert_eq!((&*found, end), ("account.suspended", cursor.clone()));
    of_other.identifier = Some(String::from("nobody"));
    assert_eq!(of(of_other), (String::new(), cursor));
    let misspelt = filter(&["acount.*"]);
    let wrong = read(&context, &misspelt, None, 1, NONE);
    assert!(world.err(wrong).to_string().contains("did you mean"));
}

#[test]
fn newest_first_pages_go_backwards_without_waiting() {
    let world = World::new();
    let context = lonely(&world);
    let back = |of: &EventFilter, after: Option<&str>| {
        let wait = Duration::from_secs(20);
        let of = of.clone().newest_first(true);
        world.ok(read(&context, &of, after, 2, wait))
    };
    let empty = back(&filter(&[]), None);
    assert!(empty.items.is_empty() && !empty.more);
    world.run(three(&context));
    let first = back(&filter(&[]), None);
    assert_eq!(names(&first), ["account.resumed", "account.suspended"]);
    assert!(first.more);
    let rest = back(&filter(&[]), Some(&first.cursor));
    assert_eq!(names(&rest), ["connection.created"]);
    assert!(!rest.more);
    assert!(back(&filter(&[]), Some(&rest.cursor)).items.is_empty());
    let mut of_ada = filter(&["account.*"]);
    of_ada.connection_name = Some(String::from("demo"));
    of_ada.identifier = Some(String::from("ada"));
    let of_account = back(&of_ada, Some("latest"));
    assert_eq!(names(&of_account), ["account.resumed", "account.suspended"]);
    assert!(!of_account.more);
}

#[test]
fn a_wait_ends_with_the_next_event_wherever_it_is_committed() {
    for writer in [0, 1] {
        let world = World::new();
        let store = world.store();
        let contexts = [0, 1].map(|process| context(&world, process, &store));
        let id = world
            .run(insert_account(&contexts[0], AccountState::Active))
            .id;
        let latest = world.run(page(&contexts[0], Some("latest"), 1)).cursor;
        let (reader, writer_of) = (&contexts[0], &contexts[writer]);
        let all = EventFilter::default();
        let wait = Duration::from_secs(20);
        let began = reader.host.monotonic();
        let later = async {
            reader
                .host
                .runtime
                .sleep(Duration::from_millis(3_300))
                .await;
            change(writer_of, id, Trigger::Suspended).await;
        };
        let reading = read(reader, &all, Some(&latest), 10, wait);
        let (read, ()) = world.run(join(reading, later));
        assert_eq!(names(&read.unwrap()), ["account.suspended"]);
        let took = reader.host.monotonic().saturating_sub(began);
        // Commits of this process wake the reader. It looks for commits of other processes every second.
        let expected = [3_300, 4_000][writer];
        assert_eq!(took, Duration::from_millis(expected), "{writer}");
    }
}

#[test]
fn waits_are_limited_in_time_and_number() {
    let world = World::new();
    let context = lonely(&world);
    let all = EventFilter::default();
    for (wait, took) in [(7, 7), (600, 30)] {
        let began = context.host.monotonic();
        let reading = read(&context, &all, None, 1, Duration::from_secs(wait));
        let page = world.ok(reading);
        assert!(page.items.is_empty());
        let elapsed = context.host.monotonic().saturating_sub(began);
        assert_eq!(elapsed, Duration::from_secs(took));
    }
    let places: Vec<_> = std::iter::from_fn(|| context.store.feed.wait().ok()).collect();
    assert_eq!(places.len(), 256);
    let reading = read(&context, &all, None, 1, Duration::from_secs(1));
    let error = world.err(reading);
    assert_eq!(error.kind(), crate::ErrorKind::Overloaded);
    // A read that doesn't wait needs no place.
    world.run(page(&context, None, 1));
    drop(places);
    let reading = read(&context, &all, None, 1, Duration::from_secs(1));
    world.ok(reading);
}

#[test]
fn a_wait_ends_when_the_process_does() {
    let world = World::new();
    let context = lonely(&world);
    let all = EventFilter::default();
    let closing = async {
        context
            .host
            .runtime
            .sleep(Duration::from_millis(1_500))
            .await;
        context.host.tasks.close();
    };
    let reading = read(&context, &all, None, 1, Duration::from_secs(20));
    let (read, ()) = world.run(join(reading, closing));
    assert!(read.unwrap().items.is_empty());
    assert_eq!(context.host.monotonic(), Duration::from_secs(2));
}

fn prune(world: &World, context: &Context, all: bool) {
    let cutoff = match all {
        true => context.host.now(),
        false => jiff::Timestamp::MIN,
    };
    let cutoffs = Cutoffs {
        access_tokens: jiff::Timestamp::MIN,
        keyed_calls: jiff::Timestamp::MIN,
        executions: jiff::Timestamp::MIN,
        totals: jiff::Timestamp::MIN,
        events: cutoff,
        short_lived_events: context.host.now(),
        authorizations: jiff::Timestamp::MIN,
        credentials: jiff::Timestamp::MIN,
        deliveries: jiff::Timestamp::MIN,
        approvals: jiff::Timestamp::MIN,
    };
    world.ok(context.store.prune(&cutoffs, 100));
}

/// A short-lived event.
fn refreshed(world: &World, context: &Context, id: AccountId) {
    let now = context.host.now();
    let done = context.change(
        "test",
        || context.existing_account(id),
        |account| {
            let change = Change::none().event(account.row.refresh_event("account.refreshed"));
            let mut row = account.row;
            row.updated_at = now;
            Ok((change.update(row, account.version), ()))
        },
    );
    world.ok(done);
}

#[test]
fn a_cursor_before_pruned_events_reports_a_gap() {
    let world = World::new();
    let context = lonely(&world);
    let id = world.run(three(&context));
    let first = world.run(page(&context, None, 1));
    let last = world.run(page(&context, None, 10)).cursor;
    // The two events after the first one are removed.
    let later = context.history.retention.events + SignedDuration::from_secs(60);
    world.advance(later.try_into().unwrap());
    prune(&world, &context, true);
    assert!(!world.run(page(&context, Some(&last), 10)).gap);
    world.run(change(&context, id, Trigger::Suspended));
    for (cursor, gap) in [(&first.cursor, true), (&last, false)] {
        let next = world.run(page(&context, Some(cursor), 10));
        assert_eq!((names(&next), next.gap), (vec!["account.suspended"], gap));
    }
    let next = world.run(page(&context, Some(&first.cursor), 10));
    let after = world.run(page(&context, Some(&next.cursor), 10));
    assert!(!after.gap);
}

#[test]
fn pruned_short_lived_events_are_no_gap() {
    let world = World::new();
    let context = lonely(&world);
    let id = world.run(three(&context));
    refreshed(&world, &context, id);
    let cursor = world.run(page(&context, None, 10)).cursor;
    refreshed(&world, &context, id);
    world.run(change(&context, id, Trigger::Suspended));
    world.advance(Duration::from_secs(2 * 86_400));
    prune(&world, &context, false);
    let next = world.run(page(&context, Some(&cursor), 10));
    assert_eq!((names(&next), next.gap), (vec!["account.suspended"], false));
    let kept = world.run(page(&context, None, 10));
    assert_eq!(kept.items.len(), 4, "{:?}", names(&kept));
}

#[test]
fn a_cursor_of_a_database_that_was_replaced_begins_again_with_a_gap() {
    let world = World::new();
    let (before, after) = (lonely(&world), lonely(&world));
    world.run(three(&before));
    let cursor = world.run(page(&before, None, 10)).cursor;
    world.run(three(&after));
    let next = world.run(page(&after, Some(&cursor), 10));
    assert_eq!((next.items.len(), next.gap), (3, true));
}
