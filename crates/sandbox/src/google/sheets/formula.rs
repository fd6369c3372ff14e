//! The two formulas that are supported: `=B2` and `=SUM(B2:B9,C1)`.

use super::range::{self, Area};
use crate::google::{
    ApiError,
    world::files::{Cell, Entered, Format, Spreadsheet},
};

/// Formulas that lead to each other further than this lead in a circle.
const DEEPEST: usize = 64;

/// What a cell comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effective {
    Empty,
    Text(String),
    Number(f64),
    Bool(bool),
    /// Type of the error, what the cell shows, and why.
    Error(&'static str, &'static str, &'static str),
}

const CIRCLE: Effective = Effective::Error("REF", "#REF!", "Circular dependency detected.");
const NO_RANGE: Effective = Effective::Error("REF", "#REF!", "Reference does not exist");

enum Formula<'a> {
    Reference(&'a str),
    Sum(Vec<&'a str>),
}

/// Refuses formulas that are not supported.
pub(super) fn check(text: &str) -> Result<(), ApiError> {
    parse(text).map(drop).ok_or_else(|| {
        ApiError::unimplemented(format!(
            "The sandbox evaluates only =B2 and =SUM(B2:B9), not {text}"
        ))
    })
}

/// The value of a cell, formulas calculated.
pub(super) fn value(spreadsheet: &Spreadsheet, sheet: usize, row: u32, column: u32) -> Effective {
    calculate(spreadsheet, sheet, row, column, 0)
}

/// How a cell is shown: a formula without a format of its own looks like the first cell that it speaks of.
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

/// Texts and booleans within a range count nothing; an error is the sum's.
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

/// Whether it looks like cells, with or without a title: whether they exist is the evaluation's matter.
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
}
