//! Finds suspect rows: those that fail their MAC check, and those that contradict the audit log.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    Result,
    context::Context,
    domain::AuditEntry,
    resource::SuspectRow,
    store::{AUTHENTICATED, Row, RowKeys as _, shown},
};

/// Number of rows read at a time.
const READ: u32 = 500;
/// Maximum number of rows to name.
const NAMED: usize = 100;
/// Tables for which the log records each created and deleted row. The targets of its entries have the same names.
const TOLD: [&str; 5] = [
    "app_credential",
    "member",
    "policy",
    "connection",
    "webhook",
];

/// The log's statements about rows. For each table and ID: the last entry about it, and whether the row exists after
/// that entry.
#[derive(Debug, Default)]
pub(super) struct Told(BTreeMap<(&'static str, String), (u64, bool)>);

impl Told {
    pub(super) fn note(&mut self, entry: &AuditEntry) {
        let exists = match entry.action.rsplit('.').next() {
            Some("created" | "invited" | "set") => true,
            Some("deleted" | "revoked") => false,
            _ => return,
        };
        let mut tables = TOLD.into_iter();
        if let Some(table) = tables.find(|table| *table == entry.target.kind) {
            let id = entry.target.id.clone();
            self.0.insert((table, id), (entry.number, exists));
        }
    }

    /// The rows that another part of the log mentions.
    fn ids(self) -> BTreeSet<(&'static str, String)> {
        self.0.into_keys().collect()
    }
}

/// Finds suspect rows. `told` is what the log says before the rows are read, and `later` returns what it has added
/// after that.
pub(super) async fn suspect_rows<L>(
    context: &Context,
    told: Option<Told>,
    later: impl FnOnce() -> L,
) -> Result<Vec<SuspectRow>>
where
    L: Future<Output = Result<Told>>,
{
    let Some(since) = context.store.vault.rows_since() else {
        return Ok(Vec::new());
    };
    let (mut refused, mut untold) = (Vec::new(), Vec::new());
    let mut gone = told.as_ref().map(existing).unwrap_or_default();
    for table in AUTHENTICATED {
        let mut after = None;
        loop {
            let (rows, next) = context.store.rows(table, after, READ).await?;
            for mut found in rows {
                let id = shown(&found.row);
                let fault = context.store.fault_of(&mut found.row).await?;
                gone.remove(&(table.name, id.clone()));
                if let Some(why) = fault {
                    refused.push(SuspectRow::new(table.name, id, why));
                } else if let Some(told) = &told
                    && let Some(why) = fault_told(told, &found.row, &id, since)
                {
                    untold.push(SuspectRow::new(table.name, id, why));
                }
            }
            after = next;
            if refused.len() + untold.len() >= NAMED {
                gone.clear();
                break;
            }
            if after.is_none() {
                break;
            }
        }
    }
    for ((table, id), number) in gone {
        let why =
            format!("entry {number} says that it exists, but it was deleted without an entry");
        untold.push(SuspectRow::new(table, id, why));
    }
    // Rows that were created or deleted during the read aren't suspect.
    let touched = match untold.is_empty() {
        true => BTreeSet::new(),
        false => later().await?.ids(),
    };
    untold.retain(|row| {
        !touched
            .iter()
            .any(|(table, id)| *table == row.table && *id == row.id)
    });
    refused.extend(untold);
    refused.truncate(NAMED);
    Ok(refused)
}

/// The rows that should exist according to the log, with the entry that says so.
fn existing(told: &Told) -> BTreeMap<(&'static str, String), u64> {
    let existing = told.0.iter().filter(|(_, (_, exists))| *exists);
    existing
        .map(|(row, (number, _))| (row.clone(), *number))
        .collect()
}

/// Returns a reason if an existing row contradicts the log. Rows from before MACs were introduced may be older than the
/// log.
fn fault_told(told: &Told, row: &Row, id: &str, since: Timestamp) -> Option<String> {
    let table = TOLD.into_iter().find(|table| *table == row.table.name)?;
    match told.0.get(&(table, id.to_owned())) {
        Some((_, true)) => None,
        Some((number, false)) => Some(format!(
            "entry {number} says that it was deleted, but an older copy was put back"
        )),
        None => {
            let body: Value = serde_json::from_str(&row.body).ok()?;
            // A policy only has the time when it was last set.
            let made = body.get("created_at").or_else(|| body.get("updated_at"));
            let made: Timestamp = made?.as_str()?.parse().ok()?;
            (made >= since).then(|| String::from("no entry records its creation"))
        }
    }
}
