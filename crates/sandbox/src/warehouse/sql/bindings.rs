//! Bind variables (SQL API, "Using bind variables in a statement").

use crate::warehouse::{
    account::{Cell, Kind},
    errors::SqlError,
};

/// The value of a `?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::warehouse) struct BoundValue {
    pub(in crate::warehouse) kind: Kind,
    pub(in crate::warehouse) cell: Cell,
}

/// A value of this type as a result shows it; nothing for a type that there is not.
pub(in crate::warehouse) fn bind(
    kind: &str,
    value: Option<&str>,
) -> Option<Result<BoundValue, SqlError>> {
    let (kind, read): (Kind, fn(&str) -> Option<String>) = match kind {
        "FIXED" => (Kind::Fixed(0), fixed),
        "REAL" | "DECFLOAT" => (Kind::Real, |text| {
            text.parse::<f64>().is_ok().then(|| text.to_owned())
        }),
        "TEXT" => (Kind::Text, |text| Some(text.to_owned())),
        "BINARY" => (Kind::Binary, hexadecimal),
        "BOOLEAN" => (Kind::Boolean, |text| {
            matches!(text, "true" | "false").then(|| text.to_owned())
        }),
        "DATE" => (Kind::Date, |text| {
            Some(text.parse::<i64>().ok()?.div_euclid(86_400_000).to_string())
        }),
        "TIME" => (Kind::Time, seconds),
        "TIMESTAMP_NTZ" => (Kind::TimestampNtz, seconds),
        "TIMESTAMP_LTZ" => (Kind::TimestampLtz, seconds),
        "TIMESTAMP_TZ" => (Kind::TimestampTz, with_offset),
        _ => return None,
    };
    let Some(given) = value else {
        return Some(Ok(BoundValue { kind, cell: None }));
    };
    Some(match read(given) {
        Some(text) => Ok(BoundValue {
            kind,
            cell: Some(text),
        }),
        None => Err(SqlError::new(
            "100037",
            "22018",
            format!("{} value '{given}' is not recognized", kind_name(kind)),
        )),
    })
}

fn fixed(text: &str) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole =
        (1..=38).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.to_owned())
}

fn hexadecimal(text: &str) -> Option<String> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| text.to_ascii_uppercase())
}

/// Nanoseconds as seconds with nine decimals.
fn seconds(text: &str) -> Option<String> {
    const BILLION: i64 = 1_000_000_000;
    let nanoseconds: i64 = text.parse().ok()?;
    Some(format!(
        "{}.{:09}",
        nanoseconds.div_euclid(BILLION),
        nanoseconds.rem_euclid(BILLION)
    ))
}

fn with_offset(text: &str) -> Option<String> {
    let (instant, offset) = text.split_once(' ')?;
    let matches = offset
        .parse::<u32>()
        .is_ok_and(|offset| (720..=2280).contains(&offset));
    matches.then_some(())?;
    Some(format!("{} {offset}", seconds(instant)?))
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Fixed(_) | Kind::Real => "Numeric",
        Kind::Boolean => "Boolean",
        Kind::Binary => "Binary",
        Kind::Date => "Date",
        Kind::Time => "Time",
        Kind::Text => "Text",
        Kind::TimestampNtz | Kind::TimestampLtz | Kind::TimestampTz => "Timestamp",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_results_show_them() {
        for (kind, given, shown) in [
            ("FIXED", "-123", "-123"),
            ("BOOLEAN", "true", "true"),
            ("DATE", "1577836800000", "18262"),
            ("TIME", "82919000000000", "82919.000000000"),
            (
                "TIMESTAMP_NTZ",
                "1616173619000000000",
                "1616173619.000000000",
            ),
            (
                "TIMESTAMP_TZ",
                "1616173619000000000 960",
                "1616173619.000000000 960",
            ),
            ("BINARY", "0aff", "0AFF"),
        ] {
            let bound = bind(kind, Some(given)).unwrap().unwrap();
            assert_eq!(bound.cell.as_deref(), Some(shown), "{kind}");
        }
        for (kind, given) in [
            ("FIXED", "1.5"),
            ("FIXED", ""),
            ("BOOLEAN", "yes"),
            ("DATE", "2020-01-01"),
            ("TIMESTAMP_TZ", "1 0"),
        ] {
            assert_eq!(
                bind(kind, Some(given)).unwrap().unwrap_err().code,
                "100037",
                "{kind} {given}"
            );
        }
        assert_eq!(bind("TEXT", None).unwrap().unwrap().cell, None);
        assert_eq!(bind("NUMBER", Some("1")), None);
    }
}
