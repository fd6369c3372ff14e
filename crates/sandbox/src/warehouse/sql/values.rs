//! Values in the forms of the API, of SQLite, of statements and of bindings.
//!
//! SQLite stores dates and times as ISO 8601 texts, so that they compare and sort correctly. The API shows days and
//! seconds since 1970.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime, Time, date},
};
use rusqlite::types::{Value, ValueRef};
use sqlparser::ast::DataType;

use crate::warehouse::{
    account::{Cell, Kind},
    errors::SqlError,
};

const MIDNIGHT: Time = Time::midnight();
const EPOCH: DateTime = date(1970, 1, 1).to_datetime(MIDNIGHT);

/// The type with this name in a statement. `None` if the sandbox doesn't play it.
pub(super) fn kind_of_type(data_type: &DataType) -> Option<Kind> {
    kind_named(&data_type.to_string())
}

/// The same for a text such as `NUMBER(38,2)`.
pub(super) fn kind_named(text: &str) -> Option<Kind> {
    let text = text.to_uppercase();
    let (name, arguments) = text.split_once('(').unwrap_or((&text, ""));
    let scale = arguments.trim_end_matches(')').split_once(',');
    let scale = scale.map_or(Some(0), |(_, scale)| scale.trim().parse().ok())?;
    Some(match name.trim() {
        "NUMBER" | "DECIMAL" | "NUMERIC" | "DEC" => Kind::Fixed(scale),
        "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT" => Kind::Fixed(0),
        "FLOAT" | "FLOAT4" | "FLOAT8" | "DOUBLE" | "DOUBLE PRECISION" | "REAL" => Kind::Real,
        "VARCHAR" | "CHAR" | "CHARACTER" | "STRING" | "TEXT" | "NVARCHAR" => Kind::Text,
        "BOOLEAN" | "BOOL" => Kind::Boolean,
        "BINARY" | "VARBINARY" | "BINARY TEXT" => Kind::Binary,
        "DATE" => Kind::Date,
        "TIME" => Kind::Time,
        "DATETIME" | "TIMESTAMP" | "TIMESTAMP_NTZ" => Kind::TimestampNtz,
        "TIMESTAMP_LTZ" => Kind::TimestampLtz,
        "TIMESTAMP_TZ" => Kind::TimestampTz,
        _ => return None,
    })
}

/// The name of a type. [`kind_named`] reads it.
pub(super) fn name_of(kind: Kind) -> String {
    match kind {
        Kind::Fixed(scale) => format!("NUMBER(38,{scale})"),
        Kind::Real => "FLOAT".to_owned(),
        Kind::Text => "VARCHAR".to_owned(),
        Kind::Boolean => "BOOLEAN".to_owned(),
        Kind::Binary => "BINARY".to_owned(),
        Kind::Date => "DATE".to_owned(),
        Kind::Time => "TIME".to_owned(),
        Kind::TimestampNtz => "TIMESTAMP_NTZ".to_owned(),
        Kind::TimestampLtz => "TIMESTAMP_LTZ".to_owned(),
        Kind::TimestampTz => "TIMESTAMP_TZ".to_owned(),
    }
}

/// The type that an SQLite column declares. [`kind_named`] reads it.
pub(super) fn declared(kind: Kind) -> String {
    match kind {
        // Hexadecimal digits must stay a text.
        Kind::Binary => "BINARY TEXT".to_owned(),
        kind => name_of(kind),
    }
}

/// Converts the API's form of a value to SQLite's.
pub(super) fn stored(kind: Kind, cell: &Cell) -> Value {
    let Some(text) = cell else {
        return Value::Null;
    };
    let moment = |since: Option<SignedDuration>| EPOCH.checked_add(since?).ok();
    let days = || {
        let days: i64 = text.parse().ok()?;
        moment(Some(SignedDuration::from_hours(days.checked_mul(24)?)))
    };
    let iso = match kind {
        Kind::Boolean => return Value::Integer(i64::from(text == "true")),
        Kind::Date => days().map(|moment| moment.date().to_string()),
        Kind::Time => moment(seconds(text)).map(|moment| written_time(moment.time())),
        Kind::TimestampNtz | Kind::TimestampLtz => moment(seconds(text)).map(written),
        _ => None,
    };
    Value::Text(iso.unwrap_or_else(|| text.clone()))
}

/// Converts SQLite's form of a value to the API's.
pub(super) fn shown(kind: Kind, value: ValueRef<'_>) -> Cell {
    let text = match value {
        ValueRef::Null | ValueRef::Blob(_) => return None,
        ValueRef::Integer(number) => match kind {
            Kind::Boolean => (number != 0).to_string(),
            Kind::Fixed(scale) if scale > 0 => format!("{number}.{:0<1$}", "", usize::from(scale)),
            _ => number.to_string(),
        },
        ValueRef::Real(number) => match kind {
            Kind::Fixed(scale) => format!("{number:.0$}", usize::from(scale)),
            Kind::Boolean => (number != 0.0).to_string(),
            _ => number.to_string(),
        },
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
    };
    if !matches!(value, ValueRef::Text(_)) {
        return Some(text);
    }
    let iso = match kind {
        Kind::Date => read_moment(&text).map(|moment| {
            let days = moment.duration_since(EPOCH).as_secs().div_euclid(86_400);
            days.to_string()
        }),
        Kind::Time => text
            .parse::<Time>()
            .ok()
            .map(|time| shown_seconds(time.duration_since(MIDNIGHT))),
        Kind::TimestampNtz | Kind::TimestampLtz => {
            read_moment(&text).map(|moment| shown_seconds(moment.duration_since(EPOCH)))
        }
        _ => None,
    };
    Some(iso.unwrap_or(text))
}

/// Converts a written value to the type of a column or a cast.
pub(super) fn converted(kind: Kind, value: Value) -> Result<Value, SqlError> {
    let text = match (kind, value) {
        (_, Value::Null | Value::Blob(_)) => return Ok(Value::Null),
        (Kind::Fixed(0), Value::Real(number)) if number.abs() < 9e15 => {
            #[expect(clippy::cast_possible_truncation, reason = "it is below 2^53")]
            return Ok(Value::Integer(number.round() as i64));
        }
        (Kind::Fixed(scale), Value::Real(number)) => {
            let rounded = format!("{number:.0$}", usize::from(scale));
            return Ok(Value::Real(rounded.parse().unwrap_or(number)));
        }
        (Kind::Boolean, Value::Integer(number)) => {
            return Ok(Value::Integer(i64::from(number != 0)));
        }
        (
            Kind::Fixed(_) | Kind::Real | Kind::Boolean,
            number @ (Value::Integer(_) | Value::Real(_)),
        ) => {
            return Ok(number);
        }
        (_, Value::Integer(number)) => number.to_string(),
        (_, Value::Real(number)) => number.to_string(),
        (_, Value::Text(text)) => text,
    };
    let read = match kind {
        Kind::Text | Kind::TimestampTz => Some(Value::Text(text.clone())),
        Kind::Binary => text
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then(|| Value::Text(text.to_ascii_uppercase())),
        Kind::Fixed(_) | Kind::Real => number(kind, text.trim()),
        Kind::Boolean => match text.trim().to_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Some(Value::Integer(1)),
            "false" | "f" | "no" | "n" | "off" | "0" => Some(Value::Integer(0)),
            _ => None,
        },
        Kind::Date => read_moment(&text).map(|moment| Value::Text(moment.date().to_string())),
        Kind::Time => text
            .parse::<Time>()
            .ok()
            .map(|time| Value::Text(written_time(time))),
        Kind::TimestampNtz | Kind::TimestampLtz => {
            read_moment(&text).map(|moment| Value::Text(written(moment)))
        }
    };
    read.ok_or_else(|| {
        let (code, state, name) = match kind {
            Kind::Fixed(_) | Kind::Real => ("100038", "22018", "Numeric value"),
            Kind::Boolean => ("100037", "22018", "Boolean value"),
            Kind::Date => ("100040", "22007", "Date"),
            Kind::Time => ("100108", "22007", "Time"),
            Kind::Binary => ("100115", "22000", "Binary value"),
            _ => ("100035", "22007", "Timestamp"),
        };
        SqlError::new(code, state, format!("{name} '{text}' is not recognized"))
    })
}

fn number(kind: Kind, text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse() {
        return Some(Value::Integer(whole));
    }
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())?;
    converted(kind, Value::Real(number)).ok()
}

/// Parses a date, or a date with a time. An offset is converted to UTC.
pub(super) fn read_moment(text: &str) -> Option<DateTime> {
    let text = text.trim();
    let (day, time) = text
        .split_once(['T', ' '])
        .map_or((text, None), |(day, time)| (day, Some(time)));
    let mut parts = day.splitn(3, '-').map(str::parse::<i16>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    let day = Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let Some(time) = time else {
        return Some(day.to_datetime(MIDNIGHT));
    };
    if let Ok(instant) = format!("{day}T{time}").parse::<Timestamp>() {
        return Some(instant.to_zoned(jiff::tz::TimeZone::UTC).datetime());
    }
    Some(day.to_datetime(time.parse().ok()?))
}

/// SQLite's form of a date with a time.
pub(super) fn written(moment: DateTime) -> String {
    format!("{} {}", moment.date(), written_time(moment.time()))
}

fn written_time(time: Time) -> String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    format!(
        "{hour:02}:{minute:02}:{second:02}.{:09}",
        time.subsec_nanosecond()
    )
}

/// Parses seconds with decimals, which is the API's form of a time.
fn seconds(text: &str) -> Option<SignedDuration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let nanoseconds = format!("{decimals:0<9}").get(..9)?.parse::<i32>().ok()?;
    let whole = SignedDuration::from_secs(whole.parse().ok()?);
    whole.checked_add(SignedDuration::from_nanos(i64::from(nanoseconds)))
}

fn shown_seconds(since: SignedDuration) -> String {
    let (seconds, nanoseconds) = (since.as_secs(), since.subsec_nanos());
    if nanoseconds < 0 {
        return format!("{}.{:09}", seconds - 1, nanoseconds + 1_000_000_000);
    }
    format!("{seconds}.{nanoseconds:09}")
}

/// The value of a `?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::warehouse) struct BoundValue {
    pub(in crate::warehouse) kind: Kind,
    pub(in crate::warehouse) cell: Cell,
}

/// The value of a binding, in the form of a result. `None` if there's no such type.
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
        "TIME" => (Kind::Time, nanoseconds),
        "TIMESTAMP_NTZ" => (Kind::TimestampNtz, nanoseconds),
        "TIMESTAMP_LTZ" => (Kind::TimestampLtz, nanoseconds),
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
            format!("{} value '{given}' is not recognized", name_of(kind)),
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

/// Converts nanoseconds to seconds with nine decimals.
fn nanoseconds(text: &str) -> Option<String> {
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
    Some(format!("{} {offset}", nanoseconds(instant)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_values_are_shown_unchanged() {
        for (kind, cell) in [
            (Kind::Date, "20454"),
            (Kind::Date, "-1"),
            (Kind::Time, "82919.000000001"),
            (Kind::TimestampNtz, "1777280400.000000000"),
            (Kind::TimestampLtz, "-1.500000000"),
            (Kind::Text, "it's"),
        ] {
            let stored = stored(kind, &Some(cell.to_owned()));
            assert_eq!(shown(kind, ValueRef::from(&stored)).as_deref(), Some(cell));
        }
        assert_eq!(
            shown(Kind::Fixed(2), ValueRef::Integer(1250)).as_deref(),
            Some("1250.00")
        );
        assert_eq!(
            shown(Kind::Fixed(2), ValueRef::Real(19.9)).as_deref(),
            Some("19.90")
        );
        assert_eq!(
            shown(Kind::Boolean, ValueRef::Integer(1)).as_deref(),
            Some("true")
        );
    }

    #[test]
    fn types_are_named_as_snowflake_names_them() {
        for (text, kind) in [
            ("number(10, 2)", Some(Kind::Fixed(2))),
            ("VARCHAR(20)", Some(Kind::Text)),
            ("timestamp_ntz(9)", Some(Kind::TimestampNtz)),
            ("VARIANT", None),
        ] {
            assert_eq!(kind_named(text), kind, "{text}");
        }
    }

    #[test]
    fn values_are_read_back_in_the_form_of_results() {
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
