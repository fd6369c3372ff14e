//! Pages, databases and comments, as the product returns them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A page or a row of a database (Notion API, "Page"). If the integration can't read the page, it only has the id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Page {
    /// Id of the page.
    pub id: String,
    /// Link to the page.
    pub url: Option<String>,
    /// The parent.
    pub parent: Option<Parent>,
    /// Values by column name (Notion API, "Page properties").
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
    /// Kind of object: `database` or `data_source`.
    pub object: Option<String>,
    /// Id of the database or of the data source.
    pub id: String,
    /// Title, in runs of text with the same style.
    #[serde(default)]
    pub title: Vec<TextRun>,
    /// Link to the database.
    pub url: Option<String>,
    /// The parent.
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
    /// Its columns by name, if the database has several data sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Map<String, Value>>,
}

/// A block of content (Notion API, "Block"). Its content is in the member named after its type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SavedBlock {
    /// Id of the block.
    pub id: String,
    /// Kind of block, such as `paragraph`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The page or block that contains it.
    pub parent: Option<Parent>,
    /// Whether it contains other blocks.
    pub has_children: Option<bool>,
    /// When it was created, RFC 3339.
    pub created_time: Option<String>,
    /// When it was last changed, RFC 3339.
    pub last_edited_time: Option<String>,
    /// Whether it is in the trash.
    pub in_trash: Option<bool>,
}

/// A comment (Notion API, "Comment").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SavedComment {
    /// Id of the comment.
    pub id: String,
    /// The commented page or block.
    pub parent: Option<Parent>,
    /// Id of its discussion.
    pub discussion_id: Option<String>,
    /// When it was written, RFC 3339.
    pub created_time: Option<String>,
    /// The author.
    pub created_by: Option<UserRef>,
    /// Text, in runs with the same style.
    #[serde(default)]
    pub rich_text: Vec<TextRun>,
}

/// A user, only with an id (Notion API, "User").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UserRef {
    /// Id of the user.
    pub id: Option<String>,
}

/// A run of text with the same style (Notion API, "Rich text").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TextRun {
    /// `text`, `mention` or `equation`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The text without style.
    pub plain_text: Option<String>,
    /// Address of the link.
    pub href: Option<String>,
}

/// The parent of an object (Notion API, "Parent object"). `type` names the member that it has.
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
    /// Whether it's at the top level of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<bool>,
}
