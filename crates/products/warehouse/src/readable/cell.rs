//! Converts values, which the product returns as text, to their types (SQL API, "Getting the data from the results").

use jiff::{SignedDuration, Timestamp, civil, tz};
use serde::de::IgnoredAny;
use serde_json::Value;
use stead_core::tool::numbers::{as_texts, is_exact};

/// The value in its column's type, or the unchanged text if it isn't of that type.
pub(super) fn decoded(value: &Value, column: &Value) -> Value {
    let (Some(text), Some(kind)) = (value.as_str(), column["type"].as_str()) else {
        return value.clone();
    };
    let read = match kind.to_ascii_lowercase().as_str() {
        "fixed" => fixed(text),
        "real" if is_exact(text) => text.parse::<f64>().ok().map(Value::from),
        "boolean" => boolean(text),
        "date" => date(text).map(|date| date.to_string().into()),
        "time" => time(text).map(|time| time.to_string().into()),
        "timestamp_ntz" => instant(text).map(|at| civil_of(at).to_string().into()),
        "timestamp_ltz" => instant(text).map(|at| at.to_string().into()),
        "timestamp_tz" => with_offset(text).map(Value::from),
        "variant" | "object" | "array" => json(text),
        // The other formats for a location are well-known text and hexadecimal.
        "geography" | "geometry" | "map" | "vector" => json(text).filter(|read| !read.is_number()),
        _ => None,
    };
    match read {
        None | Some(Value::Null) => value.clone(),
        Some(read) => read,
    }
}

/// A number, or the text if a JSON reader would lose digits.
fn fixed(text: &str) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>() {
        return is_safe(text).then(|| number.into());
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_exact = digits <= 15 && text.contains('.');
    is_exact.then(|| text.parse::<f64>().ok().map(Value::from))?
}

/// A JSON value. Numbers stay texts if a JSON reader would lose digits.
fn json(text: &str) -> Option<Value> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    serde_json::from_str(&as_texts(text, is_safe)).ok()
}

/// Whether a JSON reader that only has doubles keeps all digits of a number.
fn is_safe(number: &str) -> bool {
    let is_whole = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_small = |whole: i64| whole.unsigned_abs() <= 1 << 53;
    match is_whole {
        true => number.parse().is_ok_and(is_small),
        false => is_exact(number),
    }
}

fn boolean(text: &str) -> Option<Value> {
    match text {
        "true" | "TRUE" | "1" => Some(true.into()),
        "false" | "FALSE" | "0" => Some(false.into()),
        _ => None,
    }
}

/// Days since 1970.
fn date(text: &str) -> Option<civil::Date> {
    let days = SignedDuration::from_hours(text.parse::<i32>().ok().map(i64::from)? * 24);
    civil::date(1970, 1, 1).checked_add(days).ok()
}

/// Seconds since midnight, with a fraction.
fn time(text: &str) -> Option<civil::Time> {
    let since = seconds(text).filter(|since| !since.is_negative())?;
    (since.as_secs() < 86_400).then(|| civil::Time::midnight().wrapping_add(since))
}

/// Seconds since 1970, with a fraction.
fn instant(text: &str) -> Option<Timestamp> {
    Timestamp::UNIX_EPOCH.checked_add(seconds(text)?).ok()
}

fn civil_of(at: Timestamp) -> civil::DateTime {
    tz::Offset::UTC.to_datetime(at)
}

/// Seconds since 1970, and the minutes of the offset plus 1,440.
fn with_offset(text: &str) -> Option<String> {
    let (at, minutes) = text.split_once(' ')?;
    let minutes = minutes.parse::<i32>().ok()?.checked_sub(1_440)?;
    let offset = tz::Offset::from_seconds(minutes.checked_mul(60)?).ok()?;
    Some(instant(at)?.display_with_offset(offset).to_string())
}

/// Parses seconds such as `1616173619.000000000`.
fn seconds(text: &str) -> Option<SignedDuration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let nanos: i32 = is_plain.then(|| format!("{fraction:0<9}").parse().ok())??;
    let sign = if whole.starts_with('-') { -1 } else { 1 };
    Some(SignedDuration::new(whole.parse().ok()?, sign * nanos))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stead_testkit::cases;

    use super::*;

    #[test]
    fn values_have_the_form_of_their_types() {
        let table = r#"
            fixed => 12 => 12
            FIXED => -1.50 => -1.5
            fixed => 12345678901234567890 => "12345678901234567890"
            fixed => 9007199254740993 => "9007199254740993"
            real => 1.5e3 => 1500.0
            real => NaN => "NaN"
            boolean => true => true
            boolean => 0 => false
            date => 18262 => "2020-01-01"
            date => -1 => "1969-12-31"
            time => 82919.000000000 => "23:01:59"
            timestamp_ntz => 1616173619.000000000 => "2021-03-19T17:06:59"
            timestamp_ltz => 1616173619.5 => "2021-03-19T17:06:59.5Z"
            timestamp_tz => 1616173619.000000000 960 => "2021-03-19T09:06:59-08:00"
            timestamp_ntz => -0.5 => "1969-12-31T23:59:59.5"
            variant => {"a": [1]} => { "a": [1] }
            variant => null => "null"
            variant => {"id":123456789012345678901,"of":[9007199254740993,-1.50],"r":0.1234567890123456789} => { "id": "123456789012345678901", "of": ["9007199254740993", -1.5], "r": "0.1234567890123456789" }
            array => ["1\"", 1e400, 9007199254740992] => ["1\"", "1e400", 9007199254740992]
            object => {"a":007123456789012345678901} => "{\"a\":007123456789012345678901}"
            real => 1.00000000000000000001 => "1.00000000000000000001"
            geography => {"type":"Point","coordinates":[1.5,2]} => { "type": "Point", "coordinates": [1.5, 2] }
            geography => POINT(1.5 2) => "POINT(1.5 2)"
            geometry => 1020 => "1020"
            map => {"1":12345678901234567890} => { "1": "12345678901234567890" }
            VECTOR => [1.5,-2.25] => [1.5, -2.25]
            text => 12 => "12"
            binary => 48656C6C6F => "48656C6C6F"
        "#;
        for [kind, text, expected] in cases(table) {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let column = json!({ "type": kind });
            assert_eq!(decoded(&json!(text), &column), expected, "{kind} {text}");
        }
        let exact = decoded(&json!("0.30000000000000004"), &json!({ "type": "real" }));
        assert_eq!(exact, json!(0.300_000_000_000_000_04));
        assert_eq!(
            decoded(&Value::Null, &json!({ "type": "fixed" })),
            Value::Null
        );
    }

    #[test]
    fn values_that_do_not_fit_their_type_are_unchanged() {
        for kind in [
            "fixed",
            "real",
            "boolean",
            "date",
            "time",
            "timestamp_ntz",
            "timestamp_ltz",
            "timestamp_tz",
            "array",
        ] {
            for text in [
                "",
                "x",
                "-",
                "1.2.3",
                "99999999999999999999.1 x",
                "1e999",
                "0.\u{e9}",
                "2147483647 9",
            ] {
                let cell = decoded(&json!(text), &json!({ "type": kind }));
                assert!(
                    cell == json!(text) || kind == "real" || kind == "timestamp_tz",
                    "{kind} {text}: {cell}"
                );
            }
        }
    }
}
