//! A spreadsheet: its sheets, and what was entered into their cells.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Rows of a new sheet.
const ROWS: u32 = 1000;
/// Columns of a new sheet.
const COLUMNS: u32 = 26;

/// A spreadsheet; its title is its file's name.
#[derive(Debug, Clone)]
pub(crate) struct Spreadsheet {
    pub(crate) id: String,
    pub(crate) locale: String,
    pub(crate) time_zone: String,
    pub(crate) sheets: Vec<Sheet>,
    pub(crate) named_ranges: Vec<NamedRange>,
}

/// A sheet.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub(crate) id: i32,
    pub(crate) title: String,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) frozen_rows: u32,
    pub(crate) frozen_columns: u32,
    pub(crate) hidden: bool,
    /// Properties that are kept and shown, and change nothing here.
    pub(crate) more: Map<String, Value>,
    /// The same of the grid.
    pub(crate) more_of_grid: Map<String, Value>,
    /// By row and column, from 0; a cell without content is absent.
    pub(crate) cells: BTreeMap<(u32, u32), Cell>,
}

/// A name for a range.
#[derive(Debug, Clone)]
pub(crate) struct NamedRange {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) sheet: i32,
    /// First row, and the one after the last.
    pub(crate) rows: (u32, u32),
    /// First column, and the one after the last.
    pub(crate) columns: (u32, u32),
}

/// A cell with content.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) entered: Entered,
    pub(crate) format: Format,
}

/// What was entered into a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entered {
    Text(String),
    Number(f64),
    Bool(bool),
    /// With its equals sign.
    Formula(String),
}

/// How a number is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Automatic,
    /// `2026-05-04`.
    Date,
    /// `$1.50`.
    Currency,
    /// `12%`, or `12.50%` with two digits.
    Percent { digits: usize },
}

impl Sheet {
    /// An empty sheet.
    pub(crate) fn new(id: i32, title: impl Into<String>) -> Self {
        Self {
            id,
            title: title.into(),
            rows: ROWS,
            columns: COLUMNS,
            frozen_rows: 0,
            frozen_columns: 0,
            hidden: false,
            more: Map::new(),
            more_of_grid: Map::new(),
            cells: BTreeMap::new(),
        }
    }
}

impl From<Entered> for Cell {
    fn from(entered: Entered) -> Self {
        Self {
            entered,
            format: Format::Automatic,
        }
    }
}
