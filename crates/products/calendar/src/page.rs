//! Pages of the calendar product's lists.

use serde_json::Value;
use stead_core::{
    Result,
    tool::{ApiRequest, Io},
};

/// Most pages to read while they're empty.
const PAGES: usize = 10;

/// The first page with an item. The product may return an empty page followed by more (Calendar API, events.list,
/// `maxResults`), which a caller would take for an empty list.
pub(crate) async fn first_filled(io: Io<'_>, request: &ApiRequest) -> Result<Value> {
    let mut page: Value = io.send(request.clone()).await?.json()?;
    for _ in 1..PAGES {
        let is_empty = page["items"].as_array().is_none_or(Vec::is_empty);
        let Some(next) = page["nextPageToken"].as_str().filter(|_| is_empty) else {
            break;
        };
        let mut request = request.clone();
        request.query.retain(|(key, _)| *key != "pageToken");
        page = io.send(request.query("pageToken", next)).await?.json()?;
    }
    Ok(page)
}
