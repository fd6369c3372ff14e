//! Of several processes with different clocks, only one re-encrypts everything.

use super::*;
use crate::{resource::ReencryptAll, testing::Clock};

const ACCOUNTS: u128 = 250;

/// Processes whose clocks are a minute apart.
fn processes(stage: &Stage) -> [Context; 2] {
    [(1, 30), (2, -30)].map(|(process, seconds)| {
        let ahead = SignedDuration::from_secs(seconds);
        stage.world.set_clock(process, Clock { ahead, drift: 0 });
        stage.another(process)
    })
}

/// Counts the rows that are re-encrypted from now on.
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
fn one_of_two_processes_reencrypts_and_both_report_progress() {
    let stage = Stage::new();
    stage.fill(ACCOUNTS);
    stage.next_key();
    let rows = stage.under_the_first();
    let contexts = processes(&stage);
    let count = count_writes(&stage);
    for context in &contexts {
        assert!(stage.done(reencrypt(context, ReencryptAll::new())).running);
    }
    let told = || {
        contexts
            .each_ref()
            .map(|context| stage.list(context).reencryption.unwrap())
    };
    assert!(told().iter().all(|reached| reached.running));
    stage.world.advance(Duration::from_secs(10));
    for reached in told() {
        let ended = (reached.running, reached.done, reached.left);
        assert_eq!(ended, (false, rows, 0));
    }
    assert_eq!(count.load(Ordering::SeqCst) as u64, rows);
    let mut events = stage.events();
    events.retain(|(name, _)| name == "key.reencrypted");
    assert_eq!(events.len(), 1);
    // A second request finds nothing to do.
    let reached = stage.reencrypt(&contexts[1]);
    assert_eq!((reached.done, reached.left), (0, 0));
}

#[test]
fn another_process_continues_the_job_of_a_dead_one() {
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
    stage.done(reencrypt(&first, ReencryptAll::new()));
    stage.world.run_until_idle();
    stage.world.kill(1);
    let left = stage.under_the_first();
    assert!((1..rows).contains(&left), "{left}");

    let count = count_writes(&stage);
    stage.world.advance(Duration::from_secs(4 * 60));
    assert_eq!(count.load(Ordering::SeqCst), 0, "its time is not over");
    stage.world.advance(Duration::from_secs(2 * 60));
    assert_eq!(count.load(Ordering::SeqCst) as u64, left);
    let reached = stage.list(&second).reencryption.unwrap();
    let ended = (reached.running, reached.done, reached.left);
    assert_eq!(ended, (false, rows, 0));
}
