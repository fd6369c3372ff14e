//! The methods for users, search and comments.

use serde_json::{Value, json};

use crate::{
    users,
    workspace::{
        ApiError, Call, Capability, Reader, State, content::Comment, ids, reader::PageRange,
        rich_text, shapes,
    },
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
        // An older version can't show a database with several data sources.
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

/// Whether the oldest should come first.
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

/// "Retrieve a comment": one comment.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let comment = content
        .comment(call.id(0))
        .filter(|comment| call.can_see(content, &comment.parent));
    let comment = comment.ok_or_else(|| ApiError::not_found("comment", call.id(0)))?;
    Ok(shapes::comment(content, comment, &call.client))
}

/// "List comments": the open comments on a page or a block, in pages.
pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let asked = call
        .query
        .first("block_id")
        .ok_or_else(|| ApiError::at("query.block_id", "defined, instead was `undefined`"))?;
    let id = ids::read(asked).ok_or_else(|| {
        ApiError::at(
            "query.block_id",
            &format!("a valid uuid, instead was `\"{asked}\"`"),
        )
    })?;
    let content = &*state.content;
    let exists = content.page(&id).is_some() || content.block(&id).is_some();
    if !exists || !call.can_see(content, &id) {
        return Err(ApiError::not_found("block", &id));
    }
    let open = content
        .comments
        .iter()
        .filter(|comment| comment.parent == id && !comment.resolved);
    let items = open
        .map(|comment| {
            (
                comment.id.clone(),
                shapes::comment(content, comment, &call.client),
            )
        })
        .collect();
    PageRange::of_query(&call.query)?.of(items, "comment")
}

/// "Create a comment": starts a discussion on a page or a block, or continues one.
pub(super) fn create(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let body = Reader::new(
        &call.body,
        "body",
        &["parent", "discussion_id", "rich_text"],
    )?;
    let rich_text = rich_text::read(body.required("rich_text")?, "body.rich_text")?;
    let (parent, discussion) = comment_target(state, call, &body)?;
    let origin = call.origin(state);
    let content = &mut *state.content;
    let comment = Comment {
        id: content.new_id(),
        parent,
        discussion: discussion.unwrap_or_else(|| content.new_id()),
        rich_text,
        resolved: false,
        origin,
    };
    content.comments.push(comment.clone());
    if state.lost_capabilities.contains(&Capability::ReadComments) {
        return Ok(json!({"object": "comment", "id": comment.id}));
    }
    Ok(shapes::comment(&*state.content, &comment, &call.client))
}

/// The page or block of the comment, and the discussion that it continues.
fn comment_target(
    state: &State,
    call: &Call,
    body: &Reader<'_>,
) -> Result<(String, Option<String>), ApiError> {
    let content = &*state.content;
    match (body.get("parent"), body.id("discussion_id")?) {
        (None, Some(discussion)) => {
            let first = content
                .comments
                .iter()
                .find(|comment| comment.discussion == discussion);
            let first = first.filter(|comment| call.can_see(content, &comment.parent));
            let first = first.ok_or_else(|| ApiError::not_found("discussion", &discussion))?;
            Ok((first.parent.clone(), Some(discussion)))
        }
        (Some(parent), None) => {
            let parent = Reader::new(
                parent,
                body.path("parent"),
                &["type", "page_id", "block_id"],
            )?;
            let (page, block) = (parent.id("page_id")?, parent.id("block_id")?);
            let (kind, id) = match (page, block) {
                (Some(page), None) => ("page", page),
                (None, Some(block)) => ("block", block),
                _ => {
                    return Err(ApiError::at(
                        &parent.path("page_id"),
                        "defined, instead was `undefined`",
                    ));
                }
            };
            let exists = match kind {
                "page" => content.page(&id).is_some(),
                _ => content.page_of(&id).is_some(),
            };
            if !exists || !call.can_see(content, &id) {
                return Err(ApiError::not_found(kind, &id));
            }
            Ok((id, None))
        }
        (None, None) => Err(ApiError::at(
            "body.parent",
            "defined, instead was `undefined`",
        )),
        (Some(_), Some(_)) => Err(ApiError::at("body.discussion_id", "not present")),
    }
}
