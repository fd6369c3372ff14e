//! The address of a database, and how either end of a copy opens it.

#[cfg(feature = "sqlite")]
use std::path::PathBuf;
use std::{fmt, sync::Arc};

use stead_core::{Result, ports::Runtime};

use super::end::{End, refused};
#[cfg(feature = "postgres")]
use crate::postgres::{PostgresOptions, PostgresStore, inspect_postgres, place_of};
use crate::spool::FileSpool;
#[cfg(feature = "sqlite")]
use crate::sqlite::{SqliteOptions, SqliteStore, inspect};

/// A database, which may not exist yet.
pub(super) enum Place {
    #[cfg(feature = "sqlite")]
    File(PathBuf),
    /// The URL, which can contain a password, and a form of it that can be shown.
    #[cfg(feature = "postgres")]
    Server { url: String, shown: String },
}

/// An open database.
pub(super) enum Open {
    #[cfg(feature = "sqlite")]
    File(SqliteStore),
    #[cfg(feature = "postgres")]
    Server(PostgresStore),
}

impl Place {
    pub(super) fn parse(text: &str) -> Result<Self> {
        #[cfg(feature = "sqlite")]
        if let Some(file) = text.strip_prefix("sqlite:") {
            let file = file.strip_prefix("//").unwrap_or(file);
            if !file.is_empty() {
                return Ok(Self::File(PathBuf::from(file)));
            }
        }
        #[cfg(feature = "postgres")]
        if text.starts_with("postgres:") || text.starts_with("postgresql:") {
            return Ok(Self::Server {
                url: text.to_owned(),
                shown: place_of(text)?,
            });
        }
        // The text can contain a password, so the error doesn't repeat it.
        Err(refused(
            "a database of the copy isn't valid; expected sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
        ))
    }

    /// The spool for tokens that the database didn't accept, if the address says where it is.
    pub(super) fn spool(&self) -> Option<FileSpool> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(file) => Some(FileSpool::next_to(file)),
            #[cfg(feature = "postgres")]
            Self::Server { .. } => None,
        }
    }

    /// Opens an existing database with the current schema, because a copy doesn't change its source.
    pub(super) async fn open_source(&self, runtime: Arc<dyn Runtime>) -> Result<Open> {
        let (schema, known) = match self {
            #[cfg(feature = "sqlite")]
            Self::File(file) => {
                let found = inspect(file).await?;
                if let Some(damage) = found.damage {
                    return Err(refused(format!("{self} is damaged: {damage}")));
                }
                (found.schema, found.known_schema)
            }
            #[cfg(feature = "postgres")]
            Self::Server { url, .. } => {
                let found = inspect_postgres(url).await?;
                (found.schema, found.known_schema)
            }
        };
        match schema {
            0 => {
                return Err(refused(format!(
                    "{self} is empty, so there's nothing to copy"
                )));
            }
            schema if schema < known => {
                return Err(refused(format!(
                    "{self} has schema version {schema}, but this Stead copies version {known}; start this Stead on it once to upgrade it"
                )));
            }
            schema if schema > known => {
                return Err(refused(format!(
                    "{self} has schema version {schema}, but this Stead supports up to {known}; copy it with the newer Stead"
                )));
            }
            _ => {}
        }
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(file) => Ok(Open::File(SqliteStore::open(file, runtime).await?)),
            #[cfg(feature = "postgres")]
            Self::Server { url, .. } => Ok(Open::Server(PostgresStore::open(url, runtime).await?)),
        }
    }

    /// Opens a database that may contain a part of a copy, and creates it if it doesn't exist.
    pub(super) async fn open_target(&self, runtime: Arc<dyn Runtime>) -> Result<Open> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(file) => {
                let options = SqliteOptions::default();
                let store = SqliteStore::open_for(file, runtime, options, true).await?;
                Ok(Open::File(store))
            }
            #[cfg(feature = "postgres")]
            Self::Server { url, .. } => {
                let options = PostgresOptions::default();
                let store = PostgresStore::open_for(url, runtime, options, true).await?;
                Ok(Open::Server(store))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(file) => write!(f, "{}", file.display()),
            #[cfg(feature = "postgres")]
            Self::Server { shown, .. } => f.write_str(shown),
        }
    }
}

impl fmt::Debug for Place {
    /// Shows the place without a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Open {
    pub(super) fn end(&self) -> &dyn End {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store) => &store.engine,
            #[cfg(feature = "postgres")]
            Self::Server(store) => &store.engine,
        }
    }

    pub(super) async fn close(&self) {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(store) => store.close().await,
            #[cfg(feature = "postgres")]
            Self::Server(store) => store.close().await,
        }
    }
}
