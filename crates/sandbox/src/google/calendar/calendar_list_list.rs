//! `calendarList.list`: the calendars in the user's list, or those that changed since a sync token.

use axum::http::Method;
use serde_json::{Value, json};

use super::{render::list_etag, scope, sync};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State, paging,
    world::calendars::{Calendar, Listing, Role},
};

/// Calendars of a page when nothing is said.
const DEFAULT_RESULTS: i64 = 100;
/// Calendars of a page at most; a larger number is treated as this one.
const MAX_RESULTS: i64 = 250;

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.calendarList.list",
    verb: Method::GET,
    path: "calendar/v3/users/me/calendarList",
    parameters: &[
        Parameter::one("maxResults", Kind::Uint32),
        Parameter::one(
            "minAccessRole",
            Kind::OneOf(&[
                "freeBusyReader",
                "owner",
                "reader",
                "writer",
                "writerWithoutPrivateAccess",
            ]),
        ),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("showDeleted", Kind::Flag),
        Parameter::one("showHidden", Kind::Flag),
        Parameter::one("showOwnOrganizationOnly", Kind::Flag),
        Parameter::one("syncToken", Kind::Text),
    ],
    scopes: scope::LIST,
    schema: "CalendarList",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let since = sync::synced_at(call, METHOD.id, state.now)?;
    if since.is_some() {
        check_sync(call)?;
    }
    let least = match call.text("minAccessRole") {
        Some("owner") => Role::Owner,
        Some("writer" | "writerWithoutPrivateAccess") => Role::Writer,
        _ => Role::Reader,
    };
    let everything = since.is_some();
    let listed = state.world.calendars.all.iter().filter_map(|calendar| {
        let listing = calendar.listing(&call.user)?;
        let shown = (everything || call.flag("showDeleted") || !listing.removed)
            && (everything || call.flag("showHidden") || !listing.hidden)
            && listing.role >= least
            && since.is_none_or(|since| listing.changed > since);
        shown.then(|| entry(calendar, listing))
    });
    let listed: Vec<Value> = listed.collect();
    let size = call.number("maxResults").unwrap_or(DEFAULT_RESULTS);
    if size < 1 {
        return Err(ApiError::of(
            400,
            "invalidParameter",
            format!("Invalid value '{size}'. Values must be within the range: [1, 250]"),
        ));
    }
    let size = usize::try_from(size.min(MAX_RESULTS)).unwrap_or_default();
    let page = paging::page(call, METHOD.id, listed, size, &[])?;
    let mut response = json!({ "kind": "calendar#calendarList", "etag": list_etag(&page.items), "items": page.items });
    match page.next {
        Some(next) => response["nextPageToken"] = json!(next),
        None => response["nextSyncToken"] = json!(sync::sync_token(call, METHOD.id, state.now)),
    }
    Ok(response)
}

/// What does not go with a sync token (calendarList.list, `syncToken`).
fn check_sync(call: &Call) -> Result<(), ApiError> {
    let clashes = call.text("minAccessRole").is_some()
        || call.text("showOwnOrganizationOnly").is_some()
        || call.text("showDeleted") == Some("false")
        || call.text("showHidden") == Some("false");
    if clashes {
        let message = "Sync token cannot be used with any list restriction.";
        return Err(ApiError::of(400, "badRequest", message));
    }
    Ok(())
}

/// `CalendarListEntry`.
pub(super) fn entry(calendar: &Calendar, listing: &Listing) -> Value {
    let mut entry = json!({
        "kind": "calendar#calendarListEntry",
        "etag": "\"1\"",
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": calendar.time_zone,
        "colorId": "14",
        "backgroundColor": "#9fe1e7",
        "foregroundColor": "#000000",
        "accessRole": listing.role.name(),
        "defaultReminders": [],
        "conferenceProperties": { "allowedConferenceSolutionTypes": if calendar.takes_meetings { vec!["hangoutsMeet"] } else { Vec::new() } },
    });
    if let Some(description) = calendar.description {
        entry["description"] = json!(description);
    }
    let is_primary = calendar.primary_of == Some(listing.user);
    for (name, is_so) in [
        ("primary", is_primary),
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
