//! Calendar API v3: calendars, events, and when people are busy.

mod calendars;
mod events;
mod listing;
mod occurrences;
mod rule;
mod times;
mod written;

use crate::google::{
    Api, ApiError,
    errors::ErrorShape,
    world::calendars::{Calendar, Calendars, Event},
};

/// `https://www.googleapis.com/calendar/v3`.
pub(crate) static CALENDAR_API: Api = Api {
    name: "calendar",
    service: "calendar-json.googleapis.com",
    errors: ErrorShape::Older,
    refuses_read_only: None,
    plays: &[
        ("calendarList.list", calendars::list),
        ("calendarList.get", calendars::get_listed),
        ("calendars.get", calendars::get),
        ("freebusy.query", occurrences::query),
        ("events.list", listing::list),
        ("events.instances", listing::instances),
        ("events.get", events::get),
        ("events.insert", events::insert),
        ("events.patch", events::patch),
        ("events.update", events::update),
        ("events.delete", events::delete),
    ],
    collections: &[],
    downloads: &[],
    uploads: (0, ""),
    batch_paths: &["/batch/calendar/v3"],
};

/// 404 in the words of this API.
fn not_found() -> ApiError {
    ApiError::of(404, "notFound", "Not Found")
}

/// The calendar at a place that was found before.
fn calendar_at(calendars: &Calendars, index: usize) -> &Calendar {
    &calendars.all[index]
}

/// The events that a calendar shows: its own, and in a primary calendar those to which its user is invited.
fn visible_events(calendars: &Calendars, index: usize) -> Vec<(usize, &Event)> {
    let owner = calendar_at(calendars, index).primary_of;
    let all = calendars.all.iter().enumerate();
    let shown = all.flat_map(|(home, calendar)| {
        let invites = calendar.primary_of.is_some();
        let is_shown = move |event: &&Event| {
            home == index || (invites && owner.is_some_and(|user| event.is_guest(user)))
        };
        calendar
            .events
            .iter()
            .filter(is_shown)
            .map(move |event| (home, event))
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|(home, _)| *home != index);
    shown
}

/// The calendar of an event, and the event: a stored one, or an occurrence of a series.
fn find_event(calendars: &Calendars, index: usize, id: &str) -> Result<(usize, Event), ApiError> {
    let shown = visible_events(calendars, index);
    if let Some((home, event)) = shown.iter().find(|(_, event)| event.id() == id) {
        return Ok((*home, (*event).clone()));
    }
    let series = id
        .rsplit_once('_')
        .and_then(|(series, _)| shown.iter().find(|(_, event)| event.id() == series));
    let (home, series) = series
        .filter(|(_, event)| event.is_series())
        .ok_or_else(not_found)?;
    let occurrence =
        occurrences::by_id(calendar_at(calendars, *home), series, id).ok_or_else(not_found)?;
    Ok((*home, occurrence))
}
