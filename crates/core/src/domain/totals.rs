//! Totals of calls per minute or hour, process, connection, tool and outcome, with their durations.

use std::{collections::BTreeMap, time::Duration};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Execution, Extra};

/// Upper bounds of the buckets for durations, in milliseconds. One more bucket has the calls above all bounds.
pub(crate) const BOUNDS: [u64; 8] = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];

/// Maximum number of different names in a row. Callers choose names, so further calls are counted without a connection
/// and tool.
const MOST_NAMES: usize = 1_000;

/// The period that a row counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Step {
    #[serde(rename = "minute")]
    Minute,
    #[serde(rename = "hour")]
    Hour,
}

impl Step {
    pub(crate) const fn seconds(self) -> i64 {
        match self {
            Self::Minute => 60,
            Self::Hour => 3_600,
        }
    }

    /// Start of the minute or hour that a time is in.
    pub(crate) fn start(self, moment: Timestamp) -> Timestamp {
        let seconds = moment.as_second().div_euclid(self.seconds()) * self.seconds();
        Timestamp::from_second(seconds).unwrap_or(Timestamp::MIN)
    }
}

/// Calls with the same connection, tool and outcome are counted together.
pub(crate) type Names = (String, String, String);

/// Number of calls, and their durations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Calls per bucket of [`BOUNDS`].
    pub(crate) durations: [u64; BOUNDS.len() + 1],
    /// Total duration in microseconds.
    pub(crate) micros: u64,
}

impl Count {
    pub(crate) fn calls(&self) -> u64 {
        self.durations.iter().sum()
    }

    fn add(&mut self, other: &Self) {
        for (count, more) in self.durations.iter_mut().zip(other.durations) {
            *count += more;
        }
        self.micros = self.micros.saturating_add(other.micros);
    }

    fn of(micros: u64) -> Self {
        let took = Duration::from_micros(micros);
        let bucket = BOUNDS
            .iter()
            .position(|bound| took < Duration::from_millis(*bound));
        let mut durations = [0; BOUNDS.len() + 1];
        durations[bucket.unwrap_or(BOUNDS.len())] = 1;
        Self { durations, micros }
    }
}

/// The calls of one process that ended in one minute, or the calls of all processes in one hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    /// The period that it counts.
    pub(crate) step: Step,
    /// Start of the period.
    pub(crate) start: Timestamp,
    /// Number of the process. Empty for all processes.
    pub(crate) process: String,
    /// The counts.
    #[serde(with = "rows")]
    pub(crate) counts: BTreeMap<Names, Count>,
    /// Members that a newer version wrote.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl Totals {
    pub(crate) fn new(step: Step, start: Timestamp, process: String) -> Self {
        Self {
            step,
            start,
            process,
            counts: BTreeMap::new(),
            extra: Extra::default(),
        }
    }

    /// The totals of these calls, by the minute in which they ended.
    pub(crate) fn of(process: Uuid, calls: &[Execution]) -> Vec<Self> {
        // Calls with the same names share one copy of them.
        let mut counts = BTreeMap::<_, Count>::new();
        for call in calls {
            let took = i64::try_from(call.duration_micros).unwrap_or(i64::MAX);
            let ended = call
                .started_at
                .checked_add(SignedDuration::from_micros(took));
            let start = Step::Minute.start(ended.unwrap_or(call.started_at));
            let names = (&*call.connection_name, &*call.tool, &*call.outcome);
            let count = counts.entry((start, names)).or_default();
            count.add(&Count::of(call.duration_micros));
        }
        let mut minutes = BTreeMap::new();
        for ((start, (connection, tool, outcome)), count) in counts {
            let totals = minutes
                .entry(start)
                .or_insert_with(|| Self::new(Step::Minute, start, process.as_simple().to_string()));
            let names = (connection.into(), tool.into(), outcome.into());
            totals.count(names, &count);
        }
        minutes.into_values().collect()
    }

    /// Adds the counts of other totals.
    pub(crate) fn add(&mut self, other: &Self) {
        for (names, count) in &other.counts {
            self.count(names.clone(), count);
        }
    }

    fn count(&mut self, names: Names, more: &Count) {
        let room = self.counts.len() < MOST_NAMES || self.counts.contains_key(&names);
        let names = if room {
            names
        } else {
            (String::new(), String::new(), names.2)
        };
        self.counts.entry(names).or_default().add(more);
    }
}

/// Serializes counts as short arrays: connection, tool, outcome, calls per bucket, total microseconds.
mod rows {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{BOUNDS, Count, Names};

    type Row = (String, String, String, [u64; BOUNDS.len() + 1], u64);

    pub(super) fn serialize<S: Serializer>(
        counts: &BTreeMap<Names, Count>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(counts.iter().map(|((connection, tool, outcome), count)| {
            (connection, tool, outcome, count.durations, count.micros)
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Names, Count>, D::Error> {
        let rows = Vec::<Row>::deserialize(deserializer)?;
        let rows = rows.into_iter();
        Ok(rows
            .map(|(connection, tool, outcome, durations, micros)| {
                ((connection, tool, outcome), Count { durations, micros })
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{START, execution};

    #[test]
    fn a_call_is_counted_once_in_the_minute_in_which_it_ended() {
        let mut calls = Vec::new();
        for (number, micros) in [0, 9_999, 10_000, 30_000_000, 60_000_000]
            .into_iter()
            .enumerate()
        {
            let mut call = execution(number as u128, "ada", START);
            call.duration_micros = micros;
            calls.push(call);
        }
        calls[1].outcome = "not_found".into();
        let totals = Totals::of(Uuid::nil(), &calls);
        let starts: Vec<_> = totals.iter().map(|totals| totals.start).collect();
        assert_eq!(starts, [START, START + Duration::from_secs(60)]);
        let names = |outcome: &str| {
            (
                String::from("demo"),
                String::from("demo_read_note"),
                outcome.into(),
            )
        };
        let ok = totals[0].counts[&names("ok")];
        assert_eq!(ok.durations, [1, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((ok.calls(), ok.micros), (3, 30_010_000));
        assert_eq!(totals[0].counts[&names("not_found")].calls(), 1);
        assert_eq!(totals[1].counts[&names("ok")].durations[BOUNDS.len()], 1);
    }

    #[test]
    fn names_that_are_too_many_are_counted_together() {
        let calls: Vec<_> = (0..2 * MOST_NAMES)
            .map(|number| {
                let mut call = execution(number as u128, "ada", START);
                call.tool = format!("tool-{number}").into();
                call
            })
            .collect();
        let totals = &Totals::of(Uuid::nil(), &calls)[0];
        assert_eq!(totals.counts.len(), MOST_NAMES + 1);
        let calls: u64 = totals.counts.values().map(Count::calls).sum();
        assert_eq!(calls, 2 * MOST_NAMES as u64);
        let others = (String::new(), String::new(), String::from("ok"));
        assert_eq!(totals.counts[&others].calls(), MOST_NAMES as u64);
    }

    #[test]
    fn totals_read_back_and_add_up() {
        let mut totals = Totals::of(Uuid::nil(), &[execution(1, "ada", START)]).remove(0);
        let text = serde_json::to_string(&totals).unwrap();
        assert!(
            text.contains(r#"["demo","demo_read_note","ok",[1,0,0,0,0,0,0,0,0],0]"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Totals>(&text).unwrap(), totals);
        let before = totals.clone();
        totals.add(&before);
        assert_eq!(totals.counts.values().map(Count::calls).sum::<u64>(), 2);
    }
}
