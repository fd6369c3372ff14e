//! Calendars in words, to compare responses with.

use serde_json::{Value, json};

use super::{Calendar, Calendars, Event};

/// The calendars in a user's list, with their events.
pub(crate) fn calendars(calendars: &Calendars, user: &str) -> Value {
    let listed = calendars.all.iter().filter_map(|calendar| {
        let listing = calendar.listing(user)?;
        let mut readable = self::calendar(calendars, calendar);
        readable["role"] = json!(listing.role.name());
        readable["hidden"] = json!(listing.hidden);
        readable["removed"] = json!(listing.removed);
        readable["primary"] = json!(calendar.primary_of == Some(user));
        Some(readable)
    });
    listed.collect()
}

/// Mails to guests.
pub(crate) fn notices(calendars: &Calendars) -> Value {
    let notice = |notice: &super::Notice| json!({ "event_id": notice.event_id, "to": notice.to, "about": notice.about });
    calendars.notices.iter().map(notice).collect()
}

fn calendar(calendars: &Calendars, calendar: &Calendar) -> Value {
    let own = calendar.events.iter();
    let invited = calendars
        .all
        .iter()
        .filter(|other| other.id != calendar.id && other.primary_of.is_some());
    let invited = invited.flat_map(|other| &other.events);
    let invited =
        invited.filter(|event| calendar.primary_of.is_some_and(|user| event.is_guest(user)));
    json!({
        "id": calendar.id,
        "summary": calendar.summary,
        "time_zone": calendar.time_zone,
        "events": own.chain(invited).map(event).collect::<Vec<_>>(),
    })
}

fn event(event: &Event) -> Value {
    json!({
        "id": event.id(),
        "status": event.text("status"),
        "summary": event.text("summary"),
        "description": event.fields.get("description"),
        "location": event.fields.get("location"),
        "start": event.fields.get("start"),
        "end": event.fields.get("end"),
        "recurrence": event.list("recurrence"),
        "series": event.fields.get("recurringEventId"),
        "guests": event.list("attendees"),
        "hangout_link": event.fields.get("hangoutLink"),
        "updated": event.updated.to_string(),
    })
}
