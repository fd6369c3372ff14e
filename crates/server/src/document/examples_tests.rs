//! Checks the document's examples against a service. It accepts every request, and every response has the form of its
//! example.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use http::{Request, header};
use serde_json::{Value, json};
use stead_core::environment::Verification;
use url::form_urlencoded;

use super::document;
use crate::testing::{Received, TestResponse, TestService, json_response};

/// Every operation with JSON in its request or response, in an order in which each one finds what it needs.
/// `name=/pointer` keeps a value of the response for later operations, such as a path parameter of this name.
const STEPS: &str = "
GET /
GET /healthz
GET /readyz
POST /v1/app-credentials client_id=/client_id client_secret=/client_secret secret_id=/secret_id
POST /oauth/token
GET /v1/app-credentials
PATCH /v1/app-credentials/{client_id}
POST /v1/app-credentials/{client_id}/rotate
GET /v1/app-credentials/{client_id}
DELETE /v1/app-credentials/{client_id}/secrets/{secret_id}
DELETE /v1/app-credentials/{client_id}
POST /v1/connections connection_id=/id
GET /v1/connections
POST /v1/account-imports
GET /v1/connections/{connection_name}
PATCH /v1/connections/{connection_name}
POST /v1/authorization-links authorization_id=/authorization_id link=/link
GET /v1/authorizations/{authorization_id}
POST /v1/authorizations/{authorization_id}/verify
GET /v1/accounts
GET /v1/accounts/{connection_name}/{identifier}
POST /v1/webhooks webhook_id=/id
POST /v1/accounts/{connection_name}/{identifier}/suspend
POST /v1/accounts/{connection_name}/{identifier}/resume
POST /v1/accounts/{connection_name}/{identifier}/refresh
POST /v1/account-tokens token_id=/token_id
GET /v1/account-tokens
DELETE /v1/account-tokens/{token_id}
POST /v1/mcp-sessions session_id=/session_id
GET /v1/mcp-sessions
GET /v1/mcp-sessions/{session_id}
DELETE /v1/mcp-sessions/{session_id}
PUT /v1/policies/{policy_name} policy_name=/name
GET /v1/policies
GET /v1/policies/{policy_name}
POST /v1/policies/test
GET /v1/approvals
GET /v1/approvals/{approval_id}
POST /v1/approvals/{approval_id}/approve
POST /v1/approvals/{approval_id}/deny
DELETE /v1/policies/{policy_name}
GET /v1/tools
GET /v1/tools/{name}
POST /v1/tools/{name}/execute execution_id=/execution_id
POST /v1/tool-calls
POST /v1/proxy
GET /v1/executions
GET /v1/executions/totals
GET /v1/executions/{execution_id}
GET /v1/events
GET /v1/webhooks
PATCH /v1/webhooks/{webhook_id}
GET /v1/webhooks/{webhook_id}
GET /v1/webhooks/{webhook_id}/deliveries event_id=/items/0/event_id
POST /v1/webhooks/{webhook_id}/deliveries/{event_id}/replay
POST /v1/webhooks/{webhook_id}/test
POST /v1/webhooks/{webhook_id}/rotate-secret
POST /v1/webhooks/{webhook_id}/replay
DELETE /v1/webhooks/{webhook_id}
POST /v1/members member_id=/member_id
GET /v1/members
GET /v1/members/{member_id}
POST /v1/members/{member_id}/reset
PATCH /v1/members/{member_id}
DELETE /v1/members/{member_id}
POST /v1/keys key_id=/key_id
POST /v1/keys/{key_id}/activate
POST /v1/keys/reencrypt
GET /v1/keys key_id=/data_keys/0/key_id
POST /v1/keys/{key_id}/retire
POST /v1/keys/rewrap
GET /v1/audit
GET /v1/audit/verify
DELETE /v1/accounts/{connection_name}/{identifier}
DELETE /v1/connections/{connection_name}
";

/// Operations whose responses can't match an example: documents, the product's own responses, and files.
fn is_free(operation: &str) -> bool {
    ["GET /openapi.json", "GET /v1/files/{handle}"].contains(&operation)
        || operation.contains(" /proxy/")
}

/// A mailbox with one message, and an application that only accepts test events.
fn respond(received: &Received) -> http::Response<stead_core::ports::Body> {
    if received.headers.contains_key("webhook-id") {
        let mut response = json_response(&json!("ok"));
        if !received
            .body
            .windows(12)
            .any(|part| part == b"webhook.test")
        {
            *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
        }
        return response;
    }
    json_response(&match received.uri.split('?').next() {
        Some(uri) if uri.ends_with("/messages") => {
            json!({ "messages": [{ "id": "18c1", "threadId": "18c1" }], "resultSizeEstimate": 1 })
        }
        Some(uri) if uri.ends_with("/messages/18c1") => json!({
            "id": "18c1", "threadId": "18c1", "labelIds": ["UNREAD", "INBOX"], "snippet": "See you at noon",
            "internalDate": "1763776800000", "sizeEstimate": 512,
            "payload": {
                "mimeType": "text/plain",
                "headers": [
                    { "name": "Subject", "value": "Lunch" }, { "name": "From", "value": "Grace <grace@example.com>" },
                    { "name": "To", "value": "ada@example.com" }, { "name": "Date", "value": "Sat, 22 Nov 2025 02:00:00 +0000" },
                ],
                "body": { "size": 15, "data": "U2VlIHlvdSBhdCBub29u" },
            },
        }),
        _ => json!({ "emailAddress": "ada@example.com", "messagesTotal": 1 }),
    })
}

#[tokio::test(start_paused = true)]
async fn every_example_request_works_and_responses_match_their_examples() {
    let service = TestService::open("http://127.0.0.1", Verification::Application, respond).await;
    let document = document("http://127.0.0.1");
    let mut known = BTreeMap::from([
        ("connection_name", String::from("mail")),
        ("identifier", String::from("user-1")),
        ("name", String::from("mail_fetch_mails")),
        ("policy_name", String::from("mail-agent")),
    ]);
    let mut left: BTreeSet<String> = super::tests::operations(&document)
        .map(|(name, _)| name)
        .filter(|name| !is_free(name))
        .collect();
    let (mut shown, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for line in STEPS.trim().lines() {
        let words: Vec<&'static str> = line.split(' ').collect();
        let [method, template, learned @ ..] = words.as_slice() else {
            panic!("{line}")
        };
        let step = format!("{method} {template}");
        assert!(left.remove(&step), "{step} is not an operation, or twice");
        let operation = &document["paths"][*template][method.to_lowercase()];
        let response = send(&service, method, template, operation, &known).await;
        assert!(response.status.is_success(), "{step}: {}", response.text());
        if let Some(content) = operation["responses"][response.status.as_str()].get("content") {
            let content = &content["application/json"];
            let Ok(value) = serde_json::from_slice::<Value>(&response.body) else {
                panic!("{step}: {}", response.text());
            };
            if step != "POST /v1/proxy" {
                let name = content["schema"]["$ref"].as_str().unwrap();
                let example = content.get("example");
                let example = example.unwrap_or_else(|| panic!("{step}: {value:#}"));
                places(name, example, &mut shown);
                compare(name, example, &value, &mut seen);
            }
            for one in learned {
                let (name, pointer) = one.split_once('=').unwrap();
                let text = value.pointer(pointer).and_then(Value::as_str).unwrap();
                known.insert(name, text.to_owned());
            }
        }
        if step == "POST /v1/authorization-links" {
            let link = known["link"].strip_prefix("http://127.0.0.1").unwrap();
            let (state, cookie) = service.consent(link).await;
            let connection_id = &known["connection_id"];
            service.come_back(connection_id, &state, &cookie).await;
        }
        if step == "POST /v1/policies/test" {
            known.insert("approval_id", service.asked_for_approval("user-1").await);
        }
        // Calls appear in the history a moment later, and this clock doesn't wait.
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(left.is_empty(), "no step sends {left:?}");
    let missing: Vec<_> = shown.difference(&seen).collect();
    assert!(missing.is_empty(), "never responded so: {missing:#?}");
}

/// Sends the example of a request with known parameters.
async fn send(
    service: &TestService,
    method: &str,
    template: &str,
    operation: &Value,
    known: &BTreeMap<&str, String>,
) -> TestResponse {
    let mut path = template.to_owned();
    for (name, value) in known {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    if template == "/v1/account-tokens" && method == "GET" {
        path += "?connection_name=mail&identifier=user-1";
    }
    let body = operation.get("requestBody").map(|body| &body["content"]);
    let Some(body) = body else {
        return service.call(method, &path, None).await;
    };
    let of = |media_type: &str| body[media_type].get("example").cloned();
    if let Some(form) = of("application/x-www-form-urlencoded") {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        for (name, example) in form.as_object().unwrap() {
            let value = known.get(name.as_str()).map(String::as_str);
            encoded.append_pair(name, value.or(example.as_str()).unwrap());
        }
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(encoded.finish().into());
        return service.send(request.unwrap()).await;
    }
    let example = of("application/json").unwrap_or_else(|| panic!("{method} {template}"));
    service.call(method, &path, Some(example)).await
}

/// The places of a value's members, and of the first item of each list.
fn places(at: &str, value: &Value, all: &mut BTreeSet<String>) {
    all.insert(at.to_owned());
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, member)| places(&format!("{at}/{name}"), member, all)),
        Value::Array(items) => items
            .iter()
            .for_each(|item| places(&format!("{at}/0"), item, all)),
        _ => {}
    }
}

/// The places of an example at which a response has a value of the same form.
fn compare(at: &str, example: &Value, value: &Value, seen: &mut BTreeSet<String>) {
    if form(example) != form(value) {
        return;
    }
    seen.insert(at.to_owned());
    match (example, value) {
        (Value::Object(examples), Value::Object(members)) => {
            for (name, example) in examples {
                if let Some(member) = members.get(name) {
                    compare(&format!("{at}/{name}"), example, member, seen);
                }
            }
        }
        (Value::Array(examples), Value::Array(items)) => {
            for example in examples {
                let at = format!("{at}/0");
                items
                    .iter()
                    .for_each(|item| compare(&at, example, item, seen));
            }
        }
        _ => {}
    }
}

/// The form of a value. IDs and secrets keep their prefix, and digests their length.
fn form(value: &Value) -> String {
    let Value::String(text) = value else {
        let kinds = ["null", "bool", "number", "list", "object"];
        let is = [
            value.is_null(),
            value.is_boolean(),
            value.is_number(),
            value.is_array(),
            value.is_object(),
        ];
        return kinds[is.iter().position(|is| *is).unwrap()].to_owned();
    };
    let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let secrets = [
        "stead_account_",
        "stead_mcp_",
        "stead_secret_",
        "stead_token_",
        "whsec_",
    ];
    if let Some(prefix) = secrets.iter().find(|prefix| text.starts_with(**prefix)) {
        return (*prefix).to_owned();
    }
    match text.rsplit_once('_') {
        Some((prefix, digits)) if digits.len() >= 16 && is_hexadecimal(digits) => {
            format!("{prefix}_{}", digits.len())
        }
        _ if text.parse::<jiff::Timestamp>().is_ok() => String::from("time"),
        _ if text.len() >= 12 && is_hexadecimal(text) => text.len().to_string(),
        _ => String::from("text"),
    }
}
