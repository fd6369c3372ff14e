//! Executes any SQL at most once.

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

/// Execute SQL: a query, or a statement that changes data or objects. For names of tables and columns, use
/// `warehouse_get_tables` and `warehouse_get_columns`.
///
/// `state` is `done`, with the first rows as texts in `result.data`; `running`, after 45 seconds or with `async`; or
/// `timed_out_and_cancelled`. For a running statement, call `warehouse_get_query_status`. Use LIMIT for large results. To
/// execute several statements, set `parameters` to `{"MULTI_STATEMENT_COUNT": "2"}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ExecuteQuery {
    /// SQL, with a `?` for each value of `bindings`.
    pub statement: String,
    /// Return immediately with the statement's handle.
    #[serde(rename = "async", skip_serializing_if = "Option::is_none")]
    pub r#async: Option<bool>,
    /// Values for each `?`, by number: `{"1": 123, "2": "a"}`, or with types: `{"1": {"type": "FIXED", "value": "123"}}`.
    /// Not with several statements.
    pub bindings: Option<Map<String, Value>>,
    /// Database of the session. A plain name is upper-cased, a name in double quotes is exact.
    pub database: Option<String>,
    /// If false, NULL is returned as the text "null".
    pub nullable: Option<bool>,
    /// Session parameters, such as `{"TIMEZONE": "Europe/Berlin"}`.
    pub parameters: Option<Map<String, Value>>,
    /// UUID of this execution, which you need for `retry`; a new one when absent.
    pub request_id: Option<String>,
    /// Send the execution of `request_id` again. The product doesn't execute it twice.
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
    // SQL can do everything that the role allows.
    const EFFECT: Effect = Effect::Delete;
    const HINTS: Hints = Hints::ANYTHING;
    // Uses `requestId`, with `retry=true`.
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
                "the statement is still running; call warehouse_get_query_status with its handle instead of executing it again",
            ),
            State::TimedOutAndCancelled => output.warn(
                "timed_out_and_cancelled",
                "the statement reached its time limit, and the product cancelled it",
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
            let message = "\"retry\" needs the \"request_id\" of the execution to send again";
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
