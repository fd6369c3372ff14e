//! Times and zones.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::Value;

use crate::{
    time::{Moment, end_after, length_of, unmistakable, written},
    zone,
};

/// Takes a time and, after `|`, a zone name. Each is refused, or written in a form that reads back the same.
pub fn timestamps(text: &str) {
    let (time, name) = text.split_once('|').unwrap_or((text, "Europe/Berlin"));
    let zone = zone::named(name);
    if let Some(zone) = &zone {
        let known = zone.iana_name().expect("a name");
        let again = zone::named(known).expect("a zone by its own name");
        assert_eq!(again.iana_name(), Some(known));
    }
    let moment = Moment::parse(time);
    if let Some(instant) = rfc_3339(time) {
        let read = moment.and_then(|moment| moment.instant(&TimeZone::UTC));
        assert_eq!(read.map(|read| read.as_second()), Some(instant), "{time:?}");
    }
    if let Some(moment) = moment {
        let read = Moment::of_edge(&Value::Object(moment.edge(zone.as_ref())));
        assert_eq!(read, Some(moment), "{time:?}");
        in_zone(moment, zone.as_ref().unwrap_or(&TimeZone::UTC));
    }
}

fn in_zone(moment: Moment, zone: &TimeZone) {
    let Some(instant) = moment.instant(zone) else {
        return;
    };
    let seen = written(instant, zone);
    // RFC 3339 has no years before 0.
    assert!(!seen.starts_with('-'), "{seen}");
    let read = seen.parse::<Timestamp>().ok();
    assert_eq!(read, Some(instant), "{seen} is not {instant}");
    if moment.is_day() {
        return;
    }
    let plain = unmistakable(moment, Some(zone));
    assert_eq!(plain.instant(zone), Some(instant), "{moment:?} in {zone:?}");
    let edge = Value::Object(plain.edge(Some(zone)));
    let read = Moment::of_edge(&edge).and_then(|read| read.instant(zone));
    assert_eq!(read, Some(instant), "{edge} in {zone:?}");
    // An hour is an hour, even when the clocks change.
    let hours = SignedDuration::from_hours(3);
    if let Some(end) = end_after(moment, Some(hours), Some(zone)) {
        let end = end.instant(zone).expect("an instant");
        assert_eq!(instant.duration_until(end), hours, "{moment:?} in {zone:?}");
    }
    assert_eq!(length_of(moment, moment), Some(SignedDuration::ZERO));
}

/// Seconds since 1970 of an RFC 3339 time (section 5.6, no leap seconds). Counted here, to be independent of the library.
fn rfc_3339(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse::<i64>().ok()).flatten()
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !marks
        .iter()
        .all(|(at, mark)| text.as_bytes().get(*at) == Some(mark))
    {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..)?;
    let offset = match rest {
        "Z" => 0,
        _ if rest.len() == 6 && rest.as_bytes()[3] == b':' => {
            let sign = match rest.as_bytes()[0] {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            let (hours, minutes) = (number(20, 22)?, number(23, 25)?);
            (hours <= 23 && minutes <= 59).then_some(sign * (60 * hours + minutes))?
        }
        _ => return None,
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [
        31,
        if is_leap { 29 } else { 28 },
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let before = lengths
        .iter()
        .take(usize::try_from(month).ok()?.checked_sub(1)?);
    let length = *lengths.get(usize::try_from(month).ok()? - 1)?;
    let fits = (1..=length).contains(&day) && hour <= 23 && minute <= 59 && second <= 59;
    // With an offset, the first and the last day can be outside the range of instants.
    if !fits || !(1..=9998).contains(&year) {
        return None;
    }
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let days = 365 * (year - 1970) + leaps(year - 1) - leaps(1969) + before.sum::<i64>() + day - 1;
    Some(86_400 * days + 3600 * hour + 60 * (minute - offset) + second)
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    #[test]
    fn a_time_of_long_ago_is_written_as_the_same_instant() {
        // Old offsets had seconds, which RFC 3339 doesn't allow.
        for text in [
            "1890-01-01T00:00:00|Europe/Berlin",
            "1971-06-01T12:00:00|Africa/Monrovia",
        ] {
            timestamps(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_time_is_refused_or_read_unchanged(
            time in "[0-9]{4}-[01][0-9]-[0-3][0-9][Tt ][012][0-9]:[0-5][0-9](:[0-6][0-9](\\.[0-9]{1,9})?)?(Z|[+-][012][0-9]:[0-5][0-9]|)",
            now in "20[0-4][0-9]-(0[1-9]|1[0-2])-(0[1-9]|2[0-8])T0[0-4]:[0-5][0-9]:00(\\+02:00|)",
            zone in "Europe/Berlin|America/New_York|Australia/Lord_Howe|Africa/Monrovia|UTC|x",
            any in any::<String>(),
        ) {
            timestamps(&format!("{time}|{zone}"));
            timestamps(&format!("{now}|{zone}"));
            timestamps(&any);
            timestamps(&format!("{now}|{any}"));
        }
    }
}
