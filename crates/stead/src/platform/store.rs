//! The store of a platform: which one was chosen, and what to close with it.

use std::sync::Arc;

use stead_core::{
    Error, ErrorKind, Result,
    ports::{Runtime, Spool},
    store::{MemoryStore, Store},
};

pub(super) enum StoreChoice {
    Memory,
    #[cfg(feature = "sqlite")]
    Sqlite(std::path::PathBuf),
    /// The URL may have a password.
    #[cfg(feature = "postgres")]
    Postgres(secrecy::SecretString),
    Own(Arc<dyn Store>),
}

/// A store that the builder opened. It's closed with the platform.
#[derive(Debug, Clone)]
pub(super) enum OpenedStore {
    #[cfg(feature = "sqlite")]
    Sqlite(Arc<stead_store::SqliteStore>),
    #[cfg(feature = "postgres")]
    Postgres(Arc<stead_store::PostgresStore>),
}

impl OpenedStore {
    pub(super) async fn close(&self) {
        match *self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(ref store) => store.close().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(ref store) => store.close().await,
        }
    }
}

/// A store, the spool next to it, and the store again if the builder opened it.
pub(super) struct Opened {
    pub(super) store: Arc<dyn Store>,
    pub(super) spool: Option<Arc<dyn Spool>>,
    pub(super) opened: Option<OpenedStore>,
}

pub(super) async fn open_store(
    choice: Option<StoreChoice>,
    runtime: Arc<dyn Runtime>,
) -> Result<Opened> {
    let own = |store| Opened {
        store,
        spool: None,
        opened: None,
    };
    match choice {
        Some(StoreChoice::Memory) => Ok(own(Arc::new(MemoryStore::new(runtime)))),
        #[cfg(feature = "sqlite")]
        Some(StoreChoice::Sqlite(path)) => {
            let spool = stead_store::FileSpool::next_to(&path);
            let store = Arc::new(stead_store::SqliteStore::open(path, runtime).await?);
            Ok(Opened {
                store: Arc::clone(&store) as _,
                spool: Some(Arc::new(spool)),
                opened: Some(OpenedStore::Sqlite(store)),
            })
        }
        #[cfg(feature = "postgres")]
        Some(StoreChoice::Postgres(url)) => {
            let url = secrecy::ExposeSecret::expose_secret(&url);
            let store = Arc::new(stead_store::PostgresStore::open(url, runtime).await?);
            Ok(Opened {
                store: Arc::clone(&store) as _,
                spool: None,
                opened: Some(OpenedStore::Postgres(store)),
            })
        }
        Some(StoreChoice::Own(store)) => Ok(own(store)),
        None => Err(Error::new(
            ErrorKind::InvalidRequest,
            "a store is needed; choose `in_memory()`, `store(…)` for your own, or `sqlite(path)` or `postgres(url)` with the feature of that name",
        )),
    }
}
