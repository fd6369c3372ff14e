//! Reads another part of a large result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    ResultSet,
    readable::StatementView,
    reader::Reader,
    statement::{Reply, Warnings, ask, expired},
};

/// Fetch another partition of a statement's result, with its rows in `result.data`. `resultSetMetaData.partitionInfo` of
/// the first response lists the partitions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetQueryPartition {
    /// Handle that `warehouse_execute_query` returned.
    pub statement_handle: String,
    /// Number of the partition, from 0.
    #[schemars(range(min = 0))]
    pub partition: u64,
    /// `request_id` of the execution, if it had one.
    pub request_id: Option<String>,
}

/// A partition of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PartitionResult {
    /// `done`, or `running` while there are no rows yet.
    pub state: String,
    /// Handle of the statement.
    pub statement_handle: String,
    /// Number of the partition, from 0.
    pub partition: u64,
    /// The product's object. From the second partition on, it has only `data`.
    pub result: ResultSet,
}

impl Tool for GetQueryPartition {
    const NAME: &'static str = "warehouse_get_query_partition";
    const EFFECT: Effect = Effect::Read;
    type Output = PartitionResult;
    const READABLE: Option<ReadableView> = ReadableView::some::<StatementView>();

    fn check(&self) -> Result<()> {
        let mut reader = Reader::default();
        reader.id("statement_handle", &self.statement_handle);
        reader.optional_id("request_id", &self.request_id);
        reader.end()
    }

    /// SQL API, `GET /api/v2/statements/{statementHandle}?partition=`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["statements", &self.statement_handle])
            .query("requestId", &self.request_id)
            .query("partition", self.partition);
        let response = ask(io, request).await.map_err(expired)?;
        let reply = Reply::read(&response, Effect::Read).map_err(expired)?;
        // From the second partition on, the product returns only rows.
        let warnings = Warnings::of_columns(&reply.body);
        let made = json!({
            "state": reply.state.to_string(),
            "statement_handle": self.statement_handle,
            "partition": self.partition,
            "result": reply.body,
        });
        Ok(warnings.add_to(made.into()))
    }
}
