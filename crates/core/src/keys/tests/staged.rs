//! Keys reach every process before they are used.

use super::*;
use crate::{
    keys::lifecycle::rewrap_all,
    resource::{ActivateKey, AddKey, KeyActivation, KeyCount, ListKeys, RetireKey},
};

#[test]
fn a_key_waits_until_every_process_has_read_it() {
    let stage = Stage::new();
    let added = stage.world.run(add(&stage.context, AddKey::new())).unwrap();
    assert_eq!(added.activatable_at, Some(START + STAGED));
    let early = stage.world.run(activate(
        &stage.context,
        ActivateKey::new(&added.key_id, KeyActivation::default().at_once(false)),
    ));
    let error = early.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    assert!(error.message().contains("2026-01-01T00:01:00Z"), "{error}");
    let at_once = stage.world.run(activate(
        &stage.context,
        ActivateKey::new(&added.key_id, KeyActivation::default().at_once(true)),
    ));
    assert_eq!(at_once.unwrap().state, DataKeyState::Active);
    for unknown in ["key_00000000000000000000000000000009", "first", ""] {
        let error = stage
            .world
            .run(activate(
                &stage.context,
                ActivateKey::new(unknown, KeyActivation::default().at_once(true)),
            ))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{unknown}");
    }
}

#[test]
fn a_key_that_a_process_cannot_open_is_not_activated_until_it_can() {
    let stage = Stage::new();
    let operator = stage.with_ring(1, &format!("{NEW},{RING}"), None).unwrap();
    let added = stage.world.run(add(&operator, AddKey::new())).unwrap();
    assert_eq!(added.ring_key, "new");
    stage.world.advance(Duration::from_secs(61));
    let error = stage
        .world
        .run(activate(
            &operator,
            ActivateKey::new(&added.key_id, KeyActivation::default().at_once(false)),
        ))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    assert!(error.message().contains("\"new\""), "{error}");
    let listed = stage
        .world
        .run(list(
            &operator,
            ListKeys::new().count(KeyCount::rows(false)),
        ))
        .unwrap();
    assert_eq!(listed.data_keys[1].unopened_by, 1);
    // The service is started again with the new ring.
    stage.world.kill(0);
    stage.with_ring(2, &format!("{NEW},{RING}"), None).unwrap();
    stage.world.advance(Duration::from_secs(91));
    let active = stage.world.run(activate(
        &operator,
        ActivateKey::new(&added.key_id, KeyActivation::default().at_once(false)),
    ));
    assert_eq!(active.unwrap().unopened_by, 0);
}

#[test]
fn a_process_whose_ring_has_a_source_takes_up_a_new_key_of_the_ring() {
    let stage = Stage::new();
    stage.fill(1);
    let file = Arc::new(File(Mutex::new(RING.to_owned()), AtomicUsize::new(0)));
    let service = stage
        .with_ring(1, RING, Some(Arc::clone(&file) as _))
        .unwrap();
    stage.world.advance(Duration::from_secs(300));
    assert_eq!(
        file.1.load(Ordering::SeqCst),
        0,
        "it is asked only where a key is missing"
    );
    *file.0.lock().unwrap() = format!("{NEW},{RING}");
    let operator = stage.with_ring(2, &format!("{NEW},{RING}"), None).unwrap();
    stage.world.kill(0);
    let added = stage
        .world
        .run(add(&operator, AddKey::new()))
        .unwrap()
        .key_id;
    stage.world.advance(Duration::from_secs(61));
    assert_eq!(file.1.load(Ordering::SeqCst), 1);
    stage
        .world
        .run(activate(
            &operator,
            ActivateKey::new(&added, KeyActivation::default().at_once(false)),
        ))
        .unwrap();
    stage.world.run(reencrypt_all(&operator, |_| {})).unwrap();
    stage
        .world
        .run(retire(&operator, RetireKey::new(FIRST)))
        .unwrap();
    stage.world.run(call_as(&service, 0)).unwrap();
    assert_eq!(service.store.vault.ring(), ["new", "test"]);
    // The former key of the ring opens nothing any more.
    assert!(stage.with_ring(3, NEW, None).is_ok());
    let error = stage.with_ring(3, RING, None).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
}

#[test]
fn the_data_keys_move_under_a_new_key_of_the_ring_and_what_they_sealed_stays() {
    let stage = Stage::new();
    stage.fill(2);
    let sealed = |table: &Table| table.sealed && table.name != "data_key";
    let before = stage.all_rows(sealed);
    // A new first key does nothing by itself.
    let operator = stage.with_ring(1, &format!("{NEW},{RING}"), None).unwrap();
    assert!(stage.with_ring(2, RING, None).is_ok());
    let wrapped = stage.world.run(rewrap_all(&operator)).unwrap();
    assert_eq!(
        wrapped
            .iter()
            .map(|key| key.ring_key.as_str())
            .collect::<Vec<_>>(),
        ["new"]
    );
    assert_eq!(stage.world.run(rewrap_all(&operator)).unwrap(), []);
    assert_eq!(stage.all_rows(sealed), before);
    assert!(stage.with_ring(2, RING, None).is_err());
    let opened = stage.with_ring(2, NEW, None).unwrap();
    stage.world.run(call_as(&opened, 1)).unwrap();
    // The process that runs goes on with the key that it has open.
    stage.world.advance(Duration::from_secs(61));
    stage.world.run(call_as(&stage.context, 0)).unwrap();
    assert_eq!(stage.events()[0].0, "key.rewrapped");
}

#[test]
fn a_key_is_destroyed_only_where_nothing_is_sealed_with_it() {
    let stage = Stage::new();
    stage.fill(2);
    let refused = |key: &str| {
        let error = stage
            .world
            .run(retire(&stage.context, RetireKey::new(key)))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidTransition);
        error.message().to_owned()
    };
    assert!(refused(FIRST).contains("active"));
    stage.next_key();
    let rows = format!("{} rows", stage.under_the_first());
    assert!(refused(FIRST).contains(&rows));
    stage
        .world
        .run(reencrypt_all(&stage.context, |_| {}))
        .unwrap();
    assert!(
        stage
            .world
            .run(retire(&stage.context, RetireKey::new(FIRST)))
            .is_ok()
    );
    assert!(
        stage
            .world
            .run(retire(&stage.context, RetireKey::new(FIRST)))
            .is_ok(),
        "again is the same"
    );
    let error = stage
        .world
        .run(activate(
            &stage.context,
            ActivateKey::new(FIRST, KeyActivation::default().at_once(true)),
        ))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
}
