//! What tools return of a statement: its state, and its rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What became of a statement, with the product's own object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StatementResult {
    /// `done`, `running`, `failed`, `cancelled` or `timed_out_and_cancelled`.
    pub state: String,
    /// Handle of the statement.
    pub statement_handle: Option<String>,
    /// Handles of the single statements, where several were executed at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement_handles: Option<Vec<String>>,
    /// UUID of the execution, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The product's own object: its words, and the first rows where the statement is done.
    pub result: ResultSet,
}

/// Rows of a statement that reads, each an object by column name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Rows {
    /// `done`; otherwise there are no rows here, and `warehouse_get_query_status` tells more.
    pub state: String,
    /// Handle of the statement.
    pub statement_handle: Option<String>,
    /// UUID of the execution.
    pub request_id: String,
    /// The columns in their order. Of several with the same name, the later ones are numbered: `ID_2`.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// Number of rows in all partitions.
    pub row_count: Option<u64>,
    /// The rows: texts or `null` under the names of the columns.
    #[serde(default)]
    pub rows: Vec<Map<String, Value>>,
}

/// A column of a result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Column {
    /// Name of the column, as the product writes it.
    pub name: Option<String>,
    /// Type of its values, such as `text` or `fixed`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// The product's own object for a statement (SQL API, `ResultSet`, `QueryStatus` and `CancelStatus`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResultSet {
    /// Code of what happened; `090001` for success.
    pub code: Option<String>,
    /// What happened, in the product's words.
    pub message: Option<String>,
    /// SQLSTATE of five characters.
    pub sql_state: Option<String>,
    /// Handle of the statement.
    pub statement_handle: Option<String>,
    /// When it was submitted: milliseconds since 1970.
    pub created_on: Option<i64>,
    /// What the rows are.
    pub result_set_meta_data: Option<ResultMetadata>,
    /// The rows of this partition: texts or `null` in the order of the columns.
    #[serde(default)]
    pub data: Vec<Vec<Option<String>>>,
}

/// What the rows of a result are (SQL API, `ResultSet.resultSetMetaData`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResultMetadata {
    /// Number of rows in all partitions.
    pub num_rows: Option<u64>,
    /// The columns in their order.
    #[serde(default)]
    pub row_type: Vec<ResultColumn>,
    /// The partitions in their order.
    #[serde(default)]
    pub partition_info: Vec<Partition>,
}

/// A column of a result, as the product has it (SQL API, `rowType`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ResultColumn {
    /// Name of the column, as the product writes it.
    pub name: Option<String>,
    /// Type of its values, such as `text` or `fixed`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether it takes NULL.
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
    /// Size in bytes as it is sent, where it is compressed.
    pub compressed_size: Option<u64>,
}
