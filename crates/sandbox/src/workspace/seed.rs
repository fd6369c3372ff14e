//! The initial workspace, from the seed's short description.

use std::{collections::BTreeMap, sync::LazyLock};

use jiff::Timestamp;
use serde::Deserialize;

use crate::users::parse_seed;
use serde_json::{Map, Value, json};

use super::{
    columns,
    content::{Block, Column, Comment, Content, Database, Origin, Page, Parent, Source},
    ids::id_of,
    rich_text,
    shapes::person_id,
};

/// Objects refer to each other by title, from which their IDs are derived.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Seed {
    pages: Vec<SeedPage>,
    blocks: Vec<SeedBlock>,
    comments: Vec<SeedComment>,
    databases: Vec<SeedDatabase>,
}

#[derive(Deserialize)]
struct SeedPage {
    title: String,
    /// The parent page. `None` for a top-level page.
    page: Option<String>,
    /// The only person who can see a top-level page.
    owner: Option<&'static str>,
    author: String,
    at: Timestamp,
}

#[derive(Deserialize)]
struct SeedBlock {
    page: String,
    kind: String,
    text: String,
    #[serde(default)]
    body: Map<String, Value>,
    author: String,
    at: Timestamp,
}

#[derive(Deserialize)]
struct SeedComment {
    /// The page or block, such as `page Projects`.
    on: String,
    discussion: String,
    text: String,
    #[serde(default)]
    resolved: bool,
    author: String,
    at: Timestamp,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct SeedDatabase {
    title: String,
    page: String,
    author: String,
    at: Timestamp,
    sources: Vec<SeedSource>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct SeedSource {
    title: String,
    columns: Vec<SeedColumn>,
    /// Titles, each with values by column name.
    rows: Vec<(String, Map<String, Value>)>,
}

#[derive(Deserialize)]
struct SeedColumn {
    id: Option<String>,
    name: String,
    kind: &'static str,
    #[serde(default, borrow)]
    options: Vec<&'static str>,
}

/// The seed is created once. Every sandbox starts with a copy.
static SEED: LazyLock<Content> = LazyLock::new(seed);

/// A copy of the seed.
pub(super) fn content() -> Content {
    SEED.clone()
}

/// Two pages for everyone, each with a database, and one private page for each person.
fn seed() -> Content {
    let seed: Seed = parse_seed(include_str!("content.json"));
    let mut content = Content::default();
    for page in seed.pages {
        let parent = page.page.map_or(Parent::Top(page.owner), |page| {
            Parent::Page(id_of(&format!("page {page}")))
        });
        let values = BTreeMap::from([(String::from("title"), rich_text::of(&page.title))]);
        let origin = origin(&page.author, page.at);
        let id = id_of(&format!("page {}", page.title));
        content.pages.push(new_page(id, parent, values, origin));
    }
    for block in seed.blocks {
        let mut body = json!({"rich_text": rich_text::of(&block.text), "color": "default"});
        for (name, value) in block.body {
            body[name] = value;
        }
        content.blocks.push(Block {
            id: id_of(&format!("block {}", block.text)),
            parent: id_of(&format!("page {}", block.page)),
            kind: block.kind,
            body,
            origin: origin(&block.author, block.at),
        });
    }
    for comment in seed.comments {
        content.comments.push(Comment {
            id: id_of(&format!("comment {}", comment.text)),
            parent: id_of(&comment.on),
            discussion: id_of(&format!("discussion {}", comment.discussion)),
            rich_text: rich_text::of(&comment.text),
            resolved: comment.resolved,
            origin: origin(&comment.author, comment.at),
        });
    }
    for database in seed.databases {
        add_database(&mut content, database);
    }
    content
}

fn add_database(content: &mut Content, seed: SeedDatabase) {
    let made = origin(&seed.author, seed.at);
    let id = id_of(&format!("database {}", seed.title));
    let mut sources = Vec::new();
    for source in seed.sources {
        let source_id = id_of(&format!("source {}", source.title));
        let columns: Vec<Column> = source.columns.into_iter().map(column).collect();
        // Each row is created a day after the previous one, so that sorting by time is unambiguous.
        for (day, (title, values)) in (17..).zip(source.rows) {
            let value = |column: &Column| {
                Some((column.id.clone(), value(column, values.get(&column.name)?)))
            };
            let mut values: BTreeMap<String, Value> = columns.iter().filter_map(value).collect();
            values.insert(String::from("title"), rich_text::of(&title));
            let at = format!("2026-03-{day}T12:00:00Z")
                .parse()
                .unwrap_or(seed.at);
            let parent = Parent::Source(source_id.clone());
            let id = id_of(&format!("row {title}"));
            content
                .pages
                .push(new_page(id, parent, values, origin(&seed.author, at)));
        }
        sources.push(source_id.clone());
        content.sources.push(Source {
            id: source_id,
            database: id.clone(),
            title: rich_text::of(&source.title),
            columns,
            origin: made.clone(),
        });
    }
    content.databases.push(Database {
        id,
        page: id_of(&format!("page {}", seed.page)),
        title: rich_text::of(&seed.title),
        sources,
        origin: made,
    });
}

fn column(seed: SeedColumn) -> Column {
    let mut column = columns::new(&seed.name, seed.kind, &seed.options);
    column.id = seed.id.unwrap_or(column.id);
    column
}

fn new_page(id: String, parent: Parent, values: BTreeMap<String, Value>, origin: Origin) -> Page {
    Page {
        id,
        parent,
        values,
        icon: Value::Null,
        cover: Value::Null,
        origin,
    }
}

/// Converts the seed's short form of a value to the stored one.
fn value(column: &Column, short: &Value) -> Value {
    let option = |name: &Value| {
        let options = column.config["options"].as_array().into_iter().flatten();
        options
            .into_iter()
            .find(|option| option["name"] == *name)
            .cloned()
    };
    match column.kind {
        "select" | "status" => option(short).unwrap_or_default(),
        "multi_select" => short
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(option)
            .collect(),
        "date" => json!({"start": short, "end": null, "time_zone": null}),
        "rich_text" => rich_text::of(short.as_str().unwrap_or_default()),
        _ => short.clone(),
    }
}

fn origin(author: &str, at: Timestamp) -> Origin {
    Origin {
        created: at,
        edited: at,
        author: person_id(author),
    }
}
