//! Mistakes of an application, and a clear response to each.

use serde_json::{Value, json};
use stead_core::resource::NewConnection;

use crate::stage::Stage;

#[tokio::test]
async fn a_tools_input() {
    let stage = Stage::connected().await;
    let before = stage.received();
    for (input, path, words) in [
        (json!({ "max_resluts": 1 }), "/max_resluts", "one of: "),
        (json!({ "max_results": "many" }), "/max_results", "integer"),
        (json!({ "max_results": 0 }), "/max_results", "minimum"),
        (json!({ "max_results": 501 }), "/max_results", "maximum"),
        (json!({ "page_token": [] }), "/page_token", "string"),
        (
            json!({ "maxResults": 1 }),
            "/maxResults",
            "did you mean max_results?",
        ),
        (json!([1]), "", "object"),
    ] {
        let reply = stage
            .execute("mail_list_drafts", "user-1", input.clone())
            .await;
        assert_eq!(
            reply.kind(),
            "schema_violation",
            "{input}: {}",
            reply.text()
        );
        let violation = &reply.json()["violations"][0];
        assert_eq!(violation["path"], path, "{input}: {violation}");
        assert!(
            violation["message"].as_str().unwrap().contains(words),
            "{input}: {violation}"
        );
    }
    let missing = stage
        .execute("mail_get_message_by_id", "user-1", json!({}))
        .await;
    assert_eq!(missing.json()["violations"][0]["path"], "/message_id");
    let several = stage
        .execute(
            "mail_list_drafts",
            "user-1",
            json!({ "max_results": 0, "x": 1, "page_token": false }),
        )
        .await;
    assert_eq!(
        several.json()["violations"].as_array().unwrap().len(),
        3,
        "every place is listed"
    );
    assert_eq!(stage.received(), before, "nothing was sent");
}

#[tokio::test]
async fn unambiguous_input_is_coerced() {
    let stage = Stage::connected().await;
    for (tool, input) in [
        ("mail_list_drafts", json!({ "max_results": 1.0 })),
        (
            "mail_list_drafts",
            json!({ "max_results": "1", "page_token": null, "tool_version": null }),
        ),
        (
            "mail_fetch_mails",
            json!({ "label_ids": "[\"INBOX\"]", "max_results": 1, "format": "FULL" }),
        ),
    ] {
        let reply = stage.execute(tool, "user-1", input.clone()).await;
        assert_eq!(reply.status, 200, "{input}: {}", reply.text());
    }
}

#[tokio::test]
async fn names() {
    let stage = Stage::connected().await;
    let body = |connection: &str, identifier: &str| json!({ "connection_name": connection, "identifier": identifier, "input": {} });
    let execute = async |tool: &str, body: Value| {
        stage
            .post(&format!("/v1/tools/{tool}/execute"), &body)
            .await
    };

    let unknown = execute("mail_list_draft", body("mail", "user-1")).await;
    assert_eq!(unknown.kind(), "unknown_tool");
    assert!(
        unknown.json()["detail"]
            .as_str()
            .unwrap()
            .contains("mail_list_drafts"),
        "similar names are listed"
    );
    for (connection, identifier, kind) in [
        ("nothing", "user-1", "unknown_connection"),
        ("mail", "stranger", "authorization_required"),
        ("mail", "", "invalid_request"),
    ] {
        let reply = execute("mail_list_drafts", body(connection, identifier)).await;
        assert_eq!(reply.kind(), kind);
    }
    let extra = json!({ "connection_name": "mail", "identifier": "user-1", "inputs": {} });
    assert_eq!(
        execute("mail_list_drafts", extra).await.kind(),
        "invalid_request"
    );
}

#[tokio::test]
async fn a_connection_of_another_product() {
    use stead_core::{catalogue::Catalogue, product::Product};
    static OTHER: Product = Product {
        name: "other",
        title: "Other",
        origins: stead::mail::PRODUCT.origins,
        oauth: stead::mail::PRODUCT.oauth,
        ..Product::BASE
    };
    let catalogue = Some(Catalogue::new([&stead::mail::PRODUCT, &OTHER]));
    let stage = Stage::set(crate::stage::Setting {
        catalogue,
        ..Default::default()
    })
    .await;
    let new = NewConnection::new("other", "other").client("id", "secret");
    stage.platform.environment().send(new).await.unwrap();
    stage
        .post(
            "/v1/authorization-links",
            &json!({ "connection_name": "other", "identifier": "user-1" }),
        )
        .await;
    let body = json!({ "connection_name": "other", "identifier": "user-1", "input": {} });
    assert_eq!(
        stage
            .post("/v1/tools/mail_list_drafts/execute", &body)
            .await
            .kind(),
        "wrong_product"
    );
}

#[tokio::test]
async fn connections_that_are_not_ready() {
    let stage = Stage::connected().await;
    for (name, value) in [
        ("connection_name", json!("a/b")),
        ("product", json!("nothing")),
        ("client_id", json!("")),
        ("permissions", json!(["a b"])),
    ] {
        let mut new = json!({ "connection_name": "new", "product": "mail" });
        new[name] = value;
        assert_eq!(
            stage.post("/v1/connections", &new).await.kind(),
            "invalid_request",
            "{new}"
        );
    }

    let change = async |body: Value| stage.patch("/v1/connections/mail", &body).await;
    assert_eq!(
        change(json!({ "disabled": true })).await.json()["state"],
        "disabled"
    );
    assert_eq!(stage.drafts("user-1").await.kind(), "connection_not_ready");
    assert_eq!(
        stage.state("user-1").await,
        "active",
        "accounts keep their state"
    );
    change(json!({ "disabled": false })).await;
    assert_eq!(stage.drafts("user-1").await.status, 200);
    assert_eq!(
        stage.delete("/v1/connections/mail").await.kind(),
        "invalid_transition"
    );
    change(json!({ "client_id": "another.apps.example" })).await;
    let reply = stage.drafts("user-1").await;
    assert_eq!(reply.kind(), "authorization_required");
    assert_eq!(reply.json()["context"]["reason"], "client_changed");
}

#[tokio::test]
async fn the_applications_own_credentials() {
    let stage = Stage::new().await;
    let url = format!("{}/oauth/token", stage.url);
    for (id, secret) in [
        (stage.client_id.as_str(), "wrong"),
        ("wrong", stage.client_secret.as_str()),
        (stage.client_id.as_str(), ""),
    ] {
        let reply = stage
            .http
            .form(
                &url,
                &[
                    ("grant_type", "client_credentials"),
                    ("client_id", id),
                    ("client_secret", secret),
                ],
            )
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.json()["error"].as_str()),
            (401, Some("invalid_client"))
        );
    }
    let reply = stage.http.form(&url, &[("grant_type", "password")]).await;
    assert_eq!(
        (reply.status.as_u16(), reply.json()["error"].as_str()),
        (400, Some("unsupported_grant_type"))
    );
    for bearer in ["", "wrong", &stage.client_secret] {
        let reply = stage
            .http
            .get(&format!("{}/v1/tools", stage.url), bearer)
            .await;
        assert_eq!(reply.kind(), "unauthenticated");
        assert!(reply.header("www-authenticate").starts_with("Bearer"));
    }
    stage.clock.advance(jiff::SignedDuration::from_hours(2));
    assert_eq!(
        stage.get("/v1/tools").await.kind(),
        "unauthenticated",
        "a bearer token ends"
    );
}

/// Models fill in empty texts for parameters that they don't need.
#[tokio::test]
async fn an_empty_text_for_an_optional_parameter_counts_as_absent() {
    let stage = Stage::connected().await;
    let input = json!({ "page_token": "", "max_results": "" });
    let reply = stage.execute("mail_list_drafts", "user-1", input).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let received = stage.sandbox.sandbox.received();
    assert_eq!(received.last().unwrap().query, None);
    // For a required parameter, an empty text is an error.
    let empty = json!({ "message_id": "" });
    let reply = stage
        .execute("mail_get_message_by_id", "user-1", empty)
        .await;
    assert_eq!(reply.json()["violations"][0]["path"], "/message_id");
}

/// A product's SDK reads the product's own error members, and without them it shows nothing of a problem.
#[tokio::test]
async fn a_refused_raw_request_has_the_error_format_of_the_products_sdks() {
    let stage = Stage::new().await;
    let path = "/proxy/mail/user-9/gmail/v1/users/me/profile";
    let refused = stage.get(path).await;
    assert_eq!(refused.kind(), "authorization_required");
    let body = refused.json();
    let words = &body["detail"];
    assert!(words.is_string(), "{body}");
    assert_eq!(body["error"]["code"], body["status"]);
    assert_eq!(&body["error"]["message"], words);
    assert!(body["error"]["status"].is_string());
    assert_eq!(
        (&body["object"], &body["message"]),
        (&json!("error"), words)
    );
    assert!(body["code"].is_string());
    // Errors of Stead's own API don't have these members.
    let own = stage.get("/v1/accounts/mail/user-9").await.json();
    assert!(own["error"].is_null() && own["code"].is_null(), "{own}");
}
