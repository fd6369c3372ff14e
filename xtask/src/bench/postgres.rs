//! A PostgreSQL that is as durable as an operator's.

use stead_test_postgres::Server;

pub(crate) struct Postgres(Server);

impl Postgres {
    /// Nothing where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        let server = Server::prepare()?;
        // Tests do without; the last word counts.
        server.set("fsync = on\nfull_page_writes = on\n");
        server.up();
        Some(Self(server))
    }

    /// The URL of a new database.
    pub(crate) fn database(&self) -> String {
        self.0.url(&self.0.database())
    }
}
