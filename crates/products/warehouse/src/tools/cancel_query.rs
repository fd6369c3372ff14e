//! Cancels a running statement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Hints, Io, Output, Retry, Tool},
};

use crate::{
    ResultSet,
    errors::{CANCELLED, NOT_EXECUTING},
    reader::Reader,
    statement::refused,
};

/// Cancel a running statement. The product rolls back its changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct CancelQuery {
    /// Handle that `warehouse_execute_query` returned.
    pub statement_handle: String,
    /// `request_id` of the execution, if it had one.
    pub request_id: Option<String>,
}

/// A cancelled statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CancelledStatement {
    /// Always `cancelled`; a failed cancellation is an error.
    pub state: String,
    /// Handle of the statement.
    pub statement_handle: String,
    /// The product's message about it.
    pub result: ResultSet,
}

impl Tool for CancelQuery {
    const NAME: &'static str = "warehouse_cancel_query";
    const EFFECT: Effect = Effect::Write;
    const HINTS: Hints = Hints::REPLACES;
    type Output = CancelledStatement;

    fn check(&self) -> Result<()> {
        let mut reader = Reader::default();
        reader.id("statement_handle", &self.statement_handle);
        reader.optional_id("request_id", &self.request_id);
        reader.end()
    }

    /// SQL API, `POST /api/v2/statements/{statementHandle}/cancel`. A repeated cancellation has no further effect, so it
    /// can be sent again.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post(["statements", &self.statement_handle, "cancel"])
            .query("requestId", &self.request_id)
            .accept(&[422])
            .retry(Retry::Always);
        let response = io.send(request).await?;
        let body: Value = response.json()?;
        let cancelled = match body["code"].as_str() {
            Some(CANCELLED) => true,
            // The first attempt cancelled the statement, but its response was lost.
            Some(NOT_EXECUTING) => response.is_success() || response.attempt > 1,
            _ => response.is_success(),
        };
        if !cancelled {
            return Err(refused(&response));
        }
        Ok(json!({
            "state": "cancelled",
            "statement_handle": self.statement_handle,
            "result": body,
        })
        .into())
    }
}
