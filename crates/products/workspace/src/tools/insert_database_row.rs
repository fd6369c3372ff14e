//! Adds a row to a database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    ChildBlock, Id, Page, PageCover, PageIcon, Properties, blocks,
    new_page::NewPage,
    properties,
    readable::PageView,
    version::{PATTERN, Version},
};

/// Add a row to a database. A row is a page with values for the columns and its own content.
///
/// Call `workspace_fetch_database` first and use the exact column names. The title's key is always `title`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct InsertDatabaseRow {
    /// Id or URL of the database, or the id of one of its data sources.
    pub database_id: Id,
    /// Values by column name: `{"title": {"title": [{"text": {"content": "Notes"}}]}, "Status": {"select": {"name":
    /// "To read"}}, "Due": {"date": {"start": "2026-05-04"}}}`.
    pub properties: Properties,
    /// Content, as blocks or as texts that become paragraphs: `[{"type": "paragraph", "paragraph": {"rich_text": [{"text":
    /// {"content": "First words"}}]}}]`.
    pub child_blocks: Option<Vec<ChildBlock>>,
    /// Icon of the row's page.
    pub icon: Option<PageIcon>,
    /// Cover of the row's page.
    pub cover: Option<PageCover>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for InsertDatabaseRow {
    const NAME: &'static str = "workspace_insert_database_row";
    const EFFECT: Effect = Effect::Write;
    type Output = Page;
    const READABLE: Option<ReadableView> = ReadableView::some::<PageView>();

    fn check(&self) -> Result<()> {
        self.page().map(drop)
    }

    /// Notion API, "Create a page".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        self.page()?.create(call, io).await
    }
}

impl InsertDatabaseRow {
    fn page(&self) -> Result<NewPage<'_>> {
        let mut violations = Violations::default();
        let database = violations.read(self.database_id.database("/database_id"));
        properties::check_row(&self.properties, &mut violations);
        let page = NewPage {
            parent: json!({ "database_id": database }),
            properties: Some(&self.properties),
            child_blocks: blocks::read(self.child_blocks.as_deref()),
            icon: self.icon.as_ref(),
            cover: self.cover.as_ref(),
            version: Version::of(self.workspace_version.as_ref()),
        };
        page.check(&mut violations);
        violations.finish()?;
        Ok(page)
    }
}
