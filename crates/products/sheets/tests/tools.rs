//! Requests of tools for different inputs, and their readable views.

use http::HeaderMap;
use serde_json::{Value, json};
use stead_core::{
    Result,
    tool::{ApiRequest, Response, Retry, Tool, ToolEntry},
};
use stead_sheets::{AppendValues, GetValues, PRODUCT, ReadSpreadsheet, UpdateValues};
use stead_testkit::{Canned, drive, fixture::CallSetup};

/// Runs a tool with a response. Returns its request and its output.
#[track_caller]
fn run<T: Tool>(mut input: Value, response: &Value) -> Result<(ApiRequest, Value)> {
    input["spreadsheet_id"] = json!("1x");
    let response = Response::new(200, HeaderMap::new(), response.to_string());
    let canned = Canned::new(&PRODUCT, [response]);
    let tool = ToolEntry::of::<T>().parse(input).expect("an input");
    let call = CallSetup::default().to_call(&PRODUCT);
    let (data, _) = drive(&*tool, &call, &canned)?.into_json().expect("JSON");
    let data = serde_json::from_str(data.get()).expect("JSON");
    Ok((canned.requests().remove(0), data))
}

#[test]
fn ranges_are_sent_as_they_are() {
    for range in [
        "'Jon's_Data'!A1:D5",
        "'Jon's Data'",
        "'It''s'!A1",
        "It's!A1",
        "'a!b, c'!A1",
        "Plan 2026",
        "Sheet1!A5:A",
        "Sheet1!2:7",
        "NamedRange",
    ] {
        let (sent, _) = run::<GetValues>(json!({ "range": range }), &json!({})).unwrap();
        assert_eq!(sent.path[2], range);
        let input = json!({ "range": range, "values": [["a"]] });
        let (sent, _) = run::<UpdateValues>(input, &json!({})).unwrap();
        assert_eq!(sent.path[2], range);
        let input = json!({ "range": range, "values": [["a"]] });
        let (sent, _) = run::<AppendValues>(input, &json!({})).unwrap();
        assert_eq!(sent.path[2], range);
        // The product doesn't recognise a repeat, so only a request that it hasn't processed is sent again.
        assert_eq!(sent.retry, Retry::Unprocessed);
        let both = format!("{range}, {range}");
        let (sent, _) = run::<ReadSpreadsheet>(json!({ "ranges": both }), &json!({})).unwrap();
        let ranges = sent.query.iter().filter(|(name, _)| *name == "ranges");
        let ranges: Vec<&str> = ranges.map(|(_, range)| range.as_str()).collect();
        assert_eq!(ranges, [range, range]);
    }
}

#[test]
fn numbers_that_a_sheet_would_change_are_refused() {
    let write = |number: &str| {
        let values: Value = serde_json::from_str(&format!("[[1, {number}]]")).unwrap();
        run::<UpdateValues>(json!({ "range": "A1", "values": values }), &json!({}))
    };
    for number in [
        "9007199254740993",
        "12345678901234567890123",
        "-12345678901234567890",
    ] {
        let error = write(number).unwrap_err();
        let violation = &error.violation_list()[0];
        assert_eq!(violation.path, "/values/0/1");
        assert!(violation.message.ends_with("write it as text"), "{number}");
    }
    for number in [
        "9007199254740991",
        "0.1",
        "1e300",
        "\"12345678901234567890123\"",
    ] {
        let (sent, _) = write(number).unwrap();
        let body: Value = serde_json::from_slice(&sent.body.unwrap()).unwrap();
        let expected: Value = serde_json::from_str(number).unwrap();
        assert_eq!(body["values"][0][1], expected);
    }
}

#[test]
fn formulas_notes_links_and_places_are_in_the_view() {
    let cell = |member: &str, value: Value| json!({ "formattedValue": "x", member: value });
    let rows = json!([
        { "values": [cell("note", json!("Ask Ada")), cell("userEnteredValue", json!({ "formulaValue": "=SUM(A1:A9)" }))] },
        { "values": [{}, cell("hyperlink", json!("https://example.com"))] },
    ]);
    let range =
        |name: &str, range: Value| json!({ "namedRangeId": name, "name": name, "range": range });
    let read = json!({
        "sheets": [{
            "properties": { "sheetId": 7, "title": "It's" },
            "data": [{ "startRow": 2, "startColumn": 26, "rowData": rows }],
            "charts": [{ "chartId": 1 }], "merges": [{ "startRowIndex": 0 }], "conditionalFormats": [{}],
        }],
        "namedRanges": [
            range("cells", json!({ "sheetId": 7, "startRowIndex": 0, "endRowIndex": 3, "startColumnIndex": 1, "endColumnIndex": 2 })),
            range("columns", json!({ "sheetId": 7, "startColumnIndex": 1, "endColumnIndex": 3 })),
            range("below", json!({ "sheetId": 7, "startRowIndex": 4, "startColumnIndex": 0, "endColumnIndex": 1 })),
            range("rows", json!({ "sheetId": 7, "startRowIndex": 1, "endRowIndex": 2 })),
            range("all", json!({ "sheetId": 7 })),
        ],
    });
    let (_, data) = run::<ReadSpreadsheet>(json!({ "include_grid_data": true }), &read).unwrap();
    let view = ReadSpreadsheet::READABLE.expect("a view");
    let (view, wholes) = view.with_wholes(data).unwrap();
    assert_eq!(
        view["sheets"][0]["cells"][0],
        json!({
            "start_row": 2, "start_column": 26, "values": [["x", "x"], [null, "x"]],
            "formulas": { "AB3": "=SUM(A1:A9)" }, "notes": { "AA3": "Ask Ada" }, "links": { "AB4": "https://example.com" },
        })
    );
    assert_eq!(
        view["named_range_cells"],
        json!({ "cells": "'It''s'!B1:B3", "columns": "'It''s'!B:C", "below": "'It''s'!A5:A", "rows": "'It''s'!2:2", "all": "'It''s'" })
    );
    assert_eq!(view["sheets"][0]["left_out"], json!(["charts", "merges"]));
    let pointers: Vec<&str> = wholes.iter().map(|whole| whole.pointer.as_str()).collect();
    assert_eq!(pointers, ["/sheets/0/charts", "/sheets/0/merges"]);
}
