//! Objects as responses show them, depending on the version.

use std::collections::BTreeSet;

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::{
    content::{Block, Column, Comment, Content, Database, Origin, Page, Parent, Source},
    ids::{compact, id_of},
    method::Version,
    rich_text, values,
};
use crate::users::User;

/// The characters that JavaScript's `encodeURIComponent` doesn't encode.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The name of the workspace.
pub(crate) const WORKSPACE_NAME: &str = "Analytical Engine Works";

/// The ID of the workspace.
pub(crate) fn workspace_id() -> String {
    id_of("workspace")
}

/// The ID of a person, from the email address.
pub(crate) fn person_id(email: &str) -> String {
    id_of(&format!("person {email}"))
}

pub(crate) fn person(user: &User) -> Value {
    json!({
        "object": "user",
        "id": person_id(user.email),
        "name": user.name,
        "avatar_url": user.picture,
        "type": "person",
        "person": {"email": user.email},
    })
}

/// A page with all its properties, or only with those in `only`.
pub(crate) fn page(
    content: &Content,
    page: &Page,
    version: Version,
    only: Option<&BTreeSet<String>>,
) -> Value {
    let mut properties = Map::new();
    let source = match &page.parent {
        Parent::Source(source) => content.source(source),
        _ => None,
    };
    match source {
        Some(source) => {
            let wanted = |column: &&Column| only.is_none_or(|only| only.contains(&column.id));
            for column in source.columns.iter().filter(wanted) {
                let value = match column.kind {
                    "created_time" => Some(json!(minute(page.origin.created))),
                    "last_edited_time" => Some(json!(minute(page.origin.edited))),
                    "created_by" | "last_edited_by" => Some(user(&page.origin.author)),
                    _ => page.values.get(&column.id).cloned(),
                };
                let rendered = values::property_value(column, value.as_ref(), &encoded(&column.id));
                properties.insert(column.name.clone(), rendered);
            }
        }
        None => {
            let title = json!({"id": "title", "type": "title", "title": page.title()});
            properties.insert(String::from("title"), title);
        }
    }
    let title = rich_text::plain(&page.title());
    let mut rendered = json!({
        "object": "page",
        "id": page.id,
        "parent": page_parent(content, page, version),
        "properties": properties,
        "icon": page.icon,
        "cover": page.cover,
        "is_locked": false,
        "url": url(&title, &page.id),
        "public_url": null,
    });
    origin(&mut rendered, &page.origin, version);
    rendered
}

/// A database. It contains its columns in versions without data sources.
pub(crate) fn database(content: &Content, database: &Database, version: Version) -> Value {
    let title = rich_text::plain(&database.title);
    let mut rendered = json!({
        "object": "database",
        "id": database.id,
        "title": database.title,
        "description": [],
        "parent": {"type": "page_id", "page_id": database.page},
        "icon": null,
        "cover": null,
        "is_inline": false,
        "url": url(&title, &database.id),
        "public_url": null,
    });
    let sources: Vec<&Source> = database
        .sources
        .iter()
        .filter_map(|id| content.source(id))
        .collect();
    if version.has_data_sources() {
        rendered["is_locked"] = json!(false);
        rendered["data_sources"] = sources
            .iter()
            .map(|source| json!({"id": source.id, "name": rich_text::plain(&source.title)}))
            .collect();
    } else {
        rendered["properties"] = sources
            .first()
            .map(|source| columns(source))
            .unwrap_or_default();
    }
    origin(&mut rendered, &database.origin, version);
    rendered
}

pub(crate) fn source(content: &Content, source: &Source, version: Version) -> Value {
    let title = rich_text::plain(&source.title);
    let page = content
        .database(&source.database)
        .map(|database| database.page.as_str());
    let mut rendered = json!({
        "object": "data_source",
        "id": source.id,
        "title": source.title,
        "description": [],
        "parent": {"type": "database_id", "database_id": source.database},
        "database_parent": {"type": "page_id", "page_id": page},
        "properties": columns(source),
        "icon": null,
        "cover": null,
        "is_inline": false,
        "url": url(&title, &source.database),
        "public_url": null,
    });
    origin(&mut rendered, &source.origin, version);
    rendered
}

pub(crate) fn block(content: &Content, block: &Block, version: Version) -> Value {
    let has_children = content.blocks.iter().any(|other| other.parent == block.id);
    let kind = block.kind.as_str();
    let mut rendered = json!({
        "object": "block",
        "id": block.id,
        "parent": block_parent(content, &block.parent),
        "has_children": has_children,
        "type": kind,
        kind: block.body,
    });
    if kind.starts_with("heading_") && rendered[kind]["is_toggleable"].is_null() {
        rendered[kind]["is_toggleable"] = json!(false);
    }
    origin(&mut rendered, &block.origin, version);
    rendered
}

/// A page or a database as a block of its parent page.
pub(crate) fn child(
    kind: &str,
    id: &str,
    parent: &Value,
    title: &Value,
    made: &Origin,
    version: Version,
) -> Value {
    let mut rendered = json!({
        "object": "block",
        "id": id,
        "parent": parent,
        "has_children": kind == "child_page",
        "type": kind,
        kind: {"title": rich_text::plain(title)},
    });
    origin(&mut rendered, made, version);
    rendered
}

pub(crate) fn comment(content: &Content, comment: &Comment, name: &str) -> Value {
    json!({
        "object": "comment",
        "id": comment.id,
        "parent": block_parent(content, &comment.parent),
        "discussion_id": comment.discussion,
        "created_time": minute(comment.origin.created),
        "last_edited_time": minute(comment.origin.edited),
        "created_by": user(&comment.origin.author),
        "rich_text": comment.rich_text,
        "display_name": {"type": "integration", "resolved_name": name},
    })
}

/// A short description of what a person can share.
pub(crate) fn readable(content: &Content, email: &str) -> Value {
    let roots: BTreeSet<String> = content
        .top_pages(email)
        .map(|page| page.id.clone())
        .collect();
    let can_see = |id: &str| content.is_shared(id, &roots);
    let pages: Vec<Value> = content
        .pages
        .iter()
        .filter(|page| can_see(&page.id))
        .map(|page| {
            let blocks = content
                .blocks
                .iter()
                .filter(|block| block.parent == page.id)
                .count();
            let (below, row_of) = match &page.parent {
                Parent::Top(_) => (None, None),
                Parent::Page(id) => (Some(id), None),
                Parent::Source(id) => (None, Some(id)),
            };
            json!({
                "id": page.id,
                "title": rich_text::plain(&page.title()),
                "parent_page_id": below,
                "data_source_id": row_of,
                "blocks": blocks,
            })
        })
        .collect();
    let databases: Vec<Value> = content
        .databases
        .iter()
        .filter(|database| can_see(&database.id))
        .map(|database| {
            let sources = database.sources.iter().filter_map(|id| content.source(id));
            json!({
                "id": database.id,
                "title": rich_text::plain(&database.title),
                "parent_page_id": database.page,
                "data_sources": sources.map(|source| readable_source(content, source)).collect::<Vec<_>>(),
            })
        })
        .collect();
    let comments: Vec<Value> = content
        .comments
        .iter()
        .filter(|comment| can_see(&comment.parent))
        .map(|comment| {
            json!({
                "id": comment.id,
                "parent_id": comment.parent,
                "discussion_id": comment.discussion,
                "text": rich_text::plain(&comment.rich_text),
                "resolved": comment.resolved,
            })
        })
        .collect();
    json!({"pages": pages, "databases": databases, "comments": comments})
}

fn readable_source(content: &Content, source: &Source) -> Value {
    let columns = source.columns.iter();
    json!({
        "id": source.id,
        "name": rich_text::plain(&source.title),
        "properties": columns.map(|column| json!({
            "id": encoded(&column.id),
            "name": column.name,
            "type": column.kind,
        })).collect::<Vec<_>>(),
        "rows": content.rows(&source.id).map(|row| row.id.as_str()).collect::<Vec<_>>(),
    })
}

fn columns(source: &Source) -> Value {
    let columns = source.columns.iter().map(|column| {
        let mut config = column.config.clone();
        // An option has a description in its definition, but not in a value.
        let options = config.get_mut("options").and_then(Value::as_array_mut);
        for option in options.into_iter().flatten() {
            option["description"] = Value::Null;
        }
        let rendered = json!({
            "id": encoded(&column.id),
            "name": column.name,
            "type": column.kind,
            "description": null,
            column.kind: config,
        });
        (column.name.clone(), rendered)
    });
    Value::Object(columns.collect())
}

/// The parent of a page.
pub(crate) fn page_parent(content: &Content, page: &Page, version: Version) -> Value {
    match &page.parent {
        Parent::Top(_) => json!({"type": "workspace", "workspace": true}),
        Parent::Page(id) => json!({"type": "page_id", "page_id": id}),
        Parent::Source(id) => {
            let database = content.source(id).map(|source| source.database.as_str());
            if version.has_data_sources() {
                json!({"type": "data_source_id", "data_source_id": id, "database_id": database})
            } else {
                json!({"type": "database_id", "database_id": database})
            }
        }
    }
}

/// The parent of a block or a comment.
pub(crate) fn block_parent(content: &Content, id: &str) -> Value {
    match content.page(id) {
        Some(_) => json!({"type": "page_id", "page_id": id}),
        None => json!({"type": "block_id", "block_id": id}),
    }
}

fn origin(rendered: &mut Value, origin: &Origin, version: Version) {
    rendered["created_time"] = json!(minute(origin.created));
    rendered["last_edited_time"] = json!(minute(origin.edited));
    rendered["created_by"] = user(&origin.author);
    rendered["last_edited_by"] = user(&origin.author);
    rendered["in_trash"] = json!(false);
    if version < Version::InTrash {
        rendered["archived"] = json!(false);
    }
}

fn user(id: &str) -> Value {
    json!({"object": "user", "id": id})
}

/// Notion keeps times to the minute.
fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:00.000Z").to_string()
}

fn encoded(id: &str) -> String {
    utf8_percent_encode(id, PLAIN).to_string()
}

fn url(title: &str, id: &str) -> String {
    let words: Vec<&str> = title
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let slug = words.join("-");
    let separator = if slug.is_empty() { "" } else { "-" };
    format!("https://www.notion.so/{slug}{separator}{}", compact(id))
}
