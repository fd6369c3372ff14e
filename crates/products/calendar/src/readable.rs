//! The readable views of the tools' results: one short form of an event, and of a calendar.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, items_of, shortened, text_of};

/// Bytes of an event's text where it is read by itself, and in a list.
const DESCRIPTION: usize = 3_000;
const LISTED_DESCRIPTION: usize = 300;
/// Guests of an event.
const GUESTS: usize = 50;

/// An event in short.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct EventView {
    /// Id of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Title of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// When it starts: RFC 3339 with an offset, or a date where it lasts all day.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// When it ends; of an event that lasts all day the day after its last.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    /// IANA name of the time zone, where the product says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// Where it takes place, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    /// Beginning of the event's text; may hold HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// `tentative` or `cancelled`; confirmed when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Kind of the event, such as `focusTime`; an ordinary one when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
    /// `transparent` where the user stays free; busy when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    transparency: Option<String>,
    /// Who sees the details; as the calendar says when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<String>,
    /// Who organizes it: the mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    organizer: Option<String>,
    /// Who is invited, the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attendees: Vec<GuestView>,
    /// Lines by which a series recurs, such as `RRULE:FREQ=WEEKLY`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recurrence: Vec<String>,
    /// Id of the series that this occurrence is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    recurring_event_id: Option<String>,
    /// Link to the video meeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    meeting: Option<String>,
    /// Address of the event's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// True where the text goes on or there are more guests; the view `full` has all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Bytes of the whole text, where there is only its beginning.
    #[serde(skip)]
    cut_from: Option<usize>,
    /// Whether there are more guests in the result.
    #[serde(skip)]
    has_more_guests: bool,
}

/// A guest in short.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct GuestView {
    /// Mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// Name, as it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The response: `needsAction`, `declined`, `tentative` or `accepted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<String>,
}

impl EventView {
    fn new(event: &Value, description: usize) -> Self {
        let unless = |name: &str, usual: &str| text_of(&event[name]).filter(|text| text != usual);
        let moment = |time: &Value| text_of(&time["dateTime"]).or_else(|| text_of(&time["date"]));
        let text = text_of(&event["description"]).map(|text| shortened(text, description));
        let guests = items_of(&event["attendees"]);
        let is_cut = text.as_ref().is_some_and(|(_, is_cut)| *is_cut);
        Self {
            id: text_of(&event["id"]),
            summary: text_of(&event["summary"]),
            start: moment(&event["start"]),
            end: moment(&event["end"]),
            time_zone: text_of(&event["start"]["timeZone"]),
            location: text_of(&event["location"]),
            description: text.map(|(text, _)| text),
            status: unless("status", "confirmed"),
            event_type: unless("eventType", "default"),
            transparency: unless("transparency", "opaque"),
            visibility: unless("visibility", "default"),
            organizer: text_of(&event["organizer"]["email"]),
            attendees: guests.iter().take(GUESTS).map(GuestView::of).collect(),
            recurrence: items_of(&event["recurrence"])
                .iter()
                .filter_map(text_of)
                .collect(),
            recurring_event_id: text_of(&event["recurringEventId"]),
            meeting: text_of(&event["hangoutLink"]),
            url: text_of(&event["htmlLink"]),
            truncated: is_cut || guests.len() > GUESTS || event["attendeesOmitted"] == true,
            cut_from: event["description"]
                .as_str()
                .filter(|_| is_cut)
                .map(str::len),
            has_more_guests: guests.len() > GUESTS,
        }
    }

    /// What is cut of an event, which stands at this pointer in the view and in the result.
    fn wholes_at(&self, event: &str) -> impl Iterator<Item = Whole> + use<> {
        let text = format!("{event}/description");
        let text = self
            .cut_from
            .map(|size| Whole::text(text.clone(), text, size));
        let guests = format!("{event}/attendees");
        let guests = self
            .has_more_guests
            .then(|| Whole::list(guests.clone(), guests));
        text.into_iter().chain(guests)
    }

    fn wholes_of_list(events: &[Self], list: &str) -> Vec<Whole> {
        let events = events.iter().enumerate();
        events
            .flat_map(|(index, event)| event.wholes_at(&format!("{list}/{index}")))
            .collect()
    }

    fn list(events: &Value) -> Vec<Self> {
        let events = items_of(events).iter();
        events
            .map(|event| Self::new(event, LISTED_DESCRIPTION))
            .collect()
    }
}

impl GuestView {
    fn of(guest: &Value) -> Self {
        Self {
            email: text_of(&guest["email"]),
            name: text_of(&guest["displayName"]),
            response: text_of(&guest["responseStatus"]),
        }
    }
}

impl Readable for EventView {
    const UNTRUSTED: &'static [&'static str] =
        &["summary", "description", "location", "attendees[].name"];

    fn of(result: Value) -> Self {
        Self::new(&result, DESCRIPTION)
    }

    fn wholes(&self) -> Vec<Whole> {
        self.wholes_at("").collect()
    }
}

/// A page of events in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventsView {
    /// IANA name of the calendar's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// The events, with the beginnings of their texts.
    events: Vec<EventView>,
    /// Token of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

impl Readable for EventsView {
    const UNTRUSTED: &'static [&'static str] = &[
        "events[].summary",
        "events[].description",
        "events[].location",
        "events[].attendees[].name",
    ];

    fn of(result: Value) -> Self {
        Self {
            time_zone: text_of(&result["time_zone"]),
            events: EventView::list(&result["events"]),
            next_page_token: text_of(&result["next_page_token"]),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        EventView::wholes_of_list(&self.events, "/events")
    }
}

/// An event, compared with the filters, in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundEventView {
    /// Whether the event, or one of its occurrences, fits the filters.
    matched: bool,
    /// The event; absent where it does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<EventView>,
    /// Names of the parameters that keep it out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filtered_by: Vec<String>,
    /// The occurrences of a recurring event that fit; only with `single_events`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    instances: Vec<EventView>,
}

impl Readable for FoundEventView {
    const UNTRUSTED: &'static [&'static str] = &[
        "event.summary",
        "event.description",
        "event.location",
        "event.attendees[].name",
        "instances[].summary",
        "instances[].description",
        "instances[].location",
        "instances[].attendees[].name",
    ];

    fn of(result: Value) -> Self {
        let event = Some(&result["event"]).filter(|event| event.is_object());
        Self {
            matched: result["matched"] == true,
            event: event.map(|event| EventView::new(event, DESCRIPTION)),
            filtered_by: items_of(&result["filtered_by"])
                .iter()
                .filter_map(text_of)
                .collect(),
            instances: EventView::list(&result["instances"]),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        let event = self.event.iter();
        let mut wholes: Vec<Whole> = event.flat_map(|event| event.wholes_at("/event")).collect();
        wholes.extend(EventView::wholes_of_list(&self.instances, "/instances"));
        wholes
    }
}

/// A calendar in short.
#[derive(Debug, Serialize, JsonSchema)]
struct CalendarView {
    /// Id of the calendar.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Name of the calendar: the user's own for it where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// IANA name of its time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// What the user may do with it: `freeBusyReader`, `reader`, `writerWithoutPrivateAccess`, `writer` or `owner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_role: Option<String>,
    /// Whether it is the user's primary calendar.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    primary: bool,
    /// Whether it was removed from the list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
}

impl CalendarView {
    fn of(calendar: &Value) -> Self {
        let own = text_of(&calendar["summaryOverride"]);
        Self {
            id: text_of(&calendar["id"]),
            name: own.or_else(|| text_of(&calendar["summary"])),
            time_zone: text_of(&calendar["timeZone"]),
            access_role: text_of(&calendar["accessRole"]),
            primary: calendar["primary"] == true,
            deleted: calendar["deleted"] == true,
        }
    }
}

/// A page of calendars in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CalendarsView {
    /// The calendars.
    calendars: Vec<CalendarView>,
    /// Token of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    /// Token with which a later call lists what has changed since; only on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_sync_token: Option<String>,
}

impl Readable for CalendarsView {
    const UNTRUSTED: &'static [&'static str] = &["calendars[].name"];

    fn of(result: Value) -> Self {
        Self {
            calendars: items_of(&result["calendars"])
                .iter()
                .map(CalendarView::of)
                .collect(),
            next_page_token: text_of(&result["next_page_token"]),
            next_sync_token: text_of(&result["next_sync_token"]),
        }
    }
}
