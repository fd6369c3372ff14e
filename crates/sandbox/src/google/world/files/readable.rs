//! Files and spreadsheets in words, to compare responses with.

use serde_json::{Value, json};

use super::{Cell, Entered, File, Files, Sheet, Spreadsheet};

/// What one user may see.
pub(crate) fn files(files: &Files, user: &str) -> Value {
    let seen = files.all.iter().filter(|file| files.may_see(file, user));
    seen.map(file).collect()
}

/// The spreadsheets that one user may see.
pub(crate) fn spreadsheets(files: &Files, user: &str) -> Value {
    let seen = files.spreadsheets.iter().filter_map(|sheet| {
        let file = files.file(&sheet.id)?;
        let may_change = files.may_change(file, user);
        files
            .may_see(file, user)
            .then(|| spreadsheet(sheet, &file.name, may_change))
    });
    seen.collect()
}

fn file(file: &File) -> Value {
    json!({
        "id": file.id,
        "name": file.name,
        "mime_type": file.mime_type,
        "parents": file.parents,
        "owner": file.owner,
        "drive_id": file.drive,
        "modified": file.modified.to_string(),
        "trashed": file.trashed,
        "starred": file.starred,
        "is_root": file.is_root,
        "size": file.size(),
        "text": file.text,
    })
}

fn spreadsheet(sheet: &Spreadsheet, title: &str, may_change: bool) -> Value {
    json!({
        "id": sheet.id,
        "title": title,
        "may_change": may_change,
        "sheets": sheet.sheets.iter().map(one).collect::<Vec<_>>(),
    })
}

/// A sheet with what was entered into its cells, row by row.
fn one(sheet: &Sheet) -> Value {
    let cells: Vec<Value> = sheet
        .cells
        .iter()
        .map(
            |((row, column), cell)| json!({"row": row, "column": column, "entered": entered(cell)}),
        )
        .collect();
    json!({"id": sheet.id, "title": sheet.title, "rows": sheet.rows, "columns": sheet.columns, "cells": cells})
}

fn entered(cell: &Cell) -> Value {
    match &cell.entered {
        Entered::Text(text) | Entered::Formula(text) => json!(text),
        Entered::Number(number) => json!(number),
        Entered::Bool(value) => json!(value),
    }
}
