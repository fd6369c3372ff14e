//! What an event may hold when it is written (discovery, `Event`).

use serde_json::{Map, Value, json};

use super::{
    rule::{Rule, RuleError, until},
    times::{Edge, check_edge, zone_of},
};
use crate::google::{ApiError, world::calendars::Calendar};

/// Type of a member.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Flag,
    Number,
    List,
    Object,
    OneOf(&'static [&'static str]),
    /// Taken and ignored, since the product makes it itself.
    ReadOnly,
}

const TYPES: &[&str] = &[
    "birthday",
    "default",
    "focusTime",
    "outOfOffice",
    "workingLocation",
];

/// The members of an event, those aside that have rules of their own: `start`, `end`, `conferenceData`.
const MEMBERS: &[(&str, Kind)] = &[
    ("anyoneCanAddSelf", Kind::Flag),
    ("attachments", Kind::List),
    ("attendees", Kind::List),
    ("attendeesOmitted", Kind::Flag),
    ("birthdayProperties", Kind::Object),
    ("colorId", Kind::Text),
    ("created", Kind::ReadOnly),
    ("creator", Kind::ReadOnly),
    ("description", Kind::Text),
    ("endTimeUnspecified", Kind::ReadOnly),
    ("etag", Kind::ReadOnly),
    ("eventLabelId", Kind::Text),
    ("eventType", Kind::OneOf(TYPES)),
    ("extendedProperties", Kind::Object),
    ("focusTimeProperties", Kind::Object),
    ("gadget", Kind::Object),
    ("guestsCanInviteOthers", Kind::Flag),
    ("guestsCanModify", Kind::Flag),
    ("guestsCanSeeOtherGuests", Kind::Flag),
    ("hangoutLink", Kind::ReadOnly),
    ("htmlLink", Kind::ReadOnly),
    ("iCalUID", Kind::ReadOnly),
    ("id", Kind::Text),
    ("kind", Kind::ReadOnly),
    ("location", Kind::Text),
    ("locked", Kind::ReadOnly),
    ("organizer", Kind::ReadOnly),
    ("originalStartTime", Kind::ReadOnly),
    ("outOfOfficeProperties", Kind::Object),
    ("privateCopy", Kind::ReadOnly),
    ("recurrence", Kind::List),
    ("recurringEventId", Kind::ReadOnly),
    ("reminders", Kind::Object),
    ("sequence", Kind::Number),
    ("source", Kind::Object),
    (
        "status",
        Kind::OneOf(&["cancelled", "confirmed", "tentative"]),
    ),
    ("summary", Kind::Text),
    ("transparency", Kind::OneOf(&["opaque", "transparent"])),
    ("updated", Kind::ReadOnly),
    (
        "visibility",
        Kind::OneOf(&["confidential", "default", "private", "public"]),
    ),
    ("workingLocationProperties", Kind::Object),
];

/// Members with rules of their own.
const MEMBERS_WITH_RULES: [&str; 3] = ["conferenceData", "end", "start"];

/// Checks the members one by one, and leaves out those that are the product's own. `null` means no member.
pub(super) fn check_members(body: Map<String, Value>) -> Result<Map<String, Value>, ApiError> {
    let mut kept = Map::new();
    for (name, value) in body {
        if MEMBERS_WITH_RULES.contains(&name.as_str()) {
            kept.insert(name, value);
            continue;
        }
        let Some((_, kind)) = MEMBERS.iter().find(|(known, _)| *known == name) else {
            return Err(ApiError::unbound(
                "",
                format!(
                    "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
                ),
            ));
        };
        let is_valid = value.is_null()
            || match kind {
                Kind::Text => value.is_string(),
                Kind::Flag => value.is_boolean(),
                Kind::Number => value.is_i64(),
                Kind::List => value.is_array(),
                Kind::Object => value.is_object(),
                Kind::OneOf(values) => value.as_str().is_some_and(|text| values.contains(&text)),
                Kind::ReadOnly => true,
            };
        if !is_valid {
            return Err(ApiError::of(
                400,
                "invalid",
                format!("Invalid value for: {name}"),
            ));
        }
        if !matches!(kind, Kind::ReadOnly) {
            kept.insert(name, value);
        }
    }
    Ok(kept)
}

/// Checks an event as a whole: times, recurrence, guests. Times get their offsets, guests a response status.
pub(super) fn check_event(
    fields: &mut Map<String, Value>,
    calendar: &Calendar,
) -> Result<(), ApiError> {
    fields.retain(|_, value| !value.is_null());
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    if fields.get("recurrence").is_some_and(is_empty) {
        fields.remove("recurrence");
    }
    let recurring = fields.contains_key("recurrence");
    // "Missing end time." comes first where both are missing.
    let end = check_edge(fields.get("end"), "end", recurring)?;
    let start = check_edge(fields.get("start"), "start", recurring)?;
    let zone = zone_of(Some(&start), calendar.time_zone);
    match (Edge::of(Some(&start)), Edge::of(Some(&end))) {
        (Some(first), Some(last)) => {
            let length = first.until(last).ok_or_else(|| {
                ApiError::of(
                    400,
                    "invalid",
                    "The start and end times must either both be date or both be dateTime.",
                )
            })?;
            let empty_day = matches!(first, Edge::Day(_)) && length.is_zero();
            if length.is_negative() || empty_day || first.instant(&zone) > last.instant(&zone) {
                return Err(ApiError::of(
                    400,
                    "timeRangeEmpty",
                    "The specified time range is empty.",
                ));
            }
        }
        _ => return Err(ApiError::of(400, "invalid", "Invalid start time.")),
    }
    fields.insert("start".to_owned(), start);
    fields.insert("end".to_owned(), end);
    if let Some(lines) = fields.get("recurrence") {
        recurrence(lines)?;
    }
    if let Some(Value::Array(guests)) = fields.get_mut("attendees") {
        guests
            .iter_mut()
            .try_for_each(|one| guest(one, &calendar.id))?;
    }
    Ok(())
}

/// Lines without DTSTART and DTEND, each of which can be read.
fn recurrence(lines: &Value) -> Result<(), ApiError> {
    let invalid = || ApiError::of(400, "invalid", "Invalid recurrence rule.");
    for line in lines.as_array().into_iter().flatten() {
        let (head, value) = line
            .as_str()
            .and_then(|line| line.split_once(':'))
            .ok_or_else(invalid)?;
        let is_valid = match head.split(';').next() {
            Some("RRULE") => match Rule::parse(value) {
                Ok(_) => true,
                Err(RuleError::Invalid) => false,
                Err(RuleError::Unsupported) => return Err(unsupported()),
            },
            Some("RDATE" | "EXDATE") => value.split(',').all(|date| until(date).is_some()),
            Some("EXRULE") => return Err(unsupported()),
            _ => false,
        };
        if !is_valid {
            return Err(invalid());
        }
    }
    Ok(())
}

fn unsupported() -> ApiError {
    ApiError::unimplemented("The sandbox does not support this recurrence.")
}

/// A guest has an address and a response status, which the product resets where none is given.
fn guest(guest: &mut Value, calendar: &str) -> Result<(), ApiError> {
    const KNOWN: [&str; 10] = [
        "additionalGuests",
        "comment",
        "displayName",
        "email",
        "id",
        "optional",
        "organizer",
        "resource",
        "responseStatus",
        "self",
    ];
    const RESPONSE_STATUSES: [&str; 4] = ["accepted", "declined", "needsAction", "tentative"];
    let invalid = || ApiError::of(400, "invalid", "Invalid attendee email.");
    let members = guest.as_object_mut().ok_or_else(invalid)?;
    if let Some(other) = members.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(ApiError::invalid(format!(
            "Unknown member of attendees: {other}"
        )));
    }
    let email = members
        .get("email")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let is_address = email.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && host.contains('.')
            && !email.contains(|letter: char| letter.is_whitespace() || letter == ',')
    });
    if !is_address {
        return Err(invalid());
    }
    let is_organizer = email == calendar;
    members.remove("self");
    members.remove("organizer");
    if is_organizer {
        members.insert("organizer".to_owned(), json!(true));
    }
    let response = members
        .entry("responseStatus")
        .or_insert(json!("needsAction"));
    if response
        .as_str()
        .is_some_and(|response| RESPONSE_STATUSES.contains(&response))
    {
        Ok(())
    } else {
        Err(ApiError::of(
            400,
            "invalid",
            "Invalid attendee response status.",
        ))
    }
}
