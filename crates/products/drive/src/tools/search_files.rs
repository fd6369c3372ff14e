use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Error, Result,
    error::Violation,
    tool::{Call, Effect, Io, Output, RequiredScopes, Tool},
};

use super::{list::List, order};
use crate::{mask, query, scopes};

/// Find files and folders by name, type, owner, folder or date, with the product's own query language.
///
/// Trashed files are left out unless the query speaks of `trashed`. The result is
/// `{nextPageToken, incompleteSearch, files}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// Query, such as `name contains 'plan' and 'ada@example.com' in owners`, `'FOLDER_ID' in parents`,
    /// `mimeType = 'application/vnd.google-apps.folder'` or `modifiedTime > '2026-05-01T00:00:00'`. A quote within a text
    /// is written `\'`. All files when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Fields to return of each file, such as `id,name,owners(emailAddress)`; the useful ones when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub fields: Option<String>,
    /// Order, such as `folder,modifiedTime desc,name`. Not with `fullText` in the query, where the best matches come
    /// first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_by: Option<String>,
    /// How many files to return at most; 100 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub page_size: Option<u32>,
    /// `nextPageToken` of the page before; the other parameters must be the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_token: Option<String>,
    /// Whether to search shared drives too; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_all_drives: Option<bool>,
}

impl Tool for SearchFiles {
    const NAME: &'static str = "drive_search_files";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::FILES;

    fn check(&self, _: &Call) -> Result<()> {
        let terms = query::read(self.query()).map_err(|message| violation("/query", message))?;
        if let Some(order) = &self.order_by {
            order::check(order).map_err(|message| violation("/order_by", message))?;
            if terms.full_text {
                let message = "a query with fullText takes no order: its results come with the best matches first";
                return Err(violation("/order_by", message));
            }
        }
        mask::of_list(&self.fields).map(drop)
    }

    /// Drive API, `files.list`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let query = query::without_trash(self.query());
        let list = List {
            query: query.map_err(|message| violation("/query", message))?,
            fields: &self.fields,
            order_by: &self.order_by,
            page_size: self.page_size,
            page_token: &self.page_token,
            supports_all_drives: self.supports_all_drives,
        };
        list.send(io).await
    }
}

impl SearchFiles {
    fn query(&self) -> &str {
        self.query.as_deref().unwrap_or_default()
    }
}

fn violation(place: &str, message: impl Into<String>) -> Error {
    Error::violations(vec![Violation::new(place, "format", message)])
}
