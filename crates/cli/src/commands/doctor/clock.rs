//! The clock of this machine, against that of the store and those of products.

use stead::core::environment::{Examination, Probe};

use super::Finding;

const CHECK: &str = "clock";
/// Tokens are refreshed a minute before they end.
const SKEW: u64 = 60;
const REMEDY: &str =
    "Set this machine's clock by the network, such as with: timedatectl set-ntp true";

pub(super) fn look(examination: &Examination) -> Vec<Finding> {
    let mut findings = Vec::new();
    let store = examination.store_ahead.as_secs();
    if store.unsigned_abs() > SKEW {
        let message = format!("the store's clock is {store} s ahead of this machine's");
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
        let side = if ahead > 0 { "ahead of" } else { "behind" };
        let message = format!(
            "this machine's clock is {} s {side} that of {url}",
            ahead.unsigned_abs()
        );
        findings.push(Finding::error(CHECK, message, REMEDY));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            "it agrees with those that could be asked",
        ));
    }
    findings
}
