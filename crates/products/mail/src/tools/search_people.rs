//! A search of people by the product's own index, which has to be woken.

use std::{collections::HashSet, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    ErrorKind, Result,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};
use stead_google::items;

use crate::{Person, PersonField, origins::PEOPLE, readable::FoundPeopleView, scopes};

/// Find people by the start of a name or mail address: in the user's contacts, and on request among people that the
/// user wrote with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchPeople {
    /// Start of a name or of a mail address.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Also people who are not in the contacts; needs a scope of its own.
    pub other_contacts: Option<bool>,
    /// Most people from each of the two; 10 when absent, never more than 30.
    #[schemars(range(min = 1))]
    pub page_size: Option<u32>,
    /// Fields of each person; names, mail addresses, phone numbers, organizations and photos when absent, in the
    /// readable view without photos. Mail addresses are always among those of `other_contacts`.
    #[schemars(length(min = 1))]
    pub person_fields: Option<Vec<PersonField>>,
}

/// Time that the product's index takes to wake, by experience ("after a few seconds", People API, "Search the user's
/// contacts").
const WAKING: Duration = Duration::from_secs(2);

/// People that the product returns at most (People API, `people.searchContacts`, `pageSize`).
const MOST_PEOPLE: u32 = 30;

/// The people that were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundPeople {
    /// Contacts first, then the people whom the user only wrote with.
    pub people: Vec<FoundPerson>,
}

/// A person who was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundPerson {
    /// Where the person is known from: `contact` or `other_contact`.
    pub origin: String,
    /// The person, as the product has it.
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
        let mut others = wanted && call.has_scope(scopes::READ_OTHER_CONTACTS);
        let mut asleep = false;

        let mut found = self.search(call, io, others).await?;
        others = found.others;
        if found.people.is_empty() {
            // The empty query wakes the index; its results say nothing.
            io.send_all(self.requests(call, "", others)).await;
            match io.pause(WAKING).await {
                Ok(()) => found = self.search(call, io, others).await?,
                Err(_) => asleep = true,
            }
        }

        let mut output = Output::from(json!({ "people": found.people }));
        if wanted && !found.others {
            let message = format!(
                "other contacts were not searched: the user has not granted {}",
                scopes::OTHER_CONTACTS_READONLY
            );
            output = output.warn("scope_missing", message);
        }
        if self.page_size > Some(MOST_PEOPLE) {
            let message = format!(
                "the product returns {MOST_PEOPLE} people at most and has no further pages; make the query longer to find others"
            );
            output = output.warn("page_size_reduced", message);
        }
        if asleep {
            let message = "the product's index may have been asleep, and the deadline left no time to ask again; search again";
            output = output.warn("index_asleep", message);
        }
        Ok(output)
    }
}

struct Found {
    people: Vec<Value>,
    /// Whether other contacts were searched.
    others: bool,
}

impl SearchPeople {
    /// One search. Other contacts without their scope are left out; any other error is the call's.
    async fn search(&self, call: &Call, io: Io<'_>, mut others: bool) -> Result<Found> {
        let mut responses = io
            .send_all(self.requests(call, &self.query, others))
            .await
            .into_iter();
        let mut contacts = Vec::new();
        if let Some(response) = responses.next() {
            contacts = people(response?.json()?);
        }
        let mut other_contacts = Vec::new();
        match responses.next() {
            Some(Err(error)) if error.kind() == ErrorKind::ScopeMissing => others = false,
            Some(response) => other_contacts = people(response?.json()?),
            None => {}
        }
        Ok(Found {
            people: merge(contacts, other_contacts),
            others,
        })
    }

    fn requests(&self, call: &Call, query: &str, others: bool) -> Vec<ApiRequest> {
        let mut fields = self
            .person_fields
            .clone()
            .unwrap_or_else(|| PersonField::defaults(call).to_vec());
        if others && !fields.contains(&PersonField::EmailAddresses) {
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
        let mut requests = vec![request("people", "searchContacts", &fields)];
        if others {
            fields.retain(|field| PersonField::OF_OTHER_CONTACTS.contains(field));
            requests.push(request("otherContacts", "search", &fields));
        }
        requests
    }
}

/// The persons of a search's results.
fn people(mut response: Value) -> Vec<Value> {
    items(&mut response, "results")
        .iter_mut()
        .filter_map(|result| result.get_mut("person").map(Value::take))
        .collect()
}

/// Contacts first; then the other contacts of whom no address has been seen.
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

/// A person's mail addresses in lower case.
fn addresses(person: &Value) -> impl Iterator<Item = String> {
    let listed = person["emailAddresses"].as_array().into_iter().flatten();
    listed.filter_map(|address| Some(address["value"].as_str()?.trim().to_lowercase()))
}
