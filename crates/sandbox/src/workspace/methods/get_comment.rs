//! "Retrieve a comment": one comment.

use serde_json::Value;

use crate::workspace::{ALL, ApiError, Call, Capability, Method, State, shapes};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/comments/{comment_id}",
    versions: ALL,
    needs: Some(Capability::ReadComments),
    query: &[],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let comment = content
        .comment(call.id(0))
        .filter(|comment| call.can_see(content, &comment.parent));
    let comment = comment.ok_or_else(|| ApiError::not_found("comment", call.id(0)))?;
    Ok(shapes::comment(content, comment, &call.client))
}
