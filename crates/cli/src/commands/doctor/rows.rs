//! Checks the audit log, and finds rows that were written or deleted without the key.

use stead_core::environment::Examination;

use super::Finding;

const CHECK: &str = "audit";
const REMEDY: &str = "Find out who can write to the database, and compare it with a backup. Stead doesn't use a row that it refuses; \
     delete the row, or set it again with Stead.";

pub(super) fn look(examination: &Examination) -> Vec<Finding> {
    let audit = &examination.audit;
    let fault = audit.fault.iter().map(|fault| {
        let message = format!(
            "the audit log is broken at entry {}: {}",
            fault.number, fault.message
        );
        Finding::error(CHECK, message, REMEDY)
    });
    let rows = audit.suspect_rows.iter().map(|row| {
        let message = format!("row {} of the table {}: {}", row.id, row.table, row.message);
        Finding::error(CHECK, message, REMEDY)
    });
    let mut findings: Vec<Finding> = fault.chain(rows).collect();
    if let Some(until) = examination.rows_taken_until {
        findings.push(Finding::warning(
            CHECK,
            format!("rows that were written without the key are accepted until {until:.0}"),
            "Stead accepts them for a day after an upgrade. Upgrade all servers before then.",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            "the log is complete, and every row was written with the key",
        ));
    }
    findings
}
