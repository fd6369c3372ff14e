//! "List comments": the open comments on a page or a block, in pages.

use serde_json::Value;

use crate::workspace::{
    ALL, ApiError, Call, Capability, Method, State, ids, paging::PageRange, shapes,
};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/comments",
    versions: ALL,
    needs: Some(Capability::ReadComments),
    query: &["block_id", "page_size", "start_cursor"],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
