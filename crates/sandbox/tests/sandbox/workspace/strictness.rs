//! What is refused, and misbehaviour on demand.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use super::{OLD, SOURCES, ada, id, ids, of, paragraph, refused};
use crate::client::Stage;

#[tokio::test]
async fn requests_are_read_strictly() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let handbook = id(of(&world, "pages", "Engine handbook"));
    let list = id(of(&world, "databases", "Reading list"));
    let bare = stage.http.get(stage.url("/api.notion.com/v1/users/me"));
    refused(&stage.send(bare).await, 401, "unauthorized");
    let unversioned = stage
        .http
        .get(stage.url("/api.notion.com/v1/users/me"))
        .bearer_auth(&token);
    refused(&stage.send(unversioned).await, 400, "missing_version");
    let untyped = stage
        .http
        .post(stage.url("/api.notion.com/v1/search"))
        .bearer_auth(&token)
        .header("notion-version", OLD);
    refused(&stage.send(untyped.body("{}")).await, 400, "invalid_json");
    let search = async |body: Value| {
        stage
            .notion(OLD, "POST", "search", Some(body), &token)
            .await
    };
    for (body, words) in [
        (json!({"queri": "x"}), "body.queri should be not present"),
        (json!({"page_size": 0}), "body.page_size should be ≥ `1`"),
        (
            json!({"page_size": 101}),
            "body.page_size should be ≤ `100`",
        ),
        (
            json!({"page_size": "1"}),
            "body.page_size should be a number",
        ),
        (
            json!({"start_cursor": "next"}),
            "body.start_cursor should be a valid uuid",
        ),
        (
            json!({"start_cursor": handbook.replace('1', "2").replace('a', "b")}),
            "start_cursor",
        ),
        (
            json!({"filter": {"property": "object", "value": "data_source"}}),
            "body.filter.value",
        ),
    ] {
        let reply = search(body).await;
        refused(&reply, 400, "validation_error");
        assert!(reply.text.contains(words), "{}", reply.text);
    }
    for (version, verb, path, code) in [
        (
            "2021-05-13",
            "GET",
            "users/me".to_owned(),
            "validation_error",
        ),
        (OLD, "GET", "nothing".to_owned(), "invalid_request_url"),
        (OLD, "DELETE", "search".to_owned(), "invalid_request_url"),
        (
            OLD,
            "GET",
            format!("data_sources/{list}"),
            "invalid_request_url",
        ),
        (OLD, "GET", "pages/first".to_owned(), "validation_error"),
        (
            OLD,
            "GET",
            format!("pages/{handbook}?x=1"),
            "validation_error",
        ),
        (OLD, "GET", "comments".to_owned(), "validation_error"),
    ] {
        refused(
            &stage.notion(version, verb, &path, None, &token).await,
            400,
            code,
        );
    }
    let query = format!("databases/{list}/query");
    refused(
        &stage
            .notion(SOURCES, "POST", &query, Some(json!({})), &token)
            .await,
        400,
        "invalid_request_url",
    );
    let large = json!({"query": "x".repeat(500_001)});
    refused(&search(large).await, 400, "validation_error");
}

#[tokio::test]
async fn a_capability_can_be_lost() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let handbook = id(of(&world, "pages", "Engine handbook"));
    let words = json!({"parent": {"page_id": handbook}, "rich_text": [{"text": {"content": "a"}}]});
    let write = async || {
        stage
            .notion(OLD, "POST", "comments", Some(words.clone()), &token)
            .await
    };
    let lose = |name: &str| {
        stage.sandbox().fault(Fault::LoseCapability {
            capability: name.to_owned(),
        })
    };
    lose("read_comments");
    let list = stage
        .notion(
            OLD,
            "GET",
            &format!("comments?block_id={handbook}"),
            None,
            &token,
        )
        .await;
    refused(&list, 403, "restricted_resource");
    let written = write().await.ok();
    assert_eq!(
        (written["object"].clone(), written.get("rich_text")),
        (json!("comment"), None)
    );
    lose("insert_comments");
    refused(&write().await, 403, "restricted_resource");
    lose("read_content");
    refused(
        &stage
            .notion(OLD, "POST", "search", Some(json!({})), &token)
            .await,
        403,
        "restricted_resource",
    );
    assert_eq!(
        stage
            .notion(OLD, "GET", "users/me", None, &token)
            .await
            .status,
        200
    );
    let unknown = json!({"kind": "lose_capability", "capability": "fly"}).to_string();
    let reply = stage
        .send(stage.http.post(stage.url("/sandbox/faults")).body(unknown))
        .await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn a_write_can_be_saved_although_the_response_is_503() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let parent = json!({"page_id": id(of(&world, "pages", "Projects"))});
    stage.sandbox().fault(Fault::SavedButUnavailable {
        path_contains: None,
        times: 2,
    });
    // Reading is not struck.
    assert_eq!(
        stage
            .notion(OLD, "GET", "users/me", None, &token)
            .await
            .status,
        200
    );
    let reply = stage
        .notion(
            OLD,
            "POST",
            "pages",
            Some(json!({"parent": parent, "properties": {}})),
            &token,
        )
        .await;
    refused(&reply, 503, "service_unavailable");
    let page = reply.json()["additional_data"]["committed_resource_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        stage
            .notion(OLD, "GET", &format!("pages/{page}"), None, &token)
            .await
            .status,
        200
    );
    let path = format!("blocks/{page}/children");
    let reply = stage
        .notion(
            OLD,
            "PATCH",
            &path,
            Some(json!({"children": [paragraph("a")]})),
            &token,
        )
        .await;
    let more = &reply.json()["additional_data"];
    assert_eq!(more["committed_resource_id"], json!(page));
    let blocks = stage.notion(OLD, "GET", &path, None, &token).await.ok();
    assert_eq!(more["committed_child_ids"], json!(ids(&blocks)));
}

#[tokio::test]
async fn faults_come_in_the_products_own_shape() {
    let stage = Stage::new().await;
    let (token, _) = ada(&stage).await;
    let me = async || stage.notion(OLD, "GET", "users/me", None, &token).await;
    stage.sandbox().fault(Fault::Unauthorized { times: 1 });
    refused(&me().await, 401, "unauthorized");
    stage.sandbox().fault(Fault::Error {
        host: Some("api.notion.com".to_owned()),
        path_contains: None,
        status: 429,
        reason: "public_api_space_request_rate_limit".to_owned(),
        message: None,
        retry_after: Some("7".to_owned()),
        times: 1,
    });
    let throttled = me().await;
    refused(&throttled, 429, "rate_limited");
    assert_eq!(throttled.header("retry-after"), "7");
    assert_eq!(
        throttled.json()["additional_data"],
        json!({"rate_limit_reason": "public_api_space_request_rate_limit", "retry_after": "7"})
    );
    assert_eq!(me().await.status, 200);
}

#[tokio::test]
async fn what_notion_has_and_the_sandbox_does_not_play_is_501() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let handbook = id(of(&world, "pages", "Engine handbook"));
    for (verb, path) in [
        ("PATCH", format!("pages/{handbook}")),
        ("POST", "file_uploads".to_owned()),
    ] {
        let reply = stage
            .notion(SOURCES, verb, &path, Some(json!({})), &token)
            .await;
        refused(&reply, 501, "not_implemented");
        assert!(reply.text.contains("Notion has it"), "{}", reply.text);
    }
}
