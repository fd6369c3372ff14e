//! Classifications of requests.

use http::Method;
use stead_testkit::cases;

use super::*;

/// Returns the spreadsheets of a request, with `?` for one that can't be read. If its effect isn't that of its method,
/// the effect comes first. `None` if the product doesn't know the request.
fn found(method: &str, path: &str, body: &str) -> Option<String> {
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: None,
        content_type: Some("application/json"),
        body: Some(body.as_bytes()),
    })?;
    let effect = match classification.effect {
        None => "",
        Some(Effect::Read) => "read: ",
        Some(Effect::Delete) => "delete: ",
        other => panic!("{other:?}"),
    };
    let values = classification.facts.into_iter();
    let values = values.map(|fact| fact.value.unwrap_or_else(|| "?".to_owned()));
    Some(effect.to_owned() + &values.collect::<Vec<_>>().join(" "))
}

#[test]
fn the_spreadsheets_of_a_request() {
    let table = r#"
        GET => /a-1_B => {} => a-1_B
        POST => /a:getByDataFilter => {} => read: a
        POST => /a:batchUpdate => {"requests": [{"addSheet": {}}]} => a
        POST => /a:batchUpdate => {"requests": [{"addSheet": {}}, {"deleteSheet": {}}]} => delete: a
        POST => /a:batchUpdate => {"requests": [{"delete_sheet": {}}]} => delete: a ? ?
        POST => /a:batchUpdate => {"Requests": []} => delete: a ? ?
        GET => /a/values/Sheet1!A1:B2 => {} => a
        GET => /a/values/x%2Fy%21A1 => {} => a
        PUT => /a/values/A1 => {} => a
        POST => /a/values/A1:append => {} => a
        POST => /a/values/A1:append => {"values": [["=SUM(A1:A9)", "b"]]} => a
        POST => /a/values/A1:append => {"values": [["=IMPORTRANGE(\"x\", \"A1\")"]]} => a ? ?
        POST => /a/values:batchClear => {} => delete: a
        POST => /a/values:batchGetByDataFilter => {} => read: a
        POST => /a/developerMetadata:search => {} => read: a
        GET => /a/developerMetadata/7 => {} => a
        POST => /a/sheets/0:copyTo => {"destinationSpreadsheetId": "b"} => a b
        POST => /a/sheets/0:copyTo => {"destination_spreadsheet_id": "b"} => delete: a ? ? ?
        POST => /a/sheets/0:copyTo => {} => a ?
        POST => /a/sheets/0:copyTo => {"destinationSpreadsheetId": ["b"]} => a ?
        POST =>  => {} => ?
    "#;
    for [method, path, body, expected] in cases(table) {
        let path = format!("/v4/spreadsheets{path}");
        let found = found(method, &path, body);
        assert_eq!(found.as_deref(), Some(expected), "{method} {path} {body}");
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
        assert_eq!(found(method, path, "{}"), None, "{method} {path}");
    }
}
