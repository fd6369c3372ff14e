//! `calendarList.get`: one calendar of the user's list.

use axum::http::Method;
use serde_json::Value;

use super::{calendar_list_list::entry, find_listed_calendar, scope};
use crate::google::{ApiError, ApiMethod, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.calendarList.get",
    verb: Method::GET,
    path: "calendar/v3/users/me/calendarList/{calendarId}",
    parameters: &[],
    scopes: scope::LIST_GET,
    schema: "CalendarListEntry",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (calendar, listing) = find_listed_calendar(state, call, call.variable(0))?;
    Ok(entry(calendar, listing))
}
