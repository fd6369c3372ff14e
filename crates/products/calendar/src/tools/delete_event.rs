//! The end of an event, or of a whole series.

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
/// A recurring event's id deletes the whole series, an occurrence's id only that one. Guests are not notified. An
/// event that is gone already is not an error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct DeleteEvent {
    /// Id of the event.
    #[schemars(length(min = 1))]
    pub event_id: String,
    /// Calendar that holds it; the user's primary one when absent.
    #[schemars(length(min = 1))]
    pub calendar_id: Option<String>,
}

/// An event that is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DeletedEvent {
    /// Always true: what could not be deleted is an error.
    pub deleted: bool,
    /// Id of the event.
    pub event_id: String,
    /// Id of the calendar that held it.
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

    /// Calendar API, `events.delete`. What is deleted names no guests any more, so they are asked for before it.
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
            // The deletion says what is wrong, if anything is.
            Err(_) => false,
        };
        let request = ApiRequest::delete(["calendars", calendar, "events", id])
            .accept(&[410])
            .retry(Retry::Always);
        let response = io.send(request).await?;
        let output =
            Output::from(json!({ "deleted": true, "event_id": id, "calendar_id": calendar }));
        // Gone at a repeat: the first sending did it.
        Ok(if response.status == 410 && response.attempt == 1 {
            output.warn("already_deleted", "the event had been deleted before")
        } else if has_guests {
            let message = "the guests were not notified; a raw DELETE of the event with sendUpdates=all in place of this tool does that";
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
