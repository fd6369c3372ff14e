//! The two supported formulas, `=B2` and `=SUM(B2:B9,C1)`, and how values are shown (Sheets API, `ValueRenderOption`
//! and `DateTimeRenderOption`).

use std::ops::Range;

use jiff::{Span, civil::Date};
use serde_json::{Value, json};

use super::range::{self, Area};
use crate::google::{
    ApiError, Call,
    world::files::{Cell, Entered, Format, Spreadsheet},
};

/// The day with the number 0 (Sheets API, `DateTimeRenderOption`).
pub(super) const DAY_ZERO: Date = jiff::civil::date(1899, 12, 30);

/// Formulas that refer to each other more often than this are circular.
const DEEPEST: usize = 64;

/// The calculated value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effective {
    Empty,
    Text(String),
    Number(f64),
    Bool(bool),
    /// The type of the error, the text that the cell shows, and the reason.
    Error(&'static str, &'static str, &'static str),
}

const CIRCLE: Effective = Effective::Error("REF", "#REF!", "Circular dependency detected.");
const NO_RANGE: Effective = Effective::Error("REF", "#REF!", "Reference does not exist");

enum Formula<'a> {
    Reference(&'a str),
    Sum(Vec<&'a str>),
}

/// Refuses formulas that aren't supported.
pub(super) fn check(text: &str) -> Result<(), ApiError> {
    parse(text).map(drop).ok_or_else(|| {
        ApiError::unimplemented(format!(
            "The sandbox evaluates only =B2 and =SUM(B2:B9), not {text}"
        ))
    })
}

/// Calculates the value of a cell.
pub(super) fn value(spreadsheet: &Spreadsheet, sheet: usize, row: u32, column: u32) -> Effective {
    calculate(spreadsheet, sheet, row, column, 0)
}

/// The format of a cell. A formula without its own format uses the format of the first cell that it refers to.
pub(super) fn format(spreadsheet: &Spreadsheet, sheet: usize, cell: &Cell) -> Format {
    let (Entered::Formula(text), Format::Automatic) = (&cell.entered, cell.format) else {
        return cell.format;
    };
    let first = match parse(text) {
        Some(Formula::Reference(cells)) => Some(cells),
        Some(Formula::Sum(ranges)) => ranges.into_iter().next(),
        None => None,
    };
    let area = first.and_then(|cells| range::parse(spreadsheet, sheet, cells).ok());
    let found = area.and_then(|area| {
        let grid = spreadsheet.sheets.get(area.sheet)?;
        let mut cells = grid.cells.iter();
        let inside = cells
            .find(|((row, column), _)| area.rows.contains(row) && area.columns.contains(column));
        inside.map(|(_, cell)| cell.format)
    });
    found.unwrap_or_default()
}

fn calculate(
    spreadsheet: &Spreadsheet,
    sheet: usize,
    row: u32,
    column: u32,
    depth: usize,
) -> Effective {
    let grid = spreadsheet.sheets.get(sheet);
    let Some(cell) = grid.and_then(|grid| grid.cells.get(&(row, column))) else {
        return Effective::Empty;
    };
    if depth > DEEPEST {
        return CIRCLE;
    }
    match &cell.entered {
        Entered::Text(text) => Effective::Text(text.clone()),
        Entered::Number(number) => Effective::Number(*number),
        Entered::Bool(value) => Effective::Bool(*value),
        Entered::Formula(text) => match parse(text) {
            Some(Formula::Reference(cells)) => match range::parse(spreadsheet, sheet, cells) {
                Ok(Area {
                    sheet,
                    rows,
                    columns,
                    ..
                }) => {
                    // An empty cell counts as zero.
                    match calculate(spreadsheet, sheet, rows.start, columns.start, depth + 1) {
                        Effective::Empty => Effective::Number(0.0),
                        other => other,
                    }
                }
                Err(_) => NO_RANGE,
            },
            Some(Formula::Sum(ranges)) => sum(spreadsheet, sheet, &ranges, depth),
            None => NO_RANGE,
        },
    }
}

/// Adds up ranges. Texts and booleans in them don't count. An error becomes the result.
fn sum(spreadsheet: &Spreadsheet, home: usize, ranges: &[&str], depth: usize) -> Effective {
    let mut total = 0.0;
    for text in ranges {
        let Ok(area) = range::parse(spreadsheet, home, text) else {
            return NO_RANGE;
        };
        let Some(grid) = spreadsheet.sheets.get(area.sheet) else {
            return NO_RANGE;
        };
        for (row, column) in grid.cells.keys() {
            if !area.rows.contains(row) || !area.columns.contains(column) {
                continue;
            }
            match calculate(spreadsheet, area.sheet, *row, *column, depth + 1) {
                Effective::Number(number) => total += number,
                error @ Effective::Error(..) => return error,
                _ => {}
            }
        }
    }
    Effective::Number(total)
}

fn parse(text: &str) -> Option<Formula<'_>> {
    let text = text.strip_prefix('=')?.trim();
    let upper = text.to_ascii_uppercase();
    if upper.starts_with("SUM(") {
        let inner = text.get(4..)?.strip_suffix(')')?;
        let ranges: Vec<&str> = inner.split(',').map(str::trim).collect();
        return ranges
            .iter()
            .all(|range| is_reference(range))
            .then_some(Formula::Sum(ranges));
    }
    (is_reference(text) && !text.contains(':')).then_some(Formula::Reference(text))
}

/// The formula after rows were inserted before row `from` of a sheet. References to cells below the new rows move.
pub(super) fn moved_down(
    before: &Spreadsheet,
    home: usize,
    text: &str,
    sheet: usize,
    from: u32,
    count: u32,
) -> String {
    let moved = |reference: &str| {
        let is_there = range::parse(before, home, reference).is_ok_and(|area| area.sheet == sheet);
        let (title, cells) = match reference.rsplit_once('!') {
            Some((title, cells)) => (format!("{title}!"), cells),
            None => (String::new(), reference),
        };
        let corner = |cell: &str| {
            let (column, row) =
                cell.split_at(cell.trim_end_matches(|c: char| c.is_ascii_digit()).len());
            match row.parse::<u32>() {
                Ok(row) if is_there && row > from => format!("{column}{}", row + count),
                _ => cell.to_owned(),
            }
        };
        let corners: Vec<String> = cells.split(':').map(corner).collect();
        title + &corners.join(":")
    };
    match parse(text) {
        Some(Formula::Reference(cells)) => format!("={}", moved(cells)),
        Some(Formula::Sum(ranges)) => {
            let ranges: Vec<String> = ranges.into_iter().map(moved).collect();
            format!("=SUM({})", ranges.join(","))
        }
        None => text.to_owned(),
    }
}

/// Whether the text looks like cells, with or without a sheet's title. The calculation checks whether they exist.
fn is_reference(text: &str) -> bool {
    let cells = text.rsplit_once('!').map_or(text, |(_, cells)| cells);
    let is_cell = |cell: &str| {
        let cell = cell.replace('$', "");
        let letters = cell.bytes().take_while(u8::is_ascii_alphabetic).count();
        (1..=3).contains(&letters) && cell.bytes().skip(letters).all(|byte| byte.is_ascii_digit())
    };
    let with_row = |cell: &str| is_cell(cell) && cell.ends_with(|last: char| last.is_ascii_digit());
    match cells.split_once(':') {
        Some((start, end)) => is_cell(start) && is_cell(end),
        None => with_row(cells),
    }
}

/// How to show values.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueOptions {
    formulas: bool,
    formatted: bool,
    dates_as_text: bool,
}

impl ValueOptions {
    /// Reads the two parameters with these names.
    pub(super) fn of(call: &Call, render: &str, dates: &str) -> Self {
        let render = call.text(render).unwrap_or("FORMATTED_VALUE");
        Self {
            formulas: render == "FORMULA",
            formatted: render == "FORMATTED_VALUE",
            dates_as_text: call.text(dates) == Some("FORMATTED_STRING"),
        }
    }
}

/// The values of an area by rows or columns. Empty values at the end are omitted.
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
            shown_value(spreadsheet, area.sheet, row, column, options)
        });
        without_end(cells.collect(), |value| value == "")
    };
    without_end(outer.map(line).collect(), Vec::is_empty)
}

/// The smallest rectangle from the area's start that has all of the content.
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

/// The value of a cell as values.get returns it.
fn shown_value(
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
    let effective = value(spreadsheet, sheet, row, column);
    let format = format(spreadsheet, sheet, cell);
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

/// A JSON number. Integers have no decimal point.
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

    use crate::google::world::files::Files;

    fn calculated(entries: &[(u32, &str)]) -> Effective {
        let mut budget = Files::seeded().spreadsheets.swap_remove(0);
        for (row, text) in entries {
            let cell = Entered::Formula((*text).to_owned()).into();
            budget.sheets[0].cells.insert((*row, 8), cell);
        }
        value(&budget, 0, 0, 8)
    }

    #[test]
    fn sums_and_references_are_calculated() {
        assert_eq!(calculated(&[(0, "=SUM(C2:C5)")]), Effective::Number(439.5));
        assert_eq!(
            calculated(&[(0, "=sum( C2, C3 )")]),
            Effective::Number(139.5)
        );
        assert_eq!(calculated(&[(0, "=SUM(A:A)")]), Effective::Number(0.0));
        assert_eq!(
            calculated(&[(0, "='It''s R/D'!A2")]),
            Effective::Text("Loom".to_owned())
        );
        assert_eq!(
            calculated(&[(0, "=I2"), (1, "=C7")]),
            Effective::Number(439.5)
        );
        assert_eq!(calculated(&[(0, "=Z1")]), Effective::Number(0.0));
    }

    #[test]
    fn circles_and_missing_sheets_are_errors() {
        assert_eq!(calculated(&[(0, "=I1")]), CIRCLE);
        assert_eq!(calculated(&[(0, "=SUM(I1:I2)")]), CIRCLE);
        assert_eq!(calculated(&[(0, "=Nope!A1")]), NO_RANGE);
    }

    #[test]
    fn other_formulas_are_refused() {
        for text in [
            "=",
            "=1+1",
            "=AVERAGE(A1:A2)",
            "=SUM(A1+1)",
            "=IMPORTXML(\"x\",\"y\")",
            "=A:A",
            "=SUM(1)",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }

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
