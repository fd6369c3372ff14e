//! The readable view of calendars.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, items_of, text_of};

use super::others;

/// A calendar, shortened.
#[derive(Debug, Serialize, JsonSchema)]
struct CalendarView {
    /// Id of the calendar.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Name of the calendar: the user's name for it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The calendar's own name, if the user renamed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    own_name: Option<String>,
    /// Description of the calendar.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Location, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    /// IANA name of its time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// The user's rights: `freeBusyReader`, `reader`, `writerWithoutPrivateAccess`, `writer` or `owner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_role: Option<String>,
    /// Whether it is the user's primary calendar.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    primary: bool,
    /// Whether it is hidden from the list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    /// Whether it was removed from the list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    /// Other members, such as `defaultReminders`, as the product returns them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
}

/// Members that the view shows in another form or doesn't need, such as colors.
const SHOWN: [&str; 16] = [
    "id",
    "summary",
    "summaryOverride",
    "description",
    "location",
    "timeZone",
    "accessRole",
    "primary",
    "hidden",
    "deleted",
    "colorId",
    "backgroundColor",
    "foregroundColor",
    "conferenceProperties",
    "kind",
    "etag",
];

impl CalendarView {
    fn of(calendar: &Value) -> Self {
        let given = text_of(&calendar["summaryOverride"]);
        let own = text_of(&calendar["summary"]);
        let name = given.or_else(|| own.clone());
        Self {
            id: text_of(&calendar["id"]),
            own_name: own.filter(|own| name.as_ref() != Some(own)),
            name,
            description: text_of(&calendar["description"]),
            location: text_of(&calendar["location"]),
            time_zone: text_of(&calendar["timeZone"]),
            access_role: text_of(&calendar["accessRole"]),
            primary: calendar["primary"] == true,
            hidden: calendar["hidden"] == true,
            deleted: calendar["deleted"] == true,
            fields: others(calendar, &SHOWN),
        }
    }
}

/// A page of calendars, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CalendarsView {
    /// The calendars.
    calendars: Vec<CalendarView>,
    /// Token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    /// Token to list later changes with; only on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_sync_token: Option<String>,
}

impl Readable for CalendarsView {
    const UNTRUSTED: &'static [&'static str] = &[
        "calendars[].name",
        "calendars[].own_name",
        "calendars[].description",
        "calendars[].location",
        "calendars[].fields",
    ];

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
