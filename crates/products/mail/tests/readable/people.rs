//! People with the fields that the call names.

use serde_json::json;
use stead_mail::{GetContacts, SearchPeople};

use crate::read;

#[test]
fn fields_that_the_call_names_are_in_the_view() {
    let person = json!({
        "resourceName": "people/c1", "etag": "%x", "names": [{ "displayName": "Ada" }],
        "birthdays": [{ "metadata": { "primary": true }, "date": { "year": 1815, "month": 12, "day": 10 } }],
        "addresses": [{ "formattedValue": "12 St James's Square", "type": "home" }],
        "biographies": [{ "value": "Wrote the first program" }],
    });
    let fields = json!(["names", "birthdays", "addresses", "biographies"]);
    let expected = json!({
        "birthdays": [{ "date": { "year": 1815, "month": 12, "day": 10 } }],
        "addresses": [{ "formattedValue": "12 St James's Square", "type": "home" }],
        "biographies": [{ "value": "Wrote the first program" }],
    });
    let contacts = read::<GetContacts>(
        &json!({ "person_fields": fields }),
        &[json!({ "connections": [person] })],
    );
    assert_eq!(contacts.view["contacts"][0]["fields"], expected);
    let found = read::<SearchPeople>(
        &json!({ "query": "a", "person_fields": fields }),
        &[json!({}), json!({ "results": [{ "person": person }] })],
    );
    assert_eq!(found.view["people"][0]["fields"], expected);
}

#[test]
fn details_beyond_the_short_form_are_in_the_view() {
    let person = json!({
        "resourceName": "people/c1", "etag": "%x",
        "names": [{ "displayName": "Ada", "metadata": { "primary": true } }, { "displayName": "Countess of Lovelace" }],
        "emailAddresses": [{ "value": "ada@example.com", "metadata": { "primary": true } }],
        "phoneNumbers": [{ "value": "020 7946 0000", "canonicalForm": "+442079460000", "type": "home", "formattedType": "Home" }],
        "organizations": [{ "name": "Engines", "title": "Engineer", "department": "Notes" }],
        "photos": [{ "url": "https://lh3.example/x" }],
    });
    let contacts = read::<GetContacts>(
        &json!({ "person_fields": ["names", "emailAddresses", "phoneNumbers", "organizations", "photos"] }),
        &[json!({ "connections": [person] })],
    );
    assert_eq!(
        contacts.view["contacts"][0],
        json!({
            "resource_name": "people/c1", "name": "Ada", "emails": ["ada@example.com"], "phones": ["020 7946 0000"],
            "organizations": ["Engineer, Engines"],
            "fields": {
                "names": [{ "displayName": "Ada" }, { "displayName": "Countess of Lovelace" }],
                "phoneNumbers": [{ "value": "020 7946 0000", "type": "home" }],
                "organizations": [{ "name": "Engines", "title": "Engineer", "department": "Notes" }],
                "photos": [{ "url": "https://lh3.example/x" }],
            },
        })
    );
}
