//! Results of a statement: its state and its rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The state of a statement, with the product's object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StatementResult {
    /// `done`, `running`, `failed`, `cancelled` or `timed_out_and_cancelled`.
    pub state: String,
    /// Handle of the statement.
    pub statement_handle: Option<String>,
    /// Handles of the statements, if the request had several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement_handles: Option<Vec<String>>,
    /// UUID of the execution, if it's known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The product's object: its message, and the first rows if the statement is done.
    pub result: ResultSet,
}

/// Rows of a query, each an object by column name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Rows {
    /// `done`. In any other state there are no rows; call `warehouse_get_query_status` for details.
    pub state: String,
    /// Handle of the statement.
    pub statement_handle: Option<String>,
    /// UUID of the execution.
    pub request_id: String,
    /// The columns in order. If several have the same name, the later ones get a number: `ID_2`.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// Number of rows in all partitions.
    pub row_count: Option<u64>,
    /// The rows: texts or `null` by column name.
    #[serde(default)]
    pub rows: Vec<Map<String, Value>>,
}

/// A column of a result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Column {
    /// Name of the column, as the product returns it.
    pub name: Option<String>,
    /// Type of its values, such as `text` or `fixed`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// The product's object for a statement (SQL API, `ResultSet`, `QueryStatus` and `CancelStatus`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResultSet {
    /// Result code; `090001` for success.
    pub code: Option<String>,
    /// The product's message.
    pub message: Option<String>,
    /// SQLSTATE, five characters.
    pub sql_state: Option<String>,
    /// Handle of the statement.
    pub statement_handle: Option<String>,
    /// Submission time in milliseconds since 1970.
    pub created_on: Option<i64>,
    /// Description of the rows.
    pub result_set_meta_data: Option<ResultMetadata>,
    /// The rows of this partition: texts or `null`, in the order of the columns.
    #[serde(default)]
    pub data: Vec<Vec<Option<String>>>,
}

/// Description of a result's rows (SQL API, `ResultSet.resultSetMetaData`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResultMetadata {
    /// Number of rows in all partitions.
    pub num_rows: Option<u64>,
    /// The columns in order.
    #[serde(default)]
    pub row_type: Vec<ResultColumn>,
    /// The partitions in order.
    #[serde(default)]
    pub partition_info: Vec<Partition>,
}

/// A column of a result in the API (SQL API, `rowType`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ResultColumn {
    /// Name of the column, as the product returns it.
    pub name: Option<String>,
    /// Type of its values, such as `text` or `fixed`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether it allows NULL.
    pub nullable: Option<bool>,
}

/// A partition of a result (SQL API, `partitionInfo`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Partition {
    /// Number of rows in it.
    pub row_count: Option<u64>,
    /// Size in bytes.
    pub uncompressed_size: Option<u64>,
    /// Compressed size in bytes, if it's compressed.
    pub compressed_size: Option<u64>,
}
