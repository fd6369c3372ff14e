//! Creates a file with its content.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};
use stead_google::NamedFile;

use crate::{ConvertTo, File, content::Content, file_id, mask, readable::FileView, scopes};

/// Base of the paths for uploads (discovery document, `mediaUpload.protocols.simple.path`).
const UPLOAD: &str = "/upload/drive/v3";

/// Create a file from a text or from bytes.
///
/// Give `text`, or `content_base64`, or neither for an empty file. Names aren't unique: a second call creates a second file.
/// Returns the new file's metadata.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct UploadFile {
    /// Name of the file, with its extension, such as `report.csv`.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Content as a text, at most 1 MB.
    pub text: Option<String>,
    /// Content as bytes in Base64, at most 1 MB of bytes.
    pub content_base64: Option<String>,
    /// Media type of the content. By default, it follows from the extension, otherwise a text is `text/plain`.
    pub media_type: Option<String>,
    /// Id or URL of the folder; the user's My Drive when absent.
    #[schemars(length(min = 1))]
    pub parent_folder_id: Option<String>,
    /// Convert the content into Google's own format: a text or a Word file into a `document`, CSV into a `spreadsheet`.
    pub convert_to: Option<ConvertTo>,
    /// Short description of the file.
    pub description: Option<String>,
}

impl Tool for UploadFile {
    const NAME: &'static str = "drive_upload_file";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::CREATE;
    type Output = File;
    const READABLE: Option<ReadableView> = ReadableView::some::<FileView>();

    fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Drive API, `files.create`. The product only accepts ids that it has generated, so the file can't have an id from the
    /// call, and a repeat isn't recognised.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let new = self.read()?;
        let result = io.send(self.request(&new)).await;
        match (result, new.folder) {
            (Err(error), Some(folder)) => Err(no_folder(error, folder.id)),
            (result, _) => Ok(result?.into()),
        }
    }
}

/// The parsed input.
struct New<'a> {
    folder: Option<NamedFile<'a>>,
    /// The content; `None` for an empty file.
    bytes: Option<Cow<'a, [u8]>>,
}

/// The content that isn't empty. The product may refuse to convert no bytes, but it creates an empty document without any.
fn filled(content: &Option<String>) -> Option<&str> {
    content.as_deref().filter(|content| !content.is_empty())
}

impl UploadFile {
    fn read(&self) -> Result<New<'_>> {
        let mut violations = Violations::default();
        let content = self.content();
        let bytes = content.bytes(&mut violations);
        content.check_media_type(&mut violations);
        let folder = self.parent_folder_id.as_deref();
        let folder = folder.and_then(|given| violations.read(file_id::folder(given)));
        violations.finish()?;
        Ok(New { folder, bytes })
    }

    fn content(&self) -> Content<'_> {
        Content {
            name: &self.name,
            text: filled(&self.text),
            base64: filled(&self.content_base64),
            media_type: self.media_type.as_deref(),
            convert_to: self.convert_to,
        }
    }

    fn request(&self, new: &New<'_>) -> ApiRequest {
        let media_type = self.content().media_type();
        let mut metadata = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                metadata.insert(name.to_owned(), value);
            }
        };
        set("name", Some(self.name.as_str().into()));
        set("description", self.description.as_deref().map(Value::from));
        set("parents", new.folder.map(|folder| vec![folder.id].into()));
        // With content, the part has its media type. The product converts it if the file's type is another one.
        let own = new.bytes.is_none().then_some(&*media_type);
        let kind = self.convert_to.map(ConvertTo::mime_type).or(own);
        set("mimeType", kind.map(Value::from));

        let metadata = Value::from(metadata);
        let request = ApiRequest::post(["files"]);
        let request = match &new.bytes {
            None => request.json(&metadata),
            Some(bytes) => {
                let (kind, body) = stead_google::related(&metadata, &media_type, bytes);
                request
                    .base(UPLOAD)
                    .query("uploadType", "multipart")
                    .body(kind, body)
            }
        };
        // Without the parameter, a folder in a shared drive isn't found.
        let request = request
            .query("fields", mask::FILE)
            .query("supportsAllDrives", true);
        match new.folder {
            Some(folder) => file_id::with_key(request, folder),
            None => request,
        }
    }
}

/// Explains that the folder is missing. The product's own message calls it a file.
fn no_folder(error: Error, folder: &str) -> Error {
    if error.kind() != ErrorKind::ProductNotFound {
        return error;
    }
    let message = format!(
        "the folder {folder} doesn't exist, or the user can't see it; with drive.file, use a folder that the application created or the user picked"
    );
    error.reclassify(ErrorKind::ProductNotFound, message)
}
