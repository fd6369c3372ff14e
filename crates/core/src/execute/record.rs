use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;

use super::new_execution_id;
use crate::{
    Error, Result,
    catalogue::CatalogueTool,
    environment::Environment,
    identifier::{AccountId, ExecutionId},
    store::{Batch, Commit, ExecutionRow},
};

/// Records wait so long for company before they are written together.
const GATHER: Duration = Duration::from_millis(200);
/// Records that wait at most; beyond that the oldest are dropped, and a warning says so.
const CAPACITY: usize = 20_000;
const BATCH: usize = 500;

/// One run while it lasts. A run whose caller goes away is recorded as `cancelled`.
pub(crate) struct Record {
    environment: Environment,
    row: Option<ExecutionRow>,
    began: Duration,
    requests: Arc<AtomicU32>,
}

impl Record {
    pub(crate) fn begin(
        environment: &Environment,
        tool: &str,
        connection_name: &str,
        identifier: &str,
    ) -> Self {
        let row = ExecutionRow {
            id: new_execution_id(environment),
            tool: tool.chars().take(100).collect(),
            tool_version: String::new(),
            account_id: None,
            connection_name: connection_name.chars().take(100).collect(),
            identifier: identifier.chars().take(256).collect(),
            started_at: environment.now(),
            duration_micros: 0,
            outcome: String::new(),
            requests: 0,
        };
        Self {
            environment: environment.clone(),
            row: Some(row),
            began: environment.monotonic(),
            requests: Arc::new(AtomicU32::new(0)),
        }
    }

    pub(crate) fn id(&self) -> ExecutionId {
        self.row
            .as_ref()
            .map_or(ExecutionId::from_uuid(uuid::Uuid::nil()), |row| row.id)
    }
    pub(crate) fn started_at(&self) -> Timestamp {
        self.row
            .as_ref()
            .map_or(Timestamp::UNIX_EPOCH, |row| row.started_at)
    }
    pub(crate) fn requests(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.requests)
    }
    pub(super) fn tool(&mut self, tool: &CatalogueTool) {
        if let Some(row) = &mut self.row {
            row.tool = tool.entry().name().to_owned();
            row.tool_version = tool.entry().version().to_owned();
        }
    }
    pub(crate) fn version(&mut self, version: &str) {
        if let Some(row) = &mut self.row {
            version.clone_into(&mut row.tool_version);
        }
    }
    pub(crate) fn account(&mut self, account: AccountId) {
        if let Some(row) = &mut self.row {
            row.account_id = Some(account);
        }
    }

    /// Hands the record over, and gives the error its execution's id. What the error says is free of the products'
    /// credentials from here on.
    pub(crate) fn end<T>(mut self, result: Result<T>) -> Result<T> {
        let id = self.id();
        self.hand_over(
            result
                .as_ref()
                .err()
                .map_or("ok", |error: &Error| error.kind().name()),
        );
        result.map_err(|error| {
            error
                .without_credentials(&self.environment.catalogue().token_prefixes())
                .with_execution_id(id.to_string())
        })
    }

    fn hand_over(&mut self, outcome: &'static str) {
        let Some(mut row) = self.row.take() else {
            return;
        };
        let duration = self.environment.monotonic().saturating_sub(self.began);
        tracing::debug!(execution = %row.id, tool = %row.tool, outcome, micros = duration.as_micros(), "execution");
        row.duration_micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        outcome.clone_into(&mut row.outcome);
        row.requests = self.requests.load(Ordering::Relaxed);
        self.environment.recorder().add(&self.environment, row);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.hand_over("cancelled");
    }
}

/// Gathers records and writes them together, so that no call waits for the store.
#[derive(Default)]
pub(crate) struct Recorder {
    waiting: Mutex<Vec<ExecutionRow>>,
    writing: AtomicBool,
}

impl Recorder {
    fn add(&self, environment: &Environment, row: ExecutionRow) {
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
            let weak = environment.downgrade();
            let gather = environment.runtime().sleep(GATHER);
            environment.runtime().spawn(Box::pin(async move {
                gather.await;
                if let Some(environment) = weak.upgrade() {
                    let _guard = environment.tasks().begin();
                    environment
                        .recorder()
                        .writing
                        .store(false, Ordering::Release);
                    environment.recorder().flush(&environment).await;
                }
            }));
        }
    }

    /// Writes everything that waits; what the store does not take goes back to waiting.
    pub(crate) async fn flush(&self, environment: &Environment) {
        loop {
            let rows: Vec<ExecutionRow> = {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let count = waiting.len().min(BATCH);
                waiting.drain(..count).collect()
            };
            if rows.is_empty() {
                return;
            }
            let batch = rows.iter().cloned().fold(Batch::new(), Batch::insert);
            match environment.store().commit(batch).await {
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
    use serde_json::json;

    use super::*;
    use crate::{
        ErrorKind,
        error::Upstream,
        store::Store as _,
        testing::{Flaky, STABLE, World, always, environment, open},
    };

    fn run(environment: &Environment, number: usize) {
        let record = Record::begin(environment, "demo_read_note", "demo", &number.to_string());
        record.end(Ok(())).unwrap();
    }

    fn identifiers(world: &World, environment: &Environment) -> Vec<String> {
        let mut rows = world
            .run(environment.store().executions(None, u32::MAX))
            .unwrap();
        rows.reverse();
        rows.into_iter().map(|row| row.row.identifier).collect()
    }

    fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|number| number.to_string()).collect()
    }

    #[test]
    fn an_error_leaves_without_the_products_credentials() {
        let world = World::new();
        let environment = environment(&world, &STABLE, always(200, ""));
        let record = Record::begin(&environment, "demo_read_note", "demo", "ada");
        let said = "the token demo-token.abcdefgh is bad";
        let upstream = Upstream::new(400)
            .with_message(said)
            .with_details(json!({ "errors": [said] }));
        let error = Error::new(ErrorKind::ProductInvalidRequest, said)
            .with_context("said", said)
            .with_upstream(upstream);
        let error = record.end::<()>(Err(error)).unwrap_err();
        let shown = json!([error.message(), error.context(), error.upstream()]).to_string();
        assert_eq!(shown.matches("the token [removed] is bad").count(), 4);
        assert!(!shown.contains("demo-token"), "{shown}");
    }

    #[test]
    fn records_are_written_together_after_a_moment() {
        let world = World::new();
        let environment = environment(&world, &STABLE, always(200, ""));
        (0..3 * BATCH + 7).for_each(|number| run(&environment, number));
        world.settle();
        assert_eq!(identifiers(&world, &environment), numbers(0..0));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &environment), numbers(0..3 * BATCH + 7));
    }

    #[test]
    fn what_the_store_does_not_take_waits_in_order() {
        let world = World::new();
        let store = Flaky::new(world.process(0));
        let environment = world.run(open(
            world.process(0),
            &STABLE,
            always(200, ""),
            Arc::clone(&store) as _,
        ));
        store.set_down(true);
        (0..BATCH + 1).for_each(|number| run(&environment, number));
        world.advance(GATHER);
        (BATCH + 1..BATCH + 3).for_each(|number| run(&environment, number));
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &environment), numbers(0..0));
        store.set_down(false);
        run(&environment, BATCH + 3);
        world.advance(GATHER);
        assert_eq!(identifiers(&world, &environment), numbers(0..BATCH + 4));
        assert!(world.run(store.now()).is_ok());
    }

    #[test]
    fn a_shutdown_writes_what_waits() {
        let world = World::new();
        let environment = environment(&world, &STABLE, always(200, ""));
        run(&environment, 0);
        world.run(environment.shut_down());
        assert_eq!(identifiers(&world, &environment), numbers(0..1));
    }

    #[test]
    fn beyond_its_capacity_the_oldest_go() {
        let world = World::new();
        let environment = environment(&world, &STABLE, always(200, ""));
        (0..CAPACITY + 1).for_each(|number| run(&environment, number));
        let waiting = environment.recorder().waiting.lock().unwrap();
        assert_eq!(waiting.len(), CAPACITY / 2 + 1);
        assert_eq!(waiting.last().unwrap().identifier, CAPACITY.to_string());
    }

    #[test]
    fn a_record_says_how_it_ended_and_gives_the_error_its_id() {
        let world = World::new();
        let environment = environment(&world, &STABLE, always(200, ""));
        let record = Record::begin(
            &environment,
            &"t".repeat(1000),
            &"c".repeat(1000),
            &"i".repeat(1000),
        );
        let id = record.id();
        record.requests().fetch_add(2, Ordering::Relaxed);
        world.advance(Duration::from_millis(3));
        let error = record
            .end(Err::<(), _>(Error::new(ErrorKind::ProductTimeout, "")))
            .unwrap_err();
        assert_eq!(error.execution_id(), Some(id.to_string().as_str()));
        world.advance(GATHER);
        let row = world
            .run(environment.store().executions(None, 1))
            .unwrap()
            .remove(0)
            .row;
        assert_eq!(
            (
                row.id,
                row.outcome.as_str(),
                row.duration_micros,
                row.requests
            ),
            (id, "product_timeout", 3000, 2)
        );
        assert_eq!(
            (
                row.tool.len(),
                row.connection_name.len(),
                row.identifier.len()
            ),
            (100, 100, 256)
        );
    }
}
