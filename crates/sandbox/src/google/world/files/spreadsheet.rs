//! A spreadsheet: its sheets, and the entered contents of their cells.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// How many rows a new sheet has.
const ROWS: u32 = 1000;
/// How many columns a new sheet has.
const COLUMNS: u32 = 26;

/// A spreadsheet. Its title is the name of its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Spreadsheet {
    pub(crate) id: String,
    pub(crate) locale: String,
    pub(crate) time_zone: String,
    pub(crate) sheets: Vec<Sheet>,
    #[serde(default)]
    pub(crate) named_ranges: Vec<NamedRange>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(from = "SeedSheet")]
pub(crate) struct Sheet {
    pub(crate) id: i32,
    pub(crate) title: String,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) frozen_rows: u32,
    pub(crate) frozen_columns: u32,
    pub(crate) hidden: bool,
    /// Properties that are stored and shown, but have no effect here.
    pub(crate) more: Map<String, Value>,
    /// The same for properties of the grid.
    pub(crate) more_of_grid: Map<String, Value>,
    /// The cells by row and column, from 0. Cells without content are absent.
    pub(crate) cells: BTreeMap<(u32, u32), Cell>,
}

/// A name for a range.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct NamedRange {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) sheet: i32,
    /// The first row, and the row after the last.
    pub(crate) rows: (u32, u32),
    /// The first column, and the column after the last.
    pub(crate) columns: (u32, u32),
}

/// A cell with content.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) entered: Entered,
    pub(crate) format: Format,
}

/// The content that was entered into a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entered {
    Text(String),
    Number(f64),
    Bool(bool),
    /// The formula with its equals sign.
    Formula(String),
}

/// How to show a number.
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

impl Spreadsheet {
    /// A spreadsheet with one empty sheet.
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            locale: "en_US".to_owned(),
            time_zone: "Etc/GMT".to_owned(),
            sheets: vec![Sheet::new(0, "Sheet1")],
            named_ranges: Vec::new(),
        }
    }
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

/// A seeded sheet.
#[derive(Deserialize)]
struct SeedSheet {
    id: i32,
    title: String,
    rows: Option<u32>,
    columns: Option<u32>,
    #[serde(default)]
    frozen_rows: u32,
    /// The cells, row by row.
    #[serde(default)]
    cells: Vec<Vec<Option<SeedCell>>>,
}

/// A seeded cell. A text that begins with an equals sign is a formula.
#[derive(Deserialize)]
#[serde(untagged)]
enum SeedCell {
    Bool(bool),
    Number(f64),
    Text(String),
    /// The number of days since 1899-12-30.
    Date {
        date: f64,
    },
    Currency {
        currency: f64,
    },
    Percent {
        percent: f64,
    },
}

impl From<SeedSheet> for Sheet {
    fn from(seed: SeedSheet) -> Self {
        let mut sheet = Self::new(seed.id, seed.title);
        sheet.rows = seed.rows.unwrap_or(ROWS);
        sheet.columns = seed.columns.unwrap_or(COLUMNS);
        sheet.frozen_rows = seed.frozen_rows;
        for (row, cells) in (0..).zip(seed.cells) {
            for (column, cell) in (0..).zip(cells) {
                if let Some(cell) = cell {
                    sheet.cells.insert((row, column), cell.into());
                }
            }
        }
        sheet
    }
}

impl From<SeedCell> for Cell {
    fn from(seed: SeedCell) -> Self {
        let (entered, format) = match seed {
            SeedCell::Bool(value) => (Entered::Bool(value), Format::Automatic),
            SeedCell::Number(value) => (Entered::Number(value), Format::Automatic),
            SeedCell::Text(text) if text.starts_with('=') => {
                (Entered::Formula(text), Format::Automatic)
            }
            SeedCell::Text(text) => (Entered::Text(text), Format::Automatic),
            SeedCell::Date { date } => (Entered::Number(date), Format::Date),
            SeedCell::Currency { currency } => (Entered::Number(currency), Format::Currency),
            SeedCell::Percent { percent } => {
                (Entered::Number(percent), Format::Percent { digits: 2 })
            }
        };
        Self { entered, format }
    }
}
