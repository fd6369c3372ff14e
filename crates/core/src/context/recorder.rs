//! Collects the records of executions and writes them together, so that no call waits for the store. The same
//! transaction adds them to the totals.
//!
//! A process that is killed loses the records of the last 200 ms. A record before each write would need a transaction
//! of its own for every write.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::lock::Mutex as AsyncMutex;

use super::Context;
use crate::{
    Result,
    domain::{Execution, Totals},
    store::{Batch, Commit},
};

/// How long records wait for others before they are written together.
const GATHER: Duration = Duration::from_millis(200);
/// Pause before the next try if the store didn't accept them.
const AGAIN: Duration = Duration::from_secs(2);
/// Maximum number of waiting records. Above it, the oldest are dropped and only counted, with a warning in the log.
const CAPACITY: usize = 50_000;
/// Maximum number of records in a transaction.
const BATCH: usize = 1_000;
/// Conflicts with other processes before a batch waits for the next round.
const CONFLICTS: u32 = 20;
/// Number of tries before the process ends, and the pause between them.
const LAST: u32 = 4;
const SOON: Duration = Duration::from_millis(500);

/// Records that wait to be written.
#[derive(Default)]
pub(crate) struct Recorder {
    waiting: Mutex<Waiting>,
    /// Whether a round is running.
    writing: AtomicBool,
    /// Held during a flush, so that a second one ends after the records of the first are written too.
    flushing: AsyncMutex<()>,
}

#[derive(Default)]
struct Waiting {
    calls: Vec<Execution>,
    /// Batches that are being written, or that the store didn't accept. They may have been stored nevertheless, so they
    /// are kept unchanged and never stored twice.
    offered: VecDeque<Arc<Written>>,
}

/// Calls with their share of the totals.
pub(crate) struct Written {
    calls: Vec<Execution>,
    totals: Vec<Totals>,
}

impl Written {
    pub(crate) fn new(context: &Context, calls: Vec<Execution>) -> Self {
        Self {
            totals: Totals::of(context.host.process, &calls),
            calls,
        }
    }

    /// Commits it together with `batch`, unless it was already committed.
    pub(crate) async fn commit(&self, context: &Context, batch: &Batch) -> Result<Commit> {
        let store = &context.store;
        let mut all = batch.clone();
        for totals in &self.totals {
            all = match store.totals_of(totals).await? {
                Some(mut found) => {
                    found.row.add(totals);
                    all.update(found.row, found.version)
                }
                None => all.insert(totals.clone()),
            };
        }
        let by = (context.host.process, context.host.now());
        let names = &context.history.names;
        let committed = store.commit_calls(names, by, all, &self.calls, 0).await?;
        if committed == Commit::Conflict && store.has_calls(&self.calls).await? {
            return Ok(Commit::Committed);
        }
        Ok(committed)
    }

    /// Commits it alone. `false` if the store doesn't accept it.
    async fn store(&self, context: &Context) -> bool {
        for _ in 0..=CONFLICTS {
            match self.commit(context, &Batch::new()).await {
                Ok(Commit::Committed) => return true,
                // Another writer of the same totals or names was first.
                Ok(Commit::Conflict) => {}
                Err(error) => {
                    // It's logged elsewhere that the store is unavailable or read-only.
                    tracing::debug!(%error, "couldn't store records of calls yet; Stead tries again");
                    return false;
                }
            }
        }
        false
    }
}

impl Recorder {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, context: &Context, call: Execution) {
        {
            let mut waiting = self.waiting();
            if waiting.calls.len() >= CAPACITY {
                let dropped: Vec<_> = waiting.calls.drain(..CAPACITY / 2).collect();
                tracing::warn!(
                    dropped = dropped.len(),
                    "couldn't store records of calls; the oldest were dropped and are only counted"
                );
                waiting.offered.push_back(Arc::new(Written {
                    calls: Vec::new(),
                    totals: Totals::of(context.host.process, &dropped),
                }));
            }
            waiting.calls.push(call);
        }
        // Usually a round is running, so this only reads. When a round ends, it checks again for waiting records. It
        // either sees this call, or this call sees that the round has ended.
        if !self.writing.load(Ordering::Acquire) && !self.writing.swap(true, Ordering::AcqRel) {
            let weak = context.downgrade();
            let mut pause = context.host.runtime.sleep(GATHER);
            context.host.runtime.spawn(Box::pin(async move {
                loop {
                    pause.await;
                    let Some(context) = weak.upgrade() else {
                        return;
                    };
                    let _guard = context.host.tasks.begin();
                    let recorder = &context.history.recorder;
                    let done = recorder.flush(&context).await;
                    recorder.writing.store(false, Ordering::Release);
                    // A record added since then has found this round running, or has started its own.
                    if recorder.is_empty() || recorder.writing.swap(true, Ordering::AcqRel) {
                        return;
                    }
                    pause = context
                        .host
                        .runtime
                        .sleep(if done { GATHER } else { AGAIN });
                }
            }));
        }
    }

    /// Number of records that wait to be written, without those already offered.
    pub(crate) fn waiting_count(&self) -> usize {
        self.waiting().calls.len()
    }

    fn is_empty(&self) -> bool {
        let waiting = self.waiting();
        waiting.calls.is_empty() && waiting.offered.is_empty()
    }

    /// Writes everything that waits. Retries a few times, because the process is about to end.
    pub(crate) async fn flush_at_last(&self, context: &Context) {
        for _ in 0..LAST {
            if self.flush(context).await {
                return;
            }
            context.host.runtime.sleep(SOON).await;
        }
        tracing::error!(
            "couldn't store records of calls; the last calls are missing in the history"
        );
    }

    /// Writes everything that waits now, but not what arrives during the write. `false` if the store doesn't accept it,
    /// so it continues to wait. A flush that is dropped loses nothing.
    pub(crate) async fn flush(&self, context: &Context) -> bool {
        let _flushing = self.flushing.lock().await;
        let mut left = self.waiting_count();
        while let Some(next) = self.next(context, &mut left) {
            if !next.store(context).await {
                return false;
            }
            self.waiting().offered.pop_front();
        }
        true
    }

    /// The batch to write next. `left` is the number of calls to take at most.
    fn next(&self, context: &Context, left: &mut usize) -> Option<Arc<Written>> {
        let mut waiting = self.waiting();
        if waiting.offered.is_empty() {
            let count = waiting.calls.len().min(BATCH).min(*left);
            if count == 0 {
                return None;
            }
            *left -= count;
            let calls = waiting.calls.drain(..count).collect();
            let batch = Arc::new(Written::new(context, calls));
            waiting.offered.push_back(batch);
        }
        waiting.offered.front().map(Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, future::join};
    use jiff::Timestamp;

    use super::*;
    use crate::domain::totals::{Count, Step};
    use crate::testing::{
        Flaky, Mode, Readings, STABLE, World, always, context, execution, executions,
    };

    fn run(context: &Context, number: usize) {
        let id = context.host.new_id().as_u128();
        // Each a little later than the previous one.
        let at = context.host.now() + Duration::from_micros(number as u64);
        let row = execution(id, &number.to_string(), at);
        context.history.recorder.add(context, row);
    }

    fn identifiers(world: &World, context: &Context) -> Vec<String> {
        let mut calls = world.run(executions(context));
        calls.reverse();
        calls.into_iter().map(|call| call.identifier).collect()
    }

    /// The calls that the totals count.
    fn counted(world: &World, context: &Context) -> u64 {
        let all = Timestamp::MIN..Timestamp::MAX;
        let totals = context.store.totals(Step::Minute, &all, None, u32::MAX);
        let totals = world.ok(totals);
        let counts = totals.iter().flat_map(|found| found.row.counts.values());
        counts.map(Count::calls).sum()
    }

    fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|number| number.to_string()).collect()
    }

    #[test]
    fn records_are_written_together_after_a_moment() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        (0..2 * BATCH + 7).for_each(|number| run(&context, number));
        world.run_until_idle();
        assert_eq!(identifiers(&world, &context), numbers(0..0));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..2 * BATCH + 7));
    }

    #[test]
    fn records_wait_in_order_while_the_store_is_down() {
        let world = World::new();
        let store = Flaky::new(world.process(0));
        let context = world.open(0, &STABLE, always(200, ""), &store);
        store.set_down(true);
        (0..BATCH + 1).for_each(|number| run(&context, number));
        world.advance(GATHER);
        (BATCH + 1..BATCH + 3).for_each(|number| run(&context, number));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..0));
        store.set_down(false);
        // No further call is needed.
        world.advance(AGAIN);
        assert_eq!(identifiers(&world, &context), numbers(0..BATCH + 3));
        assert_eq!(counted(&world, &context), BATCH as u64 + 3);
    }

    #[test]
    fn calls_are_in_the_history_once_after_a_commit_with_an_unknown_outcome() {
        for applied in [false, true] {
            let world = World::new();
            let store = Flaky::new(world.process(0));
            let context = world.open(0, &STABLE, always(200, ""), &store);
            (0..3).for_each(|number| run(&context, number));
            store.doubt(2, applied);
            world.advance(GATHER);
            run(&context, 3);
            world.advance(AGAIN);
            world.advance(AGAIN);
            assert_eq!(identifiers(&world, &context), numbers(0..4));
            assert_eq!(counted(&world, &context), 4);
        }
    }

    #[test]
    fn records_during_a_commit_join_the_next_batch() {
        let world = World::new();
        let store = Readings::new(&world);
        let context = world.open(0, &STABLE, always(200, ""), &store);
        run(&context, 0);
        store.set(Mode::Slow);
        let come = async {
            context.host.runtime.sleep(Duration::from_millis(1)).await;
            run(&context, 1);
        };
        world.run(join(context.history.recorder.flush(&context), come));
        assert_eq!(identifiers(&world, &context), numbers(0..1));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..2));
    }

    #[test]
    fn a_flush_ends_after_the_records_of_one_that_is_running_are_written() {
        let world = World::new();
        let store = Readings::new(&world);
        let context = world.open(0, &STABLE, always(200, ""), &store);
        run(&context, 0);
        store.set(Mode::Slow);
        // The round takes the record, and the store is slow.
        world.advance(GATHER);
        assert_eq!(context.history.recorder.waiting_count(), 0);
        world.run(context.history.recorder.flush_at_last(&context));
        store.set(Mode::Present);
        assert_eq!(identifiers(&world, &context), numbers(0..1));
    }

    #[test]
    fn a_dropped_flush_loses_no_records() {
        let world = World::new();
        let store = Readings::new(&world);
        let context = world.open(0, &STABLE, always(200, ""), &store);
        run(&context, 0);
        store.set(Mode::Slow);
        let flush = context.history.recorder.flush(&context).now_or_never();
        assert!(flush.is_none(), "the store was fast");
        store.set(Mode::Present);
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..1));
        assert_eq!(counted(&world, &context), 1);
    }

    #[test]
    fn a_flush_writes_waiting_records() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        run(&context, 0);
        world.run(context.history.recorder.flush(&context));
        assert_eq!(identifiers(&world, &context), numbers(0..1));
    }

    #[test]
    fn the_oldest_records_are_dropped_beyond_the_capacity() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        (0..CAPACITY + 1).for_each(|number| run(&context, number));
        let waiting = context.history.recorder.waiting().calls.len();
        assert_eq!(waiting, CAPACITY / 2 + 1);
        world.run(context.history.recorder.flush(&context));
        let kept = identifiers(&world, &context);
        assert_eq!(kept, numbers(CAPACITY / 2..CAPACITY + 1));
        assert_eq!(counted(&world, &context), CAPACITY as u64 + 1);
    }
}
