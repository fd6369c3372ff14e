//! Replaced credentials are shredded, and no caller waits for that.

use super::flow_tests::{Stage, read};
use crate::testing::ROTATING;

/// An account that was refreshed twice, so that its first credential is due for shredding.
fn refreshed_twice() -> Stage {
    let stage = Stage::new(&ROTATING, -1);
    stage.read().unwrap();
    stage.world.run_until_idle();
    stage.seconds(3600);
    stage.read().unwrap();
    stage
}

fn live(stage: &Stage) -> Vec<u64> {
    let (account, rows) = (stage.account().id, stage.store.rows());
    let found = stage.world.ok(rows.credentials(account));
    let mut live: Vec<_> = found.iter().map(|found| found.row.generation).collect();
    live.sort_unstable();
    live
}

#[test]
fn a_caller_does_not_wait_for_shredding() {
    let stage = refreshed_twice();
    assert_eq!(live(&stage), [1, 2, 3]);
    stage.world.run_until_idle();
    assert_eq!(live(&stage), [2, 3]);
}

#[test]
fn the_next_refresh_shreds_tokens_that_a_dead_process_left() {
    let stage = refreshed_twice();
    stage.world.kill(0);
    stage.seconds(3600);
    assert_eq!(live(&stage), [1, 2, 3]);
    let next = stage.another(1);
    stage.world.ok(read(&next));
    stage.world.run_until_idle();
    assert_eq!(live(&stage), [3, 4]);
}
