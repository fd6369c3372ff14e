//! Finds known names that are similar to an unknown one, for error messages.

use crate::scrub::scrub;

/// Longer names aren't compared, because they're unlikely typos and expensive to compare.
const LONGEST: usize = 100;

/// A name without differences in spelling: `maxResults`, `MAX_RESULTS` and `max-results` are the same.
pub fn spelling(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Up to three similar known names, most similar first.
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.len() > LONGEST {
        return Vec::new();
    }
    let name = spelling(name);
    let mut similar: Vec<(f64, &str)> = known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&spelling(known), &name), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    similar.sort_by(|one, other| other.0.total_cmp(&one.0));
    similar
        .into_iter()
        .take(3)
        .map(|(_, known)| known)
        .collect()
}

/// `; did you mean max_results?`, or nothing if no known name is similar.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match similar(name, known).as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

/// A message that a name is unknown, with similar names and the known ones.
pub fn unknown<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let hint = match did_you_mean(name, known.clone()) {
        hint if hint.is_empty() => String::from("; expected"),
        hint => format!("{hint} Expected"),
    };
    let known: Vec<&str> = known.into_iter().collect();
    let shown = scrub(name, 80);
    format!("{shown:?} isn't known{hint} one of: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["max_results", "page_token", "query", "calendar_id"];

    #[test]
    fn other_spellings_and_typos_are_recognised() {
        for name in ["maxResults", "MAX-RESULTS", "max results", "max_resluts"] {
            assert_eq!(similar(name, KNOWN), ["max_results"], "{name}");
        }
        assert_eq!(
            did_you_mean("pageToken", KNOWN),
            "; did you mean page_token?"
        );
    }

    #[test]
    fn a_name_like_no_other_gets_no_suggestion() {
        for name in ["", "weather", "___", &"query".repeat(100)] {
            assert_eq!(did_you_mean(name, KNOWN), "", "{name}");
        }
    }
}
