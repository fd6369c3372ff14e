//! "Append block children": adds blocks to a page or a block.

use serde_json::{Value, json};

use crate::workspace::{
    ALL, ApiError, Call, Capability, Method, Reader, State, Version, blocks, shapes,
};

pub(super) static METHOD: Method = Method {
    verb: "PATCH",
    path: "/v1/blocks/{block_id}/children",
    versions: ALL,
    needs: Some(Capability::InsertContent),
    query: &[],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let position_member = if call.version < Version::InTrash {
        "after"
    } else {
        "position"
    };
    let body = Reader::new(&call.body, "body", &["children", position_member])?;
    let content = &*state.content;
    let id = call.id(0);
    let exists = content.page(id).is_some() || content.block(id).is_some();
    if !exists || !call.can_see(content, id) {
        return Err(ApiError::not_found("block", id));
    }
    let after = after(&body)?;
    if let Some(after) = &after
        && content.block(after).is_none_or(|block| block.parent != id)
    {
        return Err(ApiError::not_found("block", after));
    }
    let drafts = blocks::read(body.required("children")?, "body.children")?;
    let origin = call.origin(state);
    let content = &mut *state.content;
    let made = blocks::insert_blocks(content, id, after.as_deref(), drafts, &origin);
    let results: Vec<Value> = made
        .iter()
        .filter_map(|id| content.block(id))
        .map(|block| shapes::block(content, block, call.version))
        .collect();
    Ok(json!({
        "object": "list",
        "results": results,
        "next_cursor": null,
        "has_more": false,
        "type": "block",
        "block": {},
    }))
}

/// The block after which the new ones go.
fn after(body: &Reader<'_>) -> Result<Option<String>, ApiError> {
    let Some(position) = body.get("position") else {
        return body.id("after");
    };
    let position = Reader::new(position, body.path("position"), &["type", "after_block"])?;
    position.required("type")?;
    match position.one_of("type", &["after_block", "end"])? {
        Some("after_block") => {
            let block = position.required("after_block")?;
            Reader::new(block, position.path("after_block"), &["id"])?.id("id")
        }
        _ => Ok(None),
    }
}
