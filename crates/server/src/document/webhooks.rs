//! Requests that Stead sends to an application's webhooks: one for each type of events.

use serde_json::{Map, Value, json};
use stead_core::resource::{EVENT_TYPES, EventType};

/// Every event type, by name.
pub(super) fn all(event: &Value) -> Value {
    let all = EVENT_TYPES.iter();
    let all = all.map(|of| (of.name.to_owned(), json!({ "post": request(of, event) })));
    Value::Object(all.collect::<Map<String, Value>>())
}

/// The request that an application's server gets when such an event happens.
fn request(of: &EventType, event: &Value) -> Value {
    let members = of.data.iter().map(|name| ((*name).to_owned(), json!({})));
    let data: Map<String, Value> = members.collect();
    json!({
        "tags": ["webhooks"],
        "operationId": format!("on_{}", of.name.replace('.', "_")),
        "summary": of.when,
        "parameters": [
            header("webhook-id", "ID of the event. It's the same at every attempt, so you can detect repeats."),
            header("webhook-timestamp", "Time of this attempt, in seconds since 1970."),
            header(
                "webhook-signature",
                "One or two signatures with a space between them, as Standard Webhooks describes. Verify one before you read the body.",
            ),
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": { "allOf": [
                event,
                { "type": "object", "properties": {
                    "type": { "const": of.name },
                    "data": { "type": "object", "properties": data },
                } },
            ] } } },
        },
        "responses": {
            "2XX": { "description": "Your application has the event. Stead sends it again after any other response." },
        },
    })
}

fn header(name: &str, description: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": true, "description": description,
        "schema": { "type": "string" },
    })
}
