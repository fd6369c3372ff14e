//! Creates an event once, even if the call is repeated.

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Response, Tool},
};

use crate::{
    Event, NewEventType, Transparency, Visibility,
    errors::{is_reason, is_status},
    event::{self, Details, PRIMARY},
    ids, kind, meeting,
    readable::EventView,
    scopes,
    time::{Moment, end_after, length, unmistakable},
    when, zone,
};

/// Create an event, and invite guests.
///
/// The link to a video meeting is in `hangoutLink` of the result. Without a duration, the event lasts 30 minutes, or one
/// day if `start_datetime` is a date.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct CreateEvent {
    /// Title of the event.
    pub summary: String,
    /// When it starts, such as `2026-05-01T09:00:00+02:00`. Without an offset, it's a time in `timezone` or in the
    /// calendar's time zone. A date such as `2026-05-01` makes an all-day event.
    pub start_datetime: String,
    /// Id of the calendar; the user's primary calendar when absent.
    #[schemars(length(min = 1))]
    pub calendar_id: Option<String>,
    /// Email addresses of the guests.
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
    /// `default`, `birthday`, `focusTime`, `outOfOffice` or `workingLocation`. Any other text creates an ordinary event,
    /// with a warning.
    pub event_type: Option<NewEventType>,
    /// True when absent.
    pub guests_can_invite_others: Option<bool>,
    /// False when absent.
    pub guests_can_modify: Option<bool>,
    /// True when absent.
    pub guests_can_see_other_guests: Option<bool>,
    /// Place, as free text.
    pub location: Option<String>,
    /// Recurrence lines, such as `RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=10` or `EXDATE:20260501T070000Z`.
    pub recurrence: Option<Vec<String>>,
    /// Notify the guests; false when absent.
    pub send_updates: Option<bool>,
    /// IANA time zone, such as `Europe/Berlin`.
    pub timezone: Option<String>,
    /// Whether it blocks time; `opaque` when absent.
    pub transparency: Option<Transparency>,
    /// Visibility of the details; `default`, the calendar's setting, when absent.
    pub visibility: Option<Visibility>,
}

impl Tool for CreateEvent {
    const NAME: &'static str = "calendar_create_event";
    const EFFECT: Effect = Effect::Write;
    // The ids of the event and of its meeting come from the call. If the event's id is taken, the tool reads that event.
    const RECOGNISED_AGAIN: bool = true;
    const SCOPES: RequiredScopes = scopes::WRITE_EVENTS;
    type Output = Event;
    const READABLE: Option<ReadableView> = ReadableView::some::<EventView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Calendar API, `events.insert`.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let named = Self {
            calendar_id: Some(ids::calendar(self.calendar())?.into_owned()),
            ..self.clone()
        };
        let output = named.create(call, io).await?;
        let emails = self.attendees_emails.as_deref();
        let output = event::warn_of_guests(output, emails, false, self.send_updates);
        Ok(kind::warn_of_other(output, self.event_type.as_ref()))
    }
}

/// The parsed input.
struct New {
    start: Moment,
    zone: Option<TimeZone>,
    /// The event's members that don't depend on the product.
    body: Map<String, Value>,
}

impl CreateEvent {
    async fn create(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let new = self.read()?;
        let mut body = new.body;
        kind::complete(self.kind(), &mut body);
        self.put_time(io, new.start, new.zone, &mut body).await?;
        if let Some(emails) = &self.attendees_emails {
            body.insert(
                String::from("attendees"),
                json!(event::guests(emails, &Value::Null)),
            );
        }
        // The id comes from the call, so a repeat doesn't create a second event. Hexadecimal digits are valid in base32hex.
        let id = call.derive_id("event").simple().to_string();
        body.insert(String::from("id"), json!(id));
        if self.create_meeting_room != Some(true) {
            return Ok(self.insert(io, &id, &body).await?.into());
        }

        body.insert(String::from("conferenceData"), meeting::request(call));
        match self.insert(io, &id, &body).await {
            Ok(response) => meeting::awaited(io, self.calendar(), response).await,
            Err(error) if meeting::is_refused(&error) => {
                body.remove("conferenceData");
                let (code, message) = meeting::REFUSED;
                Ok(Output::from(self.insert(io, &id, &body).await?).warn(code, message))
            }
            Err(error) => Err(error),
        }
    }

    fn read(&self) -> Result<New> {
        let mut violations = Violations::default();
        let start = violations.read(when::moment("/start_datetime", &self.start_datetime));
        let zone = violations.read(when::zone(self.timezone.as_deref()));
        violations.read(ids::calendar(self.calendar()));
        violations.extend(when::without_length(
            self.event_duration_hour,
            self.event_duration_minutes,
        ));
        let details = self.details();
        let body = details.read(&mut violations);
        violations.extend(kind::violations(
            self.kind(),
            &details,
            start.map(Moment::is_day),
        ));
        violations.finish()?;
        Ok(New {
            start: start.unwrap_or_default(),
            zone: zone.flatten(),
            body,
        })
    }

    fn calendar(&self) -> &str {
        self.calendar_id.as_deref().unwrap_or(PRIMARY)
    }

    fn kind(&self) -> &NewEventType {
        self.event_type.as_ref().unwrap_or(&NewEventType::Default)
    }

    fn details(&self) -> Details<'_> {
        Details {
            summary: Some(&self.summary),
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

    /// Adds start and end. A time without an offset needs a zone. So does every recurring event, because the product
    /// expands the recurrence in that zone.
    async fn put_time(
        &self,
        io: Io<'_>,
        start: Moment,
        named: Option<TimeZone>,
        body: &mut Map<String, Value>,
    ) -> Result<()> {
        let needed =
            matches!(start, Moment::Local(_)) || (self.details().recurs() && !start.is_day());
        let zone: Option<TimeZone> = match named {
            None if needed => Some(zone::for_writing(io, self.calendar()).await?),
            named => named,
        };
        let length = length(self.event_duration_hour, self.event_duration_minutes);
        let end = end_after(start, length, zone.as_ref()).ok_or_else(when::too_long)?;
        let start = unmistakable(start, zone.as_ref());
        body.insert(String::from("start"), start.edge(zone.as_ref()).into());
        body.insert(String::from("end"), end.edge(zone.as_ref()).into());
        Ok(())
    }

    /// Inserts the event. If its id is taken, an earlier attempt created the event, so it's read instead.
    async fn insert(&self, io: Io<'_>, id: &str, body: &Map<String, Value>) -> Result<Response> {
        let with_meeting = body.contains_key("conferenceData");
        let request = ApiRequest::post(["calendars", self.calendar(), "events"]);
        let mut request = event::write(request, body, with_meeting, self.send_updates);
        if with_meeting {
            request = request.then(meeting::THEN);
        }
        match io.send(request).await {
            Err(error) if is_status(&error, 409) && is_reason(&error, "duplicate") => {
                let read = io.send(event::read(self.calendar(), id)).await;
                let response = read.map_err(|error| unread(&error, id))?;
                event::living(
                    &response,
                    "an earlier run of this call created the event, which has been deleted since",
                )?;
                Ok(response)
            }
            result => result,
        }
    }
}

/// The event was already created, so repeating the call as a new one would create a duplicate.
fn unread(error: &Error, id: &str) -> Error {
    let message = format!(
        "the event was created, but reading it failed: {}",
        error.message()
    );
    let unread = error
        .clone()
        .reclassify(ErrorKind::WriteUnconfirmed, message);
    unread.with_partial(json!({ "id": id }))
}
