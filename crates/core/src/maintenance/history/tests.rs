//! What becomes of the history: nothing is counted twice or lost, whatever is moved, put together or removed.

use std::sync::Arc;

use futures_util::future::join;
use jiff::SignedDuration;

use super::*;
use crate::{
    domain::totals::Count,
    store::MemoryStore,
    testing::{Flaky, STABLE, START, World, always, context, execution, executions, open},
};

const EVERYTHING: Kept = Kept {
    executions: Timestamp::MIN,
    reads: Timestamp::MIN,
};

fn write(world: &World, context: &Context, calls: Vec<Execution>) {
    calls
        .into_iter()
        .for_each(|call| context.history.recorder.add(context, call));
    assert!(world.run(context.history.recorder.flush(context)));
}

/// A call of this number, so many seconds after the start.
fn call(number: u64) -> Execution {
    let at = START + SignedDuration::from_secs(number as i64);
    execution(number.into(), "ada", at)
}

fn numbers(world: &World, context: &Context) -> Vec<u128> {
    let mut calls = world.run(executions(context));
    calls.reverse();
    calls.iter().map(|call| call.id.uuid().as_u128()).collect()
}

fn groups(world: &World, context: &Context) -> Groups {
    let mut all = Vec::new();
    for (lasts, full) in KINDS {
        let some = context.store.groups(lasts, full, Timestamp::MAX, u32::MAX);
        all.extend(world.run(some).unwrap());
    }
    all
}

/// The count of bytes, which is that of the groups.
fn bytes(world: &World, context: &Context) -> i64 {
    let counted = world.run(context.store.history_bytes()).unwrap();
    let sum: i64 = groups(world, context)
        .iter()
        .map(|group| group.row.bytes())
        .sum();
    assert_eq!(counted, sum);
    counted
}

/// The totals of a step, and the calls that they count together.
fn totals(world: &World, context: &Context, step: Step) -> (usize, u64) {
    let all = Timestamp::MIN..Timestamp::MAX;
    let rows = world
        .run(context.store.totals(step, &all, None, u32::MAX))
        .unwrap();
    let counts = rows.iter().flat_map(|found| found.row.counts.values());
    (rows.len(), counts.map(Count::calls).sum())
}

#[test]
fn a_call_now_and_then_ends_in_few_rows() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let count = 3 * 3_600;
    for number in 0..count {
        write(&world, &context, vec![call(number)]);
        if number % 30 == 29 {
            world.run(put_together(&context)).unwrap();
            // One stays open for what is still to come.
            assert!(groups(&world, &context).len() as u64 <= number / 500 + 1);
        }
    }
    assert_eq!(
        numbers(&world, &context),
        (0..u128::from(count)).collect::<Vec<_>>()
    );
    assert_eq!(totals(&world, &context, Step::Minute), (180, count));
    let each = bytes(&world, &context) / count as i64;
    assert!(each < 40, "{each}");
}

#[test]
fn a_group_of_long_ago_is_closed_and_left_in_peace() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    write(&world, &context, vec![call(0)]);
    world.run(put_together(&context)).unwrap();
    assert!(!groups(&world, &context)[0].row.full);
    world.advance(Duration::from_secs(2 * 3_600));
    world.run(put_together(&context)).unwrap();
    let before = groups(&world, &context);
    assert!(before[0].row.full);
    world.run(put_together(&context)).unwrap();
    assert_eq!(groups(&world, &context), before);
    assert_eq!(numbers(&world, &context), [0]);
}

#[test]
fn what_only_reads_goes_before_changes_and_errors() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let (mut change, mut error) = (call(1), call(2));
    change.changes = true;
    error.outcome = "not_found".into();
    write(&world, &context, vec![call(0), change, error, call(100)]);
    let kept = Kept {
        reads: START + SignedDuration::from_secs(101),
        ..EVERYTHING
    };
    world.run(run(&context, kept));
    assert_eq!(numbers(&world, &context), [1, 2]);
    assert_eq!(totals(&world, &context, Step::Minute), (2, 4));
    bytes(&world, &context);
}

#[test]
fn beyond_the_size_reads_go_first_and_then_the_oldest() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    for number in 0..100 {
        let mut call = call(number);
        call.changes = number % 2 == 0;
        write(&world, &context, vec![call]);
    }
    let all = bytes(&world, &context);
    let left = |most: i64| {
        world.run(remove_beyond(&context, most as u64)).unwrap();
        assert!(bytes(&world, &context) <= most);
        numbers(&world, &context)
    };
    assert_eq!(left(all).len(), 100);
    let kept = left(all * 3 / 4);
    let reads: Vec<_> = kept
        .iter()
        .filter(|number| *number % 2 == 1)
        .copied()
        .collect();
    assert_eq!(reads, (51..100).step_by(2).collect::<Vec<_>>());
    assert_eq!(kept.len() - reads.len(), 50);
    assert_eq!(left(all / 4), (50..100).step_by(2).collect::<Vec<_>>());
    assert_eq!(left(0), []);
    assert_eq!(totals(&world, &context, Step::Minute), (2, 100));
}

#[test]
fn minutes_become_hours_after_a_week_and_count_the_same() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let calls = |numbers: std::ops::Range<u64>| numbers.map(|number| call(number * 10)).collect();
    write(&world, &context, calls(0..1_000));
    assert_eq!(totals(&world, &context, Step::Minute), (167, 1_000));
    world.advance(Duration::from_secs(7 * 24 * 3_600 + 3_600));
    world.run(minutes_to_hours(&context)).unwrap();
    assert_eq!(totals(&world, &context, Step::Hour), (1, 360));
    assert_eq!(totals(&world, &context, Step::Minute).1, 640);
    // What comes late is added to its hour.
    write(&world, &context, calls(0..6));
    world.advance(Duration::from_secs(24 * 3_600));
    world.run(minutes_to_hours(&context)).unwrap();
    assert_eq!(totals(&world, &context, Step::Hour), (3, 1_006));
    assert_eq!(totals(&world, &context, Step::Minute), (0, 0));
}

#[test]
fn executions_of_the_first_form_are_moved_and_counted() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let reads = context
        .products
        .catalogue
        .find("demo_read_note", None, None)
        .unwrap();
    let version = reads.entry().version().to_owned();
    let mut old: Vec<_> = (0..1_200).map(call).collect();
    for (call, (tool, version)) in old.iter_mut().zip([
        ("demo_read_note", version.as_str()),
        ("demo_read_note", "1999-01-01"),
        ("proxy", "GET"),
        ("proxy", "DELETE"),
        ("gone", ""),
    ]) {
        call.tool = tool.to_owned().into();
        call.tool_version = version.to_owned().into();
    }
    // The first form kept nanoseconds.
    old[0].started_at += SignedDuration::from_nanos(7);
    let batch = old.iter().cloned().fold(Batch::new(), Batch::insert);
    assert_eq!(
        world.run(context.store.commit(batch)).unwrap(),
        Commit::Committed
    );
    let kept = Kept {
        reads: START + SignedDuration::from_secs(5),
        executions: START,
    };
    world.run(run(&context, kept));
    assert!(world.run(context.store.first_form(1)).unwrap().is_empty());
    assert_eq!(numbers(&world, &context)[..3], [1, 3, 4]);
    assert_eq!(totals(&world, &context, Step::Minute), (20, 1_200));
    bytes(&world, &context);
}

#[test]
fn processes_that_tidy_up_at_once_lose_nothing() {
    let world = World::new();
    let rows = Arc::new(MemoryStore::new(world.process(0)));
    let store = Flaky::over(rows, true);
    let contexts = [0, 1].map(|process| {
        let opened = open(
            world.process(process),
            &STABLE,
            always(200, ""),
            Arc::clone(&store) as _,
        );
        world.run(opened)
    });
    let [one, other] = &contexts;
    assert_ne!(one.host.process, other.host.process);
    for round in 0..40_u64 {
        for (context, number) in [(one, 2 * round), (other, 2 * round + 1)] {
            context.history.recorder.add(context, call(number));
        }
        world.run(join(
            join(
                one.history.recorder.flush(one),
                other.history.recorder.flush(other),
            ),
            join(run(one, EVERYTHING), run(other, EVERYTHING)),
        ));
    }
    assert_eq!(numbers(&world, one), (0..80).collect::<Vec<_>>());
    assert_eq!(totals(&world, one, Step::Minute).1, 80);
    bytes(&world, one);
}
