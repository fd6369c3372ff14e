//! The history loses no call and counts none twice, whatever maintenance moves or removes.

use futures_util::future::join;
use jiff::SignedDuration;

use super::*;
use crate::{
    domain::totals::Count,
    store::ExecutionGroup,
    testing::{Flaky, STABLE, START, World, always, context, execution, executions},
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

/// The call with this number, which is also its start in seconds.
fn call(number: u64) -> Execution {
    let at = START + SignedDuration::from_secs(number as i64);
    execution(number.into(), "ada", at)
}

fn numbers(world: &World, context: &Context) -> Vec<u128> {
    let mut calls = world.run(executions(context));
    calls.reverse();
    calls.iter().map(|call| call.id.uuid().as_u128()).collect()
}

/// The recorded number of bytes, which must match the calls.
fn bytes(world: &World, context: &Context) -> i64 {
    let counted = world.ok(context.store.history_bytes());
    let calls = world.run(executions(context)).len();
    assert_eq!(counted, CALL_BYTES * calls as i64);
    counted
}

/// The number of totals of a step, and of the calls that they count.
fn totals(world: &World, context: &Context, step: Step) -> (usize, u64) {
    let all = Timestamp::MIN..Timestamp::MAX;
    let rows = world.ok(context.store.totals(step, &all, None, u32::MAX));
    let counts = rows.iter().flat_map(|found| found.row.counts.values());
    (rows.len(), counts.map(Count::calls).sum())
}

#[test]
fn reads_are_removed_before_changes_and_errors() {
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
fn beyond_the_size_reads_are_removed_before_the_oldest_calls() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    for number in 0..100 {
        let mut call = call(number);
        call.changes = number % 2 == 0;
        write(&world, &context, vec![call]);
    }
    let all = bytes(&world, &context);
    let left = |most: i64| {
        world.ok(remove_beyond(&context, most as u64));
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
    let calls = |numbers: Range<u64>| numbers.map(|number| call(number * 10)).collect();
    write(&world, &context, calls(0..1_000));
    assert_eq!(totals(&world, &context, Step::Minute), (167, 1_000));
    world.advance(Duration::from_secs(7 * 24 * 3_600 + 3_600));
    world.ok(minutes_to_hours(&context));
    assert_eq!(totals(&world, &context, Step::Hour), (1, 360));
    assert_eq!(totals(&world, &context, Step::Minute).1, 640);
    // Late calls are added to their hour.
    write(&world, &context, calls(0..6));
    world.advance(Duration::from_secs(24 * 3_600));
    world.ok(minutes_to_hours(&context));
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
    // The first format stored nanoseconds.
    old[0].started_at += SignedDuration::from_nanos(7);
    let batch = old.iter().cloned().fold(Batch::new(), Batch::insert);
    assert_eq!(world.ok(context.store.commit(batch)), Commit::Committed);
    let kept = Kept {
        reads: START + SignedDuration::from_secs(5),
        executions: START,
    };
    world.run(move_older(&context));
    world.run(run(&context, kept));
    assert!(world.ok(context.store.first_form(1)).is_empty());
    assert_eq!(numbers(&world, &context)[..3], [1, 3, 4]);
    assert_eq!(totals(&world, &context, Step::Minute), (20, 1_200));
    bytes(&world, &context);
}

/// Two calls in one row, as an older version wrote them.
const GROUP: &str = r#"{"id":"019df237ea6070b7b275508fd1f12e6d","lasts":true,"full":false,"until":"2026-05-04T09:00:41Z","calls":"AQVwcm94eQRQT1NUAQEEbWFpbAERYXBwcm92YWxfcmVxdWlyZWQBASRhcHBfMDE5ZGYyMzczZTgwNzAwMDhmM2M3YTVlMzgxMjU1MGYBAAZ1c2VyLTEBAZ3yN1nYcEO38KwugcA0c4D486LFvqgGAgGd8jfawHCrho5lCp1o9qAAAAAAAJQgAAGd8jfeqHCxu9s/Y5kn3x4AAAAAgIl6rSQA","responses":"ASYvbm90ZXMvdjEvdXNlcnMvbWUvbWVzc2FnZXMve2lkfS90cmFzaAIAAQAAAQEAAA"}"#;

#[test]
fn calls_of_an_older_version_are_moved_and_not_counted_again() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let group: ExecutionGroup = serde_json::from_str(GROUP).unwrap();
    let size = group.bytes();
    // The older version had already counted these bytes.
    let batch = Batch::new().insert(group);
    let by = (context.host.process, context.host.now());
    let known = &context.history.names;
    let stored = context.store.commit_calls(known, by, batch, &[], -size);
    assert_eq!(world.ok(stored), Commit::Committed);
    assert_eq!(world.run(executions(&context)), []);
    world.run(move_older(&context));
    let calls = world.run(executions(&context));
    let paths: Vec<_> = calls.iter().map(|call| call.path.as_deref()).collect();
    assert_eq!(paths, [Some("/notes/v1/users/me/messages/{id}/trash"); 2]);
    assert!(world.ok(context.store.groups(None, 1)).is_empty());
    assert_eq!(totals(&world, &context, Step::Minute), (0, 0));
    bytes(&world, &context);
}

#[test]
fn a_call_that_an_older_version_stored_twice_is_moved_once() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    for id in ["a", "b", "c"] {
        let mut group: ExecutionGroup = serde_json::from_str(GROUP).unwrap();
        group.id = id.to_owned();
        // The last group is found after the first two were moved.
        if id == "c" {
            world.run(move_older(&context));
        }
        let stored = context.store.commit(Batch::new().insert(group));
        assert_eq!(world.ok(stored), Commit::Committed);
    }
    world.run(move_older(&context));
    assert_eq!(world.run(executions(&context)).len(), 2);
    assert!(!world.ok(context.store.has_older_calls()));
}

#[test]
fn a_damaged_row_of_an_older_version_does_not_block_others() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let mut damaged = GROUP.replace("\"calls\":\"A", "\"calls\":\"?");
    damaged = damaged.replace("019df237ea60", "019df237ea59");
    for body in [damaged.as_str(), GROUP] {
        let group: ExecutionGroup = serde_json::from_str(body).unwrap();
        let stored = context.store.commit(Batch::new().insert(group));
        assert_eq!(world.ok(stored), Commit::Committed);
    }
    world.run(move_older(&context));
    assert_eq!(world.run(executions(&context)).len(), 2);
    assert!(!world.ok(context.store.has_older_calls()));
}

#[test]
fn concurrent_history_maintenance_loses_nothing() {
    let world = World::new();
    let rows = world.store();
    let store = Flaky::over(rows, true);
    let contexts = [0, 1].map(|process| world.open(process, &STABLE, always(200, ""), &store));
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
