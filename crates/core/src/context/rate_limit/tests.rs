//! An account's quota: how it's spent, who waits, and which limiters are kept.

use uuid::Uuid;

use super::{
    window::{MINUTE, SLOT},
    *,
};

const NOW: Duration = Duration::from_secs(1000);
const LONG: Duration = Duration::from_secs(600);

fn limiter(units_per_minute: u32, writes_per_minute: Option<u32>) -> RateLimiter {
    let quota = Quota {
        units_per_minute,
        writes_per_minute,
        concurrency: 8,
    };
    RateLimiter::new(Some(quota), 1000, false)
}

#[test]
fn exactly_the_quota_of_a_minute_can_be_used() {
    for (limit, each, calls) in [(60, 1, 60), (6000, 20, 300), (180, 1, 180)] {
        let window = Window::new(limit, false);
        for call in 0..calls {
            assert_eq!(
                window.reserve(each, NOW, LONG).unwrap(),
                Duration::ZERO,
                "{call} of {calls}"
            );
        }
        assert_eq!(window.reserve(each, NOW, LONG).unwrap(), MINUTE);
    }
}

#[test]
fn each_minute_has_the_whole_quota() {
    let window = Window::new(60, false);
    let spent: u32 = (0..600)
        .map(|second| {
            let taken = window.reserve(1, NOW + Duration::from_secs(second), Duration::ZERO);
            u32::from(taken.is_ok())
        })
        .sum();
    assert_eq!(spent, 600, "one a second is the quota");
    let window = Window::new(60, false);
    let taken = |at: Duration| window.reserve(1, NOW + at, Duration::ZERO).is_ok();
    for minute in 0..10 {
        let of_minute = (0..120).filter(|_| taken(MINUTE * minute)).count();
        assert_eq!(of_minute, 60, "minute {minute}");
    }
}

proptest::proptest! {
    #[test]
    fn no_minute_exceeds_the_quota(
        calls in proptest::collection::vec((0_u64..20_000, 1_u32..30), 1..200),
    ) {
        const LIMIT: u32 = 60;
        let window = Window::new(LIMIT, false);
        let (mut now, mut spends) = (NOW, Vec::new());
        for (pause, units) in calls {
            now += Duration::from_millis(pause % 1500);
            if let Ok(wait) = window.reserve(units, now, LONG) {
                spends.push((now + wait, units));
            }
        }
        for (from, _) in &spends {
            let held: u32 = spends
                .iter()
                .filter(|(at, _)| at >= from && *at < *from + MINUTE)
                .map(|(_, units)| units)
                .sum();
            proptest::prop_assert!(held <= LIMIT, "{held} units within a minute of {from:?}");
        }
    }
}

#[test]
fn a_request_above_the_quota_gets_a_minute_of_its_own() {
    let window = Window::new(60, false);
    assert_eq!(window.reserve(100, NOW, LONG).unwrap(), Duration::ZERO);
    assert_eq!(window.reserve(100, NOW, LONG).unwrap(), MINUTE);
    assert_eq!(window.reserve(1, NOW, LONG).unwrap(), MINUTE * 2);
}

#[test]
fn a_turn_after_the_deadline_is_refused_without_a_reservation() {
    let window = Window::new(6000, false);
    window.reserve(6000, NOW, Duration::ZERO).unwrap();
    let error = window
        .reserve(3000, NOW, Duration::from_secs(10))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(MINUTE));
    assert_eq!(
        window.reserve(6000, NOW + MINUTE, Duration::ZERO).unwrap(),
        Duration::ZERO
    );
}

#[test]
fn reads_and_writes_have_separate_quotas_if_the_product_has() {
    use crate::testing::World;
    let world = World::new();
    let runtime = world.process(0);
    let spends = |limiter: &RateLimiter, effect| {
        let one = || limiter.acquire(runtime.as_ref(), Cost::of(effect, 1), Duration::ZERO);
        (0..100).filter(|_| world.run(one()).is_ok()).count()
    };
    let apart = limiter(60, Some(30));
    assert_eq!(spends(&apart, Effect::Read), 60);
    assert_eq!(spends(&apart, Effect::Write), 30);
    assert_eq!(spends(&apart, Effect::Delete), 0);
    let together = limiter(60, None);
    assert_eq!(spends(&together, Effect::Write), 60);
    assert_eq!(spends(&together, Effect::Read), 0);
}

#[test]
fn a_batch_of_reads_and_writes_is_charged_to_both_quotas() {
    let runtime = crate::testing::World::new();
    let (runtime, world) = (runtime.process(0), runtime);
    let limiter = limiter(60, Some(30));
    let spend = |reads, writes| {
        let cost = Cost { reads, writes };
        let one = limiter.acquire(runtime.as_ref(), cost, Duration::ZERO);
        world.run(one).is_ok()
    };
    assert!(spend(40, 10));
    assert!(!spend(21, 1), "there are 20 reads left");
    assert!(!spend(1, 21), "and 20 writes");
    assert!(spend(20, 20), "what was refused has spent nothing");
    assert!(!spend(1, 0) && !spend(0, 1));
}

#[test]
fn the_number_of_waiting_requests_of_an_account_is_limited() {
    use crate::testing::World;
    let (world, waiting) = (World::new(), 3);
    let runtime = world.process(0);
    let quota = Quota {
        units_per_minute: 1,
        ..Quota::UNLIMITED
    };
    let limiter = Arc::new(RateLimiter::new(Some(quota), waiting, false));
    for _ in 0..4 {
        let (limiter, runtime) = (Arc::clone(&limiter), world.process(0));
        world.process(0).spawn(Box::pin(async move {
            let one = Cost::of(Effect::Read, 1);
            drop(limiter.acquire(runtime.as_ref(), one, LONG).await);
        }));
    }
    world.run_until_idle();
    let more = || world.run(limiter.acquire(runtime.as_ref(), Cost::of(Effect::Read, 1), LONG));
    let error = more().err().expect("one was sent, and three wait");
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    world.advance(MINUTE);
    assert!(more().is_ok());
}

#[test]
fn a_caller_who_leaves_returns_its_turn() {
    use std::task::{Context, Poll, Waker};

    use crate::testing::World;
    let world = World::new();
    let runtime = world.process(0);
    let limiter = limiter(60, None);
    let one = Cost::of(Effect::Read, 30);
    let turn = || Box::pin(limiter.acquire(runtime.as_ref(), one, LONG));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..2 {
        drop(world.ok(turn()));
    }
    let mut waiting: Vec<_> = (0..5).map(|_| turn()).collect();
    for turn in &mut waiting {
        assert!(matches!(turn.as_mut().poll(&mut context), Poll::Pending));
    }
    // All callers except the third leave. Each minute has two turns. The others held both, one or none of them.
    let third = waiting.swap_remove(2);
    drop(waiting);
    let start = runtime.monotonic();
    drop(world.ok(third));
    assert_eq!(runtime.monotonic() - start, MINUTE * 2);
    for _ in 0..2 {
        drop(world.ok(turn()));
    }
    assert!(runtime.monotonic() - start <= MINUTE * 3);
}

#[test]
fn a_caller_who_leaves_the_queue_returns_its_turn() {
    use std::task::{Context, Poll, Waker};

    use crate::testing::World;
    let world = World::new();
    let runtime = world.process(0);
    let quota = Quota {
        units_per_minute: 2,
        concurrency: 1,
        ..Quota::UNLIMITED
    };
    let limiter = RateLimiter::new(Some(quota), 1000, false);
    let one = Cost::of(Effect::Read, 1);
    let first = world.run(limiter.acquire(runtime.as_ref(), one, LONG));
    let mut second = Box::pin(limiter.acquire(runtime.as_ref(), one, LONG));
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(second.as_mut().poll(&mut context), Poll::Pending));
    drop(second);
    drop(first);
    let third = limiter.acquire(runtime.as_ref(), one, Duration::ZERO);
    assert!(world.run(third).is_ok(), "one of two was spent");
}

#[test]
fn a_limiter_that_counts_is_kept_and_one_that_does_not_is_forgotten() {
    let limiters = RateLimiters::new(1000, false);
    let quota = Quota {
        units_per_minute: 60,
        ..Quota::UNLIMITED
    };
    let account = |number: u128| AccountId::from_uuid(Uuid::from_u128(number));
    let spend = |limiter: &RateLimiter, now| {
        let limits = limiter.limits.as_ref().unwrap();
        limits.reserve(Cost::of(Effect::Read, 60), now, Duration::ZERO)
    };
    for number in 0..100_000 {
        spend(&limiters.of(account(number), Some(quota)), NOW).unwrap();
    }
    let named = limiters.of(account(7), Some(quota));
    limiters.sweep(NOW + MINUTE - SLOT);
    assert_eq!(limiters.len(), 100_000, "all have spent their quota");
    let again = limiters.of(account(9), Some(quota));
    spend(&again, NOW + MINUTE - SLOT).unwrap_err();
    drop(again);
    limiters.sweep(NOW + MINUTE + SLOT);
    assert_eq!(limiters.len(), 1, "a snapshot names one");
    assert!(Arc::ptr_eq(&named, &limiters.of(account(7), Some(quota))));
}

#[test]
fn an_account_keeps_its_limiter_until_its_quota_changes() {
    let limiters = RateLimiters::new(1000, false);
    let account = AccountId::from_uuid(Uuid::from_u128(1));
    let quota = |units_per_minute| {
        Some(Quota {
            units_per_minute,
            ..Quota::UNLIMITED
        })
    };
    let first = limiters.of(account, quota(60));
    assert!(Arc::ptr_eq(&first, &limiters.of(account, quota(60))));
    let second = limiters.of(account, quota(600));
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(limiters.of(account, None).quota(), None);
}
