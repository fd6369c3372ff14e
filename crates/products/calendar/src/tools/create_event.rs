use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Error, Result,
    error::Violation,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Response, Tool},
};

use super::{NewEventType, PRIMARY, Transparency, Visibility, kind, verdict};
use crate::{
    errors::{is_reason, is_status},
    event::{self, Details},
    meeting, scopes,
    time::{Moment, WANTED, end_after, length, unmistakable},
    zone,
};

/// Create an event in a calendar, and invite guests.
///
/// The result is the event as the product has it; the link to a video meeting is in `hangoutLink`. Without a length the
/// event lasts 30 minutes, or one day where `start_datetime` is a date.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEvent {
    /// Title of the event.
    pub summary: String,
    /// When it starts, such as `2026-05-01T09:00:00+02:00`. Without an offset it is meant in `timezone`, or in the
    /// calendar's time zone when that is absent too. A date such as `2026-05-01` makes an event that lasts all day.
    pub start_datetime: String,
    /// Id of the calendar; the user's primary calendar when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub calendar_id: Option<String>,
    /// Mail addresses of the guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attendees_emails: Option<Vec<String>>,
    /// Whether to make a video meeting and put its link into the event; false when absent.
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
    /// What kind of event it is; it cannot be changed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<NewEventType>,
    /// Whether guests may invite others; true when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guests_can_invite_others: Option<bool>,
    /// Whether guests may change the event; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guests_can_modify: Option<bool>,
    /// Whether guests see who else is invited; true when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guests_can_see_other_guests: Option<bool>,
    /// Where it takes place, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Lines by which it recurs, such as `RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=10` or `EXDATE:20260501T070000Z`; `RRULE:` may
    /// be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Vec<String>>,
    /// Whether the guests are notified; the product notifies nobody when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_updates: Option<bool>,
    /// IANA name of the event's time zone, such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Whether the event blocks time; `opaque` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparency: Option<Transparency>,
    /// Who sees the event; `default` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
}

impl Tool for CreateEvent {
    const NAME: &'static str = "calendar_create_event";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::WRITE_EVENTS;

    fn check(&self, _: &Call) -> Result<()> {
        let start = Moment::parse(&self.start_datetime);
        let mut violations = when_violations(
            start.is_none().then_some("/start_datetime"),
            self.timezone.as_deref(),
        );
        violations.extend(length_violation(
            self.event_duration_hour,
            self.event_duration_minutes,
        ));
        let details = self.details();
        violations.extend(details.violations());
        violations.extend(kind::violations(
            self.kind(),
            &details,
            start.map(Moment::is_day),
        ));
        verdict(violations)
    }

    /// Calendar API, `events.insert`.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let mut body = self.details().body();
        kind::complete(self.kind(), &mut body);
        self.put_time(io, &mut body).await?;
        if let Some(emails) = &self.attendees_emails {
            body.insert(
                String::from("attendees"),
                json!(event::guests(emails, &Value::Null)),
            );
        }
        // An id of our own: hexadecimal digits are all digits of base32hex. A repeat meets it and invites nobody twice.
        let id = call.derive_id("event").simple().to_string();
        body.insert(String::from("id"), json!(id));
        if self.create_meeting_room != Some(true) {
            return Ok(self.insert(io, &id, &body).await?.into());
        }

        body.insert(String::from("conferenceData"), meeting::request(call));
        match self.insert(io, &id, &body).await {
            Ok(answer) => meeting::settled(io, self.calendar(), answer).await,
            Err(error) if meeting::is_refused(&error) => {
                body.remove("conferenceData");
                let (code, message) = meeting::REFUSED;
                Ok(Output::from(self.insert(io, &id, &body).await?).warn(code, message))
            }
            Err(error) => Err(error),
        }
    }
}

impl CreateEvent {
    fn calendar(&self) -> &str {
        self.calendar_id.as_deref().unwrap_or(PRIMARY)
    }

    fn kind(&self) -> NewEventType {
        self.event_type.unwrap_or_default()
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

    /// Start and end. A time without an offset needs a zone, and so does every recurring event: the product expands
    /// the recurrence in it.
    async fn put_time(&self, io: Io<'_>, body: &mut Map<String, Value>) -> Result<()> {
        let start =
            Moment::parse(&self.start_datetime).ok_or_else(|| unreadable("/start_datetime"))?;
        let named = self.timezone.as_deref().and_then(zone::named);
        let needed =
            matches!(start, Moment::Local(_)) || (self.details().recurs() && !start.is_day());
        let zone: Option<TimeZone> = match named {
            None if needed => Some(zone::of_calendar(io, self.calendar()).await?),
            named => named,
        };
        let length = length(self.event_duration_hour, self.event_duration_minutes);
        let end = end_after(start, length, zone.as_ref()).ok_or_else(too_long)?;
        let start = unmistakable(start, zone.as_ref());
        body.insert(String::from("start"), start.edge(zone.as_ref()).into());
        body.insert(String::from("end"), end.edge(zone.as_ref()).into());
        Ok(())
    }

    /// Inserts the event. Where its id is taken, an earlier sending has inserted it: then it is read.
    async fn insert(&self, io: Io<'_>, id: &str, body: &Map<String, Value>) -> Result<Response> {
        let with_meeting = body.contains_key("conferenceData");
        let request = ApiRequest::post(["calendars", self.calendar(), "events"]);
        match io
            .send(event::write(request, body, with_meeting, self.send_updates))
            .await
        {
            Err(error) if is_status(&error, 409) && is_reason(&error, "duplicate") => {
                let answer = io.send(event::read(self.calendar(), id)).await?;
                event::living(
                    &answer,
                    "an earlier run of this call created the event, and it has been deleted since",
                )?;
                Ok(answer)
            }
            result => result,
        }
    }
}

/// What is wrong with times and zone, shared with the change of an event.
pub(super) fn when_violations<'a>(
    unreadable: impl IntoIterator<Item = &'a str>,
    timezone: Option<&str>,
) -> Vec<Violation> {
    let times = unreadable
        .into_iter()
        .map(|path| Violation::new(path, "format", WANTED));
    let zone = timezone
        .filter(|name| zone::named(name).is_none())
        .map(|_| {
            Violation::new(
                "/timezone",
                "format",
                "an IANA name such as Europe/Berlin is wanted",
            )
        });
    times.chain(zone).collect()
}

/// An event lasts for some time.
pub(super) fn length_violation(hours: Option<u32>, minutes: Option<u32>) -> Option<Violation> {
    let path = if minutes.is_some() {
        "/event_duration_minutes"
    } else {
        "/event_duration_hour"
    };
    let is_nothing = length(hours, minutes).is_some_and(|length| length.is_zero());
    is_nothing.then(|| Violation::new(path, "duration", "an event lasts for a minute at least"))
}

/// The end lies beyond all calendars.
pub(super) fn too_long() -> Error {
    let message = "the event would end beyond all calendars";
    Error::violations(vec![Violation::new(
        "/event_duration_hour",
        "duration",
        message,
    )])
}

/// A time that is none; checked before, so that this is never seen.
pub(super) fn unreadable(path: &str) -> Error {
    Error::violations(vec![Violation::new(path, "format", WANTED)])
}
