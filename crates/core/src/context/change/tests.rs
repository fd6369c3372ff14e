//! Changes on a store that loses responses. The change was applied although it was reported as failed, or it really
//! failed.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use super::*;
use crate::{
    domain::account::Trigger,
    state::AccountState,
    testing::{Asked, Flaky, STABLE, World, account, always},
};

/// How many more times a store fails.
#[derive(Default)]
struct Lossy {
    /// Number of commits that are applied and then reported as failed.
    lost: AtomicU32,
    /// Number of commits that fail.
    failing: AtomicU32,
    /// Number of lookups that fail.
    blind: AtomicU32,
}

fn next(count: &AtomicU32) -> bool {
    let less = |count: u32| count.checked_sub(1);
    count
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
        .is_ok()
}

impl Lossy {
    fn says(&self, asked: Asked<'_>) -> Result<()> {
        let count = match asked {
            Asked::Row => &self.blind,
            Asked::Commit => &self.failing,
            Asked::Answered(_, Commit::Committed) => &self.lost,
            _ => return Ok(()),
        };
        match next(count) {
            true => Err(Error::new(ErrorKind::StorageUnavailable, "away")),
            false => Ok(()),
        }
    }
}

/// An account in such a store.
struct Stage {
    world: World,
    context: Context,
    store: Arc<Lossy>,
    id: AccountId,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let (rows, store) = (Flaky::new(world.process(0)), Arc::<Lossy>::default());
        let lossy = Arc::clone(&store);
        rows.script(move |asked| std::future::ready(lossy.says(asked)));
        let context = world.open(0, &STABLE, always(200, ""), &rows);
        let account = account(1, "ada");
        let id = account.id;
        let stage = Self {
            world,
            context,
            store,
            id,
        };
        assert!(stage.add(account).is_ok());
        stage
    }

    fn add(&self, account: Account) -> Result<()> {
        let exists = Error::new(ErrorKind::AlreadyExists, "it exists");
        let change = Change::none().insert_account(account, "account.created");
        self.world
            .run(self.context.add("account.create", change, exists))
    }

    /// Suspends the account, with an event.
    fn suspend(&self) -> Result<Account> {
        let now = self.context.host.now();
        self.world
            .run(self.context.change_account("suspend", self.id, |account| {
                account.row.on(Trigger::Suspended, now)
            }))
    }

    /// Stores the account with one more failed refresh, and nothing else. Retries after any failure.
    fn count_failure(&self) -> Result<u32> {
        self.world.run(self.context.change_with_retries(
            "count",
            || self.context.existing_account(self.id),
            |account| {
                let row = Account {
                    refresh_failures: account.row.refresh_failures + 1,
                    ..account.row
                };
                let failures = row.refresh_failures;
                Ok((Change::none().update(row, account.version), failures))
            },
            |_| async { true },
        ))
    }

    fn found(&self) -> Versioned<Account> {
        self.world.ok(self.context.existing_account(self.id))
    }

    fn events(&self) -> Vec<String> {
        let events = self.world.run(self.context.store.events(None, None, 100));
        let names = events.unwrap().into_iter().map(|event| event.row.name);
        names.collect()
    }
}

#[test]
fn a_commit_with_a_lost_response_is_committed() {
    let stage = Stage::new();
    stage.store.lost.store(1, Ordering::SeqCst);
    assert_eq!(stage.suspend().unwrap().state, AccountState::Suspended);
    assert_eq!(stage.found().version, 2);
    assert_eq!(stage.events().len(), 2, "{:?}", stage.events());
}

#[test]
fn an_insertion_with_a_lost_response_succeeds_and_a_second_one_is_refused() {
    let stage = Stage::new();
    stage.store.lost.store(1, Ordering::SeqCst);
    let added = account(2, "bob");
    stage.add(added.clone()).unwrap();
    let error = stage.add(added).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
}

#[test]
fn a_change_without_events_or_insertions_is_recognized_too() {
    let stage = Stage::new();
    stage.store.lost.store(1, Ordering::SeqCst);
    assert_eq!(stage.count_failure().unwrap(), 1);
    assert_eq!(
        (stage.found().version, stage.found().row.refresh_failures),
        (2, 1)
    );
}

#[test]
fn a_batch_that_conflicts_with_itself_is_committed() {
    let stage = Stage::new();
    let loaded = AtomicU32::new(0);
    // The lookup after the lost response fails too, so only the next attempt can tell.
    let counted = stage.world.run(stage.context.change_with_retries(
        "count",
        || async {
            let found = stage.context.existing_account(stage.id).await;
            if loaded.fetch_add(1, Ordering::SeqCst) == 0 {
                stage.store.lost.store(1, Ordering::SeqCst);
                stage.store.blind.store(1, Ordering::SeqCst);
            }
            found
        },
        |account: Versioned<Account>| {
            let row = Account {
                refresh_failures: 7,
                ..account.row
            };
            Ok((Change::none().update(row, account.version), account.version))
        },
        |_| async { true },
    ));
    assert_eq!(counted.unwrap(), 1, "it was decided once");
    assert_eq!(stage.found().version, 2);
}

#[test]
fn a_commit_that_failed_is_reported_or_tried_again() {
    let stage = Stage::new();
    stage.store.failing.store(1, Ordering::SeqCst);
    let error = stage.suspend().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    assert_eq!((stage.found().version, stage.events().len()), (1, 1));
    stage.store.failing.store(3, Ordering::SeqCst);
    assert_eq!(stage.count_failure().unwrap(), 1);
    assert_eq!(stage.found().version, 2);
}

#[test]
fn another_writer_between_two_attempts_is_a_conflict() {
    let stage = Stage::new();
    stage.store.failing.store(1, Ordering::SeqCst);
    let mut attempts = 0;
    let decided = AtomicU32::new(0);
    let failures = stage.world.run(stage.context.change_with_retries(
        "count",
        || stage.context.existing_account(stage.id),
        |account: Versioned<Account>| {
            decided.fetch_add(1, Ordering::SeqCst);
            let row = Account {
                refresh_failures: account.row.refresh_failures + 1,
                ..account.row
            };
            let failures = row.refresh_failures;
            Ok((Change::none().update(row, account.version), failures))
        },
        |failures| {
            attempts = failures;
            let other = stage.another_writes();
            async move {
                other.await;
                true
            }
        },
    ));
    assert_eq!(attempts, 1);
    assert_eq!(failures.unwrap(), 11, "on top of what the other wrote");
    assert_eq!(decided.into_inner(), 2);
    assert_eq!(stage.found().version, 3);
}

impl Stage {
    /// Another process writes the account.
    fn another_writes(&self) -> impl Future<Output = ()> + use<> {
        let (context, id) = (self.context.clone(), self.id);
        async move {
            let found = context.existing_account(id).await.unwrap();
            let row = Account {
                refresh_failures: 10,
                ..found.row
            };
            let batch = Batch::new().update(row, found.version);
            assert_eq!(
                context.store.commit(batch).await.unwrap(),
                Commit::Committed
            );
        }
    }
}

#[test]
fn a_patient_change_reports_the_store_when_its_time_is_over() {
    let stage = Stage::new();
    stage.store.failing.store(u32::MAX, Ordering::SeqCst);
    let error = stage.world.err(stage.context.change_patiently(
        "suspend",
        || stage.context.existing_account(stage.id),
        |account: Versioned<Account>| {
            let changed = account
                .row
                .on(Trigger::Suspended, stage.context.host.now())?;
            Ok((
                Change::none().account(changed, account.row.state, account.version),
                (),
            ))
        },
    ));
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    assert!(stage.context.host.monotonic() >= PATIENCE);
}
