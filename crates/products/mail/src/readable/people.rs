//! The readable views of people, without the product's metadata.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, items_of, text_of};

/// A person, shortened.
#[derive(Debug, Serialize, JsonSchema)]
struct PersonView {
    /// Name of the product's object, such as `people/c12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_name: Option<String>,
    /// `contact`, or `other_contact` for someone whom the user only exchanged mails with; only in a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// Name, as it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Email addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    emails: Vec<String>,
    /// Phone numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phones: Vec<String>,
    /// Employers, such as `Engineer, Analytical Engines`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    organizations: Vec<String>,
    /// Other requested fields, such as `birthdays`, as the product returns them. Also the fields above, if they contain
    /// more.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
}

/// Fields that the view shows in another form, and the members that it shows.
const SHOWN: [(&str, &[&str]); 5] = [
    ("resourceName", &[]),
    ("etag", &[]),
    ("emailAddresses", &["value"]),
    ("phoneNumbers", &["value"]),
    ("organizations", &["title", "name"]),
];
/// Members without information about the person: the source of a value, or the value in another form.
const ASIDES: [&str; 3] = ["metadata", "formattedType", "canonicalForm"];

impl PersonView {
    fn of(person: &Value, origin: Option<String>) -> Self {
        let values = |list: &str| {
            let points = items_of(&person[list]).iter();
            points
                .filter_map(|point| text_of(&point["value"]))
                .collect()
        };
        let place = |place: &Value| {
            let parts = [&place["title"], &place["name"]];
            let parts: Vec<&str> = parts.into_iter().filter_map(Value::as_str).collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        };
        Self {
            resource_name: text_of(&person["resourceName"]),
            origin,
            name: text_of(&person["names"][0]["displayName"]),
            emails: values("emailAddresses"),
            phones: values("phoneNumbers"),
            organizations: items_of(&person["organizations"])
                .iter()
                .filter_map(place)
                .collect(),
            fields: other_fields(person),
        }
    }
}

/// Members that the view doesn't show in another form, such as the kind of a phone number.
fn other_fields(person: &Value) -> Map<String, Value> {
    let mut fields = person.as_object().cloned().unwrap_or_default();
    for entry in fields
        .values_mut()
        .filter_map(Value::as_array_mut)
        .flatten()
    {
        if let Some(members) = entry.as_object_mut() {
            members.retain(|name, _| !ASIDES.contains(&name.as_str()));
        }
    }
    for (name, shown) in SHOWN {
        let says_more = |entry: &Value| {
            let mut members = entry.as_object().into_iter().flatten();
            members.any(|(name, _)| !shown.contains(&name.as_str()))
        };
        if items_of(fields.get(name).unwrap_or(&Value::Null))
            .iter()
            .any(says_more)
        {
            continue;
        }
        fields.remove(name);
    }
    // A single name is shown completely.
    if items_of(&person["names"]).len() <= 1 && person["names"][0]["displayName"].is_string() {
        fields.remove("names");
    }
    fields
}

/// A page of contacts, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContactsView {
    /// The contacts.
    contacts: Vec<PersonView>,
    /// Token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    /// Total number of contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_items: Option<u64>,
}

impl Readable for ContactsView {
    const UNTRUSTED: &'static [&'static str] = &[
        "contacts[].name",
        "contacts[].organizations",
        "contacts[].fields",
    ];

    fn of(result: Value) -> Self {
        let contacts = items_of(&result["contacts"]).iter();
        Self {
            contacts: contacts
                .map(|person| PersonView::of(person, None))
                .collect(),
            next_page_token: text_of(&result["next_page_token"]),
            total_items: result["total_items"].as_u64(),
        }
    }
}

/// The people that were found, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundPeopleView {
    /// Contacts first, then people whom the user only exchanged mails with.
    people: Vec<PersonView>,
}

impl Readable for FoundPeopleView {
    const UNTRUSTED: &'static [&'static str] =
        &["people[].name", "people[].organizations", "people[].fields"];

    fn of(result: Value) -> Self {
        let people = items_of(&result["people"]).iter();
        let view = |found: &Value| PersonView::of(&found["person"], text_of(&found["origin"]));
        Self {
            people: people.map(view).collect(),
        }
    }
}
