//! The tools, one per file.

mod create_event;
mod delete_event;
mod get_event_by_id;
mod list_calendars;
mod list_events;
mod update_event;

mod bounds;
mod choices;
mod kind;
mod reschedule;

use serde_json::Value;
use stead_core::{
    Error, Result,
    error::Violation,
    tool::{ApiRequest, Io},
};

pub use choices::{AccessRole, EventOrder, EventType, NewEventType, Transparency, Visibility};
pub use create_event::CreateEvent;
pub use delete_event::DeleteEvent;
pub use get_event_by_id::GetEventById;
pub use list_calendars::ListCalendars;
pub use list_events::ListEvents;
pub use update_event::UpdateEvent;

/// The user's primary calendar.
const PRIMARY: &str = "primary";

/// Pages to look at where the first ones are empty.
const PAGES: usize = 10;

/// The first page that holds something. The product may answer with an empty page and go on with the next
/// (Calendar API, events.list, `maxResults`), which reads like an empty list.
async fn first_filled(io: Io<'_>, request: &ApiRequest) -> Result<Value> {
    let mut page: Value = io.send(request.clone()).await?.json()?;
    for _ in 1..PAGES {
        let is_empty = page["items"].as_array().is_none_or(Vec::is_empty);
        let Some(next) = page["nextPageToken"].as_str().filter(|_| is_empty) else {
            break;
        };
        let mut request = request.clone();
        request.query.retain(|(key, _)| *key != "pageToken");
        page = io.send(request.query("pageToken", next)).await?.json()?;
    }
    Ok(page)
}

/// The items of a page, none where the product leaves them out.
fn items(page: &mut Value) -> Vec<Value> {
    match page.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// All is well, or every place where it is not.
fn verdict(violations: Vec<Violation>) -> Result<()> {
    if violations.is_empty() {
        Ok(())
    } else {
        Err(Error::violations(violations))
    }
}
