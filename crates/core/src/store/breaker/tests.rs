//! Operations that fail while the store is unavailable, how often it's probed, and operations that a doubt doesn't
//! interrupt.

use std::sync::{Mutex, atomic::AtomicU32};

use futures_util::future::join_all;

use super::*;
use crate::testing::{Asked, Flaky, World};

const NEVER: Duration = Duration::from_secs(3_600);

/// How long a store's reads and commits take, and whether they then fail.
struct Slow {
    runtime: Arc<dyn Runtime>,
    reading: Mutex<(Duration, bool)>,
    commit: Mutex<(Duration, bool)>,
    readings: AtomicU32,
}

impl Slow {
    fn of(world: &World) -> (Arc<Self>, Breaker) {
        let runtime: Arc<dyn Runtime> = world.process(0);
        let slow = Arc::new(Self {
            runtime: Arc::clone(&runtime),
            reading: Mutex::default(),
            commit: Mutex::default(),
            readings: AtomicU32::new(0),
        });
        let store = Flaky::new(Arc::clone(&runtime));
        let scripted = Arc::clone(&slow);
        store.script(move |asked| {
            let (takes, fails) = match asked {
                Asked::Time => {
                    scripted.readings.fetch_add(1, Ordering::SeqCst);
                    *scripted.reading.lock().unwrap()
                }
                Asked::Commit => *scripted.commit.lock().unwrap(),
                _ => (Duration::ZERO, false),
            };
            let sleep = scripted.runtime.sleep(takes);
            async move {
                sleep.await;
                match fails {
                    true => Err(Error::new(ErrorKind::StorageUnavailable, "no connection")),
                    false => Ok(()),
                }
            }
        });
        (slow, Breaker::new(store, runtime))
    }

    fn set(&self, takes: Duration, fails: bool) {
        *self.reading.lock().unwrap() = (takes, fails);
        *self.commit.lock().unwrap() = (takes, fails);
    }
}

/// The result of work, and how long it takes.
fn timed<T>(world: &World, work: impl Future<Output = Result<T>>) -> (Option<ErrorKind>, Duration) {
    let runtime = world.process(0);
    let began = runtime.monotonic();
    let failed = world.run(work).err().map(|error| error.kind());
    (failed, runtime.monotonic() - began)
}

#[test]
fn the_first_failure_refuses_the_rest_until_the_store_responds() {
    let world = World::new();
    let (store, breaker) = Slow::of(&world);
    store.set(Duration::ZERO, true);
    let refused = (Some(ErrorKind::StorageUnavailable), Duration::ZERO);
    assert_eq!(timed(&world, breaker.now()), refused);
    let asked = store.readings.load(Ordering::SeqCst);
    for _ in 0..1_000 {
        assert_eq!(timed(&world, breaker.commit(Batch::new())), refused);
        assert_eq!(timed(&world, breaker.ready()), refused);
    }
    let error = world.err(breaker.now());
    assert_eq!(error.retry_after(), Some(PROBE));
    assert!(error.retryable());
    assert_eq!(store.readings.load(Ordering::SeqCst), asked);
    world.advance(Duration::from_secs(60));
    assert_eq!(store.readings.load(Ordering::SeqCst), asked + 60);
    store.set(Duration::ZERO, false);
    world.advance(PROBE);
    assert_eq!(timed(&world, breaker.now()), (None, Duration::ZERO));
}

#[test]
fn a_closing_breaker_does_not_probe_the_store() {
    let world = World::new();
    let (store, breaker) = Slow::of(&world);
    breaker.leave();
    store.set(Duration::ZERO, true);
    let failed = (Some(ErrorKind::StorageUnavailable), Duration::ZERO);
    assert_eq!(timed(&world, breaker.commit(Batch::new())), failed);
    world.advance(Duration::from_secs(60));
    assert_eq!(store.readings.load(Ordering::SeqCst), 0);
    assert!(!breaker.is_away());
}

#[test]
fn waiting_calls_fail_together_if_the_store_does_not_respond() {
    let world = World::new();
    let (store, breaker) = Slow::of(&world);
    store.set(NEVER, false);
    let all = join_all((0..100).map(|_| breaker.commit(Batch::new())));
    let (failed, took) = timed(&world, async { all.await.remove(0) });
    assert_eq!(failed, Some(ErrorKind::StorageUnavailable));
    assert_eq!(took, PATIENCE + RESPONSE);
    assert_eq!(store.readings.load(Ordering::SeqCst), 1);
    let (failed, took) = timed(&world, breaker.now());
    assert_eq!(failed, Some(ErrorKind::StorageUnavailable));
    assert_eq!(took, Duration::ZERO);
}

#[test]
fn a_slow_call_continues_while_the_store_responds_to_others() {
    let world = World::new();
    let (store, breaker) = Slow::of(&world);
    let long = Duration::from_secs(8);
    *store.commit.lock().unwrap() = (long, false);
    assert_eq!(timed(&world, breaker.commit(Batch::new())), (None, long));
    // A read over its time limit proves nothing if other operations get responses in the meantime.
    *store.reading.lock().unwrap() = (NEVER, false);
    let others = async {
        for _ in 0..20 {
            store.runtime.sleep(RESPONSE / 2).await;
            let list = List::new(crate::store::TABLES[0], crate::store::TABLES[0].key);
            breaker.list(&list).await?;
        }
        Ok(())
    };
    let both = futures_util::future::try_join(breaker.commit(Batch::new()), others);
    assert_eq!(timed(&world, both).0, None);
    assert!(!breaker.is_away());
}

#[test]
fn a_store_that_refuses_writes_can_be_read() {
    let world = World::new();
    let (store, breaker) = Slow::of(&world);
    *store.commit.lock().unwrap() = (Duration::ZERO, true);
    let failed = timed(&world, breaker.commit(Batch::new())).0;
    assert_eq!(failed, Some(ErrorKind::StorageUnavailable));
    assert_eq!(timed(&world, breaker.now()).0, None);
    assert!(!breaker.is_away());
}

#[test]
fn a_dropped_breaker_stops_probing() {
    let world = World::new();
    let (store, breaker) = Slow::of(&world);
    store.set(Duration::ZERO, true);
    assert!(world.run(breaker.now()).is_err());
    drop(breaker);
    world.advance(PROBE);
    let asked = store.readings.load(Ordering::SeqCst);
    world.advance(PROBE * 10);
    assert_eq!(store.readings.load(Ordering::SeqCst), asked);
}
