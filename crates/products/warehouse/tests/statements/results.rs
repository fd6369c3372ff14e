//! Results of tools, with their readable views.

use jiff::Timestamp;
use serde_json::{Value, json};
use stead_core::tool::{Call, Response};
use stead_testkit::{Canned, drive};
use stead_warehouse::PRODUCT;
use uuid::Uuid;

use crate::sent::CATALOGUE;

const HANDLE: &str = "01b2c3d4-0000-0a1b-0000-0001000200ff";

/// The codes of a tool's warnings, its output, and the readable view, for this result of the product.
fn read(tool: &str, input: Value, body: &Value) -> (Vec<String>, Value, Value) {
    let tool = CATALOGUE.find(tool, None, None).expect("a tool");
    let parsed = tool.entry().parse(input).expect("an input");
    let response = Response::new(200, http::HeaderMap::new(), body.to_string());
    let canned = Canned::new(&PRODUCT, [response]);
    let call = Call::new(Uuid::from_u128(1), Timestamp::UNIX_EPOCH);
    let output = drive(&*parsed, &call, &canned).expect("a result");
    let (data, warnings) = output.into_json().expect("JSON");
    let data: Value = serde_json::from_str(data.get()).expect("JSON");
    let view = tool.entry().readable().expect("a view");
    let view = view.of(data.clone()).expect("a view");
    let codes = warnings.into_iter().map(|warning| warning.code).collect();
    (codes, data, view)
}

fn result(columns: &[(&str, &str)], rows: &Value) -> Value {
    let columns: Vec<Value> = columns
        .iter()
        .map(|(name, kind)| json!({ "name": name, "type": kind }))
        .collect();
    json!({
        "code": "090001", "statementHandle": HANDLE, "data": rows,
        "resultSetMetaData": { "numRows": 1, "rowType": columns, "partitionInfo": [{}] },
    })
}

#[test]
fn columns_of_the_same_name_keep_their_values() {
    let of_handle = json!({ "statement_handle": HANDLE });
    let of_partition = json!({ "statement_handle": HANDLE, "partition": 0 });
    for (tool, input) in [
        (
            "warehouse_execute_query",
            json!({ "statement": "SELECT 1" }),
        ),
        ("warehouse_get_query_status", of_handle),
        ("warehouse_get_query_partition", of_partition),
        ("warehouse_show_warehouses", json!({})),
        ("warehouse_get_tables", json!({ "database": "D" })),
    ] {
        let joined = [
            ("KEY", "text"),
            ("FOO", "fixed"),
            ("KEY", "text"),
            ("FOO", "fixed"),
        ];
        let body = result(&joined, &json!([["a", "1", "b", "2"]]));
        let (warnings, _, view) = read(tool, input.clone(), &body);
        assert_eq!(
            view["rows"],
            json!([{ "KEY": "a", "FOO": 1, "KEY_2": "b", "FOO_2": 2 }]),
            "{tool}"
        );
        let names: Vec<&Value> = view["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["name"])
            .collect();
        assert_eq!(names, ["KEY", "FOO", "KEY_2", "FOO_2"], "{tool}");
        assert_eq!(warnings, ["columns_renamed"], "{tool}");

        let counted = [
            ("COUNT(*)", "fixed"),
            ("COUNT(*)", "fixed"),
            ("COUNT(*)_2", "fixed"),
        ];
        let (_, _, view) = read(
            tool,
            input.clone(),
            &result(&counted, &json!([["3", "9", "5"]])),
        );
        assert_eq!(
            view["rows"],
            json!([{ "COUNT(*)": 3, "COUNT(*)_3": 9, "COUNT(*)_2": 5 }]),
            "{tool}"
        );

        let (warnings, _, _) = read(
            tool,
            input,
            &result(&[("A", "text"), ("B", "text")], &json!([["1", "2"]])),
        );
        assert!(warnings.is_empty(), "{tool}: {warnings:?}");
    }
}

#[test]
fn a_row_of_another_width_than_the_columns_is_a_list() {
    let body = result(&[("A", "text")], &json!([["1", "2"]]));
    let (_, _, view) = read(
        "warehouse_execute_query",
        json!({ "statement": "SELECT 1" }),
        &body,
    );
    assert_eq!(view["rows"], json!([["1", "2"]]));
}

#[test]
fn numbers_keep_their_digits() {
    let columns = [
        ("N", "fixed"),
        ("D", "fixed"),
        ("V", "variant"),
        ("P", "geography"),
    ];
    let cells = [
        "12345678901234567890123",
        "0.1234567890123456789",
        "{\"id\":123456789012345678901}",
        "{\"type\":\"Point\"}",
    ];
    let body = result(&columns, &json!([cells]));
    for (tool, input) in [
        (
            "warehouse_execute_query",
            json!({ "statement": "SELECT 1" }),
        ),
        ("warehouse_show_warehouses", json!({})),
    ] {
        let (_, _, view) = read(tool, input, &body);
        let expected = json!([{
            "N": "12345678901234567890123", "D": "0.1234567890123456789",
            "V": { "id": "123456789012345678901" }, "P": { "type": "Point" },
        }]);
        assert_eq!(view["rows"], expected, "{tool}");
    }
}

#[test]
fn several_statements_return_handles_and_a_warning() {
    let mut body = result(
        &[("multiple statement execution", "text")],
        &json!([["Multiple statements executed successfully."]]),
    );
    body["statementHandles"] = json!([HANDLE, HANDLE]);
    let (warnings, data, _) = read(
        "warehouse_execute_query",
        json!({ "statement": "SELECT 1; SELECT 2" }),
        &body,
    );
    assert_eq!(warnings, ["results_by_handle"]);
    assert_eq!(data["statement_handles"], json!([HANDLE, HANDLE]));
}
