//! `stead credentials` and `stead accounts` at a running service and in the database.

use std::process::Command;

use serde_json::Value;

use super::{connections::Dev, new_key, run};

#[test]
fn credentials_work_alike_at_a_service_and_in_the_database() {
    let directory = tempfile::tempdir().unwrap();
    let dev = Dev::start(directory.path());
    let key = new_key(directory.path());
    let at_service = [
        ("STEAD_URL", dev.fact("url")),
        ("STEAD_CLIENT_ID", dev.fact("client_id")),
        ("STEAD_CLIENT_SECRET", dev.fact("client_secret")),
    ];
    // No command here needs a public URL.
    let in_database = [("STEAD_DATABASE", "stead.db"), ("STEAD_KEY", key.as_str())];
    let stead = |environment: &[(&str, &str)], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
        command
            .current_dir(directory.path())
            .env_clear()
            .envs(environment.iter().copied())
            .args(args);
        run(&mut command)
    };
    for (environment, own) in [(&at_service[..], 1), (&in_database[..], 0)] {
        let done = |args: &[&str]| {
            let (code, out, said) = stead(environment, args);
            assert_eq!(code, 0, "{args:?}: {said}");
            // Lines to copy may be longer than 80 columns.
            let wrapped = |line: &&str| !args.contains(&"--json") && !line.starts_with("STEAD_");
            for line in out.lines().filter(wrapped) {
                assert!(line.chars().count() <= 80, "{args:?}: {line}");
            }
            out
        };
        let shown = |args: &[&str]| {
            let args = [&["credentials"], args, &["--json"]].concat();
            serde_json::from_str::<Value>(&done(&args)).unwrap()
        };
        let made = shown(&[
            "create",
            "--name",
            "agent",
            "--scope",
            "tools:execute:mail,accounts:read",
            "--rate",
            "60",
            "--expires-in",
            "90d",
        ]);
        let id = made["client_id"].as_str().unwrap();
        let first = made["secret_id"].as_str().unwrap();
        assert_eq!(made["rate_per_minute"], 60);
        let changed = shown(&["change", id, "--scope", "events:read", "--rate", "0"]);
        assert_eq!(changed["scopes"], serde_json::json!(["events:read"]));
        assert_eq!(changed["rate_per_minute"], Value::Null);
        let rotated = shown(&["rotate", id, "--old-expires-in", "1h"]);
        assert_ne!(rotated["client_secret"], made["client_secret"]);
        let shown_now = shown(&["show", id]);
        assert_eq!(shown_now["secrets"].as_array().unwrap().len(), 2);
        assert!(!shown_now.to_string().contains("stead_secret_"));
        let listed = shown(&["list"]);
        assert_eq!(listed.as_array().unwrap().len(), own + 1, "{listed}");
        assert_eq!(listed[own], shown_now);
        let left = shown(&["revoke", id, "--secret", first]);
        assert_eq!(left["secrets"][0]["secret_id"], rotated["secret_id"]);
        for text in [&["list"] as &[&str], &["show", id], &["rotate", id]] {
            done(&[&["credentials"], text].concat());
        }
        let said = done(&["credentials", "revoke", id]);
        assert_eq!(said, format!("Revoked {id}.\n"));
        let (code, _, said) = stead(environment, &["credentials", "show", id]);
        assert_eq!(code, 4, "{said}");
        let wrong = [
            "credentials",
            "create",
            "--name",
            "x",
            "--scope",
            "event:read",
        ];
        let (code, _, said) = stead(environment, &wrong);
        assert_eq!(code, 4, "{said}");
        assert!(said.contains("did you mean events:read"), "{said}");

        // `dev` creates a link for its own user.
        let listed = ["accounts", "list", "--user", "u1"];
        assert_eq!(done(&listed), "No accounts match.\n");
        assert_eq!(done(&[&listed[..], &["--json"]].concat()), "[]\n");
        let (code, _, said) = stead(environment, &["accounts", "suspend", "mail", "u1"]);
        assert_eq!(code, 4, "{said}");
    }
    let token = ["account-tokens", "create", "--expires-in", "1"];
    let account = ["--connection", "mail", "--identifier", "ada"];
    let (code, _, said) = stead(&at_service, &[token, account].concat());
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("--expires-in"), "{said}");
}
