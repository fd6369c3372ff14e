//! Appending, clearing, several ranges at once, and changing sheets.

use reqwest::Method;
use serde_json::{Value, json};

use super::{READONLY, Sheets, refused};
use crate::client::Reply;

impl Sheets {
    /// POST below Ada's budget.
    async fn post(&self, path: &str, body: &Value) -> Reply {
        let id = self.id("Budget 2026");
        self.send(Method::POST, &format!("/{id}{path}"), body).await
    }

    /// A new spreadsheet with these values in its first sheet, from `A1` on.
    async fn filled(&self, start: &str, values: Value) -> String {
        let made = self.send(Method::POST, "", &json!({})).await.ok();
        let id = made["spreadsheetId"].as_str().expect("an id").to_owned();
        let path = format!("/{id}/values/{start}?valueInputOption=RAW");
        self.send(Method::PUT, &path, &json!({"values": values}))
            .await
            .ok();
        id
    }

    async fn read(&self, id: &str) -> Value {
        self.get(&format!("/{id}/values/Sheet1")).await.ok()["values"].clone()
    }
}

#[tokio::test]
async fn values_are_appended_below_the_table() {
    let sheets = Sheets::ada().await;
    let id = sheets
        .filled("B2", json!([["name", "age"], ["Ada", 36]]))
        .await;
    let append = async |range: &str, query: &str| {
        let path = format!("/{id}/values/{range}:append?valueInputOption=RAW{query}");
        sheets
            .send(Method::POST, &path, &json!({"values": [["Grace", 85]]}))
            .await
    };
    let first = append("A1:Z100", "&includeValuesInResponse=true")
        .await
        .ok();
    assert_eq!(first["tableRange"], "Sheet1!B2:C3");
    assert_eq!(first["updates"]["updatedRange"], "Sheet1!B4:C4");
    assert_eq!(first["updates"]["updatedCells"], 2);
    assert_eq!(
        first["updates"]["updatedData"]["values"],
        json!([["Grace", "85"]])
    );
    // Any cell of the table names it; a range without content is where the values go.
    assert_eq!(
        append("C3", "").await.ok()["updates"]["updatedRange"],
        "Sheet1!B5:C5"
    );
    let beyond = append("F1:G2", "").await.ok();
    assert_eq!(beyond.get("tableRange"), None);
    assert_eq!(beyond["updates"]["updatedRange"], "Sheet1!F1:G1");
    // The grid grows where it must.
    append("Sheet1!A1000", "").await.ok();
    let below = append("Sheet1!A1000", "").await.ok();
    assert_eq!(below["updates"]["updatedRange"], "Sheet1!A1001:B1001");
    let reply = sheets
        .send(Method::POST, &format!("/{id}/values/A1:append"), &json!({}))
        .await;
    refused(&reply, 400, "'valueInputOption' is required");
    refused(
        &append("A1", "&insertDataOption=APPEND").await,
        400,
        "TYPE_ENUM",
    );
    refused(
        &append("Nowhere!A1", "").await,
        400,
        "Unable to parse range",
    );
}

#[tokio::test]
async fn rows_can_be_inserted_for_what_is_appended() {
    let sheets = Sheets::ada().await;
    let id = sheets
        .filled("A1", json!([["a"], ["b"], [null], ["total"]]))
        .await;
    let path =
        format!("/{id}/values/A1:A2:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS");
    let body = json!({"values": [["c"], ["d"]]});
    let added = sheets.send(Method::POST, &path, &body).await.ok();
    assert_eq!(added["updates"]["updatedRange"], "Sheet1!A3:A4");
    assert_eq!(
        sheets.read(&id).await,
        json!([["a"], ["b"], ["c"], ["d"], [], ["total"]])
    );
}

#[tokio::test]
async fn ranges_are_cleared() {
    let sheets = Sheets::ada().await;
    let id = sheets.filled("A1", json!([["a", "b"], ["c", "d"]])).await;
    let clear = async |path: &str, body: Value| {
        sheets
            .send(Method::POST, &format!("/{id}/values{path}"), &body)
            .await
    };
    let cleared = clear("/A1:A2:clear", json!({})).await.ok();
    assert_eq!(
        cleared,
        json!({"spreadsheetId": id, "clearedRange": "Sheet1!A1:A2"})
    );
    assert_eq!(sheets.read(&id).await, json!([["", "b"], ["", "d"]]));
    let cleared = clear(":batchClear", json!({"ranges": ["B1", "Sheet1!B2"]}))
        .await
        .ok();
    assert_eq!(cleared["clearedRanges"], json!(["Sheet1!B1", "Sheet1!B2"]));
    assert_eq!(sheets.read(&id).await, Value::Null);
    refused(
        &clear("/A1:clear", json!({"range": "A1"})).await,
        400,
        "Unknown name",
    );
    refused(
        &clear(":batchClear", json!({"ranges": "A1"})).await,
        400,
        "ranges",
    );
    refused(
        &clear(":batchClear", json!({"ranges": ["A1", "x!A1"]})).await,
        400,
        "parse range",
    );
}

#[tokio::test]
async fn several_ranges_are_read_and_written_at_once() {
    let sheets = Sheets::ada().await;
    let body = json!({
        "valueInputOption": "USER_ENTERED",
        "includeValuesInResponse": true,
        "data": [
            {"range": "Empty!A1:B1", "values": [["12%", 1]]},
            {"range": "Plan!D9", "majorDimension": "COLUMNS", "values": [["x", "y"]]},
        ],
    });
    let written = sheets.post("/values:batchUpdate", &body).await.ok();
    assert_eq!(written["totalUpdatedCells"], 4);
    assert_eq!(written["totalUpdatedSheets"], 2);
    assert_eq!(
        written["responses"][0]["updatedData"]["values"],
        json!([["12%", "1"]])
    );
    assert_eq!(written["responses"][1]["updatedRange"], "Plan!D9:D10");
    let id = sheets.id("Budget 2026");
    let path = format!(
        "/{id}/values:batchGet?ranges=Empty!A1:B1&ranges=Plan!D9:D10&valueRenderOption=UNFORMATTED_VALUE"
    );
    let read = sheets.get(&path).await.ok();
    assert_eq!(read["spreadsheetId"], id);
    assert_eq!(read["valueRanges"][0]["values"], json!([[0.12, 1]]));
    assert_eq!(read["valueRanges"][1]["range"], "Plan!D9:D10");
    refused(
        &sheets
            .get(&format!("/{id}/values:batchGet?ranges=x!A1"))
            .await,
        400,
        "parse range",
    );
    refused(
        &sheets.get(&format!("/{id}/values:batchGet?range=A1")).await,
        400,
        "Cannot bind",
    );
    // All or none.
    let half = json!({
        "valueInputOption": "RAW",
        "data": [{"range": "Empty!A1", "values": [["no"]]}, {"range": "x!A1", "values": [["no"]]}],
    });
    refused(
        &sheets.post("/values:batchUpdate", &half).await,
        400,
        "parse range",
    );
    assert_eq!(sheets.values("Empty!A1").await["values"], json!([["12%"]]));
    for (body, says) in [
        (json!({"data": []}), "'valueInputOption' is required"),
        (
            json!({"valueInputOption": "RAW", "values": []}),
            "Unknown name",
        ),
        (
            json!({"valueInputOption": "RAW", "data": [{"cells": 1}]}),
            "Unknown name",
        ),
        (
            json!({"valueInputOption": "RAW", "responseValueRenderOption": "X"}),
            "TYPE_ENUM",
        ),
    ] {
        refused(&sheets.post("/values:batchUpdate", &body).await, 400, says);
    }
}

#[tokio::test]
async fn sheets_are_added_renamed_and_deleted() {
    let sheets = Sheets::ada().await;
    let body = json!({
        "requests": [
            {"addSheet": {"properties": {"title": "Notes", "index": 0, "gridProperties": {"rowCount": 5}}}},
            {"updateSpreadsheetProperties": {"properties": {"title": "Budget 2027"}, "fields": "title"}},
        ],
        "includeSpreadsheetInResponse": true,
    });
    let id = sheets.id("Budget 2026");
    let path = format!("/{id}:batchUpdate");
    let send = async |body: &Value| sheets.send(Method::POST, &path, body).await;
    let changed = send(&body).await.ok();
    let added = &changed["replies"][0]["addSheet"]["properties"];
    assert_eq!(
        (&added["title"], &added["index"]),
        (&json!("Notes"), &json!(0))
    );
    assert_eq!(added["gridProperties"]["rowCount"], 5);
    assert_eq!(changed["replies"][1], json!({}));
    let shown = &changed["updatedSpreadsheet"];
    assert_eq!(shown["properties"]["title"], "Budget 2027");
    assert_eq!(shown["sheets"][0]["properties"]["title"], "Notes");
    let new = added["sheetId"].clone();
    let rename = json!({"requests": [{"updateSheetProperties": {
        "properties": {"sheetId": new, "title": "Remarks", "hidden": true}, "fields": "title,hidden",
    }}]});
    send(&rename).await.ok();
    let read = sheets.get(&format!("/{id}/values/Remarks!A1")).await.ok();
    assert_eq!(read["range"], "Remarks!A1");
    let delete = json!({"requests": [{"deleteSheet": {"sheetId": new}}]});
    send(&delete).await.ok();
    refused(&send(&delete).await, 400, "No sheet with id");
    for (request, status, says) in [
        (
            json!({"addSheet": {"properties": {"title": "plan"}}}),
            400,
            "already exists",
        ),
        (json!({"addSheet": {"title": "x"}}), 400, "Unknown name"),
        (json!({"mergeCells": {}}), 501, "mergeCells"),
        (json!({"paint": {}}), 400, "Unknown name \"paint\""),
        (json!({}), 400, "No request set"),
        (
            json!({"updateSheetProperties": {"properties": {"sheetId": 0}}}),
            400,
            "'fields'",
        ),
        (
            json!({"updateSheetProperties": {"properties": {"sheetId": 0}, "fields": "tabColor"}}),
            501,
            "tabColor",
        ),
    ] {
        refused(&send(&json!({"requests": [request]})).await, status, says);
    }
    refused(
        &send(&json!({"requests": []})).await,
        400,
        "at least one request",
    );
    // The last sheet stays, and nothing of a refused list is done.
    let lone = sheets.filled("A1", json!([["a"]])).await;
    let both = json!({"requests": [
        {"updateSpreadsheetProperties": {"properties": {"title": "x"}, "fields": "title"}},
        {"deleteSheet": {"sheetId": 0}},
    ]});
    let reply = sheets
        .send(Method::POST, &format!("/{lone}:batchUpdate"), &both)
        .await;
    refused(&reply, 400, "can't remove all the sheets");
    let kept = sheets.get(&format!("/{lone}")).await.ok();
    assert_eq!(kept["properties"]["title"], "Untitled spreadsheet");
}

#[tokio::test]
async fn who_may_only_read_changes_nothing() {
    let sheets = Sheets::of("ada@example.com", READONLY).await;
    for path in [
        "/values/A1:append?valueInputOption=RAW",
        "/values/A1:clear",
        "/values:batchUpdate",
        "/values:batchClear",
        ":batchUpdate",
    ] {
        refused(&sheets.post(path, &json!({})).await, 403, "scopes");
    }
    let id = sheets.id("Budget 2026");
    let read = sheets
        .get(&format!("/{id}/values:batchGet?ranges=Plan!A1"))
        .await;
    assert_eq!(read.status, 200, "{}", read.text);
}
