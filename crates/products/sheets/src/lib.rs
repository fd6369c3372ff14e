#![doc = include_str!("docs.md")]

mod a1;
mod cell;
mod errors;
mod product;
pub mod scopes;
mod spreadsheet_id;
mod tools;

pub use cell::CellValue;
pub use product::PRODUCT;
pub use tools::{
    CreateSpreadsheet, GetValues, GridProperties, MajorDimension, NewSheet, ReadSpreadsheet,
    SheetProperties, SheetType, UpdateValues, ValueInputOption, ValueRenderOption,
};
