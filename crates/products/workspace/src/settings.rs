//! Settings of a connection: the API version for tools and raw requests.

use http::HeaderValue;
use serde_json::{Map, Value};
use stead_core::{Error, Result, error::Violation, product::DerivedSettings};

use crate::version::{HEADER, SETTING};

/// Reads the settings. They determine the version header of raw requests.
///
/// # Errors
/// Returns [`stead_core::ErrorKind::InvalidRequest`] with the place of each fault.
pub(crate) fn derive(settings: &Map<String, Value>) -> Result<DerivedSettings> {
    let mut violations = Vec::new();
    let mut derived = DerivedSettings::default();
    for (name, value) in settings {
        let place = ["settings", name];
        if name != SETTING {
            let message = "there is no such setting; use one of: workspace_version, rate_limit";
            violations.push(Violation::at(&place, "additionalProperties", message));
        } else if !value.as_str().is_some_and(is_version) {
            let message = "expected an API version, which is a date such as 2025-09-03";
            violations.push(Violation::at(&place, "format", message));
        } else if let Some(Ok(version)) = value.as_str().map(HeaderValue::from_str) {
            derived.headers.push((HEADER, version));
        }
    }
    match violations.is_empty() {
        true => Ok(derived),
        false => Err(Error::invalid(violations)),
    }
}

/// Whether the text has the form of a version, `YYYY-MM-DD`. Only the product knows which ones exist.
fn is_version(text: &str) -> bool {
    let number = |part: &str, length: usize| {
        let digits = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok()).flatten()
    };
    match text.split('-').collect::<Vec<_>>().as_slice() {
        [year, month, day] => {
            number(year, 4).is_some()
                && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
                && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(settings: &Value) -> Vec<(String, String)> {
        let derived = derive(settings.as_object().unwrap());
        let violations =
            derived.map_or_else(|error| error.violation_list().to_vec(), |_| Vec::new());
        violations
            .into_iter()
            .map(|one| (one.path, one.keyword))
            .collect()
    }

    #[test]
    fn a_connection_may_speak_another_version() {
        for settings in [json!({}), json!({"workspace_version": "2025-09-03"})] {
            assert_eq!(places(&settings), [], "{settings}");
            let headers = derive(settings.as_object().unwrap()).unwrap().headers;
            let versions = headers.iter().map(|(_, version)| version.to_str().unwrap());
            let set = settings["workspace_version"].as_str();
            assert_eq!(versions.collect::<Vec<_>>(), Vec::from_iter(set));
        }
        for version in [
            json!("latest"),
            json!("2025-13-03"),
            json!("25-09-03"),
            json!(20250903),
            json!("+025-09-03"),
        ] {
            let expected = (
                "/settings/workspace_version".to_owned(),
                "format".to_owned(),
            );
            assert_eq!(places(&json!({ "workspace_version": version })), [expected]);
        }
        let unknown = (
            "/settings/account".to_owned(),
            "additionalProperties".to_owned(),
        );
        assert_eq!(places(&json!({"account": "a"})), [unknown]);
    }
}
