//! Checks recurrence lines before they are sent (RFC 5545, 3.3.10 and 3.8.5).

use jiff::civil::{Date, Time};

/// Days of the week.
const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
/// Frequencies.
const FREQUENCIES: [&str; 7] = [
    "SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY",
];

/// The line in the product's form: in upper case, and with `RRULE:` if it's missing.
///
/// # Errors
/// Returns what is wrong, in one sentence.
pub(crate) fn line(text: &str) -> Result<String, String> {
    let text = text.trim();
    let (head, value) = text.split_once(':').unwrap_or(("", text));
    let (name, parameters) = head
        .split_once(';')
        .map_or((head, None), |(name, rest)| (name, Some(rest)));
    let name = name.to_ascii_uppercase();
    match (name.as_str(), parameters) {
        ("" | "RRULE", None) => rule(value).map(|rule| format!("RRULE:{rule}")),
        ("EXRULE", None) => rule(value).map(|rule| format!("EXRULE:{rule}")),
        ("RDATE" | "EXDATE", parameters) => {
            dates(parameters, value)?;
            let parameters = parameters
                .map(|text| format!(";{text}"))
                .unwrap_or_default();
            Ok(format!("{name}{parameters}:{}", value.to_ascii_uppercase()))
        }
        ("DTSTART" | "DTEND", _) => Err(format!(
            "{name} doesn't belong here: use the parameters for start and end"
        )),
        _ => Err(String::from(
            "a line starts with RRULE:, EXRULE:, RDATE or EXDATE",
        )),
    }
}

/// A rule, in upper case.
fn rule(text: &str) -> Result<String, String> {
    // Some people write a semicolon after the last part too, and spaces between the parts.
    let rule: Vec<&str> = text
        .trim()
        .trim_end_matches(';')
        .split(';')
        .map(str::trim)
        .collect();
    let rule = rule.join(";").to_ascii_uppercase();
    let mut seen: Vec<&str> = Vec::new();
    for part in rule.split(';') {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("{part:?} isn't a part of a rule, such as FREQ=WEEKLY"))?;
        if seen.contains(&key) {
            return Err(format!("{key} is given twice"));
        }
        seen.push(key);
        match is_part(key, value) {
            Some(true) => {}
            Some(false) => return Err(format!("{key} doesn't allow {value:?}")),
            None => return Err(format!("{key:?} isn't a part of a rule")),
        }
    }
    if !seen.contains(&"FREQ") {
        return Err(String::from("a rule needs a FREQ"));
    }
    if seen.contains(&"COUNT") && seen.contains(&"UNTIL") {
        return Err(String::from("a rule ends with COUNT or UNTIL, not both"));
    }
    Ok(rule)
}

/// Whether a part allows this value; `None` if the part doesn't exist.
fn is_part(key: &str, value: &str) -> Option<bool> {
    let each = |fits: &dyn Fn(&str) -> bool| value.split(',').all(fits);
    let within = |lowest: u32, highest: u32| {
        each(&|one| number(one).is_some_and(|number| (lowest..=highest).contains(&number)))
    };
    // Negative numbers count from the end of the month or the year.
    let around = |highest: u32| {
        each(&|one| number(unsigned(one)).is_some_and(|number| (1..=highest).contains(&number)))
    };
    Some(match key {
        "FREQ" => FREQUENCIES.contains(&value),
        "INTERVAL" | "COUNT" => number(value).is_some_and(|number| number > 0),
        "UNTIL" => is_date(value),
        "BYSECOND" => within(0, 60),
        "BYMINUTE" => within(0, 59),
        "BYHOUR" => within(0, 23),
        "BYDAY" => each(&is_weekday),
        "BYMONTHDAY" => around(31),
        "BYYEARDAY" | "BYSETPOS" => around(366),
        "BYWEEKNO" => around(53),
        "BYMONTH" => within(1, 12),
        "WKST" => DAYS.contains(&value),
        _ => return None,
    })
}

/// Whether this is a weekday, such as `MO`, `1MO` or `-1FR`.
fn is_weekday(text: &str) -> bool {
    let Some(at) = text
        .len()
        .checked_sub(2)
        .filter(|at| text.is_char_boundary(*at))
    else {
        return false;
    };
    let (place, day) = text.split_at(at);
    DAYS.contains(&day)
        && (place.is_empty()
            || number(unsigned(place)).is_some_and(|place| (1..=53).contains(&place)))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Parses a number that consists of digits only.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn dates(parameters: Option<&str>, value: &str) -> Result<(), String> {
    for parameter in parameters
        .into_iter()
        .flat_map(|parameters| parameters.split(';'))
    {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let known = match key.to_ascii_uppercase().as_str() {
            "TZID" => crate::zone::named(value).is_some(),
            "VALUE" => matches!(value.to_ascii_uppercase().as_str(), "DATE" | "DATE-TIME"),
            _ => false,
        };
        if !known {
            return Err(format!(
                "{parameter:?} isn't allowed; use TZID=<zone>, VALUE=DATE or VALUE=DATE-TIME"
            ));
        }
    }
    match value
        .split(',')
        .find(|date| !is_date(&date.to_ascii_uppercase()))
    {
        None => Ok(()),
        Some(other) => Err(format!(
            "{other:?} isn't a date such as 20260501 or 20260501T090000Z"
        )),
    }
}

/// Whether this is a date or time, such as `20260501`, `20260501T090000` or `20260501T090000Z`.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time.strip_suffix('Z').unwrap_or(time))),
        None => (text, None),
    };
    // Digits only: anything else would become the year -1, which is a valid year.
    let is_date = date.len() == 8 && number(date).is_some() && {
        let (year, month, day) = (part(date, 0..4), part(date, 4..6), part(date, 6..8));
        Date::new(
            year,
            month.try_into().unwrap_or(0),
            day.try_into().unwrap_or(0),
        )
        .is_ok()
    };
    let is_time = time.is_none_or(|time| {
        let (hour, minute, second) = (part(time, 0..2), part(time, 2..4), part(time, 4..6));
        let clock = Time::new(
            hour.try_into().unwrap_or(-1),
            minute.try_into().unwrap_or(-1),
            second.try_into().unwrap_or(-1),
            0,
        );
        time.len() == 6 && clock.is_ok()
    });
    is_date && is_time
}

/// Part of a text as a number; -1 if it isn't one.
fn part(text: &str, range: std::ops::Range<usize>) -> i16 {
    text.get(range)
        .and_then(number)
        .and_then(|number| number.try_into().ok())
        .unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stead_testkit::cases;

    use super::*;

    #[test]
    fn a_rule_gets_its_name() {
        let table = "
            RRULE:FREQ=WEEKLY;BYDAY=MO,WE => RRULE:FREQ=WEEKLY;BYDAY=MO,WE
            FREQ=DAILY;COUNT=10 => RRULE:FREQ=DAILY;COUNT=10
            RRULE:FREQ=DAILY;COUNT=2; => RRULE:FREQ=DAILY;COUNT=2
            FREQ=WEEKLY; BYDAY=MO ; => RRULE:FREQ=WEEKLY;BYDAY=MO
            RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20261231T235959Z => RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20261231T235959Z
            FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;INTERVAL=4;WKST=SU => RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;INTERVAL=4;WKST=SU
            EXRULE:FREQ=WEEKLY;BYDAY=1MO;BYSETPOS=-1 => EXRULE:FREQ=WEEKLY;BYDAY=1MO;BYSETPOS=-1
            EXDATE;TZID=Europe/Berlin:20260501T090000,20260508t090000 => EXDATE;TZID=Europe/Berlin:20260501T090000,20260508T090000
            rdate;VALUE=DATE:20260501 => RDATE;VALUE=DATE:20260501
            EXDATE:20260501T070000Z => EXDATE:20260501T070000Z
        ";
        for [text, sent] in cases(table) {
            assert_eq!(line(text).as_deref(), Ok(sent), "{text}");
        }
        let spaced = line(" rrule:freq=daily ");
        assert_eq!(spaced.as_deref(), Ok("RRULE:FREQ=DAILY"));
    }

    #[test]
    fn wrong_rules_are_refused_with_the_reason() {
        for (text, says) in [
            ("", "isn't a part of a rule"),
            ("every Monday", "isn't a part of a rule"),
            ("RRULE:BYDAY=MO", "needs a FREQ"),
            ("RRULE:FREQ=FORTNIGHTLY", "FREQ doesn't allow"),
            ("RRULE:FREQ=DAILY;FREQ=DAILY", "twice"),
            ("RRULE:FREQ=DAILY;;COUNT=2", "isn't a part of a rule"),
            (";", "isn't a part of a rule"),
            ("RRULE:FREQ=DAILY;COUNT=0", "COUNT doesn't allow"),
            ("RRULE:FREQ=DAILY;COUNT=+1", "COUNT doesn't allow"),
            ("RRULE:FREQ=DAILY;COUNT=5;UNTIL=20261231", "not both"),
            ("RRULE:FREQ=DAILY;UNTIL=2026-12-31", "UNTIL doesn't allow"),
            ("RRULE:FREQ=DAILY;UNTIL=20260230", "UNTIL doesn't allow"),
            (
                "RRULE:FREQ=DAILY;UNTIL=20260228T250000Z",
                "UNTIL doesn't allow",
            ),
            ("RRULE:FREQ=WEEKLY;BYDAY=MONDAY", "BYDAY doesn't allow"),
            ("RRULE:FREQ=WEEKLY;BYDAY=54MO", "BYDAY doesn't allow"),
            ("RRULE:FREQ=WEEKLY;BYDAY=MO,", "BYDAY doesn't allow"),
            (
                "RRULE:FREQ=MONTHLY;BYMONTHDAY=32",
                "BYMONTHDAY doesn't allow",
            ),
            ("RRULE:FREQ=MONTHLY;BYFOO=1", "\"BYFOO\" isn't a part"),
            ("DTSTART:20260501T090000Z", "DTSTART doesn't belong here"),
            (
                "DTEND;TZID=Europe/Berlin:20260501T090000",
                "DTEND doesn't belong here",
            ),
            ("X-RULE:FREQ=DAILY", "starts with RRULE:"),
            ("RRULE;X=1:FREQ=DAILY", "starts with RRULE:"),
            ("EXDATE:2026-05-01", "isn't a date"),
            ("EXDATE:", "isn't a date"),
            ("EXDATE:abcd0501", "isn't a date"),
            ("RDATE:20260501,2\x006 508T090000", "isn't a date"),
            ("RRULE:FREQ=DAILY;UNTIL=ABCD0501", "UNTIL doesn't allow"),
            ("EXDATE;TZID=Berlin:20260501T090000", "isn't allowed"),
            ("RRULE:FREQ=DAILY\r\nATTENDEE:x", "FREQ doesn't allow"),
        ] {
            let said = line(text).unwrap_err();
            assert!(said.contains(says), "{text}: {said}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in "\\PC{0,60}") {
            let _ = line(&text);
        }

        #[test]
        fn accepted_rules_are_one_line_and_stay_unchanged(text in "(RRULE:|EXDATE:|)(FREQ=(DAILY|WEEKLY)|[0-9T]{8,15}Z?)(;(COUNT=[0-9]{1,3}|BYDAY=[-+0-9]{0,2}(MO|FR)))?") {
            if let Ok(sent) = line(&text) {
                prop_assert!(!sent.contains(char::is_control));
                let again = line(&sent);
                prop_assert_eq!(again.as_deref(), Ok(sent.as_str()));
            }
        }
    }
}
