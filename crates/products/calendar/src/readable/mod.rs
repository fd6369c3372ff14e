//! The readable views of the results: short forms of events and calendars.

mod calendars;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, Whole, items_of, shortened, text_of};

pub(crate) use calendars::CalendarsView;

use crate::join::{Ways, ways};

/// Bytes of an event's text in a single event, and in a list.
const DESCRIPTION: usize = 3_000;
const LISTED_DESCRIPTION: usize = 300;
/// Most guests of an event.
const GUESTS: usize = 50;

/// An event, shortened.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct EventView {
    /// Id of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Title of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// When it starts: RFC 3339 with an offset, or a date if it lasts all day.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// When it ends. For an all-day event, the day after its last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    /// IANA name of the time zone, if the product returns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// IANA name of the end's time zone, if it's a different one.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time_zone: Option<String>,
    /// Place, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    /// Beginning of the event's description; may contain HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// `tentative` or `cancelled`; confirmed when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Kind of event, such as `focusTime`; an ordinary event when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
    /// `transparent` if the user stays free; busy when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    transparency: Option<String>,
    /// Visibility of the details; the calendar's default when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<String>,
    /// Email address of the organizer.
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
    /// The first 50 guests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attendees: Vec<GuestView>,
    /// Recurrence lines of a series, such as `RRULE:FREQ=WEEKLY`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recurrence: Vec<String>,
    /// Id of the series to which this occurrence belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    recurring_event_id: Option<String>,
    /// Link to the video meeting; may come from the location or the description.
    #[serde(skip_serializing_if = "Option::is_none")]
    meeting: Option<String>,
    /// Other ways to join the meeting, such as phone numbers with their codes, as the product returns them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    meeting_access: Vec<Map<String, Value>>,
    /// Notes about the meeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    meeting_notes: Option<String>,
    /// Address of the event's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Other members, such as `attachments`, as the product returns them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
    /// True if the description is cut or there are more guests; the view `full` has all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Bytes of the whole description, if it's cut.
    #[serde(skip)]
    cut_from: Option<usize>,
    /// Whether the result has more guests.
    #[serde(skip)]
    has_more_guests: bool,
}

/// A guest, shortened.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct GuestView {
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The response: `needsAction`, `declined`, `tentative` or `accepted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<String>,
    /// The guest's comment on the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Whether this is the user.
    #[serde(rename = "self", skip_serializing_if = "std::ops::Not::not")]
    is_self: bool,
    /// Whether attending is optional.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
    /// Whether this is a room or equipment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resource: bool,
    /// Number of other people that the guest brings.
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_guests: Option<u64>,
}

/// Members that the view shows in another form or doesn't need.
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
/// The object's other members.
fn others(object: &Value, shown: &[&str]) -> Map<String, Value> {
    let members = object.as_object().into_iter().flatten();
    let others = members.filter(|(name, _)| !shown.contains(&name.as_str()));
    others
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The event's other members, without usual values.
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

    /// The texts that are cut from an event, which is at this pointer in the view and in the result.
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

/// A page of events, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventsView {
    /// IANA name of the calendar's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// The user's rights on the calendar, such as `reader` or `owner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_role: Option<String>,
    /// The events, with the beginnings of their descriptions.
    events: Vec<EventView>,
    /// Token of the next page; absent on the last page.
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

/// An event, shortened, with the result of the filters.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundEventView {
    /// Whether the event, or one of its occurrences, matches the filters.
    matched: bool,
    /// The event; absent if it doesn't match.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<EventView>,
    /// Names of the parameters that it doesn't match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filtered_by: Vec<String>,
    /// The matching occurrences of a recurring event; only with `single_events`.
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
