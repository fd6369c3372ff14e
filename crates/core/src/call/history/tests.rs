//! Totals of the history, as callers read them.

use std::{sync::atomic::Ordering, time::Duration};

use super::*;
use crate::{
    call::record::Record,
    resource::{CountExecutions, TotalsSpan},
    testing::{STABLE, World, always, context},
};

#[test]
fn totals_of_minutes_add_up_to_those_of_the_hour() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    // Two calls in one minute, and one in the next.
    for (millis, pause) in [(1, 1), (2, 60), (3, 1)] {
        let record = Record::begin(&context, "demo_read_note", "demo", "ada");
        record.requests().fetch_add(1, Ordering::Relaxed);
        world.advance(Duration::from_millis(millis));
        record.end(Ok(())).unwrap();
        world.advance(Duration::from_secs(pause));
    }
    let read = |step| {
        let hour = SignedDuration::from_hours(1);
        let (since, before) = (context.host.now() - hour, context.host.now() + hour);
        let count = CountExecutions::new().span(TotalsSpan::new(step, since, before));
        let rows = world.send(&context, count).items;
        let of = |row: &CallTotals| (row.seconds, row.calls, row.duration_micros);
        for row in &rows {
            let by_duration: u64 = row.durations.iter().map(|one| one.calls).sum();
            assert_eq!(by_duration, row.calls);
            let whole = row.start.as_second() % i64::from(row.seconds);
            assert_eq!(whole, 0);
        }
        rows.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(read(TotalsStep::Minute), [(60, 2, 3_000), (60, 1, 3_000)]);
    assert_eq!(read(TotalsStep::Hour), [(3_600, 3, 6_000)]);
    assert!(world.ok(history_bytes(&context)) > 100);
}
