//! Recurrence lines.

use crate::recurrence::line;

/// A line is either refused with a one-line message, or stays the same when it's read again.
pub fn recurrence(text: &str) {
    match line(text) {
        Err(says) => {
            assert!(
                !says.is_empty() && !says.contains(char::is_control),
                "{says:?}"
            );
        }
        Ok(sent) => {
            assert!(!sent.contains(char::is_control), "{sent:?}");
            assert!(sent.len() <= text.len() + "RRULE:".len(), "{sent:?}");
            assert_eq!(line(&sent).as_ref(), Ok(&sent), "{text:?}");
            let (head, value) = sent.split_once(':').expect("a name");
            let name = head.split(';').next().unwrap_or_default();
            match name {
                "RRULE" | "EXRULE" => rule(value),
                "RDATE" | "EXDATE" => dates(value),
                other => panic!("{other:?} is not a line of a recurrence"),
            }
        }
    }
}

/// Checks a rule by RFC 5545, 3.3.10.
fn rule(value: &str) {
    assert!(
        value.is_ascii() && value == value.to_ascii_uppercase(),
        "{value:?}"
    );
    let parts: Vec<(&str, &str)> = value
        .split(';')
        .filter_map(|part| part.split_once('='))
        .collect();
    assert_eq!(parts.len(), value.split(';').count(), "{value:?}");
    let of = |name: &str| {
        let mut found = parts.iter().filter(|(key, _)| *key == name);
        let first = found.next().map(|(_, value)| *value);
        assert!(found.next().is_none(), "{name} is given twice: {value:?}");
        first
    };
    assert!(
        of("FREQ").is_some_and(|freq| freq.ends_with("LY")),
        "{value:?}"
    );
    assert!(of("COUNT").is_none() || of("UNTIL").is_none(), "{value:?}");
    for name in ["COUNT", "INTERVAL"] {
        let number = of(name).map(|number| number.parse::<u32>());
        assert!(
            number.is_none_or(|number| number.is_ok_and(|number| number > 0)),
            "{value:?}"
        );
    }
    if let Some(until) = of("UNTIL") {
        dates(until);
    }
    if let Some(days) = of("BYMONTHDAY") {
        for day in days.split(',') {
            let day: i32 = day.parse().expect("a number");
            assert!((1..=31).contains(&day.abs()), "{value:?}");
        }
    }
}

/// Checks dates, with or without a time of day.
fn dates(value: &str) {
    for date in value.split(',') {
        let (day, time) = date.split_once('T').unwrap_or((date, "000000"));
        let time = time.strip_suffix('Z').unwrap_or(time);
        assert_eq!((day.len(), time.len()), (8, 6), "{value:?}");
        assert!(
            day.bytes()
                .chain(time.bytes())
                .all(|byte| byte.is_ascii_digit()),
            "{value:?}"
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_line_is_refused_or_unchanged(
            name in "(RRULE|rrule|EXRULE|EXDATE|RDATE;VALUE=DATE|EXDATE;TZID=(UTC|europe/berlin|x)|X)?:?",
            parts in prop::collection::vec("(FREQ|freq|COUNT|UNTIL|INTERVAL|BYDAY|BYMONTHDAY|WKST|X)=(DAILY|weekly|[-+]?[0-9]{1,3}|2026050[0-9](T0[0-9]0000Z?)?|MO|-1FR|1mo,TU)", 0..4),
            any in any::<String>(),
        ) {
            recurrence(&format!("{name}{}", parts.join(";")));
            recurrence(&format!("{name}{any}"));
            recurrence(&any);
        }
    }
}
