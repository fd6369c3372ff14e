//! Reads how long the product asks clients to wait.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};
use serde_json::Value;
use stead_core::tool::Response;

/// The wait from the header, from `google.rpc.RetryInfo`, or from "Retry after <time>" in the text. Absolute times are
/// relative to the response's `Date`.
pub(crate) fn retry_after(response: &Response, error: &Value, message: &str) -> Option<Duration> {
    let sent = || response.header("date").and_then(http_date);
    let until = |moment: Timestamp| {
        Some(Duration::try_from(moment.duration_since(sent()?)).unwrap_or_default())
    };
    if response.header("retry-after").is_some() {
        return response.retry_after(None);
    }
    let delay = error["details"]
        .as_array()
        .into_iter()
        .flatten()
        .find_map(|detail| detail["retryDelay"].as_str());
    if let Some(delay) = delay.and_then(|delay| delay.strip_suffix('s')) {
        return delay
            .parse()
            .ok()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    }
    let (_, moment) = message.split_once("Retry after ")?;
    moment
        .split([' ', ')', ','])
        .next()?
        .parse()
        .ok()
        .and_then(until)
}

fn http_date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new()
        .parse_timestamp(text.trim())
        .ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    const DATE: (&str, &str) = ("date", "Mon, 04 May 2026 09:00:00 GMT");

    #[track_caller]
    fn check(
        headers: &[(&'static str, &str)],
        error: &Value,
        message: &str,
        expected: Option<u64>,
    ) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let waited = retry_after(&Response::new(429, headers, ""), error, message);
        assert_eq!(waited, expected.map(Duration::from_millis));
    }

    #[test]
    fn the_header_has_priority() {
        check(
            &[("retry-after", "7")],
            &json!({}),
            "Retry after 2026-05-04T09:00:30Z",
            Some(7000),
        );
        check(
            &[DATE, ("retry-after", "Mon, 04 May 2026 09:00:05 GMT")],
            &json!({}),
            "",
            Some(5000),
        );
        check(
            &[("retry-after", "Mon, 04 May 2026 09:00:05 GMT")],
            &json!({}),
            "",
            None,
        );
        check(&[("retry-after", "soon")], &json!({}), "", None);
    }

    #[test]
    fn the_errors_retry_info_is_used_without_a_header() {
        let info = |delay: &str| json!({"details": [null, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]});
        check(&[], &info("1.5s"), "", Some(1500));
        for odd in ["-1s", "1e300s", "NaNs", "s", "1.5"] {
            check(&[], &info(odd), "", None);
        }
    }

    #[test]
    fn the_time_in_the_message_is_used_last() {
        let text = "User-rate limit exceeded.  Retry after 2026-05-04T09:00:30.000Z";
        check(&[DATE], &json!({}), text, Some(30_000));
        check(
            &[("date", "Mon, 04 May 2026 10:00:00 GMT")],
            &json!({}),
            text,
            Some(0),
        );
        // Without the response's date, an absolute time doesn't give a duration.
        check(&[], &json!({}), text, None);
        check(&[DATE], &json!({}), "Retry after a while", None);
    }
}
