//! Sheets API v4: creating, reading, changing sheets, and values. A folder is an API, a file is a method.
//!
//! Values that are typed (`USER_ENTERED`) are understood as far as they are plain: numbers, `$1.50`, `12%`,
//! `TRUE`, `2026-05-04`, and the formulas `=B2` and `=SUM(B2:B9)`. Any other formula is refused with 501
//! rather than given a wrong response; any other text stays a text.

mod create;
mod format_value;
mod formula;
mod get;
mod new_sheets;
mod parse_input;
mod range;
mod values_append;
mod values_clear;
mod values_get;
mod values_update;
mod write;

use axum::http::Method;

use crate::{
    google::{
        Api, ApiError, Call, State, dispatch,
        errors::ErrorShape,
        world::files::{File, Files, SHEET, Spreadsheet, XLSX},
    },
    pages,
    request::Request,
    response::Response,
};

/// `https://sheets.googleapis.com`.
pub(crate) static SHEETS_API: Api = Api {
    service: "sheets.googleapis.com",
    errors: ErrorShape::Status,
    methods: &[
        &create::METHOD,
        &get::METHOD,
        &values_get::METHOD,
        &values_update::METHOD,
        &values_append::METHOD,
        &values_clear::METHOD,
    ],
    downloads: &[],
    uploads: &[],
    batch_paths: &["/batch"],
};

/// Scopes that read (discovery, `scopes`).
const READ: &[&str] = &[
    "https://www.googleapis.com/auth/drive",
    "https://www.googleapis.com/auth/drive.file",
    "https://www.googleapis.com/auth/drive.readonly",
    "https://www.googleapis.com/auth/spreadsheets",
    "https://www.googleapis.com/auth/spreadsheets.readonly",
];

/// Scopes that write.
const WRITE: &[&str] = &[
    "https://www.googleapis.com/auth/drive",
    "https://www.googleapis.com/auth/drive.file",
    "https://www.googleapis.com/auth/spreadsheets",
];

/// The host `sheets.googleapis.com`.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    // Nothing lists spreadsheets, and the address says so as any unknown one does, although a POST to it
    // creates one.
    if request.method == Method::GET && request.path == "/v4/spreadsheets" {
        return pages::not_found(request);
    }
    dispatch::respond(&SHEETS_API, state, request)
}

/// A spreadsheet and its file, if the caller may read it.
fn readable<'a>(
    files: &'a Files,
    call: &Call,
    id: &str,
) -> Result<(&'a Spreadsheet, &'a File), ApiError> {
    let file = files.file(id).ok_or_else(ApiError::not_found)?;
    let broad = [
        "drive",
        "drive.readonly",
        "spreadsheets",
        "spreadsheets.readonly",
    ];
    if !file.made_by_application && !broad.iter().any(|scope| call.has_scope(scope)) {
        return Err(ApiError::not_found());
    }
    if !files.may_see(file, &call.user) {
        return Err(no_permission());
    }
    if file.mime_type == XLSX {
        return Err(ApiError::failed_precondition(
            "This operation is not supported for this document. The document must not be an Office file.",
        ));
    }
    match files.spreadsheet(id) {
        Some(spreadsheet) if file.mime_type == SHEET => Ok((spreadsheet, file)),
        _ => Err(ApiError::failed_precondition(
            "This operation is not supported for this document",
        )),
    }
}

/// The same, if the caller may change it.
fn changeable<'a>(files: &'a Files, call: &Call, id: &str) -> Result<&'a Spreadsheet, ApiError> {
    let (spreadsheet, file) = readable(files, call, id)?;
    if files.may_change(file, &call.user) {
        Ok(spreadsheet)
    } else {
        Err(no_permission())
    }
}

fn no_permission() -> ApiError {
    ApiError::forbidden("The caller does not have permission")
}
