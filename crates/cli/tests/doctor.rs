//! `stead doctor` finds each of ten planted faults, and names the remedy.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use rusqlite::Connection;
use serde_json::{Value, json};

/// A user without rights, whom files of another do not obey.
const SOMEBODY: u32 = 65_534;
const LONG_AGO: &str = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

/// A database with a connection whose product answers, a key and settings.
struct Place {
    folder: tempfile::TempDir,
    public_url: &'static str,
    as_somebody: bool,
}

impl Place {
    fn new(headers: &'static str) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            public_url: "https://localhost",
            as_somebody: false,
        };
        place.settings(&product(headers));
        place.key("key");
        place.write("secret", "secret\n");
        place.succeeds(&[
            "connections",
            "create",
            "mail",
            "--product",
            "mail",
            "--client-id",
            "id",
            "--client-secret-file",
            "secret",
        ]);
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).unwrap();
        self.mode(name, 0o600);
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.file(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn settings(&self, product: &str) {
        let settings = format!(
            "[products.mail]\nauthorize_url = \"{product}/authorize\"\ntoken_url = \"{product}/token\"\n"
        );
        self.write("settings.toml", &settings);
    }

    fn key(&self, name: &str) {
        let said = self.succeeds(&["keys", "generate", "--json"]);
        let said: Value = serde_json::from_str(&said).unwrap();
        self.write(name, said["key"].as_str().unwrap());
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("STEAD_DATABASE", "stead.db")
            .env("STEAD_PUBLIC_URL", self.public_url)
            .env("STEAD_KEY_FILE", "key")
            .env("STEAD_CONFIG", "settings.toml");
        if self.as_somebody {
            command.uid(SOMEBODY).gid(SOMEBODY);
        }
        command
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn sql(&self, statement: &str) {
        let database = Connection::open(self.file("stead.db")).unwrap();
        database.execute_batch(statement).unwrap();
        database
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
    }

    /// The exit code of the doctor, and what it found.
    fn doctor(&self) -> (Option<i32>, Vec<Value>) {
        let output = self.command().args(["doctor", "--json"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let findings = text.lines().map(|line| serde_json::from_str(line).unwrap());
        (output.status.code(), findings.collect())
    }

    /// The one finding that is not good; where a fault hides what comes after it, the doctor says that too.
    fn finds(&self, check: &str, level: &str, says: &str, remedy: &str) {
        let (code, findings) = self.doctor();
        assert_eq!(code, Some(i32::from(level == "error")), "{findings:#?}");
        let bad: Vec<&Value> = findings
            .iter()
            .filter(|one| one["level"] != "ok")
            // The use of this machine's disk isn't a planted fault.
            .filter(|one| one["check"] != "environment" && one["check"] != "disk")
            .collect();
        let [found] = bad.as_slice() else {
            panic!("{findings:#?}")
        };
        assert_eq!(
            (&found["check"], &found["level"]),
            (&json!(check), &json!(level)),
            "{found}"
        );
        let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
        assert!(text("message").contains(says), "{found}");
        assert!(text("remedy").contains(remedy), "{found}");
    }
}

/// A product that answers every request in the same way.
fn product(headers: &'static str) -> String {
    product_saying(format!(
        "HTTP/1.1 404 Not Found\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n"
    ))
}

fn product_saying(response: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            // The doctor may have closed the connection.
            let _ = stream.read(&mut request);
            let _ = stream.write_all(response.as_bytes());
        }
    });
    url
}

#[test]
fn the_doctor_finds_no_error_in_a_healthy_setup() {
    let place = Place::new("");
    let (code, findings) = place.doctor();
    assert!(
        findings.iter().all(|one| {
            let is_disk = one["check"] == "disk" && one["level"] == "warning";
            one["level"] == "ok" || is_disk
        }),
        "{findings:#?}"
    );
    assert_eq!(code, Some(0));
    let output = place.command().arg("doctor").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("mail is ready, and its endpoints respond"),
        "{text}"
    );
    assert!(text.contains("0 errors"), "{text}");
}

#[test]
fn a_wrong_key_is_found() {
    let place = Place::new("");
    place.key("key");
    place.finds("key", "error", "encrypted with", "--key-file");
}

#[test]
fn a_key_file_that_others_can_read_is_found() {
    let place = Place::new("");
    place.mode("key", 0o644);
    place.finds("key", "error", "can be read by others", "chmod 600 key");
}

#[test]
fn a_database_that_others_can_read_is_found_and_unchanged() {
    let place = Place::new("");
    place.mode("stead.db", 0o644);
    for _ in 0..2 {
        place.finds("database", "error", "mode 644", "chmod 600 stead.db");
    }
}

#[test]
fn a_read_only_database_is_found_by_the_doctor_and_at_start() {
    let mut place = Place::new("");
    if rustix::process::geteuid().is_root() {
        let own = |path: &Path| chown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
        own(place.folder.path());
        for entry in fs::read_dir(place.folder.path()).unwrap() {
            own(&entry.unwrap().path());
        }
        place.as_somebody = true;
    }
    place.mode("stead.db", 0o400);
    place.mode("", 0o500);
    place.finds("database", "error", "read-only", "chmod u+w");
    let output = place.command().arg("serve").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("read-only"), "{said}");
    place.mode("", 0o700);
}

#[test]
fn a_damaged_page_is_found() {
    let place = Place::new("");
    let mut bytes = fs::read(place.file("stead.db")).unwrap();
    let pages = bytes.chunks_exact_mut(4096);
    pages.skip(4).for_each(|page| page[..64].fill(0xff));
    fs::write(place.file("stead.db"), bytes).unwrap();
    place.finds("database", "error", "damaged", "backup");
}

#[test]
fn a_newer_schema_is_found() {
    let place = Place::new("");
    place.sql("INSERT INTO \"stead_schema\" VALUES (999, 'later')");
    place.finds("database", "error", "version 999", "newer Stead");
}

#[test]
fn an_older_schema_is_found_and_unchanged() {
    let place = Place::new("");
    let newest = "(SELECT MAX(\"version\") FROM \"stead_schema\")";
    place.sql(&format!(
        "DELETE FROM \"stead_schema_expansion\"; DELETE FROM \"stead_schema\" WHERE \"version\" = {newest}"
    ));
    for _ in 0..2 {
        place.finds(
            "database",
            "warning",
            "its schema has version",
            "stead backup",
        );
    }
}

#[test]
fn a_foreign_file_is_found_without_advice_to_change_it() {
    let place = Place::new("");
    for (file, says) in [
        (".", "is a folder"),
        ("notes.txt", "isn't a SQLite database"),
    ] {
        place.write("notes.txt", &"a letter to somebody. ".repeat(100));
        place.mode("notes.txt", 0o644);
        let mut doctor = place.command();
        doctor
            .env("STEAD_DATABASE", file)
            .args(["doctor", "--json"]);
        let output = doctor.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let findings: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let [found] = findings
            .iter()
            .filter(|one| one["check"] == "database")
            .collect::<Vec<_>>()[..]
        else {
            panic!("{text}")
        };
        assert!(found["message"].as_str().unwrap().contains(says), "{found}");
        assert!(
            !text.contains("chmod") && !text.contains("recover"),
            "{text}"
        );
    }
}

#[test]
fn a_restored_copy_is_found() {
    let place = Place::new("");
    place.succeeds(&["backup", "copy.db"]);
    fs::rename(place.file("copy.db"), place.file("stead.db")).unwrap();
    place.finds("accounts", "warning", "was restored", "must reconnect");
}

#[test]
fn a_public_url_without_tls_is_found() {
    let mut place = Place::new("");
    place.public_url = "http://stead.example.com";
    place.finds(
        "public_url",
        "error",
        "must start with https",
        "--public-url",
    );
}

#[test]
fn an_endpoint_of_two_connections_is_named_once() {
    let place = Place::new("");
    place.succeeds(&[
        "connections",
        "create",
        "second",
        "--product",
        "mail",
        "--client-id",
        "id",
        "--client-secret-file",
        "secret",
    ]);
    place.settings("http://127.0.0.1:1");
    let (code, findings) = place.doctor();
    let bad = findings.iter().filter(|one| one["level"] == "error");
    let bad: Vec<&Value> = bad.collect();
    assert_eq!(
        (code, bad.len()),
        (Some(1), 2),
        "authorize and token: {findings:#?}"
    );
    for found in bad {
        assert_eq!(found["check"], "connections");
        let remedy = found["remedy"].as_str().unwrap();
        assert!(remedy.contains("curl -sI http://127.0.0.1:1/"), "{found}");
        let message = found["message"].as_str().unwrap();
        assert!(
            message.starts_with("mail, second: can't reach http://127.0.0.1:1/"),
            "{message}"
        );
        assert!(
            message.contains("127.0.0.1:1 refuses connections"),
            "{message}"
        );
    }
}

#[test]
fn a_public_url_that_has_changed_is_found_until_it_is_accepted() {
    let mut place = Place::new("");
    place.public_url = "https://127.0.0.1";
    place.finds(
        "public_url",
        "warning",
        "it was https://localhost when",
        "https://127.0.0.1/sso/v1/oauth/conn_",
    );
    // Returns the service's standard error, until it's stopped.
    let serve = |more: &[&str]| {
        let mut child = place
            .command()
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0; 1];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut line)
            .unwrap();
        let kill = ["-s", "TERM", &child.id().to_string()];
        assert!(Command::new("kill").args(kill).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = serve(&[]);
    assert!(
        said.contains("the public URL has changed")
            && said.contains("mail https://127.0.0.1/sso/v1/oauth/conn_"),
        "{said}"
    );
    let said = serve(&["--public-url-changed"]);
    assert!(!said.contains("the public URL has changed"), "{said}");
    assert!(said.contains("Stead has started"), "{said}");
    let (code, findings) = place.doctor();
    assert_eq!(code, Some(0));
    let is_named = findings
        .iter()
        .any(|one| one["message"].to_string().contains("https://localhost"));
    assert!(!is_named, "{findings:#?}");
}

#[test]
fn a_provider_of_sign_in_that_cannot_be_reached_is_found() {
    let place = Place::new("");
    place.write("oidc", "hush\n");
    let mut doctor = place.command();
    doctor
        .env("STEAD_OIDC_ISSUER", "http://127.0.0.1:1")
        .env("STEAD_OIDC_CLIENT_ID", "stead")
        .env("STEAD_OIDC_CLIENT_SECRET_FILE", "oidc")
        .env("STEAD_OIDC_ALLOWED_EMAILS", "ada@example.com")
        .env("STEAD_TRUSTED_PROXY", "10.0.0.7")
        .args(["doctor", "--json"]);
    let output = doctor.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let found = |check: &str| {
        let found = text
            .lines()
            .find(|line| line.contains(&format!("\"check\":\"{check}\"")));
        found.unwrap_or_else(|| panic!("{check}: {text}"))
    };
    assert!(found("sign_in").contains("\"level\":\"error\""), "{text}");
    assert!(found("sign_in").contains("STEAD_OIDC_ISSUER"), "{text}");
    assert!(
        found("variables").contains("STEAD_TRUSTED_PROXIES"),
        "{text}"
    );
}

#[test]
fn a_client_that_its_product_rejects_is_found() {
    let place = Place::new("");
    let error = r#"{"error":"invalid_client"}"#;
    let head = "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nConnection: close";
    let length = error.len();
    place.settings(&product_saying(format!(
        "{head}\r\nContent-Length: {length}\r\n\r\n{error}"
    )));
    place.write(
        "accounts.jsonl",
        r#"{"connection_name":"mail","identifier":"ada","scopes":["https://www.googleapis.com/auth/gmail.modify"],"access_token":"old","expires_at":"2020-01-01T00:00:00Z","refresh_token":"refresh"}"#,
    );
    place.succeeds(&["accounts", "import", "accounts.jsonl"]);
    let refresh = ["accounts", "refresh", "mail", "ada"];
    let refreshed = place.command().args(refresh).output().unwrap();
    assert!(!refreshed.status.success(), "{refreshed:?}");
    place.finds(
        "connections",
        "error",
        "refuses the client",
        "stead connections change mail --client-id",
    );
}

#[test]
fn revocations_that_wait_for_long_are_found() {
    let place = Place::new("");
    // A UUID of version 7, with a time in 2025.
    let id = "out_01941f297c007000800000000000000a";
    let body = json!({
        "id": id,
        "task": {
            "kind": "revoke",
            "connection_id": "conn_01941f297c007000800000000000000b",
            "account_id": "acct_01941f297c007000800000000000000c",
            "generation": 1,
            "token": "AAAA",
        },
        "attempts": 9,
        "due_at": "2100-01-01T00:00:00Z",
    });
    place.sql(&format!(
        "INSERT INTO \"outbox\" VALUES ('{id}', 4102444800000000000, 1, '{body}')"
    ));
    place.finds("outbox", "warning", "one has had 9 attempts", "stead serve");
}

#[test]
fn a_clock_that_is_wrong_is_found() {
    let place = Place::new(LONG_AGO);
    place.finds("clock", "error", "ahead of", "timedatectl");
}
