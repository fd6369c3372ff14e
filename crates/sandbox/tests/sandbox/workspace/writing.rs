//! Writes, and their limits.

use serde_json::{Value, json};

use super::{NEWEST, OLD, SOURCES, ada, id, ids, of, paragraph, refused};
use crate::client::Stage;

#[tokio::test]
async fn a_row_is_written_and_read_again() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let list = of(&world, "databases", "Reading list");
    let create = async |body: Value| stage.notion(OLD, "POST", "pages", Some(body), &token).await;
    let parent = json!({"database_id": id(list)});
    let values = json!({
        "title": {"title": [{"text": {"content": "Notes"}}]},
        "U:C<": {"select": {"name": "Lent"}},
        "Due": {"date": {"start": "2026-06-01"}},
        "Pages": {"number": 12},
    });
    let made = create(json!({
        "parent": parent,
        "properties": values,
        "icon": {"type": "emoji", "emoji": "📚"},
        "cover": {"type": "external", "external": {"url": "https://a.example/c.jpg"}},
        "children": [paragraph("one"), {"toggle": {"rich_text": [], "children": [paragraph("two")]}}],
    })).await.ok();
    let read = stage
        .notion(OLD, "GET", &format!("pages/{}", id(&made)), None, &token)
        .await
        .ok();
    assert_eq!(read["properties"]["Status"]["select"]["name"], "Lent");
    assert_eq!(
        read["properties"]["Name"]["title"][0]["plain_text"],
        "Notes"
    );
    assert_eq!(
        read["properties"]["Added"]["created_time"],
        "2026-05-04T09:00:00.000Z"
    );
    assert_eq!(read["icon"], json!({"type": "emoji", "emoji": "📚"}));
    let blocks = stage
        .notion(
            OLD,
            "GET",
            &format!("blocks/{}/children", id(&made)),
            None,
            &token,
        )
        .await
        .ok();
    assert_eq!(ids(&blocks).len(), 2);
    assert_eq!(blocks["results"][1]["has_children"], true);
    let definition = stage
        .notion(OLD, "GET", &format!("databases/{}", id(list)), None, &token)
        .await
        .ok();
    let options = definition["properties"]["Status"]["select"]["options"].to_string();
    assert!(options.contains("Lent"), "{options}");
    assert_eq!(
        stage.notion_world()["databases"][0]["data_sources"][0]["rows"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    for (wrong, words) in [
        (
            json!({"Nam": {"title": []}}),
            "Nam is not a property that exists.",
        ),
        (
            json!({"U%3AC%3C": {"select": {"name": "Read"}}}),
            "is not a property that exists.",
        ),
        (
            json!({"title": {"title": []}, "Name": {"title": []}}),
            "more than once",
        ),
        (
            json!({"Status": {"number": 1}}),
            "Status is expected to be select.",
        ),
        (json!({"Due": {"date": {"start": "soon"}}}), "ISO 8601"),
        (json!({"Pages": {"number": "12"}}), "should be a number"),
        (
            json!({"Added": {"created_time": "2026-05-04T09:00:00.000Z"}}),
            "cannot be set",
        ),
        (
            json!({"title": {"title": [{"text": {"content": "x".repeat(2001)}}]}}),
            "≤ `2000`",
        ),
    ] {
        let reply = create(json!({"parent": parent, "properties": wrong})).await;
        refused(&reply, 400, "validation_error");
        assert!(reply.text.contains(words), "{}", reply.text);
    }
    let several = json!({"database_id": id(of(&world, "databases", "Compiler"))});
    for version in [OLD, NEWEST] {
        let reply = stage
            .notion(
                version,
                "POST",
                "pages",
                Some(json!({"parent": several, "properties": {}})),
                &token,
            )
            .await;
        assert_eq!(
            reply.json()["additional_data"]["error_type"],
            "multiple_data_sources_for_database"
        );
    }
}

#[tokio::test]
async fn pages_and_blocks_have_their_bounds() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let parent = json!({"page_id": id(of(&world, "pages", "Projects"))});
    let create = async |version: &str, body: Value| {
        stage
            .notion(version, "POST", "pages", Some(body), &token)
            .await
    };
    let hundred: Vec<Value> = (0..100)
        .map(|number| paragraph(&number.to_string()))
        .collect();
    let made = create(OLD, json!({"parent": parent, "properties": {"title": [{"text": {"content": "Long"}}]}, "children": hundred})).await.ok();
    assert!(
        made["url"]
            .as_str()
            .unwrap()
            .starts_with("https://www.notion.so/Long-")
    );
    let path = format!("blocks/{}/children", id(&made));
    let append = async |version: &str, body: Value| {
        stage
            .notion(version, "PATCH", &path, Some(body), &token)
            .await
    };
    let appended = append(
        OLD,
        json!({"children": [paragraph("100"), paragraph("101")]}),
    )
    .await
    .ok();
    assert_eq!(ids(&appended).len(), 2);
    let first = stage
        .notion(OLD, "GET", &format!("{path}?page_size=1"), None, &token)
        .await
        .ok();
    let behind = json!({"children": [paragraph("behind")], "position": {"type": "after_block", "after_block": {"id": ids(&first)[0]}}});
    append(NEWEST, behind).await.ok();
    append(
        OLD,
        json!({"children": [paragraph("after")], "after": ids(&first)[0]}),
    )
    .await
    .ok();
    let start =
        json!({"children": [paragraph("one"), paragraph("two")], "position": {"type": "start"}});
    append(NEWEST, start.clone()).await.ok();
    let five = stage
        .notion(OLD, "GET", &format!("{path}?page_size=5"), None, &token)
        .await
        .ok();
    let texts = five["results"].as_array().unwrap().iter();
    let texts: Vec<&Value> = texts
        .map(|block| &block["paragraph"]["rich_text"][0]["plain_text"])
        .collect();
    assert_eq!(texts, ["one", "two", "0", "after", "behind"]);
    refused(&append(OLD, start).await, 400, "validation_error");
    let nothing = json!({"children": [], "position": {"type": "after_block", "after_block": {}}});
    refused(&append(NEWEST, nothing).await, 400, "validation_error");
    assert_eq!(five["has_more"], true);

    let mut too_many = hundred.clone();
    too_many.push(paragraph("100"));
    let toggle = |children: Value| json!({"toggle": {"rich_text": [], "children": children}});
    let deep = toggle(json!([toggle(json!([toggle(json!([paragraph("a")]))]))]));
    let wide: Vec<Value> = (0..11).map(|_| toggle(json!(hundred))).collect();
    for children in [
        json!(too_many),
        json!([deep]),
        json!(wide),
        json!([{"paragraph": {}}]),
        json!([{"verse": {}}]),
        json!({}),
    ] {
        refused(
            &append(OLD, json!({"children": children})).await,
            400,
            "validation_error",
        );
    }
    refused(
        &append(OLD, json!({"children": [], "position": {"type": "end"}})).await,
        400,
        "validation_error",
    );
    refused(
        &append(NEWEST, json!({"children": [], "after": ids(&first)[0]})).await,
        400,
        "validation_error",
    );
    for wrong in [
        json!({"properties": {}}),
        json!({"parent": {}}),
        json!({"parent": {"page_id": "first"}}),
        json!({"parent": parent, "properties": {"Status": {}}}),
        json!({"parent": parent, "archived": true}),
        json!({"parent": parent, "icon": {"type": "emoji", "emoji": "x"}}),
        json!({"parent": parent, "cover": {"type": "external"}}),
    ] {
        refused(&create(OLD, wrong).await, 400, "validation_error");
    }
    refused(
        &create(
            OLD,
            json!({"parent": {"page_id": id(&made).replace('a', "b").replace('1', "2")}}),
        )
        .await,
        404,
        "object_not_found",
    );
}

#[tokio::test]
async fn a_database_is_made_in_the_shape_of_its_version() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let parent = json!({"type": "page_id", "page_id": id(of(&world, "pages", "Projects"))});
    let title = json!([{"type": "text", "text": {"content": "Bugs"}}]);
    let columns =
        json!({"Name": {"title": {}}, "Kind": {"select": {"options": [{"name": "moth"}]}}});
    let create = async |version: &str, body: Value| {
        stage
            .notion(version, "POST", "databases", Some(body), &token)
            .await
    };
    let old = create(
        OLD,
        json!({"parent": parent, "title": title, "properties": columns}),
    )
    .await
    .ok();
    assert_eq!(
        old["properties"]["Kind"]["select"]["options"][0]["name"],
        "moth"
    );
    let new = create(
        SOURCES,
        json!({"parent": parent, "title": title, "initial_data_source": {"properties": columns}}),
    )
    .await
    .ok();
    assert_eq!(new["data_sources"].as_array().unwrap().len(), 1);
    for (version, body) in [
        (
            SOURCES,
            json!({"parent": parent, "title": title, "properties": columns}),
        ),
        (
            OLD,
            json!({"parent": parent, "title": title, "initial_data_source": {"properties": columns}}),
        ),
        (OLD, json!({"parent": parent, "title": title})),
        (
            OLD,
            json!({"parent": parent, "title": title, "properties": {"Kind": {"select": {}}}}),
        ),
        (
            OLD,
            json!({"parent": parent, "title": title, "properties": {"A": {"title": {}}, "B": {"title": {}}}}),
        ),
        (
            OLD,
            json!({"parent": parent, "title": title, "properties": {"A": {"title": {}}, "B": {"colour": {}}}}),
        ),
        (
            OLD,
            json!({"parent": parent, "title": "Bugs", "properties": columns}),
        ),
    ] {
        refused(&create(version, body).await, 400, "validation_error");
    }
}

#[tokio::test]
async fn comments_are_listed_replied_to_and_written() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let handbook = id(of(&world, "pages", "Engine handbook"));
    let list = async |block: &str| {
        stage
            .notion(
                OLD,
                "GET",
                &format!("comments?block_id={block}"),
                None,
                &token,
            )
            .await
            .ok()
    };
    let comments = list(handbook).await;
    // Resolved comments and comments on blocks aren't listed.
    assert_eq!(ids(&comments).len(), 2);
    let discussion = &comments["results"][0]["discussion_id"];
    let words = json!([{"text": {"content": "Thank you"}}]);
    let write = async |body: Value| {
        stage
            .notion(OLD, "POST", "comments", Some(body), &token)
            .await
    };
    let reply = write(json!({"discussion_id": discussion, "rich_text": words}))
        .await
        .ok();
    assert_eq!(
        reply["parent"],
        json!({"type": "page_id", "page_id": handbook})
    );
    let fresh = write(json!({"parent": {"page_id": handbook}, "rich_text": words}))
        .await
        .ok();
    assert_ne!(fresh["discussion_id"], *discussion);
    assert_eq!(ids(&list(handbook).await).len(), 4);
    let read = stage
        .notion(
            OLD,
            "GET",
            &format!("comments/{}", id(&fresh)),
            None,
            &token,
        )
        .await
        .ok();
    assert_eq!(read["rich_text"][0]["plain_text"], "Thank you");
    for wrong in [
        json!({"rich_text": words}),
        json!({"parent": {"page_id": handbook}, "discussion_id": discussion, "rich_text": words}),
        json!({"parent": {"page_id": handbook}}),
        json!({"parent": {"page_id": handbook}, "rich_text": [{"type": "mention", "text": {"content": "a"}}]}),
        json!({"parent": {"page_id": handbook}, "rich_text": words, "comment": {}}),
    ] {
        refused(&write(wrong).await, 400, "validation_error");
    }
    let unknown = json!({"discussion_id": handbook, "rich_text": words});
    refused(&write(unknown).await, 404, "object_not_found");
}
