//! Options for the retention of the history of calls and of events.

use std::time::Duration;

use clap::Args;
use stead_core::environment::Retention;

/// The retention of the history.
#[derive(Debug, Args)]
#[command(next_help_heading = "History")]
pub(crate) struct History {
    /// Days to keep events, and calls that wrote something or failed.
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(..=36_500)
    )]
    history_days: u32,

    /// Hours to keep each read call. After that, Stead only keeps counts by the minute.
    #[arg(
        long,
        value_name = "HOURS",
        default_value_t = 7 * 24,
        value_parser = clap::value_parser!(u32).range(..=876_000)
    )]
    history_read_hours: u32,

    /// Days to keep the counts.
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(..=36_500)
    )]
    history_count_days: u32,

    /// Most bytes for calls in the history. If there are more, Stead deletes the oldest calls, reads first.
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 1 << 30
    )]
    history_bytes: u64,
}

impl History {
    pub(crate) fn retention(&self) -> Retention {
        let mut retention = Retention::FOREVER;
        for (kept, hours) in [
            (&mut retention.executions, self.history_days * 24),
            (&mut retention.events, self.history_days * 24),
            (&mut retention.reads, self.history_read_hours),
            (&mut retention.totals, self.history_count_days * 24),
        ] {
            // The options' ranges keep this from overflowing.
            if let Ok(given) = Duration::from_secs(u64::from(hours) * 3_600).try_into() {
                *kept = given;
            }
        }
        retention.bytes = self.history_bytes;
        retention
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        history: History,
    }

    #[test]
    fn the_history_is_kept_as_the_options_say() {
        let of = |arguments: &[&str]| {
            let arguments = ["command"].iter().chain(arguments);
            Command::try_parse_from(arguments)
                .unwrap()
                .history
                .retention()
        };
        assert_eq!(of(&[]), Retention::default());
        let given = of(&[
            "--history-days=7",
            "--history-read-hours=2",
            "--history-count-days=400",
            "--history-bytes=1000",
        ]);
        let hours = [given.executions, given.events, given.reads, given.totals];
        assert_eq!(hours.map(|kept| kept.as_hours()), [168, 168, 2, 9_600]);
        assert_eq!(given.bytes, 1_000);
    }
}
