//! Users, and the search.

use serde_json::{Value, json};

use crate::{
    users,
    workspace::{ApiError, Call, Reader, State, reader::PageRange, rich_text, shapes},
};

/// "Retrieve your token's bot user": the integration as a user.
pub(super) fn me(_: &mut State, call: &Call) -> Result<Value, ApiError> {
    let owner = users::find(&call.user).map(shapes::person);
    Ok(json!({
        "object": "user",
        "id": call.bot(),
        "name": call.client,
        "avatar_url": null,
        "type": "bot",
        "bot": {
            "owner": {"type": "user", "user": owner},
            "workspace_id": shapes::workspace_id(),
            "workspace_name": shapes::WORKSPACE_NAME,
            "workspace_limits": {"max_file_upload_size_in_bytes": 5_242_880},
        },
    }))
}

/// "List all users": the people of the workspace, in pages.
pub(super) fn list_users(_: &mut State, call: &Call) -> Result<Value, ApiError> {
    let people = users::all().iter();
    let items = people.map(|user| (shapes::person_id(user.email), shapes::person(user)));
    PageRange::of_query(&call.query)?.of(items.collect(), "user")
}

/// "Search by title": pages and databases that are shared with the integration, in pages.
pub(super) fn search(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let known = ["query", "sort", "filter", "page_size", "start_cursor"];
    let body = Reader::new(&call.body, "body", &known)?;
    let words = body.text("query")?.unwrap_or_default().to_lowercase();
    let container = if call.version.has_data_sources() {
        "data_source"
    } else {
        "database"
    };
    let only = filter(&body, container)?;
    let ascending = sort(&body)?;

    let content = &*state.content;
    let is_valid = |title: &Value| {
        words
            .split_whitespace()
            .all(|word| rich_text::plain(title).to_lowercase().contains(word))
    };
    let mut found = Vec::new();
    for page in &content.pages {
        if only != Some(container) && call.can_see(content, &page.id) && is_valid(&page.title()) {
            let shown = shapes::page(content, page, call.version, None);
            found.push((page.origin.edited, page.id.clone(), shown));
        }
    }
    if only != Some("page") && call.version.has_data_sources() {
        for source in &content.sources {
            if call.can_see(content, &source.id) && is_valid(&source.title) {
                let shown = shapes::source(content, source, call.version);
                found.push((source.origin.edited, source.id.clone(), shown));
            }
        }
    } else if only != Some("page") {
        // An older version has no word for a database with several data sources.
        for database in content
            .databases
            .iter()
            .filter(|database| database.sources.len() == 1)
        {
            if call.can_see(content, &database.id) && is_valid(&database.title) {
                let shown = shapes::database(content, database, call.version);
                found.push((database.origin.edited, database.id.clone(), shown));
            }
        }
    }
    found.sort_by_key(|(edited, _, _)| *edited);
    if !ascending {
        found.reverse();
    }
    let items = found
        .into_iter()
        .map(|(_, id, shown)| (id, shown))
        .collect();
    PageRange::of_body(&body)?.of(items, &format!("page_or_{container}"))
}

fn filter<'body>(body: &Reader<'body>, container: &str) -> Result<Option<&'body str>, ApiError> {
    let Some(filter) = body.get("filter") else {
        return Ok(None);
    };
    let filter = Reader::new(filter, body.path("filter"), &["property", "value"])?;
    filter.required("property")?;
    filter.required("value")?;
    filter.one_of("property", &["object"])?;
    filter.one_of("value", &["page", container])
}

/// Whether the oldest comes first.
fn sort(body: &Reader<'_>) -> Result<bool, ApiError> {
    let Some(sort) = body.get("sort") else {
        return Ok(false);
    };
    let sort = Reader::new(sort, body.path("sort"), &["timestamp", "direction"])?;
    sort.required("timestamp")?;
    sort.required("direction")?;
    sort.one_of("timestamp", &["last_edited_time"])?;
    Ok(sort.one_of("direction", &["ascending", "descending"])? == Some("ascending"))
}
