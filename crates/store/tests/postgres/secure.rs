//! Connections over TLS, with a password.

use std::{
    env, fs,
    net::TcpListener,
    process::{Command, Stdio},
    sync::Arc,
};

use sqlx::Row as _;
use stead_core::{Error, store::Store as _};
use stead_store::PostgresStore;
use stead_testkit::runtime::ManualClock;

use stead_test_postgres::{REQUIRED, as_user};

use crate::server::{Server, run};

/// A server with a self-signed certificate for `localhost`. It requires a password on a port of this machine.
fn secure() -> Option<(Server, u16)> {
    let server = Server::prepare()?;
    let data = server.folder().join("data");
    let made = as_user(Command::new("openssl"))
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args(["-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost"])
        // A CA's certificate isn't accepted as a server's.
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", "server.key", "-out", "server.crt"])
        .current_dir(&data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !made.is_ok_and(|made| made.success()) {
        assert!(
            env::var_os(REQUIRED).is_none(),
            "install the package openssl"
        );
        println!("left out: there is no openssl; install the package openssl");
        return None;
    }
    // This port was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let port = free.unwrap().port();
    let file = data.join("postgresql.auto.conf");
    let mut settings = fs::read_to_string(&file).unwrap();
    settings += &format!("listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\n");
    fs::write(file, settings).unwrap();
    let users = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
    fs::write(data.join("pg_hba.conf"), users).unwrap();
    server.up();
    Some((server, port))
}

#[tokio::test]
async fn a_server_proves_its_name_and_a_user_the_password() {
    let Some((server, port)) = secure() else {
        return;
    };
    let mut tamper = server.tamper_at("postgres", port).await;
    run(&mut tamper, "ALTER ROLE stead PASSWORD 'top secret'").await;
    let open = async |password: &str, host: &str, rest: &str| -> Result<PostgresStore, Error> {
        let url = format!("postgres://stead:{password}@{host}:{port}/postgres?{rest}");
        let opened = PostgresStore::open(&url, Arc::new(ManualClock::default())).await;
        if let Err(error) = &opened {
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
        opened
    };
    let root = server.folder().join("data/server.crt");
    let root = format!("sslmode=verify-full&sslrootcert={}", root.display());
    let store = open("top%20secret", "localhost", &root).await.unwrap();
    store.ready().await.unwrap();
    let secure = "SELECT count(*) FROM pg_stat_ssl WHERE ssl AND version = 'TLSv1.3'";
    let row = sqlx::query(secure).fetch_one(&mut tamper).await.unwrap();
    assert!(row.get::<i64, _>(0) > 0);

    let error = open("secret", "localhost", &root).await.unwrap_err();
    let expected = "password authentication failed for user \"stead\"";
    assert!(error.message().ends_with(expected), "{error}");
    for (host, rest) in [
        // No authority of the machine has signed the certificate, or it's for another name.
        ("localhost", "sslmode=verify-full"),
        ("127.0.0.1", &root),
    ] {
        let error = open("top%20secret", host, rest).await.unwrap_err();
        let expected = "no secure connection to its server";
        assert!(error.message().contains(expected), "{error}");
    }
}
