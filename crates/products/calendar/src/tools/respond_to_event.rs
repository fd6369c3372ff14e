//! Answers an invitation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    error::Violations,
    tool::{
        ApiRequest, Call, Effect, Hints, Io, Output, ReadableView, RequiredScopes, Retry, Tool,
    },
};

use crate::{
    AttendeeResponse, Event,
    event::{self, PRIMARY},
    ids,
    readable::EventView,
    scopes,
};

/// Members of the user's own entry that a response keeps. The product writes the others.
const KEPT: [&str; 5] = [
    "email",
    "displayName",
    "optional",
    "additionalGuests",
    "comment",
];
/// With more guests, the product doesn't pass on responses (Calendar API, `EventAttendee.responseStatus`).
const MOST_GUESTS: usize = 200;

/// Respond to an invitation: accept it, decline it, or say maybe.
///
/// The id of a recurring event answers all its occurrences, the id of an occurrence only that one. Fails if the user isn't
/// invited. Other guests and their responses don't change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct RespondToEvent {
    /// Id of the event.
    #[schemars(length(min = 1))]
    pub event_id: String,
    /// The response; `tentative` means maybe, and `needsAction` takes a response back.
    pub response: AttendeeResponse,
    /// A comment on the response, which the organizer sees.
    pub comment: Option<String>,
    /// Id of the calendar that is invited; the user's primary calendar when absent.
    #[schemars(length(min = 1))]
    pub calendar_id: Option<String>,
    /// Send the response by email; false when absent. The event shows it in any case.
    pub send_updates: Option<bool>,
}

impl Tool for RespondToEvent {
    const NAME: &'static str = "calendar_respond_to_event";
    const EFFECT: Effect = Effect::Write;
    const HINTS: Hints = Hints::REPLACES;
    const SCOPES: RequiredScopes = scopes::WRITE_EVENTS;
    type Output = Event;
    const READABLE: Option<ReadableView> = ReadableView::some::<EventView>();

    fn check(&self) -> Result<()> {
        let mut violations = Violations::default();
        violations.read(ids::event(&self.event_id));
        violations.read(ids::calendar(self.calendar()));
        violations.finish()
    }

    /// Calendar API, `events.patch` after `events.get`. Without the reading, the product adds someone who isn't invited.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let (calendar, id) = (
            &*ids::calendar(self.calendar())?,
            &*ids::event(&self.event_id)?,
        );
        let response = io.send(event::read(calendar, id)).await?;
        let present = event::living(&response, "the event was deleted")?;
        let guests = present["attendees"].as_array().map_or(0, Vec::len);
        let entry = self.entry(own(&present).ok_or_else(|| not_invited(&present))?);
        let written = io.send(self.patch(calendar, id, &entry)).await?;

        // The product's description doesn't say that it keeps a comment of a partial list.
        let after = written.json_or_null();
        let keeps_comment =
            own(&after).is_some_and(|own| own.get("comment") == entry.get("comment"));
        let mut output = Output::from(written);
        if self.comment.is_some() && !keeps_comment {
            let message = "the product kept the response without the comment";
            output = output.warn("comment_not_kept", message);
        }
        if guests > MOST_GUESTS {
            let message = format!(
                "the event has {guests} guests; with more than {MOST_GUESTS}, the product doesn't show the response to the organizer and the other guests"
            );
            output = output.warn("response_not_passed_on", message);
        }
        Ok(output)
    }
}

impl RespondToEvent {
    fn calendar(&self) -> &str {
        self.calendar_id.as_deref().unwrap_or(PRIMARY)
    }

    /// The user's own entry with the response.
    fn entry(&self, own: &Value) -> Map<String, Value> {
        let present = KEPT.iter().filter_map(|name| {
            let value = own.get(*name)?;
            Some(((*name).to_owned(), value.clone()))
        });
        let mut entry: Map<String, Value> = present.collect();
        entry.insert(String::from("responseStatus"), self.response.name().into());
        if let Some(comment) = &self.comment {
            entry.insert(String::from("comment"), comment.as_str().into());
        }
        entry
    }

    /// Changes only the user's own entry. Otherwise the product would replace the whole list of guests.
    fn patch(&self, calendar: &str, id: &str, entry: &Map<String, Value>) -> ApiRequest {
        let sends = self.send_updates.unwrap_or_default();
        let request = ApiRequest::patch(["calendars", calendar, "events", id])
            .query("sendUpdates", event::send_updates(Some(sends)))
            .json(&json!({ "attendeesOmitted": true, "attendees": [entry] }));
        // A repeat sets the same response, but would send the mails again.
        request.retry(if sends {
            Retry::Unprocessed
        } else {
            Retry::Always
        })
    }
}

/// The entry of the calendar's own user in the list of guests.
fn own(event: &Value) -> Option<&Value> {
    let guests = event["attendees"].as_array()?;
    guests.iter().find(|guest| guest["self"] == true)
}

fn not_invited(event: &Value) -> Error {
    let message = if event["organizer"]["self"] == true {
        "the user organizes this event and isn't one of its guests, so there's no invitation to respond to"
    } else {
        "the user isn't invited to this event, so there's no invitation to respond to; give the calendar_id of the calendar that is invited"
    };
    Error::new(ErrorKind::ProductConflict, message)
}
