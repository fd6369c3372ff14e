//! The store of a stage: its own file, or its own database on PostgreSQL, directly or through a pooler.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use stead::PlatformBuilder;
use stead_test_postgres::{Pooler, Server};

/// The variable that selects the store of all stories: `sqlite` (the default), `postgres` or `pgbouncer`.
const VARIABLE: &str = "STEAD_TEST_STORE";

/// A database clock that a story can move. It replaces the server's own function in the search path.
const TIME: &str = "
    CREATE SCHEMA story;
    CREATE TABLE story.time (ahead BIGINT NOT NULL);
    INSERT INTO story.time VALUES (0);
    CREATE FUNCTION story.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() + ahead * interval ''1 s'' FROM story.time'";

/// The store of a stage.
#[derive(Clone)]
pub enum Place {
    File(PathBuf),
    Database(Database),
}

/// A database of the server.
#[derive(Clone)]
pub struct Database {
    name: String,
    pub url: String,
}

impl Database {
    /// Creates a database. `url` returns the URL for its name.
    pub fn new(url: impl FnOnce(&str) -> String) -> Self {
        let name = server().database();
        let path = format!("ALTER DATABASE {name} SET search_path = public, story, pg_catalog");
        for sql in [TIME, &path] {
            server().query(&name, sql).expect("a time that moves");
        }
        let url = url(&name);
        Self { name, url }
    }
}

impl Place {
    /// The file, or a database if the environment variable asks for one.
    pub fn new(file: &Path) -> Self {
        let asked = std::env::var_os(VARIABLE).unwrap_or_else(|| "sqlite".into());
        match asked.to_str() {
            Some("sqlite") => Self::File(file.to_owned()),
            Some("postgres") => Self::Database(Database::new(|name| server().url(name))),
            Some("pgbouncer") => Self::Database(Database::new(|name| pooler().url(name))),
            _ => panic!("{VARIABLE} is sqlite, postgres or pgbouncer"),
        }
    }

    pub fn of(&self, builder: PlatformBuilder) -> PlatformBuilder {
        match self {
            Self::File(file) => builder.sqlite(file),
            Self::Database(database) => builder.postgres(&database.url),
        }
    }

    /// Sets the time of a database this many seconds ahead of the server's.
    pub fn set_time(&self, ahead: i64) {
        if let Self::Database(database) = self {
            let sql = format!("UPDATE story.time SET ahead = {ahead}");
            server()
                .query(&database.name, &sql)
                .expect("a time that moves");
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
