//! The workspace as every sandbox begins with it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    columns,
    content::{Block, Column, Comment, Content, Database, Origin, Page, Parent, Source},
    ids::id_of,
    rich_text,
    shapes::person_id,
};

const ADA: &str = "ada@example.com";
const GRACE: &str = "grace@example.com";

/// Two pages for all with a database each, and one page for each person only.
pub(crate) fn seed() -> Content {
    let mut content = Content::default();
    page(
        &mut content,
        "Engine handbook",
        Parent::Top(None),
        ADA,
        "2026-03-02T10:00:00Z",
    );
    let handbook = id_of("page Engine handbook");
    page(
        &mut content,
        "Operating notes",
        Parent::Page(handbook.clone()),
        ADA,
        "2026-03-09T08:30:00Z",
    );
    page(
        &mut content,
        "Projects",
        Parent::Top(None),
        GRACE,
        "2026-02-16T09:15:00Z",
    );
    page(
        &mut content,
        "Ada's diary",
        Parent::Top(Some(ADA)),
        ADA,
        "2026-01-05T21:00:00Z",
    );
    page(
        &mut content,
        "Grace's notebook",
        Parent::Top(Some(GRACE)),
        GRACE,
        "2026-01-07T22:10:00Z",
    );
    blocks(&mut content, &handbook);
    comments(&mut content, &handbook);
    reading_list(&mut content, &handbook);
    projects(&mut content);
    content
}

fn page(content: &mut Content, title: &str, parent: Parent, author: &str, at: &str) {
    content.pages.push(Page {
        id: id_of(&format!("page {title}")),
        parent,
        values: BTreeMap::from([(String::from("title"), rich_text::of(title))]),
        icon: Value::Null,
        cover: Value::Null,
        origin: origin(author, at),
    });
}

fn blocks(content: &mut Content, page: &str) {
    for (kind, words) in [
        ("heading_1", "The engine"),
        (
            "paragraph",
            "It weaves algebraic patterns just as the loom weaves flowers and leaves.",
        ),
        ("bulleted_list_item", "The mill does the work."),
        ("bulleted_list_item", "The store keeps the numbers."),
        ("to_do", "Oil the barrels"),
    ] {
        let mut body = json!({"rich_text": rich_text::of(words), "color": "default"});
        if kind == "to_do" {
            body["checked"] = json!(false);
        }
        content.blocks.push(Block {
            id: id_of(&format!("block {words}")),
            parent: page.to_owned(),
            kind: kind.to_owned(),
            body,
            origin: origin(ADA, "2026-03-02T10:05:00Z"),
        });
    }
}

fn comments(content: &mut Content, page: &str) {
    let block = id_of("block Oil the barrels");
    for (words, parent, discussion, author, at, resolved) in [
        (
            "Who wrote the part about the mill?",
            page,
            "mill",
            GRACE,
            "2026-04-20T08:00:00Z",
            false,
        ),
        (
            "I did, after the visit on Tuesday.",
            page,
            "mill",
            ADA,
            "2026-04-20T08:12:00Z",
            false,
        ),
        (
            "Typo in the heading.",
            page,
            "typo",
            GRACE,
            "2026-04-21T14:00:00Z",
            true,
        ),
        (
            "Done on Friday.",
            &block,
            "oil",
            ADA,
            "2026-05-01T16:45:00Z",
            false,
        ),
    ] {
        content.comments.push(Comment {
            id: id_of(&format!("comment {words}")),
            parent: parent.to_owned(),
            discussion: id_of(&format!("discussion {discussion}")),
            rich_text: rich_text::of(words),
            resolved,
            origin: origin(author, at),
        });
    }
}

/// A database with one data source.
fn reading_list(content: &mut Content, page: &str) {
    let mut status = columns::new("Status", "select", &["To read", "Reading", "Read"]);
    status.id = String::from("U:C<");
    let columns = vec![
        columns::new("Name", "title", &[]),
        status,
        columns::new(
            "Tags",
            "multi_select",
            &["mathematics", "machines", "poetry"],
        ),
        columns::new("Pages", "number", &[]),
        columns::new("Due", "date", &[]),
        columns::new("Owned", "checkbox", &[]),
        columns::new("Link", "url", &[]),
        columns::new("Notes & ideas", "rich_text", &[]),
        columns::new("Added", "created_time", &[]),
    ];
    database(
        content,
        "Reading list",
        page,
        ADA,
        vec![("Reading list", columns)],
    );
    for (title, status, tags, pages, due, owned) in [
        (
            "Sketch of the Analytical Engine",
            "Read",
            &["machines", "mathematics"][..],
            66,
            "2026-04-01",
            true,
        ),
        (
            "On the Economy of Machinery",
            "Reading",
            &["machines"],
            320,
            "2026-05-15",
            true,
        ),
        (
            "A Treatise on the Calculus of Finite Differences",
            "To read",
            &["mathematics"],
            248,
            "2026-06-30",
            false,
        ),
        ("Don Juan", "To read", &["poetry"], 555, "2026-12-24", true),
    ] {
        row(content, "Reading list", title, ADA, |column| {
            match column.name.as_str() {
                "Status" => chosen(column, status),
                "Tags" => tags.iter().map(|tag| chosen(column, tag)).collect(),
                "Pages" => json!(pages),
                "Due" => json!({"start": due, "end": null, "time_zone": null}),
                "Owned" => json!(owned),
                "Notes & ideas" => rich_text::of(&format!("Bought for {title}.")),
                _ => Value::Null,
            }
        });
    }
}

/// A database with two data sources.
fn projects(content: &mut Content) {
    let tasks = vec![
        columns::new("Task", "title", &[]),
        columns::new("Done", "checkbox", &[]),
        columns::new(
            "State",
            "status",
            &["Not started", "In progress", "Finished"],
        ),
    ];
    let milestones = vec![
        columns::new("Milestone", "title", &[]),
        columns::new("When", "date", &[]),
    ];
    let page = id_of("page Projects");
    let sources = vec![("Tasks", tasks), ("Milestones", milestones)];
    database(content, "Compiler", &page, GRACE, sources);
    for (title, done, state) in [
        ("Collect subroutines", true, "Finished"),
        ("Write the linker", false, "In progress"),
        ("Print the manual", false, "Not started"),
    ] {
        row(content, "Tasks", title, GRACE, |column| match column.kind {
            "checkbox" => json!(done),
            "status" => chosen(column, state),
            _ => Value::Null,
        });
    }
    for (title, when) in [
        ("First program", "2026-06-01"),
        ("Second release", "2026-09-01"),
    ] {
        row(content, "Milestones", title, GRACE, |column| {
            match column.kind {
                "date" => json!({"start": when, "end": null, "time_zone": null}),
                _ => Value::Null,
            }
        });
    }
}

fn database(
    content: &mut Content,
    title: &str,
    page: &str,
    author: &str,
    sources: Vec<(&str, Vec<Column>)>,
) {
    let made = origin(author, "2026-03-16T11:00:00Z");
    let id = id_of(&format!("database {title}"));
    let mut ids = Vec::new();
    for (name, columns) in sources {
        let source = id_of(&format!("source {name}"));
        ids.push(source.clone());
        content.sources.push(Source {
            id: source,
            database: id.clone(),
            title: rich_text::of(name),
            columns,
            origin: made.clone(),
        });
    }
    content.databases.push(Database {
        id,
        page: page.to_owned(),
        title: rich_text::of(title),
        sources: ids,
        origin: made,
    });
}

fn row(
    content: &mut Content,
    source: &str,
    title: &str,
    author: &str,
    value: impl Fn(&Column) -> Value,
) {
    let source = id_of(&format!("source {source}"));
    let columns = content
        .source(&source)
        .map(|source| source.columns.as_slice())
        .unwrap_or_default();
    let mut values: BTreeMap<String, Value> = columns
        .iter()
        .map(|column| (column.id.clone(), value(column)))
        .collect();
    values.retain(|_, value| !value.is_null());
    values.insert(String::from("title"), rich_text::of(title));
    // Later rows are made a day later each, so that orders by time are certain.
    let day = content.rows(&source).count() + 17;
    content.pages.push(Page {
        id: id_of(&format!("row {title}")),
        parent: Parent::Source(source),
        values,
        icon: Value::Null,
        cover: Value::Null,
        origin: origin(author, &format!("2026-03-{day}T12:00:00Z")),
    });
}

fn chosen(column: &Column, name: &str) -> Value {
    let options = column.config["options"].as_array().into_iter().flatten();
    options
        .into_iter()
        .find(|option| option["name"] == name)
        .cloned()
        .unwrap_or_default()
}

fn origin(author: &str, at: &str) -> Origin {
    let created: Timestamp = at.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    Origin {
        created,
        edited: created,
        author: person_id(author),
    }
}
