//! Classifications of requests.

use http::Method;
use serde_json::json;

use super::*;

type Found = Option<(Option<Effect>, Vec<Option<String>>)>;

fn found(method: &str, path: &str, body: &Value) -> Found {
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: None,
        content_type: Some("application/json"),
        body: Some(body.to_string().as_bytes()),
    })?;
    let values = classification.facts.into_iter().map(|fact| fact.value);
    Some((classification.effect, values.collect()))
}

#[test]
fn the_spreadsheets_of_a_request() {
    let some = |id: &str| Some(id.to_owned());
    let read = Some(Effect::Read);
    for (method, path, body, effect, expected) in [
        ("GET", "/a-1_B", json!({}), None, vec![some("a-1_B")]),
        (
            "POST",
            "/a:getByDataFilter",
            json!({}),
            read,
            vec![some("a")],
        ),
        (
            "POST",
            "/a:batchUpdate",
            json!({"requests": [{"addSheet": {}}]}),
            None,
            vec![some("a")],
        ),
        (
            "POST",
            "/a:batchUpdate",
            json!({"requests": [{"addSheet": {}}, {"deleteSheet": {}}]}),
            Some(Effect::Delete),
            vec![some("a")],
        ),
        (
            "POST",
            "/a:batchUpdate",
            json!({"requests": [{"delete_sheet": {}}]}),
            Some(Effect::Delete),
            vec![some("a"), None, None],
        ),
        (
            "POST",
            "/a:batchUpdate",
            json!({"Requests": []}),
            Some(Effect::Delete),
            vec![some("a"), None, None],
        ),
        (
            "GET",
            "/a/values/Sheet1!A1:B2",
            json!({}),
            None,
            vec![some("a")],
        ),
        (
            "GET",
            "/a/values/x%2Fy%21A1",
            json!({}),
            None,
            vec![some("a")],
        ),
        ("PUT", "/a/values/A1", json!({}), None, vec![some("a")]),
        (
            "POST",
            "/a/values/A1:append",
            json!({}),
            None,
            vec![some("a")],
        ),
        (
            "POST",
            "/a/values/A1:append",
            json!({"values": [["=SUM(A1:A9)", "b"]]}),
            None,
            vec![some("a")],
        ),
        (
            "POST",
            "/a/values/A1:append",
            json!({"values": [["=IMPORTRANGE(\"x\", \"A1\")"]]}),
            None,
            vec![some("a"), None, None],
        ),
        (
            "POST",
            "/a/values:batchClear",
            json!({}),
            Some(Effect::Delete),
            vec![some("a")],
        ),
        (
            "POST",
            "/a/values:batchGetByDataFilter",
            json!({}),
            read,
            vec![some("a")],
        ),
        (
            "POST",
            "/a/developerMetadata:search",
            json!({}),
            read,
            vec![some("a")],
        ),
        (
            "GET",
            "/a/developerMetadata/7",
            json!({}),
            None,
            vec![some("a")],
        ),
        (
            "POST",
            "/a/sheets/0:copyTo",
            json!({"destinationSpreadsheetId": "b"}),
            None,
            vec![some("a"), some("b")],
        ),
        (
            "POST",
            "/a/sheets/0:copyTo",
            json!({"destination_spreadsheet_id": "b"}),
            Some(Effect::Delete),
            vec![some("a"), None, None, None],
        ),
        (
            "POST",
            "/a/sheets/0:copyTo",
            json!({}),
            None,
            vec![some("a"), None],
        ),
        (
            "POST",
            "/a/sheets/0:copyTo",
            json!({"destinationSpreadsheetId": ["b"]}),
            None,
            vec![some("a"), None],
        ),
        ("POST", "", json!({}), None, vec![None]),
    ] {
        let path = format!("/v4/spreadsheets{path}");
        assert_eq!(
            found(method, &path, &body),
            Some((effect, expected)),
            "{method} {path}"
        );
    }
}

#[test]
fn paths_that_lead_elsewhere_are_unknown() {
    for (method, path) in [
        ("GET", "/v4/spreadsheets"),
        ("GET", "/v4/spreadsheets/"),
        ("GET", "/v4/spreadsheets/a/"),
        ("GET", "/v4/spreadsheets/a%2Fb"),
        ("GET", "/v4/spreadsheets/%61"),
        ("GET", "/v4/spreadsheets/.."),
        ("GET", "/v4/spreadsheets/a;b"),
        ("GET", "/v4/Spreadsheets/a"),
        ("GET", "/v4/spreadsheetsx/a"),
        ("POST", "/v4/spreadsheets/a%3AbatchUpdate"),
        ("POST", "/v4/spreadsheets/a:batchupdate"),
        ("POST", "/v4/spreadsheets/a:b:batchUpdate"),
        ("POST", "/v4/spreadsheets/a:batchUpdate/values/A1:append"),
        ("POST", "/v4/spreadsheets/a/values/A1"),
        ("POST", "/v4/spreadsheets/a/values/:append"),
        ("GET", "/v4/spreadsheets/a/values/A1/b"),
        ("GET", "/v4/spreadsheets/a/values/.."),
        ("POST", "/v4/spreadsheets/a/sheets/0/x:copyTo"),
        ("DELETE", "/v4/spreadsheets/a"),
        ("POST", "/batch"),
    ] {
        assert_eq!(found(method, path, &json!({})), None, "{method} {path}");
    }
}
