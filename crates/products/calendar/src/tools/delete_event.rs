//! Deletes an event or a series.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Retry, Tool},
};

use crate::{
    event::{self, PRIMARY},
    ids, scopes,
};

/// Delete an event.
///
/// The id of a recurring event deletes the whole series, the id of an occurrence only that one. Guests aren't notified.
/// Deleting an event that's already deleted isn't an error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct DeleteEvent {
    /// Id of the event.
    #[schemars(length(min = 1))]
    pub event_id: String,
    /// Id of its calendar; the user's primary calendar when absent.
    #[schemars(length(min = 1))]
    pub calendar_id: Option<String>,
}

/// A deleted event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DeletedEvent {
    /// Always true; a failed deletion is an error.
    pub deleted: bool,
    /// Id of the event.
    pub event_id: String,
    /// Id of its calendar.
    pub calendar_id: String,
}

impl Tool for DeleteEvent {
    const NAME: &'static str = "calendar_delete_event";
    const EFFECT: Effect = Effect::Delete;
    const SCOPES: RequiredScopes = scopes::WRITE_EVENTS;
    type Output = DeletedEvent;

    fn check(&self) -> Result<()> {
        let mut violations = Violations::default();
        violations.read(ids::event(&self.event_id));
        violations.read(ids::calendar(self.calendar()));
        violations.finish()
    }

    /// Calendar API, `events.delete`. Reads the event first, because a deleted event has no guests.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let (calendar, id) = (
            &*ids::calendar(self.calendar())?,
            &*ids::event(&self.event_id)?,
        );
        let guests = event::read(calendar, id)
            .query("fields", "attendees(self,resource)")
            .accept(&[404, 410]);
        let has_guests = match io.send(guests).await {
            Ok(response) => event::has_guests(&response.body),
            // If something is wrong, the deletion returns the error.
            Err(_) => false,
        };
        let request = ApiRequest::delete(["calendars", calendar, "events", id])
            .accept(&[410])
            .retry(Retry::Always);
        let response = io.send(request).await?;
        let output =
            Output::from(json!({ "deleted": true, "event_id": id, "calendar_id": calendar }));
        // A retry that finds the event deleted means that the first attempt worked.
        Ok(if response.status == 410 && response.attempt == 1 {
            output.warn("already_deleted", "the event was already deleted")
        } else if has_guests {
            let message = "the guests weren't notified; to notify them, use a raw DELETE of the event with sendUpdates=all instead of this tool";
            output.warn(event::NOT_NOTIFIED, message)
        } else {
            output
        })
    }
}

impl DeleteEvent {
    fn calendar(&self) -> &str {
        self.calendar_id.as_deref().unwrap_or(PRIMARY)
    }
}
