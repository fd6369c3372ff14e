//! Pages, single calls and totals of the history, as callers read them.

use std::{sync::atomic::Ordering, time::Duration};

use super::*;
use crate::{
    api::Paging,
    call::record::Record,
    resource::{CountExecutions, ExecutionFilter, ListExecutions, ReadExecution, TotalsSpan},
    testing::{STABLE, World, always, context},
};

/// Three calls that took 1, 2 and 3 ms: two in one minute, and one in the next.
fn called() -> (World, Context) {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    for (millis, pause) in [(1, 1), (2, 60), (3, 1)] {
        let record = Record::begin(&context, "demo_read_note", "demo", "ada");
        record.requests().fetch_add(1, Ordering::Relaxed);
        world.advance(Duration::from_millis(millis));
        record.end(Ok(())).unwrap();
        world.advance(Duration::from_secs(pause));
    }
    (world, context)
}

#[test]
fn pages_follow_each_other_and_a_call_is_found_by_its_id() {
    let (world, context) = called();
    let filter = ExecutionFilter::default();
    let (mut token, mut took) = (None, Vec::new());
    loop {
        let page = world.send(
            &context,
            ListExecutions::new()
                .filter(filter.clone())
                .page(Paging::new(token.as_deref(), 1)),
        );
        for call in &page.items {
            let found = world.run(read(
                &context,
                ReadExecution::new(call.execution_id.to_string()),
            ));
            assert_eq!(found.unwrap().duration_micros, call.duration_micros);
            took.push(call.duration_micros);
        }
        match page.next_page_token {
            Some(next) => token = Some(next),
            None => break,
        }
    }
    assert_eq!(took, [3_000, 2_000, 1_000]);
    assert!(world.ok(history_bytes(&context)) > 100);
}

#[test]
fn totals_of_minutes_add_up_to_those_of_the_hour() {
    let (world, context) = called();
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
}
