//! `stead accounts import` and `export`: their output and exit codes, and that no token is printed.

use std::{fmt::Write as _, fs, path::Path, process::Stdio};

use age::secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::{new_key, run, stead};

const SCOPE: &str = "https://www.googleapis.com/auth/gmail.modify";

/// A database with a connection, and the key of its ring.
pub(super) fn database(folder: &Path) -> String {
    let key = new_key(folder);
    fs::write(folder.join("secret"), "top-secret\n").expect("a folder that takes a file");
    let create = ["connections", "create", "mail", "--product", "mail"];
    let client = ["--client-id", "id", "--client-secret-file", "secret"];
    let mut command = stead(folder);
    let (code, _, said) = run(command.env("STEAD_KEY", &key).args(create).args(client));
    assert_eq!(code, 0, "{said}");
    key
}

/// Runs `stead accounts`; it prints no token.
#[track_caller]
fn accounts(folder: &Path, key: &str, args: &[&str]) -> (i32, String, String) {
    let mut command = stead(folder);
    let (code, out, said) = run(command.env("STEAD_KEY", key).arg("accounts").args(args));
    assert!(!format!("{out}{said}").contains("CANARY"), "{out}{said}");
    (code, out, said)
}

fn line(user: usize) -> Value {
    json!({
        "connection_name": "mail", "identifier": format!("user-{user}"), "scopes": [SCOPE],
        "access_token": format!("CANARY-{user}"), "refresh_token": format!("CANARY-refresh-{user}"),
    })
}

fn lines(users: impl IntoIterator<Item = usize>) -> String {
    users.into_iter().fold(String::new(), |mut all, user| {
        writeln!(all, "{}", line(user)).expect("memory");
        all
    })
}

/// The summary that is printed for programs, behind the lines that were refused.
fn summary(out: &str) -> Value {
    serde_json::from_str(out.lines().last().unwrap_or_default()).unwrap_or_else(|_| panic!("{out}"))
}

#[test]
fn a_dry_run_predicts_an_import_and_repeating_it_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = database(folder);
    fs::write(folder.join("in.jsonl"), lines(0..3)).unwrap();
    let file = ["import", "in.jsonl"];
    let (code, out, said) = accounts(folder, &key, &[&file[..], &["--dry-run"]].concat());
    assert_eq!((code, said.as_str()), (0, ""));
    assert_eq!(out, "3 lines: 3 created. Nothing was written.\n");
    assert_eq!(accounts(folder, &key, &["list", "--json"]).1, "[]\n");

    let (code, out, said) = accounts(folder, &key, &file);
    assert_eq!((code, said.as_str()), (0, ""));
    assert_eq!(out, "3 lines: 3 created.\n");
    let (_, listed, _) = accounts(folder, &key, &["list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let states: Vec<&Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["state"])
        .collect();
    assert_eq!(states, ["active"; 3]);

    let (code, out, _) = accounts(folder, &key, &[&file[..], &["--json"]].concat());
    assert_eq!(code, 0);
    let expected = json!({
        "dry_run": false, "lines": 3, "created": 0, "replaced": 0, "unchanged": 3, "skipped": 0, "refused": 0,
    });
    assert_eq!(summary(&out), expected);
}

#[test]
fn wrong_lines_are_named_and_the_others_are_imported() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = database(folder);
    let mut empty = line(2);
    empty["access_token"] = "".into();
    let mut unknown = line(3);
    unknown["metadata"] = json!({ "note": "CANARY" });
    let text = format!(
        "{}\n\n{empty}\n{unknown}\n{{\"CANARY\n{}\n",
        line(1),
        line(4)
    );
    fs::write(folder.join("in.jsonl"), text).unwrap();
    let (code, out, said) = accounts(folder, &key, &["import", "in.jsonl"]);
    assert_eq!(code, 4, "{said}");
    assert_eq!(out, "5 lines: 2 created, 3 refused.\n");
    for expected in [
        "line 3: /access_token: the access token is empty\n",
        "line 4: /metadata: ",
        "line 5: the body: the line isn't JSON\n",
        "stead: 3 of 5 lines were refused",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let (code, out, _) = accounts(folder, &key, &["import", "in.jsonl", "--json"]);
    assert_eq!(code, 4);
    let mut refused: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let summary = refused.pop().unwrap();
    assert_eq!(
        (&summary["unchanged"], &summary["refused"]),
        (&json!(2), &json!(3))
    );
    let mut numbers: Vec<u64> = refused
        .iter()
        .map(|one| one["line"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [3, 4, 5]);
}

#[test]
fn accounts_that_exist_are_left_or_replaced_as_asked() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = database(folder);
    fs::write(folder.join("in.jsonl"), lines(1..2)).unwrap();
    assert_eq!(accounts(folder, &key, &["import", "in.jsonl"]).0, 0);
    let mut other = line(1);
    other["access_token"] = "CANARY-other".into();
    fs::write(folder.join("other.jsonl"), other.to_string()).unwrap();
    for (options, code, expected) in [
        (&[][..], 4, "1 line: 1 refused.\n"),
        (&["--skip-existing"], 0, "1 line: 1 skipped.\n"),
        (&["--replace"], 0, "1 line: 1 replaced.\n"),
        (&["--replace"], 0, "1 line: 1 unchanged.\n"),
        (&["--replace", "--skip-existing"], 2, ""),
    ] {
        let args = [&["import", "other.jsonl"], options].concat();
        let (ended, out, said) = accounts(folder, &key, &args);
        assert_eq!(
            (ended, out.as_str()),
            (code, expected),
            "{options:?}: {said}"
        );
    }
}

#[test]
fn lines_of_another_platform_come_from_standard_input_under_our_names() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = database(folder);
    let connection = json!({
        "connection_id": "c1", "provider_config_key": "google-mail", "tags": { "end_user_id": "user-1" },
        "credentials": {
            "type": "OAUTH2", "access_token": "CANARY", "refresh_token": "CANARY", "raw": { "scope": SCOPE },
        },
    });
    let import = |names: &[&str]| {
        let mut command = stead(folder);
        command
            .env("STEAD_KEY", &key)
            .args(["accounts", "import", "-", "--from", "nango"]);
        let piped = command
            .args(names)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, connection.to_string().as_bytes()).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    assert_eq!(import(&[]), (Some(4), "1 line: 1 refused.\n".into()));
    let named = import(&["--map", "google-mail=mail"]);
    assert_eq!(named, (Some(0), "1 line: 1 created.\n".into()));
    let again = import(&["--connection", "mail"]);
    assert_eq!(again, (Some(0), "1 line: 1 unchanged.\n".into()));
}

/// The file of an export, encrypted to this key.
fn exported(folder: &Path, key: &str, to: &age::x25519::Identity) -> Vec<u8> {
    let mut command = stead(folder);
    let to = to.to_public().to_string();
    command
        .env("STEAD_KEY", key)
        .args(["accounts", "export", "--to", &to]);
    let output = command.output().expect("a binary that runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("Exported "), "{said}");
    output.stdout
}

#[test]
fn an_export_needs_its_key_and_an_interrupted_import_resumes() {
    const USERS: usize = 700;
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = database(here.path());
    fs::write(here.path().join("in.jsonl"), lines(0..USERS)).unwrap();
    let (code, out, said) = accounts(here.path(), &key, &["import", "in.jsonl"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "700 lines: 700 created.\n"),
        "{said}"
    );
    let (code, out, _) = accounts(here.path(), &key, &["export"]);
    assert_eq!(
        (code, out.as_str()),
        (2, ""),
        "there is no export without a key"
    );

    let [identity, other] = [(); 2].map(|()| age::x25519::Identity::generate());
    let file = exported(here.path(), &key, &identity);
    assert!(!file.windows(6).any(|part| part == b"CANARY"));

    let folder = there.path();
    let key = database(folder);
    fs::write(folder.join("all.age"), &file).unwrap();
    fs::write(folder.join("part.age"), &file[..file.len() - 10]).unwrap();
    for (name, identity) in [("key.txt", &identity), ("other.txt", &other)] {
        fs::write(folder.join(name), identity.to_string().expose_secret()).unwrap();
    }
    let import = |file: &str, identity: &[&str]| {
        accounts(
            folder,
            &key,
            &[&["import", file, "--json"], identity].concat(),
        )
    };
    assert_eq!(import("all.age", &[]).0, 2);
    assert_eq!(import("all.age", &["--identity", "other.txt"]).0, 78);
    let (code, out, said) = import("part.age", &["--identity", "key.txt"]);
    assert_eq!(code, 78, "{said}");
    let created = summary(&out)["created"].as_u64().unwrap();
    assert!((100..USERS as u64).contains(&created), "{out}");

    let (code, out, said) = import("all.age", &["--identity", "key.txt"]);
    assert_eq!(code, 0, "{said}");
    let summary = summary(&out);
    assert_eq!(summary["unchanged"], created);
    assert_eq!(summary["created"], USERS as u64 - created);
}
