use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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

/// Make a page: a row of a database, or a page below another page.
///
/// Give `database_id` with `properties`, or `parent_page_id`; exactly one of the two. The parent is made from it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePage {
    /// Database in which the page becomes a row: its id, a hyphenated UUID, or a link to it; not beside
    /// `parent_page_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_id: Option<Id>,
    /// Page below which the page is made: its id, a hyphenated UUID, or a link to it; not beside `database_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_page_id: Option<Id>,
    /// Values by column name or property id, the title under `title`; required with `database_id`. Below a page there is
    /// the title alone: `{"title": {"title": [{"text": {"content": "Notes"}}]}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Content of the page, as blocks: `[{"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": "First
    /// words"}}]}}]`. More than 100 are written in several requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_blocks: Option<Vec<Block>>,
    /// Icon of the page; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<PageIcon>,
    /// Cover of the page; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<PageCover>,
    /// Version of the product's API for this call, a date (YYYY-MM-DD); 2022-06-28 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = PATTERN))]
    pub workspace_version: Option<String>,
}

impl Tool for CreatePage {
    const NAME: &'static str = "workspace_create_page";
    const EFFECT: Effect = Effect::Write;

    fn check(&self, _: &Call) -> Result<()> {
        let mut check = Check::default();
        match (&self.database_id, &self.parent_page_id) {
            (Some(database), None) => {
                check.part(database.database("/database_id"));
                match &self.properties {
                    Some(values) => properties::check_row(values, &mut check),
                    None => check.refuse(
                        "/properties",
                        "required",
                        "\"properties\" is required with database_id",
                    ),
                }
            }
            (None, Some(page)) => {
                check.part(page.page("/parent_page_id"));
                if let Some(values) = &self.properties {
                    properties::check_child_page(values, &mut check);
                }
            }
            (None, None) => check.refuse(
                "/database_id",
                "required",
                "give database_id or parent_page_id",
            ),
            (Some(_), Some(_)) => {
                check.refuse(
                    "/parent_page_id",
                    "oneOf",
                    "give database_id or parent_page_id, not both",
                );
            }
        }
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
            parent: self.parent()?,
            properties: self.properties.as_ref(),
            child_blocks: self.blocks(),
            icon: self.icon.as_ref(),
            cover: self.cover.as_ref(),
            version: Version::of(self.workspace_version.as_ref()),
        };
        page.create(io).await
    }
}

impl CreatePage {
    fn parent(&self) -> Result<Value> {
        Ok(match (&self.database_id, &self.parent_page_id) {
            (Some(database), _) => json!({ "database_id": database.database("/database_id")? }),
            (None, Some(page)) => json!({ "page_id": page.page("/parent_page_id")? }),
            (None, None) => Value::Null,
        })
    }

    fn blocks(&self) -> &[Block] {
        self.child_blocks.as_deref().unwrap_or_default()
    }
}
