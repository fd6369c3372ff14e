//! Compares this machine's clock with the store's and the products' clocks.

use stead_core::environment::{Examination, Probe};

use super::Finding;

const CHECK: &str = "clock";
/// Stead refreshes tokens a minute before they expire.
const SKEW: u64 = 60;
const REMEDY: &str = "Synchronize this machine's clock, for example with: timedatectl set-ntp true";

pub(super) fn look(examination: &Examination) -> Vec<Finding> {
    let mut findings = Vec::new();
    let store = examination.store_ahead.as_secs();
    if store.unsigned_abs() > SKEW {
        let side = side(store);
        let message = format!(
            "the database's clock is {} s {side} this machine's clock",
            store.unsigned_abs()
        );
        findings.push(Finding::error(CHECK, message, REMEDY));
    }
    let skews = examination
        .addresses
        .iter()
        .filter_map(|(url, probe)| match probe {
            Probe::Response(_, Some(ahead)) => Some((url, ahead.as_secs())),
            _ => None,
        });
    let wrong = skews.filter(|(_, ahead)| ahead.unsigned_abs() > SKEW);
    if let Some((url, ahead)) = wrong.max_by_key(|(_, ahead)| ahead.unsigned_abs()) {
        let side = side(ahead);
        let message = format!(
            "this machine's clock is {} s {side} the clock of {url}",
            ahead.unsigned_abs()
        );
        findings.push(Finding::error(CHECK, message, REMEDY));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            "in sync with the database and the products that responded",
        ));
    }
    findings
}

fn side(ahead: i64) -> &'static str {
    if ahead > 0 { "ahead of" } else { "behind" }
}
