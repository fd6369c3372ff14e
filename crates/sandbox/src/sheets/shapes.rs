//! Fields of responses (discovery, `schemas`).

use crate::google::fields::Shape;

const LEAF: &Shape = &Shape::Leaf;
const OPEN: &Shape = &Shape::Open;

/// `ValueRange`.
pub(super) static VALUES: Shape =
    Shape::Fields(&[("range", LEAF), ("majorDimension", LEAF), ("values", LEAF)]);

/// `UpdateValuesResponse`.
pub(super) static UPDATED: Shape = Shape::Fields(&[
    ("spreadsheetId", LEAF),
    ("updatedRange", LEAF),
    ("updatedRows", LEAF),
    ("updatedColumns", LEAF),
    ("updatedCells", LEAF),
    ("updatedData", &VALUES),
]);

/// `Spreadsheet`.
pub(super) static SPREADSHEET: Shape = Shape::Fields(&[
    ("comments", OPEN),
    ("commentsViewMode", LEAF),
    ("dataSourceSchedules", OPEN),
    ("dataSources", OPEN),
    ("developerMetadata", OPEN),
    ("namedRanges", OPEN),
    ("properties", &PROPERTIES),
    ("sheets", &SHEET),
    ("spreadsheetId", LEAF),
    ("spreadsheetUrl", LEAF),
]);

/// `SpreadsheetProperties`.
static PROPERTIES: Shape = Shape::Fields(&[
    ("autoRecalc", LEAF),
    ("defaultFormat", OPEN),
    ("importFunctionsExternalUrlAccessAllowed", LEAF),
    ("iterativeCalculationSettings", OPEN),
    ("locale", LEAF),
    ("spreadsheetTheme", OPEN),
    ("timeZone", LEAF),
    ("title", LEAF),
]);

/// `Sheet`.
static SHEET: Shape = Shape::Fields(&[
    ("bandedRanges", OPEN),
    ("basicFilter", OPEN),
    ("charts", OPEN),
    ("columnGroups", OPEN),
    ("commentAnchors", OPEN),
    ("conditionalFormats", OPEN),
    ("data", &DATA),
    ("developerMetadata", OPEN),
    ("filterViews", OPEN),
    ("merges", OPEN),
    ("properties", &SHEET_PROPERTIES),
    ("protectedRanges", OPEN),
    ("rowGroups", OPEN),
    ("slicers", OPEN),
    ("tables", OPEN),
]);

/// `SheetProperties`.
static SHEET_PROPERTIES: Shape = Shape::Fields(&[
    ("dataSourceSheetProperties", OPEN),
    (
        "gridProperties",
        &Shape::Fields(&[
            ("columnCount", LEAF),
            ("columnGroupControlAfter", LEAF),
            ("frozenColumnCount", LEAF),
            ("frozenRowCount", LEAF),
            ("hideGridlines", LEAF),
            ("rowCount", LEAF),
            ("rowGroupControlAfter", LEAF),
        ]),
    ),
    ("hidden", LEAF),
    ("index", LEAF),
    ("rightToLeft", LEAF),
    ("sheetId", LEAF),
    ("sheetType", LEAF),
    ("tabColor", OPEN),
    ("tabColorStyle", OPEN),
    ("title", LEAF),
]);

/// `GridData`.
static DATA: Shape = Shape::Fields(&[
    ("columnMetadata", OPEN),
    ("rowData", &Shape::Fields(&[("values", OPEN)])),
    ("rowMetadata", OPEN),
    ("startColumn", LEAF),
    ("startRow", LEAF),
]);
