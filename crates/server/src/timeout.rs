//! The header `stead-timeout`: how long the caller waits.

use std::time::Duration;

use http::HeaderMap;
use serde_json::{Value, json};
use stead::Error;

use crate::extract::invalid;

pub(crate) const NAME: &str = "stead-timeout";
pub(crate) const DESCRIPTION: &str = "Seconds that the caller waits, such as 2.5: what the call has not sent by then it does not send. It gives no call more time than it has anyway.";
const PATTERN: &str = "^[0-9]{1,6}([.][0-9]{1,3})?$";

/// The schema of its value.
pub(crate) fn schema() -> Value {
    json!({ "type": "string", "pattern": PATTERN })
}

/// How long the caller of a request waits, where it says so.
pub(crate) fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, Error> {
    let mut given = headers.get_all(NAME).iter();
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => read(value.as_bytes()).map(Some).ok_or_else(refusal),
        (Some(_), Some(_)) => Err(refusal()),
    }
}

fn read(value: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str, most| {
        (1..=most).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if !is_number(seconds, 6) || !is_number(fraction, 3) {
        return None;
    }
    let millis = format!("{fraction:0<3}").parse().ok()?;
    let timeout = Duration::from_secs(seconds.parse().ok()?) + Duration::from_millis(millis);
    Some(timeout).filter(|timeout| !timeout.is_zero())
}

fn refusal() -> Error {
    invalid(
        "/stead-timeout",
        "format",
        "the header stead-timeout takes seconds above 0, with at most 3 digits behind a point, such as 2.5",
    )
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use stead::ErrorKind;

    use super::*;

    fn given(values: &[&'static str]) -> Result<Option<Duration>, Error> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(NAME, HeaderValue::from_static(value));
        }
        timeout(&headers)
    }

    #[test]
    fn seconds_are_read_to_the_millisecond() {
        assert_eq!(given(&[]).unwrap(), None);
        for (text, millis) in [("30", 30_000), ("2.5", 2500), ("0.05", 50), ("1.001", 1001)] {
            let expected = Some(Duration::from_millis(millis));
            assert_eq!(given(&[text]).unwrap(), expected, "{text}");
        }
        for wrong in [
            &["0"][..],
            &["0.000"],
            &[""],
            &["1."],
            &[".5"],
            &["1.0001"],
            &["-1"],
            &["1e3"],
            &["5s"],
            &["1234567"],
            &["1", "1"],
        ] {
            let error = given(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{wrong:?}");
        }
    }
}
