//! What a request is, for rules: the pages and databases that it names.

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, FactKind, SentRequest,
        sent::{Unclear, member, object, text},
    },
    tool::Effect,
};

use crate::id::uuid;

const PAGE: &str = "page";
const DATABASE: &str = "database";

/// What rules can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: PAGE,
        description: "A page or block that the request names: the 32 digits of its id in lower case, without hyphens.",
    },
    FactKind {
        name: DATABASE,
        description: "A database or data source that the request names: the 32 digits of its id in lower case, without hyphens.",
    },
];

/// What a request is.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["v1", path @ ..] = segments.as_slice() else {
        return None;
    };
    let known = Classification::default();
    let body = request.json();
    let parent = |known| parent(known, body.as_ref());
    let classification = match (request.method.as_str(), path) {
        ("GET" | "HEAD", ["users"] | ["users", _])
        | ("GET" | "HEAD" | "POST", ["file_uploads"])
        | ("GET" | "HEAD", ["file_uploads", _])
        | ("POST", ["file_uploads", _, "send" | "complete"]) => known,
        ("POST", ["search"]) => known.effect(Effect::Read).unknown(PAGE).unknown(DATABASE),
        ("POST", ["pages" | "databases" | "data_sources"]) => must_have(parent(known)),
        ("GET" | "HEAD", ["pages", id] | ["pages", id, "markdown"])
        | ("GET" | "HEAD", ["pages", id, "properties", _])
        | ("GET" | "HEAD", ["blocks", id] | ["blocks", id, "children"])
        | ("DELETE" | "PATCH", ["blocks", id])
        | ("PATCH", ["blocks", id, "children"] | ["pages", id, "markdown"]) => {
            removes(named(known, PAGE, id), request, body.as_ref())
        }
        ("PATCH", ["pages", id]) => removes(parent(named(known, PAGE, id)), request, body.as_ref()),
        ("POST", ["pages", id, "move"]) => {
            let target = must_have(parent(Classification::default()));
            let mut known = named(known, PAGE, id);
            known.facts.extend(target.facts);
            known
        }
        ("GET" | "HEAD", ["databases" | "data_sources", id])
        | ("GET" | "HEAD", ["data_sources", id, "templates"]) => named(known, DATABASE, id),
        ("PATCH", ["databases" | "data_sources", id]) => {
            removes(parent(named(known, DATABASE, id)), request, body.as_ref())
        }
        ("POST", ["databases" | "data_sources", id, "query"]) => {
            named(known.effect(Effect::Read), DATABASE, id)
        }
        ("GET" | "HEAD", ["comments"]) => of_query(known, request),
        // A discussion does not say where it is.
        ("POST", ["comments"]) => {
            let is_discussion = body
                .as_ref()
                .is_none_or(|body| member(body, "discussion_id") != Ok(None));
            if is_discussion {
                parent(known).unknown(PAGE)
            } else {
                must_have(parent(known))
            }
        }
        ("GET" | "HEAD" | "PATCH" | "DELETE", ["comments", _]) => known.unknown(PAGE),
        _ => return None,
    };
    Some(classification)
}

/// Adds an id in the one form of rules.
fn named(known: Classification, kind: &'static str, id: &str) -> Classification {
    known.must(kind, Ok(uuid(id).map(|id| id.replace('-', ""))))
}

/// Adds the parent that the body names, where it names one.
fn parent(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let both = |known: Classification| known.unknown(PAGE).unknown(DATABASE);
    let parent = body.ok_or(Unclear).and_then(|body| object(body, "parent"));
    let parent = match parent {
        Ok(Some(parent)) => parent,
        Ok(None) => return known,
        Err(Unclear) => return both(known),
    };
    let is_known = parent.keys().all(|name| {
        let names = [
            "type",
            "page_id",
            "block_id",
            "database_id",
            "data_source_id",
            "workspace",
        ];
        names.contains(&name.as_str())
    });
    if !is_known {
        return both(known);
    }
    let places = [
        ("page_id", PAGE),
        ("block_id", PAGE),
        ("database_id", DATABASE),
        ("data_source_id", DATABASE),
    ];
    let before = known.facts.len();
    let known = places
        .into_iter()
        .fold(known, |known, (name, kind)| match text(parent, name) {
            Ok(Some(id)) => named(known, kind, id),
            Ok(None) => known,
            Err(Unclear) => known.unknown(kind),
        });
    // The workspace itself, or nothing that is known.
    if known.facts.len() == before {
        both(known)
    } else {
        known
    }
}

/// A request that makes something says where; without that, it could be anywhere.
fn must_have(known: Classification) -> Classification {
    if known.facts.is_empty() {
        known.unknown(PAGE).unknown(DATABASE)
    } else {
        known
    }
}

/// The page or block whose comments are listed.
fn of_query(known: Classification, request: &SentRequest<'_>) -> Classification {
    match request.query_values("block_id").as_deref() {
        Ok([]) | Err(_) => known.unknown(PAGE),
        Ok(ids) => ids.iter().fold(known, |known, id| named(known, PAGE, id)),
    }
}

/// Says of a change that moves something to the trash that it deletes. One that cannot be read may.
fn removes(
    known: Classification,
    request: &SentRequest<'_>,
    body: Option<&Map<String, Value>>,
) -> Classification {
    let keeps = |name: &str| {
        body.is_some_and(|body| matches!(member(body, name), Ok(None | Some(Value::Bool(false)))))
    };
    let is_change = request.method.as_str() == "PATCH";
    if is_change
        && !["archived", "in_trash", "erase_content"]
            .into_iter()
            .all(keeps)
    {
        known.effect(Effect::Delete)
    } else {
        known
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;

    use super::*;

    const A: &str = "0123456789abcdef0123456789abcdef";
    const B: &str = "01234567-89AB-cdef-0123-456789abcde0";

    /// Facts as `kind=value`: `a` and `b` for the two ids, `?` for one that cannot be read.
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
        Some((classification.effect, facts.join(" ")))
    }

    #[track_caller]
    fn check(method: &str, path: &str, body: &Value, expected: &str) {
        let path = path.replace("{a}", A).replace("{b}", B);
        let found = found(method, &format!("/v1/{path}"), body);
        let (_, facts) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
        assert_eq!(facts, expected, "{method} {path} {body}");
    }

    #[test]
    fn what_a_request_names() {
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
            ("GET", "comments?Block_Id={a}&block_id={b}", "page=?"),
            ("GET", "comments", "page=?"),
            ("GET", "comments/{a}", "page=?"),
            ("POST", "search", "page=? database=?"),
            ("GET", "users/me", ""),
        ] {
            check(method, path, &none, expected);
        }
    }

    #[test]
    fn where_something_is_made() {
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
                "page=? database=?",
            ),
            ("pages", json!({}), "page=? database=?"),
            ("pages", json!([]), "page=? database=?"),
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
        check("PATCH", "pages/{a}", &json!([]), "page=a page=? database=?");
    }

    #[test]
    fn effects() {
        let effect =
            |method, path: &str, body| found(method, &format!("/v1/{path}"), &body).unwrap().0;
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
    fn what_is_not_known() {
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
}
