//! Changes an event, based on its current state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    error::Violations,
    tool::{
        ApiRequest, Call, Effect, Hints, Io, Output, ReadableView, RequiredScopes, Response, Retry,
        Tool,
    },
};

use crate::{
    Event, NewEventType, Transparency, Visibility,
    errors::is_status,
    event::{self, Details},
    ids, kind, meeting,
    readable::EventView,
    reschedule::Reschedule,
    scopes, when,
};

/// Change an event. Omitted parameters don't change.
///
/// If you give only a new start, the event keeps its length. The id of a recurring event changes the whole series, the id
/// of an occurrence only that one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct UpdateEvent {
    /// Id of the event's calendar; `primary` is the user's own.
    #[schemars(length(min = 1))]
    pub calendar_id: String,
    /// Id of the event.
    #[schemars(length(min = 1))]
    pub event_id: String,
    /// Title of the event.
    pub summary: Option<String>,
    /// When it starts, such as `2026-05-01T09:00:00+02:00`. Without an offset, it's a time in `timezone` or in the event's
    /// time zone. A date makes an all-day event.
    pub start_datetime: Option<String>,
    /// When it ends. For an all-day event, the day after its last day. Not with a duration.
    pub end_datetime: Option<String>,
    /// Email addresses of all guests. Guests who aren't in the list are removed.
    #[schemars(extend("x-commas" = true))]
    pub attendees_emails: Option<Vec<String>>,
    /// Add a video meeting.
    pub create_meeting_room: Option<bool>,
    /// Description of the event; may contain HTML.
    pub description: Option<String>,
    /// Hours it lasts. `event_duration_minutes` is added.
    #[schemars(range(min = 0))]
    pub event_duration_hour: Option<u32>,
    /// Minutes it lasts, added to the hours; may exceed 59.
    #[schemars(range(min = 0))]
    pub event_duration_minutes: Option<u32>,
    /// The event's current kind. The kind can't be changed, so another one is refused.
    pub event_type: Option<NewEventType>,
    /// Whether guests may invite others.
    pub guests_can_invite_others: Option<bool>,
    /// Whether guests may change the event.
    pub guests_can_modify: Option<bool>,
    /// Whether guests see who else is invited.
    pub guests_can_see_other_guests: Option<bool>,
    /// Place, as free text.
    pub location: Option<String>,
    /// All recurrence lines, such as `RRULE:FREQ=WEEKLY;BYDAY=MO`. An empty list stops the recurrence.
    pub recurrence: Option<Vec<String>>,
    /// Notify the guests; false when absent.
    pub send_updates: Option<bool>,
    /// IANA time zone, such as `Europe/Berlin`.
    pub timezone: Option<String>,
    /// Whether it blocks time.
    pub transparency: Option<Transparency>,
    /// Visibility of the details.
    pub visibility: Option<Visibility>,
}

impl Tool for UpdateEvent {
    const NAME: &'static str = "calendar_update_event";
    const EFFECT: Effect = Effect::Write;
    const HINTS: Hints = Hints::REPLACES;
    const SCOPES: RequiredScopes = scopes::WRITE_EVENTS;
    type Output = Event;
    const READABLE: Option<ReadableView> = ReadableView::some::<EventView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Calendar API, `events.patch`, after `events.get` if the change depends on the event's current state.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let named = Self {
            calendar_id: ids::calendar(&self.calendar_id)?.into_owned(),
            event_id: ids::event(&self.event_id)?.into_owned(),
            ..self.clone()
        };
        let change = named.read()?;
        let output = match named.change(&change, call, io).await {
            // The event changed between reading and writing. Try again with its new state.
            Err(error) if is_status(&error, 412) => named.change(&change, call, io).await,
            result => result,
        }?;
        Ok(kind::warn_of_other(output, self.event_type.as_ref()))
    }
}

/// The parsed input.
struct Change<'a> {
    time: Reschedule<'a>,
    /// The event's members that don't depend on the product.
    body: Map<String, Value>,
}

/// The event, if it had to be read.
struct Present {
    response: Response,
    event: Value,
}

impl UpdateEvent {
    fn read(&self) -> Result<Change<'_>> {
        let mut violations = Violations::default();
        let mut moment = |path, text: &Option<String>| {
            let text = text.as_deref()?;
            violations.read(when::moment(path, text))
        };
        let start = moment("/start_datetime", &self.start_datetime);
        let end = moment("/end_datetime", &self.end_datetime);
        let zone = violations.read(when::zone(self.timezone.as_deref()));
        violations.read(ids::event(&self.event_id));
        violations.read(ids::calendar(&self.calendar_id));
        violations.extend(when::without_length(
            self.event_duration_hour,
            self.event_duration_minutes,
        ));
        let details = self.details();
        let time = Reschedule {
            calendar: &self.calendar_id,
            start,
            end,
            hours: self.event_duration_hour,
            minutes: self.event_duration_minutes,
            zone: zone.flatten(),
            recurs: details.recurs(),
        };
        violations.extend(time.violations());
        let body = details.read(&mut violations);
        if self.changes_nothing() {
            violations.add("", "minProperties", "give at least one parameter to change");
        }
        violations.finish()?;
        Ok(Change { time, body })
    }

    async fn change(&self, change: &Change<'_>, call: &Call, io: Io<'_>) -> Result<Output> {
        let present = if self.needs_present(&change.time) {
            Some(self.present(io).await?)
        } else {
            None
        };
        let event = present
            .as_ref()
            .map_or(&Value::Null, |present| &present.event);
        let mut body = self.body(change, io, event).await?;
        let wants_meeting = self.create_meeting_room == Some(true) && !meeting::exists(event);
        if wants_meeting {
            body.insert(String::from("conferenceData"), meeting::request(call));
        }
        if body.is_empty() {
            // The event is already as requested.
            let response = match present {
                Some(present) => present.response,
                None => self.present(io).await?.response,
            };
            return if self.create_meeting_room == Some(true) {
                meeting::awaited(io, &self.calendar_id, response).await
            } else {
                Ok(response.into())
            };
        }

        let etag = event["etag"].as_str();
        match io.send(self.patch(&body, etag)).await {
            Ok(response) if self.create_meeting_room == Some(true) => {
                let output = meeting::awaited(io, &self.calendar_id, response).await?;
                Ok(self.warned(output, present.as_ref()))
            }
            Ok(response) => Ok(self.warned(response.into(), present.as_ref())),
            Err(error) if wants_meeting && meeting::is_refused(&error) => {
                body.remove("conferenceData");
                let output = match &present {
                    Some(present) if body.is_empty() => present.response.clone().into(),
                    present => {
                        let response = io.send(self.patch(&body, etag)).await?;
                        self.warned(response.into(), present.as_ref())
                    }
                };
                let (code, message) = meeting::REFUSED;
                Ok(output.warn(code, message))
            }
            Err(error) => Err(error),
        }
    }

    /// Adds a warning if guests weren't notified of the change, including guests who were removed.
    fn warned(&self, output: Output, present: Option<&Present>) -> Output {
        let had_guests = present.is_some_and(|present| event::has_guests(&present.response.body));
        let emails = self.attendees_emails.as_deref();
        event::warn_of_guests(output, emails, had_guests, self.send_updates)
    }

    /// The members to change.
    async fn body(
        &self,
        change: &Change<'_>,
        io: Io<'_>,
        event: &Value,
    ) -> Result<Map<String, Value>> {
        self.check_kind(event)?;
        let mut body = change.body.clone();
        if let Some(emails) = &self.attendees_emails {
            if event["attendeesOmitted"] == true {
                let message = "the product returned only some of the guests, so replacing the list would lose the others' responses";
                return Err(Error::new(ErrorKind::ProductConflict, message));
            }
            body.insert(
                String::from("attendees"),
                json!(event::guests(emails, &event["attendees"])),
            );
        }
        change.time.put_time(io, event, &mut body).await?;
        Ok(body)
    }

    fn patch(&self, body: &Map<String, Value>, etag: Option<&str>) -> ApiRequest {
        let request = ApiRequest::patch(["calendars", &self.calendar_id, "events", &self.event_id]);
        let mut request = event::write(
            request,
            body,
            body.contains_key("conferenceData"),
            self.send_updates,
        );
        if self.create_meeting_room == Some(true) {
            request = request.then(meeting::THEN);
        }
        if self.send_updates == Some(true) {
            // A repeat would notify the guests again.
            request = request.retry(Retry::Unprocessed);
        }
        match etag {
            Some(etag) => request.header("if-match", etag),
            None => request,
        }
    }

    async fn present(&self, io: Io<'_>) -> Result<Present> {
        let response = io
            .send(event::read(&self.calendar_id, &self.event_id))
            .await?;
        let event = event::living(&response, "the event was deleted")?;
        Ok(Present { response, event })
    }

    fn needs_present(&self, time: &Reschedule<'_>) -> bool {
        self.attendees_emails.is_some()
            || self.create_meeting_room == Some(true)
            || self
                .event_type
                .as_ref()
                .is_some_and(|kind| !kind.is_other())
            || time.needs_present()
    }

    fn check_kind(&self, event: &Value) -> Result<()> {
        let own = event["eventType"].as_str().unwrap_or("default");
        match &self.event_type {
            Some(wanted) if !wanted.is_other() && wanted.name() != own => {
                let message = format!(
                    "the event's kind is {own:?}, which the product doesn't allow to change"
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
