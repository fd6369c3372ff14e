//! What became of a statement, with its rows where it is done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result,
    tool::{ApiRequest, Call, Effect, Io, Output, Tool},
};

use crate::{
    StatementResult,
    reader::Reader,
    statement::{Reply, ask, expired},
};

/// Ask what became of a statement: `done` with its first rows, `running`, `failed` with the reason, `cancelled` or
/// `timed_out_and_cancelled`.
///
/// Results are kept for 24 hours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetQueryStatus {
    /// Handle that `warehouse_execute_query` returned.
    pub statement_handle: String,
    /// `request_id` of the execution, where it had one.
    pub request_id: Option<String>,
}

impl Tool for GetQueryStatus {
    const NAME: &'static str = "warehouse_get_query_status";
    const EFFECT: Effect = Effect::Read;
    type Output = StatementResult;

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
