//! How a user is asked to authorize, and that the same call goes through after it.

use std::time::Duration;

use axum::body::Body;
use http::StatusCode;
use serde_json::{Value, json};

use super::{Client, LIST_DRAFTS, OLD, last_message, text, with_account};
use crate::testing::{TestService, json_response};

/// A service with the connection `mail`, of which `u2` knows nothing; and the connection's id.
async fn service() -> (TestService, String) {
    let service = TestService::with_products(|_| json_response(&json!({ "drafts": [] }))).await;
    let connection = service.connect_mail().await;
    (service, connection)
}

/// The user opens the link and allows everything.
async fn allow(service: &TestService, connection: &str, link: &str) {
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
    // Asked again, it is the same link.
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

/// A retry of a call, with what the user did.
fn retry(asked: &Value, arguments: &Value, action: &str) -> Value {
    json!({
        "name": LIST_DRAFTS,
        "arguments": arguments,
        "requestState": asked["requestState"],
        "inputResponses": { "authorize_mail": { "action": action } },
    })
}

#[tokio::test(start_paused = true)]
async fn a_newer_client_is_asked_for_input_and_goes_on() {
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

    // Accepted, and the user is not back: the call waits a while, and asks again with the same link.
    let params = retry(&asked, &json!({}), "accept");
    let waiting = client.ask("tools/call", params).await;
    let again = &waiting["result"];
    assert_eq!(again["resultType"], "input_required", "{waiting}");
    assert_eq!(again["inputRequests"], asked["inputRequests"]);

    // What was changed, and what is of another call or session, is refused.
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
async fn a_client_of_the_older_revision_is_told_by_an_error() {
    let (service, connection) = service().await;
    for (capabilities, opens) in [
        (json!({ "elicitation": { "url": {}, "form": {} } }), true),
        (json!({ "elicitation": {} }), false),
    ] {
        let client = Client::new(&service, json!({ "identifier": "u2" })).await;
        let params = json!({
            "protocolVersion": OLD, "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" },
        });
        let send = async |session: Option<&str>, message: Value| {
            let mut request = client.request();
            if let Some(session) = session {
                request = request
                    .header("mcp-session-id", session)
                    .header("mcp-protocol-version", OLD);
            }
            service
                .send(request.body(Body::from(message.to_string())).unwrap())
                .await
        };
        let initialize =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let opened = send(None, initialize).await;
        assert_eq!(last_message(&opened)["result"]["protocolVersion"], OLD);
        let session = opened.header("mcp-session-id");
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(send(Some(session), done).await.status, StatusCode::ACCEPTED);
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": LIST_DRAFTS, "arguments": {} },
        });
        let asked = last_message(&send(Some(session), call.clone()).await);
        let link = if opens {
            assert_eq!(asked["error"]["code"], -32042, "{asked}");
            let elicitation = &asked["error"]["data"]["elicitations"][0];
            assert_eq!(elicitation["mode"], "url");
            assert!(elicitation["elicitationId"].as_str() > Some("auth_"));
            elicitation["url"].as_str().unwrap().to_owned()
        } else {
            text(&asked["result"]).lines().nth(1).unwrap().to_owned()
        };
        if opens {
            assert!(link.starts_with("http://127.0.0.1/connect/"), "{link}");
            continue;
        }
        allow(&service, &connection, &link).await;
        let done = last_message(&send(Some(session), call).await);
        assert_eq!(done["result"]["isError"], false, "{done}");
        assert_eq!(done["result"]["resultType"], Value::Null);
        // What one token has opened, another one does not continue.
        let other = Client::new(&service, json!({ "identifier": "u2" })).await;
        let list = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
        let request = other
            .request()
            .header("mcp-session-id", session)
            .header("mcp-protocol-version", OLD);
        let request = request.body(Body::from(list.to_string())).unwrap();
        assert_eq!(service.send(request).await.status, StatusCode::NOT_FOUND);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
}
