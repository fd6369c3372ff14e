//! "Create a comment": starts a discussion on a page or a block, or continues one.

use serde_json::{Value, json};

use crate::workspace::{
    ALL, ApiError, Call, Capability, Method, Reader, State, content::Comment, rich_text, shapes,
};

pub(super) static METHOD: Method = Method {
    verb: "POST",
    path: "/v1/comments",
    versions: ALL,
    needs: Some(Capability::InsertComments),
    query: &[],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
