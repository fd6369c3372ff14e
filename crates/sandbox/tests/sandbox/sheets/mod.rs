//! The Sheets API's methods.

use serde_json::{Value, json};

use crate::client::{Reply, Stage};

mod writing;

const SPREADSHEETS: &str = "https://www.googleapis.com/auth/spreadsheets";
const READONLY: &str = "https://www.googleapis.com/auth/spreadsheets.readonly";
const BASE: &str = "/sheets.googleapis.com/v4/spreadsheets";

/// A sandbox with one user's token.
struct Sheets {
    stage: Stage,
    token: String,
}

impl Sheets {
    async fn of(user: &str, scope: &str) -> Self {
        let stage = Stage::new().await;
        let token = stage.tokens(user, &[scope]).await.access;
        Self { stage, token }
    }

    async fn ada() -> Self {
        Self::of("ada@example.com", SPREADSHEETS).await
    }

    /// The id of a file of Ada's world, by name and type.
    fn id(&self, name: &str) -> String {
        let world = self.stage.sandbox().world();
        let files = world["users"][0]["files"].as_array().expect("files");
        let shortcut = "application/vnd.google-apps.shortcut";
        let found = files
            .iter()
            .find(|file| file["name"] == name && file["mime_type"] != shortcut);
        found.expect(name)["id"].as_str().expect("an id").to_owned()
    }

    async fn get(&self, path: &str) -> Reply {
        self.stage.get(&format!("{BASE}{path}"), &self.token).await
    }

    async fn values(&self, range: &str) -> Value {
        let id = self.id("Budget 2026");
        self.get(&format!("/{id}/values/{range}")).await.ok()
    }

    async fn send(&self, method: reqwest::Method, path: &str, body: &Value) -> Reply {
        let request = self
            .stage
            .http
            .request(method, self.stage.url(&format!("{BASE}{path}")))
            .bearer_auth(&self.token)
            .header("content-type", "application/json")
            .body(body.to_string());
        self.stage.send(request).await
    }

    /// PUT of values into Ada's budget.
    async fn put(&self, range: &str, query: &str, body: &Value) -> Reply {
        let id = self.id("Budget 2026");
        let path = format!("/{id}/values/{range}?{query}");
        self.send(reqwest::Method::PUT, &path, body).await
    }
}

#[track_caller]
fn refused(reply: &Reply, status: u16, says: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    let error = &reply.json()["error"];
    assert_eq!(error.get("errors"), None, "the newer shape alone");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains(says), "{message}");
}

#[tokio::test]
async fn values_are_shown_as_asked_for() {
    let sheets = Sheets::ada().await;
    let plan = sheets.values("Plan!A1:D7").await;
    assert_eq!(plan["range"], "Plan!A1:D7");
    assert_eq!(
        plan["values"],
        json!([
            ["Item", "Due", "Cost", "Paid"],
            ["Cards", "2026-05-05", "$120.50", "TRUE"],
            ["Oil", "2026-06-01", "$19.00", "FALSE"],
            [],
            ["Travel", "", "$300.00"],
            [],
            ["Sum", "", "$439.50"],
        ])
    );
    let unformatted = "C2:C7?valueRenderOption=UNFORMATTED_VALUE&majorDimension=COLUMNS";
    assert_eq!(
        sheets.values(unformatted).await["values"],
        json!([[120.5, 19, "", 300, "", 439.5]])
    );
    let formulas = sheets.values("Plan!C7?valueRenderOption=FORMULA").await;
    assert_eq!(formulas["values"], json!([["=SUM(C2:C5)"]]));
    let serial = sheets
        .values("B2?valueRenderOption=UNFORMATTED_VALUE")
        .await;
    assert_eq!(serial["values"], json!([[46_147]]));
    let text = "B2?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING";
    assert_eq!(sheets.values(text).await["values"], json!([["2026-05-05"]]));
}

#[tokio::test]
async fn ranges_are_resolved_and_empty_ones_have_no_values() {
    let sheets = Sheets::ada().await;
    for (asked, range) in [
        ("Plan", "Plan!A1:Z1000"),
        ("Costs", "Plan!C2:C5"),
        ("%27It%27%27s%20R%2FD%27!A1%3AB2", "'It''s R/D'!A1:B2"),
        ("Plan!A2:A", "Plan!A2:A1000"),
    ] {
        assert_eq!(sheets.values(asked).await["range"], range, "{asked}");
    }
    let empty = sheets.values("Empty").await;
    assert_eq!(
        empty,
        json!({"range": "Empty!A1:Z1000", "majorDimension": "ROWS"})
    );
    let id = sheets.id("Budget 2026");
    for (range, says) in [
        ("Nope!A1", "Unable to parse range: Nope!A1"),
        ("Plan!A0", "Unable to parse range"),
        (
            "ZZ1",
            "exceeds grid limits. Max rows: 1000, max columns: 26",
        ),
        ("A1?majorDimension=rows", "TYPE_ENUM"),
        ("A1?valueRenderOption=RAW", "TYPE_ENUM"),
        (
            "A1?value_render_option=FORMULA",
            "Cannot bind query parameter",
        ),
    ] {
        let reply = sheets.get(&format!("/{id}/values/{range}")).await;
        refused(&reply, 400, says);
    }
}

#[tokio::test]
async fn only_shared_spreadsheets_can_be_reached() {
    let sheets = Sheets::ada().await;
    let one = json!({"values": [["a"]]});
    let guests = sheets.id("Guest list");
    let path = format!("/{guests}/values/Sheet1!A1:B1");
    assert_eq!(
        sheets.get(&path).await.ok()["values"],
        json!([["Guest", "Seat"]])
    );
    let write = format!("/{guests}/values/A1?valueInputOption=RAW");
    let denied = sheets.send(reqwest::Method::PUT, &write, &one).await;
    refused(&denied, 403, "The caller does not have permission");
    refused(
        &sheets.get("/nope/values/A1").await,
        404,
        "Requested entity was not found.",
    );
    let office = sheets
        .get(&format!("/{}", sheets.id("Expenses.xlsx")))
        .await;
    refused(&office, 400, "The document must not be an Office file.");
    assert_eq!(office.json()["error"]["status"], "FAILED_PRECONDITION");
    let folder = sheets.get(&format!("/{}", sheets.id("Engine"))).await;
    refused(&folder, 400, "This operation is not supported");

    let reader = Sheets::of("ada@example.com", READONLY).await;
    refused(
        &reader.put("A1", "valueInputOption=RAW", &one).await,
        403,
        "insufficient authentication scopes",
    );
    assert_eq!(reader.values("A1").await["values"], json!([["Item"]]));
    let grace = Sheets::of("grace@example.com", SPREADSHEETS).await;
    assert_eq!(
        grace.put("A1", "valueInputOption=RAW", &one).await.status,
        200
    );
}

#[tokio::test]
async fn a_spreadsheet_is_read_completely_or_in_part() {
    let sheets = Sheets::ada().await;
    let id = sheets.id("Budget 2026");
    let whole = sheets.get(&format!("/{id}")).await.ok();
    assert_eq!(whole["properties"]["title"], "Budget 2026");
    assert_eq!(whole["sheets"][1]["properties"]["title"], "It's R/D");
    assert_eq!(
        whole["sheets"][0]["properties"]["gridProperties"]["frozenRowCount"],
        1
    );
    assert_eq!(whole["namedRanges"][0]["name"], "Costs");
    assert_eq!(whole["sheets"][0].get("data"), None);

    let part = sheets
        .get(&format!(
            "/{id}?includeGridData=true&ranges=Plan!B2:C7&ranges=Empty"
        ))
        .await
        .ok();
    assert_eq!(part["sheets"].as_array().unwrap().len(), 2);
    let data = &part["sheets"][0]["data"][0];
    assert_eq!(
        (&data["startRow"], &data["startColumn"]),
        (&json!(1), &json!(1))
    );
    let cell = &data["rowData"][0]["values"][0];
    assert_eq!(cell["formattedValue"], "2026-05-05");
    assert_eq!(cell["effectiveFormat"]["numberFormat"]["type"], "DATE");
    let sum = &data["rowData"][5]["values"][1];
    assert_eq!(sum["userEnteredValue"]["formulaValue"], "=SUM(C2:C5)");
    assert_eq!(sum["effectiveValue"]["numberValue"], 439.5);
    assert_eq!(data["columnMetadata"].as_array().unwrap().len(), 2);
    assert_eq!(part["sheets"][1]["data"][0].get("rowData"), None);

    let masked = sheets
        .get(&format!(
            "/{id}?fields=sheets.data.rowData.values.formattedValue&ranges=A1"
        ))
        .await
        .ok();
    assert_eq!(
        masked,
        json!({"sheets": [{"data": [{"rowData": [{"values": [{"formattedValue": "Item"}]}]}]}]})
    );
    refused(
        &sheets.get(&format!("/{id}?ranges=Nope!A1")).await,
        400,
        "Unable to parse range",
    );
    refused(
        &sheets.get(&format!("/{id}?fields=cells")).await,
        400,
        "Invalid field selection",
    );
}

#[tokio::test]
async fn there_is_no_list_and_faults_apply() {
    let sheets = Sheets::ada().await;
    let list = sheets.get("").await;
    assert_eq!(list.status, 404);
    assert!(list.header("content-type").starts_with("text/html"));
    let id = sheets.id("Budget 2026");
    sheets.stage.cause(json!({ "kind": "error", "host": "sheets.googleapis.com", "path_contains": "values", "status": 429, "reason": "RATE_LIMIT_EXCEEDED", "retry_after": "1" }));
    let throttled = sheets.get(&format!("/{id}/values/A1")).await;
    refused(&throttled, 429, "Quota exceeded");
    assert_eq!(throttled.json()["error"]["status"], "RESOURCE_EXHAUSTED");
    assert_eq!(sheets.get(&format!("/{id}/values/A1")).await.status, 200);
}
