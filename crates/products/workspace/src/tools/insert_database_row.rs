use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result,
    tool::{Call, Effect, Io, Output, Tool},
};

use crate::{
    Block, Id, PageCover, PageIcon, Properties,
    check::Check,
    new_page::{self, NewPage},
    properties,
    version::{PATTERN, Version},
};

/// Add a row to a database. A row is a page: it has values for the database's columns, and content of its own.
///
/// Fetch the database first and use its column names exactly; the title's key is always `title`. The parent is made from
/// `database_id`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertDatabaseRow {
    /// Database to which the row is added: its id, a hyphenated UUID, or a link to it.
    pub database_id: Id,
    /// Values by column name or property id, never a URL-encoded id; the title under `title`: `{"title": {"title":
    /// [{"text": {"content": "Notes"}}]}, "Status": {"select": {"name": "To read"}}, "Due": {"date": {"start":
    /// "2026-05-04"}}}`.
    pub properties: Properties,
    /// Content of the row's page, as blocks: `[{"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content":
    /// "First words"}}]}}]`. More than 100 are written in several requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_blocks: Option<Vec<Block>>,
    /// Icon of the row's page; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<PageIcon>,
    /// Cover of the row's page; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<PageCover>,
    /// Version of the product's API for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = PATTERN))]
    pub workspace_version: Option<String>,
}

impl Tool for InsertDatabaseRow {
    const NAME: &'static str = "workspace_insert_database_row";
    const EFFECT: Effect = Effect::Write;

    fn check(&self, _: &Call) -> Result<()> {
        let mut check = Check::default();
        check.part(self.database_id.database("/database_id"));
        properties::check_row(&self.properties, &mut check);
        new_page::check(
            self.blocks(),
            self.icon.as_ref(),
            self.cover.as_ref(),
            &mut check,
        );
        check.end()
    }

    /// Notion API, "Create a page".
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let page = NewPage {
            parent: json!({ "database_id": self.database_id.database("/database_id")? }),
            properties: Some(&self.properties),
            child_blocks: self.blocks(),
            icon: self.icon.as_ref(),
            cover: self.cover.as_ref(),
            version: Version::of(self.workspace_version.as_ref()),
        };
        page.create(io).await
    }
}

impl InsertDatabaseRow {
    fn blocks(&self) -> &[Block] {
        self.child_blocks.as_deref().unwrap_or_default()
    }
}
