//! Filters of queries, and other parameters that narrow them.

use serde_json::{Value, json};

use super::{NEWEST, Notion, OLD, SOURCES, id, ids, of};
use crate::client::cases;

#[tokio::test]
async fn rows_are_filtered_by_each_kind_of_column() {
    let notion = Notion::ada().await;
    let list = of(&notion.world, "databases", "Reading list");
    let path = format!("databases/{}/query", id(list));
    let query = async |filter: Value| {
        let body =
            json!({"filter": filter, "sorts": [{"property": "Pages", "direction": "ascending"}]});
        notion.post(OLD, &path, body).await
    };
    // The sandbox's date is 2026-05-04. The rows are named by their pages.
    let table = r#"
        {"property": "Status", "select": {"equals": "To read"}} => [248, 555]
        {"property": "U:C<", "select": {"does_not_equal": "To read"}} => [66, 320]
        {"property": "Status", "select": {"is_empty": true}} => []
        {"property": "Pages", "number": {"greater_than": 300}} => [320, 555]
        {"property": "Pages", "number": {"less_than_or_equal_to": 248}} => [66, 248]
        {"property": "title", "title": {"contains": "Engine"}} => [66]
        {"property": "Name", "title": {"starts_with": "A "}} => [248]
        {"property": "Notes & ideas", "rich_text": {"ends_with": "Juan."}} => [555]
        {"property": "Link", "url": {"is_not_empty": true}} => []
        {"property": "Owned", "checkbox": {"equals": false}} => [248]
        {"property": "Tags", "multi_select": {"contains": "machines"}} => [66, 320]
        {"property": "Tags", "multi_select": {"does_not_contain": "machines"}} => [248, 555]
        {"property": "Due", "date": {"on_or_after": "2026-06-30"}} => [248, 555]
        {"property": "Due", "date": {"before": "2026-05-15T00:00:00Z"}} => [66]
        {"property": "Due", "date": {"equals": "2026-05-15"}} => [320]
        {"property": "Due", "date": {"next_month": {}}} => [320]
        {"property": "Due", "date": {"past_year": {}}} => [66]
        {"property": "Added", "created_time": {"after": "2026-05-04"}} => []
        {"timestamp": "last_edited_time", "last_edited_time": {"on_or_before": "2026-05-04"}} => [66, 248, 320, 555]
        {"and": [{"property": "Status", "select": {"equals": "To read"}}, {"property": "Pages", "number": {"greater_than": 300}}]} => [555]
        {"or": [{"and": [{"property": "Status", "select": {"equals": "To read"}}, {"property": "Pages", "number": {"greater_than": 300}}]}, {"property": "Pages", "number": {"equals": 66}}]} => [66, 555]
        {"and": []} => [66, 248, 320, 555]
    "#;
    for [filter, expected] in cases(table) {
        let filter: Value = serde_json::from_str(filter).unwrap();
        let rows = query(filter.clone()).await.ok();
        let pages = rows["results"].as_array().unwrap().iter();
        let pages: Vec<&Value> = pages
            .map(|row| &row["properties"]["Pages"]["number"])
            .collect();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(json!(pages), expected, "{filter}");
    }
    let table = r#"
        {"property": "Stauts", "select": {"equals": "Read"}} => Could not find property with name or id: Stauts
        {"property": "Status", "status": {"equals": "Read"}} => database property select does not match filter status
        {"property": "Status", "select": {"contains": "Read"}} => should be not present
        {"property": "Status", "select": {}} => should be defined
        {"property": "Status", "select": {"equals": 1}} => should be a string
        {"property": "Pages", "number": {"equals": "66"}} => should be a number
        {"property": "Owned", "checkbox": {"equals": "true"}} => should be a boolean
        {"property": "Due", "date": {"before": "soon"}} => ISO 8601
        {"property": "Due", "date": {"past_week": true}} => an empty object
        {"property": "Due", "date": {"is_empty": false}} => `true`
        {"property": "Due"} => should be defined
        {"select": {"equals": "Read"}} => should be defined
        {"timestamp": "created_time", "date": {"is_empty": true}} => should be defined
        {"and": [{"or": [{"and": [{"property": "Status", "select": {"equals": "To read"}}]}]}]} => should be not present
        {"and": [{"property": "Status", "select": {"equals": "To read"}}], "or": [{"property": "Status", "select": {"equals": "To read"}}]} => should be not present
    "#;
    for [filter, words] in cases(table) {
        let filter = serde_json::from_str(filter).unwrap();
        query(filter).await.is_invalid(words);
    }
    let week = query(json!({"property": "Due", "date": {"this_week": {}}})).await;
    week.refused_by_notion(501, "not_implemented");
}

#[tokio::test]
async fn entries_of_a_data_source_are_narrowed_by_kind_and_trash() {
    let notion = Notion::ada().await;
    let list = &of(&notion.world, "databases", "Reading list")["data_sources"][0];
    let path = format!("data_sources/{}/query", id(list));
    let query = async |version: &str, body: Value| notion.post(version, &path, body).await;
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
        query(version, body).await.is_invalid("");
    }
}
