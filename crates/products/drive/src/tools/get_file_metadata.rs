//! Reads the metadata of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};

use crate::{File, file_id, mask, readable::FileView, scopes};

/// Read the metadata of one file or folder: name, MIME type, size, dates, owners, folder, links.
///
/// Doesn't return the content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetFileMetadata {
    /// Id or URL of the file or folder; `root` is the user's My Drive.
    #[schemars(length(min = 1))]
    pub file_id: String,
    /// Fields, such as `id,name,owners(emailAddress)`, or `*` for all. The most useful fields when absent.
    #[schemars(length(min = 1), extend("x-commas" = true))]
    pub fields: Option<String>,
    /// Include shared drives; true when absent.
    pub supports_all_drives: Option<bool>,
}

impl Tool for GetFileMetadata {
    const NAME: &'static str = "drive_get_file_metadata";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::FILES;
    type Output = File;
    const READABLE: Option<ReadableView> = ReadableView::some::<FileView>();

    fn check(&self) -> Result<()> {
        self.request().map(drop)
    }

    /// Drive API, `files.get`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        Ok(io.send(self.request()?).await?.into())
    }
}

impl GetFileMetadata {
    fn request(&self) -> Result<ApiRequest> {
        let mask = mask::of_file(&self.fields)?;
        Ok(file_id::request(&self.file_id)?
            .query("fields", mask)
            .query(
                "supportsAllDrives",
                self.supports_all_drives.unwrap_or(true),
            ))
    }
}
