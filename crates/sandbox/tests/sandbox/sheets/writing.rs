//! Creating spreadsheets and writing values.

use serde_json::json;

use super::{BASE, Sheets, refused};

#[tokio::test]
async fn what_is_written_is_read_again() {
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
    // A text stays a text, null skipped, the empty text cleared, and money stays money.
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
    // The file has changed with it.
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
    let raw = "valueInputOption=RAW";
    let one = json!({"values": [["a"]]});
    let two = json!({"values": [["a", "b"]]});
    for (range, query, body, status, says) in [
        (
            "A1",
            "",
            &one,
            400,
            "'valueInputOption' is required but not specified",
        ),
        (
            "A1",
            "valueInputOption=INPUT_VALUE_OPTION_UNSPECIFIED",
            &one,
            400,
            "is required",
        ),
        ("A1", "valueInputOption=raw", &one, 400, "TYPE_ENUM"),
        ("A1:A2", raw, &two, 400, "tried writing to column [B]"),
        ("Z1", raw, &two, 400, "Range (Plan!AA1) exceeds grid limits"),
        (
            "A1",
            raw,
            &json!({"values": [["a", [1]]]}),
            400,
            "Invalid values[0][1]: list_value",
        ),
        (
            "A1",
            raw,
            &json!({"values": [[{"a": 1}]]}),
            400,
            "struct_value",
        ),
        ("A1", raw, &json!({"values": ["a"]}), 400, "data.values[0]"),
        (
            "A1",
            raw,
            &json!({"value": [["a"]]}),
            400,
            "Unknown name \"value\" at 'data'",
        ),
        (
            "A1",
            raw,
            &json!({"range": "B1", "values": [["a"]]}),
            400,
            "is not the range",
        ),
        (
            "A1",
            raw,
            &json!({"majorDimension": "rows", "values": []}),
            400,
            "major_dimension",
        ),
        (
            "A1",
            "valueInputOption=USER_ENTERED",
            &json!({"values": [["=NOW()"]]}),
            501,
            "evaluates only",
        ),
        ("Nope", raw, &one, 400, "Unable to parse range"),
    ] {
        refused(&sheets.put(range, query, body).await, status, says);
    }
    let id = sheets.id("Budget 2026");
    let url = sheets.stage.url(&format!("{BASE}/{id}/values/A1?{raw}"));
    let plain = sheets.stage.http.put(&url).bearer_auth(&sheets.token);
    let untyped = plain.body(one.to_string());
    refused(&sheets.stage.send(untyped).await, 400, "Content-Type");
    let broken = sheets.stage.http.put(&url).bearer_auth(&sheets.token);
    let broken = broken.header("content-type", "application/json").body("{");
    refused(
        &sheets.stage.send(broken).await,
        400,
        "Invalid JSON payload",
    );
    // Nothing of all that was written.
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
    let made = sheets.send(reqwest::Method::POST, "", &body).await.ok();
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
    // With the narrow scope, what others made is not there.
    assert_eq!(
        sheets
            .get(&format!("/{}", sheets.id("Budget 2026")))
            .await
            .status,
        404
    );
    assert_eq!(sheets.id("Made"), id);

    let plain = sheets
        .send(reqwest::Method::POST, "", &json!({}))
        .await
        .ok();
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
    let named = |title: &str| json!({"properties": {"title": title}});
    for (body, status, says) in [
        (
            json!({"title": "a"}),
            400,
            "Unknown name \"title\" at 'spreadsheet'",
        ),
        (
            json!({"properties": {"name": "a"}}),
            400,
            "Unknown name \"name\" at 'spreadsheet.properties'",
        ),
        (json!({"properties": {"title": 7}}), 400, "TYPE_STRING"),
        (
            json!({"properties": {"locale": "english"}}),
            400,
            "Unsupported locale",
        ),
        (
            json!({"properties": {"timeZone": "Mars"}}),
            400,
            "time zone",
        ),
        (json!({"sheets": {}}), 400, "TYPE_LIST"),
        (json!({"sheets": ["a"]}), 400, "spreadsheet.sheets[0]"),
        (
            json!({"sheets": [{"title": "a"}]}),
            400,
            "Unknown name \"title\"",
        ),
        (
            json!({"sheets": [named("a"), named("A")]}),
            400,
            "already exists",
        ),
        (
            json!({"sheets": [{"properties": {"sheetId": -1}}]}),
            400,
            "negative",
        ),
        (
            json!({"sheets": [{"properties": {"sheetType": "CHART"}}]}),
            400,
            "TYPE_ENUM",
        ),
        (
            json!({"sheets": [{"properties": {"gridProperties": {"rowCount": 0}}}]}),
            400,
            "too small",
        ),
        (json!({"sheets": [{"charts": []}]}), 501, "charts"),
    ] {
        refused(
            &sheets.send(reqwest::Method::POST, "", &body).await,
            status,
            says,
        );
    }
}
