//! A key takes the place of another, and everything is sealed again.

use std::collections::BTreeSet;

use super::{
    super::{lifecycle::tables, sealed_tables::SEALED_TABLES},
    *,
};
use crate::resource::{ActivateKey, AddKey, KeyActivation, KeyCount, ListKeys, RetireKey};

#[test]
fn every_table_that_is_marked_as_sealed_is_sealed_again() {
    let listed: Vec<_> = SEALED_TABLES
        .iter()
        .map(|sealed| sealed.table.name)
        .collect();
    let mut marked: Vec<_> = tables().map(|table| table.name).collect();
    marked.sort_unstable();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, marked);
    // And each of them is among the rows that the tests below seal again.
    let stage = Stage::new();
    stage.fill(1);
    let is_listed = |table: &Table| tables().any(|one| one == table);
    let rows = stage.all_rows(is_listed);
    for table in listed.into_iter().filter(|table| *table != "erasure") {
        let sealed = rows.iter().filter(|row| row.table.name == table);
        let keys = sealed.flat_map(|row| data_keys_in(&row.body).collect::<Vec<_>>());
        let keys: BTreeSet<String> = keys.map(|key| key.to_string()).collect();
        assert_eq!(keys, BTreeSet::from([FIRST.to_owned()]), "{table}");
    }
    // Nothing is sealed where no one looks.
    for row in stage.all_rows(|table| !is_listed(table) && table.name != "data_key") {
        assert_eq!(data_keys_in(&row.body).next(), None, "{row:?}");
    }
}

#[test]
fn a_key_is_added_activated_used_for_everything_and_the_former_destroyed() {
    let stage = Stage::new();
    stage.fill(3);
    let other = stage.another(1);
    let second = stage.next_key();
    let all = stage.under_the_first();
    // The other process has it; what it seals is sealed with it.
    stage.connection(&other, "late");
    assert_eq!(stage.under_the_first(), all);

    let mut heard = Vec::new();
    let reached = stage.world.run(reencrypt_all(&stage.context, |now| {
        heard.push((now.done, now.left));
    }));
    let reached = reached.unwrap();
    assert_eq!((reached.done, reached.left), (all, 0));
    assert_eq!(reached.failed, []);
    assert_eq!((heard[0], heard[heard.len() - 1]), ((0, all), (all, 0)));
    assert_eq!(stage.under_the_first(), 0);

    let retired = stage
        .world
        .run(retire(&stage.context, RetireKey::new(FIRST)))
        .unwrap();
    assert_eq!(retired.state, DataKeyState::Retired);
    let listed = stage
        .world
        .run(list(
            &stage.context,
            ListKeys::new().count(KeyCount::rows(true)),
        ))
        .unwrap();
    let states: Vec<_> = listed
        .data_keys
        .iter()
        .map(|key| (key.state, key.rows.unwrap()))
        .collect();
    assert_eq!(
        states,
        // The connection, and what the log tells of it, of the sealing and of the retirement.
        [(DataKeyState::Retired, 0), (DataKeyState::Active, all + 4)]
    );
    // A process that starts now opens everything.
    let third = stage.another(2);
    for number in 0..3 {
        stage.world.run(call_as(&third, number)).unwrap();
        stage.world.run(call_as(&other, number)).unwrap();
    }
    let names: Vec<_> = stage.events().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "key.added",
            "key.activated",
            "key.reencrypted",
            "key.retired"
        ]
    );
    let (_, data) = stage.events().remove(2);
    assert_eq!(data, json!({ "key_id": second, "rows": all, "left": 0 }));
}

#[test]
fn nothing_is_stored_under_a_key_once_it_is_replaced() {
    let stage = Stage::new();
    stage.fill(1);
    // It has read the keys, and does not hear of the next one before its own round.
    let other = stage.another(1);
    stage.world.freeze(1, true);
    stage.next_key();
    let sealed = stage.under_the_first();
    stage.connection(&other, "late");
    assert_eq!(stage.under_the_first(), sealed);
    let (connection, place) = stage.world.run(async {
        let found = stage.context.connection_row("late").await.unwrap().row;
        (found.client_secret.unwrap(), place::client_secret(found.id))
    });
    let opened = stage
        .world
        .run(stage.context.store.vault.open_sealed(place, &connection));
    assert_eq!(opened.unwrap().as_slice(), b"secret");
}

#[test]
fn a_key_that_another_process_has_activated_is_read_where_it_is_met() {
    let stage = Stage::new();
    stage.fill(100);
    let other = stage.another(1);
    stage.world.freeze(1, true);
    stage.next_key();
    stage
        .world
        .run(reencrypt_all(&stage.context, |_| {}))
        .unwrap();
    stage.world.freeze(1, false);
    let (done, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    for number in 0..100 {
        let (other, done, failed) = (other.clone(), Arc::clone(&done), Arc::clone(&failed));
        stage.world.process(2).spawn(Box::pin(async move {
            match call_as(&other, number).await {
                Ok(_) => done.fetch_add(1, Ordering::SeqCst),
                Err(_) => failed.fetch_add(1, Ordering::SeqCst),
            };
        }));
    }
    stage.world.run_until_idle();
    assert_eq!(
        (done.load(Ordering::SeqCst), failed.load(Ordering::SeqCst)),
        (100, 0)
    );
}

#[test]
fn tokens_in_the_spool_keep_their_key() {
    let world = World::new();
    let (machine, store) = (Arc::new(Machine::default()), Flaky::new(world.process(0)));
    let spool = machine.spool(0, || {});
    let opened = open_spooled(
        world.process(0),
        &STABLE,
        always(200, "{}"),
        Arc::clone(&store) as _,
        Arc::clone(&spool),
    );
    let context = world.run(opened);
    let account = account(1, "ada");
    let tokens = TokenSet::new("token".into(), None, None);
    let sealed = tokens
        .seal_for_spool(&context.store.vault, &account, Uuid::nil())
        .unwrap();
    let record = json!({ "sealed": sealed }).to_string();
    world.run(spool.put("a", record.as_bytes())).unwrap();
    let added = world.run(add(&context, AddKey::new())).unwrap().key_id;
    world
        .run(activate(
            &context,
            ActivateKey::new(&added, KeyActivation::default().at_once(true)),
        ))
        .unwrap();
    world.run(reencrypt_all(&context, |_| {})).unwrap();
    let error = world
        .run(retire(&context, RetireKey::new(FIRST)))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    let opened = TokenSet::open_from_spool(&context.store.vault, &account, Uuid::nil(), 0, &sealed);
    assert!(world.run(opened).is_ok());
    world.run(spool.remove("a")).unwrap();
    world.run(retire(&context, RetireKey::new(FIRST))).unwrap();
}

#[test]
fn a_row_that_cannot_be_opened_is_named_and_keeps_its_key() {
    let stage = Stage::new();
    stage.fill(3);
    let rows = stage.store.rows();
    let credentials = rows.rows(SEALED_TABLES[1].table, None, 1);
    let (found, _) = credentials.now_or_never().unwrap().unwrap();
    let found = found.into_iter().next().unwrap();
    let (mut row, version) = (found.row, found.version);
    let cut = row.body.rfind("\",\"held_by").unwrap() - 8;
    row.body.replace_range(cut..cut + 4, "AAAA");
    let batch = Batch::new().write(Write::Update(row, version));
    let changed = stage.store.rows().commit(batch).now_or_never().unwrap();
    assert_eq!(changed.unwrap(), Commit::Committed);
    stage.next_key();
    let all = stage.under_the_first();
    let reached = stage
        .world
        .run(reencrypt_all(&stage.context, |_| {}))
        .unwrap();
    assert_eq!((reached.done, reached.left), (all - 1, 1));
    assert_eq!(reached.failed[0].table, "credential");
    assert!(
        reached.failed[0].key.starts_with("acct_00000000"),
        "{reached:?}"
    );
    assert!(
        stage
            .world
            .run(retire(&stage.context, RetireKey::new(FIRST)))
            .is_err()
    );
}

#[test]
fn what_is_cut_off_is_finished_by_the_next_one() {
    let stage = Stage::new();
    stage.fill(250);
    stage.next_key();
    let all = stage.under_the_first();
    // It stops for good after its second batch.
    let (world, batches) = (stage.world.clone(), AtomicUsize::new(0));
    stage.store.watch(move |batch| {
        if batch.name == "keys.reencrypt" && batches.fetch_add(1, Ordering::SeqCst) == 1 {
            world.freeze(7, true);
        }
    });
    let context = stage.context.clone();
    stage.world.process(7).spawn(Box::pin(async move {
        drop(reencrypt_all(&context, |_| {}).await);
    }));
    stage.world.run_until_idle();
    stage.world.kill(7);
    let left = stage.under_the_first();
    assert!((1..all).contains(&left), "{left}");
    let reached = stage
        .world
        .run(reencrypt_all(&stage.context, |_| {}))
        .unwrap();
    assert_eq!((reached.done, reached.left), (all, 0));
}

/// A service of two processes calls for 1,000 accounts in turn while an operator replaces the key: each way of sealing
/// meets each way of opening.
#[test]
fn a_thousand_accounts_get_another_key_while_calls_go_on() {
    const ACCOUNTS: u128 = 1_000;
    let stage = Stage::new();
    stage.fill(ACCOUNTS);
    let backup = stage.all_rows(|_| true);
    let operator = stage.with_ring(9, &format!("{NEW},{RING}"), None).unwrap();
    let file = Arc::new(File(
        Mutex::new(format!("{NEW},{RING}")),
        AtomicUsize::new(0),
    ));
    stage.world.kill(0);
    let (calls, failed) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(Mutex::new(Vec::new())),
    );
    let over = Arc::new(AtomicBool::new(false));
    for process in 1..3_u32 {
        let service = stage
            .with_ring(process, RING, Some(Arc::clone(&file) as _))
            .unwrap();
        let (calls, failed, over) = (Arc::clone(&calls), Arc::clone(&failed), Arc::clone(&over));
        stage.world.process(process).spawn(Box::pin(async move {
            let mut number = u128::from(process);
            while !over.load(Ordering::SeqCst) {
                if let Err(error) = call_as(&service, number % ACCOUNTS).await {
                    failed.lock().unwrap().push(error.to_string());
                }
                calls.fetch_add(1, Ordering::SeqCst);
                number += 271;
                service.host.runtime.sleep(Duration::from_millis(500)).await;
            }
        }));
    }
    let added = stage
        .world
        .run(add(&operator, AddKey::new()))
        .unwrap()
        .key_id;
    stage.world.advance(Duration::from_secs(61));
    stage
        .world
        .run(activate(
            &operator,
            ActivateKey::new(&added, KeyActivation::default().at_once(false)),
        ))
        .unwrap();
    let reached = stage.world.run(reencrypt_all(&operator, |_| {})).unwrap();
    assert!(reached.done > 1_008, "{reached:?}");
    assert_eq!(reached.left, 0);
    stage
        .world
        .run(retire(&operator, RetireKey::new(FIRST)))
        .unwrap();
    stage.world.advance(Duration::from_secs(10));
    over.store(true, Ordering::SeqCst);
    assert_eq!(*failed.lock().unwrap(), Vec::<String>::new());
    assert!(calls.load(Ordering::SeqCst) > 250, "{calls:?}");

    // Nothing in the database opens with the old key, in whatever form it is kept.
    for row in stage.all_rows(|_| true) {
        assert!(data_keys_in(&row.body).all(|key| key.to_string() != FIRST));
    }
    assert!(stage.with_ring(3, RING, None).is_err());
    // The backup opens with it.
    let restored = Arc::new(MemoryStore::new(stage.world.process(4)));
    let rows = backup.into_iter().map(Write::Insert);
    let batch = rows.fold(Batch::new(), Batch::write);
    let committed = stage.world.run(restored.commit(batch));
    assert_eq!(committed.unwrap(), Commit::Committed);
    let ports = ports(stage.world.process(4), always(200, "{}"), restored);
    let old = stage.world.run(idle(&STABLE, ports));
    for number in [0, ACCOUNTS - 1] {
        stage.world.run(call_as(&old, number)).unwrap();
    }
}
