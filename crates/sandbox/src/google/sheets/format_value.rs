//! How values are shown (Sheets API, `ValueRenderOption`, `DateTimeRenderOption`).

use std::ops::Range;

use jiff::Span;
use serde_json::{Value, json};

use super::{
    formula::{self, Effective},
    parse_input::DAY_ZERO,
    range::Area,
};
use crate::google::{
    Call,
    world::files::{Entered, Format, Spreadsheet},
};

/// How the caller wants values.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueOptions {
    formulas: bool,
    formatted: bool,
    dates_as_text: bool,
}

impl ValueOptions {
    /// By the two parameters of these names.
    pub(super) fn of(call: &Call, render: &str, dates: &str) -> Self {
        let render = call.text(render).unwrap_or("FORMATTED_VALUE");
        Self {
            formulas: render == "FORMULA",
            formatted: render == "FORMATTED_VALUE",
            dates_as_text: call.text(dates) == Some("FORMATTED_STRING"),
        }
    }
}

/// The values of an area by rows or columns, without what is empty at the end.
pub(super) fn values(
    spreadsheet: &Spreadsheet,
    area: &Area,
    options: ValueOptions,
    by_columns: bool,
) -> Vec<Vec<Value>> {
    let (rows, columns) = used(spreadsheet, area);
    let (outer, inner) = if by_columns {
        (columns, rows)
    } else {
        (rows, columns)
    };
    let line = |one: u32| {
        let cells = inner.clone().map(|other| {
            let (row, column) = if by_columns {
                (other, one)
            } else {
                (one, other)
            };
            value(spreadsheet, area.sheet, row, column, options)
        });
        without_end(cells.collect(), |value| value == "")
    };
    without_end(outer.map(line).collect(), Vec::is_empty)
}

/// The rectangle within the area that has content, counted from its start.
pub(super) fn used(spreadsheet: &Spreadsheet, area: &Area) -> (Range<u32>, Range<u32>) {
    let cells = spreadsheet.sheets.get(area.sheet).map(|sheet| &sheet.cells);
    let inside = cells
        .into_iter()
        .flat_map(|cells| cells.keys())
        .filter(|(row, column)| area.rows.contains(row) && area.columns.contains(column));
    let (rows, columns) = inside.fold((0, 0), |(rows, columns), (row, column)| {
        (rows.max(row + 1), columns.max(column + 1))
    });
    (
        area.rows.start..rows.max(area.rows.start),
        area.columns.start..columns.max(area.columns.start),
    )
}

/// The value of a cell as values.get gives it.
fn value(
    spreadsheet: &Spreadsheet,
    sheet: usize,
    row: u32,
    column: u32,
    options: ValueOptions,
) -> Value {
    let grid = spreadsheet.sheets.get(sheet);
    let Some(cell) = grid.and_then(|grid| grid.cells.get(&(row, column))) else {
        return json!("");
    };
    if options.formulas
        && let Entered::Formula(text) = &cell.entered
    {
        return json!(text);
    }
    let effective = formula::value(spreadsheet, sheet, row, column);
    let format = formula::format(spreadsheet, sheet, cell);
    let as_text = options.formatted || (options.dates_as_text && format == Format::Date);
    match effective {
        Effective::Number(number_) if !as_text => number(number_),
        Effective::Bool(value) if !as_text => json!(value),
        effective => json!(formatted(&effective, format)),
    }
}

/// A value as the user sees it.
pub(super) fn formatted(value: &Effective, format: Format) -> String {
    let number = match value {
        Effective::Empty => return String::new(),
        Effective::Text(text) => return text.clone(),
        Effective::Bool(true) => return "TRUE".to_owned(),
        Effective::Bool(false) => return "FALSE".to_owned(),
        Effective::Error(_, shown, _) => return (*shown).to_owned(),
        Effective::Number(number) => *number,
    };
    match format {
        Format::Automatic => self::number(number).to_string(),
        Format::Currency if number < 0.0 => format!("-${:.2}", number.abs()),
        Format::Currency => format!("${number:.2}"),
        Format::Percent { digits } => format!("{:.digits$}%", number * 100.0),
        Format::Date => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float beyond is cut at the bounds, and is not a date"
            )]
            let days = number.floor() as i32;
            let date = Span::new()
                .try_days(days)
                .ok()
                .and_then(|span| DAY_ZERO.checked_add(span).ok());
            date.map_or_else(|| number.to_string(), |date| date.to_string())
        }
    }
}

/// A number as JSON: whole ones without a point.
pub(super) fn number(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        let whole = number as i64;
        json!(whole)
    } else {
        json!(number)
    }
}

fn without_end<Item>(mut items: Vec<Item>, is_empty: impl Fn(&Item) -> bool) -> Vec<Item> {
    while items.last().is_some_and(&is_empty) {
        items.pop();
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_by_their_format() {
        for (value, format, text) in [
            (1.5, Format::Automatic, "1.5"),
            (3.0, Format::Automatic, "3"),
            (19.0, Format::Currency, "$19.00"),
            (-1.5, Format::Currency, "-$1.50"),
            (0.125, Format::Percent { digits: 2 }, "12.50%"),
            (46_146.0, Format::Date, "2026-05-04"),
            (46_146.75, Format::Date, "2026-05-04"),
        ] {
            assert_eq!(formatted(&Effective::Number(value), format), text);
        }
    }
}
