//! Summarizes the calls of an hour, a day or a week.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use stead::{Error, ErrorKind};
use stead_core::{
    api::Paging,
    resource::{CallDurations, CallTotals, ListConnections},
};

use super::filter::{Calls, Span};
use crate::dashboard::{
    chart::{Bars, Count, Lines},
    page::Page,
    words,
};

/// Maximum number of kinds of failures, and of products, to list.
const LISTED: usize = 6;

#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// The time range, as a query and as a title.
    time: &'static str,
    span: &'static str,
    /// Whether the chart's labels are days.
    by_day: bool,
    calls: u64,
    failed: u64,
    /// The ranges that contain the median and the 99th percentile of the durations.
    half: Option<String>,
    most: Option<String>,
    bars: Bars,
    durations: Lines,
    table: Vec<Row>,
    failures: Vec<Failure>,
    products: Vec<OfProduct>,
}

/// The counts of one bar.
#[derive(Debug, Serialize)]
struct Row {
    start: String,
    calls: u64,
    failed: u64,
    half: Option<String>,
    most: Option<String>,
}

/// Calls that failed in one way.
#[derive(Debug, Serialize)]
struct Failure {
    kind: String,
    summary: &'static str,
    act_by: &'static str,
    calls: u64,
}

/// The calls of a product.
#[derive(Debug, Serialize)]
struct OfProduct {
    name: String,
    title: String,
    calls: u64,
    failed: u64,
}

/// Calls with their durations.
#[derive(Debug, Clone, Default)]
struct Sum {
    good: u64,
    bad: u64,
    durations: Vec<CallDurations>,
}

impl Sum {
    fn add(&mut self, total: &CallTotals) {
        match total.outcome.as_str() {
            "ok" => self.good += total.calls,
            _ => self.bad += total.calls,
        }
        for (index, more) in total.durations.iter().enumerate() {
            match self.durations.get_mut(index) {
                Some(sum) => sum.calls += more.calls,
                None => self.durations.push(*more),
            }
        }
    }

    /// The index of the range that contains this percentile of the durations.
    fn range(&self, percent: u64) -> Option<usize> {
        let all: u64 = self.durations.iter().map(|range| range.calls).sum();
        let mut seen = 0;
        self.durations.iter().position(|range| {
            seen += range.calls;
            all > 0 && seen * 100 >= all * percent
        })
    }

    fn text(&self, percent: u64) -> Option<String> {
        let range = self.range(percent)?;
        let from = range
            .checked_sub(1)
            .and_then(|before| self.durations[before].below_millis);
        Some(match (from, self.durations[range].below_millis) {
            (None, Some(below)) => format!("< {}", time(below)),
            (Some(from), Some(below)) => format!("{} – {}", time(from), time(below)),
            (Some(from), None) => format!("> {}", time(from)),
            (None, None) => return None,
        })
    }

    /// The height of the percentile between 0 and 1: the middle of its range. All ranges are equally high.
    fn height(&self, percent: u64) -> Option<f64> {
        let range = self.range(percent)?;
        Some((range as f64 + 0.5) / self.durations.len() as f64)
    }
}

fn time(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        _ => format!("{} s", millis / 1_000),
    }
}

impl Summary {
    /// Counts the calls that match the filter, as far as totals distinguish them: by connection and tool.
    pub(super) async fn of(page: &Page, filter: &Calls) -> Result<Self, Error> {
        let environment = &page.environment;
        let span = filter.span;
        let since = span.start(environment.runtime().now());
        let totals = page
            .live()
            .totals(span.name(), span.step(), since, span.fresh());
        let totals = totals.await?;
        let connections = environment
            .send(ListConnections::new().page(Paging::new(None, 100)))
            .await?
            .items;
        let product_of: BTreeMap<&str, &str> = connections
            .iter()
            .map(|one| (one.connection_name.as_str(), one.product.as_str()))
            .collect();
        let takes = |asked: &Option<String>, found: &str| {
            asked.as_deref().is_none_or(|asked| asked == found)
        };
        let taken = totals.iter().filter(|total| {
            takes(&filter.connection_name, &total.connection_name)
                && takes(&filter.tool, &total.tool)
        });
        let taken: Vec<&CallTotals> = taken.collect();
        let title = |name: &str| {
            let product = environment.catalogue().product(name);
            product.map_or_else(|| name.to_owned(), |product| product.title.to_owned())
        };
        Ok(Self::count(
            filter.span,
            environment.runtime().now(),
            &taken,
            &product_of,
            title,
        ))
    }

    fn count(
        span: Span,
        now: Timestamp,
        totals: &[&CallTotals],
        product_of: &BTreeMap<&str, &str>,
        title: impl Fn(&str) -> String,
    ) -> Self {
        let (bars, seconds) = span.bars();
        let first = span.start(now).as_second();
        let mut parts = vec![Sum::default(); usize::try_from(bars).unwrap_or_default()];
        let mut all = Sum::default();
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        let mut products: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for total in totals {
            let index = (total.start.as_second() - first).div_euclid(seconds);
            let part = usize::try_from(index).ok();
            let Some(part) = part.and_then(|index| parts.get_mut(index)) else {
                continue;
            };
            part.add(total);
            all.add(total);
            let failed = if total.outcome == "ok" {
                0
            } else {
                total.calls
            };
            if failed > 0 {
                *kinds.entry(&total.outcome).or_default() += failed;
            }
            let product = product_of.get(total.connection_name.as_str());
            let of_product = products.entry(product.copied().unwrap_or_default());
            let (calls, failures) = of_product.or_default();
            *calls += total.calls;
            *failures += failed;
        }
        let start = |index: usize| {
            let second = first + i64::try_from(index).unwrap_or_default() * seconds;
            Timestamp::from_second(second).unwrap_or(now)
        };
        let counts: Vec<Count> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| Count {
                start: start(index),
                good: part.good,
                bad: part.bad,
            })
            .collect();
        let line = |percent| parts.iter().map(|part| part.height(percent)).collect();
        let table = parts.iter().enumerate().map(|(index, part)| Row {
            start: start(index).to_string(),
            calls: part.good + part.bad,
            failed: part.bad,
            half: part.text(50),
            most: part.text(99),
        });
        Self {
            time: span.name(),
            span: span.title(),
            by_day: span == Span::Week,
            calls: all.good + all.bad,
            failed: all.bad,
            half: all.text(50),
            most: all.text(99),
            bars: Bars::new(&counts, SignedDuration::from_secs(seconds)),
            durations: Lines::new(&[line(50), line(99)]),
            table: table.filter(|row| row.calls > 0).collect(),
            failures: failures(kinds),
            products: of_products(products, title),
        }
    }
}

fn failures(kinds: BTreeMap<&str, u64>) -> Vec<Failure> {
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
    let listed = kinds.into_iter().take(LISTED);
    listed
        .map(|(name, calls)| {
            let kind = ErrorKind::from_name(name);
            Failure {
                kind: name.to_owned(),
                summary: words::outcome(name),
                act_by: kind.map_or("", |kind| words::act_by(kind.act_by())),
                calls,
            }
        })
        .collect()
}

fn of_products(
    products: BTreeMap<&str, (u64, u64)>,
    title: impl Fn(&str) -> String,
) -> Vec<OfProduct> {
    let mut products: Vec<_> = products.into_iter().collect();
    products.sort_by_key(|(_, (calls, failed))| std::cmp::Reverse((*failed, *calls)));
    let listed = products.into_iter().take(LISTED);
    listed
        .map(|(name, (calls, failed))| OfProduct {
            name: name.to_owned(),
            title: match name {
                "" => String::from("Unknown connection"),
                _ => title(name),
            },
            calls,
            failed,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Totals of this many calls in a minute. Each took less than 30 ms, except one that took longer than every bound.
    fn totals(start: &str, outcome: &str, calls: u64) -> CallTotals {
        let total = json!({
            "start": start, "seconds": 60, "process": "", "connection_name": "mail", "tool": "t", "outcome": outcome,
            "calls": calls + 1, "duration_micros": 0, "durations": [
                { "below_millis": 10, "calls": 0 }, { "below_millis": 30, "calls": calls }, { "below_millis": null, "calls": 1 },
            ],
        });
        serde_json::from_value(total).unwrap()
    }

    #[test]
    fn calls_are_counted_by_time_and_error() {
        let now: Timestamp = "2026-11-22T10:59:59Z".parse().unwrap();
        let all = [
            totals("2026-11-22T10:00:00Z", "ok", 97),
            totals("2026-11-22T10:59:00Z", "not_found", 0),
            totals("2026-11-22T10:59:00Z", "ok", 0),
            // Before the first bar.
            totals("2026-11-22T09:59:00Z", "ok", 50),
        ];
        let all: Vec<&CallTotals> = all.iter().collect();
        let product_of = BTreeMap::from([("mail", "mail")]);
        let summary = Summary::count(Span::Hour, now, &all, &product_of, str::to_uppercase);
        assert_eq!((summary.calls, summary.failed), (100, 1));
        let ranges = (summary.half.as_deref(), summary.most.as_deref());
        assert_eq!(ranges, (Some("10 ms – 30 ms"), Some("> 30 ms")));
        let rows = summary
            .table
            .iter()
            .map(|row| (row.start.as_str(), row.calls));
        let expected = [("2026-11-22T10:00:00Z", 98), ("2026-11-22T10:59:00Z", 2)];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
        let failure = &summary.failures[0];
        assert_eq!((failure.kind.as_str(), failure.calls), ("not_found", 1));
        let product = &summary.products[0];
        assert_eq!(
            (product.title.as_str(), product.calls, product.failed),
            ("MAIL", 100, 1)
        );
        // Without calls, nothing is drawn and nothing is divided.
        let none = Summary::count(Span::Week, now, &[], &product_of, str::to_owned);
        assert_eq!((none.calls, none.half, none.table.len()), (0, None, 0));
    }
}
