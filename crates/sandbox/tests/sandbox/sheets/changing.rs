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
    refused(
        &clear("/A1:clear", json!({"range": "A1"})).await,
        400,
        "Unknown name",
    );
}

#[tokio::test]
async fn who_may_only_read_changes_nothing() {
    let sheets = Sheets::of("ada@example.com", READONLY).await;
    for path in ["/values/A1:append?valueInputOption=RAW", "/values/A1:clear"] {
        refused(&sheets.post(path, &json!({})).await, 403, "scopes");
    }
    let id = sheets.id("Budget 2026");
    let read = sheets.get(&format!("/{id}/values/Plan!A1")).await;
    assert_eq!(read.status, 200, "{}", read.text);
}
