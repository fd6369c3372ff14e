//! Calendar API v3: calendars, events, and the times when people are busy.

mod events;
mod listing;
mod occurrences;
mod rule;
mod times;
mod written;

use listing::list_etag;
use serde_json::{Value, json};

use crate::google::{
    Api, ApiError, Call, State, collection,
    errors::ErrorShape,
    world::calendars::{Calendar, Calendars, Event, Listing, Role},
};

/// `https://www.googleapis.com/calendar/v3`.
pub(crate) static CALENDAR_API: Api = Api {
    name: "calendar",
    service: "calendar-json.googleapis.com",
    errors: ErrorShape::Older,
    refuses_read_only: None,
    plays: &[
        ("calendarList.list", list),
        ("calendarList.get", get_listed),
        ("calendars.get", get),
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

/// This API's 404.
fn not_found() -> ApiError {
    ApiError::of(404, "notFound", "Not Found")
}

/// The calendar at an index that was found before.
fn calendar_at(calendars: &Calendars, index: usize) -> &Calendar {
    &calendars.all[index]
}

/// The events that a calendar shows: its own ones, and in a primary calendar those to which its user is invited.
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

/// Finds a stored event or an occurrence of a series. Returns the index of its calendar, and the event.
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

/// `calendarList.list`: the calendars in the user's list. It never changes, so a sync token finds no changes.
pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let since = listing::synced_count(call, call.method.id, state.now)?;
    let restricts = ["minAccessRole", "showOwnOrganizationOnly"]
        .iter()
        .any(|name| call.text(name).is_some())
        || ["showDeleted", "showHidden"]
            .iter()
            .any(|name| call.text(name) == Some("false"));
    if since.is_some() && restricts {
        return Err(listing::restricted());
    }
    let least = match call.text("minAccessRole") {
        Some("owner") => Role::Owner,
        Some("writer" | "writerWithoutPrivateAccess") => Role::Writer,
        _ => Role::Reader,
    };
    let calendars = &state.world.calendars;
    let listed = calendars.all.iter().filter_map(|calendar| {
        let listing = calendar.listing(&call.user)?;
        let shown = since.is_none()
            && (call.flag("showDeleted") || !listing.removed)
            && (call.flag("showHidden") || !listing.hidden)
            && listing.role >= least;
        shown.then(|| entry(calendar, listing))
    });
    let listed: Vec<Value> = listed.collect();
    let size = collection::size(call, "maxResults", 100, 250)?;
    let page = collection::page(call, listed, size, &[])?;
    let mut response = json!({ "kind": "calendar#calendarList", "etag": list_etag(&page.items), "items": page.items });
    match page.next {
        Some(next) => response["nextPageToken"] = json!(next),
        None => {
            let token = listing::sync_token(call, call.method.id, state.now, calendars.changes);
            response["nextSyncToken"] = json!(token);
        }
    }
    Ok(response)
}

/// `calendarList.get`: a calendar in the user's list.
pub(super) fn get_listed(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (calendar, listing) = find_listed(state, call)?;
    Ok(entry(calendar, listing))
}

/// `calendars.get`: the properties of a calendar.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (calendar, _) = find_listed(state, call)?;
    Ok(properties(calendar, "calendar#calendar"))
}

fn find_listed<'state>(
    state: &'state State,
    call: &Call,
) -> Result<(&'state Calendar, &'state Listing), ApiError> {
    let calendars = &state.world.calendars;
    let index = calendars
        .index_of(call.variable(0), &call.user)
        .ok_or_else(not_found)?;
    let calendar = calendar_at(calendars, index);
    let listing = calendar.listing(&call.user).ok_or_else(not_found)?;
    Ok((calendar, listing))
}

/// The index of the calendar in the path. The user must have access to it, and the token's scopes must cover it.
pub(super) fn find(state: &State, call: &Call) -> Result<usize, ApiError> {
    let calendars = &state.world.calendars;
    let index = calendars
        .index_of(call.variable(0), &call.user)
        .ok_or_else(not_found)?;
    let role = calendar_at(calendars, index)
        .role(&call.user)
        .ok_or_else(not_found)?;
    let has = |scopes: &[&str]| scopes.iter().any(|scope| call.has_scope(scope));
    let everywhere = [
        "calendar",
        "calendar.readonly",
        "calendar.events",
        "calendar.events.readonly",
    ];
    let owned = ["calendar.events.owned", "calendar.events.owned.readonly"];
    // The narrower scopes cover fewer calendars. No calendar here is public, or belongs to an application.
    if has(&everywhere) || (has(&owned) && role == Role::Owner) {
        Ok(index)
    } else {
        Err(not_found())
    }
}

/// Checks that the user may write in the calendar.
pub(super) fn check_writes(state: &State, call: &Call, index: usize) -> Result<(), ApiError> {
    if calendar_at(&state.world.calendars, index).role(&call.user) >= Some(Role::Writer) {
        return Ok(());
    }
    let message = "You need to have writer access to this calendar.";
    Err(ApiError::of(403, "requiredAccessLevel", message))
}

fn properties(calendar: &Calendar, kind: &str) -> Value {
    let meetings: &[&str] = if calendar.takes_meetings {
        &["hangoutsMeet"]
    } else {
        &[]
    };
    let mut shown = json!({
        "kind": kind,
        "etag": "\"1\"",
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": calendar.time_zone,
        "conferenceProperties": {"allowedConferenceSolutionTypes": meetings},
    });
    if let Some(description) = calendar.description {
        shown["description"] = json!(description);
    }
    shown
}

/// `CalendarListEntry`.
fn entry(calendar: &Calendar, listing: &Listing) -> Value {
    let mut entry = properties(calendar, "calendar#calendarListEntry");
    entry["colorId"] = json!("14");
    entry["backgroundColor"] = json!("#9fe1e7");
    entry["foregroundColor"] = json!("#000000");
    entry["accessRole"] = json!(listing.role.name());
    entry["defaultReminders"] = json!([]);
    for (name, is_so) in [
        ("primary", calendar.primary_of == Some(listing.user)),
        ("hidden", listing.hidden),
        ("deleted", listing.removed),
        ("selected", !listing.hidden && !listing.removed),
    ] {
        if is_so {
            entry[name] = json!(true);
        }
    }
    entry
}
