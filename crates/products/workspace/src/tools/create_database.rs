//! Creates a database on a page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, Tool},
};

use crate::{
    Database, PageParent, Properties, RichText,
    errors::needs,
    properties,
    readable::DatabaseView,
    rich_text, scopes,
    version::{PATTERN, Version},
    write,
};

/// Create a database on a page, with its columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct CreateDatabase {
    /// Page on which to create the database.
    pub parent: PageParent,
    /// Title, as rich text in at most 100 pieces: `[{"text": {"content": "Reading list"}}]`.
    #[setters(required)]
    pub title: Vec<RichText>,
    /// Columns by name, each with its type. Exactly one must be a title: `{"Name": {"title": {}}, "Status": {"select":
    /// {"options": [{"name": "To read"}]}}}`.
    pub properties: Properties,
    /// API version for this call, a date (YYYY-MM-DD); 2022-06-28 when absent. From 2025-09-03 on, the columns belong to
    /// the database's first data source.
    #[schemars(regex(pattern = PATTERN), extend("x-pinned" = true))]
    pub workspace_version: Option<String>,
}

impl Tool for CreateDatabase {
    const NAME: &'static str = "workspace_create_database";
    const EFFECT: Effect = Effect::Write;
    type Output = Database;
    const READABLE: Option<ReadableView> = ReadableView::some::<DatabaseView>();

    fn check(&self) -> Result<()> {
        self.body(self.version()).map(drop)
    }

    /// Notion API, "Create a database".
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let version = self.version().or_of(call);
        let create = version
            .on(ApiRequest::post(["databases"]))
            .json(&self.body(version)?);
        let read = |id: &str| version.on(ApiRequest::get(["databases", id]));
        let saved = write::save(io, create, read).await;
        Ok(saved
            .map_err(|error| needs(error, scopes::INSERT_CONTENT))?
            .into())
    }
}

impl CreateDatabase {
    fn version(&self) -> Version<'_> {
        Version::of(self.workspace_version.as_ref())
    }

    fn body(&self, version: Version<'_>) -> Result<Value> {
        let mut violations = Violations::default();
        let parent = violations.read(self.parent.page_id.page("/parent/page_id"));
        rich_text::check(&self.title, "/title", &mut violations);
        properties::check_columns(&self.properties, &mut violations);
        violations.finish()?;
        let mut body = json!({
            "parent": { "type": "page_id", "page_id": parent },
            "title": self.title,
        });
        if version.has_data_sources() {
            body["initial_data_source"] = json!({ "properties": self.properties });
        } else {
            body["properties"] = json!(self.properties);
        }
        Ok(body)
    }
}
