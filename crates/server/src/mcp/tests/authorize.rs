//! A call asks the user to authorize, and the same call then succeeds.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    Client, LIST_DRAFTS,
    clients::{open, send},
    last_message, text, with_account,
};
use crate::testing::{TestService, json_response};

/// A service with the connection `mail`, at which `u2` has no account; and the connection's ID.
async fn service() -> (TestService, String) {
    let service = TestService::with_products(|_| json_response(&json!({ "drafts": [] }))).await;
    let connection = service.connect_mail().await;
    (service, connection)
}

/// The user opens the link and allows everything.
pub(super) async fn allow(service: &TestService, connection: &str, link: &str) {
    let path = link.strip_prefix("http://127.0.0.1").unwrap();
    let (state, cookie) = service.consent(path).await;
    let back = service.come_back(connection, &state, &cookie).await;
    assert_eq!(back.status, StatusCode::SEE_OTHER);
}

#[tokio::test(start_paused = true)]
async fn without_another_way_the_link_is_text() {
    let (service, connection) = service().await;
    let client = Client::new(&service, json!({ "identifier": "u2" })).await;
    let asked = client.call(LIST_DRAFTS, &json!({})).await;
    assert_eq!(asked["isError"], true);
    let lines: Vec<&str> = text(&asked).lines().collect();
    let [sentence, link, then] = lines.as_slice() else {
        panic!("{asked}");
    };
    assert_eq!(*sentence, "Connect Gmail to continue.");
    assert!(link.starts_with("http://127.0.0.1/connect/"), "{link}");
    assert_eq!(*then, "Then try again.");
    // A second call gets the same link.
    let again = client.call(LIST_DRAFTS, &json!({})).await;
    assert_eq!(text(&again), text(&asked));
    let check = json!({ "connection_name": "mail" });
    let checked = client.call("stead_check_authorization", &check).await;
    assert_eq!(checked["structuredContent"]["authorized"], false);
    let got = client.call("stead_get_authorization_link", &check).await;
    assert!(text(&got).contains("http://127.0.0.1/connect/"), "{got}");
    allow(&service, &connection, link).await;
    let checked = client.call("stead_check_authorization", &check).await;
    assert_eq!(checked["structuredContent"]["authorized"], true);
    assert_eq!(text(&checked), "Gmail is connected.");
    let none = client.call("stead_get_authorization_link", &check).await;
    assert_eq!(text(&none), "Gmail is connected; no link is needed.");
    let done = client.call(LIST_DRAFTS, &json!({})).await;
    assert_eq!(done["isError"], false, "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_permission_that_is_missing_is_asked_for_in_the_same_way() {
    let service = with_account().await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let asked = client.call("mail_get_contacts", &json!({})).await;
    assert!(
        text(&asked).starts_with("Allow more access to Gmail to continue.\nhttp://"),
        "{asked}"
    );
}

/// A retry of a call, with the user's decision.
fn retry(asked: &Value, arguments: &Value, action: &str) -> Value {
    json!({
        "name": LIST_DRAFTS,
        "arguments": arguments,
        "requestState": asked["requestState"],
        "inputResponses": { "authorize_mail": { "action": action } },
    })
}

#[tokio::test(start_paused = true)]
async fn a_newer_client_is_asked_for_input_and_continues() {
    let (service, connection) = service().await;
    let client = Client::opening(&service, json!({ "identifier": "u2" })).await;
    let asked = client.call(LIST_DRAFTS, &json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let request = &asked["inputRequests"]["authorize_mail"];
    assert_eq!(request["method"], "elicitation/create");
    let params = &request["params"];
    assert_eq!(params["mode"], "url");
    assert_eq!(params["message"], "Connect Gmail to continue.");
    let link = params["url"].as_str().unwrap();

    // The user has accepted but isn't back: the call waits a while, and asks again with the same link.
    let params = retry(&asked, &json!({}), "accept");
    let waiting = client.ask("tools/call", params).await;
    let again = &waiting["result"];
    assert_eq!(again["resultType"], "input_required", "{waiting}");
    assert_eq!(again["inputRequests"], asked["inputRequests"]);

    // A changed state, or one of another call or session, is rejected.
    let mut changed = asked.clone();
    changed["requestState"] = json!("AAAA");
    let other = Client::opening(&service, json!({ "identifier": "u2" })).await;
    for (client, params) in [
        (&client, retry(&changed, &json!({}), "accept")),
        (
            &client,
            retry(&asked, &json!({ "max_results": 1 }), "accept"),
        ),
        (&other, retry(&asked, &json!({}), "accept")),
    ] {
        let refused = client.ask("tools/call", params).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }

    let params = retry(&asked, &json!({}), "decline");
    let declined = client.ask("tools/call", params).await;
    let declined = &declined["result"];
    assert_eq!(
        declined["_meta"]["stead/error"]["kind"],
        "authorization_declined"
    );

    allow(&service, &connection, link).await;
    let params = retry(&asked, &json!({}), "accept");
    let done = client.ask("tools/call", params).await;
    assert_eq!(done["result"]["isError"], false, "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_client_of_the_older_revision_without_a_callback_reads_the_link() {
    let (service, connection) = service().await;
    let client = Client::new(&service, json!({ "identifier": "u2" })).await;
    let session = open(&client, &json!({ "elicitation": {} })).await;
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": LIST_DRAFTS, "arguments": {} },
    });
    let asked = last_message(&send(&client, Some(&session), &call).await);
    let link = text(&asked["result"]).lines().nth(1).unwrap();
    allow(&service, &connection, link).await;
    let done = last_message(&send(&client, Some(&session), &call).await);
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(done["result"]["resultType"], Value::Null);
    // Another token can't continue what one has opened.
    let other = Client::new(&service, json!({ "identifier": "u2" })).await;
    let list = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    let refused = send(&other, Some(&session), &list).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
}
