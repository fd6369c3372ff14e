//! Recognises texts that look like another type but are stored as text.

use crate::CellValue;

/// Most digits of a number. The product keeps 15 digits, so anything longer is an id.
const DIGITS: usize = 15;

/// The warning about such texts: the position of the first one and the number of others.
pub(crate) fn stored_as_text(values: &[Vec<CellValue>]) -> Option<String> {
    let mut found = values.iter().enumerate().flat_map(|(row, cells)| {
        let cells = cells.iter().enumerate();
        cells.filter_map(move |(column, cell)| match cell {
            CellValue::Text(text) => Some((row, column, kind(text)?)),
            _ => None,
        })
    });
    let (row, column, kind) = found.next()?;
    let place = format!("/values/{row}/{column}");
    let which = match found.count() {
        0 => format!("{place} looks like {kind} and was"),
        more => format!(
            "{place} looks like {kind}, and {more} more texts look like other types; they were"
        ),
    };
    Some(format!(
        "{which} stored as text; write numbers as JSON numbers, or set value_input_option to USER_ENTERED to read texts as if the user typed them"
    ))
}

/// The type that a text looks like. Digits after a leading zero or a plus are part of an id or a phone number.
fn kind(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.len() > 1 && text.starts_with('=') {
        Some("a formula")
    } else if is_number(text) {
        Some("a number")
    } else if is_date(text) {
        Some("a date")
    } else {
        None
    }
}

fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let text = text.strip_prefix(['$', '€', '£']).unwrap_or(text);
    let text = text.strip_suffix('%').unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let in_groups = groups.all(|group| group.len() == 3 && digits(group))
        && (!whole.contains(',') || first.len() <= 3);
    let is_padded = first.len() > 1 && first.starts_with('0');
    digits(first) && in_groups && digits(fraction) && !is_padded && text.len() <= DIGITS
}

/// A date with year, month and day in either order, optionally with a time.
fn is_date(text: &str) -> bool {
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    let of = |separator| {
        let numbers: Option<Vec<u32>> =
            day.split(separator).map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some([year, month, day]) if *year >= 1000 => {
                (1..=12).contains(month) && (1..=31).contains(day)
            }
            Some([one, other, year]) => {
                (1..=31).contains(one) && (1..=31).contains(other) && (1000..=9999).contains(year)
            }
            _ => false,
        }
    };
    of('-') || of('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_numbers_and_dates_are_recognised() {
        for (text, expected) in [
            ("=SUM(A1:A9)", Some("a formula")),
            ("7", Some("a number")),
            ("-1,234.50", Some("a number")),
            ("$3.20", Some("a number")),
            ("12%", Some("a number")),
            ("0.5", Some("a number")),
            ("2026-05-04", Some("a date")),
            ("2026-05-04T09:00:00Z", Some("a date")),
            ("5/4/2026", Some("a date")),
            ("", None),
            ("=", None),
            ("007", None),
            ("+491701234567", None),
            ("1234567890123456", None),
            ("1,2", None),
            ("1.2.3", None),
            ("2026-13-04", None),
            ("12-34", None),
            ("Ada", None),
            ("three of 7", None),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_such_text_is_named() {
        let row = |cells: &[&str]| cells.iter().map(|text| CellValue::from(*text)).collect();
        assert_eq!(
            stored_as_text(&[row(&["a"]), vec![CellValue::from(7)]]),
            None
        );
        let said = stored_as_text(&[row(&["a", "7"])]).unwrap();
        assert!(
            said.starts_with("/values/0/1 looks like a number and was stored as text"),
            "{said}"
        );
        let said = stored_as_text(&[row(&["a"]), row(&["=A1", "7", "5/4/2026"])]).unwrap();
        assert!(
            said.starts_with("/values/1/0 looks like a formula, and 2 more"),
            "{said}"
        );
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,20}|[-0-9,./%$=T ]{0,20}") {
            let _ = kind(&text);
        }
    }
}
