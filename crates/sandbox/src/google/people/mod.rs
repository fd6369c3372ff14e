//! People API v1: contacts and searches.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::{
    google::{
        Api, ApiError, Call, State, collection,
        errors::ErrorShape,
        world::{Person, User},
    },
    shared,
};

/// `https://people.googleapis.com`.
pub(crate) static PEOPLE_API: Api = Api {
    name: "people",
    service: "people.googleapis.com",
    errors: ErrorShape::Status,
    refuses_read_only: None,
    plays: &[
        ("people.connections.list", connections),
        ("people.searchContacts", search_contacts),
        ("otherContacts.search", search_others),
    ],
    collections: &[],
    downloads: &[],
    uploads: (0, ""),
    batch_paths: &["/batch"],
};

fn caller<'state>(state: &'state State, call: &Call) -> Result<&'state User, ApiError> {
    state.world.user(&call.user).ok_or_else(ApiError::not_found)
}

/// The largest number of contacts in a page.
const MAX_SIZE: i64 = 1000;
/// A sync token is valid for seven days.
const SYNC_HOURS: i64 = 7 * 24;
/// The purpose for which sync tokens are sealed.
const SYNC: &str = "sync";
/// How many results a search returns by default.
const DEFAULT_RESULTS: i64 = 10;
/// The largest number of results. Larger requests are reduced to it.
const MAX_RESULTS: i64 = 30;

/// `people.connections.list`: the user's contacts, sorted, in pages.
pub(super) fn connections(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    if call.variable(0) != "me" {
        return Err(ApiError::invalid(
            "Resource name must be people/me to list connections.",
        ));
    }
    let fields = either(call)?;
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
        // Nothing changes contacts here, so nothing has changed since the sync token.
        people.clear();
    }
    sort(&mut people, call.text("sortOrder").unwrap_or_default());
    let page = collection::page(call, people, size, &[])?;
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
            response["nextSyncToken"] = json!(shared::seal(SYNC, &now.as_second().to_string()));
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
    let issued = shared::open(SYNC, token)
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
    let fields = fields(call, "readMask", &PERSON_FIELDS)?;
    let people = caller(state, call)?.contacts.clone();
    search(state, call, &people, &fields)
}

/// `otherContacts.search`: searches people to whom the user once wrote.
pub(super) fn search_others(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = fields(call, "readMask", &OTHER_CONTACT_FIELDS)?;
    let people = caller(state, call)?.other_contacts.clone();
    search(state, call, &people, &fields)
}

/// Searches `people`, and returns `fields` of those that it finds.
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
    // The first search finds nothing until the account has sent a request with an empty query (people.searchContacts
    // and otherContacts.search, description).
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

/// Whether a field has words that begin with the query: "foo name" matches "f", "foo n" and "nam", but not "oo n".
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

/// Shows a `Person` with the masked fields. The resource name and the etag are always included.
pub(super) fn person(person: &Person, fields: &[String]) -> Value {
    let mut value = Map::new();
    value.insert("resourceName".to_owned(), json!(person.resource_name));
    value.insert(
        "etag".to_owned(),
        json!(shared::seal(
            "etag",
            &format!("{}{}", person.resource_name, person.modified)
        )),
    );
    for name in fields {
        // Omit a field without a value.
        if let Some(field) = field(person, name) {
            value.insert(name.clone(), field);
        }
    }
    Value::Object(value)
}

fn field(person: &Person, name: &str) -> Option<Value> {
    let entries: Vec<Value> = match name {
        "metadata" => {
            return Some(json!({"sources": [source(person, true)], "objectType": "PERSON"}));
        }
        "names" if !person.display_name().is_empty() => vec![name_entry(person)],
        "nicknames" if !person.nickname.is_empty() => vec![json!({"value": person.nickname})],
        "biographies" if !person.biography.is_empty() => {
            vec![json!({"value": person.biography, "contentType": "TEXT_PLAIN"})]
        }
        "emailAddresses" => person
            .emails
            .iter()
            .map(|(address, kind)| with_type(json!({"value": address}), kind))
            .collect(),
        "phoneNumbers" => person
            .phones
            .iter()
            .map(|(number, canonical, kind)| {
                with_type(json!({"value": number, "canonicalForm": canonical}), kind)
            })
            .collect(),
        "organizations" => person.organization.iter().map(organization).collect(),
        "photos" if is_contact(person) => {
            vec![
                json!({"url": "https://lh3.googleusercontent.com/cm/sandbox=s100", "default": true}),
            ]
        }
        "memberships" if is_contact(person) => vec![json!({
            "contactGroupMembership": {
                "contactGroupId": "myContacts",
                "contactGroupResourceName": "contactGroups/myContacts",
            },
        })],
        _ => Vec::new(),
    };
    let entries: Vec<Value> = entries
        .into_iter()
        .enumerate()
        .map(|(place, entry)| with_metadata(entry, person, place == 0))
        .collect();
    (!entries.is_empty()).then_some(Value::Array(entries))
}

fn name_entry(person: &Person) -> Value {
    let last_first = [person.family, person.given]
        .into_iter()
        .filter(|name| !name.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    json!({
        "displayName": person.display_name(),
        "givenName": person.given,
        "familyName": person.family,
        "displayNameLastFirst": last_first,
        "unstructuredName": person.display_name(),
    })
}

fn organization((name, title): &(&str, &str)) -> Value {
    let mut value = json!({"name": name});
    if !title.is_empty() {
        value["title"] = json!(title);
    }
    value
}

/// Adds the type, and its form for readers. Adds nothing if there's no type.
fn with_type(mut value: Value, kind: &str) -> Value {
    if let Some(first) = kind.get(..1) {
        value["type"] = json!(kind);
        value["formattedType"] = json!(format!("{}{}", first.to_uppercase(), &kind[1..]));
    }
    value
}

fn with_metadata(mut value: Value, person: &Person, primary: bool) -> Value {
    value["metadata"] = json!({"source": source(person, false)});
    if primary {
        value["metadata"]["primary"] = json!(true);
    }
    value
}

fn source(person: &Person, with_time: bool) -> Value {
    let number = person
        .resource_name
        .rsplit_once("/c")
        .and_then(|(_, number)| number.parse::<u64>().ok())
        .unwrap_or_default();
    let kind = if is_contact(person) {
        "CONTACT"
    } else {
        "OTHER_CONTACT"
    };
    let mut source = json!({"type": kind, "id": format!("{number:x}")});
    if with_time {
        source["updateTime"] = json!(person.modified);
    }
    source
}

fn is_contact(person: &Person) -> bool {
    person.resource_name.starts_with("people/")
}

/// Fields that a mask may name (people.connections.list, `personFields`).
pub(super) const PERSON_FIELDS: [&str; 29] = [
    "addresses",
    "ageRanges",
    "biographies",
    "birthdays",
    "calendarUrls",
    "clientData",
    "coverPhotos",
    "emailAddresses",
    "events",
    "externalIds",
    "genders",
    "imClients",
    "interests",
    "locales",
    "locations",
    "memberships",
    "metadata",
    "miscKeywords",
    "names",
    "nicknames",
    "occupations",
    "organizations",
    "phoneNumbers",
    "photos",
    "relations",
    "sipAddresses",
    "skills",
    "urls",
    "userDefined",
];

/// Fields of a person who isn't a contact (otherContacts.search, `readMask`).
pub(super) const OTHER_CONTACT_FIELDS: [&str; 4] =
    ["emailAddresses", "metadata", "names", "phoneNumbers"];

/// The fields in the call's mask, which is required.
pub(super) fn fields(call: &Call, name: &str, allowed: &[&str]) -> Result<Vec<String>, ApiError> {
    let mask = call.text(name).unwrap_or_default();
    read(mask, name, allowed)
}

/// The fields in `personFields`, or in the older parameter.
pub(super) fn either(call: &Call) -> Result<Vec<String>, ApiError> {
    match (
        call.text("personFields"),
        call.text("requestMask.includeField"),
    ) {
        (None, Some(older)) => older_fields(older),
        _ => fields(call, "personFields", &PERSON_FIELDS),
    }
}

/// The fields in the older `requestMask.includeField`, in which each name begins with `person.`.
fn older_fields(mask: &str) -> Result<Vec<String>, ApiError> {
    let name = "requestMask.includeField";
    let mut plain = Vec::new();
    for path in mask.split(',') {
        plain.push(
            path.strip_prefix("person.")
                .ok_or_else(|| invalid_mask(name, path))?,
        );
    }
    read(&plain.join(","), name, &PERSON_FIELDS)
}

fn read(mask: &str, name: &str, allowed: &[&str]) -> Result<Vec<String>, ApiError> {
    if mask.is_empty() {
        return Err(ApiError::invalid(format!(
            "{name} mask is required. Please specify one or more valid paths. Valid paths are documented at https://developers.google.com/people/api/rest."
        )));
    }
    mask.split(',')
        .map(|path| {
            if allowed.contains(&path) {
                Ok(path.to_owned())
            } else {
                Err(invalid_mask(name, path))
            }
        })
        .collect()
}

fn invalid_mask(name: &str, path: &str) -> ApiError {
    ApiError::invalid(format!(
        "Invalid {name} mask path: \"{path}\". Valid paths are documented at https://developers.google.com/people/api/rest."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::google::fields::Selection;

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

    #[test]
    fn the_schema_has_every_field_of_the_mask() {
        for name in PERSON_FIELDS {
            assert!(Selection::parse(name, "Person").is_ok(), "{name}");
        }
    }

    #[test]
    fn masks_are_exact() {
        assert!(read("names,emailAddresses", "m", &PERSON_FIELDS).is_ok());
        for mask in [
            "",
            "names, emailAddresses",
            "Names",
            "names.displayName",
            "names,",
        ] {
            assert!(read(mask, "m", &PERSON_FIELDS).is_err(), "{mask}");
        }
        assert!(older_fields("person.names,person.photos").is_ok());
        assert!(older_fields("names").is_err());
    }
}
