//! A key replaces another one, and everything is re-encrypted.

use std::collections::BTreeSet;

use super::{super::rows::tables, *};
use crate::seal::{Again, secrets::SECRETS};

#[test]
fn every_table_and_every_declared_secret_is_sealed_again() {
    let stage = Stage::new();
    let account = stage.fill(1);
    let is_listed = |table: &Table| tables().any(|one| one == table);
    let rows = stage.all_rows(is_listed);
    // No user was erased, so this table has no rows.
    for table in tables().filter(|table| table.name != "erasure") {
        let sealed = rows.iter().filter(|row| row.table == table);
        let keys = sealed.flat_map(|row| data_keys_in(&row.body).collect::<Vec<_>>());
        let keys: BTreeSet<String> = keys.map(|key| key.to_string()).collect();
        assert_eq!(keys, BTreeSet::from([FIRST.to_owned()]), "{}", table.name);
    }
    // No other table has encrypted data.
    for row in stage.all_rows(|table| !is_listed(table) && table.name != "data_key") {
        assert_eq!(data_keys_in(&row.body).next(), None, "{row:?}");
    }
    // Each declared secret is in one of the rows, and its declaration finds it there.
    stage.next_key();
    let vault = &stage.context.store.vault;
    let account = Some(account);
    let again = Again { vault, account };
    for secrets in SECRETS {
        let mut rows = stage.found(|table| *table == *secrets.table).into_iter();
        assert!(rows.any(|found| {
            let found = stage.done(stage.context.store.authentic(found));
            let before = found.row.body.clone();
            (secrets.reseal)(found, &again).unwrap().row.body != before
        }));
    }
}

#[test]
fn a_key_is_added_activated_used_for_everything_and_the_former_destroyed() {
    let stage = Stage::new();
    stage.fill(3);
    let other = stage.another(1);
    let second = stage.next_key();
    let all = stage.under_the_first();
    // The other process has the new key, and encrypts with it.
    stage.connection(&other, "late");
    assert_eq!(stage.under_the_first(), all);

    let mut heard = Vec::new();
    let heard_of = |now: &Reencryption| heard.push((now.done, now.left));
    let reached = stage.done(reencrypt_all(&stage.context, heard_of));
    assert_eq!((reached.done, reached.left), (all, 0));
    assert_eq!(reached.failed, []);
    assert_eq!((heard[0], heard[heard.len() - 1]), ((0, all), (all, 0)));
    assert_eq!(stage.under_the_first(), 0);

    let retired = stage.retire(&stage.context, FIRST).unwrap();
    assert_eq!(retired.state, DataKeyState::Retired);
    let listed = stage.list(&stage.context).data_keys;
    let states: Vec<_> = listed
        .iter()
        .map(|key| (key.state, key.rows.unwrap()))
        .collect();
    assert_eq!(
        states,
        // The new rows are the connection, and the log's entries about it, the re-encryption and the retired key.
        [(DataKeyState::Retired, 0), (DataKeyState::Active, all + 4)]
    );
    // A process that starts now can decrypt everything.
    let third = stage.another(2);
    for number in 0..3 {
        stage.world.ok(call_as(&third, number));
        stage.world.ok(call_as(&other, number));
    }
    let events = stage.events();
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "key.added",
        "key.activated",
        "key.reencrypted",
        "key.retired",
    ];
    assert_eq!(names, expected);
    let data = json!({ "key_id": second, "rows": all, "left": 0 });
    assert_eq!(events[2].1, data);
}

#[test]
fn nothing_is_stored_under_a_key_once_it_is_replaced() {
    let stage = Stage::new();
    stage.fill(1);
    // This process has read the keys, and only learns of the next one in its own maintenance round.
    let other = stage.another(1);
    stage.world.freeze(1, true);
    stage.next_key();
    let sealed = stage.under_the_first();
    stage.connection(&other, "late");
    assert_eq!(stage.under_the_first(), sealed);
    let (connection, place) = stage.world.run(async {
        let found = stage.context.connection_row("late").await.unwrap().row;
        (found.client_secret.unwrap(), place::ClientSecret(found.id))
    });
    let opened = stage
        .world
        .run(stage.context.store.vault.open(&place, &connection));
    assert_eq!(opened.unwrap().as_slice(), b"secret");
}

#[test]
fn a_key_activated_by_another_process_is_read_on_demand() {
    let stage = Stage::new();
    stage.fill(100);
    let other = stage.another(1);
    stage.world.freeze(1, true);
    stage.next_key();
    stage.reencrypt(&stage.context);
    stage.world.freeze(1, false);
    let done = Arc::new(AtomicUsize::new(0));
    for number in 0..100 {
        let (other, done) = (other.clone(), Arc::clone(&done));
        stage.world.process(2).spawn(Box::pin(async move {
            call_as(&other, number).await.unwrap();
            done.fetch_add(1, Ordering::SeqCst);
        }));
    }
    stage.world.run_until_idle();
    assert_eq!(done.load(Ordering::SeqCst), 100);
}

#[test]
fn tokens_in_the_spool_keep_their_key() {
    let world = World::new();
    let (machine, store) = (Arc::new(Machine::default()), Flaky::new(world.process(0)));
    let spool = machine.spool(0, || {});
    let (process, kept) = (world.process(0), Arc::clone(&store) as _);
    let opened = open_spooled(
        process,
        &STABLE,
        always(200, "{}"),
        kept,
        Arc::clone(&spool),
    );
    let context = world.run(opened);
    let stage = Stage {
        world,
        store,
        context,
    };
    let (context, vault) = (&stage.context, &stage.context.store.vault);
    let tokens = TokenSet::new("token".into(), None, None);
    let place = || place::SpooledTokens::of(Uuid::nil(), &account(1, "ada"), 0);
    let sealed = tokens.seal_at(vault, &place()).unwrap();
    let record = json!({ "sealed": sealed }).to_string();
    stage.done(spool.put("a", record.as_bytes()));
    stage.next_key();
    stage.reencrypt(context);
    let error = stage.retire(context, FIRST).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    stage.done(TokenSet::open_at(vault, &place(), 0, &sealed));
    stage.done(spool.remove("a"));
    stage.retire(context, FIRST).unwrap();
}

#[test]
fn a_row_that_cannot_be_opened_is_named_and_keeps_its_key() {
    let stage = Stage::new();
    stage.fill(3);
    let found = stage.found(|table| table.name == "credential").remove(0);
    let (mut row, version) = (found.row, found.version);
    let cut = row.body.rfind("\",\"held_by").unwrap() - 8;
    row.body.replace_range(cut..cut + 4, "AAAA");
    let batch = Batch::new().write(Write::Update(row, version));
    let changed = stage.done(stage.store.rows().commit(batch));
    assert_eq!(changed, Commit::Committed);
    stage.next_key();
    let all = stage.under_the_first();
    let reached = stage.reencrypt(&stage.context);
    assert_eq!((reached.done, reached.left), (all - 1, 1));
    assert_eq!(reached.failed[0].table, "credential");
    let key = &reached.failed[0].key;
    assert!(key.starts_with("acct_"), "{key}");
    assert!(stage.retire(&stage.context, FIRST).is_err());
}

/// Two processes make calls for 1,000 accounts in turn while an operator replaces the key. So every way to encrypt
/// meets every way to decrypt.
#[test]
fn a_thousand_accounts_get_another_key_while_calls_continue() {
    const ACCOUNTS: u128 = 1_000;
    let stage = Stage::new();
    stage.fill(ACCOUNTS);
    let backup = stage.all_rows(|_| true);
    let operator = stage.with_ring(9, &format!("{NEW},{RING}"), None).unwrap();
    let ring = Mutex::new(format!("{NEW},{RING}"));
    let file = Arc::new(File(ring, AtomicUsize::new(0)));
    stage.world.kill(0);
    let calls = Arc::new(AtomicUsize::new(0));
    let failed = Arc::new(Mutex::new(Vec::new()));
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
    let added = stage.add(&operator).key_id;
    stage.world.advance(Duration::from_secs(61));
    stage.activate(&operator, &added, false).unwrap();
    let reached = stage.reencrypt(&operator);
    assert!(reached.done > 1_008, "{reached:?}");
    assert_eq!(reached.left, 0);
    stage.retire(&operator, FIRST).unwrap();
    stage.world.advance(Duration::from_secs(10));
    over.store(true, Ordering::SeqCst);
    assert_eq!(*failed.lock().unwrap(), Vec::<String>::new());
    assert!(calls.load(Ordering::SeqCst) > 250, "{calls:?}");

    // Nothing in the database is encrypted with the old key, in any format.
    for row in stage.all_rows(|_| true) {
        assert!(data_keys_in(&row.body).all(|key| key.to_string() != FIRST));
    }
    assert!(stage.with_ring(3, RING, None).is_err());
    // The old ring can still decrypt the backup.
    let restored = Arc::new(MemoryStore::new(stage.world.process(4)));
    let rows = backup.into_iter().map(Write::Insert);
    let batch = rows.fold(Batch::new(), Batch::write);
    assert_eq!(stage.done(restored.commit(batch)), Commit::Committed);
    let ports = ports(stage.world.process(4), always(200, "{}"), restored);
    let old = stage.world.run(idle(&STABLE, ports));
    for number in [0, ACCOUNTS - 1] {
        stage.world.ok(call_as(&old, number));
    }
}
