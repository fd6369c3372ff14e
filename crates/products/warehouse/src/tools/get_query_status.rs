//! Reads the state of a statement, with its rows if it's done.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    StatementResult,
    readable::StatementView,
    reader::Reader,
    statement::{Reply, State, ask, expired},
};

/// Get the state of a statement: `done` with its first rows, `running`, `failed` with the reason, `cancelled` or
/// `timed_out_and_cancelled`.
///
/// With `wait_seconds`, it waits for a running statement. Results are kept for 24 hours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetQueryStatus {
    /// Handle that `warehouse_execute_query` returned.
    pub statement_handle: String,
    /// `request_id` of the execution, if it had one.
    pub request_id: Option<String>,
    /// Most seconds to wait while the statement is running; don't wait when absent.
    #[schemars(range(min = 0, max = 60))]
    pub wait_seconds: Option<u32>,
}

/// Pause before the second request. Each further pause is twice as long, up to a maximum.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

impl Tool for GetQueryStatus {
    const NAME: &'static str = "warehouse_get_query_status";
    const EFFECT: Effect = Effect::Read;
    type Output = StatementResult;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        let mut reader = Reader::default();
        reader.id("statement_handle", &self.statement_handle);
        reader.optional_id("request_id", &self.request_id);
        reader.end()
    }

    /// SQL API, `GET /api/v2/statements/{statementHandle}`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["statements", &self.statement_handle])
            .query("requestId", &self.request_id);
        let mut left = Duration::from_secs(self.wait_seconds.unwrap_or_default().into());
        let mut pause = FIRST_PAUSE;
        let reply = loop {
            let response = ask(io, request.clone()).await.map_err(expired)?;
            let reply = Reply::of_any(&response).map_err(expired)?;
            let wait = pause.min(left);
            if reply.state != State::Running || wait.is_zero() || io.pause(wait).await.is_err() {
                break reply;
            }
            left -= wait;
            pause = LONGEST_PAUSE.min(2 * pause);
        };
        Ok(reply.output(self.request_id.as_deref()))
    }
}
