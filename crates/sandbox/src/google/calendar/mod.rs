//! Calendar API v3: calendars, events, and when people are busy. A folder is an API, a file is a method.

mod body;
mod calendar_list_get;
mod calendar_list_list;
mod calendars_get;
mod event_type;
mod events_delete;
mod events_get;
mod events_insert;
mod events_instances;
mod events_list;
mod events_patch;
mod events_update;
mod freebusy_query;
mod meeting;
mod occurrences;
mod render;
mod rule;
mod sync;
mod times;

use crate::google::{
    Api, ApiError, Call, Kind, Parameter, State,
    errors::ErrorShape,
    world::calendars::{Calendar, Calendars, Event, Listing, Role},
};

/// `https://www.googleapis.com/calendar/v3`.
pub(crate) static CALENDAR_API: Api = Api {
    service: "calendar-json.googleapis.com",
    errors: ErrorShape::Older,
    methods: &[
        &calendar_list_list::METHOD,
        &calendar_list_get::METHOD,
        &calendars_get::METHOD,
        &freebusy_query::METHOD,
        &events_list::METHOD,
        &events_insert::METHOD,
        &events_get::METHOD,
        &events_update::METHOD,
        &events_patch::METHOD,
        &events_delete::METHOD,
        &events_instances::METHOD,
    ],
    downloads: &[],
    uploads: &[],
    batch_paths: &["/batch/calendar/v3"],
};

/// Scopes of the methods (discovery, `scopes`).
mod scope {
    const ALL: &str = "https://www.googleapis.com/auth/calendar";
    const READONLY: &str = "https://www.googleapis.com/auth/calendar.readonly";
    const EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
    const OWNED: &str = "https://www.googleapis.com/auth/calendar.events.owned";
    const CREATED: &str = "https://www.googleapis.com/auth/calendar.app.created";

    pub(super) const WRITE: &[&str] = &[ALL, CREATED, EVENTS, OWNED];
    pub(super) const READ: &[&str] = &[
        ALL,
        CREATED,
        EVENTS,
        "https://www.googleapis.com/auth/calendar.events.freebusy",
        OWNED,
        "https://www.googleapis.com/auth/calendar.events.owned.readonly",
        "https://www.googleapis.com/auth/calendar.events.public.readonly",
        "https://www.googleapis.com/auth/calendar.events.readonly",
        READONLY,
    ];
    pub(super) const CALENDARS: &[&str] = &[
        ALL,
        CREATED,
        "https://www.googleapis.com/auth/calendar.calendars",
        "https://www.googleapis.com/auth/calendar.calendars.readonly",
        READONLY,
    ];
    pub(super) const FREE_BUSY: &[&str] = &[
        ALL,
        "https://www.googleapis.com/auth/calendar.events.freebusy",
        "https://www.googleapis.com/auth/calendar.freebusy",
        READONLY,
    ];
    pub(super) const LIST_GET: &[&str] = &[
        ALL,
        CREATED,
        "https://www.googleapis.com/auth/calendar.calendarlist",
        "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
        READONLY,
    ];
    pub(super) const LIST: &[&str] = &[
        ALL,
        "https://www.googleapis.com/auth/calendar.calendarlist",
        "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
        READONLY,
    ];
}

/// Parameters of every method that writes an event.
const WRITE_PARAMETERS: [Parameter; 6] = [
    Parameter::one("conferenceDataVersion", Kind::OneOf(&["0", "1"])),
    Parameter::one("eventLabelVersion", Kind::OneOf(&["0", "1"])),
    Parameter::one("maxAttendees", Kind::Uint32),
    Parameter::one("sendNotifications", Kind::Flag),
    Parameter::one("sendUpdates", Kind::OneOf(&["all", "externalOnly", "none"])),
    Parameter::one("supportsAttachments", Kind::Flag),
];

/// 404 in the words of this API.
fn not_found() -> ApiError {
    ApiError::of(404, "notFound", "Not Found")
}

/// A calendar in the user's list.
fn find_listed_calendar<'state>(
    state: &'state State,
    call: &Call,
    id: &str,
) -> Result<(&'state Calendar, &'state Listing), ApiError> {
    let calendars = &state.world.calendars;
    let index = calendars.index_of(id, &call.user).ok_or_else(not_found)?;
    let calendar = calendar_at(calendars, index);
    let listing = calendar.listing(&call.user).ok_or_else(not_found)?;
    Ok((calendar, listing))
}

/// The calendar that the path names, if the user has it and the token's scopes reach it.
fn find_calendar(state: &State, call: &Call) -> Result<usize, ApiError> {
    let calendars = &state.world.calendars;
    let index = calendars
        .index_of(call.variable(0), &call.user)
        .ok_or_else(not_found)?;
    let role = calendar_at(calendars, index)
        .role(&call.user)
        .ok_or_else(not_found)?;
    let everywhere = [
        "calendar",
        "calendar.readonly",
        "calendar.events",
        "calendar.events.readonly",
    ];
    let owned = ["calendar.events.owned", "calendar.events.owned.readonly"];
    let has = |scopes: &[&str]| scopes.iter().any(|scope| call.has_scope(scope));
    // The narrower scopes reach less; no calendar here is public or made by the application.
    if has(&everywhere) || (has(&owned) && role == Role::Owner) {
        Ok(index)
    } else {
        Err(not_found())
    }
}

/// The same, if the user may write there.
fn find_writable_calendar(state: &State, call: &Call) -> Result<usize, ApiError> {
    let index = find_calendar(state, call)?;
    if calendar_at(&state.world.calendars, index).role(&call.user) >= Some(Role::Writer) {
        Ok(index)
    } else {
        let message = "You need to have writer access to this calendar.";
        Err(ApiError::of(403, "requiredAccessLevel", message))
    }
}

/// The calendar at a place that was found before.
fn calendar_at(calendars: &Calendars, index: usize) -> &Calendar {
    &calendars.all[index]
}

/// The events that a calendar shows: its own, and in a primary calendar those to which its user is invited.
fn visible_events(calendars: &Calendars, index: usize) -> Vec<(usize, &Event)> {
    let calendar = calendar_at(calendars, index);
    let all = calendars
        .all
        .iter()
        .enumerate()
        .filter(|(_, other)| other.primary_of.is_some());
    let invited = all
        .filter(|(other_index, _)| *other_index != index)
        .flat_map(|(other_index, other)| {
            let guest =
                |event: &&Event| calendar.primary_of.is_some_and(|user| event.is_guest(user));
            other
                .events
                .iter()
                .filter(guest)
                .map(move |event| (other_index, event))
        });
    calendar
        .events
        .iter()
        .map(|event| (index, event))
        .chain(invited)
        .collect()
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

/// Whether guests are to be notified.
fn notifies_guests(call: &Call) -> bool {
    matches!(call.text("sendUpdates"), Some("all" | "externalOnly"))
        || call.flag("sendNotifications")
}

/// With `If-Match`, no one has changed the event since it was read.
fn check_etag(call: &Call, event: &Event) -> Result<(), ApiError> {
    match &call.if_match {
        Some(etag) if *etag != render::etag(event) && etag != "*" => {
            Err(ApiError::of(412, "conditionNotMet", "Precondition Failed"))
        }
        _ => Ok(()),
    }
}
