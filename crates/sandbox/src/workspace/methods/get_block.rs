//! "Retrieve a block": one block; a page is a block too.

use serde_json::Value;

use crate::workspace::{ALL, ApiError, Call, Capability, Method, State, shapes};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/blocks/{block_id}",
    versions: ALL,
    needs: Some(Capability::ReadContent),
    query: &[],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let id = call.id(0);
    if !call.can_see(content, id) {
        return Err(ApiError::not_found("block", id));
    }
    if let Some(block) = content.block(id) {
        return Ok(shapes::block(content, block, call.version));
    }
    // A page is a block too.
    let page = content
        .page(id)
        .ok_or_else(|| ApiError::not_found("block", id))?;
    Ok(shapes::child(
        "child_page",
        id,
        &shapes::page_parent(content, page, call.version),
        &page.title(),
        &page.origin,
        call.version,
    ))
}
