//! Appends blocks to a page or a block (Notion API, "Append block children").

use serde_json::json;
use stead_core::tool::ApiRequest;

use crate::{blocks::Block, version::Version};

/// The position of new blocks among those that exist.
#[derive(Debug)]
pub(crate) enum Place {
    End,
    /// Only versions with positions have it.
    Start,
    /// After the block with this id.
    After(String),
}

/// The request for one piece of the blocks. Parallel requests could change the order, or be refused (`conflict_error`).
pub(crate) fn request(
    version: Version<'_>,
    parent: &str,
    piece: &[Block],
    place: &Place,
) -> ApiRequest {
    let mut body = json!({ "children": piece });
    match place {
        // The product's default in every version.
        Place::End => {}
        Place::Start => body["position"] = json!({ "type": "start" }),
        Place::After(id) if version.has_positions() => {
            body["position"] = json!({ "type": "after_block", "after_block": { "id": id } });
        }
        Place::After(id) => body["after"] = json!(id),
    }
    version
        .on(ApiRequest::patch(["blocks", parent, "children"]))
        .json(&body)
}
