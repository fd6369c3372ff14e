//! What both searches share: warming up, prefixes, the number of results.

use serde_json::{Value, json};

use super::person::person;
use crate::google::{ApiError, Call, State, world::Person};

/// Results when nothing is said.
const DEFAULT_RESULTS: i64 = 10;
/// Results at most; larger numbers are brought down to it.
const MAX_RESULTS: i64 = 30;

/// The response to a search among `people`, of whom `fields` are given.
pub(super) fn respond(
    state: &mut State,
    call: &Call,
    method: &'static str,
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
    let key = (call.user.clone(), method);
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
