//! The audit log. Its rows are never pruned.

use super::{Listed, Records, integer};
use crate::{
    Result,
    digest::Digest,
    domain::{AuditEntry, AuditHead, Extra},
    store::{Index, List, Record, Table, Value},
};

/// The key is the number of the entry. If two writers found the same last entry, one of them conflicts.
pub(super) static AUDIT: Table = Table {
    name: "audit",
    columns: &[integer("number")],
    key: Index::unique(&["number"]),
    indexes: &[],
    sealed: false,
};

impl Record for AuditEntry {
    const TABLE: &'static Table = &AUDIT;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::count(self.number)]
    }
}

impl Records {
    /// End of the audit log. An unreadable entry counts too, so the next one follows it.
    pub(crate) async fn audit_head(&self) -> Result<AuditHead> {
        // A value that isn't a number sorts after all numbers.
        let last = List::new(&AUDIT, AUDIT.key).below(Value::Integer(i64::MAX));
        let last = self.0.list(&last.descending().limit(1)).await?.pop();
        let Some(last) = last else {
            return Ok(AuditHead::start());
        };
        let (number, body) = (last.row.value("number").clone(), last.row.body.clone());
        let last = self.read_one::<AuditEntry>(last).await?;
        Ok(last.map_or_else(
            |_| AuditHead {
                number: match number {
                    Value::Integer(number) => u64::try_from(number).unwrap_or_default(),
                    Value::Null | Value::Text(_) => 0,
                },
                hash: Digest::of(&body),
            },
            |entry| entry.row.head(),
        ))
    }

    /// Entries with a lower number than `below`, newest first.
    pub(crate) async fn audit_entries(&self, below: Option<u64>, limit: u32) -> Listed<AuditEntry> {
        let mut list = List::new(&AUDIT, AUDIT.key).descending().limit(limit);
        if let Some(below) = below {
            list = list.below(Value::count(below));
        }
        self.list(list).await
    }

    /// Entries with a higher number than `after`, oldest first. Unreadable ones stay in their place.
    pub(crate) async fn audit_chain(
        &self,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Result<AuditEntry>>> {
        let mut list = List::new(&AUDIT, AUDIT.key).limit(limit);
        if after > 0 {
            list = list.after(Some(vec![Value::count(after)]));
        }
        let mut entries = Vec::new();
        for found in self.0.list(&list).await? {
            let entry = self.read_one(found).await?;
            entries.push(entry.map(|entry| entry.row));
        }
        Ok(entries)
    }
}
