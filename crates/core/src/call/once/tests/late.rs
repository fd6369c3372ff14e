//! Outcomes that the store accepts late, and the digest of a request.

use super::*;

#[test]
fn an_outcome_is_stored_later_if_the_store_is_down() {
    let world = World::new();
    let (transport, count) = counting(&world);
    let store = Flaky::new(world.process(0));
    let context = world.open(0, &NOTES, transport, &store);
    world.run(insert_account(&context, AccountState::Active));
    let cut = Arc::clone(&store);
    store.watch(move |batch| {
        if batch.name == "idempotency.start" {
            cut.set_down(true);
        }
    });
    let first = world.ok(write(&context, "key", "a"));
    store.set_down(false);
    let again = world.ok(write(&context, "key", "a"));
    assert!(again.replayed);
    assert_eq!(again.execution_id, first.execution_id);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

/// Rows that an older version stored have these digests. If one changes, a repeat ends in a conflict.
#[test]
fn the_digest_of_a_request_is_the_same_in_every_version() {
    let world = World::new();
    let context = processes(&world, &counting(&world).0, &Arc::default()).remove(0);
    let keyed = |request: Value| Keyed::new(&context, "route", "key", &request).unwrap();
    let digest = |request: Value| keyed(request).request.as_str().to_owned();

    let input = json!({ "text": "a", "n": 1.5, "list": [null, true] });
    let call = serde_json::to_value(("demo_write_note", request(input))).unwrap();
    let text = r#"["demo_write_note",{"connection_name":"demo","identifier":"ada","input":{"list":[null,true],"n":1.5,"text":"a"}}]"#;
    assert_eq!(call.to_string(), text);
    assert_eq!(
        digest(call),
        "1ef77067481afdca00713f29df08838bc44536714b02c210ecfa55d73f059103"
    );

    let mut raw = ProxyRequest::new("demo", "ada", "POST", "/v1/notes?x=1");
    raw.body = Some(json!({ "a": [1, "\u{fc}"] }));
    let digest = digest(serde_json::to_value(raw).unwrap());
    assert_eq!(
        digest,
        "b0b97bfbc4313a10872b7cbf9a208bf76e5d7df643f525b751165a36245b1952"
    );
}

#[test]
fn a_post_that_only_reads_is_sent_each_time_with_its_key() {
    let world = World::new();
    let (transport, count) = counting(&world);
    let context = &processes(&world, &transport, &Arc::default())[0];
    // The key was also used for another request, which was stored.
    world.ok(raw(context, "key", "a"));
    for sent in 2..4 {
        let (_, body, _, replayed) = world.ok(raw_at(context, "/v1/search", "key", "a"));
        assert_eq!((body, replayed), (format!(r#"{{"number":{sent}}}"#), false));
    }
    assert_eq!(count.load(Ordering::SeqCst), 3);
}

#[test]
fn a_stored_outcome_is_returned_while_the_product_has_no_free_place() {
    let world = World::new();
    let (transport, count) = counting(&world);
    let context = &processes(&world, &transport, &Arc::default())[0];
    world.ok(write(context, "key", "a"));
    world.ok(raw(context, "key", "a"));
    let ada = AccountRef::new("demo", "ada").unwrap();
    let snapshot = world.ok(context.snapshot(&ada));
    let places: Vec<_> = std::iter::from_fn(|| snapshot.enter(context).ok()).collect();
    assert!(!places.is_empty());
    assert!(world.run(write(context, "other", "a")).is_err());
    assert!(world.ok(write(context, "key", "a")).replayed);
    assert!(world.ok(raw(context, "key", "a")).3);
    assert_eq!(count.load(Ordering::SeqCst), 2);
}
