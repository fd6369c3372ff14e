//! Searches files with the product's query language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Error, Result, Setters,
    error::Violation,
    tool::{Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};

use crate::{Files, list::List, mask, order, query, readable::FilesView, scopes};

/// Find files and folders by name, type, owner, folder or date. To search their content, use `drive_search_content`.
///
/// Trashed files are omitted unless the query uses `trashed`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new = query)]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// Query of Google Drive, such as `name contains 'plan' and 'ada@example.com' in owners`, `'FOLDER_ID' in parents`,
    /// `mimeType = 'application/vnd.google-apps.folder'` or `modifiedTime > '2026-05-01T00:00:00'`. Write a quote within a
    /// text as `\'`.
    pub query: Option<String>,
    /// Fields of each file, such as `id,name,owners(emailAddress)`. The most useful fields when absent.
    #[schemars(length(min = 1), extend("x-commas" = true))]
    pub fields: Option<String>,
    /// Sort order, such as `folder,modifiedTime desc,name`. Not with `fullText` in the query.
    #[schemars(extend("x-commas" = true))]
    pub order_by: Option<String>,
    /// Most files to return; 100 when absent.
    #[schemars(range(min = 1, max = 1000))]
    pub page_size: Option<u32>,
    /// `nextPageToken` of the previous page; keep the other parameters.
    pub page_token: Option<String>,
    /// Include shared drives.
    pub supports_all_drives: Option<bool>,
}

impl Tool for SearchFiles {
    const NAME: &'static str = "drive_search_files";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::FILES;
    type Output = Files;
    const READABLE: Option<ReadableView> = ReadableView::some::<FilesView>();

    fn check(&self) -> Result<()> {
        self.list().map(drop)
    }

    /// Drive API, `files.list`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        self.list()?.send(io).await
    }
}

impl SearchFiles {
    fn list(&self) -> Result<List<'_>> {
        let given = self.query.as_deref().unwrap_or_default();
        let (query, terms) =
            query::without_trash(given).map_err(|message| refused("/query", message))?;
        let order = self.order_by.as_deref().map(order::read).transpose();
        let order_by = order.map_err(|message| refused("/order_by", message))?;
        if order_by.is_some() && terms.full_text {
            let message =
                "a query with fullText can't be sorted; its results are ordered by best match";
            return Err(refused("/order_by", message));
        }
        Ok(List {
            query,
            mask: mask::of_list(&self.fields)?,
            order_by,
            page_size: self.page_size,
            page_token: &self.page_token,
            supports_all_drives: self.supports_all_drives,
        })
    }
}

fn refused(path: &str, message: impl Into<String>) -> Error {
    Error::violations(vec![Violation::new(path, "format", message)])
}
