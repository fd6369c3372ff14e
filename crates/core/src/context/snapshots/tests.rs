//! How long snapshots are used, and when they're dropped.

use futures_util::future::join_all;

use super::*;
use crate::{
    ErrorKind,
    context::{Context, follow::KEPT},
    resource::{ChangeConnection, ConnectionChange},
    state::AccountState,
    testing::{Mode, Readings, STABLE, World, always, context, idle, insert_account, ports},
};

const MILLISECOND: Duration = Duration::from_millis(1);

fn ada() -> AccountRef {
    AccountRef::new("demo", "ada").unwrap()
}

#[test]
fn only_an_active_account_of_a_ready_connection_can_be_called() {
    use AccountState::{
        Active, Disconnected, NeedsReauthorization, PendingAuthorization, PendingVerification,
        Suspended,
    };
    let table = [
        (PendingAuthorization, Some(ErrorKind::AuthorizationRequired)),
        (PendingVerification, Some(ErrorKind::VerificationRequired)),
        (Active, None),
        (NeedsReauthorization, Some(ErrorKind::AuthorizationRequired)),
        (Suspended, Some(ErrorKind::AccountSuspended)),
        (Disconnected, Some(ErrorKind::AuthorizationRequired)),
    ];
    for (state, refusal) in table {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        world.run(insert_account(&context, state));
        let kind = || {
            world
                .ok(context.reload(&ada()))
                .usable()
                .err()
                .map(|error| error.kind())
        };
        assert_eq!(kind(), refusal, "{state:?}");
        let off = ConnectionChange::default().disabled(true);
        world.send(&context, ChangeConnection::new("demo", off));
        assert_eq!(kind(), Some(ErrorKind::ConnectionNotReady), "{state:?}");
    }
}

#[test]
fn a_snapshot_is_used_for_a_minute_and_then_read_again() {
    let world = World::new();
    let store = Readings::new(&world);
    let context = world.run(of(&world, 0, &store));
    world.run(insert_account(&context, AccountState::Active));
    let read = || world.ok(context.snapshot(&ada()));
    let first = read();
    let before = store.count();
    for _ in 0..KEPT.as_secs() {
        world.advance(Duration::from_secs(1));
        assert!(Arc::ptr_eq(&first, &read()));
    }
    assert_eq!(store.count(), before);
    world.advance(MILLISECOND);
    let second = read();
    assert!(!Arc::ptr_eq(&first, &second));
    assert!(Arc::ptr_eq(&second, &read()));
}

#[test]
fn callers_of_the_same_account_share_one_read() {
    let world = World::new();
    let store = Readings::new(&world);
    let context = world.run(of(&world, 0, &store));
    world.run(insert_account(&context, AccountState::Active));
    world.ok(context.snapshot(&ada()));
    world.advance(KEPT + MILLISECOND);
    let before = store.count();
    store.set(Mode::Slow);
    let of = ada();
    world.run(join_all((0..1000).map(|_| context.snapshot(&of))));
    assert_eq!(store.count() - before, 3, "connection, account, credential");
}

#[test]
fn the_last_snapshot_is_used_without_a_wait_while_the_store_is_down() {
    let world = World::new();
    let store = Readings::new(&world);
    let context = world.run(of(&world, 0, &store));
    world.run(insert_account(&context, AccountState::Active));
    world.ok(context.snapshot(&ada()));
    store.set(Mode::Away);
    world.advance(Duration::from_secs(1));
    let elapsed = |of: &AccountRef| {
        let before = context.host.monotonic();
        let read = world.run(context.snapshot(of)).map(drop);
        (
            read.map_err(|error| error.kind()),
            context.host.monotonic() - before,
        )
    };
    let at_once = Duration::ZERO;
    // Stead started to read the feed after 250 ms, and doubts the store 250 ms later. After another second, the store
    // counts as unavailable.
    assert_eq!(elapsed(&ada()), (Ok(()), Duration::from_millis(500)));
    // Calls for an account without a snapshot fail immediately.
    let other = AccountRef::new("demo", "grace").unwrap();
    let before = store.count() + store.lists();
    for _ in 0..100 {
        assert_eq!(elapsed(&ada()), (Ok(()), at_once));
        let refused = Err(ErrorKind::StorageUnavailable);
        assert_eq!(elapsed(&other), (refused, at_once));
    }
    let asked = store.count() + store.lists() - before;
    assert_eq!(asked, 0, "no call asks the store");
    // Stead probes the store once a second, and the first response ends the outage.
    store.set(Mode::Present);
    world.advance(Duration::from_secs(2));
    let refused = Err(ErrorKind::AuthorizationRequired);
    assert_eq!(elapsed(&other), (refused, at_once));
    assert_eq!(elapsed(&ada()), (Ok(()), at_once));
    let since = world.run(context.reliable_since()).since;
    assert!(world.ok(context.snapshot(&ada())).read_at >= since);
}

#[test]
fn a_snapshot_older_than_five_minutes_is_not_used_while_the_store_is_down() {
    let world = World::new();
    let store = Readings::new(&world);
    let context = world.run(of(&world, 0, &store));
    world.run(insert_account(&context, AccountState::Active));
    world.ok(context.snapshot(&ada()));
    store.set(Mode::Away);
    let kind = || {
        world
            .run(context.snapshot(&ada()))
            .err()
            .map(|error| error.kind())
    };
    world.advance(context.memory.store_outage - Duration::from_secs(10));
    assert_eq!(kind(), None);
    world.advance(Duration::from_secs(10));
    assert_eq!(kind(), Some(ErrorKind::StorageUnavailable));
}

#[test]
fn tokens_that_were_replaced_after_the_account_was_read_are_read_again() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(insert_account(&context, AccountState::Active));
    let now = world.ok(context.reload(&ada())).account.clone();
    let mut before = now.clone();
    before.generation -= 1;
    let (account, tokens) = world.ok(context.current_tokens(before));
    assert_eq!(account, now);
    assert!(tokens.is_some());
    // If the store has no tokens of the account, the result has no tokens either.
    let mut unknown = now;
    unknown.id = crate::identifier::AccountId::from_uuid(uuid::Uuid::from_u128(7));
    let (_, tokens) = world.ok(context.current_tokens(unknown));
    assert!(tokens.is_none());
}

#[test]
fn tokens_are_forgotten_five_minutes_after_their_last_use() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(insert_account(&context, AccountState::Active));
    let kept = || context.memory.snapshots.cache.len();
    for _ in 0..4 {
        world.ok(context.snapshot(&ada()));
        world.advance(Duration::from_secs(120));
        assert_eq!(kept(), 1);
    }
    world.advance(UNUSED);
    assert_eq!(kept(), 0);
}

#[test]
fn unused_snapshots_are_evicted_first() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(insert_account(&context, AccountState::Active));
    let read = world.ok(context.read(&ada()));
    let snapshots = Snapshots::with_capacity(1000);
    let named = |number: u32| AccountRef::new("demo", &format!("user-{number}")).unwrap();
    let keep = |number: u32| {
        let of = named(number);
        let slots = Slots::of(&of);
        snapshots.keep(&Arc::new(Snapshot {
            epoch: snapshots.epoch(slots),
            slots,
            of,
            connection: Arc::clone(&read.connection),
            endpoints: Arc::clone(&read.endpoints),
            account: read.account.clone(),
            tokens: None,
            rate_limiter: Arc::clone(&read.rate_limiter),
            places: read.places.clone(),
            read_at: Duration::ZERO,
            used_at: Moment::default(),
        }));
    };
    let mut misses = 0;
    for number in 0..100_000 {
        keep(number);
        // One user calls all the time, among many who called once.
        if snapshots.cached(&named(0), Duration::ZERO).is_none() {
            misses += 1;
            keep(0);
        }
        assert!(snapshots.cache.len() <= 1100);
    }
    assert!(misses < 10, "{misses}");
}

#[test]
fn a_read_from_before_a_change_is_not_used_after_it() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(insert_account(&context, AccountState::Active));
    let forgettings: [fn(&Snapshots); 2] = [
        |snapshots| snapshots.forget(&ada().identifier),
        |snapshots| snapshots.forget_connection(&ada().connection),
    ];
    for forget in forgettings {
        let read = Arc::new(world.ok(context.read(&ada())));
        context.memory.snapshots.keep(&read);
        let cached = || context.memory.snapshots.cached(&ada(), Duration::ZERO);
        assert!(cached().is_some());
        forget(&context.memory.snapshots);
        assert!(cached().is_none());
        context.memory.snapshots.keep(&read);
        assert!(cached().is_none());
    }
}

#[test]
fn an_unknown_user_is_asked_to_authorize() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(insert_account(&context, AccountState::Active));
    let kind = |connection: &str, user: &str| {
        AccountRef::new(connection, user)
            .and_then(|of| world.run(context.snapshot(&of)))
            .unwrap_err()
            .kind()
    };
    assert_eq!(kind("demo", "grace"), ErrorKind::AuthorizationRequired);
    assert_eq!(kind("other", "ada"), ErrorKind::UnknownConnection);
    assert_eq!(kind("a/b", "ada"), ErrorKind::UnknownConnection);
}

/// A context of this process on this store, without background work.
async fn of(world: &World, process: u32, store: &Arc<Readings>) -> Context {
    let store = Arc::clone(store) as _;
    idle(
        &STABLE,
        ports(world.process(process), always(200, ""), store),
    )
    .await
}
