//! The readable views of the results: rows as objects by column name, with typed values.

mod cell;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, Whole, items_of, text_of};

use crate::{Column, columns};

/// Most rows in a view.
const ROWS: usize = 100;

/// The state of a statement, shortened, or the rows of a query.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct StatementView {
    /// `done`, `running`, `failed`, `cancelled` or `timed_out_and_cancelled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// Handle of the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    statement_handle: Option<String>,
    /// Handles of the statements, if the request had several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statement_handles: Vec<String>,
    /// UUID of the execution, if it's known.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// Number of the partition of these rows, from 0; only if the call asked for a partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<u64>,
    /// Number of partitions, if there are several. `warehouse_get_query_partition` returns each.
    #[serde(skip_serializing_if = "Option::is_none")]
    partitions: Option<usize>,
    /// The product's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The columns in order, with the names that the rows use. If several have the same name, the later ones get a number:
    /// `ID_2`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<Column>,
    /// Number of rows in all partitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    row_count: Option<u64>,
    /// The first 100 rows, as objects by column name, with numbers, booleans, dates and JSON decoded. If the product
    /// doesn't repeat the columns, the rows are lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Row>>,
    /// Number of rows in this partition that are omitted here. To read them, use LIMIT with OFFSET in the statement, or the
    /// view `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_left_out: Option<usize>,
    /// JSON pointer to all rows in the result.
    #[serde(skip)]
    all_rows: &'static str,
}

/// A row by column name, or in the order of the columns.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Row {
    Named(Map<String, Value>),
    Listed(#[schemars(with = "Vec<Option<String>>")] Vec<Value>),
}

impl StatementView {
    /// Adds rows in the order of the columns, as the product returns them.
    fn put_rows(&mut self, rows: &Value, metadata: &Value) {
        let columns = items_of(&metadata["rowType"]);
        let names = self.put_columns(columns);
        self.row_count = metadata["numRows"].as_u64();
        let partitions = items_of(&metadata["partitionInfo"]).len();
        self.partitions = (partitions > 1).then_some(partitions);
        let object = |row: &Value| {
            let cells = items_of(row);
            if columns.is_empty() || columns.len() != cells.len() {
                return Row::Listed(cells.to_vec());
            }
            let decoded = columns.iter().zip(cells);
            let decoded = decoded.map(|(column, value)| cell::decoded(value, column));
            Row::Named(names.iter().cloned().zip(decoded).collect())
        };
        if let Value::Array(rows) = rows {
            self.keep(rows, object);
        }
    }

    /// Adds rows that are objects by column name already.
    fn put_objects(&mut self, rows: &Value, columns: &Value) {
        let columns = items_of(columns);
        self.put_columns(columns);
        let object = |row: &Value| {
            let mut row = row.as_object().cloned().unwrap_or_default();
            for column in columns {
                let name = column["name"].as_str().unwrap_or_default();
                if let Some(value) = row.get_mut(name) {
                    *value = cell::decoded(value, column);
                }
            }
            Row::Named(row)
        };
        if let Value::Array(rows) = rows {
            self.keep(rows, object);
        }
    }

    /// Adds the columns, and returns their names in the rows.
    fn put_columns(&mut self, columns: &[Value]) -> Vec<String> {
        let names: Vec<String> = columns::names(columns)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let column = |(column, name): (&Value, &String)| Column {
            name: Some(name.clone()).filter(|name| !name.is_empty()),
            kind: text_of(&column["type"]),
        };
        self.columns = columns.iter().zip(&names).map(column).collect();
        names
    }

    fn keep(&mut self, rows: &[Value], object: impl Fn(&Value) -> Row) {
        let left_out = rows.len().saturating_sub(ROWS);
        self.rows_left_out = (left_out > 0).then_some(left_out);
        self.rows = Some(rows.iter().take(ROWS).map(object).collect());
    }
}

impl Readable for StatementView {
    const UNTRUSTED: &'static [&'static str] = &["rows"];

    fn of(result: Value) -> Self {
        let handles = items_of(&result["statement_handles"]).iter();
        let mut view = Self {
            state: text_of(&result["state"]),
            statement_handle: text_of(&result["statement_handle"]),
            statement_handles: handles.filter_map(text_of).collect(),
            request_id: text_of(&result["request_id"]),
            partition: result["partition"].as_u64(),
            row_count: result["row_count"].as_u64(),
            ..Self::default()
        };
        if result["rows"].is_array() {
            view.all_rows = "/rows";
            view.put_objects(&result["rows"], &result["columns"]);
            return view;
        }
        view.all_rows = "/result/data";
        let own = &result["result"];
        view.message = text_of(&own["message"]);
        view.put_rows(&own["data"], &own["resultSetMetaData"]);
        view
    }

    fn wholes(&self) -> Vec<Whole> {
        let rows = || Whole::list("/rows", self.all_rows);
        self.rows_left_out.map(|_| rows()).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn view(result: Value) -> Value {
        serde_json::to_value(StatementView::of(result)).unwrap()
    }

    #[test]
    fn rows_are_objects_of_decoded_values() {
        let metadata = json!({
            "numRows": 2, "partitionInfo": [{}],
            "rowType": [{ "name": "ID", "type": "fixed", "scale": 0 }, { "name": "DAY", "type": "date" }],
        });
        let data = json!([["1", "18262"], [null, null]]);
        let shown = view(
            json!({ "state": "done", "result": { "data": data, "resultSetMetaData": metadata } }),
        );
        assert_eq!(
            shown,
            json!({
                "state": "done", "row_count": 2,
                "columns": [{ "name": "ID", "type": "fixed" }, { "name": "DAY", "type": "date" }],
                "rows": [{ "ID": 1, "DAY": "2020-01-01" }, { "ID": null, "DAY": null }],
            })
        );
        let objects = json!({ "columns": metadata["rowType"], "rows": [{ "ID": "7", "DAY": null }], "row_count": 1 });
        assert_eq!(view(objects)["rows"], json!([{ "ID": 7, "DAY": null }]));
    }

    #[test]
    fn more_rows_than_a_model_reads_are_counted() {
        let data = vec![json!(["x"]); 250];
        let result = json!({ "state": "done", "partition": 3, "result": { "data": data } });
        let wholes = StatementView::of(result.clone()).wholes();
        assert_eq!(wholes, [Whole::list("/rows", "/result/data")]);
        let all = result.pointer(&wholes[0].pointer).unwrap();
        assert_eq!(all.as_array().unwrap().len(), 250);
        let shown = view(result);
        assert_eq!(shown["rows"].as_array().unwrap().len(), 100);
        assert_eq!(shown["rows"][0], json!(["x"]));
        assert_eq!(
            (&shown["rows_left_out"], &shown["partition"]),
            (&json!(150), &json!(3))
        );
    }
}
