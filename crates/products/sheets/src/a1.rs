//! A1 notation, as far as it can be judged without the spreadsheet (Sheets API, "Cells": A1 notation).
//!
//! Which sheets and named ranges exist only the product knows, and it takes more than is written down: titles without
//! quotes, R1C1 notation. So only what cannot be a range at all is refused here.

use stead_core::{Error, Result, error::Violation};

/// Refuses what cannot be a range.
///
/// # Errors
/// A violation at `path`.
pub(crate) fn check_range(path: &str, range: &str) -> Result<()> {
    check(range).map_err(|message| Error::violations(vec![Violation::new(path, "format", message)]))
}

/// Says why `range` cannot be a range.
///
/// # Errors
/// One sentence.
fn check(range: &str) -> Result<(), &'static str> {
    if range.trim().is_empty() {
        return Err("expected a range such as Sheet1!A1:B2");
    }
    let mut rest = range.trim_start();
    if let Some(quoted) = rest.strip_prefix('\'') {
        let end = end_of_title(quoted).ok_or(
            "the quote before the sheet's title is not closed; a quote within the title is written twice",
        )?;
        if end == 0 {
            return Err("the sheet's title is empty");
        }
        rest = quoted[end + 1..].trim_start();
        if !rest.is_empty() && !rest.starts_with('!') {
            return Err(
                "expected an exclamation mark after the sheet's title; a quote within the title is written twice",
            );
        }
    }
    if rest.starts_with('!') && rest.len() == range.trim_start().len() {
        return Err("expected a sheet's title before the exclamation mark");
    }
    if rest.trim_end().ends_with('!') {
        return Err("expected cells after the exclamation mark, such as A1:B2");
    }
    Ok(())
}

/// The ranges of a list. Commas separate them, but for those within a quoted title.
pub(crate) fn split(ranges: &str) -> Vec<&str> {
    let mut quoted = false;
    ranges
        .split(|character: char| {
            quoted ^= character == '\'';
            character == ',' && !quoted
        })
        .map(str::trim)
        .collect()
}

/// Where the quote stands that closes a title; two together are a quote within it.
fn end_of_title(quoted: &str) -> Option<usize> {
    let mut quotes = quoted.match_indices('\'').map(|(at, _)| at).peekable();
    while let Some(at) = quotes.next() {
        if quotes.next_if_eq(&(at + 1)).is_none() {
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
        ] {
            assert_eq!(check(range), Ok(()), "{range}");
        }
    }

    #[test]
    fn what_cannot_be_a_range_is_refused() {
        for (range, says) in [
            ("", "expected a range"),
            ("  ", "expected a range"),
            ("'Sheet 1!A1", "not closed"),
            ("'It''s!A1", "not closed"),
            ("'It's'!A1", "expected an exclamation mark"),
            ("''!A1", "empty"),
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
