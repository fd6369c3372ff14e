//! Sheets API v4: creates spreadsheets, and reads and writes values.
//!
//! Typed values (`USER_ENTERED`) can be numbers, `$1.50`, `12%`, `TRUE`, `2026-05-04`, and the formulas `=B2` and
//! `=SUM(B2:B9)`. The sandbox refuses any other formula with 501 instead of returning a wrong response. Any other text
//! stays a text.

mod append;
mod create;
mod formula;
mod get;
mod parse_input;
mod range;
mod values;

use crate::google::{
    Api, ApiError, Call,
    errors::ErrorShape,
    world::files::{File, Files, SHEET, Spreadsheet, XLSX},
};

/// `https://sheets.googleapis.com`.
pub(crate) static SHEETS_API: Api = Api {
    name: "sheets",
    service: "sheets.googleapis.com",
    errors: ErrorShape::Status,
    refuses_read_only: None,
    plays: &[
        ("spreadsheets.create", create::create),
        ("spreadsheets.get", get::get),
        ("spreadsheets.values.get", values::get),
        ("spreadsheets.values.update", values::update),
        ("spreadsheets.values.append", append::append),
        ("spreadsheets.values.clear", values::clear),
    ],
    collections: &[],
    downloads: &[],
    uploads: (0, ""),
    batch_paths: &["/batch"],
};

/// Finds a spreadsheet that the caller may read, and its file.
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

/// Finds a spreadsheet that the caller may change.
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
