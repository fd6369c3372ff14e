//! Pages, databases and comments in a result, as the product has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A page, which a row of a database is too (Notion API, "Page"). Of a page that the integration may not read there is no
/// more than the id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Page {
    /// Id of the page.
    pub id: String,
    /// Address of the page.
    pub url: Option<String>,
    /// What it stands below.
    pub parent: Option<Parent>,
    /// Values by the columns' names (Notion API, "Page properties").
    #[serde(default)]
    pub properties: Map<String, Value>,
    /// When it was created, RFC 3339.
    pub created_time: Option<String>,
    /// When it was last changed, RFC 3339.
    pub last_edited_time: Option<String>,
    /// Whether it is in the trash.
    pub in_trash: Option<bool>,
}

/// A database with its columns (Notion API, "Database"), or one of its data sources ("Data source").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Database {
    /// What it is: `database` or `data_source`.
    pub object: Option<String>,
    /// Id of the database or of the data source.
    pub id: String,
    /// Title, in runs of one look each.
    #[serde(default)]
    pub title: Vec<TextRun>,
    /// Address of the database.
    pub url: Option<String>,
    /// What it stands below.
    pub parent: Option<Parent>,
    /// Columns by name (Notion API, "Property schema").
    #[serde(default)]
    pub properties: Map<String, Value>,
    /// Its data sources; from version 2025-09-03 on.
    #[serde(default)]
    pub data_sources: Vec<DataSource>,
}

/// A data source of a database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DataSource {
    /// Id of the data source.
    pub id: String,
    /// Name of the data source.
    pub name: Option<String>,
    /// Its columns by name, where the database has several data sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Map<String, Value>>,
}

/// A comment (Notion API, "Comment").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SavedComment {
    /// Id of the comment.
    pub id: String,
    /// The page or the block that it stands on.
    pub parent: Option<Parent>,
    /// Id of the discussion that it is part of.
    pub discussion_id: Option<String>,
    /// When it was written, RFC 3339.
    pub created_time: Option<String>,
    /// Who wrote it.
    pub created_by: Option<UserRef>,
    /// Text, in runs of one look each.
    #[serde(default)]
    pub rich_text: Vec<TextRun>,
}

/// A user, of whom only the id is told (Notion API, "User").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UserRef {
    /// Id of the user.
    pub id: Option<String>,
}

/// A run of text with one look (Notion API, "Rich text").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TextRun {
    /// `text`, `mention` or `equation`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The text without its look.
    pub plain_text: Option<String>,
    /// Address that it leads to.
    pub href: Option<String>,
}

/// What something stands below (Notion API, "Parent object"): `type` names the member that is there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Parent {
    /// `page_id`, `database_id`, `data_source_id`, `block_id` or `workspace`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Id of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_id: Option<String>,
    /// Id of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_id: Option<String>,
    /// Id of the data source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_source_id: Option<String>,
    /// Id of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// Whether it stands at the top of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<bool>,
}
