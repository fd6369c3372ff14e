//! The readable views of the tools' results: one short form of an event, and of a calendar.

mod calendars;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, Whole, items_of, shortened, text_of};

pub(crate) use calendars::CalendarsView;

use crate::join::{Ways, ways};

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
    /// The same for the end, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time_zone: Option<String>,
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
    /// Name of the organizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    organizer_name: Option<String>,
    /// Whether the user is the organizer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    organized_by_user: bool,
    /// The user's own response: `needsAction`, `declined`, `tentative` or `accepted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    my_response: Option<String>,
    /// Who is invited, the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attendees: Vec<GuestView>,
    /// Lines by which a series recurs, such as `RRULE:FREQ=WEEKLY`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recurrence: Vec<String>,
    /// Id of the series that this occurrence is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    recurring_event_id: Option<String>,
    /// Link to the video meeting; it may be one that stands in the location or the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    meeting: Option<String>,
    /// Other ways into the meeting, such as phone numbers, and its codes, as the product has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    meeting_access: Vec<Map<String, Value>>,
    /// Notes about the meeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    meeting_notes: Option<String>,
    /// Address of the event's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What else the event has, such as `attachments`, as the product has it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
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
    /// What the guest wrote with the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Whether it is the user.
    #[serde(rename = "self", skip_serializing_if = "std::ops::Not::not")]
    is_self: bool,
    /// Whether the guest need not come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
    /// Whether it is a room or a thing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resource: bool,
    /// How many others the guest brings.
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_guests: Option<u64>,
}

/// Members of an event with a form of their own in the view, and those that say nothing of it.
const SHOWN: [&str; 21] = [
    "id",
    "summary",
    "start",
    "end",
    "location",
    "description",
    "status",
    "eventType",
    "transparency",
    "visibility",
    "organizer",
    "attendees",
    "attendeesOmitted",
    "recurrence",
    "recurringEventId",
    "conferenceData",
    "hangoutLink",
    "htmlLink",
    "kind",
    "etag",
    "sequence",
];
/// What an object says in other members.
fn others(object: &Value, shown: &[&str]) -> Map<String, Value> {
    let members = object.as_object().into_iter().flatten();
    let others = members.filter(|(name, _)| !shown.contains(&name.as_str()));
    others
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The same for an event, without what is usual.
fn others_of_event(event: &Value) -> Map<String, Value> {
    let mut fields = others(event, &SHOWN);
    let (creator, organizer) = (&event["creator"]["email"], &event["organizer"]["email"]);
    fields.retain(|name, value| match name.as_str() {
        "creator" => creator.is_null() || creator != organizer,
        "reminders" => value["useDefault"] != true,
        "iCalUID" => text_of(&event["id"]).is_none_or(|id| *value != format!("{id}@google.com")),
        _ => true,
    });
    fields
}

impl EventView {
    fn new(event: &Value, description: usize) -> Self {
        let unless = |name: &str, usual: &str| text_of(&event[name]).filter(|text| text != usual);
        let moment = |time: &Value| text_of(&time["dateTime"]).or_else(|| text_of(&time["date"]));
        let text = text_of(&event["description"]).map(|text| shortened(text, description));
        let guests = items_of(&event["attendees"]);
        let is_cut = text.as_ref().is_some_and(|(_, is_cut)| *is_cut);
        let [start_zone, end_zone] = ["start", "end"].map(|edge| text_of(&event[edge]["timeZone"]));
        let own = guests.iter().find(|guest| guest["self"] == true);
        let Ways {
            link,
            others,
            notes,
        } = ways(event);
        Self {
            id: text_of(&event["id"]),
            summary: text_of(&event["summary"]),
            start: moment(&event["start"]),
            end: moment(&event["end"]),
            end_time_zone: end_zone.filter(|zone| start_zone.as_ref() != Some(zone)),
            time_zone: start_zone,
            location: text_of(&event["location"]),
            description: text.map(|(text, _)| text),
            status: unless("status", "confirmed"),
            event_type: unless("eventType", "default"),
            transparency: unless("transparency", "opaque"),
            visibility: unless("visibility", "default"),
            organizer: text_of(&event["organizer"]["email"]),
            organizer_name: text_of(&event["organizer"]["displayName"]),
            organized_by_user: event["organizer"]["self"] == true,
            my_response: own.and_then(|own| text_of(&own["responseStatus"])),
            attendees: guests.iter().take(GUESTS).map(GuestView::of).collect(),
            recurrence: items_of(&event["recurrence"])
                .iter()
                .filter_map(text_of)
                .collect(),
            recurring_event_id: text_of(&event["recurringEventId"]),
            meeting: link,
            meeting_access: others,
            meeting_notes: notes,
            url: text_of(&event["htmlLink"]),
            fields: others_of_event(event),
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
            comment: text_of(&guest["comment"]),
            is_self: guest["self"] == true,
            optional: guest["optional"] == true,
            resource: guest["resource"] == true,
            additional_guests: guest["additionalGuests"].as_u64().filter(|more| *more > 0),
        }
    }
}

impl Readable for EventView {
    const UNTRUSTED: &'static [&'static str] = &[
        "summary",
        "description",
        "location",
        "attendees[].name",
        "organizer_name",
        "attendees[].comment",
        "meeting",
        "meeting_access",
        "meeting_notes",
        "fields",
    ];

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
    /// What the user may do with the calendar, such as `reader` or `owner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_role: Option<String>,
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
        "events[].organizer_name",
        "events[].attendees[].comment",
        "events[].meeting",
        "events[].meeting_access",
        "events[].meeting_notes",
        "events[].fields",
    ];

    fn of(result: Value) -> Self {
        Self {
            time_zone: text_of(&result["time_zone"]),
            access_role: text_of(&result["access_role"]),
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
        "event.organizer_name",
        "event.attendees[].comment",
        "event.meeting",
        "event.meeting_access",
        "event.meeting_notes",
        "event.fields",
        "instances[].summary",
        "instances[].description",
        "instances[].location",
        "instances[].attendees[].name",
        "instances[].organizer_name",
        "instances[].attendees[].comment",
        "instances[].meeting",
        "instances[].meeting_access",
        "instances[].meeting_notes",
        "instances[].fields",
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
