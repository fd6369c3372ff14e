//! All that one database holds, into another that is empty: from a file to a server, and back.
//!
//! Rows are copied as they are, versions and sealed bodies too, so that no key is needed and links, tokens and keys go on
//! working. What a database knows of itself (its identity, its counter, its origin) stays; the last position of events and
//! when it was put back go along.

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

/// Small enough for the time that a statement may take, and for the values that it may have.
const PAGE: PageSize = PageSize {
    rows: 500,
    bytes: 1024 * 1024,
};

/// A copy of everything from one database into another, each `sqlite:FILE` or `postgres://…`.
///
/// No service may use either of them until it is finished. Of a file it is made sure: it takes no writes meanwhile. Of a server
/// it is not; a row that was changed behind the copy is found at the end, when all rows of both are compared.
#[derive(Debug)]
pub struct StoreCopy {
    from: Place,
    to: Place,
    spools: Vec<FileSpool>,
}

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Where from, without a password.
    pub from: String,
    /// Where to, without a password.
    pub to: String,
    /// Each table, which is the same in both.
    pub tables: Vec<TableCopy>,
    /// Rows that were there already, from a run that was interrupted.
    pub resumed_at: u64,
}

impl StoreCopy {
    /// A copy between two databases.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](stead_core::ErrorKind::InvalidRequest) where one of them cannot be read as a database.
    pub fn new(from: &str, to: &str) -> Result<Self> {
        let (from, to) = (Place::parse(from)?, Place::parse(to)?);
        let spools = from.spool().into_iter().collect();
        Ok(Self { from, to, spools })
    }

    /// Names a folder where services that use the source keep tokens that the database did not take; that next to a file is known.
    #[must_use]
    pub fn spool(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spools.push(FileSpool::new(folder));
        self
    }

    /// Copies, compares, and opens the target to services. What was interrupted goes on where it stopped; dropping the
    /// future interrupts it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](stead_core::ErrorKind::InvalidRequest) where one of the two is not as a copy needs it: in
    /// use, of another schema, the target not empty; or where they differ at the end, with the row.
    /// [`ErrorKind::StorageUnavailable`](stead_core::ErrorKind::StorageUnavailable) where one of them does not answer.
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

    /// What waits in a spool would not come along.
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
