//! Writes, and their limits.

use serde_json::{Value, json};

use super::{NEWEST, Notion, OLD, SOURCES, id, ids, of, paragraph};
use crate::client::cases;

#[tokio::test]
async fn a_row_is_written_and_read_again() {
    let notion = Notion::ada().await;
    let list = of(&notion.world, "databases", "Reading list");
    let create = async |body: Value| notion.post(OLD, "pages", body).await;
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
    let read = notion.read(OLD, &format!("pages/{}", id(&made))).await;
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
    let blocks = notion
        .read(OLD, &format!("blocks/{}/children", id(&made)))
        .await;
    assert_eq!(ids(&blocks).len(), 2);
    assert_eq!(blocks["results"][1]["has_children"], true);
    let definition = notion.read(OLD, &format!("databases/{}", id(list))).await;
    let options = definition["properties"]["Status"]["select"]["options"].to_string();
    assert!(options.contains("Lent"), "{options}");
    assert_eq!(
        notion.stage.notion_world()["databases"][0]["data_sources"][0]["rows"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    let table = r#"
        {"Nam": {"title": []}} => Nam is not a property that exists.
        {"U%3AC%3C": {"select": {"name": "Read"}}} => is not a property that exists.
        {"title": {"title": []}, "Name": {"title": []}} => more than once
        {"Status": {"number": 1}} => Status is expected to be select.
        {"Due": {"date": {"start": "soon"}}} => ISO 8601
        {"Pages": {"number": "12"}} => should be a number
        {"Added": {"created_time": "2026-05-04T09:00:00.000Z"}} => cannot be set
        {"title": {"title": [{"text": {"content": "LONG"}}]}} => ≤ `2000`
    "#;
    for [wrong, words] in cases(table) {
        let wrong = wrong.replace("LONG", &"x".repeat(2001));
        let wrong: Value = serde_json::from_str(&wrong).unwrap();
        let reply = create(json!({"parent": parent, "properties": wrong})).await;
        reply.is_invalid(words);
    }
    let several = json!({"database_id": id(of(&notion.world, "databases", "Compiler"))});
    for version in [OLD, NEWEST] {
        let reply = notion
            .post(
                version,
                "pages",
                json!({"parent": several, "properties": {}}),
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
    let notion = Notion::ada().await;
    let parent = json!({"page_id": id(of(&notion.world, "pages", "Projects"))});
    let create = async |version: &str, body: Value| notion.post(version, "pages", body).await;
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
    let append = async |version: &str, body: Value| notion.patch(version, &path, body).await;
    let appended = append(
        OLD,
        json!({"children": [paragraph("100"), paragraph("101")]}),
    )
    .await
    .ok();
    assert_eq!(ids(&appended).len(), 2);
    let first = notion.read(OLD, &format!("{path}?page_size=1")).await;
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
    let five = notion.read(OLD, &format!("{path}?page_size=5")).await;
    let texts = five["results"].as_array().unwrap().iter();
    let texts: Vec<&Value> = texts
        .map(|block| &block["paragraph"]["rich_text"][0]["plain_text"])
        .collect();
    assert_eq!(texts, ["one", "two", "0", "after", "behind"]);
    append(OLD, start).await.is_invalid("");
    let nothing = json!({"children": [], "position": {"type": "after_block", "after_block": {}}});
    append(NEWEST, nothing).await.is_invalid("");
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
        append(OLD, json!({"children": children}))
            .await
            .is_invalid("");
    }
    append(OLD, json!({"children": [], "position": {"type": "end"}}))
        .await
        .is_invalid("");
    append(NEWEST, json!({"children": [], "after": ids(&first)[0]}))
        .await
        .is_invalid("");
    for wrong in [
        json!({"properties": {}}),
        json!({"parent": {}}),
        json!({"parent": {"page_id": "first"}}),
        json!({"parent": parent, "properties": {"Status": {}}}),
        json!({"parent": parent, "archived": true}),
        json!({"parent": parent, "icon": {"type": "emoji", "emoji": "x"}}),
        json!({"parent": parent, "cover": {"type": "external"}}),
    ] {
        create(OLD, wrong).await.is_invalid("");
    }
    create(
        OLD,
        json!({"parent": {"page_id": id(&made).replace('a', "b").replace('1', "2")}}),
    )
    .await
    .refused_by_notion(404, "object_not_found");
}

#[tokio::test]
async fn a_database_is_made_in_the_shape_of_its_version() {
    let notion = Notion::ada().await;
    let parent = json!({"type": "page_id", "page_id": id(of(&notion.world, "pages", "Projects"))});
    let title = json!([{"type": "text", "text": {"content": "Bugs"}}]);
    let columns =
        json!({"Name": {"title": {}}, "Kind": {"select": {"options": [{"name": "moth"}]}}});
    let create = async |version: &str, body: Value| notion.post(version, "databases", body).await;
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
    let table = r#"
        new => {"properties": COLUMNS}
        old => {"initial_data_source": {"properties": COLUMNS}}
        old => {}
        old => {"properties": {"Kind": {"select": {}}}}
        old => {"properties": {"A": {"title": {}}, "B": {"title": {}}}}
        old => {"properties": {"A": {"title": {}}, "B": {"colour": {}}}}
        old => {"title": "Bugs", "properties": COLUMNS}
    "#;
    for [version, more] in cases(table) {
        let version = if version == "new" { SOURCES } else { OLD };
        let more = more.replace("COLUMNS", &columns.to_string());
        let more: Value = serde_json::from_str(&more).unwrap();
        let mut body = json!({"parent": parent, "title": title});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        create(version, body).await.is_invalid("");
    }
}

#[tokio::test]
async fn comments_are_listed_replied_to_and_written() {
    let notion = Notion::ada().await;
    let handbook = id(of(&notion.world, "pages", "Engine handbook"));
    let list = async |block: &str| {
        notion
            .read(OLD, &format!("comments?block_id={block}"))
            .await
    };
    let comments = list(handbook).await;
    // Resolved comments and comments on blocks aren't listed.
    assert_eq!(ids(&comments).len(), 2);
    let discussion = &comments["results"][0]["discussion_id"];
    let words = json!([{"text": {"content": "Thank you"}}]);
    let write = async |body: Value| notion.post(OLD, "comments", body).await;
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
    let read = notion.read(OLD, &format!("comments/{}", id(&fresh))).await;
    assert_eq!(read["rich_text"][0]["plain_text"], "Thank you");
    for wrong in [
        json!({"rich_text": words}),
        json!({"parent": {"page_id": handbook}, "discussion_id": discussion, "rich_text": words}),
        json!({"parent": {"page_id": handbook}}),
        json!({"parent": {"page_id": handbook}, "rich_text": [{"type": "mention", "text": {"content": "a"}}]}),
        json!({"parent": {"page_id": handbook}, "rich_text": words, "comment": {}}),
    ] {
        write(wrong).await.is_invalid("");
    }
    let unknown = json!({"discussion_id": handbook, "rich_text": words});
    write(unknown)
        .await
        .refused_by_notion(404, "object_not_found");
}
