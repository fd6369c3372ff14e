//! Classifications of requests.

use http::Method;
use serde_json::json;

use super::*;

/// Facts as `kind=value`, with `?` for one that can't be read. Only `?` if the request contains something unknown, and
/// nothing if the request isn't known.
fn facts(method: &str, target: &str, body: &Value) -> Option<(Option<Effect>, Vec<String>)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some(query),
        content_type: Some("application/json"),
        body: Some(body.to_string().as_bytes()),
    })?;
    let facts = classification.facts.into_iter();
    let facts = facts.map(|fact| format!("{}={}", fact.kind, fact.value.as_deref().unwrap_or("?")));
    let mut facts: Vec<String> = facts.collect();
    let all: Vec<String> = KINDS
        .iter()
        .map(|kind| format!("{}=?", kind.name))
        .collect();
    if facts.ends_with(&all) {
        facts.truncate(facts.len() - all.len());
        facts.push("?".to_owned());
    }
    Some((classification.effect, facts))
}

#[track_caller]
fn check(method: &str, path: &str, body: &Value, expected: &[&str]) {
    let found = facts(method, &format!("/calendar/v3/{path}"), body);
    let (_, found) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
    assert_eq!(found, expected, "{method} {path} {body}");
}

#[test]
fn the_calendars_of_a_request() {
    let none = json!({});
    for (method, path, body, expected) in [
        (
            "GET",
            "calendars/primary/events",
            none.clone(),
            &["calendar=primary"][..],
        ),
        (
            "GET",
            "calendars/Ada%40example.com/events/e1",
            none.clone(),
            &["calendar=ada@example.com"],
        ),
        (
            "GET",
            "calendars/de%23holiday@x/events/e1/instances",
            none.clone(),
            &["calendar=de#holiday@x"],
        ),
        (
            "DELETE",
            "calendars/primary/events/e1?sendUpdates=none",
            none.clone(),
            &["calendar=primary"],
        ),
        (
            "POST",
            "calendars/a/events/e1/move?sendUpdates=none&destination=B",
            none.clone(),
            &["calendar=a", "calendar=b"],
        ),
        (
            "POST",
            "calendars/a/events/e1/move?sendUpdates=none&destination=a&destination=b",
            none.clone(),
            &["calendar=a", "calendar=a", "calendar=b"],
        ),
        (
            "POST",
            "calendars/a/events/e1/move?sendUpdates=none&Destination=b",
            none.clone(),
            &["calendar=a", "calendar=?", "?"],
        ),
        (
            "POST",
            "calendars/a/events/e1/move?sendUpdates=none",
            none.clone(),
            &["calendar=a", "calendar=?"],
        ),
        (
            "POST",
            "calendars/a/events/e1/move?sendUpdates=none&destination=%zz",
            none.clone(),
            &["calendar=a", "calendar=?"],
        ),
        (
            "POST",
            "freeBusy",
            json!({"items": [{"id": "A"}, {"id": "b"}]}),
            &["calendar=a", "calendar=b"],
        ),
        (
            "POST",
            "freeBusy",
            json!({"items": [{"ID": "a"}]}),
            &["calendar=?", "?"],
        ),
        (
            "POST",
            "freeBusy",
            json!({"items": ["a"]}),
            &["calendar=?", "?"],
        ),
        (
            "POST",
            "freeBusy",
            json!({"Items": [{"id": "secret"}], "items": []}),
            &["calendar=?", "?"],
        ),
        ("POST", "freeBusy", json!([]), &["calendar=?", "?"]),
        (
            "POST",
            "users/me/calendarList",
            json!({"id": "a"}),
            &["calendar=a"],
        ),
        (
            "POST",
            "users/me/calendarList",
            none.clone(),
            &["calendar=?"],
        ),
        (
            "GET",
            "users/me/calendarList",
            none.clone(),
            &["calendar=?"],
        ),
        (
            "PATCH",
            "users/me/calendarList/a",
            none.clone(),
            &["calendar=a"],
        ),
        (
            "POST",
            "calendars",
            json!({"summary": "x"}),
            &["calendar=?"],
        ),
        ("GET", "colors", none, &[]),
    ] {
        check(method, path, &body, expected);
    }
}

#[test]
fn guests_and_readers_of_a_request() {
    let invite = |email: &str| json!({"attendees": [{"email": email}]});
    let scope = |kind: &str, value: &str| json!({"scope": {"type": kind, "value": value}});
    for (method, path, body, expected) in [
        (
            "POST",
            "events",
            invite("Ada@Example.com"),
            "ada@example.com",
        ),
        (
            "PUT",
            "events/e1?sendUpdates=none",
            invite("a@b.c"),
            "a@b.c",
        ),
        (
            "PATCH",
            "events/e1?sendUpdates=none",
            invite("a@b.c"),
            "a@b.c",
        ),
        ("POST", "events/import", invite("a@b.c"), "a@b.c"),
        (
            "POST",
            "events",
            invite("ada@example.com, eve@evil.example"),
            "?",
        ),
        ("POST", "events", invite("Ada <eve@evil.example>"), "?"),
        ("POST", "events", invite("eve\u{FF20}evil.example"), "?"),
        (
            "POST",
            "events",
            invite("eve@evil.example@example.com"),
            "?",
        ),
        (
            "POST",
            "events",
            json!({"attendees": [{"Email": "eve@evil.example"}]}),
            "? and more",
        ),
        ("POST", "events", json!({"attendees": [{"id": "7"}]}), "?"),
        (
            "POST",
            "events",
            json!({"attendees": {"email": "eve@evil.example"}}),
            "?",
        ),
        (
            "POST",
            "events",
            json!({"Attendees": [{"email": "eve@evil.example"}]}),
            "? and more",
        ),
        ("POST", "events", json!([]), "? and more"),
        ("POST", "events/quickAdd?text=lunch", json!({}), "?"),
        (
            "POST",
            "acl",
            scope("user", "Eve@evil.example"),
            "eve@evil.example",
        ),
        (
            "POST",
            "acl",
            scope("domain", "Evil.example"),
            "evil.example",
        ),
        (
            "POST",
            "acl",
            json!({"scope": {"type": "default"}}),
            "anyone",
        ),
        ("POST", "acl", scope("User", "ada@example.com"), "?"),
        ("POST", "acl", json!({"role": "owner"}), "?"),
        (
            "POST",
            "acl",
            json!({"scope": {"value": "ada@example.com"}}),
            "?",
        ),
        ("PATCH", "acl/default", json!({"role": "reader"}), "anyone"),
        (
            "PATCH",
            "acl/user%3Aeve@evil.example",
            json!({}),
            "eve@evil.example",
        ),
        ("PUT", "acl/eve", json!({}), "?"),
        (
            "POST",
            "transferOwnership?newDataOwner=Eve@evil.example",
            json!({}),
            "eve@evil.example",
        ),
        ("POST", "transferOwnership", json!({}), "?"),
    ] {
        let (who, more) = match expected.strip_suffix(" and more") {
            Some(who) => (who, Some("?")),
            None => (expected, None),
        };
        let who = format!("recipient={who}");
        let expected: Vec<&str> = ["calendar=a", &who].into_iter().chain(more).collect();
        check(method, &format!("calendars/a/{path}"), &body, &expected);
    }
    // A response names its own guest, and a comment reaches all others.
    let response = |comment: Value| json!({"attendeesOmitted": true, "attendees": [{"email": "Ada@x.y", "responseStatus": "accepted", "comment": comment}]});
    let own = ["calendar=a", "recipient=ada@x.y"];
    let path = "calendars/a/events/e1?sendUpdates";
    let all = [own[0], own[1], "recipient=?"];
    check(
        "PATCH",
        &format!("{path}=none"),
        &response(json!(null)),
        &own,
    );
    check(
        "PATCH",
        &format!("{path}=all"),
        &response(json!(null)),
        &all,
    );
    check(
        "PATCH",
        &format!("{path}=none"),
        &response(json!("Late")),
        &all,
    );
    check(
        "POST",
        "calendars/a/events",
        &json!({"summary": "x"}),
        &["calendar=a"],
    );
    let both = [
        "calendar=a",
        "recipient=a@b.c",
        "recipient=eve@evil.example",
    ];
    check(
        "PATCH",
        "calendars/a/acl/user:a@b.c",
        &scope("user", "eve@evil.example"),
        &both,
    );
}

#[test]
fn webhook_addresses_of_a_request() {
    let address = json!({"address": "https://app.example/x"});
    for (path, expected) in [
        (
            "calendars/a/events/watch",
            &["calendar=a", "webhook=https://app.example/x"][..],
        ),
        (
            "users/me/calendarList/watch",
            &["calendar=?", "webhook=https://app.example/x"],
        ),
        (
            "users/me/settings/watch",
            &["webhook=https://app.example/x"],
        ),
    ] {
        check("POST", path, &address, expected);
    }
    check(
        "POST",
        "users/me/settings/watch",
        &json!({"Address": "https://evil.example"}),
        &["webhook=?", "?"],
    );
}

#[test]
fn effects_and_unknown_requests() {
    let effect = |path: &str| facts("POST", path, &json!({})).unwrap().0;
    assert_eq!(effect("/calendar/v3/freeBusy"), Some(Effect::Read));
    assert_eq!(
        effect("/calendar/v3/calendars/a/clear"),
        Some(Effect::Delete)
    );
    assert_eq!(effect("/calendar/v3/calendars/a/events"), None);
    for (method, path) in [
        ("POST", "/calendar/v3/calendars/a/events/"),
        ("POST", "/calendar/v3/calendars/a;b/events"),
        ("POST", "/calendar/v3/calendars/a%2Fevents"),
        ("POST", "/calendar/v3/calendars/a%252Fb/events"),
        ("POST", "/calendar/v3/calendars/../events"),
        ("POST", "/calendar/v3/calendars//events"),
        ("POST", "/Calendar/v3/calendars/a/events"),
        ("POST", "/calendar/v3/calendars/a/Events"),
        ("POST", "/calendar/v3/calendars/a/events/e1/unheard"),
        ("GET", "/calendar/v3/calendars/a/unheard"),
        ("POST", "/batch/calendar/v3"),
    ] {
        assert_eq!(facts(method, path, &json!({})), None, "{method} {path}");
    }
}
