//! Searches files by their content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};

use crate::{Files, list::List, mask, query::quoted, readable::FilesView, scopes};

/// Find files by words in their content, name or description, best matches first. Trashed files are omitted. To search by
/// name, type, owner, folder or date, use `drive_search_files`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct SearchContent {
    /// Whole words to find. Put a phrase in double quotes: `"hello world"`.
    #[schemars(length(min = 1))]
    pub search_term: String,
    /// Fields of each file, such as `id,name,owners(emailAddress)`. The most useful fields when absent.
    #[schemars(length(min = 1), extend("x-commas" = true))]
    pub fields: Option<String>,
    /// MIME type, such as `application/pdf` or `image/*`.
    #[schemars(length(min = 1))]
    pub mime_type: Option<String>,
    /// Most files to return; 100 when absent.
    #[schemars(range(min = 1, max = 1000))]
    pub page_size: Option<u32>,
    /// `nextPageToken` of the previous page; keep the other parameters.
    pub page_token: Option<String>,
    /// Include shared drives.
    pub supports_all_drives: Option<bool>,
}

impl Tool for SearchContent {
    const NAME: &'static str = "drive_search_content";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::FILES;
    type Output = Files;
    const READABLE: Option<ReadableView> = ReadableView::some::<FilesView>();

    fn check(&self) -> Result<()> {
        self.list().map(drop)
    }

    /// Drive API, `files.list` with `fullText contains`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        self.list()?.send(io).await
    }
}

impl SearchContent {
    fn list(&self) -> Result<List<'_>> {
        Ok(List {
            query: self.query(),
            mask: mask::of_list(&self.fields)?,
            order_by: None,
            page_size: self.page_size,
            page_token: &self.page_token,
            supports_all_drives: self.supports_all_drives,
        })
    }

    fn query(&self) -> String {
        let mut query = format!("fullText contains {}", quoted(&self.search_term));
        if let Some(wanted) = &self.mime_type {
            let term = match wanted.strip_suffix('*') {
                Some(start) if start.ends_with('/') => format!("contains {}", quoted(start)),
                _ => format!("= {}", quoted(wanted)),
            };
            query += " and mimeType ";
            query += &term;
        }
        query + " and trashed = false"
    }
}
