//! The titles of a spreadsheet's sheets, for the error of a range that it does not have.

use serde_json::Value;
use stead_core::{
    Error,
    similar::did_you_mean,
    tool::{ApiRequest, Io},
};

/// What the product says of a range that it cannot find.
pub(crate) const NO_RANGE: &str = "Unable to parse range";
/// Titles that the error names; a spreadsheet can have hundreds.
const SHOWN: usize = 50;

/// Adds the titles to an error that says that there is no such range. Where they cannot be read it stays as it is.
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

/// The range that the product names in its refusal.
fn unknown_range(error: &Error) -> Option<String> {
    let said = error.upstream()?.message.as_deref()?;
    let (_, range) = said.split_once(NO_RANGE)?;
    Some(range.trim_start_matches(':').trim().to_owned())
}

/// The title in a range; all of it where nothing tells its parts from each other.
pub(crate) fn title_of(range: &str) -> String {
    let title = range.rsplit_once('!').map_or(range, |(title, _)| title);
    let quoted = title
        .strip_prefix('\'')
        .and_then(|title| title.strip_suffix('\''));
    quoted.map_or_else(|| title.to_owned(), |title| title.replace("''", "'"))
}

/// The titles as a range has them, with those first that are like the one that was asked for.
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
