//! Lists the user's calendars.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};

use stead_google::items;

use crate::{AccessRole, page::first_filled, readable::CalendarsView, scopes};

/// List the user's calendars with id, name, time zone and the user's rights.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct ListCalendars {
    /// Most calendars to return; 100 when absent.
    #[schemars(range(min = 1, max = 250))]
    pub max_results: Option<u32>,
    /// Lowest rights that the user must have on a calendar.
    pub min_access_role: Option<AccessRole>,
    /// `next_page_token` of the previous page; keep the other parameters.
    pub page_token: Option<String>,
    /// Include removed calendars.
    pub show_deleted: Option<bool>,
    /// Include hidden calendars.
    pub show_hidden: Option<bool>,
    /// `next_sync_token` of an earlier list, to return changes since then. Not with `min_access_role`.
    pub sync_token: Option<String>,
}

/// A page of calendars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Calendars {
    /// The calendars, as the product returns them.
    pub calendars: Vec<Calendar>,
    /// Token of the next page; `null` on the last page.
    pub next_page_token: Option<String>,
    /// Token to list later changes with; only on the last page.
    pub next_sync_token: Option<String>,
}

/// A calendar in the user's list (Calendar API, `CalendarListEntry`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Calendar {
    /// Id of the calendar.
    pub id: String,
    /// Name of the calendar.
    pub summary: Option<String>,
    /// The user's own name for the calendar.
    pub summary_override: Option<String>,
    /// Description of the calendar.
    pub description: Option<String>,
    /// IANA name of its time zone.
    pub time_zone: Option<String>,
    /// The user's rights: `freeBusyReader`, `reader`, `writerWithoutPrivateAccess`, `writer` or `owner`.
    pub access_role: Option<String>,
    /// Whether it is the user's primary calendar.
    pub primary: Option<bool>,
    /// Whether the product shows its events.
    pub selected: Option<bool>,
    /// Whether it is hidden from the list.
    pub hidden: Option<bool>,
    /// Whether it was removed from the list.
    pub deleted: Option<bool>,
}

impl Tool for ListCalendars {
    const NAME: &'static str = "calendar_list_calendars";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::LIST_CALENDARS;
    type Output = Calendars;
    const READABLE: Option<ReadableView> = ReadableView::some::<CalendarsView>();

    fn check(&self) -> Result<()> {
        if self.sync_token.is_none() {
            return Ok(());
        }
        let clashes = [
            (
                "/min_access_role",
                self.min_access_role.is_some(),
                "can't be used with a sync_token",
            ),
            (
                "/show_deleted",
                self.show_deleted == Some(false),
                "with a sync_token, removed calendars are always returned",
            ),
            (
                "/show_hidden",
                self.show_hidden == Some(false),
                "with a sync_token, hidden calendars are always returned",
            ),
        ];
        let mut violations = Violations::default();
        for (path, clashes, message) in clashes {
            if clashes {
                violations.add(path, "sync_token", message);
            }
        }
        violations.finish()
    }

    /// Calendar API, `calendarList.list`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["users", "me", "calendarList"])
            .query("maxResults", self.max_results)
            .query("minAccessRole", self.min_access_role.map(AccessRole::name))
            .query("pageToken", &self.page_token)
            .query("showDeleted", self.show_deleted)
            .query("showHidden", self.show_hidden)
            .query("syncToken", &self.sync_token);
        let mut page = first_filled(io, &request).await?;
        let calendars = items(&mut page, "items");
        Ok(json!({
            "calendars": calendars,
            "next_page_token": page["nextPageToken"],
            "next_sync_token": page["nextSyncToken"],
        })
        .into())
    }
}
