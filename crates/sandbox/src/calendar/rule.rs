//! Recurrence rules (RFC 5545, 3.3.10), as far as the sandbox supports them.

use std::collections::BTreeSet;

use jiff::{
    Span, Timestamp, ToSpan as _,
    civil::{Date, Weekday},
};

/// Steps after which a rule is treated as yielding nothing more.
const MAX_STEPS: usize = 20_000;

/// A rule that has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    frequency: Frequency,
    interval: i64,
    count: Option<usize>,
    pub(super) until: Option<Until>,
    /// With a position within the month, such as the second.
    days: Vec<(Option<i8>, Weekday)>,
    month_days: Vec<i8>,
    months: Vec<i8>,
    positions: Vec<i16>,
    week_start: Weekday,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

/// The last moment or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    Day(Date),
    Time(Timestamp),
}

/// Why a rule is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleError {
    /// It is not a rule.
    Invalid,
    /// Google would accept it, the sandbox does not.
    Unsupported,
}

impl Rule {
    /// Reads what follows `RRULE:`.
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let mut rule = Self {
            frequency: Frequency::Daily,
            interval: 1,
            count: None,
            until: None,
            days: Vec::new(),
            month_days: Vec::new(),
            months: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Monday,
        };
        let mut seen = BTreeSet::new();
        for part in text.split(';') {
            let (key, value) = part.split_once('=').ok_or(RuleError::Invalid)?;
            if !seen.insert(key) {
                return Err(RuleError::Invalid);
            }
            rule.set(key, value)?;
        }
        if !seen.contains("FREQ") || (seen.contains("COUNT") && seen.contains("UNTIL")) {
            return Err(RuleError::Invalid);
        }
        let has_position = rule.days.iter().any(|(position, _)| position.is_some());
        let takes_none = matches!(rule.frequency, Frequency::Daily | Frequency::Weekly);
        if has_position && takes_none {
            return Err(RuleError::Invalid);
        }
        Ok(rule)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), RuleError> {
        match key {
            "FREQ" => {
                self.frequency = match value {
                    "DAILY" => Frequency::Daily,
                    "WEEKLY" => Frequency::Weekly,
                    "MONTHLY" => Frequency::Monthly,
                    "YEARLY" => Frequency::Yearly,
                    "HOURLY" | "MINUTELY" | "SECONDLY" => return Err(RuleError::Unsupported),
                    _ => return Err(RuleError::Invalid),
                };
            }
            "INTERVAL" => self.interval = i64::from(positive_number(value)?),
            "COUNT" => self.count = usize::try_from(positive_number(value)?).ok(),
            "UNTIL" => self.until = Some(until(value).ok_or(RuleError::Invalid)?),
            "BYDAY" => self.days = list(value, weekday_with_position)?,
            "BYMONTHDAY" => self.month_days = list(value, |one| signed_number(one, 31))?,
            "BYMONTH" => {
                self.months = list(value, |one| {
                    signed_number(one, 12).filter(|month| *month > 0)
                })?;
            }
            "BYSETPOS" => {
                self.positions = list(value, |one| {
                    one.parse().ok().filter(|position| *position != 0)
                })?;
            }
            "WKST" => self.week_start = weekday(value).ok_or(RuleError::Invalid)?,
            "BYHOUR" | "BYMINUTE" | "BYSECOND" | "BYYEARDAY" | "BYWEEKNO" => {
                return Err(RuleError::Unsupported);
            }
            _ => return Err(RuleError::Invalid),
        }
        Ok(())
    }

    /// The days on which it falls, from the first on, in order. Bounded, since a rule may never end or never
    /// fit.
    pub(super) fn days(self, first: Date) -> impl Iterator<Item = Date> {
        let max = self.count.unwrap_or(MAX_STEPS).min(MAX_STEPS);
        let periods = (0..).map_while(move |turn| self.period(first, turn));
        let days = periods.take(MAX_STEPS).flatten();
        days.filter(move |day| *day >= first).take(max)
    }

    /// The days of one turn: of a day, a week, a month or a year.
    fn period(&self, first: Date, turn: i64) -> Option<Vec<Date>> {
        let step = turn.checked_mul(self.interval)?;
        let days = match self.frequency {
            Frequency::Daily => vec![add(first, Span::new().try_days(step))?],
            Frequency::Weekly => {
                let since = first.weekday().since(self.week_start);
                let start = first.checked_sub(i64::from(since).days()).ok()?;
                let start = add(start, Span::new().try_weeks(step))?;
                let wanted = self.weekdays(first.weekday());
                let week = (0..7).filter_map(|day| start.checked_add(day.days()).ok());
                week.filter(|day| wanted.contains(&day.weekday())).collect()
            }
            Frequency::Monthly => {
                let month = add(first.first_of_month(), Span::new().try_months(step))?;
                self.days_of_month(month, first.day())
            }
            Frequency::Yearly => {
                let year = add(first.first_of_month(), Span::new().try_years(step))?;
                if self.months.is_empty() && self.month_days.is_empty() && self.days.is_empty() {
                    self.days_of_month(year, first.day())
                } else {
                    let own = [first.month()];
                    let months = if self.months.is_empty() {
                        &own[..]
                    } else {
                        &self.months
                    };
                    let months = months
                        .iter()
                        .filter_map(|month| Date::new(year.year(), *month, 1).ok());
                    months
                        .flat_map(|month| self.days_of_month(month, first.day()))
                        .collect()
                }
            }
        };
        Some(self.select_positions(self.filter_days(days)))
    }

    /// The days of a month.
    fn days_of_month(&self, month: Date, default: i8) -> Vec<Date> {
        let length = month.days_in_month();
        let all = (1..=length).filter_map(|day| Date::new(month.year(), month.month(), day).ok());
        if self.month_days.is_empty() && self.days.is_empty() {
            return all.filter(|day| day.day() == default).collect();
        }
        let fits_day = |day: &Date| {
            self.days.is_empty()
                || self.days.iter().any(|(position, weekday)| {
                    *weekday == day.weekday()
                        && position.is_none_or(|position| is_nth_weekday(*day, position))
                })
        };
        let fits_number = |day: &Date| {
            self.month_days.is_empty()
                || self.month_days.iter().any(|wanted| {
                    *wanted == day.day()
                        || i16::from(*wanted) == i16::from(day.day()) - i16::from(length) - 1
                })
        };
        all.filter(fits_day).filter(fits_number).collect()
    }

    /// What limits days besides the frequency that made them.
    fn filter_days(&self, days: Vec<Date>) -> Vec<Date> {
        let daily = self.frequency == Frequency::Daily;
        days.into_iter()
            .filter(|day| self.months.is_empty() || self.months.contains(&day.month()))
            .filter(|day| !daily || self.weekdays(day.weekday()).contains(&day.weekday()))
            .filter(|day| {
                !daily || self.month_days.is_empty() || self.month_days.contains(&day.day())
            })
            .collect()
    }

    fn select_positions(&self, mut days: Vec<Date>) -> Vec<Date> {
        days.sort_unstable();
        days.dedup();
        if self.positions.is_empty() {
            return days;
        }
        let length = i16::try_from(days.len()).unwrap_or(i16::MAX);
        let index = |position: i16| {
            if position > 0 {
                position - 1
            } else {
                length + position
            }
        };
        let wanted: BTreeSet<i16> = self
            .positions
            .iter()
            .map(|position| index(*position))
            .collect();
        let wanted = wanted
            .into_iter()
            .filter_map(|position| usize::try_from(position).ok());
        wanted
            .filter_map(|position| days.get(position).copied())
            .collect()
    }

    fn weekdays(&self, default: Weekday) -> Vec<Weekday> {
        if self.days.is_empty() {
            vec![default]
        } else {
            self.days.iter().map(|(_, day)| *day).collect()
        }
    }
}

fn add(date: Date, span: Result<Span, jiff::Error>) -> Option<Date> {
    date.checked_add(span.ok()?).ok()
}

/// Whether a day is the nth of its weekday in its month, from the end where negative.
fn is_nth_weekday(day: Date, position: i8) -> bool {
    let from_start = (day.day() - 1) / 7 + 1;
    let from_end = (day.days_in_month() - day.day()) / 7 + 1;
    position == from_start || position == -from_end
}

fn list<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, RuleError> {
    text.split(',')
        .map(|one| read(one).ok_or(RuleError::Invalid))
        .collect()
}

fn positive_number(text: &str) -> Result<u32, RuleError> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or(RuleError::Invalid)
}

fn signed_number(text: &str, max: i8) -> Option<i8> {
    text.parse::<i8>()
        .ok()
        .filter(|number| *number != 0 && (-max..=max).contains(number))
}

fn weekday_with_position(text: &str) -> Option<(Option<i8>, Weekday)> {
    let (position, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let position = match position {
        "" => None,
        position => Some(signed_number(position, 5)?),
    };
    Some((position, weekday(day)?))
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

/// `20260501` or `20260501T090000Z`; a time without `Z` is treated as UTC, as Google does.
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

    #[track_caller]
    fn check(first: &str, rule: &str, days: &[&str]) {
        let found: Vec<String> = Rule::parse(rule)
            .unwrap()
            .days(first.parse().unwrap())
            .take(days.len() + 1)
            .map(|day| day.to_string())
            .collect();
        assert_eq!(found[..found.len().min(days.len())], *days, "{rule}");
        assert!(
            rule.contains("COUNT") <= (found.len() == days.len()),
            "{rule}: {found:?}"
        );
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
    }

    #[test]
    fn a_rule_that_never_matches_ends() {
        let never = Rule::parse("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30").unwrap();
        assert_eq!(never.days("2026-01-01".parse().unwrap()).count(), 0);
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
            "FREQ=MONTHLY;BYDAY=9MO",
            "FREQ=DAILY;UNTIL=20260231",
            "FREQ=MONTHLY;BYMONTHDAY=0",
            "freq=daily",
        ] {
            assert_eq!(Rule::parse(text), Err(RuleError::Invalid), "{text}");
        }
        assert_eq!(Rule::parse("FREQ=HOURLY"), Err(RuleError::Unsupported));
        assert_eq!(
            Rule::parse("FREQ=DAILY;BYHOUR=9"),
            Err(RuleError::Unsupported)
        );
    }
}
