use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    error::Violation,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Response, Tool},
};

use super::{
    NewEventType, Transparency, Visibility,
    create_event::{length_violation, when_violations},
    reschedule::Reschedule,
    verdict,
};
use crate::{
    errors::is_status,
    event::{self, Details},
    meeting, scopes,
    time::Moment,
};

/// Change an event: only what is given is changed.
///
/// The result is the event as the product has it afterwards. Given a new start alone, the event keeps its length. The id
/// of a recurring event changes the whole series, the id of one occurrence that one alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateEvent {
    /// Id of the calendar that holds the event; `primary` is the user's own.
    #[schemars(length(min = 1))]
    pub calendar_id: String,
    /// Id of the event, as a list or a creation returned it.
    #[schemars(length(min = 1))]
    pub event_id: String,
    /// Title of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When it starts, such as `2026-05-01T09:00:00+02:00`. Without an offset it is meant in `timezone`, or in the event's
    /// own time zone when that is absent. A date such as `2026-05-01` makes it last all day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_datetime: Option<String>,
    /// When it ends, written as `start_datetime`; for an event that lasts all day the day after its last. Goes with no
    /// duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_datetime: Option<String>,
    /// Mail addresses of the guests: the whole list. Those who are on it already keep their answers, those who are not
    /// on it are taken off the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attendees_emails: Option<Vec<String>>,
    /// Whether to make a video meeting where the event has none; false changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_meeting_room: Option<bool>,
    /// Text of the event; may hold HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many hours it lasts; `event_duration_minutes` are added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub event_duration_hour: Option<u32>,
    /// How many minutes it lasts, beside the hours; may be more than 59. An event that lasts all day is rounded up to
    /// whole days.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub event_duration_minutes: Option<u32>,
    /// What kind of event it is. It cannot be changed: another kind than the event's own is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<NewEventType>,
    /// Whether guests may invite others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guests_can_invite_others: Option<bool>,
    /// Whether guests may change the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guests_can_modify: Option<bool>,
    /// Whether guests see who else is invited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guests_can_see_other_guests: Option<bool>,
    /// Where it takes place, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Lines by which it recurs, such as `RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=10`: the whole list; `RRULE:` may be left out. An
    /// empty list ends the recurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Vec<String>>,
    /// Whether the guests are notified; the product notifies nobody when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_updates: Option<bool>,
    /// IANA name of the event's time zone, such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Whether the event blocks time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparency: Option<Transparency>,
    /// Who sees the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
}

impl Tool for UpdateEvent {
    const NAME: &'static str = "calendar_update_event";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::WRITE_EVENTS;

    fn check(&self, _: &Call) -> Result<()> {
        let times = [
            ("/start_datetime", &self.start_datetime),
            ("/end_datetime", &self.end_datetime),
        ];
        let is_unreadable = |text: &Option<String>| {
            text.as_deref()
                .is_some_and(|text| Moment::parse(text).is_none())
        };
        let unreadable = times
            .into_iter()
            .filter(|(_, text)| is_unreadable(text))
            .map(|(path, _)| path);
        let mut violations = when_violations(unreadable, self.timezone.as_deref());
        violations.extend(length_violation(
            self.event_duration_hour,
            self.event_duration_minutes,
        ));
        violations.extend(self.reschedule().violations());
        violations.extend(self.details().violations());
        if self.changes_nothing() {
            violations.push(Violation::new(
                "",
                "minProperties",
                "name something to change",
            ));
        }
        verdict(violations)
    }

    /// Calendar API, `events.patch`; `events.get` before it where what is to be follows from what is.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        match self.change(call, io).await {
            // Somebody changed the event between reading and writing: once more, from what it is now.
            Err(error) if is_status(&error, 412) => self.change(call, io).await,
            result => result,
        }
    }
}

/// The event as it was read, where reading was due.
struct Present {
    answer: Response,
    event: Value,
}

impl UpdateEvent {
    async fn change(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let present = if self.needs_present() {
            Some(self.read(io).await?)
        } else {
            None
        };
        let event = present
            .as_ref()
            .map_or(&Value::Null, |present| &present.event);
        let mut body = self.body(io, event).await?;
        let wants_meeting = self.create_meeting_room == Some(true) && !meeting::exists(event);
        if wants_meeting {
            body.insert(String::from("conferenceData"), meeting::request(call));
        }
        if body.is_empty() {
            // All that was asked for is so already.
            let answer = match present {
                Some(present) => present.answer,
                None => self.read(io).await?.answer,
            };
            return if self.create_meeting_room == Some(true) {
                meeting::settled(io, &self.calendar_id, answer).await
            } else {
                Ok(answer.into())
            };
        }

        let etag = event["etag"].as_str();
        match io.send(self.patch(&body, etag)).await {
            Ok(answer) if self.create_meeting_room == Some(true) => {
                meeting::settled(io, &self.calendar_id, answer).await
            }
            Ok(answer) => Ok(answer.into()),
            Err(error) if wants_meeting && meeting::is_refused(&error) => {
                body.remove("conferenceData");
                let answer = match &present {
                    Some(present) if body.is_empty() => present.answer.clone(),
                    _ => io.send(self.patch(&body, etag)).await?,
                };
                let (code, message) = meeting::REFUSED;
                Ok(Output::from(answer).warn(code, message))
            }
            Err(error) => Err(error),
        }
    }

    /// The members to change.
    async fn body(&self, io: Io<'_>, event: &Value) -> Result<Map<String, Value>> {
        self.check_kind(event)?;
        let details = self.details();
        let mut body = details.body();
        if let Some(emails) = &self.attendees_emails {
            if event["attendeesOmitted"] == true {
                let message = "the product shows only some of the guests, so the list cannot be replaced without losing the others' answers";
                return Err(Error::new(ErrorKind::ProductConflict, message));
            }
            body.insert(
                String::from("attendees"),
                json!(event::guests(emails, &event["attendees"])),
            );
        }
        self.reschedule().put_time(io, event, &mut body).await?;
        Ok(body)
    }

    fn patch(&self, body: &Map<String, Value>, etag: Option<&str>) -> ApiRequest {
        let request = ApiRequest::patch(["calendars", &self.calendar_id, "events", &self.event_id]);
        let request = event::write(
            request,
            body,
            body.contains_key("conferenceData"),
            self.send_updates,
        );
        match etag {
            Some(etag) => request.header("if-match", etag),
            None => request,
        }
    }

    async fn read(&self, io: Io<'_>) -> Result<Present> {
        let answer = io
            .send(event::read(&self.calendar_id, &self.event_id))
            .await?;
        let event = event::living(&answer, "the event has been deleted")?;
        Ok(Present { answer, event })
    }

    fn needs_present(&self) -> bool {
        self.attendees_emails.is_some()
            || self.create_meeting_room == Some(true)
            || self.event_type.is_some()
            || self.reschedule().needs_present()
    }

    fn check_kind(&self, event: &Value) -> Result<()> {
        let own = event["eventType"].as_str().unwrap_or("default");
        match self.event_type {
            Some(wanted) if wanted.name() != own => {
                let message = format!(
                    "the event is of the kind {own:?}, and the product lets nobody change that"
                );
                Err(Error::new(ErrorKind::ProductConflict, message))
            }
            _ => Ok(()),
        }
    }

    fn changes_nothing(&self) -> bool {
        let nothing = Self {
            calendar_id: self.calendar_id.clone(),
            event_id: self.event_id.clone(),
            send_updates: self.send_updates,
            ..Self::default()
        };
        *self == nothing
    }

    fn reschedule(&self) -> Reschedule<'_> {
        Reschedule {
            calendar: &self.calendar_id,
            start: self.start_datetime.as_deref().and_then(Moment::parse),
            end: self.end_datetime.as_deref().and_then(Moment::parse),
            hours: self.event_duration_hour,
            minutes: self.event_duration_minutes,
            timezone: self.timezone.as_deref(),
            recurs: self.details().recurs(),
        }
    }

    fn details(&self) -> Details<'_> {
        Details {
            summary: self.summary.as_deref(),
            description: self.description.as_deref(),
            location: self.location.as_deref(),
            visibility: self.visibility,
            transparency: self.transparency,
            guests_can_invite_others: self.guests_can_invite_others,
            guests_can_modify: self.guests_can_modify,
            guests_can_see_other_guests: self.guests_can_see_other_guests,
            recurrence: self.recurrence.as_deref(),
            attendees_emails: self.attendees_emails.as_deref(),
        }
    }
}
