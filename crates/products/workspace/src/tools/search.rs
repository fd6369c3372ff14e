//! Searches pages and databases by title.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Retry, Tool, items_of},
};

use crate::{
    Parent, TextRun, cut,
    errors::needs,
    more,
    readable::FoundView,
    scopes,
    version::{PATTERN, Version},
};

/// Find pages and databases by title, among those that the user shared. It doesn't search the content of pages, and may not
/// find new ones yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new = query)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words in the title; everything when absent.
    pub query: Option<String>,
    /// Most results to return; 100 when absent.
    #[schemars(range(min = 1, max = 100))]
    pub page_size: Option<u32>,
    /// `next_cursor` of the previous page, with the same `query`.
    pub start_cursor: Option<String>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent. From 2025-09-03 on, results are pages and
    /// data sources instead of pages and databases.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

/// A page of search results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Found {
    /// Pages, and databases or data sources.
    #[serde(default)]
    pub results: Vec<FoundObject>,
    /// Cursor for the next results; `null` at the end.
    pub next_cursor: Option<String>,
    /// Whether there are more.
    #[serde(default)]
    pub has_more: bool,
}

/// A page, a database or a data source, as a search returns it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundObject {
    /// Kind of object: `page`, `database` or `data_source`.
    pub object: Option<String>,
    /// Id of the object.
    pub id: String,
    /// Link to open it in a browser.
    pub url: Option<String>,
    /// Title of a database, in runs with the same style. A page's title is in its `properties`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub title: Vec<TextRun>,
    /// The parent.
    pub parent: Option<Parent>,
    /// Values of a page or columns of a database, by name.
    #[serde(default)]
    pub properties: Map<String, Value>,
}

impl Tool for Search {
    const NAME: &'static str = "workspace_search";
    const EFFECT: Effect = Effect::Read;
    type Output = Found;
    const READABLE: Option<ReadableView> = ReadableView::some::<FoundView>();

    /// Notion API, "Search by title".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let mut body = Map::new();
        if let Some(query) = &self.query {
            body.insert(String::from("query"), json!(query));
        }
        if let Some(page_size) = self.page_size {
            body.insert(String::from("page_size"), json!(page_size));
        }
        if let Some(start_cursor) = &self.start_cursor {
            body.insert(String::from("start_cursor"), json!(start_cursor));
        }
        let request = ApiRequest::post(["search"])
            .json(&body)
            .effect(Effect::Read)
            .retry(Retry::Always);
        let version = Version::of(self.workspace_version.as_ref()).or_of(call);
        let response = io.send(version.on(request)).await;
        let response = response.map_err(|error| needs(error, scopes::READ_CONTENT))?;
        let found = response.json_or_null();
        let output = more::listed(response);
        // The readable view has no values of a page.
        Ok(match call.is_readable {
            true => output,
            false => cut::warned(output, items_of(&found["results"])),
        })
    }
}
