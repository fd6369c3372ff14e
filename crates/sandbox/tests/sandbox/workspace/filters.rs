//! Filters of queries, and other parameters that narrow them.

use serde_json::{Value, json};

use super::{NEWEST, OLD, SOURCES, ada, id, ids, of, refused};
use crate::client::Stage;

#[tokio::test]
async fn rows_are_filtered_by_each_kind_of_column() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let list = of(&world, "databases", "Reading list");
    let path = format!("databases/{}/query", id(list));
    let query = async |filter: Value| {
        let body =
            json!({"filter": filter, "sorts": [{"property": "Pages", "direction": "ascending"}]});
        stage.notion(OLD, "POST", &path, Some(body), &token).await
    };
    let (sketch, calculus, economy, juan) = (66, 248, 320, 555);
    let by = |property: &str, kind: &str, test: Value| json!({"property": property, kind: test});
    let unread = by("Status", "select", json!({"equals": "To read"}));
    let long = by("Pages", "number", json!({"greater_than": 300}));
    for (filter, expected) in [
        (unread.clone(), vec![calculus, juan]),
        (
            by("U:C<", "select", json!({"does_not_equal": "To read"})),
            vec![sketch, economy],
        ),
        (by("Status", "select", json!({"is_empty": true})), vec![]),
        (long.clone(), vec![economy, juan]),
        (
            by("Pages", "number", json!({"less_than_or_equal_to": 248})),
            vec![sketch, calculus],
        ),
        (
            by("title", "title", json!({"contains": "Engine"})),
            vec![sketch],
        ),
        (
            by("Name", "title", json!({"starts_with": "A "})),
            vec![calculus],
        ),
        (
            by("Notes & ideas", "rich_text", json!({"ends_with": "Juan."})),
            vec![juan],
        ),
        (by("Link", "url", json!({"is_not_empty": true})), vec![]),
        (
            by("Owned", "checkbox", json!({"equals": false})),
            vec![calculus],
        ),
        (
            by("Tags", "multi_select", json!({"contains": "machines"})),
            vec![sketch, economy],
        ),
        (
            by(
                "Tags",
                "multi_select",
                json!({"does_not_contain": "machines"}),
            ),
            vec![calculus, juan],
        ),
        (
            by("Due", "date", json!({"on_or_after": "2026-06-30"})),
            vec![calculus, juan],
        ),
        (
            by("Due", "date", json!({"before": "2026-05-15T00:00:00Z"})),
            vec![sketch],
        ),
        (
            by("Due", "date", json!({"equals": "2026-05-15"})),
            vec![economy],
        ),
        // The sandbox's date is 2026-05-04.
        (by("Due", "date", json!({"next_month": {}})), vec![economy]),
        (by("Due", "date", json!({"past_year": {}})), vec![sketch]),
        (
            by("Added", "created_time", json!({"after": "2026-05-04"})),
            vec![],
        ),
        (
            json!({"timestamp": "last_edited_time", "last_edited_time": {"on_or_before": "2026-05-04"}}),
            vec![sketch, calculus, economy, juan],
        ),
        (json!({"and": [unread, long]}), vec![juan]),
        (
            json!({"or": [{"and": [unread, long]}, by("Pages", "number", json!({"equals": 66}))]}),
            vec![sketch, juan],
        ),
        (json!({"and": []}), vec![sketch, calculus, economy, juan]),
    ] {
        let rows = query(filter.clone()).await.ok();
        let pages = rows["results"].as_array().unwrap().iter();
        let pages: Vec<&Value> = pages
            .map(|row| &row["properties"]["Pages"]["number"])
            .collect();
        assert_eq!(json!(pages), json!(expected), "{filter}");
    }
    for (filter, words) in [
        (
            by("Stauts", "select", json!({"equals": "Read"})),
            "Could not find property with name or id: Stauts",
        ),
        (
            by("Status", "status", json!({"equals": "Read"})),
            "database property select does not match filter status",
        ),
        (
            by("Status", "select", json!({"contains": "Read"})),
            "should be not present",
        ),
        (by("Status", "select", json!({})), "should be defined"),
        (
            by("Status", "select", json!({"equals": 1})),
            "should be a string",
        ),
        (
            by("Pages", "number", json!({"equals": "66"})),
            "should be a number",
        ),
        (
            by("Owned", "checkbox", json!({"equals": "true"})),
            "should be a boolean",
        ),
        (by("Due", "date", json!({"before": "soon"})), "ISO 8601"),
        (
            by("Due", "date", json!({"past_week": true})),
            "an empty object",
        ),
        (by("Due", "date", json!({"is_empty": false})), "`true`"),
        (json!({"property": "Due"}), "should be defined"),
        (json!({"select": {"equals": "Read"}}), "should be defined"),
        (
            json!({"timestamp": "created_time", "date": {"is_empty": true}}),
            "should be defined",
        ),
        (
            json!({"and": [{"or": [{"and": [unread]}]}]}),
            "should be not present",
        ),
        (
            json!({"and": [unread], "or": [unread]}),
            "should be not present",
        ),
    ] {
        let reply = query(filter).await;
        refused(&reply, 400, "validation_error");
        assert!(reply.text.contains(words), "{}", reply.text);
    }
    let week = query(by("Due", "date", json!({"this_week": {}}))).await;
    refused(&week, 501, "not_implemented");
}

#[tokio::test]
async fn entries_of_a_data_source_are_narrowed_by_kind_and_trash() {
    let stage = Stage::new().await;
    let (token, world) = ada(&stage).await;
    let list = &of(&world, "databases", "Reading list")["data_sources"][0];
    let path = format!("data_sources/{}/query", id(list));
    let query = async |version: &str, body: Value| {
        stage
            .notion(version, "POST", &path, Some(body), &token)
            .await
    };
    for (body, count) in [
        (json!({"result_type": "page"}), 4),
        (json!({"result_type": "data_source"}), 0),
        (json!({"in_trash": true}), 0),
        (json!({"in_trash": false}), 4),
    ] {
        let rows = query(NEWEST, body).await.ok();
        assert_eq!(ids(&rows).len(), count);
    }
    assert_eq!(
        ids(&query(SOURCES, json!({"archived": true})).await.ok()).len(),
        0
    );
    for (version, body) in [
        (SOURCES, json!({"in_trash": true})),
        (NEWEST, json!({"archived": true})),
        (NEWEST, json!({"result_type": "database"})),
    ] {
        refused(&query(version, body).await, 400, "validation_error");
    }
}
