//! What can be read, in three versions.

use serde_json::{Value, json};

use super::{GRACE, NEWEST, OLD, SOURCES, ada, id, ids, of, refused};
use crate::client::Stage;

#[tokio::test]
async fn only_what_is_shared_can_be_seen() {
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
    // A page that another person owns is not shared by ticking it.
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
    // What is below a shared page is shared with it.
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
    // The database with two data sources does not exist in this version.
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
