//! `people.connections.list`: the user's contacts, sorted, in pages.

use axum::http::Method;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{CONTACTS, SOURCES, caller, mask, person::person};
use crate::{
    google::{ApiError, ApiMethod, Call, Kind, Parameter, State, paging, world::Person},
    ids,
};

/// Contacts of a page when nothing is said.
const DEFAULT_SIZE: i64 = 100;
/// Contacts of a page at most.
const MAX_SIZE: i64 = 1000;
/// A sync token is valid for seven days.
const SYNC_HOURS: i64 = 7 * 24;
/// Purpose under which sync tokens are sealed.
const SYNC: &str = "sync";

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "people.people.connections.list",
    verb: Method::GET,
    path: "v1/people/{peopleId}/connections",
    parameters: &[
        Parameter::one("pageSize", Kind::Int32),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("personFields", Kind::Text),
        Parameter::one("requestMask.includeField", Kind::Text),
        Parameter::one("requestSyncToken", Kind::Flag),
        Parameter::one(
            "sortOrder",
            Kind::OneOf(&[
                "LAST_MODIFIED_ASCENDING",
                "LAST_MODIFIED_DESCENDING",
                "FIRST_NAME_ASCENDING",
                "LAST_NAME_ASCENDING",
            ]),
        ),
        Parameter::many("sources", Kind::OneOf(SOURCES)),
        Parameter::one("syncToken", Kind::Text),
    ],
    scopes: CONTACTS,
    schema: "ListConnectionsResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    if call.variable(0) != "me" {
        return Err(ApiError::invalid(
            "Resource name must be people/me to list connections.",
        ));
    }
    let fields = mask::either(call)?;
    let size = match call.number("pageSize") {
        None | Some(0) => DEFAULT_SIZE,
        Some(size @ 1..=MAX_SIZE) => size,
        Some(_) => {
            return Err(ApiError::invalid(format!(
                "Page size must be between 1 and {MAX_SIZE}."
            )));
        }
    };
    let now = state.now;
    let mut people = caller(state, call)?.contacts.clone();
    if let Some(token) = call.text("syncToken") {
        check_sync_token(token, now)?;
        // Nothing changes contacts here, so nothing has changed since.
        people.clear();
    }
    sort(&mut people, call.text("sortOrder").unwrap_or_default());
    let size = usize::try_from(size).unwrap_or_default();
    let page = paging::page(call, METHOD.id, people, size, &[])?;
    let mut response = json!({});
    if !page.items.is_empty() {
        let people: Vec<Value> = page
            .items
            .iter()
            .map(|found| person(found, &fields))
            .collect();
        response["connections"] = json!(people);
        response["totalPeople"] = json!(page.total);
        response["totalItems"] = json!(page.total);
    }
    let wants_sync = call.flag("requestSyncToken") || call.text("syncToken").is_some();
    match page.next {
        Some(next) => response["nextPageToken"] = json!(next),
        None if wants_sync => {
            response["nextSyncToken"] = json!(ids::seal(SYNC, &now.as_second().to_string()));
        }
        None => {}
    }
    Ok(response)
}

fn sort(people: &mut [Person], order: &str) {
    match order {
        "LAST_MODIFIED_DESCENDING" => {
            people.sort_by_key(|person| std::cmp::Reverse(person.modified))
        }
        "FIRST_NAME_ASCENDING" => people.sort_by_key(|person| person.given.to_lowercase()),
        "LAST_NAME_ASCENDING" => people.sort_by_key(|person| person.family.to_lowercase()),
        _ => people.sort_by_key(|person| person.modified),
    }
}

fn check_sync_token(token: &str, now: Timestamp) -> Result<(), ApiError> {
    let issued = ids::open(SYNC, token)
        .and_then(|text| text.parse().ok())
        .and_then(|second| Timestamp::from_second(second).ok())
        .ok_or_else(|| ApiError::invalid("Sync token is invalid."))?;
    if now.duration_since(issued) > SignedDuration::from_hours(SYNC_HOURS) {
        let error = ApiError::invalid(
            "Sync token is expired. Clear local cache and retry call without the sync token.",
        );
        return Err(error.with_info("EXPIRED_SYNC_TOKEN"));
    }
    Ok(())
}
