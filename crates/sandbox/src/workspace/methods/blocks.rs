//! The methods for blocks.

use serde_json::{Value, json};

use crate::workspace::{
    ApiError, Call, Reader, State, Version,
    blocks::{self, Place},
    content::Parent,
    reader::PageRange,
    shapes,
};

/// "Retrieve a block": one block, which can be a page.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let id = call.id(0);
    if !call.can_see(content, id) {
        return Err(ApiError::not_found("block", id));
    }
    if let Some(block) = content.block(id) {
        return Ok(shapes::block(content, block, call.version));
    }
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

/// "Retrieve block children": the blocks of a page or a block, in pages.
pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let id = call.id(0);
    let exists = content.page(id).is_some() || content.block(id).is_some();
    if !exists || !call.can_see(content, id) {
        return Err(ApiError::not_found("block", id));
    }
    let blocks = content.blocks.iter().filter(|block| block.parent == id);
    let mut items: Vec<(String, Value)> = blocks
        .map(|block| {
            (
                block.id.clone(),
                shapes::block(content, block, call.version),
            )
        })
        .collect();
    let below = Parent::Page(id.to_owned());
    for page in content.pages.iter().filter(|page| page.parent == below) {
        let shown = shapes::child(
            "child_page",
            &page.id,
            &shapes::block_parent(content, id),
            &page.title(),
            &page.origin,
            call.version,
        );
        items.push((page.id.clone(), shown));
    }
    for database in content
        .databases
        .iter()
        .filter(|database| database.page == id)
    {
        let shown = shapes::child(
            "child_database",
            &database.id,
            &shapes::block_parent(content, id),
            &database.title,
            &database.origin,
            call.version,
        );
        items.push((database.id.clone(), shown));
    }
    PageRange::of_query(&call.query)?.of(items, "block")
}

/// "Append block children": adds blocks to a page or a block.
pub(super) fn append(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
    let place = place(&body)?;
    if let Place::After(after) = &place
        && content.block(after).is_none_or(|block| block.parent != id)
    {
        return Err(ApiError::not_found("block", after));
    }
    let drafts = blocks::read(body.required("children")?, "body.children")?;
    let origin = call.origin(state);
    let content = &mut *state.content;
    let made = blocks::insert_blocks(content, id, &place, drafts, &origin);
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

/// The place of the new blocks. It's the end if the request doesn't say.
fn place(body: &Reader<'_>) -> Result<Place, ApiError> {
    let after = |id: Option<String>| id.map_or(Place::End, Place::After);
    let Some(position) = body.get("position") else {
        return body.id("after").map(after);
    };
    let position = Reader::new(position, body.path("position"), &["type", "after_block"])?;
    position.required("type")?;
    Ok(
        match position.one_of("type", &["after_block", "start", "end"])? {
            Some("after_block") => {
                let block = position.required("after_block")?;
                let block = Reader::new(block, position.path("after_block"), &["id"])?;
                block.required("id")?;
                after(block.id("id")?)
            }
            Some("start") => Place::Start,
            _ => Place::End,
        },
    )
}
