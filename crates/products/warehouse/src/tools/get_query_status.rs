//! What became of a statement, with its rows where it is done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    readable::StatementView,
    StatementResult,
    reader::Reader,
    statement::{Reply, ask, expired},
};

/// Ask what became of a statement: `done` with its first rows in `result`, `running`, `failed` with the reason in
/// `result`, `cancelled` or `timed_out_and_cancelled`.
///
/// Ask a running statement again after a second, then ever more seldom. Results are kept for 24 hours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetQueryStatus {
    /// Handle of the statement, as `warehouse_execute_query` returned it.
    pub statement_handle: String,
    /// `request_id` of the execution.
    pub request_id: Option<String>,
}

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
        let response = ask(io, request).await.map_err(expired)?;
        let reply = Reply::of_any(&response).map_err(expired)?;
        Ok(reply.output(self.request_id.as_deref()))
    }
}
