//! Copies everything from one database into an empty one: from a file to a server, or back.
//!
//! Rows are copied unchanged, with their versions and encrypted bodies. So a copy needs no key, and links, tokens and
//! keys keep working. The target keeps its own identity, counter and origin. It gets the last position of events, and
//! the time at which the source was restored from a backup. The port can't do this, because a commit assigns versions.

mod compare;
mod end;
mod mark;
mod place;
mod run;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;

use std::{path::PathBuf, sync::Arc};

use stead_core::{
    Result,
    ports::{Runtime, Spool as _},
};

pub use self::{
    compare::TableCopy,
    run::{CopyProgress, CopyStep},
};
use self::{
    end::{PageSize, refused},
    place::Place,
};
use crate::spool::FileSpool;

/// Small enough for the limits on a statement's time and number of values.
const PAGE: PageSize = PageSize {
    rows: 500,
    bytes: 1024 * 1024,
};

/// A copy of everything from one database into another, each `sqlite:FILE` or `postgres://…`.
///
/// No service may use either of them until the copy is finished. The copy locks a file against writes, but can't lock a
/// server. At the end it compares all rows of both databases, and finds a row that changed during the copy.
#[derive(Debug)]
pub struct StoreCopy {
    from: Place,
    to: Place,
    spools: Vec<FileSpool>,
}

/// The result of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The source, without a password.
    pub from: String,
    /// The target, without a password.
    pub to: String,
    /// Each table, which is the same in both.
    pub tables: Vec<TableCopy>,
    /// Rows that an interrupted run had already copied.
    pub resumed_at: u64,
}

impl StoreCopy {
    /// A copy between two databases.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](stead_core::ErrorKind::InvalidRequest) if one of them isn't the address of a
    /// database.
    pub fn new(from: &str, to: &str) -> Result<Self> {
        let (from, to) = (Place::parse(from)?, Place::parse(to)?);
        let spools = from.spool().into_iter().collect();
        Ok(Self { from, to, spools })
    }

    /// Names a folder in which services that use the source keep tokens that the database didn't accept. You don't need
    /// to name the folder next to a file.
    #[must_use]
    pub fn spool(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spools.push(FileSpool::new(folder));
        self
    }

    /// Copies, compares, and opens the target to services. Dropping the future interrupts the copy. The next run
    /// continues from there.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidRequest`](stead_core::ErrorKind::InvalidRequest) if a database is in use or has another
    ///   schema, or if the target isn't empty.
    /// - The same kind if the databases differ at the end. The message names the row.
    /// - [`ErrorKind::StorageUnavailable`](stead_core::ErrorKind::StorageUnavailable) if one of them doesn't respond.
    pub async fn run(
        &self,
        runtime: Arc<dyn Runtime>,
        progress: &mut (dyn FnMut(CopyProgress) + Send),
    ) -> Result<Copied> {
        let from = self.from.open_source(Arc::clone(&runtime)).await?;
        let to = match self.to.open_target(runtime).await {
            Ok(to) => to,
            Err(error) => {
                from.close().await;
                return Err(error);
            }
        };
        let outcome = self.between(&from, &to, progress).await;
        from.close().await;
        to.close().await;
        let (tables, resumed_at) = outcome?;
        Ok(Copied {
            from: self.from.to_string(),
            to: self.to.to_string(),
            tables,
            resumed_at,
        })
    }

    async fn between(
        &self,
        from: &place::Open,
        to: &place::Open,
        progress: &mut (dyn FnMut(CopyProgress) + Send),
    ) -> Result<(Vec<TableCopy>, u64)> {
        let held = from.end().hold().await?;
        self.check_spools().await?;
        let mut run = run::Run::begin(from.end(), to.end(), PAGE).await?;
        let resumed_at = run.rows();
        run.copy(progress).await?;
        let tables = run.compare(progress).await?;
        self.check_spools().await?;
        run.finish().await?;
        drop(held);
        Ok((tables, resumed_at))
    }

    /// Rejects a source that is in use, or whose spool has records. The copy would lack these records.
    async fn check_spools(&self) -> Result<()> {
        for spool in &self.spools {
            if spool.is_in_use().await? {
                return Err(refused(format!(
                    "a service or another command has the source open ({}); stop it first",
                    spool.folder().display()
                )));
            }
            let waiting = spool.list().await?.len();
            if waiting > 0 {
                return Err(refused(format!(
                    "{} has tokens that aren't stored yet ({waiting}); start a service on the source once to store them, then stop it",
                    spool.folder().display()
                )));
            }
        }
        Ok(())
    }
}
