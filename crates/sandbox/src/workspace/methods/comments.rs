//! Comments.

use serde_json::{Value, json};

use crate::workspace::{
    ApiError, Call, Capability, Reader, State, content::Comment, ids, reader::PageRange, rich_text,
    shapes,
};

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

/// Page or block that the comment belongs to, and the discussion that it goes on with.
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
