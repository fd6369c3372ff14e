//! The PostgreSQL server of this program, and helpers that only the tests of the store need.

use std::{
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use sqlx::{AssertSqlSafe, ConnectOptions as _, PgConnection, postgres::PgConnectOptions};
use stead_store::PostgresStore;
use stead_testkit::runtime::ManualClock;

pub(crate) struct Server(stead_test_postgres::Server);

impl Deref for Server {
    type Target = stead_test_postgres::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Server {
    /// The server of this program. `None` if PostgreSQL isn't installed.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
        SERVER.get_or_init(Self::start).as_ref()
    }

    /// A server of the test's own, which it can restart or stop.
    pub(crate) fn start() -> Option<Self> {
        stead_test_postgres::Server::start().map(Self)
    }

    /// A server that isn't started yet.
    pub(crate) fn prepare() -> Option<Self> {
        stead_test_postgres::Server::prepare().map(Self)
    }

    /// Creates an empty database, and returns its name.
    pub(crate) async fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("stead{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut maintenance = self.tamper("postgres").await;
        run(
            &mut maintenance,
            &format!("CREATE DATABASE {name} TEMPLATE template0"),
        )
        .await;
        name
    }

    /// A store in a database.
    pub(crate) async fn open(&self, database: &str) -> PostgresStore {
        let clock = Arc::new(ManualClock::default());
        PostgresStore::open(&self.url(database), clock)
            .await
            .unwrap()
    }

    /// A connection that belongs to no store.
    pub(crate) async fn tamper(&self, database: &str) -> PgConnection {
        self.tamper_at(database, 5432).await
    }

    pub(crate) async fn tamper_at(&self, database: &str, port: u16) -> PgConnection {
        let target: PgConnectOptions = self.url(database).parse().unwrap();
        target.port(port).connect().await.unwrap()
    }
}

/// Runs a statement, and returns how many rows it affected.
pub(crate) async fn run(connection: &mut PgConnection, sql: &str) -> u64 {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await
        .unwrap()
        .rows_affected()
}
