//! Reads in three versions of the API, rejected requests, and faults on demand.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use super::{GRACE, NEWEST, Notion, OLD, SOURCES, access, id, ids, of, paragraph};
use crate::client::cases;

#[tokio::test]
async fn requests_are_read_strictly() {
    let notion = Notion::ada().await;
    let handbook = id(of(&notion.world, "pages", "Engine handbook"));
    let list = id(of(&notion.world, "databases", "Reading list"));
    let url = |path: &str| notion.stage.url(&format!("/api.notion.com/v1/{path}"));
    let bare = notion.stage.http.get(url("users/me"));
    let reply = notion.stage.send(bare).await;
    reply.refused_by_notion(401, "unauthorized");
    let unversioned = notion.stage.http.get(url("users/me"));
    let unversioned = unversioned.bearer_auth(&notion.token);
    let reply = notion.stage.send(unversioned).await;
    reply.refused_by_notion(400, "missing_version");
    let untyped = notion.stage.http.post(url("search"));
    let untyped = untyped.bearer_auth(&notion.token);
    let untyped = untyped.header("notion-version", OLD).body("{}");
    let reply = notion.stage.send(untyped).await;
    reply.refused_by_notion(400, "invalid_json");
    let search = async |body: Value| notion.post(OLD, "search", body).await;
    let table = r#"
        {"queri": "x"} => body.queri should be not present
        {"page_size": 0} => body.page_size should be ≥ `1`
        {"page_size": 101} => body.page_size should be ≤ `100`
        {"page_size": "1"} => body.page_size should be a number
        {"start_cursor": "next"} => body.start_cursor should be a valid uuid
        {"start_cursor": "01234567-89ab-4cde-8f01-23456789abcd"} => start_cursor
        {"filter": {"property": "object", "value": "data_source"}} => body.filter.value
    "#;
    for [body, words] in cases(table) {
        let body = serde_json::from_str(body).unwrap();
        search(body).await.is_invalid(words);
    }
    let (unknown, invalid) = ("invalid_request_url", "validation_error");
    for (version, verb, path, code) in [
        ("2021-05-13", "GET", "users/me", invalid),
        (OLD, "GET", "nothing", unknown),
        (OLD, "DELETE", "search", unknown),
        (OLD, "GET", &format!("data_sources/{list}"), unknown),
        (OLD, "GET", "pages/first", invalid),
        (OLD, "GET", &format!("pages/{handbook}?x=1"), invalid),
        (OLD, "GET", "comments", invalid),
    ] {
        let reply = notion
            .stage
            .notion(version, verb, path, None, &notion.token)
            .await;
        reply.refused_by_notion(400, code);
    }
    let query = format!("databases/{list}/query");
    notion
        .post(SOURCES, &query, json!({}))
        .await
        .refused_by_notion(400, "invalid_request_url");
    let large = json!({"query": "x".repeat(500_001)});
    search(large).await.is_invalid("");
}

#[tokio::test]
async fn a_capability_can_be_lost() {
    let notion = Notion::ada().await;
    let handbook = id(of(&notion.world, "pages", "Engine handbook"));
    let words = json!({"parent": {"page_id": handbook}, "rich_text": [{"text": {"content": "a"}}]});
    let write = async || notion.post(OLD, "comments", words.clone()).await;
    let lose = |name: &str| {
        notion.stage.sandbox().fault(Fault::LoseCapability {
            capability: name.to_owned(),
        })
    };
    lose("read_comments");
    let list = notion
        .get(OLD, &format!("comments?block_id={handbook}"))
        .await;
    list.refused_by_notion(403, "restricted_resource");
    let written = write().await.ok();
    assert_eq!(
        (written["object"].clone(), written.get("rich_text")),
        (json!("comment"), None)
    );
    lose("insert_comments");
    write().await.refused_by_notion(403, "restricted_resource");
    lose("read_content");
    notion
        .post(OLD, "search", json!({}))
        .await
        .refused_by_notion(403, "restricted_resource");
    assert_eq!(notion.get(OLD, "users/me").await.status, 200);
    let unknown = json!({"kind": "lose_capability", "capability": "fly"}).to_string();
    let request = notion.stage.http.post(notion.stage.url("/sandbox/faults"));
    assert_eq!(notion.stage.send(request.body(unknown)).await.status, 400);
}

#[tokio::test]
async fn a_write_can_be_saved_although_the_response_is_503() {
    let notion = Notion::ada().await;
    let parent = json!({"page_id": id(of(&notion.world, "pages", "Projects"))});
    notion
        .stage
        .cause(json!({ "kind": "saved_but_unavailable", "times": 2 }));
    // The fault doesn't affect reads.
    assert_eq!(notion.get(OLD, "users/me").await.status, 200);
    let reply = notion
        .post(OLD, "pages", json!({"parent": parent, "properties": {}}))
        .await;
    reply.refused_by_notion(503, "service_unavailable");
    let page = reply.json()["additional_data"]["committed_resource_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(notion.get(OLD, &format!("pages/{page}")).await.status, 200);
    let path = format!("blocks/{page}/children");
    let reply = notion
        .patch(OLD, &path, json!({"children": [paragraph("a")]}))
        .await;
    let more = &reply.json()["additional_data"];
    assert_eq!(more["committed_resource_id"], json!(page));
    let blocks = notion.read(OLD, &path).await;
    assert_eq!(more["committed_child_ids"], json!(ids(&blocks)));
}

#[tokio::test]
async fn faults_have_the_shape_of_the_product() {
    let notion = Notion::ada().await;
    let me = async || notion.get(OLD, "users/me").await;
    notion
        .stage
        .sandbox()
        .fault(Fault::Unauthorized { times: 1 });
    me().await.refused_by_notion(401, "unauthorized");
    notion.stage.cause(json!({ "kind": "error", "host": "api.notion.com", "status": 429, "reason": "public_api_space_request_rate_limit", "retry_after": "7" }));
    let throttled = me().await;
    throttled.refused_by_notion(429, "rate_limited");
    assert_eq!(throttled.header("retry-after"), "7");
    assert_eq!(
        throttled.json()["additional_data"],
        json!({"rate_limit_reason": "public_api_space_request_rate_limit", "retry_after": "7"})
    );
    assert_eq!(me().await.status, 200);
}

#[tokio::test]
async fn unsupported_notion_methods_return_501() {
    let notion = Notion::ada().await;
    let handbook = id(of(&notion.world, "pages", "Engine handbook"));
    for (verb, path) in [
        ("PATCH", format!("pages/{handbook}")),
        ("POST", "file_uploads".to_owned()),
    ] {
        let reply = notion.send(SOURCES, verb, &path, json!({})).await;
        reply.refused_by_notion(501, "not_implemented");
        assert!(reply.text.contains("Notion has it"), "{}", reply.text);
    }
}

#[tokio::test]
async fn only_shared_pages_can_be_seen() {
    let Notion {
        stage,
        token,
        world,
    } = Notion::ada().await;
    let page = |title: &str| id(of(&world, "pages", title));
    let (handbook, diary) = (page("Engine handbook"), page("Ada's diary"));
    let see = async |token: &str, page: &str| {
        let path = format!("pages/{page}");
        stage.notion(OLD, "GET", &path, None, token).await.status
    };
    let both = async |token: &str| (see(token, handbook).await, see(token, diary).await);
    assert_eq!(both(&token).await, (200, 200));
    let grace = access(&stage.notion_tokens(GRACE).await);
    assert_eq!(both(&grace).await, (200, 404));
    // Ticking another person's page doesn't share it.
    let code = stage
        .notion_code(&[
            ("user", GRACE),
            ("page", handbook),
            ("page", diary),
            ("action", "allow"),
        ])
        .await;
    let some = access(&stage.notion_exchange(&code).await.ok());
    assert_eq!(both(&some).await, (200, 404));
    assert_eq!(see(&some, page("Projects")).await, 404);
    // Sharing a page shares everything below it.
    assert_eq!(see(&some, page("Operating notes")).await, 200);
    let rows = of(&world, "databases", "Reading list")["data_sources"][0]["rows"].clone();
    assert_eq!(see(&some, rows[0].as_str().unwrap()).await, 200);
}

#[tokio::test]
async fn a_search_finds_titles_page_by_page() {
    let notion = Notion::ada().await;
    let search = async |version: &str, body: Value| notion.post(version, "search", body).await.ok();
    let all = search(OLD, json!({})).await;
    assert_eq!(all["type"], "page_or_database");
    let pages = notion.world["pages"].as_array().unwrap().len();
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
    let notion = Notion::ada().await;
    let list = of(&notion.world, "databases", "Reading list");
    let get = async |version: &str, path: String| notion.get(version, &path).await;
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
    let several = of(&notion.world, "databases", "Compiler");
    let reply = get(OLD, format!("databases/{}", id(several))).await;
    reply.is_invalid("");
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
    get(
        SOURCES,
        format!("databases/{}", id(&list["data_sources"][0])),
    )
    .await
    .refused_by_notion(404, "object_not_found");
}

#[tokio::test]
async fn rows_are_sorted_and_narrowed() {
    let notion = Notion::ada().await;
    let list = of(&notion.world, "databases", "Reading list");
    let path = format!("databases/{}/query", id(list));
    let query =
        async |more: &str, body: Value| notion.post(OLD, &format!("{path}{more}"), body).await;
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
    for (key, direction, first) in [
        ("Pages", "descending", "Don Juan"),
        (
            "title",
            "ascending",
            "A Treatise on the Calculus of Finite Differences",
        ),
        ("Due", "descending", "Don Juan"),
    ] {
        let sorted = query("", by(key, direction)).await.ok();
        assert_eq!(titles(&sorted)[0], first, "{key}");
    }
    let oldest =
        json!({"sorts": [{"timestamp": "created_time", "direction": "ascending"}], "page_size": 1});
    let part = query("", oldest).await.ok();
    assert_eq!(titles(&part), ["Sketch of the Analytical Engine"]);
    assert_eq!(part["has_more"], true);
    let narrowed = query("?filter_properties=U%3AC%3C", json!({})).await.ok();
    let properties = narrowed["results"][0]["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["Status"]);
    let table = r#"
        ?filter_properties=Status => {}
        ?filter_properties=U%253AC%253C => {}
        => {"sorts": [{"property": "Dew", "direction": "ascending"}]}
        => {"sorts": [{"property": "Due", "timestamp": "created_time", "direction": "ascending"}]}
        => {"sorts": [{"property": "Due"}]}
        => {"sorts": [{"property": "Due", "direction": "up"}]}
        => {"in_trash": false}
    "#;
    for [more, body] in cases(table) {
        let body = serde_json::from_str(body).unwrap();
        query(more, body).await.is_invalid("");
    }
    let tasks = &of(&notion.world, "databases", "Compiler")["data_sources"][0];
    let path = format!("data_sources/{}/query", id(tasks));
    let rows = notion.post(SOURCES, &path, json!({})).await.ok();
    assert_eq!(rows["type"], "page_or_data_source");
    assert_eq!(rows["results"][0]["parent"]["type"], "data_source_id");
    assert_eq!(ascending["results"][0]["parent"]["type"], "database_id");
    assert_eq!(ids(&rows).len(), tasks["rows"].as_array().unwrap().len());
}
