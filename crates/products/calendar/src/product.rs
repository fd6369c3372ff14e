//! The static description of the product.

use http::Method;
use stead_core::product::{
    Origin, PermissionTexts, Preset, Product, ProxyRoute, ProxyRules, Quota, TestCall,
};

use crate::{classify, errors::read_error, guards::GUARDS, scopes, tools::TOOLS};

/// Host of the Calendar API.
const CALENDAR: &str = "calendar";

/// Calendar: the Google Calendar API.
pub static PRODUCT: Product = Product {
    name: "calendar",
    title: "Google Calendar",
    origins: &[Origin {
        name: CALENDAR,
        url: "https://www.googleapis.com",
        base: "/calendar/v3",
    }],
    read_error,
    cost,
    // Calendar API, "Manage quotas": per minute per user per project.
    quota: Quota {
        units_per_minute: 600,
        writes_per_minute: None,
        concurrency: 8,
    },
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/calendar/v3", CALENDAR),
            ProxyRoute::new("/batch/calendar/v3", CALENDAR).batch(),
        ],
        // Calendar API, freebusy.query.
        reading_posts: &["/calendar/v3/freeBusy"],
        path_words: "acl batch calendar calendarList calendars channels clear colors events freeBusy import instances me move \
            primary quickAdd settings stop transferOwnership users v3 watch",
        ..stead_google::PROXY
    },
    classify: classify::classify,
    fact_kinds: classify::KINDS,
    guards: GUARDS,
    oauth: stead_google::oauth(&[scopes::EVENTS, scopes::CALENDAR_LIST_READONLY]),
    permission_texts: &[&TEXTS, &stead_google::TEXTS],
    presets: &[
        Preset {
            name: "read",
            about: "Read calendars and events.",
            scopes: &[scopes::EVENTS_READONLY, scopes::CALENDAR_LIST_READONLY],
        },
        Preset {
            name: "schedule",
            about: "Read calendars, create and change events, answer invitations, and see when people are busy.",
            scopes: &[
                scopes::EVENTS,
                scopes::CALENDAR_LIST_READONLY,
                scopes::FREEBUSY,
            ],
        },
    ],
    test_calls: &[
        TestCall {
            tool: "calendar_list_calendars",
            input: r#"{}"#,
            about: "Lists the calendars.",
            finds_nothing: false,
        },
        TestCall {
            tool: "calendar_list_events",
            input: r#"{"max_results":1}"#,
            about: "Reads one event.",
            finds_nothing: false,
        },
    ],
    tools: TOOLS,
    core_tools: &[
        "calendar_list_events",
        "calendar_get_event_by_id",
        "calendar_create_event",
        "calendar_update_event",
        "calendar_delete_event",
        "calendar_respond_to_event",
    ],
    docs: include_str!("docs.md"),
    ..stead_google::BASE
};

/// Texts about the scopes for the consent page.
static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);

/// Quota units of a request: "each patch request consumes three quota units" (Calendar API, events.patch); all others cost
/// one.
fn cost(method: &Method, _: &str) -> u32 {
    if *method == Method::PATCH { 3 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_costs_three() {
        let path = "/calendar/v3/calendars/primary/events/e1";
        assert_eq!(cost(&Method::PATCH, path), 3);
        for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
            assert_eq!(cost(&method, path), 1);
        }
    }
}
