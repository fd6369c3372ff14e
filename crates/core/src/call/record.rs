use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;

use super::new_execution_id;
use crate::{
    Error, Result,
    catalogue::CatalogueTool,
    context::Context,
    domain::Execution as ExecutionRow,
    identifier::{AccountId, ExecutionId},
};

/// One run while it lasts. A run whose caller goes away is recorded as `cancelled`.
pub(crate) struct Record {
    context: Context,
    row: Option<ExecutionRow>,
    began: Duration,
    requests: Arc<AtomicU32>,
}

impl Record {
    pub(crate) fn begin(
        context: &Context,
        tool: &str,
        connection_name: &str,
        identifier: &str,
    ) -> Self {
        let row = ExecutionRow {
            id: new_execution_id(context),
            tool: tool.chars().take(100).collect(),
            tool_version: String::new(),
            account_id: None,
            connection_name: connection_name.chars().take(100).collect(),
            identifier: identifier.chars().take(256).collect(),
            started_at: context.now(),
            duration_micros: 0,
            outcome: String::new(),
            requests: 0,
        };
        Self {
            context: context.clone(),
            row: Some(row),
            began: context.monotonic(),
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
                .without_credentials(&self.context.catalogue.token_prefixes())
                .with_execution_id(id.to_string())
        })
    }

    fn hand_over(&mut self, outcome: &'static str) {
        let Some(mut row) = self.row.take() else {
            return;
        };
        let duration = self.context.monotonic().saturating_sub(self.began);
        tracing::debug!(execution = %row.id, tool = %row.tool, outcome, micros = duration.as_micros(), "execution");
        row.duration_micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        outcome.clone_into(&mut row.outcome);
        row.requests = self.requests.load(Ordering::Relaxed);
        self.context.recorder.add(&self.context, row);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.hand_over("cancelled");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        ErrorKind,
        error::Upstream,
        testing::{STABLE, World, always, context},
    };

    #[test]
    fn an_error_leaves_without_the_products_credentials() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let record = Record::begin(&context, "demo_read_note", "demo", "ada");
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
    fn a_record_says_how_it_ended_and_gives_the_error_its_id() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let record = Record::begin(
            &context,
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
        world.advance(Duration::from_millis(200));
        let row = world
            .run(context.store.executions(None, 1))
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
