//! A1 notation.

use std::ops::Range;

use crate::google::{
    ApiError,
    world::files::{Sheet, Spreadsheet},
};

/// A rectangle of cells in a sheet's grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Area {
    /// The index of the sheet in the spreadsheet.
    pub(super) sheet: usize,
    pub(super) rows: Range<u32>,
    pub(super) columns: Range<u32>,
    /// Whether this is one cell or a whole sheet. Written values begin there, and may be larger than the area.
    pub(super) open: bool,
}

/// Why a range can't be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RangeError {
    /// There's no such sheet, name or cell.
    Unknown,
    /// It begins outside of the grid, which has these rows and columns.
    Outside { rows: u32, columns: u32 },
    /// R1C1 notation.
    Unsupported,
}

/// A corner of a range. If a part is missing, it means all.
#[derive(Debug, Clone, Copy)]
struct Corner {
    column: Option<u32>,
    row: Option<u32>,
}

/// Finds the area that a range names. Without a title, it's in the sheet `home`.
pub(super) fn parse(
    spreadsheet: &Spreadsheet,
    home: usize,
    text: &str,
) -> Result<Area, RangeError> {
    if let Some(name) = find_name(spreadsheet, text) {
        return Ok(name);
    }
    let (title, rest) = match split(text)? {
        // Without an exclamation mark, it's cells or otherwise a title.
        (None, _) if corners(text).is_some() => (None, Some(text)),
        (None, _) => (Some(text.to_owned()), None),
        titled => titled,
    };
    let sheet = match title {
        None => home,
        Some(title) => find_sheet(spreadsheet, &title).ok_or(RangeError::Unknown)?,
    };
    let grid = spreadsheet.sheets.get(sheet).ok_or(RangeError::Unknown)?;
    let Some(cells) = rest else {
        return Ok(Area {
            sheet,
            rows: 0..grid.rows,
            columns: 0..grid.columns,
            open: true,
        });
    };
    if is_r1c1(cells) {
        return Err(RangeError::Unsupported);
    }
    let (start, end) = corners(cells).ok_or(RangeError::Unknown)?;
    within(grid, sheet, start, end)
}

/// The same for a request. Without a title, it's in the first sheet. Errors are Google's.
pub(super) fn find(spreadsheet: &Spreadsheet, text: &str) -> Result<Area, ApiError> {
    parse(spreadsheet, 0, text).map_err(|unfit| error(text, &unfit))
}

/// Google's error for a range.
pub(super) fn error(text: &str, unfit: &RangeError) -> ApiError {
    match unfit {
        RangeError::Unknown => ApiError::invalid(format!("Unable to parse range: {text}")),
        RangeError::Outside { rows, columns } => ApiError::invalid(format!(
            "Range ({text}) exceeds grid limits. Max rows: {rows}, max columns: {columns}"
        )),
        RangeError::Unsupported => {
            ApiError::unimplemented("The sandbox does not support R1C1 notation.")
        }
    }
}

/// The A1 notation of a range, with the sheet's title.
pub(super) fn written(sheet: &Sheet, rows: &Range<u32>, columns: &Range<u32>) -> String {
    let title = quoted(&sheet.title);
    let first = format!("{}{}", letters(columns.start), rows.start + 1);
    let last = format!("{}{}", letters(columns.end.saturating_sub(1)), rows.end);
    if first == last {
        format!("{title}!{first}")
    } else {
        format!("{title}!{first}:{last}")
    }
}

/// The letters of a column, which is counted from 0.
pub(super) fn letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut left = column + 1;
    while left > 0 {
        left -= 1;
        letters.push(char::from(
            b'A' + u8::try_from(left % 26).unwrap_or_default(),
        ));
        left /= 26;
    }
    letters.iter().rev().collect()
}

fn quoted(title: &str) -> String {
    let plain = title
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if plain && !title.starts_with(|letter: char| letter.is_ascii_digit()) {
        title.to_owned()
    } else {
        format!("'{}'", title.replace('\'', "''"))
    }
}

fn find_name(spreadsheet: &Spreadsheet, text: &str) -> Option<Area> {
    let named = spreadsheet
        .named_ranges
        .iter()
        .find(|named| named.name.eq_ignore_ascii_case(text))?;
    let sheet = spreadsheet
        .sheets
        .iter()
        .position(|sheet| sheet.id == named.sheet)?;
    Some(Area {
        sheet,
        rows: named.rows.0..named.rows.1,
        columns: named.columns.0..named.columns.1,
        open: false,
    })
}

fn find_sheet(spreadsheet: &Spreadsheet, title: &str) -> Option<usize> {
    let title = title.to_lowercase();
    spreadsheet
        .sheets
        .iter()
        .position(|sheet| sheet.title.to_lowercase() == title)
}

/// Splits a range into its title, if it has one with an exclamation mark or in quotes, and the rest.
fn split(text: &str) -> Result<(Option<String>, Option<&str>), RangeError> {
    let Some(quoted) = text.strip_prefix('\'') else {
        return Ok(match text.rsplit_once('!') {
            Some((title, cells)) => (Some(title.to_owned()), Some(cells)),
            None => (None, None),
        });
    };
    let mut title = String::new();
    let mut rest = quoted;
    loop {
        let (part, behind) = rest.split_once('\'').ok_or(RangeError::Unknown)?;
        title.push_str(part);
        match behind.strip_prefix('\'') {
            Some(more) => {
                title.push('\'');
                rest = more;
            }
            None if behind.is_empty() => return Ok((Some(title), None)),
            None => {
                let cells = behind.strip_prefix('!').ok_or(RangeError::Unknown)?;
                return Ok((Some(title), Some(cells)));
            }
        }
    }
}

/// Parses both corners. For a single cell, they're the same.
fn corners(cells: &str) -> Option<(Corner, Corner)> {
    let Some((start, end)) = cells.split_once(':') else {
        let cell = corner(cells)?;
        return (cell.column.is_some() && cell.row.is_some()).then_some((cell, cell));
    };
    let (start, end) = (corner(start)?, corner(end)?);
    let share = (start.column.is_some() && end.column.is_some())
        || (start.row.is_some() && end.row.is_some());
    share.then_some((start, end))
}

fn corner(text: &str) -> Option<Corner> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let end = text.find(|letter: char| !letter.is_ascii_alphabetic());
    let (letters, rest) = text.split_at(end.unwrap_or(text.len()));
    let digits = rest.strip_prefix('$').unwrap_or(rest);
    if letters.len() > 3 || (letters.is_empty() && digits.is_empty()) {
        return None;
    }
    let column = letters.bytes().fold(0, |column, letter| {
        column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    let row = match digits {
        "" if rest.is_empty() => None,
        digits if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            Some(digits.parse::<u32>().ok()?.checked_sub(1)?)
        }
        _ => return None,
    };
    Some(Corner {
        column: column.checked_sub(1),
        row,
    })
}

/// The rectangle between two corners. The end of the grid cuts it off.
fn within(grid: &Sheet, sheet: usize, start: Corner, end: Corner) -> Result<Area, RangeError> {
    let span = |one: Option<u32>, other: Option<u32>, length: u32| {
        let (one, other) = (one.unwrap_or(0), other.unwrap_or(length.saturating_sub(1)));
        let (first, last) = (one.min(other), one.max(other));
        (first < length).then(|| first..last.saturating_add(1).min(length))
    };
    let rows = span(start.row, end.row, grid.rows);
    let columns = span(start.column, end.column, grid.columns);
    match (rows, columns) {
        (Some(rows), Some(columns)) => Ok(Area {
            sheet,
            open: rows.len() == 1
                && columns.len() == 1
                && start.row == end.row
                && start.column == end.column,
            rows,
            columns,
        }),
        _ => Err(RangeError::Outside {
            rows: grid.rows,
            columns: grid.columns,
        }),
    }
}

fn is_r1c1(cells: &str) -> bool {
    let upper = cells.to_ascii_uppercase();
    upper.split(':').all(|part| {
        let Some((row, column)) = part.strip_prefix('R').and_then(|part| part.split_once('C'))
        else {
            return false;
        };
        !row.is_empty()
            && (row.to_owned() + column)
                .bytes()
                .all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google::world::files::Files;

    fn read(text: &str) -> Result<String, RangeError> {
        let files = Files::seeded();
        let budget = &files.spreadsheets[0];
        let area = parse(budget, 0, text)?;
        Ok(written(
            &budget.sheets[area.sheet],
            &area.rows,
            &area.columns,
        ))
    }

    #[test]
    fn ranges_are_found() {
        for (text, area) in [
            ("A1", "Plan!A1"),
            ("a1:b2", "Plan!A1:B2"),
            ("B2:A1", "Plan!A1:B2"),
            ("$C$2:C5", "Plan!C2:C5"),
            ("A:C", "Plan!A1:C1000"),
            ("2:3", "Plan!A2:Z3"),
            ("B5:B", "Plan!B5:B1000"),
            ("plan!Z999:AB2000", "Plan!Z999:Z1000"),
            ("Plan", "Plan!A1:Z1000"),
            ("'Plan'", "Plan!A1:Z1000"),
            ("'It''s R/D'!B2", "'It''s R/D'!B2"),
            ("It's R/D!B2", "'It''s R/D'!B2"),
            ("Costs", "Plan!C2:C5"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(area), "{text}");
        }
    }

    #[test]
    fn other_ranges_are_refused() {
        for text in [
            "",
            "Nope",
            "Nope!A1",
            "Plan!",
            "Plan!A0",
            "A0",
            "Plan!A",
            "A:5",
            "'Plan!A1",
            "'Plan'A1",
            "Plan!A1:B2:C3",
            "Plan!A1,B2",
            "A1:",
            "Plan!ABCD1",
        ] {
            assert_eq!(read(text), Err(RangeError::Unknown), "{text}");
        }
        let outside = RangeError::Outside {
            rows: 1000,
            columns: 26,
        };
        assert_eq!(read("AA1"), Err(outside));
        assert_eq!(read("Plan!R1C1:R2C2"), Err(RangeError::Unsupported));
    }

    #[test]
    fn columns_have_letters() {
        for (column, text) in [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")] {
            assert_eq!(letters(column), text);
        }
    }
}
