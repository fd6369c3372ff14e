//! The database file: whether it is there, whole, of this version, and can be written.

use stead::store::{Inspection, inspect};

use super::{Finding, files};
use crate::target::Database;

pub(super) const CHECK: &str = "database";

pub(super) async fn look(database: &Database) -> Vec<Finding> {
    let file = match database.file() {
        Ok(file) => file,
        Err(failure) => return vec![Finding::of_failure(CHECK, failure, "")],
    };
    let mut findings = files::look(file);
    match inspect(file).await {
        Ok(inspection) => findings.extend(inspected(&inspection)),
        Err(error) => findings.push(Finding::error(
            CHECK,
            error.message(),
            remedy(error.message()),
        )),
    }
    findings
}

fn inspected(inspection: &Inspection) -> Vec<Finding> {
    let Inspection {
        schema,
        known_schema,
        damage,
        unwritable,
        ..
    } = inspection;
    let mut findings = Vec::new();
    if let Some(damage) = damage {
        findings.push(Finding::error(
            CHECK,
            format!("its file is damaged: {damage}"),
            RESTORE,
        ));
    }
    if let Some(why) = unwritable {
        findings.push(Finding::error(
            CHECK,
            format!("nothing can be written: {why}"),
            remedy(why),
        ));
    }
    if schema > known_schema {
        findings.push(Finding::error(
            CHECK,
            format!("a newer Stead has written it: its schema has version {schema}, this one knows up to {known_schema}"),
            "Run the newer Stead; `stead --version` says which one this is.",
        ));
    } else if schema < known_schema {
        findings.push(Finding::warning(
            CHECK,
            format!("its schema has version {schema}; this Stead brings it to {known_schema} when a command other than this one opens it"),
            "Make a copy first: stead backup FILE",
        ));
    }
    if findings.is_empty() {
        let message = format!("it is whole, can be written, and has schema version {schema}");
        findings.push(Finding::ok(CHECK, message));
    }
    findings
}

const RESTORE: &str = "Stop the service and put a backup in its place: docs/guide/operations.md says how. Without a backup, try: sqlite3 FILE .recover";

/// What to do about a database that cannot be opened or written.
fn remedy(why: &str) -> &'static str {
    if why.contains("read-only") {
        "Let the user that runs Stead write to the file and its folder: chown and chmod u+w, or mount -o remount,rw"
    } else if why.contains("damaged") || why.contains("not a SQLite database") {
        RESTORE
    } else if why.contains("locked") || why.contains("busy") {
        "Another program holds it; find it with: lsof FILE"
    } else {
        "Check --database or STEAD_DATABASE, and who owns the file: ls -l FILE"
    }
}
