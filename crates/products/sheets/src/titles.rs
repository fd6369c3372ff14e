//! Adds the titles of a spreadsheet's sheets to the error for an unknown range.

use serde_json::Value;
use stead_core::{
    Error,
    similar::did_you_mean,
    tool::{ApiRequest, Io},
};

/// The product's message about an unknown range.
pub(crate) const NO_RANGE: &str = "Unable to parse range";
/// Most titles in the error. A spreadsheet can have hundreds.
const SHOWN: usize = 50;

/// Adds the sheets' titles to an error about an unknown range. If they can't be read, the error doesn't change.
pub(crate) async fn named(io: Io<'_>, spreadsheet: &str, error: Error) -> Error {
    let Some(range) = unknown_range(&error) else {
        return error;
    };
    let request = ApiRequest::get([spreadsheet])
        .query("fields", "sheets.properties.title")
        .query("prettyPrint", false);
    let Ok(response) = io.send(request).await else {
        return error;
    };
    let sheets = response.json_or_null();
    let titles: Vec<&str> = sheets["sheets"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|sheet: &Value| sheet["properties"]["title"].as_str())
        .collect();
    if titles.is_empty() {
        return error;
    }
    let message = format!("{}{}", error.message(), listed(&title_of(&range), &titles));
    error.clone().reclassify(error.kind(), message)
}

/// The range in the product's error.
fn unknown_range(error: &Error) -> Option<String> {
    let said = error.upstream()?.message.as_deref()?;
    let (_, range) = said.split_once(NO_RANGE)?;
    Some(range.trim_start_matches(':').trim().to_owned())
}

/// The sheet's title in a range, or the whole range if it has no separator.
pub(crate) fn title_of(range: &str) -> String {
    let title = range.rsplit_once('!').map_or(range, |(title, _)| title);
    let quoted = title
        .strip_prefix('\'')
        .and_then(|title| title.strip_suffix('\''));
    quoted.map_or_else(|| title.to_owned(), |title| title.replace("''", "'"))
}

/// The titles in the form of a range, with titles similar to the requested one first.
fn listed(asked: &str, titles: &[&str]) -> String {
    let quoted = |title: &str| format!("'{}'", title.replace('\'', "''"));
    let hint = match did_you_mean(asked, titles.iter().copied()) {
        hint if hint.is_empty() || titles.contains(&asked) => String::from("; its sheets are"),
        hint => format!("{hint} Its sheets are"),
    };
    let shown: Vec<String> = titles
        .iter()
        .take(SHOWN)
        .map(|title| quoted(title))
        .collect();
    let more = match titles.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{hint} {}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_its_title() {
        for (range, title) in [
            ("Nope!A1", "Nope"),
            ("'It''s'!A1:B2", "It's"),
            ("'a!b'!A1", "a!b"),
            ("Nope", "Nope"),
        ] {
            assert_eq!(title_of(range), title);
        }
    }

    #[test]
    fn the_nearest_title_comes_first() {
        assert_eq!(
            listed("Plann", &["Plan", "It's"]),
            "; did you mean Plan? Its sheets are 'Plan', 'It''s'"
        );
        assert_eq!(listed("Plan", &["Plan"]), "; its sheets are 'Plan'");
        assert_eq!(listed("weather", &["Plan"]), "; its sheets are 'Plan'");
        assert!(listed("x", &["y"; 60]).ends_with(" and 10 more"));
    }
}
