//! Requests that a connection has to allow.

use stead_core::product::{Guard, GuardedRequest};

/// Kinds of requests that delete everything in a calendar, or give it away.
pub(crate) const GUARDS: &[Guard] = &[
    Guard::new(
        "clear_calendars",
        "Deletes all events of a calendar, with or without the calendar.",
        &[
            GuardedRequest::new("POST", "/calendar/v3/calendars/*/clear"),
            GuardedRequest::new("DELETE", "/calendar/v3/calendars/*"),
        ],
    ),
    Guard::new(
        "transfer_ownership",
        "Makes someone else the owner of a calendar.",
        &[GuardedRequest::new(
            "POST",
            "/calendar/v3/calendars/*/transferOwnership",
        )],
    ),
];
