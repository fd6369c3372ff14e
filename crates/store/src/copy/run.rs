//! A copy between two open databases.

use futures_util::future::try_join;
use stead_core::{
    Result,
    store::{TABLES, Value},
};

use super::{
    compare::{TableCopy, difference, digest},
    end::{End, PageSize, Pages, key, refused, value},
    mark::Mark,
};
use crate::engine::{Insertion, Statement, Step};

/// A step of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyStep {
    /// Rows go into the target.
    Copying,
    /// All rows of both are read again and compared.
    Comparing,
}

/// Progress of a copy.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CopyProgress {
    /// The current step.
    pub step: CopyStep,
    /// The current table.
    pub table: &'static str,
    /// Rows that this step has finished, in all tables.
    pub rows: u64,
    /// Rows of the source.
    pub of: u64,
}

type Progress<'a> = &'a mut (dyn FnMut(CopyProgress) + Send);

/// A copy that has started.
pub(super) struct Run<'a> {
    from: &'a dyn End,
    to: &'a dyn End,
    size: PageSize,
    mark: Mark,
    /// Rows of the source.
    of: u64,
}

impl<'a> Run<'a> {
    /// Starts, or continues from where an earlier run stopped.
    pub(super) async fn begin(from: &'a dyn End, to: &'a dyn End, size: PageSize) -> Result<Self> {
        let identity = value(from, from.sql().identity, Vec::new()).await?;
        let identity = match identity {
            Some(Value::Text(identity)) => identity,
            // A server may not tell its identity.
            _ => String::new(),
        };
        let mut of = 0_u64;
        for table in TABLES {
            let count = format!("SELECT COUNT(*) FROM \"{}\"", table.name);
            if let Some(Value::Integer(rows)) = value(from, count, Vec::new()).await? {
                of = of.saturating_add(u64::try_from(rows).unwrap_or(0));
            }
        }
        let mark = Mark::begin(identity, to).await?;
        Ok(Self {
            from,
            to,
            size,
            mark,
            of,
        })
    }

    /// Rows that were copied so far.
    pub(super) fn rows(&self) -> u64 {
        self.mark.rows
    }

    /// Copies the rows that are missing, with a transaction for each page.
    pub(super) async fn copy(&mut self, progress: Progress<'_>) -> Result<()> {
        for (table, after) in self.mark.left() {
            let mut pages = Pages::new(self.from, table, self.size, after);
            loop {
                progress(CopyProgress {
                    step: CopyStep::Copying,
                    table: table.name,
                    rows: self.mark.rows,
                    of: self.of,
                });
                let page = pages.next().await?;
                let Some(last) = page.last() else {
                    break;
                };
                let rows = u64::try_from(page.len()).unwrap_or(u64::MAX);
                let next = self.mark.behind(table, key(table, last), rows);
                let insertion = Insertion { table, rows: page };
                self.mark
                    .advance(next, vec![Step::Insert(insertion)], self.to)
                    .await?;
            }
        }
        let complete = self.mark.complete();
        self.mark.advance(complete, Vec::new(), self.to).await
    }

    /// Reads all rows of both databases again.
    ///
    /// # Errors
    /// If a table differs. The error names the first row that differs.
    pub(super) async fn compare(&self, progress: Progress<'_>) -> Result<Vec<TableCopy>> {
        let (from, to, size) = (self.from, self.to, self.size);
        let mut tables = Vec::new();
        let mut rows = 0_u64;
        for table in TABLES {
            let mut seen = |page| {
                rows = rows.saturating_add(page);
                progress(CopyProgress {
                    step: CopyStep::Comparing,
                    table: table.name,
                    rows,
                    of: self.of,
                });
            };
            seen(0);
            let both = try_join(
                digest(from, table, size, seen),
                digest(to, table, size, |_| {}),
            );
            let (one, other) = both.await?;
            if one != other {
                let what = difference(from, to, table, size).await?;
                let what = what.unwrap_or_else(|| format!("the table {} changes", table.name));
                return Err(refused(format!(
                    "the two databases differ: {what}. One of them was in use during the copy. Stop everything that uses them, and copy into an empty database"
                )));
            }
            tables.push(one);
        }
        Ok(tables)
    }

    /// Opens the target to services. Also copies the state that the source keeps outside of its tables.
    pub(super) async fn finish(self) -> Result<()> {
        let mut steps = Vec::new();
        let last = value(self.from, self.from.sql().last_position, Vec::new()).await?;
        if let Some(last @ Value::Integer(1..)) = last {
            steps.push(Step::Change(Statement {
                sql: self.to.sql().set_last_position.to_owned(),
                values: vec![last],
            }));
        }
        if let Some(at) = self.from.restored_at() {
            let at = (self.to.sql().moment)(at);
            steps.push(Step::Change(Statement {
                sql: String::from(
                    "INSERT INTO \"stead_state\" (\"name\", \"value\") VALUES ('restored_at', $1) \
                     ON CONFLICT (\"name\") DO UPDATE SET \"value\" = excluded.\"value\"",
                ),
                values: vec![Value::Text(at)],
            }));
        }
        self.mark.end(steps, self.to).await
    }
}
