//! The database's knowledge of itself: which one it is, and its progress.
//!
//! A small file next to it, `<database>.mark`, also stores both. A database that is behind its mark is an older copy
//! that was restored, and so is one that [`backup`](super::backup) made. Its refresh tokens may have been used since.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use sqlx::{Connection as _, Row as _, SqliteConnection};

use crate::{
    fault::Fault,
    files::{for_owner_only, with_suffix},
};

/// Writes increment the counter once per period at most.
const PERIOD: Duration = Duration::from_secs(60);

/// Created if it's missing, like the table of versions.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS \"stead_state\" (\"name\" TEXT NOT NULL PRIMARY KEY, \"value\" TEXT NOT NULL)";

/// Row of `stead_state` that only a backup has.
pub(super) const BACKUP: &str = "backup_of";

#[derive(Debug)]
pub(super) struct State {
    id: String,
    mark: PathBuf,
    /// When the database was restored from an older copy.
    pub(super) restored_at: Option<Timestamp>,
    /// When the counter was last incremented, on the monotonic clock.
    raised: Mutex<Option<Duration>>,
}

impl State {
    /// Reads the state, and checks whether the database was restored.
    pub(super) async fn open(
        connection: &mut SqliteConnection,
        database: &Path,
        now: Timestamp,
        monotonic: Duration,
    ) -> Result<Self, Fault> {
        let mark = with_suffix(database, ".mark");
        let mut open = connection.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(TABLE).execute(&mut *open).await?;
        sqlx::query("INSERT OR IGNORE INTO \"stead_state\" VALUES ('id', lower(hex(randomblob(16)))), ('counter', '0')")
            .execute(&mut *open)
            .await?;
        let id = get(&mut open, "id").await?.unwrap_or_default();
        let counter = number(get(&mut open, "counter").await?);
        let marked = marked(&mark, &id).unwrap_or(0);
        let is_backup = get(&mut open, BACKUP).await?.is_some();
        if is_backup || marked > counter {
            sqlx::query("DELETE FROM \"stead_state\" WHERE \"name\" = $1")
                .bind(BACKUP)
                .execute(&mut *open)
                .await?;
            set(&mut open, "restored_at", now.to_string()).await?;
            tracing::warn!(
                "the database was restored from an older copy; its refresh tokens may already have been used"
            );
        }
        let counter = counter.max(marked) + 1;
        set(&mut open, "counter", counter.to_string()).await?;
        let restored_at = get(&mut open, "restored_at").await?;
        open.commit().await?;
        let state = Self {
            id,
            mark,
            restored_at: restored_at.and_then(|at| at.parse().ok()),
            raised: Mutex::default(),
        };
        state.mark(counter, monotonic);
        Ok(state)
    }

    /// Whether it's time to increment the counter.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.raised()
            .is_none_or(|raised| now.saturating_sub(raised) >= PERIOD)
    }

    /// Increments the counter, and returns its new value.
    pub(super) async fn raise(connection: &mut SqliteConnection) -> Result<Option<u64>, Fault> {
        let raise = "UPDATE \"stead_state\" SET \"value\" = CAST(\"value\" AS INTEGER) + 1 WHERE \"name\" = 'counter' RETURNING CAST(\"value\" AS TEXT)";
        let row = sqlx::query(raise).fetch_optional(connection).await?;
        Ok(row.map(|row| number(row.try_get(0).ok())))
    }

    /// Stores the progress next to the database once it's committed. A mark that is behind can miss a restore, but
    /// never reports a wrong one.
    pub(super) fn mark(&self, counter: u64, now: Duration) {
        *self.raised() = Some(now);
        let temporary = with_suffix(&self.mark, &format!(".{}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        for_owner_only(&mut options);
        let written = options
            .open(&temporary)
            .and_then(|mut file| writeln!(file, "{} {counter}", self.id))
            .and_then(|()| fs::rename(&temporary, &self.mark));
        if let Err(error) = written {
            tracing::debug!(%error, "couldn't write the mark next to the database");
        }
    }

    fn raised(&self) -> MutexGuard<'_, Option<Duration>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counter in the mark, if the mark belongs to this database.
fn marked(mark: &Path, id: &str) -> Option<u64> {
    let text = fs::read_to_string(mark).ok()?;
    let (marked, counter) = text.trim_end().split_once(' ')?;
    (marked == id).then(|| counter.parse().ok())?
}

fn number(value: Option<String>) -> u64 {
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

async fn get(connection: &mut SqliteConnection, name: &str) -> Result<Option<String>, Fault> {
    let row = sqlx::query("SELECT \"value\" FROM \"stead_state\" WHERE \"name\" = $1")
        .bind(name.to_owned())
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) async fn set(
    connection: &mut SqliteConnection,
    name: &str,
    value: String,
) -> Result<(), Fault> {
    sqlx::query("INSERT OR REPLACE INTO \"stead_state\" VALUES ($1, $2)")
        .bind(name.to_owned())
        .bind(value)
        .execute(connection)
        .await?;
    Ok(())
}
