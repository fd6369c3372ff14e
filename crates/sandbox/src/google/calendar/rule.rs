//! Recurrence rules (RFC 5545, 3.3.10) and the days on which they fall. This module refuses what the `rrule` crate
//! would wrongly accept. The occurrences handle times of the day and the end of a rule.

use jiff::{Timestamp, civil::Date};
use rrule::{RRuleError, RRuleSet, ValidationError};

/// A rule is followed for this many years after its first day, because it may never end.
const MAX_YEARS: i16 = 100;

/// A parsed rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// The rule without its end.
    text: String,
    pub(super) until: Option<Until>,
}

/// The end of a rule: its last day, or its last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    Day(Date),
    Time(Timestamp),
}

/// Why a rule isn't supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleError {
    /// It isn't a rule.
    Invalid,
    /// Google accepts it, but the sandbox doesn't.
    Unsupported,
}

impl Rule {
    /// Parses the text after `RRULE:`.
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let allowed = |letter: char| {
            letter.is_ascii_uppercase() || letter.is_ascii_digit() || "=;,+-".contains(letter)
        };
        if !text.chars().all(allowed) {
            return Err(RuleError::Invalid);
        }
        let parts = text.split(';').map(|part| part.split_once('='));
        let mut parts = parts
            .collect::<Option<Vec<_>>>()
            .ok_or(RuleError::Invalid)?;
        let has = |name: &str| parts.iter().any(|(key, _)| *key == name);
        if has("COUNT") && has("UNTIL") {
            return Err(RuleError::Invalid);
        }
        let by_month_or_year =
            text.contains("FREQ=MONTHLY") || (text.contains("FREQ=YEARLY") && !has("BYWEEKNO"));
        for (key, value) in &parts {
            match *key {
                "FREQ" if matches!(*value, "HOURLY" | "MINUTELY" | "SECONDLY") => {
                    return Err(RuleError::Unsupported);
                }
                "BYHOUR" | "BYMINUTE" | "BYSECOND" => return Err(RuleError::Unsupported),
                "BYDAY"
                    if value
                        .split(',')
                        .all(|day| is_weekday(day, by_month_or_year)) => {}
                "BYDAY" | "BYWEEKDAY" => return Err(RuleError::Invalid),
                _ if value.split(',').any(is_zero) => return Err(RuleError::Invalid),
                _ => {}
            }
        }
        let end = parts
            .iter()
            .position(|(key, _)| *key == "UNTIL")
            .map(|at| parts.remove(at).1);
        let until = end
            .map(|end| until(end).ok_or(RuleError::Invalid))
            .transpose()?;
        let kept: Vec<String> = parts
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let rule = Self {
            text: kept.join(";"),
            until,
        };
        match rule.set(Date::constant(2000, 1, 1)) {
            Ok(_) => Ok(rule),
            // The crate allows a smaller range than the standard's 53.
            Err(RRuleError::ValidationError(ValidationError::InvalidFieldValueRangeWithFreq {
                field,
                ..
            })) if field == "BYDAY" => Err(RuleError::Unsupported),
            Err(_) => Err(RuleError::Invalid),
        }
    }

    /// The days on which the rule falls, in order from the first one. The days are bounded, because a rule may never
    /// end, or never fit.
    pub(super) fn days(self, first: Date) -> impl Iterator<Item = Date> {
        let set = self.set(first).ok().map(RRuleSet::limit);
        let days = set.into_iter().flat_map(|set| set.into_iter());
        days.map_while(|day| Timestamp::from_second(day.timestamp()).ok())
            .map(|day| day.to_zoned(jiff::tz::TimeZone::UTC).date())
            .take_while(move |day| day.year() - first.year() <= MAX_YEARS)
    }

    fn set(&self, first: Date) -> Result<RRuleSet, RRuleError> {
        let first = first.strftime("%Y%m%d");
        format!("DTSTART:{first}T000000Z\nRRULE:{}", self.text).parse()
    }
}

/// No part allows an empty value or zero.
fn is_zero(value: &str) -> bool {
    value.trim_start_matches(['+', '-', '0']).is_empty()
}

/// Whether this is a weekday. With `with_position`, it may have a position in the month or the year.
fn is_weekday(text: &str, with_position: bool) -> bool {
    let Some((position, _)) = text
        .len()
        .checked_sub(2)
        .and_then(|at| text.split_at_checked(at))
    else {
        return false;
    };
    position.is_empty()
        || (with_position
            && position
                .parse()
                .is_ok_and(|position: i8| position != 0 && (-53..=53).contains(&position)))
}

/// Parses `20260501` or `20260501T090000Z`. Like Google, it treats a time without `Z` as UTC.
pub(super) fn until(text: &str) -> Option<Until> {
    match text.split_once('T') {
        None => Date::strptime("%Y%m%d", text).ok().map(Until::Day),
        Some(_) => {
            let text = text.strip_suffix('Z').unwrap_or(text);
            let local = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%S", text).ok()?;
            local
                .to_zoned(jiff::tz::TimeZone::UTC)
                .ok()
                .map(|seen| Until::Time(seen.timestamp()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the rule has a count, it must fall on no other days.
    #[track_caller]
    fn check(first: &str, rule: &str, days: &[&str]) {
        let parsed = Rule::parse(rule).unwrap();
        let days_found = parsed.days(first.parse().unwrap()).take(days.len() + 1);
        let mut found: Vec<String> = days_found.map(|day| day.to_string()).collect();
        if !rule.contains("COUNT") {
            found.truncate(days.len());
        }
        assert_eq!(found, days, "{rule}");
    }

    #[test]
    fn rules_fall_on_days() {
        check(
            "2026-05-04",
            "FREQ=DAILY;COUNT=3",
            &["2026-05-04", "2026-05-05", "2026-05-06"],
        );
        check(
            "2026-05-04",
            "FREQ=DAILY;INTERVAL=10;COUNT=2",
            &["2026-05-04", "2026-05-14"],
        );
        check(
            "2026-05-01",
            "FREQ=DAILY;BYDAY=MO,TU;COUNT=3",
            &["2026-05-04", "2026-05-05", "2026-05-11"],
        );
        check(
            "2026-05-06",
            "FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=4",
            &["2026-05-06", "2026-05-08", "2026-05-11", "2026-05-13"],
        );
        check(
            "2026-05-05",
            "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU;COUNT=4",
            &["2026-05-05", "2026-05-17", "2026-05-19", "2026-05-31"],
        );
        check(
            "2026-01-31",
            "FREQ=MONTHLY;COUNT=3",
            &["2026-01-31", "2026-03-31", "2026-05-31"],
        );
        check(
            "2026-05-05",
            "FREQ=MONTHLY;BYDAY=1TU;COUNT=3",
            &["2026-05-05", "2026-06-02", "2026-07-07"],
        );
        check(
            "2026-05-01",
            "FREQ=MONTHLY;BYMONTHDAY=-1,15;COUNT=3",
            &["2026-05-15", "2026-05-31", "2026-06-15"],
        );
        check(
            "2026-05-01",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2",
            &["2026-05-29", "2026-06-30"],
        );
        check(
            "2024-02-29",
            "FREQ=YEARLY;COUNT=2",
            &["2024-02-29", "2028-02-29"],
        );
        check(
            "2026-05-25",
            "FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=2",
            &["2026-05-25", "2027-05-31"],
        );
        check(
            "2026-12-26",
            "FREQ=YEARLY",
            &["2026-12-26", "2027-12-26", "2028-12-26"],
        );
        check(
            "2026-01-01",
            "FREQ=YEARLY;BYYEARDAY=-1;COUNT=2",
            &["2026-12-31", "2027-12-31"],
        );
        check(
            "1997-05-12",
            "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3",
            &["1997-05-12", "1998-05-11", "1999-05-17"],
        );
    }

    #[test]
    fn a_yearly_rule_counts_through_the_whole_year() {
        check(
            "1997-05-19",
            "FREQ=YEARLY;BYDAY=20MO;COUNT=3",
            &["1997-05-19", "1998-05-18", "1999-05-17"],
        );
        check(
            "2026-11-01",
            "FREQ=YEARLY;BYMONTHDAY=1;COUNT=3",
            &["2026-11-01", "2026-12-01", "2027-01-01"],
        );
        check(
            "2026-12-21",
            "FREQ=YEARLY;BYDAY=MO;COUNT=3",
            &["2026-12-21", "2026-12-28", "2027-01-04"],
        );
    }

    #[test]
    fn a_daily_rule_may_name_the_last_day_of_the_month() {
        check(
            "2026-01-01",
            "FREQ=DAILY;BYMONTHDAY=-1;COUNT=2",
            &["2026-01-31", "2026-02-28"],
        );
    }

    #[test]
    fn a_rule_that_never_matches_or_never_ends_is_bounded() {
        let days = |rule| {
            Rule::parse(rule)
                .unwrap()
                .days("2026-01-01".parse().unwrap())
        };
        assert_eq!(days("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30").count(), 0);
        assert_eq!(days("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30").count(), 0);
        assert_eq!(days("FREQ=YEARLY;COUNT=4294967295").count(), 101);
        assert_eq!(days("FREQ=DAILY;INTERVAL=30000").count(), 2);
    }

    #[test]
    fn invalid_rules_are_refused() {
        for text in [
            "",
            "FREQ",
            "FREQ=OFTEN",
            "BYDAY=MO",
            "FREQ=DAILY;COUNT=0",
            "FREQ=DAILY;COUNT=1;UNTIL=20260501",
            "FREQ=DAILY;FREQ=DAILY",
            "FREQ=DAILY;X=1",
            "FREQ=WEEKLY;BYDAY=1MO",
            "FREQ=MONTHLY;BYDAY=54MO",
            "FREQ=MONTHLY;BYDAY=0MO",
            "FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO",
            "FREQ=WEEKLY;BYMONTHDAY=1",
            "FREQ=DAILY;BYMONTH=",
            "FREQ=DAILY;;INTERVAL=1",
            "FREQ=DAILY;INTERVAL=0",
            "FREQ=DAILY\nEXDATE:20260101T000000Z",
            "FREQ=DAILY;UNTIL=20260231",
            "FREQ=MONTHLY;BYMONTHDAY=0",
            "freq=daily",
        ] {
            assert_eq!(Rule::parse(text), Err(RuleError::Invalid), "{text}");
        }
        for text in [
            "FREQ=HOURLY",
            "FREQ=DAILY;BYHOUR=9",
            "FREQ=MONTHLY;BYDAY=-5MO",
        ] {
            assert_eq!(Rule::parse(text), Err(RuleError::Unsupported), "{text}");
        }
    }
}
