//! Rules for an event in a request: its times, recurrence, guests, type and video meeting. The API's description has
//! already checked its members.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    rule::{Rule, RuleError, until},
    times::{Edge, check_edge, zone_of},
};
use crate::google::{
    ApiError, Call,
    world::calendars::{Calendar, Event},
};

/// Checks an event as a whole. Adds offsets to times, and a response status to guests.
pub(super) fn check(fields: &mut Map<String, Value>, calendar: &Calendar) -> Result<(), ApiError> {
    check_times(fields, calendar)?;
    check_type(fields, calendar)
}

fn check_times(fields: &mut Map<String, Value>, calendar: &Calendar) -> Result<(), ApiError> {
    fields.retain(|_, value| !value.is_null());
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    if fields.get("recurrence").is_some_and(is_empty) {
        fields.remove("recurrence");
    }
    let recurring = fields.contains_key("recurrence");
    // If both are missing, the error is "Missing end time."
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

/// Checks the lines of a recurrence. DTSTART and DTEND aren't allowed.
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

/// Checks a guest, who needs an address. Without a response status, Google sets it to `needsAction`.
fn guest(guest: &mut Value, calendar: &str) -> Result<(), ApiError> {
    const KNOWN: &str = "additionalGuests comment displayName email id optional organizer resource responseStatus self";
    const RESPONSE_STATUSES: [&str; 4] = ["accepted", "declined", "needsAction", "tentative"];
    let invalid = || ApiError::of(400, "invalid", "Invalid attendee email.");
    let members = guest.as_object_mut().ok_or_else(invalid)?;
    if let Some(other) = members
        .keys()
        .find(|key| !KNOWN.split(' ').any(|known| known == *key))
    {
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

/// Checks that an event may have its type in this calendar.
fn check_type(fields: &Map<String, Value>, calendar: &Calendar) -> Result<(), ApiError> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let kind = text("eventType").unwrap_or("default");
    let refuse = |message: String| Err(ApiError::of(400, "eventTypeRestriction", message));
    for (properties, owner) in [
        ("birthdayProperties", "birthday"),
        ("focusTimeProperties", "focusTime"),
        ("outOfOfficeProperties", "outOfOffice"),
        ("workingLocationProperties", "workingLocation"),
    ] {
        if fields.contains_key(properties) && kind != owner {
            return refuse(format!(
                "{properties} belong to events of the type {owner}."
            ));
        }
    }
    if kind == "default" {
        return Ok(());
    }
    if calendar.primary_of.is_none() {
        return refuse(format!(
            "An event of the type {kind} can be created in a primary calendar only."
        ));
    }
    let all_day = matches!(Edge::of(fields.get("start")), Some(Edge::Day(_)));
    let is = |name: &str, wanted: &str| text(name) == Some(wanted);
    match kind {
        "birthday" => {
            let lines = fields.get("recurrence").and_then(Value::as_array);
            let yearly = lines.is_some_and(|lines| {
                lines.iter().any(|line| {
                    line.as_str()
                        .is_some_and(|line| line.contains("FREQ=YEARLY"))
                })
            });
            if !all_day
                || !yearly
                || !is("visibility", "private")
                || !is("transparency", "transparent")
            {
                return refuse("A birthday event is an all-day event with an annual recurrence, private and transparent.".to_owned());
            }
        }
        "workingLocation" => {
            let place = fields
                .get("workingLocationProperties")
                .and_then(|place| place["type"].as_str());
            let known = place.is_some_and(|place| {
                matches!(place, "homeOffice" | "officeLocation" | "customLocation")
            });
            if !known || !is("visibility", "public") || !is("transparency", "transparent") {
                return refuse("A working location event has a working location, and is public and transparent.".to_owned());
            }
        }
        _ if all_day => return refuse(format!("An event of the type {kind} cannot last all day.")),
        _ => {}
    }
    Ok(())
}

/// How many reads still show a new meeting as pending, after the response that created it.
const PENDING_READS: u8 = 1;

/// Creates the meeting that the body asks for. Without `conferenceDataVersion=1`, Google ignores it.
pub(super) fn meeting(
    call: &Call,
    calendar: &Calendar,
    asked: Option<&Value>,
    event: &mut Event,
) -> Result<(), ApiError> {
    let Some(asked) = asked.filter(|_| call.text("conferenceDataVersion") == Some("1")) else {
        return Ok(());
    };
    if asked.is_null() {
        event.fields.remove("conferenceData");
        event.fields.remove("hangoutLink");
        return Ok(());
    }
    let request = &asked["createRequest"];
    let id = request["requestId"].as_str().filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| ApiError::of(400, "required", "Missing conference request id."))?;
    if !calendar.takes_meetings || request["conferenceSolutionKey"]["type"] != "hangoutsMeet" {
        return Err(ApiError::of(
            400,
            "invalid",
            "Invalid conference type value.",
        ));
    }
    // Google ignores a request that it knows (`CreateConferenceRequest.requestId`).
    let known = event.fields.get("conferenceData");
    if known.is_some_and(|known| known["createRequest"]["requestId"] == id) {
        return Ok(());
    }
    let code = code(id);
    let link = format!("https://meet.google.com/{code}");
    let data = json!({
        "createRequest": {
            "requestId": id,
            "conferenceSolutionKey": { "type": "hangoutsMeet" },
            "status": { "statusCode": "success" },
        },
        "conferenceId": code,
        "conferenceSolution": { "key": { "type": "hangoutsMeet" }, "name": "Google Meet" },
        "entryPoints": [{ "entryPointType": "video", "uri": link, "label": format!("meet.google.com/{code}") }],
    });
    event.fields.insert("conferenceData".to_owned(), data);
    event.fields.insert("hangoutLink".to_owned(), json!(link));
    event.meeting_pending_reads = PENDING_READS;
    Ok(())
}

/// Shows a meeting that isn't created yet.
pub(super) fn show_as_pending(rendered: &mut Map<String, Value>) {
    rendered.remove("hangoutLink");
    if let Some(data) = rendered.get_mut("conferenceData") {
        let mut request = data["createRequest"].clone();
        request["status"]["statusCode"] = json!("pending");
        *data = json!({ "createRequest": request });
    }
}

/// A code such as `abc-defg-hij`, derived from the request ID.
fn code(id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    let letters: Vec<char> = digest
        .iter()
        .take(10)
        .map(|byte| char::from(b'a' + byte % 26))
        .collect();
    let part = |range: std::ops::Range<usize>| letters[range].iter().collect::<String>();
    format!("{}-{}-{}", part(0..3), part(3..7), part(7..10))
}
