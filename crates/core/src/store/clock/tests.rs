//! Processes with different clocks agree on the store's time.

use super::*;
use crate::testing::{Clock, STABLE, World, always};

#[test]
fn processes_with_different_clocks_agree_on_the_stores_time() {
    let world = World::new();
    let store = world.store();
    for (process, seconds) in [(1, 30), (2, -30)] {
        let ahead = SignedDuration::from_secs(seconds);
        world.set_clock(process, Clock { ahead, drift: 0 });
    }
    let opened = |process| world.open(process, &STABLE, always(200, ""), &store);
    let (fast, slow) = (opened(1), opened(2));
    assert_eq!(
        fast.host.runtime.now() - SignedDuration::from_secs(60),
        slow.host.runtime.now()
    );
    let right = world.ok(fast.store.now());
    assert_eq!((fast.host.now(), slow.host.now()), (right, right));
    // After a clock was changed, a read corrects it.
    world.set_back(&[1], SignedDuration::from_secs(20));
    world.ok(fast.store.now());
    assert_eq!(fast.host.now(), right);
}

#[test]
fn a_slow_reading_moves_the_clock_only_if_needed() {
    let world = World::new();
    let runtime = world.process(0);
    let clock = StoreClock::new(runtime);
    let began = clock.own();
    world.advance(std::time::Duration::from_secs(10));
    for seconds in [0, 5, 10] {
        clock.read(began, began + SignedDuration::from_secs(seconds));
        assert_eq!(clock.now(), clock.own());
    }
    clock.read(began, began + SignedDuration::from_secs(40));
    assert_eq!(clock.now(), clock.own() + SignedDuration::from_secs(35));
}
