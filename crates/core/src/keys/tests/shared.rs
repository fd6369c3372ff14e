//! Of several processes, whose clocks differ, one seals everything again.

use super::*;
use crate::{
    resource::{KeyCount, ListKeys, ReencryptAll},
    testing::Clock,
};

const ACCOUNTS: u128 = 250;

/// Processes whose clocks are a minute apart.
fn processes(stage: &Stage) -> [Context; 2] {
    [(1, 30), (2, -30)].map(|(process, seconds)| {
        let ahead = SignedDuration::from_secs(seconds);
        stage.world.set_clock(process, Clock { ahead, drift: 0 });
        stage.another(process)
    })
}

/// How many rows were sealed again from now on.
fn count_writes(stage: &Stage) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    stage.store.watch(move |batch| {
        if batch.name == "keys.reencrypt" {
            // One of them is the job's own row.
            counted.fetch_add(batch.writes.len() - 1, Ordering::SeqCst);
        }
    });
    count
}

#[test]
fn of_processes_that_are_asked_at_once_one_seals_again_and_both_tell_how_far_it_is() {
    let stage = Stage::new();
    stage.fill(ACCOUNTS);
    stage.next_key();
    let rows = stage.under_the_first();
    let contexts = processes(&stage);
    let count = count_writes(&stage);
    for context in &contexts {
        let started = stage
            .world
            .run(reencrypt(context, ReencryptAll::new()))
            .unwrap();
        assert!(started.running);
    }
    let told = || {
        contexts.each_ref().map(|context| {
            let listed = stage
                .world
                .run(list(context, ListKeys::new().count(KeyCount::rows(false))))
                .unwrap();
            listed.reencryption.unwrap()
        })
    };
    assert!(told().iter().all(|reached| reached.running));
    stage.world.advance(Duration::from_secs(10));
    for reached in told() {
        let Reencryption {
            running,
            done,
            left,
            ..
        } = reached;
        assert_eq!((running, done, left), (false, rows, 0));
    }
    assert_eq!(count.load(Ordering::SeqCst) as u64, rows);
    let ends = stage.events().into_iter();
    assert_eq!(
        ends.filter(|(name, _)| name == "key.reencrypted").count(),
        1
    );
    // Asked again, there is nothing to do.
    let reached = stage
        .world
        .run(reencrypt_all(&contexts[1], |_| {}))
        .unwrap();
    assert_eq!((reached.done, reached.left), (0, 0));
}

#[test]
fn another_process_goes_on_where_the_one_that_had_the_job_died() {
    let stage = Stage::new();
    stage.fill(ACCOUNTS);
    stage.next_key();
    let rows = stage.under_the_first();
    stage.world.kill(0);
    let [first, second] = processes(&stage);
    let (world, batches) = (stage.world.clone(), AtomicUsize::new(0));
    stage.store.watch(move |batch| {
        if batch.name == "keys.reencrypt" && batches.fetch_add(1, Ordering::SeqCst) == 1 {
            world.freeze(1, true);
        }
    });
    stage
        .world
        .run(reencrypt(&first, ReencryptAll::new()))
        .unwrap();
    stage.world.run_until_idle();
    stage.world.kill(1);
    let left = stage.under_the_first();
    assert!((1..rows).contains(&left), "{left}");

    let count = count_writes(&stage);
    stage.world.advance(Duration::from_secs(4 * 60));
    assert_eq!(count.load(Ordering::SeqCst), 0, "its time is not over");
    stage.world.advance(Duration::from_secs(2 * 60));
    assert_eq!(count.load(Ordering::SeqCst) as u64, left);
    let listed = stage
        .world
        .run(list(&second, ListKeys::new().count(KeyCount::rows(false))))
        .unwrap();
    let reached = listed.reencryption.unwrap();
    assert_eq!(
        (reached.running, reached.done, reached.left),
        (false, rows, 0)
    );
}
