//! Sheets API v4: creating, reading, and values. A folder is an API, a file is a method.
//!
//! Values that are typed (`USER_ENTERED`) are understood as far as they are
//! plain: numbers, `$1.50`, `12%`, `TRUE`, `2026-05-04`, and the formulas `=B2`
//! and `=SUM(B2:B9)`. Any other formula is refused with 501 rather than
//! answered wrongly; any other text stays a text.

mod body;
mod create;
mod entering;
mod formula;
mod get;
mod new_sheets;
mod range;
mod shapes;
mod showing;
mod values_get;
mod values_update;

use axum::http::{Method, StatusCode};

use crate::answer::Answer;
use crate::google::check;
use crate::google::errors::{ErrorShape, Refusal};
use crate::google::method::{Api, Call};
use crate::google::pages;
use crate::request::Request;
use crate::state::State;
use crate::world::library::{File, Library, SHEET, Spreadsheet, XLSX};

/// `https://sheets.googleapis.com`.
static SHEETS_API: Api = Api {
    service: "sheets.googleapis.com",
    errors: ErrorShape::Status,
    methods: &[
        &create::METHOD,
        &get::METHOD,
        &values_get::METHOD,
        &values_update::METHOD,
    ],
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
pub(crate) fn answer(state: &mut State, request: &Request) -> Answer {
    // Nothing lists spreadsheets, and the address says so as any unknown one
    // does, although a POST to it creates one.
    if request.method == Method::GET && request.path == "/v4/spreadsheets" {
        return Answer::html(StatusCode::NOT_FOUND, pages::not_found(request));
    }
    check::answer(&SHEETS_API, state, request)
}

/// A spreadsheet and its file, if the caller may read it.
fn readable<'a>(
    library: &'a Library,
    call: &Call,
    id: &str,
) -> Result<(&'a Spreadsheet, &'a File), Refusal> {
    let file = library.file(id).ok_or_else(Refusal::not_found)?;
    let broad = [
        "drive",
        "drive.readonly",
        "spreadsheets",
        "spreadsheets.readonly",
    ];
    if !file.made_by_application && !broad.iter().any(|scope| call.has_scope(scope)) {
        return Err(Refusal::not_found());
    }
    if !library.may_see(file, &call.user) {
        return Err(no_permission());
    }
    if file.mime_type == XLSX {
        return Err(Refusal::failed_precondition(
            "This operation is not supported for this document. The document must not be an Office file.",
        ));
    }
    match library.spreadsheet(id) {
        Some(spreadsheet) if file.mime_type == SHEET => Ok((spreadsheet, file)),
        _ => Err(Refusal::failed_precondition(
            "This operation is not supported for this document",
        )),
    }
}

/// The same, if the caller may change it.
fn changeable<'a>(library: &'a Library, call: &Call, id: &str) -> Result<&'a Spreadsheet, Refusal> {
    let (spreadsheet, file) = readable(library, call, id)?;
    if library.may_change(file, &call.user) {
        Ok(spreadsheet)
    } else {
        Err(no_permission())
    }
}

fn no_permission() -> Refusal {
    Refusal::forbidden("The caller does not have permission")
}
