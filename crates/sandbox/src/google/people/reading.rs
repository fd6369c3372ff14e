//! The user's contacts, and searches.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{caller, mask, person::person};
use crate::{
    google::{ApiError, Call, State, paging, world::Person},
    ids,
};

/// Contacts of a page at most.
const MAX_SIZE: i64 = 1000;
/// A sync token is valid for seven days.
const SYNC_HOURS: i64 = 7 * 24;
/// Purpose under which sync tokens are sealed.
const SYNC: &str = "sync";
/// Results of a search when nothing is said.
const DEFAULT_RESULTS: i64 = 10;
/// Results at most; larger numbers are brought down to it.
const MAX_RESULTS: i64 = 30;

/// `people.connections.list`: the user's contacts, sorted, in pages.
pub(super) fn connections(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    if call.variable(0) != "me" {
        return Err(ApiError::invalid(
            "Resource name must be people/me to list connections.",
        ));
    }
    let fields = mask::either(call)?;
    let size = match call.number("pageSize") {
        None | Some(0) => 100,
        Some(size @ 1..=MAX_SIZE) => usize::try_from(size).unwrap_or_default(),
        Some(_) => {
            let message = format!("Page size must be between 1 and {MAX_SIZE}.");
            return Err(ApiError::invalid(message));
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
    let page = paging::page(call, people, size, &[])?;
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

/// `people.searchContacts`: searches the user's contacts.
pub(super) fn search_contacts(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = mask::fields(call, "readMask", &mask::PERSON_FIELDS)?;
    let people = caller(state, call)?.contacts.clone();
    search(state, call, &people, &fields)
}

/// `otherContacts.search`: searches the people whom the user once wrote to.
pub(super) fn search_others(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = mask::fields(call, "readMask", &mask::OTHER_CONTACT_FIELDS)?;
    let people = caller(state, call)?.other_contacts.clone();
    search(state, call, &people, &fields)
}

/// The response to a search among `people`, of whom `fields` are given.
fn search(
    state: &mut State,
    call: &Call,
    people: &[Person],
    fields: &[String],
) -> Result<Value, ApiError> {
    let query = call
        .text("query")
        .ok_or_else(|| ApiError::invalid("query is required. It is empty in a warmup request."))?;
    let size = match call.number("pageSize") {
        None | Some(0) => DEFAULT_RESULTS,
        Some(size) if size < 0 => {
            return Err(ApiError::invalid("Page size must be between 0 and 30."));
        }
        Some(size) => size.min(MAX_RESULTS),
    };
    // The first search of an account finds nothing until a request with an empty query has come
    // (people.searchContacts and otherContacts.search, description).
    let key = (call.user.clone(), call.method.id);
    if query.trim().is_empty() {
        state.world.searched.insert(key);
        return Ok(json!({}));
    }
    if !state.world.searched.contains(&key) {
        return Ok(json!({}));
    }
    let results: Vec<Value> = people
        .iter()
        .filter(|person| matches(person, query))
        .take(usize::try_from(size).unwrap_or_default())
        .map(|found| json!({"person": person(found, fields)}))
        .collect();
    if results.is_empty() {
        return Ok(json!({}));
    }
    Ok(json!({"results": results}))
}

/// Whether a field has a phrase that begins with the query at the start of a word: "foo name" fits "f", "foo
/// n" and "nam", but not "oo n".
fn matches(person: &Person, query: &str) -> bool {
    let query = query.trim().to_lowercase();
    let mut texts = vec![person.display_name(), person.nickname.to_owned()];
    texts.extend(
        person
            .emails
            .iter()
            .map(|(address, _)| (*address).to_owned()),
    );
    for (number, canonical, _) in &person.phones {
        texts.extend([(*number).to_owned(), (*canonical).to_owned()]);
    }
    if let Some((name, title)) = person.organization {
        texts.extend([name.to_owned(), title.to_owned()]);
    }
    texts
        .iter()
        .any(|text| any_word_starts_with(&text.to_lowercase(), &query))
}

fn any_word_starts_with(text: &str, query: &str) -> bool {
    let mut before = None;
    text.char_indices().any(|(place, letter)| {
        let starts = before.is_none_or(|before: char| !before.is_alphanumeric());
        before = Some(letter);
        starts && text[place..].starts_with(query)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_phrases() {
        for query in ["f", "foo", "foo n", "nam"] {
            assert!(any_word_starts_with("foo name", query), "{query}");
        }
        for query in ["oo n", "ame", "foo x"] {
            assert!(!any_word_starts_with("foo name", query), "{query}");
        }
        assert!(any_word_starts_with("grace@example.com", "exam"));
    }
}
