//! `stead keys`: its output for people and for programs, and its exit codes.

use std::path::Path;

use serde_json::Value;

use super::{import::database, new_key, run, stead};

/// Runs `stead keys` with a key.
fn keys(directory: &Path, key: &str, args: &[&str]) -> (i32, String, String) {
    run(stead(directory)
        .env("STEAD_KEY", key)
        .arg("keys")
        .args(args))
}

/// What `stead keys` prints with a key, where it succeeds.
#[track_caller]
fn done(directory: &Path, key: &str, args: &[&str]) -> String {
    let (code, out, said) = keys(directory, key, args);
    assert_eq!((code, said.as_str()), (0, ""), "{args:?}: {out}");
    for line in out.lines().filter(|line| !line.starts_with(['{', '['])) {
        assert!(line.chars().count() <= 80, "{args:?}: {line}");
    }
    out
}

/// The same as JSON.
#[track_caller]
fn json(directory: &Path, key: &str, args: &[&str]) -> Value {
    let out = done(directory, key, &[args, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {out}"))
}

/// The ids of the data keys, each with its state.
fn listed(directory: &Path, key: &str) -> Vec<(String, String)> {
    let all = json(directory, key, &["list"]);
    let all = all["data_keys"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    all.map(|one| (text(&one["key_id"]), text(&one["state"])))
        .collect()
}

fn ring_id(key: &str) -> &str {
    key.split(':').next().expect("an id")
}

#[test]
fn a_key_encrypts_everything_before_the_previous_one_is_retired() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = database(folder);
    let old = listed(folder, &key)[0].0.clone();
    let quiet = done(folder, &key, &["list", "--quiet"]);
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
    let out = done(folder, &key, &["add"]);
    let new = out.lines().next().unwrap().to_owned();
    let next = format!("\n  stead keys activate {new}\n");
    assert!(
        out.contains("You can activate it from 20") && out.ends_with(&next),
        "{out}"
    );
    assert_eq!(
        listed(folder, &key),
        [(&*old, "active"), (&*new, "added")].map(|(id, state)| (id.into(), state.into()))
    );

    // The active key can't be retired.
    let (code, _, said) = keys(folder, &key, &["retire", &old]);
    assert_eq!(code, 4, "{said}");

    let ring = ring_id(&key);
    let out = done(folder, &key, &["activate", &new, "--now"]);
    assert_eq!(out, format!("{new} is active, under {ring}\n"));
    let (code, _, said) = keys(folder, &key, &["retire", &old]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("`stead keys reencrypt`"), "{said}");
    let out = done(folder, &key, &["reencrypt"]);
    assert!(out.ends_with(" rows re-encrypted, 0 left\n"), "{out}");
    let again = done(folder, &key, &["reencrypt", "--json"]);
    assert_eq!(again.lines().last(), Some(r#"{"done":0,"left":0}"#));
    let out = done(folder, &key, &["retire", &old]);
    assert!(
        out.starts_with(&format!("{old} is retired, under {ring}\n")),
        "{out}"
    );
    assert!(out.contains("with your older backups"), "{out}");
    let retired = json(folder, &key, &["retire", &old]);
    assert_eq!(retired["state"], "retired");
    assert!(retired["retired_at"].is_string(), "{retired}");

    let (code, _, said) = keys(folder, &key, &["activate", &old, "--now"]);
    assert_eq!(code, 4, "{said}");
    let (code, _, said) = keys(folder, &key, &["activate", "key_none", "--json"]);
    let problem: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, &problem["exit_code"]), (4, &4.into()), "{said}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("key_none"), "{said}");
}

#[test]
fn a_rotation_replaces_the_data_key_and_moves_to_the_first_key_of_the_ring() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let old = database(folder);
    let first = listed(folder, &old)[0].0.clone();
    let new = new_key(folder);
    let both = format!("{new},{old}");

    let out = done(folder, &both, &["rewrap"]);
    assert_eq!(out, format!("{first} is active, under {}\n", ring_id(&new)));
    assert!(done(folder, &new, &["list"]).contains(&first));
    let out = done(folder, &both, &["rewrap"]);
    assert_eq!(
        out,
        "The first key of the key ring already encrypts every data key.\n"
    );
    assert_eq!(done(folder, &both, &["rewrap", "--quiet"]), "");

    let out = done(folder, &new, &["rotate", "--now"]);
    let states: Vec<String> = listed(folder, &new).into_iter().map(|one| one.1).collect();
    assert_eq!(states, ["retired", "active"], "{out}");
    let second = listed(folder, &new)[1].0.clone();
    for expected in [
        format!("{second} is active, under {}", ring_id(&new)),
        format!("{first} is retired, under {}", ring_id(&new)),
    ] {
        assert!(out.contains(&expected), "{expected}: {out}");
    }
    let lines = done(folder, &new, &["rotate", "--now", "--json"]);
    for line in lines.lines() {
        assert!(
            serde_json::from_str::<Value>(line).unwrap().is_object(),
            "{lines}"
        );
    }
    let opened =
        run(stead(folder)
            .env("STEAD_KEY", &new)
            .args(["connections", "show", "mail", "--json"]));
    assert!(
        opened.1.contains(r#""has_client_secret":true"#),
        "{opened:?}"
    );
}

#[test]
fn a_wrong_key_changes_nothing_and_the_right_one_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = database(folder);
    let before = listed(folder, &key);
    let (id, other) = (before[0].0.clone(), new_key(folder));
    for args in [
        &["list"] as &[&str],
        &["add"],
        &["activate", &id],
        &["reencrypt"],
        &["retire", &id],
        &["rewrap"],
        &["rotate", "--now"],
    ] {
        let (code, out, said) = keys(folder, &other, args);
        assert_eq!((code, out.as_str()), (78, ""), "{args:?}: {said}");
        assert!(said.contains("key_unavailable"), "{args:?}: {said}");
        assert!(said.contains(ring_id(&key)), "{args:?}: {said}");
        let secret = other.split(':').nth(1).unwrap();
        assert!(!said.contains(secret), "{args:?}: {said}");

        let (code, _, said) = keys(folder, &other, &[args, &["--json"]].concat());
        let problem: Value = serde_json::from_str(&said).unwrap();
        assert_eq!((code, &problem["kind"]), (78, &"key_unavailable".into()));
    }
    for wrong in ["nonsense", ""] {
        let (code, out, said) = keys(folder, wrong, &["list"]);
        assert_eq!((code, out.as_str()), (78, ""), "{wrong}: {said}");
    }
    let (code, _, said) = run(stead(folder).args(["keys", "list"]));
    assert_eq!(code, 78, "{said}");
    assert!(said.contains("stead keys generate"), "{said}");
    assert_eq!(listed(folder, &key), before);
}
