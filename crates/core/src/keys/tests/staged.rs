//! Keys reach every process before they are used.

use super::*;
use crate::resource::RewrapKeys;

#[test]
fn a_key_waits_until_every_process_has_read_it() {
    let stage = Stage::new();
    let context = &stage.context;
    let added = stage.add(context);
    assert_eq!(added.activatable_at, Some(START + STAGED));
    let error = stage.activate(context, &added.key_id, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    assert!(error.message().contains("2026-01-01T00:01:00Z"), "{error}");
    let at_once = stage.activate(context, &added.key_id, true).unwrap();
    assert_eq!(at_once.state, DataKeyState::Active);
    for unknown in ["key_00000000000000000000000000000009", "first", ""] {
        let error = stage.activate(context, unknown, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{unknown}");
    }
}

#[test]
fn a_key_that_a_process_cannot_open_is_not_activated_until_it_can() {
    let stage = Stage::new();
    let operator = stage.with_ring(1, &format!("{NEW},{RING}"), None).unwrap();
    let added = stage.add(&operator);
    assert_eq!(added.ring_key, "new");
    stage.world.advance(Duration::from_secs(61));
    let error = stage.activate(&operator, &added.key_id, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
    assert!(error.message().contains("\"new\""), "{error}");
    assert_eq!(stage.list(&operator).data_keys[1].unopened_by, 1);
    // The service restarts with the new ring.
    stage.world.kill(0);
    stage.with_ring(2, &format!("{NEW},{RING}"), None).unwrap();
    stage.world.advance(Duration::from_secs(91));
    let active = stage.activate(&operator, &added.key_id, false).unwrap();
    assert_eq!(active.unopened_by, 0);
}

#[test]
fn a_process_with_a_key_source_loads_new_keys() {
    let stage = Stage::new();
    stage.fill(1);
    let file = Arc::new(File(Mutex::new(RING.to_owned()), AtomicUsize::new(0)));
    let source = Some(Arc::clone(&file) as _);
    let service = stage.with_ring(1, RING, source).unwrap();
    stage.world.advance(Duration::from_secs(300));
    let asked = || file.1.load(Ordering::SeqCst);
    assert_eq!(asked(), 0, "it is asked only where a key is missing");
    *file.0.lock().unwrap() = format!("{NEW},{RING}");
    let operator = stage.with_ring(2, &format!("{NEW},{RING}"), None).unwrap();
    stage.world.kill(0);
    let added = stage.add(&operator).key_id;
    stage.world.advance(Duration::from_secs(61));
    assert_eq!(asked(), 1);
    stage.activate(&operator, &added, false).unwrap();
    stage.reencrypt(&operator);
    stage.retire(&operator, FIRST).unwrap();
    stage.world.ok(call_as(&service, 0));
    assert_eq!(service.store.vault.ring(), ["new", "test"]);
    // The previous key of the ring can't decrypt anything any more.
    assert!(stage.with_ring(3, NEW, None).is_ok());
    let error = stage.with_ring(3, RING, None).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
}

#[test]
fn rewrapping_data_keys_leaves_their_rows_unchanged() {
    let stage = Stage::new();
    stage.fill(2);
    let sealed = |table: &Table| table.sealed && table.name != "data_key";
    let before = stage.all_rows(sealed);
    // A new first key has no effect until the keys are rewrapped.
    let operator = stage.with_ring(1, &format!("{NEW},{RING}"), None).unwrap();
    assert!(stage.with_ring(2, RING, None).is_ok());
    for _ in 0..2 {
        let keys = stage.done(rewrap(&operator, RewrapKeys::new())).data_keys;
        assert_eq!((keys.len(), keys[0].ring_key.as_str()), (1, "new"));
    }
    assert_eq!(stage.all_rows(sealed), before);
    assert!(stage.with_ring(2, RING, None).is_err());
    let opened = stage.with_ring(2, NEW, None).unwrap();
    stage.world.ok(call_as(&opened, 1));
    // The running process keeps using the data key that it has already decrypted.
    stage.world.advance(Duration::from_secs(61));
    stage.world.ok(call_as(&stage.context, 0));
    let names: Vec<_> = stage.events().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["key.rewrapped"],
        "the second time, there is nothing to do"
    );
}

#[test]
fn a_key_is_destroyed_only_if_no_row_uses_it() {
    let stage = Stage::new();
    stage.fill(2);
    let refused = |key: &str| {
        let error = stage.retire(&stage.context, key).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidTransition);
        error.message().to_owned()
    };
    assert!(refused(FIRST).contains("active"));
    stage.next_key();
    let rows = format!("{} rows", stage.under_the_first());
    assert!(refused(FIRST).contains(&rows));
    stage.reencrypt(&stage.context);
    for _ in 0..2 {
        assert!(
            stage.retire(&stage.context, FIRST).is_ok(),
            "again is the same"
        );
    }
    let error = stage.activate(&stage.context, FIRST, true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidTransition);
}
