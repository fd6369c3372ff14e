//! Classifications of requests.

use http::Method;
use serde_json::json;

use super::*;

const A: &str = "0123456789abcdef0123456789abcdef";
const B: &str = "01234567-89AB-cdef-0123-456789abcde0";

/// Facts as `kind=value`: `a` and `b` are the two ids, `?` is one that can't be read.
fn found(method: &str, target: &str, body: &Value) -> Option<(Option<Effect>, String)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some(query),
        content_type: Some("application/json"),
        body: Some(body.to_string().as_bytes()),
    })?;
    let plain = B.replace('-', "").to_ascii_lowercase();
    let facts = classification.facts.iter().map(|fact| {
        let value = match fact.value.as_deref() {
            Some(A) => "a",
            Some(value) if value == plain => "b",
            Some(other) => panic!("{other}"),
            None => "?",
        };
        format!("{}={value}", fact.kind)
    });
    let facts: Vec<String> = facts.collect();
    let all: Vec<String> = KINDS
        .iter()
        .map(|kind| format!("{}=?", kind.name))
        .collect();
    // `?` means that the facts of all kinds are unknown.
    let facts = facts.join(" ");
    let facts = match facts.strip_suffix(&all.join(" ")) {
        Some(facts) => format!("{facts}?"),
        None => facts,
    };
    Some((classification.effect, facts))
}

#[track_caller]
fn check(method: &str, path: &str, body: &Value, expected: &str) {
    let path = path.replace("{a}", A).replace("{b}", B);
    let found = found(method, &format!("/v1/{path}"), body);
    let (_, facts) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
    assert_eq!(facts, expected, "{method} {path} {body}");
}

#[test]
fn pages_and_databases_of_a_request() {
    let none = json!({});
    for (method, path, expected) in [
        ("GET", "pages/{a}", "page=a"),
        ("GET", "pages/{b}/properties/title", "page=b"),
        ("PATCH", "blocks/{b}/children", "page=b"),
        ("DELETE", "blocks/{a}", "page=a"),
        ("GET", "pages/Title-{a}", "page=?"),
        ("GET", "pages/0123", "page=?"),
        ("POST", "databases/{b}/query", "database=b"),
        ("POST", "data_sources/{a}/query", "database=a"),
        ("PATCH", "data_sources/{a}", "database=a"),
        ("GET", "comments?block_id={b}", "page=b"),
        ("GET", "comments?block_id={a}&block_id={b}", "page=a page=b"),
        ("GET", "comments?Block_Id={a}&block_id={b}", "page=? ?"),
        ("GET", "comments", "page=?"),
        ("GET", "comments/{a}", "page=?"),
        ("POST", "search", "page=? database=?"),
        ("GET", "users/me", ""),
    ] {
        check(method, path, &none, expected);
    }
}

#[test]
fn parents_of_created_objects() {
    for (path, body, expected) in [
        ("pages", json!({"parent": {"page_id": A}}), "page=a"),
        (
            "pages",
            json!({"parent": {"type": "database_id", "database_id": B}}),
            "database=b",
        ),
        (
            "pages",
            json!({"parent": {"data_source_id": A, "database_id": B}}),
            "database=b database=a",
        ),
        (
            "pages",
            json!({"parent": {"database_id": A, "page_id": B}}),
            "page=b database=a",
        ),
        (
            "pages",
            json!({"parent": {"workspace": true}}),
            "page=? database=?",
        ),
        (
            "pages",
            json!({"parent": {"page_id": A, "pageId": B}}),
            "page=? database=?",
        ),
        (
            "pages",
            json!({"parent": {"page_id": A, "somewhere": B}}),
            "page=? database=?",
        ),
        ("pages", json!({"parent": {"page_id": [A]}}), "page=?"),
        ("pages", json!({"parent": {"page_id": "a"}}), "page=?"),
        ("pages", json!({"parent": A}), "page=? database=?"),
        (
            "pages",
            json!({"Parent": {"page_id": A}}),
            "page=? database=? ?",
        ),
        ("pages", json!({}), "page=? database=?"),
        ("pages", json!([]), "page=? database=? ?"),
        ("databases", json!({"parent": {"page_id": A}}), "page=a"),
        (
            "data_sources",
            json!({"parent": {"database_id": A}}),
            "database=a",
        ),
        ("comments", json!({"parent": {"page_id": A}}), "page=a"),
        ("comments", json!({"discussion_id": A}), "page=?"),
        (
            "comments",
            json!({"parent": {"page_id": A}, "discussion_id": B}),
            "page=a page=?",
        ),
        ("comments", json!({}), "page=? database=?"),
        (
            "pages/{a}/move",
            json!({"parent": {"page_id": B}}),
            "page=a page=b",
        ),
        ("pages/{a}/move", json!({}), "page=a page=? database=?"),
    ] {
        check("POST", path, &body, expected);
    }
    let moved = json!({"parent": {"page_id": B}});
    check("PATCH", "databases/{a}", &moved, "database=a page=b");
    check("PATCH", "pages/{a}", &moved, "page=a page=b");
    check(
        "PATCH",
        "pages/{a}",
        &json!([]),
        "page=a page=? database=? ?",
    );
}

#[test]
fn effects() {
    let effect = |method, path: &str, body| found(method, &format!("/v1/{path}"), &body).unwrap().0;
    let page = format!("pages/{A}");
    for (body, expected) in [
        (json!({"properties": {}}), None),
        (json!({"archived": false}), None),
        (json!({"archived": true}), Some(Effect::Delete)),
        (json!({"in_trash": true}), Some(Effect::Delete)),
        (json!({"in_trash": "true"}), Some(Effect::Delete)),
        (json!({"InTrash": true}), Some(Effect::Delete)),
        (json!([]), Some(Effect::Delete)),
    ] {
        assert_eq!(effect("PATCH", &page, body.clone()), expected, "{body}");
    }
    assert_eq!(effect("POST", "search", json!({})), Some(Effect::Read));
    assert_eq!(
        effect("POST", &format!("databases/{A}/query"), json!({})),
        Some(Effect::Read)
    );
}

#[test]
fn unknown_requests() {
    for (method, path) in [
        ("POST", "/v1/search/"),
        ("POST", "/v1/Search"),
        ("POST", "/v1/search;x"),
        ("POST", "/v1//search"),
        ("POST", "/v1/pages/.."),
        ("POST", "/v1/pages/a%2Fmove"),
        ("PUT", "/v1/pages/a"),
        ("POST", "/v1/databases/a/query/x"),
        ("POST", "/v1/oauth/token"),
        ("GET", "/v1/unheard"),
        ("POST", "/v2/search"),
        ("POST", "/search"),
    ] {
        assert_eq!(found(method, path, &json!({})), None, "{method} {path}");
    }
}
