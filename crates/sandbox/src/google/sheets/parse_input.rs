//! Reads written values (Sheets API, `ValueInputOption`).

use jiff::civil::Date;
use serde_json::Value;

use super::formula::{self, DAY_ZERO};
use crate::google::{
    ApiError,
    world::files::{Cell, Entered, Format},
};

/// The effect of a written value on a cell.
#[derive(Debug, PartialEq)]
pub(super) enum Change {
    Nothing,
    Clear,
    Put(Cell),
}

/// Reads one value of `values`. Errors name it by its index.
pub(super) fn read(
    value: &Value,
    typed: bool,
    before: Option<&Cell>,
    index: &str,
) -> Result<Change, ApiError> {
    let entered = match value {
        Value::Null => return Ok(Change::Nothing),
        Value::Bool(value) => Entered::Bool(*value),
        Value::Number(number) => Entered::Number(number.as_f64().unwrap_or_default()),
        Value::String(text) if text.is_empty() => return Ok(Change::Clear),
        Value::String(text) if typed => return Ok(Change::Put(as_typed(text)?)),
        Value::String(text) => Entered::Text(text.clone()),
        Value::Array(_) => {
            return Err(ApiError::invalid(format!(
                "Invalid {index}: list_value {value}"
            )));
        }
        Value::Object(_) => {
            return Err(ApiError::invalid(format!(
                "Invalid {index}: struct_value {value}"
            )));
        }
    };
    // A number keeps the format of the value that it replaces.
    let format = match (&entered, before) {
        (Entered::Number(_), Some(before)) => before.format,
        _ => Format::Automatic,
    };
    Ok(Change::Put(Cell { entered, format }))
}

/// Reads a text as if a user had typed it.
fn as_typed(text: &str) -> Result<Cell, ApiError> {
    let plain = |entered: Entered| Cell::from(entered);
    if text.len() > 1 && text.starts_with('=') {
        formula::check(text)?;
        return Ok(plain(Entered::Formula(text.to_owned())));
    }
    if let Some(text) = text.strip_prefix('\'') {
        return Ok(plain(Entered::Text(text.to_owned())));
    }
    let trimmed = text.trim();
    if let Some(value) = truth(trimmed) {
        return Ok(plain(Entered::Bool(value)));
    }
    let known = number(trimmed)
        .map(|number| (number, Format::Automatic))
        .or_else(|| {
            let digits = trimmed.strip_prefix('$')?;
            Some((number(digits)?, Format::Currency))
        })
        .or_else(|| {
            let share = trimmed.strip_suffix('%')?;
            let digits = if share.contains('.') { 2 } else { 0 };
            Some((number(share)? / 100.0, Format::Percent { digits }))
        })
        .or_else(|| Some((day(trimmed)?, Format::Date)));
    Ok(match known {
        Some((number, format)) => Cell {
            entered: Entered::Number(number),
            format,
        },
        None => plain(Entered::Text(text.to_owned())),
    })
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_uppercase().as_str() {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    }
}

/// A number with a sign, a point, an exponent, and commas between thousands.
fn number(text: &str) -> Option<f64> {
    let plain = text.replace(',', "");
    let unsigned = plain.strip_prefix(['-', '+']).unwrap_or(&plain);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    if plain.len() != text.len() && !thousands(text) {
        return None;
    }
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

fn thousands(text: &str) -> bool {
    let whole = text.trim_start_matches(['-', '+']).split('.').next();
    let mut groups = whole.unwrap_or_default().split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3)
}

/// The number of an ISO date.
fn day(text: &str) -> Option<f64> {
    let shaped = text.len() == 10 && text.bytes().filter(|byte| *byte == b'-').count() == 2;
    let date: Date = text.parse().ok().filter(|_| shaped)?;
    Some(f64::from(DAY_ZERO.until(date).ok()?.get_days()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn typed(text: &str) -> (Entered, Format) {
        let cell = as_typed(text).unwrap_or_else(|_| panic!("{text}"));
        (cell.entered, cell.format)
    }

    #[test]
    fn typed_texts_are_understood() {
        for (text, number, format) in [
            ("12", 12.0, Format::Automatic),
            (" -1.5 ", -1.5, Format::Automatic),
            ("1,234.5", 1234.5, Format::Automatic),
            ("1e3", 1000.0, Format::Automatic),
            ("$1.50", 1.5, Format::Currency),
            ("12%", 0.12, Format::Percent { digits: 0 }),
            ("2026-05-04", 46_146.0, Format::Date),
            ("1900-01-01", 2.0, Format::Date),
        ] {
            assert_eq!(typed(text), (Entered::Number(number), format), "{text}");
        }
        for text in [
            "1,23",
            "12,34,567",
            "infinity",
            "nan",
            "12 apples",
            "2026-13-01",
            "=",
            "1-2",
        ] {
            assert_eq!(typed(text).0, Entered::Text(text.to_owned()), "{text}");
        }
        assert_eq!(typed("'007").0, Entered::Text("007".to_owned()));
        assert_eq!(typed("true").0, Entered::Bool(true));
        assert_eq!(typed("=A1").0, Entered::Formula("=A1".to_owned()));
    }

    #[test]
    fn raw_texts_stay_texts() {
        for text in ["=A1", "12", "2026-05-04", "TRUE"] {
            let change = read(&json!(text), false, None, "").unwrap();
            assert_eq!(
                change,
                Change::Put(Entered::Text(text.to_owned()).into()),
                "{text}"
            );
        }
        assert_eq!(read(&json!(null), true, None, "").unwrap(), Change::Nothing);
        assert_eq!(read(&json!(""), false, None, "").unwrap(), Change::Clear);
    }
}
