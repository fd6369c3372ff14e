//! The sheets of a new spreadsheet.

use super::formula;
use crate::{
    google::{
        ApiError, Body,
        world::files::{Cell, Entered, Sheet},
    },
    ids::Ids,
};

/// Members of `Sheet` (discovery, `schemas`).
pub(super) const SHEET: &[&str] = &[
    "bandedRanges",
    "basicFilter",
    "charts",
    "columnGroups",
    "commentAnchors",
    "conditionalFormats",
    "data",
    "developerMetadata",
    "filterViews",
    "merges",
    "properties",
    "protectedRanges",
    "rowGroups",
    "slicers",
    "tables",
];
/// Those that the sandbox does not support.
const UNSUPPORTED: &[&str] = &[
    "bandedRanges",
    "basicFilter",
    "charts",
    "columnGroups",
    "commentAnchors",
    "conditionalFormats",
    "developerMetadata",
    "filterViews",
    "merges",
    "protectedRanges",
    "rowGroups",
    "slicers",
    "tables",
];
/// Members of `SheetProperties`.
pub(super) const PROPERTIES: &[&str] = &[
    "dataSourceSheetProperties",
    "gridProperties",
    "hidden",
    "index",
    "rightToLeft",
    "sheetId",
    "sheetType",
    "tabColor",
    "tabColorStyle",
    "title",
];
/// Members of `GridProperties`.
const GRID: &[&str] = &[
    "columnCount",
    "columnGroupControlAfter",
    "frozenColumnCount",
    "frozenRowCount",
    "hideGridlines",
    "rowCount",
    "rowGroupControlAfter",
];

/// Reads the sheets; one empty sheet where none is given.
pub(super) fn read(sheets: &[Body<'_>], ids: &mut Ids) -> Result<Vec<Sheet>, ApiError> {
    let mut read: Vec<(i32, Sheet)> = Vec::new();
    for (index, body) in (0..).zip(sheets) {
        body.unsupported(UNSUPPORTED)?;
        let (index, mut sheet) = properties(body, index, ids)?;
        cells(body, &mut sheet)?;
        for (_, other) in &read {
            if other.title.eq_ignore_ascii_case(&sheet.title) {
                return Err(ApiError::invalid(format!(
                    "Invalid sheets[{index}]: A sheet with the name \"{}\" already exists. Please enter another name.",
                    sheet.title
                )));
            }
            if other.id == sheet.id {
                return Err(ApiError::invalid(format!(
                    "Invalid sheets[{index}]: A sheet with the id {} already exists.",
                    sheet.id
                )));
            }
        }
        read.push((index, sheet));
    }
    if read.is_empty() {
        return Ok(vec![Sheet::new(0, "Sheet1")]);
    }
    read.sort_by_key(|(index, _)| *index);
    Ok(read.into_iter().map(|(_, sheet)| sheet).collect())
}

/// The sheet without its cells, and its place.
pub(super) fn properties(
    body: &Body<'_>,
    index: i32,
    ids: &mut Ids,
) -> Result<(i32, Sheet), ApiError> {
    let title = format!("Sheet{}", index + 1);
    let Some(properties) = body.object("properties", PROPERTIES)? else {
        return Ok((index, Sheet::new(fresh_id(ids), title)));
    };
    properties.unsupported(&["dataSourceSheetProperties"])?;
    match properties.text("sheetType")? {
        None | Some("GRID") => {}
        Some("OBJECT" | "DATA_SOURCE") => {
            return Err(ApiError::unimplemented(
                "The sandbox has only sheets of cells.",
            ));
        }
        Some(other) => {
            return Err(ApiError::invalid(format!(
                "Invalid value at 'spreadsheet.sheets[{index}].properties.sheet_type' (TYPE_ENUM), \"{other}\""
            )));
        }
    }
    let id = match properties.integer("sheetId")? {
        None => fresh_id(ids),
        Some(id) if id >= 0 => id,
        Some(id) => {
            return Err(ApiError::invalid(format!(
                "Invalid sheets[{index}]: sheetId {id} must not be negative."
            )));
        }
    };
    let title = properties.text("title")?.map_or(title, str::to_owned);
    let mut sheet = Sheet::new(id, title);
    sheet.hidden = properties.flag("hidden")?.unwrap_or_default();
    properties.flag("rightToLeft")?;
    sheet.more = properties.kept(&["rightToLeft", "tabColor", "tabColorStyle"]);
    if let Some(grid) = properties.object("gridProperties", GRID)? {
        sheet.rows = grid.count("rowCount", 1)?.unwrap_or(sheet.rows);
        sheet.columns = grid.count("columnCount", 1)?.unwrap_or(sheet.columns);
        sheet.frozen_rows = grid.count("frozenRowCount", 0)?.unwrap_or_default();
        sheet.frozen_columns = grid.count("frozenColumnCount", 0)?.unwrap_or_default();
        let flags = [
            "hideGridlines",
            "rowGroupControlAfter",
            "columnGroupControlAfter",
        ];
        for flag in flags {
            grid.flag(flag)?;
        }
        sheet.more_of_grid = grid.kept(&flags);
    }
    Ok((properties.integer("index")?.unwrap_or(index), sheet))
}

/// The cells of `data`: what was entered, without its formatting.
fn cells(body: &Body<'_>, sheet: &mut Sheet) -> Result<(), ApiError> {
    let known = &[
        "columnMetadata",
        "rowData",
        "rowMetadata",
        "startColumn",
        "startRow",
    ];
    for data in body.objects("data", known)? {
        data.unsupported(&["columnMetadata", "rowMetadata"])?;
        let first_row = data.count("startRow", 0)?.unwrap_or_default();
        let first_column = data.count("startColumn", 0)?.unwrap_or_default();
        for (row, line) in (first_row..).zip(data.objects("rowData", &["values"])?) {
            let values = line.objects("values", &["userEnteredValue"])?;
            for (column, value) in (first_column..).zip(values) {
                if let Some(entered) = entered(&value)? {
                    sheet.cells.insert((row, column), Cell::from(entered));
                }
                if row >= sheet.rows || column >= sheet.columns {
                    return Err(ApiError::invalid("The data exceeds the grid of its sheet."));
                }
            }
        }
    }
    Ok(())
}

fn entered(cell: &Body<'_>) -> Result<Option<Entered>, ApiError> {
    let known = &[
        "boolValue",
        "errorValue",
        "formulaValue",
        "numberValue",
        "stringValue",
    ];
    let Some(value) = cell.object("userEnteredValue", known)? else {
        return Ok(None);
    };
    if let Some(text) = value.text("formulaValue")? {
        formula::check(text)?;
        return Ok(Some(Entered::Formula(text.to_owned())));
    }
    if let Some(flag) = value.flag("boolValue")? {
        return Ok(Some(Entered::Bool(flag)));
    }
    if let Some(number) = value.float("numberValue")? {
        return Ok(Some(Entered::Number(number)));
    }
    let text = value.text("stringValue")?;
    Ok(text.map(|text| Entered::Text(text.to_owned())))
}

/// An id that no one would guess, and the same in every run.
fn fresh_id(ids: &mut Ids) -> i32 {
    let letters = ids.fresh("sheet", 8);
    let number = letters.bytes().fold(0_i32, |number, byte| {
        number.wrapping_mul(31).wrapping_add(i32::from(byte))
    });
    number & i32::MAX
}
