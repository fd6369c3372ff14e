//! Rejected command lines: their messages, and that they change nothing.

use std::fs;

use super::{new_key, run, stead};

/// What the command says of a refusal that ends with this code.
#[track_caller]
fn refused(code: i32, command: &mut std::process::Command) -> String {
    let (exit, _, said) = run(command);
    assert_eq!(exit, code, "{said}");
    said
}

#[cfg(target_os = "linux")]
#[test]
fn a_secret_that_cannot_be_printed_ends_the_command_with_an_error() {
    use std::process::Stdio;
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    for args in [
        &["keys", "generate"] as &[&str],
        &["credentials", "create", "--name", "x"],
        &["credentials", "create", "--name", "y", "--json"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let said = refused(
            1,
            stead(directory.path())
                .env("STEAD_KEY", &key)
                .args(args)
                .stdout(Stdio::from(full.unwrap())),
        );
        assert!(
            said.contains("can't write the output: No space left on device"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn an_unusable_database_path_is_a_wrong_setting_with_a_fix() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = new_key(folder);
    fs::write(
        folder.join("notes.txt"),
        "a letter to somebody. ".repeat(100),
    )
    .unwrap();
    for (database, what, next) in [
        (
            "none/stead.db",
            "the folder none doesn't exist",
            "Create it",
        ),
        (".", ". is a folder", "must name a file"),
        (
            "notes.txt",
            "its file isn't a SQLite database",
            "STEAD_DATABASE",
        ),
    ] {
        let said = refused(
            78,
            stead(folder)
                .env("STEAD_KEY", &key)
                .env("STEAD_DATABASE", database)
                .args(["serve", "--create", "--listen", "127.0.0.1:0"]),
        );
        assert!(said.contains(what) && said.contains(next), "{said}");
        assert!(!said.contains("try again"), "{said}");
    }
    let create = ["connections", "create", "mail", "--product", "mail"];
    assert_eq!(run(stead(folder).env("STEAD_KEY", &key).args(create)).0, 0);
    let said = refused(2, stead(folder).args(["backup", "none/copy.db"]));
    assert!(said.contains("the folder none doesn't exist"), "{said}");
}

#[test]
fn a_wrong_key_is_refused_with_a_fix_and_a_malformed_one_with_its_source() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = new_key(folder);
    let create = ["connections", "create", "mail", "--product", "mail"];
    assert_eq!(run(stead(folder).env("STEAD_KEY", &key).args(create)).0, 0);
    let other = new_key(folder);
    let list = || {
        let mut command = stead(folder);
        command.args(["connections", "list"]);
        command
    };
    let said = refused(78, list().env("STEAD_KEY", &other));
    assert!(said.contains("Give the key that encrypted it"), "{said}");
    let id = other.split(':').next().unwrap();
    assert!(said.contains(&format!("only these keys: {id}\n")), "{said}");

    let said = refused(78, list().env("STEAD_KEY", "hush"));
    assert!(
        said.starts_with("stead: STEAD_KEY: expected id:key"),
        "{said}"
    );
    let said = refused(78, list().env("STEAD_KEY_COMMAND", "echo hush"));
    assert!(
        said.starts_with("stead: the output of the key command: "),
        "{said}"
    );
    let said = refused(78, list().env("STEAD_KEY_COMMAND", "/none/kms"));
    assert!(said.contains("there is no such program"), "{said}");
}

#[test]
fn a_wrong_address_names_its_own_option() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    for (option, variable, url) in [
        (
            "--public-url",
            "STEAD_PUBLIC_URL",
            "http://stead.example.com",
        ),
        ("--proxy-url", "STEAD_PROXY_URL", "nonsense"),
        ("--verify-origin", "STEAD_VERIFY_ORIGINS", "nonsense"),
        ("--verify-url", "STEAD_VERIFY_URL", "nonsense"),
    ] {
        let said = refused(
            78,
            stead(directory.path())
                .env("STEAD_KEY", &key)
                .args(["serve", "--create", option, url]),
        );
        let last = said.lines().last().unwrap();
        let last: serde_json::Value = serde_json::from_str(last).unwrap();
        let remedy = last["fields"]["remedy"].as_str().unwrap();
        let expected = format!("Check {option} or the environment variable {variable}");
        assert!(remedy.starts_with(&expected), "{said}");
    }
}

#[test]
fn an_item_of_a_list_is_named_by_its_flag() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let create = ["credentials", "create", "--name", "x", "--scope", "nothing"];
    let said = refused(
        4,
        stead(directory.path()).env("STEAD_KEY", &key).args(create),
    );
    assert!(said.starts_with("stead: --scope: "), "{said}");
    let verify = ["audit", "verify", "--expect", "3:abc"];
    let said = refused(2, stead(directory.path()).args(verify));
    assert!(
        said.contains("expected NUMBER:HASH") && !said.contains("/expect"),
        "{said}"
    );
}

#[test]
fn a_bound_of_nothing_and_an_unknown_level_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for option in [
        "--max-requests",
        "--max-connections",
        "--max-calls",
        "--max-calls-per-product",
        "--max-calls-per-connection",
    ] {
        let said = refused(2, stead(directory.path()).args(["serve", option, "0"]));
        assert!(
            said.contains("expected a whole number of at least 1"),
            "{said}"
        );
    }
    let said = refused(
        2,
        stead(directory.path()).args(["tools", "--log", "verbose"]),
    );
    assert!(said.contains("\"verbose\" is not a log level"), "{said}");
}

#[test]
fn an_unknown_id_is_not_found_and_not_malformed() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = new_key(folder);
    let create = ["connections", "create", "mail", "--product", "mail"];
    assert_eq!(run(stead(folder).env("STEAD_KEY", &key).args(create)).0, 0);
    let with_key = |args: &[&str]| {
        let mut command = stead(folder);
        command.env("STEAD_KEY", &key).args(args);
        command
    };
    let said = refused(4, &mut with_key(&["keys", "retire", "key_x", "--json"]));
    assert!(said.contains("\"kind\":\"not_found\""), "{said}");
    let said = refused(4, &mut with_key(&["keys", "retire", "key_x"]));
    assert!(said.contains("  who acts         you\n"), "{said}");

    let said = refused(4, &mut with_key(&["executions", "--connection", "nope"]));
    assert!(said.contains("unknown_connection"), "{said}");
    let (code, out, said) = run(&mut with_key(&["executions", "--connection", "mail"]));
    assert_eq!(code, 0, "{said}");
    assert_eq!(out, "No calls match.\n");
}

#[test]
fn a_service_says_that_it_listens_once_all_its_addresses_are_free() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let used = listener.local_addr().unwrap().to_string();
    let (code, out, said) = run(stead(directory.path()).env("STEAD_KEY", &key).args([
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        &used,
    ]));
    assert_eq!((code, out.as_str()), (78, ""), "{said}");
    assert!(said.contains("--metrics-listen"), "{said}");
}

/// A PostgreSQL server that refuses everyone who comes, in the words of its protocol.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn postgres_refusing(code: &'static str, message: &'static str) -> String {
    use std::io::{Read as _, Write as _};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 1024];
            // It asks for TLS first: 8 bytes with the code 80877103.
            if stream.read(&mut request).is_ok_and(|read| read == 8) {
                let _ = stream.write_all(b"N");
                let _ = stream.read(&mut request);
            }
            let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
            let length = u32::try_from(fields.len() + 4).unwrap();
            let mut said = vec![b'E'];
            said.extend(length.to_be_bytes());
            said.extend(fields.bytes());
            let _ = stream.write_all(&said);
        }
    });
    format!("postgres://stead:hush@{address}/stead")
}

#[test]
fn a_wrong_password_or_database_is_a_wrong_setting_and_is_not_retried() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    for (code, message) in [
        ("28P01", "password authentication failed for user \"stead\""),
        ("3D000", "database \"stead\" does not exist"),
    ] {
        let url = postgres_refusing(code, message);
        let with = |args: &[&str]| {
            let mut command = stead(directory.path());
            command
                .env_remove("STEAD_DATABASE")
                .env("STEAD_DATABASE_URL", &url)
                .env("STEAD_KEY", &key)
                .args(args);
            command
        };
        let said = refused(78, &mut with(&["connections", "list"]));
        assert!(said.contains(message), "{said}");
        assert!(said.contains("STEAD_DATABASE_URL"), "{said}");
        for noise in ["try again", "the store", "meaning", "hush"] {
            assert!(!said.contains(noise), "{noise}: {said}");
        }
        let said = refused(78, &mut with(&["serve", "--listen", "127.0.0.1:0"]));
        let lines: Vec<serde_json::Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).expect("the log is JSON"))
            .collect();
        let [error] = lines.as_slice() else {
            panic!("one line says it: {said}")
        };
        assert_eq!(error["level"], "ERROR");
        assert_eq!(error["fields"]["exit_code"], 78);
        let text = error["fields"]["message"].as_str().unwrap();
        assert!(text.contains(message), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_spool_that_cannot_be_made_is_a_wrong_setting() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = new_key(folder);
    fs::write(folder.join("file"), "").unwrap();
    let said = refused(
        78,
        stead(folder)
            .env("STEAD_KEY", &key)
            .env("STEAD_SPOOL_DIR", folder.join("file/spool"))
            .args(["connections", "create", "mail", "--product", "mail"]),
    );
    assert!(said.contains("STEAD_SPOOL_DIR"), "{said}");
    assert!(!said.contains("try again"), "{said}");
}

#[test]
fn a_misspelled_variable_is_reported_with_a_suggestion() {
    let directory = tempfile::tempdir().unwrap();
    let (code, _, said) = run(stead(directory.path())
        .env("STEAD_METRIC_LISTEN", "127.0.0.1:0")
        .args(["tools", "--product", "mail"]));
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("STEAD_METRIC_LISTEN is not a setting")
            && said.contains("STEAD_METRICS_LISTEN"),
        "{said}"
    );
}

#[test]
fn two_options_with_the_same_address_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let said = refused(
        78,
        stead(directory.path()).env("STEAD_KEY", &key).args([
            "serve",
            "--create",
            "--listen",
            &address,
            "--metrics-listen",
            &address,
        ]),
    );
    assert!(
        said.contains("--metrics-listen and --listen name the same address"),
        "{said}"
    );
}
