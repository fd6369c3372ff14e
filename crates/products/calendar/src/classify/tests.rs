//! Classifications of requests.

use http::Method;
use stead_testkit::cases;

use super::*;

/// Facts as `kind=value`, with `?` for one that can't be read. Only `?` if the request contains something unknown, and
/// nothing if the request isn't known.
fn facts(method: &str, target: &str, body: &str) -> Option<(Option<Effect>, String)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some(query),
        content_type: Some("application/json"),
        body: Some(body.as_bytes()),
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
    Some((classification.effect, facts.join(" ")))
}

/// Requests of a table, with their facts.
fn check(table: &str) {
    for [method, path, body, expected] in cases(table) {
        let found = facts(method, &format!("/calendar/v3/{path}"), body);
        let (_, found) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
        assert_eq!(found, expected, "{method} {path} {body}");
    }
}

#[test]
fn the_calendars_of_a_request() {
    check(
        r#"
        GET => calendars/primary/events => {} => calendar=primary
        GET => calendars/Ada%40example.com/events/e1 => {} => calendar=ada@example.com
        GET => calendars/de%23holiday@x/events/e1/instances => {} => calendar=de#holiday@x
        DELETE => calendars/primary/events/e1?sendUpdates=none => {} => calendar=primary
        POST => calendars/a/events/e1/move?sendUpdates=none&destination=B => {} => calendar=a calendar=b
        POST => calendars/a/events/e1/move?sendUpdates=none&destination=a&destination=b => {} => calendar=a calendar=a calendar=b
        POST => calendars/a/events/e1/move?sendUpdates=none&Destination=b => {} => calendar=a calendar=? ?
        POST => calendars/a/events/e1/move?sendUpdates=none => {} => calendar=a calendar=?
        POST => calendars/a/events/e1/move?sendUpdates=none&destination=%zz => {} => calendar=a calendar=?
        POST => freeBusy => {"items": [{"id": "A"}, {"id": "b"}]} => calendar=a calendar=b
        POST => freeBusy => {"items": [{"ID": "a"}]} => calendar=? ?
        POST => freeBusy => {"items": ["a"]} => calendar=? ?
        POST => freeBusy => {"Items": [{"id": "secret"}], "items": []} => calendar=? ?
        POST => freeBusy => [] => calendar=? ?
        POST => users/me/calendarList => {"id": "a"} => calendar=a
        POST => users/me/calendarList => {} => calendar=?
        GET => users/me/calendarList => {} => calendar=?
        PATCH => users/me/calendarList/a => {} => calendar=a
        POST => calendars => {"summary": "x"} => calendar=?
        GET => colors => {} =>
    "#,
    );
}

#[test]
fn guests_and_readers_of_a_request() {
    check(
        r#"
        POST => calendars/a/events => {"attendees": [{"email": "Ada@Example.com"}]} => calendar=a recipient=ada@example.com
        PUT => calendars/a/events/e1?sendUpdates=none => {"attendees": [{"email": "a@b.c"}]} => calendar=a recipient=a@b.c
        PATCH => calendars/a/events/e1?sendUpdates=none => {"attendees": [{"email": "a@b.c"}]} => calendar=a recipient=a@b.c
        POST => calendars/a/events/import => {"attendees": [{"email": "a@b.c"}]} => calendar=a recipient=a@b.c
        POST => calendars/a/events => {"attendees": [{"email": "ada@example.com, eve@evil.example"}]} => calendar=a recipient=?
        POST => calendars/a/events => {"attendees": [{"email": "Ada <eve@evil.example>"}]} => calendar=a recipient=?
        POST => calendars/a/events => {"attendees": [{"email": "eve\uff20evil.example"}]} => calendar=a recipient=?
        POST => calendars/a/events => {"attendees": [{"email": "eve@evil.example@example.com"}]} => calendar=a recipient=?
        POST => calendars/a/events => {"attendees": [{"Email": "eve@evil.example"}]} => calendar=a recipient=? ?
        POST => calendars/a/events => {"attendees": [{"id": "7"}]} => calendar=a recipient=?
        POST => calendars/a/events => {"attendees": {"email": "eve@evil.example"}} => calendar=a recipient=?
        POST => calendars/a/events => {"Attendees": [{"email": "eve@evil.example"}]} => calendar=a recipient=? ?
        POST => calendars/a/events => [] => calendar=a recipient=? ?
        POST => calendars/a/events/quickAdd?text=lunch => {} => calendar=a recipient=?
        POST => calendars/a/acl => {"scope": {"type": "user", "value": "Eve@evil.example"}} => calendar=a recipient=eve@evil.example
        POST => calendars/a/acl => {"scope": {"type": "domain", "value": "Evil.example"}} => calendar=a recipient=evil.example
        POST => calendars/a/acl => {"scope": {"type": "default"}} => calendar=a recipient=anyone
        POST => calendars/a/acl => {"scope": {"type": "User", "value": "ada@example.com"}} => calendar=a recipient=?
        POST => calendars/a/acl => {"role": "owner"} => calendar=a recipient=?
        POST => calendars/a/acl => {"scope": {"value": "ada@example.com"}} => calendar=a recipient=?
        PATCH => calendars/a/acl/default => {"role": "reader"} => calendar=a recipient=anyone
        PATCH => calendars/a/acl/user%3Aeve@evil.example => {} => calendar=a recipient=eve@evil.example
        PUT => calendars/a/acl/eve => {} => calendar=a recipient=?
        POST => calendars/a/transferOwnership?newDataOwner=Eve@evil.example => {} => calendar=a recipient=eve@evil.example
        POST => calendars/a/transferOwnership => {} => calendar=a recipient=?
        POST => calendars/a/events => {"summary": "x"} => calendar=a
        PATCH => calendars/a/acl/user:a@b.c => {"scope": {"type": "user", "value": "eve@evil.example"}} => calendar=a recipient=a@b.c recipient=eve@evil.example
    "#,
    );
    // A response names its own guest, and a comment reaches all others.
    check(
        r#"
        PATCH => calendars/a/events/e1?sendUpdates=none => {"attendeesOmitted": true, "attendees": [{"email": "Ada@x.y", "responseStatus": "accepted", "comment": null}]} => calendar=a recipient=ada@x.y
        PATCH => calendars/a/events/e1?sendUpdates=all => {"attendeesOmitted": true, "attendees": [{"email": "Ada@x.y", "responseStatus": "accepted", "comment": null}]} => calendar=a recipient=ada@x.y recipient=?
        PATCH => calendars/a/events/e1?sendUpdates=none => {"attendeesOmitted": true, "attendees": [{"email": "Ada@x.y", "responseStatus": "accepted", "comment": "Late"}]} => calendar=a recipient=ada@x.y recipient=?
    "#,
    );
}

#[test]
fn webhook_addresses_of_a_request() {
    check(
        r#"
        POST => calendars/a/events/watch => {"address": "https://app.example/x"} => calendar=a webhook=https://app.example/x
        POST => users/me/calendarList/watch => {"address": "https://app.example/x"} => calendar=? webhook=https://app.example/x
        POST => users/me/settings/watch => {"address": "https://app.example/x"} => webhook=https://app.example/x
        POST => users/me/settings/watch => {"Address": "https://evil.example"} => webhook=? ?
    "#,
    );
}

#[test]
fn effects_and_unknown_requests() {
    let effect = |path: &str| facts("POST", path, "{}").unwrap().0;
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
        assert_eq!(facts(method, path, "{}"), None, "{method} {path}");
    }
}
