//! The tools, one per file.

mod create_spreadsheet;
mod get_values;
mod read_spreadsheet;
mod update_values;

mod new_sheet;
mod options;

use stead_core::{Error, Result, error::Violation};

pub use create_spreadsheet::CreateSpreadsheet;
pub use get_values::GetValues;
pub use new_sheet::{GridProperties, NewSheet, SheetProperties, SheetType};
pub use options::{MajorDimension, ValueInputOption, ValueRenderOption};
pub use read_spreadsheet::ReadSpreadsheet;
pub use update_values::UpdateValues;

use crate::a1;

/// Refuses what can be no range.
fn check_range(parameter: &str, range: &str) -> Result<()> {
    a1::check(range)
        .map_err(|message| Error::violations(vec![Violation::new(parameter, "format", message)]))
}
