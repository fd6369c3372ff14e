//! Creates a page: a row of a database, or a page below another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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

/// Create a page below another page, or as a row of a database.
///
/// Set either `parent_page_id`, or `database_id` with `properties`. For rows, `workspace_insert_database_row` is simpler.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
pub struct CreatePage {
    /// Id or URL of the database for a new row, or the id of a data source.
    pub database_id: Option<Id>,
    /// Id or URL of the parent page.
    pub parent_page_id: Option<Id>,
    /// Values by column name, with the title under `title`. A page below another page has only a title: `{"title":
    /// {"title": [{"text": {"content": "Notes"}}]}}`.
    pub properties: Option<Properties>,
    /// Content, as blocks or as texts that become paragraphs: `[{"type": "paragraph", "paragraph": {"rich_text": [{"text":
    /// {"content": "First words"}}]}}]`.
    pub child_blocks: Option<Vec<ChildBlock>>,
    /// Icon of the page.
    pub icon: Option<PageIcon>,
    /// Cover of the page.
    pub cover: Option<PageCover>,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for CreatePage {
    const NAME: &'static str = "workspace_create_page";
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

impl CreatePage {
    fn page(&self) -> Result<NewPage<'_>> {
        let mut violations = Violations::default();
        let parent = self.parent(&mut violations);
        let page = NewPage {
            parent,
            properties: self.properties.as_ref(),
            child_blocks: blocks::read(self.child_blocks.as_deref()),
            icon: self.icon.as_ref(),
            cover: self.cover.as_ref(),
            version: Version::of(self.workspace_version.as_ref()),
        };
        page.check(&mut violations);
        violations.finish()?;
        Ok(page)
    }

    /// The parent, which determines the allowed values.
    fn parent(&self, violations: &mut Violations) -> Value {
        match (&self.database_id, &self.parent_page_id) {
            (Some(database), None) => {
                let id = violations.read(database.database("/database_id"));
                match &self.properties {
                    Some(values) => properties::check_row(values, violations),
                    None => violations.add(
                        "/properties",
                        "required",
                        "\"properties\" is required with database_id",
                    ),
                }
                json!({ "database_id": id })
            }
            (None, Some(page)) => {
                let id = violations.read(page.page("/parent_page_id"));
                if let Some(values) = &self.properties {
                    properties::check_child_page(values, violations);
                }
                json!({ "page_id": id })
            }
            (None, None) => {
                let message = "set database_id or parent_page_id";
                violations.add("/database_id", "required", message);
                Value::Null
            }
            (Some(_), Some(_)) => {
                let message = "set database_id or parent_page_id, not both";
                violations.add("/parent_page_id", "oneOf", message);
                Value::Null
            }
        }
    }
}
