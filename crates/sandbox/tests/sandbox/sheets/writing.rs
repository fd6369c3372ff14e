//! Creates spreadsheets, and writes, appends and clears values.

use reqwest::Method;
use serde_json::{Value, json};

use super::{BASE, READONLY, Sheets, refused};
use crate::client::{Reply, cases};

#[tokio::test]
async fn written_values_are_read_back() {
    let sheets = Sheets::ada().await;
    let body = json!({"values": [["=A1", "2026-05-04", 7], [null, "", true]]});
    let raw = sheets
        .put("Plan!A2:C3", "valueInputOption=RAW", &body)
        .await
        .ok();
    assert_eq!(raw["updatedRange"], "Plan!A2:C3");
    assert_eq!(
        (
            &raw["updatedRows"],
            &raw["updatedColumns"],
            &raw["updatedCells"]
        ),
        (&json!(2), &json!(3), &json!(5))
    );
    // RAW texts stay texts, `null` skips a cell, an empty text clears it, and a number keeps the
    // cell's currency format.
    assert_eq!(
        sheets.values("Plan!A2:C3").await["values"],
        json!([["=A1", "2026-05-04", "$7.00"], ["Oil", "", "TRUE"]])
    );
    let typed = json!({"majorDimension": "COLUMNS", "values": [["12%", "=SUM(D2:D9)"], ["2026-12-24", "'7"]]});
    let query = "valueInputOption=USER_ENTERED&includeValuesInResponse=true&responseValueRenderOption=UNFORMATTED_VALUE";
    let response = sheets.put("Empty!B2", query, &typed).await.ok();
    assert_eq!(response["updatedRange"], "Empty!B2:C3");
    assert_eq!(
        response["updatedData"]["values"],
        json!([[0.12, 0], [46_380, "7"]])
    );
    assert_eq!(
        sheets.values("Empty!A1:D4").await["values"],
        json!([[], ["", "12%", "2026-12-24"], ["", "0", "7"]])
    );
    // Writing also updates the file's time of modification.
    let world = sheets.stage.sandbox().world();
    let files = world["users"][0]["files"].as_array().unwrap();
    let budget = files
        .iter()
        .find(|file| file["name"] == "Budget 2026")
        .unwrap();
    assert_eq!(budget["modified"], "2026-05-04T09:00:00Z");
}

#[tokio::test]
async fn writing_is_strict() {
    let sheets = Sheets::ada().await;
    let table = r#"
        A1? => {"values": [["a"]]} => 400 => 'valueInputOption' is required but not specified
        A1?valueInputOption=INPUT_VALUE_OPTION_UNSPECIFIED => {"values": [["a"]]} => 400 => is required
        A1?valueInputOption=raw => {"values": [["a"]]} => 400 => TYPE_ENUM
        A1:A2?valueInputOption=RAW => {"values": [["a", "b"]]} => 400 => tried writing to column [B]
        Z1?valueInputOption=RAW => {"values": [["a", "b"]]} => 400 => Range (Plan!AA1) exceeds grid limits
        A1?valueInputOption=RAW => {"values": [["a", [1]]]} => 400 => Invalid values[0][1]: list_value
        A1?valueInputOption=RAW => {"values": [[{"a": 1}]]} => 400 => struct_value
        A1?valueInputOption=RAW => {"values": ["a"]} => 400 => data.values[0]
        A1?valueInputOption=RAW => {"value": [["a"]]} => 400 => Unknown name "value" at 'data'
        A1?valueInputOption=RAW => {"range": "B1", "values": [["a"]]} => 400 => is not the range
        A1?valueInputOption=RAW => {"majorDimension": "rows", "values": []} => 400 => major_dimension
        A1?valueInputOption=USER_ENTERED => {"values": [["=NOW()"]]} => 501 => evaluates only
        Nope?valueInputOption=RAW => {"values": [["a"]]} => 400 => Unable to parse range
    "#;
    for [address, body, status, says] in cases(table) {
        let (range, query) = address.split_once('?').unwrap();
        let body = serde_json::from_str(body).unwrap();
        let reply = sheets.put(range, query, &body);
        refused(&reply.await, status.parse().unwrap(), says);
    }
    let id = sheets.id("Budget 2026");
    let path = format!("{BASE}/{id}/values/A1?valueInputOption=RAW");
    let url = sheets.stage.url(&path);
    let plain = sheets.stage.http.put(&url).bearer_auth(&sheets.token);
    let untyped = plain.body(r#"{"values": [["a"]]}"#);
    refused(&sheets.stage.send(untyped).await, 400, "Content-Type");
    let broken = sheets.stage.http.put(&url).bearer_auth(&sheets.token);
    let broken = broken.header("content-type", "application/json").body("{");
    refused(
        &sheets.stage.send(broken).await,
        400,
        "Invalid JSON payload",
    );
    // None of these requests wrote anything.
    assert_eq!(
        sheets.values("Plan!A1:B1").await["values"],
        json!([["Item", "Due"]])
    );
}

#[tokio::test]
async fn a_created_spreadsheet_is_there() {
    let sheets = Sheets::of(
        "ada@example.com",
        "https://www.googleapis.com/auth/drive.file",
    )
    .await;
    let body = json!({
        "properties": {"title": "Made", "locale": "de_DE", "timeZone": "Europe/Berlin"},
        "sheets": [
            {"properties": {"title": "Later", "index": 1, "rightToLeft": true, "gridProperties": {"rowCount": 5, "columnCount": 2}}},
            {"properties": {"title": "First", "index": 0}, "data": [{"startRow": 1, "rowData": [{"values": [{"userEnteredValue": {"stringValue": "x"}}, {}, {"userEnteredValue": {"numberValue": 2}}]}]}]},
        ],
    });
    let made = sheets.send(Method::POST, "", &body).await.ok();
    assert_eq!(made["properties"]["timeZone"], "Europe/Berlin");
    assert_eq!(made["sheets"][0]["properties"]["title"], "First");
    assert_eq!(
        made["sheets"][1]["properties"]["gridProperties"]["rowCount"],
        5
    );
    assert_eq!(made["sheets"][1]["properties"]["rightToLeft"], true);
    let id = made["spreadsheetId"].as_str().unwrap();
    assert!(made["spreadsheetUrl"].as_str().unwrap().contains(id));
    let values = sheets.get(&format!("/{id}/values/First")).await.ok();
    assert_eq!(values["values"], json!([[], ["x", "", "2"]]));
    // With the narrow scope, files of other applications don't exist.
    assert_eq!(
        sheets
            .get(&format!("/{}", sheets.id("Budget 2026")))
            .await
            .status,
        404
    );
    assert_eq!(sheets.id("Made"), id);

    let plain = sheets.send(Method::POST, "", &json!({})).await.ok();
    assert_eq!(plain["properties"]["title"], "Untitled spreadsheet");
    assert_eq!(plain["sheets"][0]["properties"]["title"], "Sheet1");
    assert_ne!(plain["spreadsheetId"], made["spreadsheetId"]);
    sheets.stage.sandbox().reset();
    let world = sheets.stage.sandbox().world().to_string();
    assert!(!world.contains("Untitled spreadsheet"));
}

#[tokio::test]
async fn creating_is_strict() {
    let sheets = Sheets::ada().await;
    let table = r#"
        {"title": "a"} => 400 => Unknown name "title" at 'spreadsheet'
        {"properties": {"name": "a"}} => 400 => Unknown name "name" at 'spreadsheet.properties'
        {"properties": {"title": 7}} => 400 => TYPE_STRING
        {"properties": {"locale": "english"}} => 400 => Unsupported locale
        {"properties": {"timeZone": "Mars"}} => 400 => time zone
        {"sheets": {}} => 400 => TYPE_LIST
        {"sheets": ["a"]} => 400 => spreadsheet.sheets[0]
        {"sheets": [{"title": "a"}]} => 400 => Unknown name "title"
        {"sheets": [{"properties": {"title": "a"}}, {"properties": {"title": "A"}}]} => 400 => already exists
        {"sheets": [{"properties": {"sheetId": -1}}]} => 400 => negative
        {"sheets": [{"properties": {"sheetType": "CHART"}}]} => 400 => TYPE_ENUM
        {"sheets": [{"properties": {"gridProperties": {"rowCount": 0}}}]} => 400 => too small
        {"sheets": [{"charts": []}]} => 501 => charts
    "#;
    for [body, status, says] in cases(table) {
        let body = serde_json::from_str(body).unwrap();
        let reply = sheets.send(Method::POST, "", &body);
        refused(&reply.await, status.parse().unwrap(), says);
    }
}

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
    // Any cell of a table selects the table. In an empty range, values go to the range itself.
    assert_eq!(
        append("C3", "").await.ok()["updates"]["updatedRange"],
        "Sheet1!B5:C5"
    );
    let beyond = append("F1:G2", "").await.ok();
    assert_eq!(beyond.get("tableRange"), None);
    assert_eq!(beyond["updates"]["updatedRange"], "Sheet1!F1:G1");
    // The grid grows if necessary.
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
async fn rows_can_be_inserted_for_appended_values() {
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
async fn formulas_and_names_move_with_their_cells() {
    let sheets = Sheets::ada().await;
    let append = async |range: &str, option: &str| {
        let path = format!("/values/{range}:append?valueInputOption=RAW&insertDataOption={option}");
        let body = json!({"values": [["Ink", null, 5]]});
        sheets.post(&path, &body).await.ok()
    };
    let added = append("Plan!A1", "INSERT_ROWS").await;
    assert_eq!(added["tableRange"], "Plan!A1:D3");
    assert_eq!(added["updates"]["updatedRange"], "Plan!A4:C4");
    assert_eq!(added["updates"]["updatedCells"], 2);
    let plan = sheets.values("Plan!A4:C8").await["values"].clone();
    assert_eq!(plan[0], json!(["Ink", "", "5"]));
    assert_eq!(plan[2][0], "Travel");
    // The sum now covers the new row, and so does the name.
    assert_eq!(plan[4], json!(["Sum", "", "$444.50"]));
    assert_eq!(sheets.values("Costs").await["range"], "Plan!C2:C6");
    // For a whole sheet, the table is the last block of adjacent cells: here only the sum.
    let below = append("Plan", "OVERWRITE").await;
    assert_eq!(below["tableRange"], "Plan!C8");
    assert_eq!(below["updates"]["updatedRange"], "Plan!C9:E9");
    // Without inserted rows, values overwrite the cells below.
    let path = "/values/Plan!A1:append?valueInputOption=RAW&insertDataOption=OVERWRITE";
    let body = json!({"values": [["Quills"], ["Paper"]]});
    sheets.post(path, &body).await.ok();
    let plan = sheets.values("Plan!A5:A7").await["values"].clone();
    assert_eq!(plan, json!([["Quills"], ["Paper"]]));
}

#[tokio::test]
async fn the_grid_grows_to_the_right() {
    let sheets = Sheets::ada().await;
    let path = "/values/'It''s%20R%2FD'!E1:append?valueInputOption=RAW";
    let added = sheets
        .post(path, &json!({"values": [["a", "b", "c"]]}))
        .await
        .ok();
    assert_eq!(added["updates"]["updatedRange"], "'It''s R/D'!E1:G1");
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
    refused(
        &clear("/A1:clear", json!({"range": "A1"})).await,
        400,
        "Unknown name",
    );
}

#[tokio::test]
async fn a_read_only_user_cannot_change_anything() {
    let sheets = Sheets::of("ada@example.com", READONLY).await;
    for path in ["/values/A1:append?valueInputOption=RAW", "/values/A1:clear"] {
        refused(&sheets.post(path, &json!({})).await, 403, "scopes");
    }
    let id = sheets.id("Budget 2026");
    let read = sheets.get(&format!("/{id}/values/Plan!A1")).await;
    assert_eq!(read.status, 200, "{}", read.text);
}
