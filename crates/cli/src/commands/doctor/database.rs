//! Checks that the database exists, is intact, has this version's schema, and can be written.

use secrecy::{ExposeSecret as _, SecretString};
use stead::store::{Inspection, PostgresInspection, inspect, inspect_postgres};

use super::{Finding, files};
use crate::target::{Database, Place, RESTORE, is_not_ours, remedy};

pub(super) const CHECK: &str = "database";

pub(super) async fn look(database: &Database) -> Vec<Finding> {
    if let Ok(Some(Place::Server(url))) = database.place() {
        return look_at_server(database, url).await;
    }
    let file = match database.file() {
        Ok(file) => file,
        Err(failure) => return vec![Finding::of_failure(CHECK, failure, "")],
    };
    let looked = inspect(file).await;
    // The files next to another program's database aren't Stead's either.
    let is_other = looked
        .as_ref()
        .is_err_and(|error| is_not_ours(error.message()));
    let mut findings = if is_other {
        Vec::new()
    } else {
        files::look(file)
    };
    match looked {
        Ok(inspection) => findings.extend(inspected(&inspection)),
        Err(error) => {
            let remedy = remedy(error.message()).replace("FILE", &file.display().to_string());
            let message = error.message().replace("the store doesn't respond: ", "");
            findings.push(Finding::error(CHECK, message, remedy));
        }
    }
    findings
}

fn inspected(inspection: &Inspection) -> Vec<Finding> {
    let Inspection {
        schema,
        needed_schema,
        known_schema,
        damage,
        unwritable,
        ..
    } = inspection;
    let mut findings = Vec::new();
    if let Some(damage) = damage {
        findings.push(Finding::error(
            CHECK,
            format!("the file is damaged: {damage}"),
            RESTORE,
        ));
    }
    if let Some(why) = unwritable {
        findings.push(Finding::error(
            CHECK,
            format!("can't write to the database: {why}"),
            remedy(why),
        ));
    }
    findings.extend(other_schema(
        *schema,
        *needed_schema,
        *known_schema,
        "stead backup FILE",
    ));
    if findings.is_empty() {
        let message = format!("intact and writable, schema version {schema}");
        findings.push(Finding::ok(CHECK, message));
    }
    findings
}

async fn look_at_server(database: &Database, url: &SecretString) -> Vec<Finding> {
    let PostgresInspection {
        place,
        schema,
        needed_schema,
        known_schema,
        not_durable,
        ..
    } = match inspect_postgres(url.expose_secret()).await {
        Ok(inspection) => inspection,
        Err(error) => {
            let remedy = "Check --database-url or STEAD_DATABASE_URL, and try it with psql.";
            return vec![Finding::error(CHECK, error.message(), remedy)];
        }
    };
    let mut findings = Vec::from_iter(other_schema(schema, needed_schema, known_schema, "pg_dump"));
    if findings.is_empty() {
        let message = format!("{place}: writable, schema version {schema}");
        findings.push(Finding::ok(CHECK, message));
    }
    if let Some(setting) = not_durable {
        findings.push(Finding::warning(
            "durability",
            format!("the database server has {setting}, so it can lose confirmed writes"),
            "Set it to on. Otherwise a crash of the server can lose new tokens, and users have to reconnect.",
        ));
    }
    if database.lacks_spool() {
        findings.push(Finding::warning(
            "spool",
            "new tokens wait in memory during a database outage, and are lost if the process ends",
            "Set --spool-dir or STEAD_SPOOL_DIR to a folder on a disk that survives a restart.",
        ));
    }
    findings
}

/// The finding if the schema has another version than this program's.
fn other_schema(
    schema: usize,
    needed_schema: usize,
    known_schema: usize,
    copy: &str,
) -> Option<Finding> {
    if needed_schema > known_schema {
        return Some(Finding::error(
            CHECK,
            format!(
                "a newer Stead wrote it: its schema has version {needed_schema}, but this Stead supports up to {known_schema}"
            ),
            "Run the newer Stead. `stead --version` prints the version of this one.",
        ));
    }
    (schema < known_schema).then(|| {
        Finding::warning(
            CHECK,
            format!("its schema has version {schema}; any command except doctor upgrades it to {known_schema}"),
            format!("Back it up first: {copy}"),
        )
    })
}
