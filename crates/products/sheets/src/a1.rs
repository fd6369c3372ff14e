//! Checks A1 notation without the spreadsheet (Sheets API, "Cells": A1 notation).
//!
//! Only the product knows which sheets and named ranges exist. It also accepts more than it documents, such as unquoted
//! titles and R1C1 notation. So this module only refuses a text that can't be a range.

use stead_core::{Error, Result, error::Violation};

/// Refuses a text that can't be a range.
///
/// # Errors
/// Returns a violation at `path`.
pub(crate) fn check_range(path: &str, range: &str) -> Result<()> {
    check(range).map_err(|message| Error::violations(vec![Violation::new(path, "format", message)]))
}

/// Refuses a text that can't be a range.
///
/// # Errors
/// Returns one sentence.
fn check(range: &str) -> Result<(), &'static str> {
    let range = range.trim();
    if range.is_empty() {
        return Err("expected a range such as Sheet1!A1:B2");
    }
    if range == "''" || range.starts_with('!') || range.starts_with("''!") {
        return Err("expected a sheet's title before the exclamation mark");
    }
    if range.ends_with('!') {
        return Err("expected cells after the exclamation mark, such as A1:B2");
    }
    Ok(())
}

/// The ranges of a list, split at commas outside quoted titles.
pub(crate) fn split(ranges: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = ranges;
    loop {
        let start = rest.len() - rest.trim_start().len();
        let title = rest[start..].strip_prefix('\'');
        let after_title = title
            .and_then(end_of_title)
            .map_or(start, |end| start + 1 + end);
        let Some(comma) = rest[after_title..].find(',') else {
            found.push(rest.trim());
            return found;
        };
        let (range, after) = rest.split_at(after_title + comma);
        found.push(range.trim());
        rest = &after[1..];
    }
}

/// The position of the quote that closes a title: the next character is an exclamation mark, a comma or the end. The
/// product accepts an apostrophe within the title, single or doubled.
fn end_of_title(quoted: &str) -> Option<usize> {
    let mut quotes = quoted.match_indices('\'').map(|(at, _)| at).peekable();
    while let Some(at) = quotes.next() {
        let after = quoted[at + 1..].trim_start();
        let closes = after.is_empty() || after.starts_with(['!', ',']);
        if quotes.next_if_eq(&(at + 1)).is_none() && closes {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_every_kind_pass() {
        for range in [
            "A1",
            "A1:B2",
            "A:A",
            "1:2",
            "A5:A",
            "Sheet1",
            "Sheet1!A1:B2",
            "Sheet 1!A1",
            "'Sheet 1'!A1:B2",
            "'It''s'!A1",
            "''''!A1",
            "'Sheet 1'",
            "'a!b'!A1",
            "Kosten/Pläne!A1",
            "'R&D, 日本'!$A$1",
            "Sheet1!R1C1:R2C2",
            "NamedRange",
            "It's!A1",
            "'Jon's_Data'!A1:D5",
            "'Jon's Data'",
            "'tis!A1",
            "Sheet1!A:A",
            "Sheet1!A5:A",
            "'It''s'!1:2",
        ] {
            assert_eq!(check(range), Ok(()), "{range}");
        }
    }

    #[test]
    fn invalid_ranges_are_refused() {
        for (range, says) in [
            ("", "expected a range"),
            ("  ", "expected a range"),
            ("''!A1", "expected a sheet's title"),
            ("''", "expected a sheet's title"),
            ("!A1", "expected a sheet's title"),
            ("Sheet1!", "expected cells"),
            ("'Sheet 1'! ", "expected cells"),
        ] {
            let refused = check(range).unwrap_err();
            assert!(refused.contains(says), "{range}: {refused}");
        }
    }

    #[test]
    fn commas_part_ranges_outside_of_titles() {
        assert_eq!(split("A1:B2"), ["A1:B2"]);
        assert_eq!(split("A1, B2 ,C3"), ["A1", "B2", "C3"]);
        assert_eq!(split("'a,b'!A1,'it''s,'!B2"), ["'a,b'!A1", "'it''s,'!B2"]);
        assert_eq!(split("A1,"), ["A1", ""]);
        assert_eq!(
            split("Bob's list!A1:B2,Sheet2!A1"),
            ["Bob's list!A1:B2", "Sheet2!A1"]
        );
        assert_eq!(
            split("'Jon's, Ada's'!A1 , 'B, C' ,D1"),
            ["'Jon's, Ada's'!A1", "'B, C'", "D1"]
        );
        assert_eq!(split("'tis!A1,It's!B2"), ["'tis!A1", "It's!B2"]);
    }

    proptest::proptest! {
        #[test]
        fn a_title_in_quotes_always_passes_and_is_one(title in "\\PC{1,30}") {
            let range = format!("'{}'!A1", title.replace('\'', "''"));
            proptest::prop_assert_eq!(check(&range), Ok(()));
            proptest::prop_assert_eq!(split(&range), [range.as_str()]);
        }

        #[test]
        fn nothing_panics(range in "['!, A1\\PC]{0,20}") {
            let _ = check(&range);
            proptest::prop_assert_eq!(split(&range).join(",").len() <= range.len(), true);
        }
    }
}
