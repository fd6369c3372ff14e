//! `spreadsheets.batchUpdate`: changes sheets, all requests or none.
//!
//! The sandbox adds, deletes and renames sheets, and renames the spreadsheet; other requests are refused with 501.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    WRITE, changeable, get,
    new_sheets::{self, PROPERTIES},
    write,
};
use crate::{
    google::{ApiError, ApiMethod, Body, Call, State, world::files::Spreadsheet},
    ids::Ids,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.batchUpdate",
    verb: Method::POST,
    path: "v4/spreadsheets/{spreadsheetId}:batchUpdate",
    parameters: &[],
    scopes: WRITE,
    schema: "BatchUpdateSpreadsheetResponse",
    run,
};

/// Members of `BatchUpdateSpreadsheetRequest` (discovery, `schemas`).
const MEMBERS: &[&str] = &[
    "commentsViewMode",
    "includeSpreadsheetInResponse",
    "requests",
    "responseIncludeGridData",
    "responseRanges",
];

/// Members of `Request` that the sandbox does not support.
const UNSUPPORTED: &[&str] = &[
    "addBanding",
    "addChart",
    "addCommentReply",
    "addConditionalFormatRule",
    "addDataSource",
    "addDimensionGroup",
    "addFilterView",
    "addNamedRange",
    "addProtectedRange",
    "addSlicer",
    "addTable",
    "appendCells",
    "appendDimension",
    "autoFill",
    "autoResizeDimensions",
    "cancelDataSourceRefresh",
    "clearBasicFilter",
    "copyPaste",
    "createDeveloperMetadata",
    "cutPaste",
    "deleteBanding",
    "deleteComment",
    "deleteCommentReply",
    "deleteConditionalFormatRule",
    "deleteDataSource",
    "deleteDeveloperMetadata",
    "deleteDimension",
    "deleteDimensionGroup",
    "deleteDuplicates",
    "deleteEmbeddedObject",
    "deleteFilterView",
    "deleteNamedRange",
    "deleteProtectedRange",
    "deleteRange",
    "deleteTable",
    "duplicateFilterView",
    "duplicateSheet",
    "findReplace",
    "insertComment",
    "insertDimension",
    "insertRange",
    "mergeCells",
    "moveDimension",
    "pasteData",
    "randomizeRange",
    "refreshDataSource",
    "repeatCell",
    "setBasicFilter",
    "setDataValidation",
    "sortRange",
    "textToColumns",
    "trimWhitespace",
    "unmergeCells",
    "updateBanding",
    "updateBorders",
    "updateCells",
    "updateChartSpec",
    "updateCommentPost",
    "updateConditionalFormatRule",
    "updateDataSource",
    "updateDeveloperMetadata",
    "updateDimensionGroup",
    "updateDimensionProperties",
    "updateEmbeddedObjectBorder",
    "updateEmbeddedObjectPosition",
    "updateFilterView",
    "updateNamedRange",
    "updateProtectedRange",
    "updateSlicerSpec",
    "updateTable",
];

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let object = call.object()?;
    let body = Body::new(&object, "batch_update_spreadsheet_request", MEMBERS)?;
    body.unsupported(&["commentsViewMode", "responseRanges"])?;
    let with_cells = body.flag("responseIncludeGridData")?.unwrap_or_default();
    let shows = body
        .flag("includeSpreadsheetInResponse")?
        .unwrap_or_default();
    let known: Vec<&str> = [
        "addSheet",
        "deleteSheet",
        "updateSheetProperties",
        "updateSpreadsheetProperties",
    ]
    .into_iter()
    .chain(UNSUPPORTED.iter().copied())
    .collect();
    let requests = body.objects("requests", &known)?;
    if requests.is_empty() {
        return Err(ApiError::invalid("Must specify at least one request."));
    }
    let id = call.variable(0);
    let mut spreadsheet = changeable(&state.world.files, call, id)?.clone();
    let mut title = None;
    let mut replies = Vec::new();
    for (place, request) in requests.iter().enumerate() {
        request.unsupported(UNSUPPORTED)?;
        replies.push(change(
            &mut spreadsheet,
            &mut title,
            request,
            place,
            state.ids,
        )?);
    }
    *write::changed(state, call, id)? = spreadsheet.clone();
    let file = state.world.files.change_file(id);
    let file = file.ok_or_else(ApiError::not_found)?;
    if let Some(title) = title {
        file.name = title;
    }
    let mut response = json!({"spreadsheetId": id, "replies": replies});
    if shows {
        response["updatedSpreadsheet"] = get::shown(&spreadsheet, &file.name, &[], with_cells);
    }
    Ok(response)
}

/// Does one request; its reply.
fn change(
    spreadsheet: &mut Spreadsheet,
    title: &mut Option<String>,
    request: &Body<'_>,
    place: usize,
    ids: &mut Ids,
) -> Result<Value, ApiError> {
    let refused = |name: &str, text: String| {
        ApiError::invalid(format!("Invalid requests[{place}].{name}: {text}"))
    };
    if let Some(added) = request.object("addSheet", &["properties"])? {
        let next = i32::try_from(spreadsheet.sheets.len()).unwrap_or(i32::MAX);
        let (index, sheet) = new_sheets::properties(&added, next, ids)?;
        check_title(spreadsheet, &sheet.title, None).map_err(|text| refused("addSheet", text))?;
        if spreadsheet.sheets.iter().any(|other| other.id == sheet.id) {
            let text = format!("A sheet with the id {} already exists.", sheet.id);
            return Err(refused("addSheet", text));
        }
        let index = usize::try_from(index).unwrap_or_default();
        let index = index.min(spreadsheet.sheets.len());
        spreadsheet.sheets.insert(index, sheet);
        let shown = get::one(spreadsheet, index, &spreadsheet.sheets[index], &[], false);
        return Ok(json!({"addSheet": shown}));
    }
    if let Some(deleted) = request.object("deleteSheet", &["sheetId"])? {
        let index = find(spreadsheet, deleted.integer("sheetId")?)
            .map_err(|text| refused("deleteSheet", text))?;
        if spreadsheet.sheets.len() == 1 {
            let text = "You can't remove all the sheets in a document.".to_owned();
            return Err(refused("deleteSheet", text));
        }
        spreadsheet.sheets.remove(index);
        return Ok(json!({}));
    }
    if let Some(update) = request.object("updateSheetProperties", &["fields", "properties"])? {
        let name = "updateSheetProperties";
        let fields = fields(&update, &["title", "hidden"], place)?;
        let properties = update.object("properties", PROPERTIES)?;
        let Some(properties) = properties else {
            return Err(refused(name, "properties are required.".to_owned()));
        };
        let index = find(spreadsheet, properties.integer("sheetId")?)
            .map_err(|text| refused(name, text))?;
        if fields.contains(&"title") {
            let new = properties.text("title")?.unwrap_or_default();
            check_title(spreadsheet, new, Some(index)).map_err(|text| refused(name, text))?;
            new.clone_into(&mut spreadsheet.sheets[index].title);
        }
        if fields.contains(&"hidden") {
            spreadsheet.sheets[index].hidden = properties.flag("hidden")?.unwrap_or_default();
        }
        return Ok(json!({}));
    }
    if let Some(update) =
        request.object("updateSpreadsheetProperties", &["fields", "properties"])?
    {
        fields(&update, &["title"], place)?;
        let properties = update.object("properties", super::create::PROPERTIES)?;
        let new = match &properties {
            Some(properties) => properties.text("title")?,
            None => None,
        };
        *title = new.filter(|title| !title.is_empty()).map(str::to_owned);
        if title.is_none() {
            let text = "title must not be empty.".to_owned();
            return Err(refused("updateSpreadsheetProperties", text));
        }
        return Ok(json!({}));
    }
    Err(ApiError::invalid(format!(
        "Invalid requests[{place}]: No request set."
    )))
}

/// The names in `fields`, of which the sandbox changes these.
fn fields<'a>(body: &Body<'a>, known: &[&str], place: usize) -> Result<Vec<&'a str>, ApiError> {
    let mask = body.text("fields")?.unwrap_or_default();
    let names: Vec<&str> = mask.split(',').filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(ApiError::invalid(format!(
            "Invalid requests[{place}]: At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)"
        )));
    }
    match names.iter().find(|name| !known.contains(name)) {
        None => Ok(names),
        Some(other) => Err(ApiError::unimplemented(format!(
            "The sandbox does not change the field {other}."
        ))),
    }
}

fn find(spreadsheet: &Spreadsheet, id: Option<i32>) -> Result<usize, String> {
    // Zero is what is not said.
    let id = id.unwrap_or_default();
    let found = spreadsheet.sheets.iter().position(|sheet| sheet.id == id);
    found.ok_or_else(|| format!("No sheet with id: {id}"))
}

/// Titles differ from each other, whatever their case.
fn check_title(spreadsheet: &Spreadsheet, title: &str, own: Option<usize>) -> Result<(), String> {
    if title.is_empty() {
        return Err("The sheet's title must not be empty.".to_owned());
    }
    let taken = spreadsheet
        .sheets
        .iter()
        .enumerate()
        .any(|(index, sheet)| Some(index) != own && sheet.title.eq_ignore_ascii_case(title));
    if taken {
        return Err(format!(
            "A sheet with the name \"{title}\" already exists. Please enter another name."
        ));
    }
    Ok(())
}
