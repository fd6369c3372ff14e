//! Where a stage stores: a file of its own, or a database of its own on PostgreSQL, directly or through a pooler.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use stead::PlatformBuilder;
use stead_test_postgres::{Pooler, Server};

/// Which store the stories run over: `sqlite`, which is the default, `postgres` or `pgbouncer`.
const VARIABLE: &str = "STEAD_TEST_STORE";

/// Where a stage stores.
pub enum Place {
    File(PathBuf),
    Database(String),
}

impl Place {
    /// The file, or a database where the environment asks for one.
    pub fn new(file: &Path) -> Self {
        let asked = std::env::var_os(VARIABLE).unwrap_or_else(|| "sqlite".into());
        match asked.to_str() {
            Some("sqlite") => Self::File(file.to_owned()),
            Some("postgres") => Self::Database(server().url(&server().database())),
            Some("pgbouncer") => Self::Database(pooler().url(&server().database())),
            _ => panic!("{VARIABLE} is sqlite, postgres or pgbouncer"),
        }
    }

    pub fn of(&self, builder: PlatformBuilder) -> PlatformBuilder {
        match self {
            Self::File(file) => builder.sqlite(file),
            Self::Database(url) => builder.postgres(url),
        }
    }
}

fn server() -> &'static Server {
    Server::shared().expect("PostgreSQL, which the stories are asked to run over")
}

fn pooler() -> &'static Pooler {
    static POOLER: OnceLock<Pooler> = OnceLock::new();
    POOLER.get_or_init(|| {
        Pooler::start(server()).expect("PgBouncer, which the stories are asked to run over")
    })
}
