//! "Retrieve block children": the blocks of a page or a block, in pages.

use serde_json::Value;

use crate::workspace::{
    ALL, ApiError, Call, Capability, Method, State, content::Parent, paging::PageRange, shapes,
};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/blocks/{block_id}/children",
    versions: ALL,
    needs: Some(Capability::ReadContent),
    query: &["page_size", "start_cursor"],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
