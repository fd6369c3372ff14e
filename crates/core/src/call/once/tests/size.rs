//! The size limit of stored outcomes.

use super::*;

#[test]
fn a_too_large_outcome_is_not_stored_and_its_call_not_repeated() {
    let world = World::new();
    let count = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&count);
    let transport = Responses::by(move |_| {
        seen.fetch_add(1, Ordering::SeqCst);
        let body = format!("\"{}\"", "x".repeat(2 * KEPT));
        std::future::ready(Ok(response(200, body)))
    });
    let context = &processes(&world, &transport, &Arc::default())[0];
    let first = world.ok(write(context, "key", "a"));
    let (_, body, id, _) = world.ok(raw(context, "key", "a"));
    assert_eq!(body.len(), 2 * KEPT + 2);
    let tool = world.err(write(context, "key", "a"));
    let raw = world.err(raw(context, "key", "a"));
    for (error, id) in [(tool, first.execution_id.to_string()), (raw, id)] {
        assert_eq!(error.kind(), ErrorKind::IdempotencyConflict);
        assert!(!error.retryable());
        assert_eq!(error.execution_id(), Some(id.as_str()));
    }
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[test]
fn a_response_is_stored_completely_or_not_at_all() {
    for (length, is_kept) in [(KEPT, true), (KEPT + 1, false)] {
        let world = World::new();
        // Each byte takes two in the stored outcome.
        let body = "\"".repeat(length);
        let sent = body.clone();
        let transport = Responses::by(move |_| std::future::ready(Ok(response(200, sent.clone()))));
        let context = &processes(&world, &transport, &Arc::default())[0];
        let (_, first, ..) = world.ok(raw(context, "key", "a"));
        assert_eq!(first, body);
        let again = world.run(raw(context, "key", "a"));
        let again = again
            .map(|(_, again, ..)| again)
            .map_err(|error| error.kind());
        assert!(
            again
                == is_kept
                    .then_some(body)
                    .ok_or(ErrorKind::IdempotencyConflict)
        );
    }
}
