//! `calendars.get`: the properties of a calendar.

use axum::http::Method;
use serde_json::{Value, json};

use super::{find_listed_calendar, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.calendars.get",
    verb: Method::GET,
    path: "calendar/v3/calendars/{calendarId}",
    parameters: &[],
    scopes: scope::CALENDARS,
    schema: "Calendar",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (calendar, _) = find_listed_calendar(state, call, call.variable(0))?;
    let meetings = if calendar.takes_meetings {
        vec!["hangoutsMeet"]
    } else {
        Vec::new()
    };
    let mut shown = json!({
        "kind": "calendar#calendar",
        "etag": "\"1\"",
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": calendar.time_zone,
        "conferenceProperties": {"allowedConferenceSolutionTypes": meetings},
    });
    if let Some(description) = calendar.description {
        shown["description"] = json!(description);
    }
    Ok(shown)
}
