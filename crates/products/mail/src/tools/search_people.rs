//! Searches people in the product's index, which must be updated first.

use std::{collections::HashSet, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    ErrorKind, Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Response, Tool},
};
use stead_google::items;

use crate::{Person, PersonField, origins::PEOPLE, readable::FoundPeopleView, scopes};

/// Find people by the beginning of a name or email address. Searches the user's contacts and, with `other_contacts`, people
/// whom the user exchanged mails with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct SearchPeople {
    /// Beginning of a name or an email address.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Include people who aren't in the contacts. Needs an additional scope.
    pub other_contacts: Option<bool>,
    /// Most people from each of the two sources; 10 when absent, at most 30.
    #[schemars(range(min = 1))]
    pub page_size: Option<u32>,
    /// Fields of each person. When absent: names, email addresses, phone numbers, organizations and photos, in the readable
    /// view without photos. For `other_contacts`, email addresses are always included.
    #[schemars(length(min = 1))]
    pub person_fields: Option<Vec<PersonField>>,
}

/// Typical time for the product to update its index ("after a few seconds", People API, "Search the user's contacts").
const UPDATING: Duration = Duration::from_secs(2);

/// Most people that the product returns (People API, `people.searchContacts`, `pageSize`).
const MOST_PEOPLE: u32 = 30;

/// The people that were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundPeople {
    /// Contacts first, then people whom the user only exchanged mails with.
    pub people: Vec<FoundPerson>,
}

/// A person who was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundPerson {
    /// Source of the person: `contact` or `other_contact`.
    pub origin: String,
    /// The person, as the product returns it.
    pub person: Person,
}

impl Tool for SearchPeople {
    const NAME: &'static str = "mail_search_people";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::READ_CONTACTS;
    type Output = FoundPeople;
    const READABLE: Option<ReadableView> = ReadableView::some::<FoundPeopleView>();

    /// People API, `people.searchContacts` and `otherContacts.search`.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let wanted = self.other_contacts == Some(true);
        let mut asked = vec![Source::Contacts];
        if wanted && call.has_scope(scopes::READ_OTHER_CONTACTS) {
            asked.push(Source::OtherContacts);
        }
        let mut asleep = false;

        // "Before searching, clients should send a warmup request with an empty query" (People API, both methods). It
        // updates the index; its results don't matter.
        let warmed = io.send_all(self.requests(call, "", &asked)).await;
        if warmed.len() > 1 && is_scope_missing(&warmed[1]) {
            asked.pop();
        }
        let mut found = self.search(call, io, &asked).await?;
        let silent = found.silent();
        if !silent.is_empty() {
            match io.pause(UPDATING).await {
                Ok(()) => found.add(self.search(call, io, &silent).await?),
                Err(_) => asleep = true,
            }
        }

        let mut output = Output::from(json!({ "people": found.merged() }));
        if wanted && !asked.contains(&Source::OtherContacts) {
            let message = format!(
                "other contacts weren't searched: the user hasn't granted {}",
                scopes::OTHER_CONTACTS_READONLY
            );
            output = output.warn("scope_missing", message);
        }
        if self.page_size > Some(MOST_PEOPLE) {
            let message = format!(
                "the product returns at most {MOST_PEOPLE} people and no further pages; use a longer query to find others"
            );
            output = output.warn("page_size_reduced", message);
        }
        if asleep {
            let message = "the product may still be updating its index, and the deadline left no time to retry; search again";
            output = output.warn("index_asleep", message);
        }
        Ok(output)
    }
}

/// A source of people.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Contacts,
    OtherContacts,
}

/// The results of each source.
struct Found(Vec<(Source, Vec<Value>)>);

impl Found {
    /// The sources without results. A source with an outdated index looks the same.
    fn silent(&self) -> Vec<Source> {
        let silent = self.0.iter().filter(|(_, people)| people.is_empty());
        silent.map(|(source, _)| *source).collect()
    }

    fn add(&mut self, other: Self) {
        self.0.retain(|(_, people)| !people.is_empty());
        self.0.extend(other.0);
    }

    /// Contacts first, then other contacts without an address that is already listed.
    fn merged(self) -> Vec<Value> {
        let (contacts, others): (Vec<_>, Vec<_>) = self
            .0
            .into_iter()
            .partition(|(source, _)| *source == Source::Contacts);
        let people =
            |found: Vec<(Source, Vec<Value>)>| found.into_iter().flat_map(|(_, people)| people);
        merge(people(contacts).collect(), people(others).collect())
    }
}

fn is_scope_missing(response: &Result<Response>) -> bool {
    matches!(response, Err(error) if error.kind() == ErrorKind::ScopeMissing)
}

impl SearchPeople {
    /// Searches each source once.
    async fn search(&self, call: &Call, io: Io<'_>, sources: &[Source]) -> Result<Found> {
        let responses = io.send_all(self.requests(call, &self.query, sources)).await;
        let found = sources.iter().zip(responses);
        found
            .map(|(source, response)| Ok((*source, people(response?.json()?))))
            .collect::<Result<_>>()
            .map(Found)
    }

    fn requests(&self, call: &Call, query: &str, sources: &[Source]) -> Vec<ApiRequest> {
        let mut fields = self
            .person_fields
            .clone()
            .unwrap_or_else(|| PersonField::defaults(call).to_vec());
        if self.other_contacts == Some(true) && !fields.contains(&PersonField::EmailAddresses) {
            fields.push(PersonField::EmailAddresses);
        }
        let request = |place: &str, verb: &'static str, fields: &[PersonField]| {
            ApiRequest::get([place])
                .verb(verb)
                .origin(PEOPLE)
                .query("query", query)
                .query("readMask", PersonField::mask(fields))
                .query("pageSize", self.page_size.map(|size| size.min(MOST_PEOPLE)))
        };
        let mut of_others = fields.clone();
        of_others.retain(|field| PersonField::OF_OTHER_CONTACTS.contains(field));
        sources
            .iter()
            .map(|source| match source {
                Source::Contacts => request("people", "searchContacts", &fields),
                Source::OtherContacts => request("otherContacts", "search", &of_others),
            })
            .collect()
    }
}

/// The people in the results of a search.
fn people(mut response: Value) -> Vec<Value> {
    items(&mut response, "results")
        .iter_mut()
        .filter_map(|result| result.get_mut("person").map(Value::take))
        .collect()
}

fn merge(contacts: Vec<Value>, other_contacts: Vec<Value>) -> Vec<Value> {
    let mut seen: HashSet<String> = contacts.iter().flat_map(addresses).collect();
    let mut merged: Vec<Value> = contacts
        .into_iter()
        .map(|person| json!({ "origin": "contact", "person": person }))
        .collect();
    for person in other_contacts {
        let own: Vec<String> = addresses(&person).collect();
        let known = !own.is_empty() && own.iter().all(|address| seen.contains(address));
        seen.extend(own);
        if !known {
            merged.push(json!({ "origin": "other_contact", "person": person }));
        }
    }
    merged
}

/// A person's email addresses in lower case.
fn addresses(person: &Value) -> impl Iterator<Item = String> {
    let listed = person["emailAddresses"].as_array().into_iter().flatten();
    listed.filter_map(|address| Some(address["value"].as_str()?.trim().to_lowercase()))
}
