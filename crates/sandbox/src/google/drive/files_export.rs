//! `files.export`: a document of the product's own in another format.

use axum::http::Method;
use serde_json::Value;

use super::{can_read, find};
use crate::google::{
    ApiError, ApiMethod, Call, Download, Kind, Media, Parameter, State,
    world::files::{DOCUMENT, SHEET},
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.export",
    verb: Method::GET,
    path: "drive/v3/files/{fileId}/export",
    parameters: &[Parameter::one("mimeType", Kind::Text)],
    scopes: &[
        "https://www.googleapis.com/auth/drive",
        "https://www.googleapis.com/auth/drive.file",
        "https://www.googleapis.com/auth/drive.meet.readonly",
        "https://www.googleapis.com/auth/drive.readonly",
    ],
    schema: "File",
    // It gives bytes and nothing else.
    run: |_, _| Ok(Value::Null),
};

pub(super) static DOWNLOAD: Download = Download {
    method: &METHOD,
    is_only_use: true,
    takes_ranges: false,
    run: export,
};

/// Formats of documents and of spreadsheets (Drive API, "Export MIME types"). The sandbox has the texts of
/// documents only.
const FORMATS: [(&str, &[&str]); 2] = [
    (
        DOCUMENT,
        &[
            "text/plain",
            "text/markdown",
            "text/html",
            "application/pdf",
            "application/rtf",
            "application/zip",
            "application/epub+zip",
            "application/vnd.oasis.opendocument.text",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ],
    ),
    (
        SHEET,
        &[
            "text/csv",
            "text/tab-separated-values",
            "application/pdf",
            "application/zip",
            "application/x-vnd.oasis.opendocument.spreadsheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ],
    ),
];

fn export(state: &State, call: &Call) -> Result<Media, ApiError> {
    let format = call.text("mimeType").ok_or_else(|| {
        ApiError::of(400, "required", "Required parameter: mimeType").at_parameter("mimeType")
    })?;
    let file = find(&state.world.files, call, call.variable(0))?;
    if !can_read(call, file) {
        return Err(ApiError::file_not_found(&file.id));
    }
    if file.is_blob() {
        return Err(ApiError::of(
            403,
            "fileNotExportable",
            "Export only supports Docs Editors files.",
        ));
    }
    let known = FORMATS
        .iter()
        .any(|(kind, formats)| *kind == file.mime_type && formats.contains(&format));
    match format {
        "text/plain" | "text/markdown" if file.mime_type == DOCUMENT => Ok(Media {
            kind: format.to_owned(),
            bytes: file.bytes(),
        }),
        _ if known => Err(ApiError::unimplemented(format!(
            "The sandbox does not export {} as {format}.",
            file.mime_type
        ))),
        _ => Err(ApiError::of(
            400,
            "badRequest",
            "The requested conversion is not supported.",
        )
        .at_parameter("convertTo")),
    }
}
