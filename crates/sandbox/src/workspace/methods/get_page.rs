//! "Retrieve a page": one page with its properties.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::workspace::{ALL, ApiError, Call, Capability, Method, State, shapes};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/pages/{page_id}",
    versions: ALL,
    needs: Some(Capability::ReadContent),
    query: &["filter_properties"],
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let content = &*state.content;
    let page = content
        .page(call.id(0))
        .filter(|page| call.can_see(content, &page.id));
    let page = page.ok_or_else(|| ApiError::not_found("page", call.id(0)))?;
    let only: BTreeSet<String> = call
        .query
        .all("filter_properties")
        .map(str::to_owned)
        .collect();
    let only = (!only.is_empty()).then_some(&only);
    Ok(shapes::page(content, page, call.version, only))
}
