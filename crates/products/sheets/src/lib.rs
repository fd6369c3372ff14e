#![doc = include_str!("docs.md")]

mod a1;
mod cell;
mod classify;
mod errors;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod looks;
mod new_sheet;
mod options;
mod product;
mod readable;
pub mod scopes;
mod spreadsheet;
mod spreadsheet_id;
mod titles;
mod tools;
mod value_range;
mod writing;

pub use cell::CellValue;
pub use new_sheet::{GridProperties, NewSheet, SheetProperties, SheetType};
pub use options::{InsertDataOption, MajorDimension, ValueInputOption, ValueRenderOption};
pub use product::PRODUCT;
pub use spreadsheet::{GridSize, NamedRange, Sheet, SheetInfo, Spreadsheet, SpreadsheetProperties};
pub use tools::*;
pub use value_range::ValueRange;
