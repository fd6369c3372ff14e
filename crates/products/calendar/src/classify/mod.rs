//! Classifies a request for policies: the calendars that it uses, and the people that it invites or gives access.

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, FactKind, SentRequest, Shapes,
        sent::{Part, Unclear, list, object, text},
    },
    tool::Effect,
};

const CALENDAR: &str = "calendar";
const RECIPIENT: &str = "recipient";
const WEBHOOK: &str = "webhook";
const URL: &str = "url";

/// Known queries and bodies.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Members of an event that only concern the user. Guests see any other change, even without a notification.
const QUIET: [&str; 19] = [
    "attendees",
    "attendeesOmitted",
    "colorId",
    "end",
    "etag",
    "eventType",
    "guestsCanInviteOthers",
    "guestsCanModify",
    "guestsCanSeeOtherGuests",
    "iCalUID",
    "id",
    "kind",
    "originalStartTime",
    "recurrence",
    "reminders",
    "sequence",
    "start",
    "status",
    "transparency",
];

/// Facts that policies can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: CALENDAR,
        description: "A calendar that the request reads or changes: its id in lower case, or `primary` if the request uses that name.",
    },
    FactKind {
        name: RECIPIENT,
        description: "Someone whom the request invites, notifies or gives access: an address or a domain in lower case, or `anyone`.",
    },
    FactKind {
        name: WEBHOOK,
        description: "An address for Google Calendar's notifications of changes, such as `https://app.example/changes`.",
    },
    FactKind {
        name: URL,
        description: "An address that an event links to or attaches, such as `https://app.example/agenda.pdf`.",
    },
];

/// Classifies a request.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["calendar", "v3", path @ ..] = segments.as_slice() else {
        return None;
    };
    let known = Classification::default();
    let known = match path {
        ["calendars", id, rest @ ..] => calendar(request, known.fact(CALENDAR, lower(id)), rest),
        _ => other(request, known, path),
    };
    Some(known?.holding(SHAPES.read(request), KINDS, request))
}

/// Classifies a request to one calendar. The segments follow the calendar's id.
fn calendar(
    request: &SentRequest<'_>,
    known: Classification,
    path: &[&str],
) -> Option<Classification> {
    let body = request.json();
    let classification = match (request.method.as_str(), path) {
        (
            "GET" | "HEAD",
            [] | ["acl" | "events"] | ["acl" | "events", _] | ["events", _, "instances"],
        )
        | ("PUT" | "PATCH" | "DELETE", [])
        | ("DELETE", ["acl", _]) => known,
        ("DELETE", ["events", _]) => told(known, request, true),
        ("POST", ["clear"]) => known.effect(Effect::Delete),
        ("POST", ["transferOwnership"]) => parameter(known, RECIPIENT, request, "newDataOwner"),
        ("POST", ["acl"]) => known.must(RECIPIENT, scope(body.as_ref())),
        ("PUT" | "PATCH", ["acl", rule]) => {
            let known = known.must(RECIPIENT, scope_of_rule(rule).map(Some));
            known.part(RECIPIENT, scope(body.as_ref()))
        }
        ("POST", ["acl" | "events", "watch"]) => webhook(known, body.as_ref()),
        // The text may name people to invite.
        ("POST", ["events", "quickAdd"]) => known.unknown(RECIPIENT),
        ("POST", ["events"] | ["events", "import"]) => {
            cancelled(attendees(known, body.as_ref()), body.as_ref())
        }
        ("PUT" | "PATCH", ["events", _]) => {
            let mut members = body.iter().flat_map(Map::keys);
            let is_quiet = members.all(|name| QUIET.contains(&name.as_str()));
            let known = attendees(known, body.as_ref());
            cancelled(told(known, request, is_quiet), body.as_ref())
        }
        ("POST", ["events", _, "move"]) => {
            let known = parameter(known, CALENDAR, request, "destination");
            told(known, request, true)
        }
        _ => return None,
    };
    Some(classification)
}

/// Classifies a request that isn't to one calendar.
fn other(
    request: &SentRequest<'_>,
    known: Classification,
    path: &[&str],
) -> Option<Classification> {
    let body = request.json();
    let classification = match (request.method.as_str(), path) {
        ("GET" | "HEAD", ["colors"] | ["users", "me", "settings"])
        | ("GET" | "HEAD", ["users", "me", "settings", _])
        | ("POST", ["channels", "stop"]) => known,
        // A list of all calendars, or a calendar that doesn't exist yet.
        ("GET" | "HEAD", ["users", "me", "calendarList"]) | ("POST", ["calendars"]) => {
            known.unknown(CALENDAR)
        }
        ("POST", ["users", "me", "settings", "watch"]) => webhook(known, body.as_ref()),
        ("POST", ["users", "me", "calendarList", "watch"]) => {
            webhook(known.unknown(CALENDAR), body.as_ref())
        }
        ("POST", ["users", "me", "calendarList"]) => {
            let id = body
                .as_ref()
                .ok_or(Unclear)
                .and_then(|body| text(body, "id"));
            known.must(CALENDAR, id.map(|id| id.map(lower)))
        }
        ("GET" | "HEAD" | "PUT" | "PATCH" | "DELETE", ["users", "me", "calendarList", id]) => {
            known.fact(CALENDAR, lower(id))
        }
        ("POST", ["freeBusy"]) => each(
            known.effect(Effect::Read),
            CALENDAR,
            body.as_ref(),
            "items",
            |item| Ok(text(item, "id")?.map(lower)),
        ),
        _ => return None,
    };
    Some(classification)
}

/// Lowercases an id. Ids are addresses, and the product ignores their case.
fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// The recipients of a change: everyone already invited. It has none if notifications are off and guests don't see the
/// change.
fn told(known: Classification, request: &SentRequest<'_>, is_quiet: bool) -> Classification {
    let values = |name| request.query_values(name).unwrap_or_default();
    let notifies_none = values("sendUpdates") == ["none"]
        && values("sendNotifications").iter().all(|one| one == "false");
    if is_quiet && notifies_none {
        known
    } else {
        known.unknown(RECIPIENT)
    }
}

/// Marks a request that cancels an event as a deletion.
fn cancelled(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    match body.ok_or(Unclear).and_then(|body| text(body, "status")) {
        Ok(None | Some("confirmed" | "tentative")) => known,
        _ => known.effect(Effect::Delete),
    }
}

/// Adds the people whom an event invites. A response to an invitation counts as one, too: its `attendeesOmitted` doesn't
/// stop the product from adding someone. Everyone in the event reads a comment.
fn attendees(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let known = each(known, RECIPIENT, body, "attendees", |attendee| {
        address(text(attendee, "email")?)
    });
    let attendees = body.and_then(|body| list(body, "attendees").ok());
    let mut attendees = attendees.into_iter().flatten();
    if attendees.any(|attendee| !attendee["comment"].is_null()) {
        known.unknown(RECIPIENT)
    } else {
        known
    }
}

/// Adds a fact for each object of a list.
fn each(
    known: Classification,
    kind: &'static str,
    body: Option<&Map<String, Value>>,
    name: &str,
    read: impl Fn(&Map<String, Value>) -> Part<String>,
) -> Classification {
    match body.ok_or(Unclear).and_then(|body| list(body, name)) {
        Ok(items) => items.iter().fold(known, |known, item| {
            known.must(kind, item.as_object().ok_or(Unclear).and_then(&read))
        }),
        Err(Unclear) => known.unknown(kind),
    }
}

/// A plain address, if the text is one.
fn address(text: Option<&str>) -> Part<String> {
    let is_plain = |text: &str| {
        text.matches('@').count() == 1
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&'*+-/=?^_`{|}~.@".contains(&byte))
            && !text.starts_with('@')
            && !text.ends_with(['@', '.', '-'])
    };
    match text {
        Some(text) if is_plain(text) => Ok(Some(lower(text))),
        Some(_) => Err(Unclear),
        None => Ok(None),
    }
}

/// The recipient in the `scope` of an access rule.
fn scope(body: Option<&Map<String, Value>>) -> Part<String> {
    match object(body.ok_or(Unclear)?, "scope")? {
        None => Ok(None),
        Some(scope) => {
            let kind = text(scope, "type")?.ok_or(Unclear)?;
            let_in(kind, text(scope, "value")?.unwrap_or_default()).map(Some)
        }
    }
}

/// The recipient in the id of an access rule, such as `user:ada@example.com` or `default`.
fn scope_of_rule(rule: &str) -> Result<String, Unclear> {
    let (kind, value) = rule.split_once(':').unwrap_or((rule, ""));
    let_in(kind, value)
}

fn let_in(kind: &str, value: &str) -> Result<String, Unclear> {
    let is_domain = |text: &str| {
        let in_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        !text.is_empty() && text.bytes().all(in_domain) && !text.ends_with('.')
    };
    match kind {
        "default" => Ok("anyone".to_owned()),
        "user" | "group" => address(Some(value))?.ok_or(Unclear),
        "domain" if is_domain(value) => Ok(lower(value)),
        _ => Err(Unclear),
    }
}

/// Adds the value of a query parameter, which is required.
fn parameter(
    known: Classification,
    kind: &'static str,
    request: &SentRequest<'_>,
    name: &str,
) -> Classification {
    match request.query_values(name) {
        Ok(values) if !values.is_empty() => values
            .iter()
            .fold(known, |known, value| known.fact(kind, lower(value))),
        _ => known.unknown(kind),
    }
}

/// Adds the address that a channel calls.
fn webhook(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let address = body.ok_or(Unclear).and_then(|body| text(body, "address"));
    known.must(WEBHOOK, address)
}

#[cfg(test)]
mod tests;
