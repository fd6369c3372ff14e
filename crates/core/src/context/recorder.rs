//! Gathers the records of executions and writes them together, so that no call waits for the store.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::Context;
use crate::{
    domain::Execution,
    store::{Batch, Commit},
};

/// Records wait so long for company before they are written together.
const GATHER: Duration = Duration::from_millis(200);
/// Records that wait at most; beyond that the oldest are dropped, and a warning says so.
const CAPACITY: usize = 20_000;
const BATCH: usize = 500;

/// The records that wait to be written.
#[derive(Default)]
pub(crate) struct Recorder {
    waiting: Mutex<Vec<Execution>>,
    writing: AtomicBool,
}

impl Recorder {
    pub(crate) fn add(&self, context: &Context, row: Execution) {
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.len() >= CAPACITY {
                let dropped = waiting.drain(..CAPACITY / 2).count();
                tracing::warn!(
                    dropped,
                    "the store takes no records; the oldest were dropped"
                );
            }
            waiting.push(row);
        }
        if !self.writing.swap(true, Ordering::AcqRel) {
            let weak = context.downgrade();
            let gather = context.runtime.sleep(GATHER);
            context.runtime.spawn(Box::pin(async move {
                gather.await;
                if let Some(context) = weak.upgrade() {
                    let _guard = context.tasks.begin();
                    context.recorder.writing.store(false, Ordering::Release);
                    context.recorder.flush(&context).await;
                }
            }));
        }
    }

    /// Writes everything that waits; what the store does not take goes back to waiting.
    pub(crate) async fn flush(&self, context: &Context) {
        loop {
            let rows: Vec<Execution> = {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let count = waiting.len().min(BATCH);
                waiting.drain(..count).collect()
            };
            if rows.is_empty() {
                return;
            }
            let batch = rows.iter().cloned().fold(Batch::new(), Batch::insert);
            match context.store.commit(batch).await {
                Ok(Commit::Committed) => {}
                Ok(Commit::Conflict) => tracing::warn!(
                    dropped = rows.len(),
                    "records with ids that exist were dropped"
                ),
                Err(error) => {
                    tracing::warn!(kind = %error.kind(), waiting = rows.len(), "records could not be written yet");
                    let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    waiting.splice(..0, rows);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{Flaky, STABLE, World, always, context, execution, open};

    fn run(context: &Context, number: usize) {
        let id = context.new_id().as_u128();
        let row = execution(id, &number.to_string(), context.now());
        context.recorder.add(context, row);
    }

    fn identifiers(world: &World, context: &Context) -> Vec<String> {
        let mut rows = world.run(context.store.executions(None, u32::MAX)).unwrap();
        rows.reverse();
        rows.into_iter().map(|row| row.row.identifier).collect()
    }

    fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|number| number.to_string()).collect()
    }

    #[test]
    fn records_are_written_together_after_a_moment() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        (0..3 * BATCH + 7).for_each(|number| run(&context, number));
        world.run_until_idle();
        assert_eq!(identifiers(&world, &context), numbers(0..0));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..3 * BATCH + 7));
    }

    #[test]
    fn what_the_store_does_not_take_waits_in_order() {
        let world = World::new();
        let store = Flaky::new(world.process(0));
        let context = world.run(open(
            world.process(0),
            &STABLE,
            always(200, ""),
            Arc::clone(&store) as _,
        ));
        store.set_down(true);
        (0..BATCH + 1).for_each(|number| run(&context, number));
        world.advance(GATHER);
        (BATCH + 1..BATCH + 3).for_each(|number| run(&context, number));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..0));
        store.set_down(false);
        run(&context, BATCH + 3);
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &context), numbers(0..BATCH + 4));
        assert!(world.run(context.store.now()).is_ok());
    }

    #[test]
    fn a_flush_writes_what_waits() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        run(&context, 0);
        world.run(context.recorder.flush(&context));
        assert_eq!(identifiers(&world, &context), numbers(0..1));
    }

    #[test]
    fn beyond_its_capacity_the_oldest_go() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        (0..CAPACITY + 1).for_each(|number| run(&context, number));
        let waiting = context.recorder.waiting.lock().unwrap();
        assert_eq!(waiting.len(), CAPACITY / 2 + 1);
        assert_eq!(waiting.last().unwrap().identifier, CAPACITY.to_string());
    }
}
