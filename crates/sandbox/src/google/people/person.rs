//! A person in the People API's shape.

use serde_json::{Map, Value, json};

use crate::{google::world::Person, ids};

/// `Person` with the masked fields; name and etag are always there.
pub(super) fn person(person: &Person, fields: &[String]) -> Value {
    let mut value = Map::new();
    value.insert("resourceName".to_owned(), json!(person.resource_name));
    value.insert(
        "etag".to_owned(),
        json!(ids::seal(
            "etag",
            &format!("{}{}", person.resource_name, person.modified)
        )),
    );
    for name in fields {
        // A field without a value is absent.
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

/// The type, and the same for a reader; nothing if there is no type.
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
