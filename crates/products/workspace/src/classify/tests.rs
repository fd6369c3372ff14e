//! Classifications of requests.

use http::Method;
use stead_testkit::cases;

use super::*;

const A: &str = "0123456789abcdef0123456789abcdef";
const B: &str = "01234567-89AB-cdef-0123-456789abcde0";

/// Facts as `kind=value`: `a` and `b` are the two ids, `?` is one that can't be read.
fn found(method: &str, target: &str, body: &str) -> Option<(Option<Effect>, String)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some(query),
        content_type: Some("application/json"),
        body: Some(body.as_bytes()),
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

/// Requests of a table, with their facts. `{a}` and `{b}` are the ids.
fn check(table: &str) {
    let table = table.replace("{a}", A).replace("{b}", B);
    for [method, path, body, expected] in cases(&table) {
        let found = found(method, &format!("/v1/{path}"), body);
        let (_, facts) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
        assert_eq!(facts, expected, "{method} {path} {body}");
    }
}

#[test]
fn pages_and_databases_of_a_request() {
    check(
        "
        GET => pages/{a} => {} => page=a
        GET => pages/{b}/properties/title => {} => page=b
        PATCH => blocks/{b}/children => {} => page=b
        DELETE => blocks/{a} => {} => page=a
        GET => pages/Title-{a} => {} => page=?
        GET => pages/0123 => {} => page=?
        POST => databases/{b}/query => {} => database=b
        POST => data_sources/{a}/query => {} => database=a
        PATCH => data_sources/{a} => {} => database=a
        GET => comments?block_id={b} => {} => page=b
        GET => comments?block_id={a}&block_id={b} => {} => page=a page=b
        GET => comments?Block_Id={a}&block_id={b} => {} => page=? ?
        GET => comments => {} => page=?
        GET => comments/{a} => {} => page=?
        POST => search => {} => page=? database=?
        GET => users/me => {} =>
    ",
    );
}

#[test]
fn parents_of_created_objects() {
    check(
        r#"
        POST => pages => {"parent": {"page_id": "{a}"}} => page=a
        POST => pages => {"parent": {"type": "database_id", "database_id": "{b}"}} => database=b
        POST => pages => {"parent": {"data_source_id": "{a}", "database_id": "{b}"}} => database=b database=a
        POST => pages => {"parent": {"database_id": "{a}", "page_id": "{b}"}} => page=b database=a
        POST => pages => {"parent": {"workspace": true}} => page=? database=?
        POST => pages => {"parent": {"page_id": "{a}", "pageId": "{b}"}} => page=? database=?
        POST => pages => {"parent": {"page_id": "{a}", "somewhere": "{b}"}} => page=? database=?
        POST => pages => {"parent": {"page_id": ["{a}"]}} => page=?
        POST => pages => {"parent": {"page_id": "a"}} => page=?
        POST => pages => {"parent": "{a}"} => page=? database=?
        POST => pages => {"Parent": {"page_id": "{a}"}} => page=? database=? ?
        POST => pages => {} => page=? database=?
        POST => pages => [] => page=? database=? ?
        POST => databases => {"parent": {"page_id": "{a}"}} => page=a
        POST => data_sources => {"parent": {"database_id": "{a}"}} => database=a
        POST => comments => {"parent": {"page_id": "{a}"}} => page=a
        POST => comments => {"discussion_id": "{a}"} => page=?
        POST => comments => {"parent": {"page_id": "{a}"}, "discussion_id": "{b}"} => page=a page=?
        POST => comments => {} => page=? database=?
        POST => pages/{a}/move => {"parent": {"page_id": "{b}"}} => page=a page=b
        POST => pages/{a}/move => {} => page=a page=? database=?
        PATCH => databases/{a} => {"parent": {"page_id": "{b}"}} => database=a page=b
        PATCH => pages/{a} => {"parent": {"page_id": "{b}"}} => page=a page=b
        PATCH => pages/{a} => [] => page=a page=? database=? ?
    "#,
    );
}

#[test]
fn effects() {
    let effect = |method, path: &str, body| found(method, &format!("/v1/{path}"), body).unwrap().0;
    let page = format!("pages/{A}");
    for (body, expected) in [
        (r#"{"properties": {}}"#, None),
        (r#"{"archived": false}"#, None),
        (r#"{"archived": true}"#, Some(Effect::Delete)),
        (r#"{"in_trash": true}"#, Some(Effect::Delete)),
        (r#"{"in_trash": "true"}"#, Some(Effect::Delete)),
        (r#"{"InTrash": true}"#, Some(Effect::Delete)),
        ("[]", Some(Effect::Delete)),
    ] {
        assert_eq!(effect("PATCH", &page, body), expected, "{body}");
    }
    let read = Some(Effect::Read);
    assert_eq!(effect("POST", "search", "{}"), read);
    assert_eq!(effect("POST", &format!("databases/{A}/query"), "{}"), read);
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
        assert_eq!(found(method, path, "{}"), None, "{method} {path}");
    }
}
