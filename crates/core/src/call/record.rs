//! The record of one call, written when it ends, however it ends.

use std::{
    mem,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use jiff::Timestamp;

use crate::{
    Error, Result,
    catalogue::CatalogueTool,
    context::Context,
    domain::Execution,
    identifier::{AccountId, ExecutionId},
};

/// One call while it lasts. A call whose caller goes away is recorded as `cancelled`.
pub(super) struct Record {
    context: Context,
    id: ExecutionId,
    tool: String,
    version: String,
    changes: bool,
    connection_name: String,
    identifier: String,
    account_id: Option<AccountId>,
    started_at: Timestamp,
    began: Duration,
    requests: AtomicU32,
    ended: bool,
}

impl Record {
    pub(super) fn begin(
        context: &Context,
        tool: &str,
        connection_name: &str,
        identifier: &str,
    ) -> Self {
        Self {
            context: context.clone(),
            id: ExecutionId::from_uuid(context.new_id()),
            tool: tool.chars().take(100).collect(),
            version: String::new(),
            changes: false,
            connection_name: connection_name.chars().take(100).collect(),
            identifier: identifier.chars().take(256).collect(),
            account_id: None,
            started_at: whole_micros(context.now()),
            began: context.monotonic(),
            requests: AtomicU32::new(0),
            ended: false,
        }
    }

    pub(super) fn id(&self) -> ExecutionId {
        self.id
    }
    pub(super) fn started_at(&self) -> Timestamp {
        self.started_at
    }
    /// How many requests were sent to the product.
    pub(super) fn requests(&self) -> &AtomicU32 {
        &self.requests
    }
    pub(super) fn tool(&mut self, tool: &CatalogueTool) {
        tool.entry().name().clone_into(&mut self.tool);
        self.version(tool.entry().version());
    }
    pub(super) fn version(&mut self, version: &str) {
        version.clone_into(&mut self.version);
    }
    /// That the call can change something at the product.
    pub(super) fn changes(&mut self) {
        self.changes = true;
    }
    pub(super) fn account(&mut self, account: AccountId) {
        self.account_id = Some(account);
    }

    /// Hands the record over, and gives the error its execution's id. What the error says is free of the products'
    /// credentials from here on.
    pub(super) fn end<T>(mut self, result: Result<T>) -> Result<T> {
        self.hand_over(
            result
                .as_ref()
                .err()
                .map_or(Execution::OK, |error: &Error| error.kind().name()),
        );
        result.map_err(|error| {
            error
                .without_credentials(&self.context.catalogue.token_prefixes())
                .with_execution_id(self.id.to_string())
        })
    }

    fn hand_over(&mut self, outcome: &'static str) {
        if mem::replace(&mut self.ended, true) {
            return;
        }
        let duration = self.context.monotonic().saturating_sub(self.began);
        tracing::debug!(
            execution = %self.id,
            tool = %self.tool,
            version = %self.version,
            connection = %self.connection_name,
            identifier = %self.identifier,
            outcome,
            micros = duration.as_micros(),
            "execution"
        );
        let execution = Execution {
            id: self.id,
            tool: mem::take(&mut self.tool),
            tool_version: mem::take(&mut self.version),
            changes: self.changes,
            account_id: self.account_id,
            connection_name: mem::take(&mut self.connection_name),
            identifier: mem::take(&mut self.identifier),
            actor: None,
            started_at: self.started_at,
            duration_micros: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            outcome: outcome.to_owned(),
            requests: self.requests.load(Ordering::Relaxed),
        };
        self.context.recorder.add(&self.context, execution);
    }
}

/// A moment as the history keeps it.
fn whole_micros(moment: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(moment.as_microsecond()).unwrap_or(moment)
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
        testing::{STABLE, World, always, context, executions},
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
        let row = world.run(executions(&context)).remove(0);
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
