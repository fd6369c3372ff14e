//! What a request is, for rules: the spreadsheets that it concerns.

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, FactKind, SentRequest,
        sent::{Unclear, list, text},
    },
    tool::Effect,
};

const SPREADSHEET: &str = "spreadsheet";

/// What rules can name.
pub(crate) const KINDS: &[FactKind] = &[FactKind {
    name: SPREADSHEET,
    description: "A spreadsheet that the request reads or changes: its id.",
}];

/// What a request is.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let known = Classification::default();
    let path = request.path.strip_prefix("/v4/spreadsheets")?;
    if path.is_empty() {
        // One that there is not yet.
        return (request.method.as_str() == "POST").then(|| known.unknown(SPREADSHEET));
    }
    let path = path.strip_prefix('/')?;
    let (id, below) = match path.split_once('/') {
        Some((id, below)) => (id, Some(below)),
        None => (path, None),
    };
    let (id, verb) = match (id.split_once(':'), below) {
        (Some((id, verb)), None) => (id, verb),
        (None, _) => (id, ""),
        _ => return None,
    };
    is_plain(id).then_some(())?;
    let known = known.fact(SPREADSHEET, id);
    let body = request.json();
    let method = request.method.as_str();
    let Some(below) = below else {
        return match (method, verb) {
            ("GET" | "HEAD", "") => Some(known),
            ("POST", "getByDataFilter") => Some(known.effect(Effect::Read)),
            ("POST", "batchUpdate") if deletes(body.as_ref()) => Some(known.effect(Effect::Delete)),
            ("POST", "batchUpdate") => Some(known),
            _ => None,
        };
    };
    values(method, below, &known)
        .or_else(|| metadata(method, below, &known))
        .or_else(|| copy(method, below, known, body.as_ref()))
}

/// Values of cells. A range is text of any kind, but for another segment.
fn values(method: &str, below: &str, known: &Classification) -> Option<Classification> {
    let known = known.clone();
    match (method, below) {
        ("GET" | "HEAD", "values:batchGet") => return Some(known),
        ("POST", "values:batchGetByDataFilter") => return Some(known.effect(Effect::Read)),
        (
            "POST",
            "values:batchUpdate"
            | "values:batchUpdateByDataFilter"
            | "values:batchClear"
            | "values:batchClearByDataFilter",
        ) => return Some(known),
        _ => {}
    }
    let range = below.strip_prefix("values/")?;
    if range.contains(['/', '\\', ';']) || matches!(range, "" | "." | "..") {
        return None;
    }
    let ends = |verb: &str| {
        range
            .strip_suffix(verb)
            .is_some_and(|range| !range.is_empty())
    };
    match method {
        "GET" | "HEAD" | "PUT" => Some(known),
        "POST" if ends(":append") || ends(":clear") => Some(known),
        _ => None,
    }
}

/// Metadata of developers.
fn metadata(method: &str, below: &str, known: &Classification) -> Option<Classification> {
    let known = known.clone();
    match (method, below) {
        ("POST", "developerMetadata:search") => Some(known.effect(Effect::Read)),
        ("GET" | "HEAD", _) => is_plain(below.strip_prefix("developerMetadata/")?).then_some(known),
        _ => None,
    }
}

/// A copy of a sheet, into the spreadsheet that the body names.
fn copy(
    method: &str,
    below: &str,
    known: Classification,
    body: Option<&Map<String, Value>>,
) -> Option<Classification> {
    let sheet = below.strip_prefix("sheets/")?.strip_suffix(":copyTo")?;
    let target = body
        .ok_or(Unclear)
        .and_then(|body| text(body, "destinationSpreadsheetId"));
    (method == "POST" && is_plain(sheet)).then(|| known.must(SPREADSHEET, target))
}

/// Whether one of several changes deletes something, as far as can be seen.
fn deletes(body: Option<&Map<String, Value>>) -> bool {
    let is_delete = |change: &Value| match change {
        Value::Object(change) => change
            .keys()
            .any(|name| name.to_ascii_lowercase().starts_with("delete")),
        _ => true,
    };
    body.ok_or(Unclear)
        .and_then(|body| list(body, "requests"))
        .map_or(true, |changes| changes.iter().any(is_delete))
}

/// Whether a segment is an id as it stands, without escapes.
fn is_plain(id: &str) -> bool {
    let of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.bytes().all(of_id)
}

#[cfg(test)]
mod tests {
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
                vec![some("a")],
            ),
            (
                "POST",
                "/a:batchUpdate",
                json!({"Requests": []}),
                Some(Effect::Delete),
                vec![some("a")],
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
                "/a/values:batchClear",
                json!({}),
                None,
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
                None,
                vec![some("a"), None],
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
    fn what_leads_elsewhere_is_not_known() {
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
}
