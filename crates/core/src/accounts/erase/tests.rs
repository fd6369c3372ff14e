//! After an erasure, no stored data names the user, even if the work was interrupted.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use jiff::SignedDuration;
use serde_json::Value;

use crate::{
    ErrorKind, accounts,
    context::{Context, change::Change},
    domain::{Execution, Subject},
    maintenance, oauth,
    resource::{
        DisconnectAccount, Disconnection, ErasureProgress, NewAuthorizationLink, ReadAccount,
    },
    state::AccountState,
    store::{Batch, List, Store, TABLES},
    testing::{Flaky, STABLE, World, always, context, execution, executions, insert_account},
};

const ADA: &str = "ada";
const EMAIL: &str = "lovelace@example.com";

/// The erasure of a user.
fn erasure_of(identifier: &str) -> DisconnectAccount {
    DisconnectAccount::new("demo", identifier).how(Disconnection::new().erase(true))
}

/// Ada's account with a link, an event for each, a subject, and calls from before and after she was connected.
async fn known(context: &Context) {
    let account = insert_account(context, AccountState::Active).await;
    let link = NewAuthorizationLink::new("demo", ADA)
        .verify_url("https://app.test/back")
        .state(format!("{EMAIL} came from here"));
    oauth::links::create(context, link).await.unwrap();
    context
        .change(
            "test",
            || context.existing_account(account.id),
            |mut found| {
                let before = found.row.state;
                found.row.subject = Some(Subject {
                    id: String::from("subject-of-lovelace"),
                    display: Some(EMAIL.to_owned()),
                });
                let mut event = found.row.event("account.activated");
                event.data["product_user"] = EMAIL.into();
                let change = Change::none().event(event).account(
                    Some((found.row, None)),
                    before,
                    found.version,
                );
                Ok((change, ()))
            },
        )
        .await
        .unwrap();
    for number in 0..4 {
        let identifier = if number == 3 { "grace" } else { ADA };
        let call = Execution {
            account_id: (number == 1).then_some(account.id),
            ..execution(
                number,
                identifier,
                context.host.now() - SignedDuration::from_mins(5),
            )
        };
        context.history.recorder.add(context, call);
    }
}

/// Everything that is stored, with the records of calls in plain text.
async fn stored(context: &Context, store: &dyn Store) -> String {
    let mut all = String::new();
    for table in TABLES {
        for found in store.list(&List::new(table, table.key)).await.unwrap() {
            all += &format!("{} {:?} {}\n", table.name, found.row.values, found.row.body);
            let body: Value = serde_json::from_str(&found.row.body).unwrap();
            if let Some(packed) = body["calls"].as_str() {
                let bytes = STANDARD_NO_PAD.decode(packed).unwrap();
                all += &String::from_utf8_lossy(&bytes);
            }
        }
    }
    all + &format!("{:?}", executions(context).await)
}

fn assert_forgotten(all: &str) {
    for name in ["\"ada\"", ADA, "lovelace"] {
        let place = all
            .find(name)
            .map(|at| &all[at.saturating_sub(300)..at + 30]);
        assert_eq!(place, None, "{name}");
    }
    assert!(all.contains("grace"));
}

#[test]
fn an_erased_user_is_gone_from_the_store_and_can_reconnect() {
    let world = World::new();
    let store = world.store();
    let context = world.open(0, &STABLE, always(200, ""), &store);
    world.run(known(&context));
    world.run(context.history.recorder.flush(&context));
    let all = world.run(stored(&context, &*store));
    assert!(all.matches(ADA).count() > 5 && all.matches("lovelace").count() >= 3);
    let before = world.send(&context, ReadAccount::new("demo", "ada"));
    let done = world.send(&context, erasure_of(ADA));
    assert_eq!(done.erasure, Some(ErasureProgress::Complete));
    let all = world.run(stored(&context, &*store));
    assert_forgotten(&all);
    let events = world.ok(context.store.events(None, None, 100));
    let names: Vec<_> = events.iter().map(|found| found.row.name.as_str()).collect();
    assert_eq!(names.last(), Some(&"account.erased"));
    let last = &events.last().unwrap().row;
    assert_eq!(last.account_id, Some(before.id));
    let pseudonym = last.data["identifier"].as_str().unwrap();
    let calls = world.run(executions(&context));
    let named = calls.iter().filter(|call| call.identifier == pseudonym);
    assert_eq!((calls.len(), named.count()), (4, 3));

    // A repeated erasure reports its progress. Other requests find no account.
    let again = world.send(&context, erasure_of(ADA));
    assert_eq!(again.erasure, Some(ErasureProgress::Complete));
    for refused in [DisconnectAccount::new("demo", ADA), erasure_of("grace")] {
        let error = world.refused(&context, refused);
        assert_eq!(error.kind(), ErrorKind::AccountNotFound);
    }

    // A new link begins a new account, whose calls keep its name.
    let link = NewAuthorizationLink::new("demo", ADA).verify_url("https://app.test/back");
    world.send(&context, link);
    let after = world.send(&context, ReadAccount::new("demo", "ada"));
    assert_ne!(after.id, before.id);
    assert_eq!(after.state, AccountState::PendingAuthorization);
    let call = Execution {
        account_id: Some(after.id),
        ..execution(9, ADA, context.host.now())
    };
    context.history.recorder.add(&context, call);
    world.advance(std::time::Duration::from_secs(25 * 3_600));
    let kept = world.run(executions(&context));
    assert!(
        kept.iter()
            .all(|call| call.identifier != ADA || call.account_id == Some(after.id))
    );
    let erased = world.ok(context.store.erasure(pseudonym)).unwrap();
    assert_eq!((erased.row.passes, erased.row.due_at), (3, None));
}

#[test]
fn a_later_pass_finds_the_record_of_a_running_call() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(known(&context));
    let began = context.host.now();
    world.advance(std::time::Duration::from_secs(1));
    world.send(&context, erasure_of(ADA));
    context
        .history
        .recorder
        .add(&context, execution(9, ADA, began));
    world.run(context.history.recorder.flush(&context));
    let named = |context: &Context| {
        let calls = world.run(executions(context));
        calls.iter().filter(|call| call.identifier == ADA).count()
    };
    assert_eq!(named(&context), 1);
    world.advance(std::time::Duration::from_secs(11 * 60));
    assert_eq!(named(&context), 0);
}

/// The store rejects everything after each commit in turn. Maintenance completes what was started.
#[test]
fn maintenance_completes_an_interrupted_erasure() {
    let mut pending = 0;
    for failing in 0..8 {
        let world = World::new();
        let store = Flaky::new(world.process(0));
        let context = world.open(0, &STABLE, always(200, ""), &store);
        world.run(known(&context));
        world.run(context.history.recorder.flush(&context));
        let (cut, commits) = (Arc::clone(&store), AtomicUsize::new(0));
        store.set_down(failing == 0);
        store.watch(move |_| {
            if commits.fetch_add(1, Ordering::SeqCst) + 1 == failing {
                cut.set_down(true);
            }
        });
        let done = world.run(accounts::disconnect(&context, erasure_of(ADA)));
        store.set_down(false);
        pending += usize::from(
            matches!(&done, Ok(done) if done.erasure == Some(ErasureProgress::Pending)),
        );
        match done {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
                world.send(&context, erasure_of(ADA));
            }
        }
        world.ok(maintenance::run(&context));
        let all = world.run(stored(&context, &*store));
        assert_forgotten(&all);
    }
    assert!(pending > 1, "{pending}");
}

/// Maintenance first moves the calls of the first format.
#[test]
fn records_of_an_older_stead_keep_an_erasure_pending() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    world.run(known(&context));
    // Another server of the older version stores a call after this one has started.
    world.run_until_idle();
    let old = execution(50, ADA, context.host.now() - SignedDuration::from_mins(1));
    let _ = world.ok(context.store.commit(Batch::new().insert(old)));
    let done = world.send(&context, erasure_of(ADA));
    assert_eq!(done.erasure, Some(ErasureProgress::Pending));
    world.ok(maintenance::run(&context));
    let done = world.send(&context, erasure_of(ADA));
    assert_eq!(done.erasure, Some(ErasureProgress::Complete));
    let calls = world.run(executions(&context));
    assert!(calls.iter().all(|call| call.identifier != ADA), "{calls:?}");
}
