//! Reads in three versions of the API, rejected requests, and faults on demand.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use super::{GRACE, NEWEST, OLD, SOURCES, ada, id, ids, of, paragraph, refused};
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
    stage.cause(json!({ "kind": "saved_but_unavailable", "times": 2 }));
    // The fault doesn't affect reads.
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
async fn faults_have_the_shape_of_the_product() {
    let stage = Stage::new().await;
    let (token, _) = ada(&stage).await;
    let me = async || stage.notion(OLD, "GET", "users/me", None, &token).await;
    stage.sandbox().fault(Fault::Unauthorized { times: 1 });
    refused(&me().await, 401, "unauthorized");
    stage.cause(json!({ "kind": "error", "host": "api.notion.com", "status": 429, "reason": "public_api_space_request_rate_limit", "retry_after": "7" }));
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
async fn unsupported_notion_methods_return_501() {
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

#[tokio::test]
async fn only_shared_pages_can_be_seen() {
    let stage = Stage::new().await;
    let (ada, world) = ada(&stage).await;
    let (handbook, diary) = (
        id(of(&world, "pages", "Engine handbook")),
        id(of(&world, "pages", "Ada's diary")),
    );
    let see = async |token: &str, page: &str| {
        stage
            .notion(OLD, "GET", &format!("pages/{page}"), None, token)
            .await
            .status
    };
    assert_eq!(
        (see(&ada, handbook).await, see(&ada, diary).await),
        (200, 200)
    );
    let grace = stage.notion_tokens(GRACE).await["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        (see(&grace, handbook).await, see(&grace, diary).await),
        (200, 404)
    );
    // Ticking another person's page doesn't share it.
    let code = stage
        .notion_code(&[
            ("user", GRACE),
            ("page", handbook),
            ("page", diary),
            ("action", "allow"),
        ])
        .await;
    let some = stage.notion_exchange(&code).await.ok()["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        (see(&some, handbook).await, see(&some, diary).await),
        (200, 404)
    );
    let projects = id(of(&world, "pages", "Projects"));
    assert_eq!(see(&some, projects).await, 404);
    // Sharing a page shares everything below it.
    let notes = id(of(&world, "pages", "Operating notes"));
    assert_eq!(see(&some, notes).await, 200);
    let rows = of(&world, "databases", "Reading list")["data_sources"][0]["rows"].clone();
    assert_eq!(see(&some, rows[0].as_str().unwrap()).await, 200);
}

#[tokio::test]
async fn a_search_finds_titles_page_by_page() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let search = async |version: &str, body: Value| {
        stage
            .notion(version, "POST", "search", Some(body), &token)
            .await
            .ok()
    };
    let all = search(OLD, json!({})).await;
    assert_eq!(all["type"], "page_or_database");
    let pages = world["pages"].as_array().unwrap().len();
    // This version can't show the database with two data sources.
    assert_eq!(ids(&all).len(), pages + 1);
    let found = search(OLD, json!({"query": "reading LIST"})).await;
    assert_eq!(found["results"][0]["object"], "database");
    assert_eq!(found["results"][0]["archived"], false);
    let found = search(SOURCES, json!({"query": "milestones"})).await;
    assert_eq!(found["type"], "page_or_data_source");
    assert_eq!(found["results"][0]["object"], "data_source");
    let newest = search(NEWEST, json!({"query": "handbook"})).await;
    assert_eq!(newest["results"][0].get("archived"), None);
    assert_eq!(newest["results"][0]["in_trash"], false);
    let mut seen = Vec::new();
    let mut body = json!({"page_size": 4, "sort": {"timestamp": "last_edited_time", "direction": "ascending"}});
    loop {
        let part = search(OLD, body.clone()).await;
        seen.extend(ids(&part).into_iter().map(str::to_owned));
        body["start_cursor"] = part["next_cursor"].clone();
        assert_eq!(part["has_more"], !part["next_cursor"].is_null());
        if part["next_cursor"].is_null() {
            break;
        }
    }
    let mut other_way: Vec<String> = ids(&all).into_iter().map(str::to_owned).collect();
    other_way.reverse();
    assert_eq!(seen, other_way);
}

#[tokio::test]
async fn a_database_differs_by_version() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let list = of(&world, "databases", "Reading list");
    let get =
        async |version: &str, path: String| stage.notion(version, "GET", &path, None, &token).await;
    let old = get(OLD, format!("databases/{}", id(list))).await.ok();
    assert_eq!(old["properties"]["Status"]["id"], "U%3AC%3C");
    assert_eq!(old["properties"]["Name"]["id"], "title");
    assert_eq!(old.get("data_sources"), None);
    let new = get(SOURCES, format!("databases/{}", id(list))).await.ok();
    assert_eq!(new.get("properties"), None);
    assert_eq!(
        new["data_sources"],
        json!([{"id": list["data_sources"][0]["id"], "name": "Reading list"}])
    );
    let source = get(
        SOURCES,
        format!("data_sources/{}", id(&list["data_sources"][0])),
    )
    .await
    .ok();
    assert_eq!(source["properties"], old["properties"]);
    let several = of(&world, "databases", "Compiler");
    let reply = get(OLD, format!("databases/{}", id(several))).await;
    refused(&reply, 400, "validation_error");
    let more = &reply.json()["additional_data"];
    assert_eq!(more["error_type"], "multiple_data_sources_for_database");
    assert_eq!(
        more["child_data_source_ids"],
        json!([
            several["data_sources"][0]["id"],
            several["data_sources"][1]["id"]
        ])
    );
    let both = get(NEWEST, format!("databases/{}", id(several))).await.ok();
    assert_eq!(both["data_sources"].as_array().unwrap().len(), 2);
    refused(
        &get(
            SOURCES,
            format!("databases/{}", id(&list["data_sources"][0])),
        )
        .await,
        404,
        "object_not_found",
    );
}

#[tokio::test]
async fn rows_are_sorted_and_narrowed() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let list = of(&world, "databases", "Reading list");
    let path = format!("databases/{}/query", id(list));
    let query = async |more: &str, body: Value| {
        stage
            .notion(OLD, "POST", &format!("{path}{more}"), Some(body), &token)
            .await
    };
    let titles = |list: &Value| -> Vec<String> {
        let rows = list["results"].as_array().unwrap().iter();
        rows.map(|row| {
            row["properties"]["Name"]["title"][0]["plain_text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
    };
    let by =
        |key: &str, direction: &str| json!({"sorts": [{"property": key, "direction": direction}]});
    let ascending = query("", by("Pages", "ascending")).await.ok();
    assert_eq!(titles(&ascending)[0], "Sketch of the Analytical Engine");
    assert_eq!(
        titles(&query("", by("Pages", "descending")).await.ok())[0],
        "Don Juan"
    );
    assert_eq!(
        titles(&query("", by("title", "ascending")).await.ok())[0],
        "A Treatise on the Calculus of Finite Differences"
    );
    assert_eq!(
        titles(&query("", by("Due", "descending")).await.ok())[0],
        "Don Juan"
    );
    let oldest =
        json!({"sorts": [{"timestamp": "created_time", "direction": "ascending"}], "page_size": 1});
    let part = query("", oldest).await.ok();
    assert_eq!(titles(&part), ["Sketch of the Analytical Engine"]);
    assert_eq!(part["has_more"], true);
    let narrowed = query("?filter_properties=U%3AC%3C", json!({})).await.ok();
    let properties = narrowed["results"][0]["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["Status"]);
    for (more, body) in [
        ("?filter_properties=Status", json!({})),
        ("?filter_properties=U%253AC%253C", json!({})),
        ("", by("Dew", "ascending")),
        (
            "",
            json!({"sorts": [{"property": "Due", "timestamp": "created_time", "direction": "ascending"}]}),
        ),
        ("", json!({"sorts": [{"property": "Due"}]})),
        (
            "",
            json!({"sorts": [{"property": "Due", "direction": "up"}]}),
        ),
        ("", json!({"in_trash": false})),
    ] {
        refused(&query(more, body).await, 400, "validation_error");
    }
    let tasks = &of(&world, "databases", "Compiler")["data_sources"][0];
    let path = format!("data_sources/{}/query", id(tasks));
    let rows = stage
        .notion(SOURCES, "POST", &path, Some(json!({})), &token)
        .await
        .ok();
    assert_eq!(rows["type"], "page_or_data_source");
    assert_eq!(rows["results"][0]["parent"]["type"], "data_source_id");
    assert_eq!(ascending["results"][0]["parent"]["type"], "database_id");
    assert_eq!(ids(&rows).len(), tasks["rows"].as_array().unwrap().len());
}
