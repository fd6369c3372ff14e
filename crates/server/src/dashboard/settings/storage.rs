//! Retention of records, and the space that the call history uses.

use axum::response::Response;
use jiff::SignedDuration;
use minijinja::context;

use super::render::render;
use crate::{
    dashboard::{
        page::Page,
        session::Role,
        table::{PageRoute, page},
    },
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "settings/storage.html";

pub(super) const TEMPLATES: &[(&str, &str)] = &[(TEMPLATE, include_str!("storage.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![page("/dashboard/settings/storage", Role::Viewer, show)]
}

async fn show(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    let retention = page.environment.retention();
    let used = page.environment.history_bytes().await?;
    let rows = [
        (
            "Writes and failed calls",
            span(retention.executions),
            "STEAD_HISTORY_DAYS",
        ),
        ("Reads", span(retention.reads), "STEAD_HISTORY_READ_HOURS"),
        (
            "Call statistics",
            span(retention.totals),
            "STEAD_HISTORY_COUNT_DAYS",
        ),
        ("Events", span(retention.events), "STEAD_HISTORY_DAYS"),
    ];
    let context = context! {
        rows => rows,
        used => bytes(used),
        // In thousandths, so that the page has small numbers.
        share => (retention.bytes < u64::MAX).then(|| {
            (u128::from(used) * 1000 / u128::from(retention.bytes.max(1))).min(1000) as u64
        }),
        most => (retention.bytes < u64::MAX).then(|| bytes(retention.bytes)),
    };
    Ok(render(&page, TEMPLATE, context))
}

/// A retention time for people.
fn span(kept: SignedDuration) -> String {
    let hours = kept.as_hours();
    match hours {
        _ if kept >= SignedDuration::from_hours(24 * 36_500) => String::from("forever"),
        1 => String::from("1 hour"),
        24 => String::from("24 hours"),
        hours if hours % 24 == 0 => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}

/// Bytes in a form for people.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} bytes");
    }
    let (mut tenths, mut unit) = (u128::from(count) * 10 / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    match tenths % 10 {
        0 => format!("{} {}", tenths / 10, UNITS[unit]),
        rest => format!("{}.{rest} {}", tenths / 10, UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_as_people_say_them() {
        for (hours, said) in [
            (1, "1 hour"),
            (24, "24 hours"),
            (36, "36 hours"),
            (720, "30 days"),
        ] {
            assert_eq!(span(SignedDuration::from_hours(hours)), said);
        }
        assert_eq!(span(SignedDuration::MAX), "forever");
        for (count, said) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1_600_000, "1.5 MiB"),
            (1 << 30, "1 GiB"),
            (5 << 40, "5 TiB"),
        ] {
            assert_eq!(bytes(count), said, "{count}");
        }
    }
}
