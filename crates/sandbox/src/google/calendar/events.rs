//! Reads, creates, changes and deletes an event or an occurrence of a series.

use serde_json::{Map, Value, json};

use super::{
    calendar_at, check_writes, find, find_event,
    listing::{View, etag},
    not_found,
    times::zone_parameter,
    written,
};
use crate::{
    google::{ApiError, Call, State, schema::merge, world::calendars::Event},
    shared::hex,
};

/// Members that a PUT keeps: those that only Google writes, and the meeting, which has a parameter of its own.
const KEPT: &str = "conferenceData creator eventType hangoutLink iCalUID id organizer originalStartTime recurringEventId sequence";

/// `events.get`. It also returns deleted events.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find(state, call)?;
    let id = call.variable(1);
    // A pending meeting is created after a number of reads.
    let calendars = state.world.calendars.all.iter_mut();
    let events = calendars.flat_map(|calendar| &mut calendar.events);
    for event in events.filter(|event| event.id() == id) {
        event.meeting_pending_reads = event.meeting_pending_reads.saturating_sub(1);
    }
    let calendars = &state.world.calendars;
    let (_, event) = find_event(calendars, index, id)?;
    let calendar = calendar_at(calendars, index);
    let mut view = View::of(call, calendar);
    view.zone = zone_parameter(call, calendar.time_zone)?;
    Ok(view.event(&event))
}

/// `events.insert`, with a video meeting if the body asks for one.
pub(super) fn insert(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find(state, call)?;
    check_writes(state, call, index)?;
    let mut fields = call.body.clone();
    let conference = fields.remove("conferenceData");
    let id = match fields.get("id").and_then(Value::as_str) {
        Some(id) => id.to_owned(),
        None => hex(state.ids.fresh("event", 12).as_bytes())[..26].to_owned(),
    };
    // 5 to 1024 characters of base32hex in lower case (discovery, `Event.id`).
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'v' | b'0'..=b'9');
    if !(5..=1024).contains(&id.len()) || !id.bytes().all(is_letter) {
        return Err(ApiError::of(400, "invalid", "Invalid resource id value."));
    }
    let calendar = calendar_at(&state.world.calendars, index);
    // The ID of a deleted event stays taken.
    if calendar.event(&id).is_some() {
        let message = "The requested identifier already exists.";
        return Err(ApiError::of(409, "duplicate", message));
    }
    written::check(&mut fields, calendar)?;
    fields.insert("iCalUID".to_owned(), json!(format!("{id}@google.com")));
    fields.insert("id".to_owned(), json!(id));
    fields.entry("status").or_insert(json!("confirmed"));
    fields.insert("creator".to_owned(), json!({ "email": call.user }));
    fields.insert(
        "organizer".to_owned(),
        json!({ "email": calendar.id, "displayName": calendar.summary }),
    );
    let mut event = Event::new(fields, state.now);
    written::meeting(call, calendar, conference.as_ref(), &mut event)?;
    let response = View::of(call, calendar).event(&event);
    notify(state, call, &event, "invitation");
    state.world.calendars.put(index, event);
    Ok(response)
}

/// `events.patch`.
pub(super) fn patch(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    change(state, call, merge)
}

/// `events.update`. It resets members that the body doesn't have.
pub(super) fn update(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    change(state, call, |fields, sent| {
        fields.retain(|name, _| KEPT.split(' ').any(|kept| kept == name));
        fields.extend(sent.into_iter().filter(|(_, value)| !value.is_null()));
        fields.entry("status").or_insert(json!("confirmed"));
    })
}

/// Changes an event. `combine` merges the sent members into its own.
fn change(
    state: &mut State,
    call: &Call,
    combine: fn(&mut Map<String, Value>, Map<String, Value>),
) -> Result<Value, ApiError> {
    let index = find(state, call)?;
    let calendars = &state.world.calendars;
    let (home, mut event) = find_event(calendars, index, call.variable(1))?;
    let mut changes = call.body.clone();
    if event.is_cancelled() && !changes.contains_key("status") {
        return Err(not_found());
    }
    let only_own = changes.remove("attendeesOmitted") == Some(json!(true));
    if only_own {
        keep_others(&event, &calendar_at(calendars, index).id, &mut changes);
    }
    // A guest may change the list to respond.
    let responds = changes.keys().eq(["attendees"]) && event.is_guest(&call.user);
    if !responds {
        check_may_change(state, call, home, &event)?;
    }
    check_etag(call, &event)?;
    let conference = changes.remove("conferenceData");
    let home_calendar = calendar_at(calendars, home);
    if changes.remove("id").is_some_and(|id| id != event.id()) {
        return Err(ApiError::of(400, "invalid", "Invalid resource id value."));
    }
    let default = json!("default");
    let kind = event.fields.get("eventType").unwrap_or(&default);
    if changes.get("eventType").is_some_and(|given| given != kind) {
        let message = "Event type cannot be changed.";
        return Err(ApiError::of(400, "eventTypeRestriction", message));
    }
    combine(&mut event.fields, changes);
    written::check(&mut event.fields, home_calendar)?;
    written::meeting(call, home_calendar, conference.as_ref(), &mut event)?;
    event.touch(state.now);
    let response = View::of(call, calendar_at(calendars, index)).event(&event);
    notify(state, call, &event, "change");
    state.world.calendars.put(home, event);
    Ok(response)
}

/// `events.delete`. Deleting a series deletes its occurrences. A guest deletes the event only from their own calendar.
pub(super) fn delete(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find(state, call)?;
    let (home, mut event) = find_event(&state.world.calendars, index, call.variable(1))?;
    if event.is_cancelled() {
        return Err(ApiError::of(410, "deleted", "Resource has been deleted"));
    }
    check_etag(call, &event)?;
    event.touch(state.now);
    if home != index {
        event.hidden_from.insert(call.user.clone());
        state.world.calendars.put(home, event);
        return Ok(Value::Null);
    }
    check_may_change(state, call, home, &event)?;
    notify(state, call, &event, "cancellation");
    let id = event.id().to_owned();
    let occurrences = state.world.calendars.all[home].events.iter();
    let occurrences = occurrences.filter(|one| one.text("recurringEventId") == id);
    for mut one in occurrences.cloned().chain([event]).collect::<Vec<_>>() {
        one.fields.insert("status".to_owned(), json!("cancelled"));
        one.touch(state.now);
        state.world.calendars.put(home, one);
    }
    Ok(Value::Null)
}

/// With `attendeesOmitted`, only the entry of the calendar's own user changes. Adds the user if they aren't invited.
fn keep_others(event: &Event, own: &str, changes: &mut Map<String, Value>) {
    let is_own = |guest: &Value| {
        let email = guest["email"].as_str();
        email.is_some_and(|email| email.eq_ignore_ascii_case(own))
    };
    let Some(Value::Array(sent)) = changes.get_mut("attendees") else {
        return;
    };
    let sent = std::mem::take(sent).into_iter().find(|one| is_own(one));
    let mut guests = event.list("attendees").to_vec();
    match (guests.iter_mut().find(|one| is_own(one)), sent) {
        (Some(guest), Some(sent)) => *guest = sent,
        (None, Some(sent)) => guests.push(sent),
        (_, None) => {}
    }
    changes.insert("attendees".to_owned(), guests.into());
}

/// Checks that the user may write in the event's calendar, or is a guest of an event that guests may change.
fn check_may_change(
    state: &State,
    call: &Call,
    home: usize,
    event: &Event,
) -> Result<(), ApiError> {
    if event.fields.get("guestsCanModify") == Some(&json!(true)) && event.is_guest(&call.user) {
        return Ok(());
    }
    check_writes(state, call, home)
}

/// Checks `If-Match`: no one may have changed the event since it was read.
fn check_etag(call: &Call, event: &Event) -> Result<(), ApiError> {
    match &call.if_match {
        Some(given) if *given != etag(event) && given != "*" => {
            Err(ApiError::of(412, "conditionNotMet", "Precondition Failed"))
        }
        _ => Ok(()),
    }
}

/// Notifies the guests if the call asks for it.
fn notify(state: &mut State, call: &Call, event: &Event, about: &'static str) {
    let asked = matches!(call.text("sendUpdates"), Some("all" | "externalOnly"));
    if asked || call.flag("sendNotifications") {
        state.world.calendars.notify(event, about, &call.user);
    }
}
