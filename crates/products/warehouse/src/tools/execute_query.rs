//! Any SQL, executed at most once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Hints, Io, Output, ReadableView, Tool},
};

use crate::{
    StatementResult, bindings,
    readable::StatementView,
    reader::Reader,
    statement::{State, Statement, submit},
};

/// Execute SQL: a query, or a statement that changes data or objects. For the names of tables and columns use
/// `warehouse_get_tables` and `warehouse_get_columns`.
///
/// `state` is `done` with the first rows in `result.data`, as texts; `running` after 45 seconds or with `async`:
/// follow it with `warehouse_get_query_status`; or `timed_out_and_cancelled`. Bound large results with LIMIT. One
/// statement is executed unless `parameters` says `{"MULTI_STATEMENT_COUNT": "2"}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ExecuteQuery {
    /// SQL, with `?` where `bindings` go.
    pub statement: String,
    /// Return at once with the statement's handle.
    #[serde(rename = "async", skip_serializing_if = "Option::is_none")]
    pub r#async: Option<bool>,
    /// Values for the `?`, by their number: `{"1": 123, "2": "a"}`, or with types: `{"1": {"type": "FIXED",
    /// "value": "123"}}`. Not with several statements.
    pub bindings: Option<Map<String, Value>>,
    /// Database of the session; a plain name is upper-cased, one in double quotes is exact.
    pub database: Option<String>,
    /// When false, NULL comes as the text "null".
    pub nullable: Option<bool>,
    /// Session parameters, such as `{"TIMEZONE": "Europe/Berlin"}`.
    pub parameters: Option<Map<String, Value>>,
    /// UUID of this execution, to send it again with `retry`; a new one when absent.
    pub request_id: Option<String>,
    /// Send the execution of `request_id` again: what was executed is not executed twice.
    pub retry: Option<bool>,
    /// Role to run as; the user's own when absent.
    pub role: Option<String>,
    /// Schema of the session.
    pub schema: Option<String>,
    /// Seconds after which the statement is cancelled.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// Warehouse to run on; the user's default when absent.
    pub warehouse: Option<String>,
}

impl Tool for ExecuteQuery {
    const NAME: &'static str = "warehouse_execute_query";
    // SQL can do anything that the role may do.
    const EFFECT: Effect = Effect::Delete;
    const HINTS: Hints = Hints::ANYTHING;
    // By `requestId`, with `retry=true`.
    const RECOGNISED_AGAIN: bool = true;
    type Output = StatementResult;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        self.statement().map(drop)
    }

    /// SQL API, `POST /api/v2/statements`.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let request_id = match &self.request_id {
            Some(request_id) => request_id.clone(),
            None => call.derive_id("statement").to_string(),
        };
        let request = self
            .statement()?
            .with_defaults(call)
            .request(&request_id, self.retry)
            .query("async", self.r#async)
            .query("nullable", self.nullable);
        let reply = submit(io, request, &request_id).await?;

        let state = reply.state;
        let output = reply.output(Some(&request_id));
        Ok(match state {
            State::Running if self.r#async != Some(true) => output.warn(
                "still_running",
                "the statement runs on; ask warehouse_get_query_status with its handle instead of executing it again",
            ),
            State::TimedOutAndCancelled => output.warn(
                "timed_out_and_cancelled",
                "the statement ran into its time limit and the product cancelled it",
            ),
            _ => output,
        })
    }
}

impl ExecuteQuery {
    fn statement(&self) -> Result<Statement> {
        let mut reader = Reader::default();
        reader.optional_id("request_id", &self.request_id);
        if self.retry == Some(true) && self.request_id.is_none() {
            let message =
                "\"retry\" goes with the \"request_id\" of the execution that is sent again";
            reader.refuse("retry", "required", message);
        }
        let statement = Statement {
            statement: self.statement.clone(),
            timeout: self.timeout,
            database: reader.optional_name("database", &self.database),
            schema: reader.optional_name("schema", &self.schema),
            warehouse: reader.optional_name("warehouse", &self.warehouse),
            role: reader.optional_name("role", &self.role),
            bindings: self
                .bindings
                .as_ref()
                .map(|given| bindings::read(&mut reader, given)),
            parameters: self.parameters.clone(),
            leaves_open: true,
        };
        reader.end()?;
        Ok(statement)
    }
}
