//! What a request is, for rules: the calendars that it concerns, and whom it invites or lets in.

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

/// Queries and bodies that are known.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Members of an event that tell guests nothing of their own: a change of others reaches whoever is invited, without a
/// notification too.
const QUIET: [&str; 18] = [
    "attendees",
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

/// What rules can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: CALENDAR,
        description: "A calendar that the request reads or changes: its id in lower case, or `primary` where the request says so.",
    },
    FactKind {
        name: RECIPIENT,
        description: "Whom the request invites, tells of a change or lets in: an address or a domain in lower case, or `anyone`.",
    },
    FactKind {
        name: WEBHOOK,
        description: "An address that Google Calendar is asked to call about changes, such as `https://app.example/changes`.",
    },
    FactKind {
        name: URL,
        description: "An address that an event shows or attaches, such as `https://app.example/agenda.pdf`.",
    },
];

/// What a request is.
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

/// A request to one calendar, below its id.
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
        // The text may name whom to invite.
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

/// A request to something else than one calendar.
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
        // A list of all calendars; a calendar that there is not yet.
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

/// Ids are addresses, of which the product reads every case as the same.
fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// Whom a change of an event reaches besides: whoever is invited already, unless no one is notified and guests read nothing
/// new in it.
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

/// Says of an event that is cancelled that it is deleted.
fn cancelled(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    match body.ok_or(Unclear).and_then(|body| text(body, "status")) {
        Ok(None | Some("confirmed" | "tentative")) => known,
        _ => known.effect(Effect::Delete),
    }
}

/// Whom an event invites.
fn attendees(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    each(known, RECIPIENT, body, "attendees", |attendee| {
        address(text(attendee, "email")?)
    })
}

/// A fact for each object of a list.
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

/// A plain address, or none.
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

/// Whom the scope of a rule of access lets in.
fn scope(body: Option<&Map<String, Value>>) -> Part<String> {
    match object(body.ok_or(Unclear)?, "scope")? {
        None => Ok(None),
        Some(scope) => {
            let kind = text(scope, "type")?.ok_or(Unclear)?;
            let_in(kind, text(scope, "value")?.unwrap_or_default()).map(Some)
        }
    }
}

/// Whom the id of a rule names: `user:ada@example.com`, `default`.
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

/// What a parameter of the query names; it has to be there.
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

/// Where a channel calls.
fn webhook(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let address = body.ok_or(Unclear).and_then(|body| text(body, "address"));
    known.must(WEBHOOK, address)
}

#[cfg(test)]
mod tests;
