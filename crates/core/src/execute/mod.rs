//! Running a tool: find, validate, admit, then for every request pace, token, send, read, send again; at last record.

mod admit;
mod dry_run;
mod exchange;
mod find;
mod pace;
mod read;
mod record;
mod send;
mod send_again;
mod validate;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use uuid::Uuid;

pub use admit::{AllowAll, Gate, Intent, Verdict};
pub(crate) use pace::{Pace, Paces};
pub(crate) use record::{Record, Recorder};
pub(crate) use send::{set_product_headers, transport_failure};

use crate::{
    Result,
    catalogue::CatalogueTool,
    environment::Environment,
    identifier::ExecutionId,
    resource::{ExecuteRequest, Execution},
    snapshot::Snapshot,
    tool::{AnyTool, Call, Effect, Io, Output},
};
use dry_run::DryRun;
use exchange::LiveExchange;

/// Longest time of one call, all its requests, pauses and repeats together.
const DEADLINE: Duration = Duration::from_secs(120);

/// What is asked to run.
struct Invocation<'a> {
    connection_name: &'a str,
    identifier: &'a str,
    idempotency_key: Option<&'a str>,
    dry_run: bool,
}

impl Environment {
    /// Runs a tool by name.
    ///
    /// # Errors
    /// Any kind of the table; the error carries the execution's id.
    pub async fn execute(&self, name: &str, request: ExecuteRequest) -> Result<Execution> {
        let ExecuteRequest { connection_name, identifier, mut input, schema_version, tool_version, dry_run, idempotency_key } = request;
        let mut record = Record::begin(self, name, &connection_name, &identifier);
        let invocation =
            Invocation { connection_name: &connection_name, identifier: &identifier, idempotency_key: idempotency_key.as_deref(), dry_run };
        let stages = async {
            let tool = find::tool(self.catalogue(), name, schema_version, tool_version, &mut input)?;
            record.tool(tool);
            let parsed = validate::input(tool, input)?;
            self.run(tool, Arc::from(parsed), &invocation, &mut record).await
        };
        let result = stages.await;
        record.end(self, result)
    }

    async fn run(
        &self,
        tool: &CatalogueTool,
        parsed: Arc<dyn AnyTool>,
        invocation: &Invocation<'_>,
        record: &mut Record,
    ) -> Result<Execution> {
        self.tasks().open()?;
        let snapshot = self.snapshot(invocation.connection_name, invocation.identifier).await?;
        record.account(snapshot.account.id);
        admit::same_product(tool, &snapshot)?;
        snapshot.usable()?;
        let call = call_of(&snapshot, tool, invocation, record);
        admit::scopes(tool, &snapshot)?;
        parsed.check(&call)?;
        admit::policy(self, tool, invocation, &snapshot)?;
        let entry = tool.entry();
        let output = if invocation.dry_run {
            dry_run(&snapshot, &parsed, &call).await?
        } else {
            let exchange = LiveExchange::new(self.clone(), snapshot, DEADLINE, record.requests());
            match entry.effect() {
                Effect::Read => parsed.run(&call, Io::new(&exchange)).await?,
                // A caller that hangs up stops waiting, not the writing.
                Effect::Write | Effect::Delete => {
                    self.detached(async move { parsed.run(&call, Io::new(&exchange)).await }).await?
                }
            }
        };
        let (data, warnings) = output.into_json()?;
        Ok(Execution::new(record.id(), entry.name(), entry.version(), data, warnings))
    }
}

fn call_of(snapshot: &Snapshot, tool: &CatalogueTool, invocation: &Invocation<'_>, record: &Record) -> Call {
    let id = match invocation.idempotency_key {
        None => record.id().uuid(),
        Some(key) => derived_id(snapshot, tool.entry().name(), key),
    };
    Call::new(id, record.started_at())
        .with_settings(snapshot.connection.settings.clone())
        .with_scopes(snapshot.account.granted_scopes.iter().cloned())
}

async fn dry_run(snapshot: &Snapshot, parsed: &Arc<dyn AnyTool>, call: &Call) -> Result<Output> {
    let dry = DryRun::new(&snapshot.endpoints);
    let result = parsed.run(call, Io::new(&dry)).await;
    dry.output(result)
}

/// The same key for the same account and tool gives the same id, and so the same ids at the product.
fn derived_id(snapshot: &Snapshot, tool: &str, key: &str) -> Uuid {
    let account = Call::new(snapshot.account.id.uuid(), Timestamp::UNIX_EPOCH);
    account.derive_id(format_args!("{}\0{tool}\0{key}", snapshot.connection.id))
}

/// The id of a run, which also names it in the history.
pub(crate) fn new_execution_id(environment: &Environment) -> ExecutionId {
    ExecutionId::from_uuid(environment.new_id())
}
