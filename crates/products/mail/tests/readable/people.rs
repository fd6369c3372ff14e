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
        &[json!({ "results": [{ "person": person }] })],
    );
    assert_eq!(found.view["people"][0]["fields"], expected);
}
