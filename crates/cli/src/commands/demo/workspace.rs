use serde_json::{Value, json};

use super::case::{Case, World, list, same, same_texts};

/// Every workspace tool. The comment is written first, so that there is one to read.
pub(super) const CASES: &[Case] = &[
    Case {
        tool: "workspace_create_comment",
        input: |world| {
            json!({
                "comment": { "rich_text": [{ "type": "text", "text": { "content": COMMENT } }] },
                "parent": { "page_id": page(world, HANDBOOK)["id"] },
            })
        },
        check: |world, data| {
            let kept = comment(world, &data["id"])?;
            same("text", &json!(COMMENT), &kept["text"])?;
            same("page", &page(world, HANDBOOK)["id"], &kept["parent_id"])?;
            Ok(format!("a comment on \"{HANDBOOK}\""))
        },
    },
    Case {
        tool: "workspace_get_comment",
        input: |world| json!({ "comment_id": open_comments(world).next().map(|one| &one["id"]) }),
        check: |world, data| {
            let kept = comment(world, &data["id"])?;
            same("text", &kept["text"], &words(&data["rich_text"]))?;
            Ok(format!("{}", kept["text"]))
        },
    },
    Case {
        tool: "workspace_list_comments",
        input: |world| json!({ "block_id": page(world, HANDBOOK)["id"], "page_size": 100 }),
        check: |world, data| {
            let expected = open_comments(world).map(|one| &one["id"]);
            let seen = list(data, "results").iter().map(|one| &one["id"]);
            let count = same_texts("comments", expected, seen)?;
            Ok(format!("{count} open comments on \"{HANDBOOK}\""))
        },
    },
    Case {
        tool: "workspace_search",
        input: |_| json!({ "page_size": 100 }),
        check: |world, data| {
            // This version has no word for a database with several data sources.
            let databases = databases(world).iter();
            let plain = databases.filter(|one| list(one, "data_sources").len() == 1);
            let expected = pages(world).iter().chain(plain).map(|one| &one["id"]);
            let seen = list(data, "results").iter().map(|one| &one["id"]);
            let count = same_texts("results", expected, seen)?;
            Ok(format!("{count} pages and databases"))
        },
    },
    Case {
        tool: "workspace_create_database",
        input: |world| {
            json!({
                "parent": { "page_id": page(world, HANDBOOK)["id"] },
                "title": [{ "type": "text", "text": { "content": "Spare parts" } }],
                "properties": {
                    "Part": { "title": {} },
                    "State": { "select": { "options": [{ "name": "in stock" }, { "name": "ordered" }] } },
                },
            })
        },
        check: |world, data| {
            let kept = databases(world).iter().find(|one| one["id"] == data["id"]);
            let kept = kept.ok_or("the sandbox has no such database")?;
            same("title", &json!("Spare parts"), &kept["title"])?;
            same_columns(kept, data)?;
            Ok(String::from("\"Spare parts\", 2 columns"))
        },
    },
    Case {
        tool: "workspace_fetch_database",
        input: |world| json!({ "database_id": database(world)["id"] }),
        check: |world, data| {
            same("title", &json!(DATABASE), &words(&data["title"]))?;
            let count = same_columns(database(world), data)?;
            Ok(format!("\"{DATABASE}\", {count} columns"))
        },
    },
    Case {
        tool: "workspace_insert_database_row",
        input: |world| {
            json!({
                "database_id": database(world)["id"],
                "properties": {
                    "title": { "title": [{ "text": { "content": "Laws of Thought" } }] },
                    "Status": { "select": { "name": "To read" } },
                    "Due": { "date": { "start": "2026-07-01" } },
                },
                "icon": { "type": "emoji", "emoji": "📗" },
            })
        },
        check: |world, data| {
            let source = source(database(world));
            let kept = made(world, data)?;
            same("title", &json!("Laws of Thought"), &kept["title"])?;
            same("place", &source["id"], &kept["data_source_id"])?;
            Ok(format!(
                "row {} of \"{DATABASE}\"",
                list(source, "rows").len()
            ))
        },
    },
    Case {
        tool: "workspace_query_database",
        input: |world| {
            json!({
                "database_id": database(world)["id"],
                "sorts": [{ "property": "Due", "direction": "ascending" }],
            })
        },
        check: |world, data| {
            let rows = list(data, "results");
            let due = |row: &Value| {
                row["properties"]["Due"]["date"]["start"]
                    .as_str()
                    .map(str::to_owned)
            };
            if !rows.iter().map(due).is_sorted() {
                return Err(String::from("the rows are not in order"));
            }
            let count = same_texts("rows", rows_of(world), rows.iter().map(|row| &row["id"]))?;
            Ok(format!("{count} rows by date"))
        },
    },
    Case {
        tool: "workspace_query_database_properties",
        input: |world| json!({ "database_id": database(world)["id"], "property_id": status(world)["id"] }),
        check: |world, data| {
            let rows = list(data, "results");
            let count = same_texts("rows", rows_of(world), rows.iter().map(|row| &row["id"]))?;
            for row in rows {
                let names: Vec<&String> = row["properties"]
                    .as_object()
                    .into_iter()
                    .flat_map(|all| all.keys())
                    .collect();
                same("properties", &json!([status(world)["name"]]), &json!(names))?;
            }
            Ok(format!("{count} rows with {} alone", status(world)["name"]))
        },
    },
    Case {
        tool: "workspace_create_page",
        input: |world| {
            let blocks: Vec<Value> = (1..=BLOCKS)
                .map(|number| {
                    let text = json!([{ "text": { "content": format!("Step {number}") } }]);
                    json!({ "type": "numbered_list_item", "numbered_list_item": { "rich_text": text } })
                })
                .collect();
            json!({
                "parent_page_id": page(world, HANDBOOK)["id"],
                "properties": { "title": { "title": [{ "text": { "content": "How to start it" } }] } },
                "child_blocks": blocks,
            })
        },
        check: |world, data| {
            let kept = made(world, data)?;
            same("title", &json!("How to start it"), &kept["title"])?;
            same(
                "place",
                &page(world, HANDBOOK)["id"],
                &kept["parent_page_id"],
            )?;
            same("blocks", &json!(BLOCKS), &kept["blocks"])?;
            Ok(format!("\"How to start it\", {BLOCKS} blocks"))
        },
    },
];

/// The page on which most of it happens.
const HANDBOOK: &str = "Engine handbook";
/// The database that is read.
const DATABASE: &str = "Reading list";
const COMMENT: &str = "Read on the train, very clear.";
/// More than one request takes.
const BLOCKS: usize = 120;

fn pages(world: &World) -> &[Value] {
    list(&world.all()["workspace"], "pages")
}

fn databases(world: &World) -> &[Value] {
    list(&world.all()["workspace"], "databases")
}

fn page<'a>(world: &'a World, title: &str) -> &'a Value {
    named(pages(world), title)
}

fn database(world: &World) -> &Value {
    named(databases(world), DATABASE)
}

/// The only data source of a database.
fn source(database: &Value) -> &Value {
    list(database, "data_sources")
        .first()
        .unwrap_or(&Value::Null)
}

/// The column whose id has to be encoded on its way.
fn status(world: &World) -> &Value {
    let columns = list(source(database(world)), "properties");
    columns
        .iter()
        .find(|column| column["name"] == "Status")
        .unwrap_or(&Value::Null)
}

fn rows_of(world: &World) -> impl Iterator<Item = &Value> {
    list(source(database(world)), "rows").iter()
}

fn open_comments(world: &World) -> impl Iterator<Item = &Value> {
    let place = &page(world, HANDBOOK)["id"];
    let comments = list(&world.all()["workspace"], "comments").iter();
    comments.filter(move |one| one["parent_id"] == *place && one["resolved"] == false)
}

fn comment<'a>(world: &'a World, id: &Value) -> Result<&'a Value, String> {
    let mut comments = list(&world.all()["workspace"], "comments").iter();
    comments
        .find(|one| one["id"] == *id)
        .ok_or_else(|| format!("the sandbox has no comment {id}"))
}

/// The page of an answer, as the sandbox keeps it.
fn made<'a>(world: &'a World, data: &Value) -> Result<&'a Value, String> {
    let page = pages(world).iter().find(|one| one["id"] == data["id"]);
    page.ok_or_else(|| format!("the sandbox has no page {}", data["id"]))
}

/// How many columns, where both sides have the same.
fn same_columns(known: &Value, data: &Value) -> Result<usize, String> {
    let expected = list(source(known), "properties").iter();
    let seen = data["properties"]
        .as_object()
        .into_iter()
        .flat_map(|all| all.values());
    same_texts(
        "columns",
        expected.map(|one| &one["id"]),
        seen.map(|one| &one["id"]),
    )
}

fn named<'a>(all: &'a [Value], title: &str) -> &'a Value {
    all.iter()
        .find(|one| one["title"] == title)
        .unwrap_or(&Value::Null)
}

/// The words of rich text.
fn words(rich_text: &Value) -> Value {
    let pieces = rich_text.as_array().into_iter().flatten();
    json!(
        pieces
            .filter_map(|piece| piece["plain_text"].as_str())
            .collect::<String>()
    )
}
