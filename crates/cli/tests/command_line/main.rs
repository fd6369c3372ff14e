//! The binary as a person or a program uses it: its exit codes and messages.

mod connections;
mod credentials;
mod first_owner;
mod golden;
mod import;
mod keys;
mod products;
mod refusals;
#[cfg(unix)]
mod stopping;
mod store;
mod webhooks;

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn stead(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
    command
        .current_dir(directory)
        .env_clear()
        .env("STEAD_DATABASE", directory.join("stead.db"))
        .env("STEAD_PUBLIC_URL", "http://127.0.0.1:8484");
    command
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

fn new_key(directory: &Path) -> String {
    let (code, out, _) = run(stead(directory).args(["keys", "generate"]));
    assert_eq!(code, 0);
    out.trim()
        .strip_prefix("STEAD_KEY=")
        .expect("a key")
        .to_owned()
}

#[test]
fn serve_refuses_to_start_without_the_right_key() {
    let directory = tempfile::tempdir().unwrap();
    let serve = |key: Option<&str>| {
        run(stead(directory.path())
            .arg("serve")
            .envs(key.map(|key| ("STEAD_KEY", key))))
    };
    let (code, _, said) = serve(None);
    assert_eq!(code, 78, "{said}");
    assert!(said.contains("stead keys generate"), "{said}");

    let key = new_key(directory.path());
    let (code, out, said) = run(stead(directory.path()).env("STEAD_KEY", &key).args([
        "credentials",
        "create",
        "--name",
        "app",
    ]));
    assert_eq!(code, 0, "{said}");
    assert!(
        out.contains("app_") && out.contains("stead_secret_"),
        "{out}"
    );

    let other = new_key(directory.path());
    let (code, _, said) = serve(Some(&other));
    assert_eq!(code, 78, "{said}");
    let id = key.split(':').next().unwrap();
    assert!(said.contains(id), "the expected key is named: {said}");
    assert!(
        !said.contains(other.split(':').nth(1).unwrap()),
        "no key is repeated: {said}"
    );
    assert_eq!(serve(Some("nonsense")).0, 78);
}

#[test]
fn only_some_commands_create_a_missing_database() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let database = directory.path().join("stead.db");
    let done = |args: &[&str]| run(stead(directory.path()).env("STEAD_KEY", &key).args(args));
    for args in [
        &["serve", "--listen", "127.0.0.1:0"] as &[&str],
        &["connections", "list"],
        &["connections", "show", "mail"],
        &["connect", "mail", "user-1"],
        &[
            "call",
            "mail_fetch_mails",
            "--connection",
            "mail",
            "--identifier",
            "user-1",
        ],
        &["backup", "copy.db"],
    ] {
        let (code, _, said) = done(args);
        assert_eq!(code, 78, "{args:?}: {said}");
        let there_is_none = format!("there is no database {}", database.display());
        assert!(said.contains(&there_is_none), "{args:?}: {said}");
        assert!(said.contains("stead serve --create"), "{args:?}: {said}");
        assert!(!database.exists(), "{args:?}");
    }
    let (code, _, said) = done(&["connections", "create", "mail", "--product", "mail"]);
    assert_eq!(code, 0, "{said}");
    let (code, out, said) = done(&["connections", "list", "--json"]);
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("\"mail\""), "{out}");
}

#[test]
fn a_backup_opens_with_the_same_key_and_replaces_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let done = |database: &str, args: &[&str]| {
        run(stead(directory.path())
            .env("STEAD_KEY", &key)
            .env("STEAD_DATABASE", database)
            .args(args))
    };
    let create = ["connections", "create", "mail", "--product", "mail"];
    assert_eq!(done("stead.db", &create).0, 0);
    // A backup decrypts nothing, so it needs no key.
    let mut backup = stead(directory.path());
    let (code, _, said) = run(backup.args(["backup", "copy.db"]));
    assert_eq!(code, 0, "{said}");
    let (code, out, said) = done("copy.db", &["connections", "show", "mail", "--json"]);
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("\"mail\""), "{out}");
    let (code, _, said) = done("stead.db", &["backup", "copy.db"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("copy.db already exists"), "{said}");
}

#[cfg(unix)]
#[test]
fn warnings_are_text_for_people_and_json_lines_for_programs() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let warnings = |args: &[&str]| {
        let database = directory.path().join("stead.db");
        std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
        let (code, _, said) = run(stead(directory.path())
            .env("STEAD_KEY", &key)
            .args(["connections", "list"])
            .args(args));
        assert_eq!(code, 0, "{said}");
        said
    };
    std::fs::write(directory.path().join("stead.db"), "").unwrap();
    let said = warnings(&[]);
    assert!(said.contains("WARN") && !said.contains('{'), "{said}");
    let said = warnings(&["--json"]);
    let warning: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!(warning["level"], "WARN");
}

#[test]
fn completions_are_for_each_shell_and_the_manual_has_a_page_per_command() {
    let directory = tempfile::tempdir().unwrap();
    let print = |args: &[&str]| {
        let (code, out, said) = run(stead(directory.path()).args(args));
        assert_eq!(code, 0, "{said}");
        out
    };
    assert!(print(&["completions", "bash"]).contains("complete -F _stead"));
    assert!(print(&["completions", "zsh"]).starts_with("#compdef stead"));
    assert!(print(&["completions", "fish"]).contains("complete -c stead"));
    let page = print(&["man"]);
    assert!(
        page.contains(".TH stead 1") && page.contains("serve"),
        "{page}"
    );
    let page = print(&["man", "connections", "create"]);
    assert!(
        page.contains("client\\-id") && page.contains("STEAD_PRODUCT_CLIENT_SECRET"),
        "{page}"
    );
    assert_eq!(run(stead(directory.path()).args(["man", "nothing"])).0, 2);
}

#[test]
fn every_error_for_programs_is_one_object_of_one_shape() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let create = ["credentials", "create", "--name", "app"];
    let (code, _, said) = run(stead(directory.path()).env("STEAD_KEY", &key).args(create));
    assert_eq!(code, 0, "{said}");
    for (code, kind, args) in [
        (2, "command_line", &["nothing"] as &[&str]),
        (2, "command_line", &["connections"]),
        (2, "command_line", &["serve", "--listen", "8600"]),
        (2, "command_line", &["connect", "mail"]),
        (4, "invalid_request", &["tools", "--product", "post"]),
        (4, "unknown_connection", &["connections", "show", "nothing"]),
        (78, "configuration", &["serve", "--key-file", "nothing"]),
    ] {
        let (exit, out, said) = run(stead(directory.path())
            .env("STEAD_KEY", &key)
            .args(args)
            .arg("--json"));
        assert_eq!((exit, out.as_str()), (code, ""), "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
        let problem: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(problem["kind"], kind, "{problem}");
        assert_eq!(problem["type"], format!("urn:stead:error:{kind}"));
        assert_eq!(problem["exit_code"], code);
        for (member, is_text) in [
            ("title", true),
            ("detail", true),
            ("act_by", true),
            ("status", false),
        ] {
            assert_eq!(problem[member].is_string(), is_text, "{member}: {problem}");
        }
        assert_eq!(problem["retryable"], false);
    }
}

#[test]
fn errors_name_the_flags_and_list_everything_missing() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let fails = |code: i32, args: &[&str]| {
        let (exit, _, said) = run(stead(directory.path()).env("STEAD_KEY", &key).args(args));
        assert_eq!(exit, code, "{args:?}: {said}");
        said
    };
    let create = |name: &str, product: &str, more: &[&str]| {
        let args = [&["connections", "create", name, "--product", product], more].concat();
        run(stead(directory.path()).env("STEAD_KEY", &key).args(args))
    };
    assert_eq!(create("mail", "mail", &["--client-id", "a"]).0, 0);
    let (_, _, said) = create("wh", "warehouse", &[]);
    assert!(
        said.starts_with("stead: --settings '{\"account\": …}' is required: "),
        "{said}"
    );

    std::fs::write(directory.path().join("secret"), "hush").unwrap();
    let change = [
        "connections",
        "change",
        "mail",
        "--client-secret-file",
        "secret",
    ];
    assert_eq!(
        run(stead(directory.path()).env("STEAD_KEY", &key).args(change)).0,
        0
    );
    let said = fails(4, &["connect", "mail", "user-1"]);
    assert!(
        said.starts_with("stead: --verify-url is required: "),
        "{said}"
    );
    assert!(said.contains("--trust-whoever-has-the-link"), "{said}");

    let said = fails(2, &["serve", "--listen", "8600"]);
    assert!(said.contains("write 127.0.0.1:8600"), "{said}");
    let call = [
        "call",
        "mail_list_drafts",
        "--connection",
        "mail",
        "--identifier",
        "a",
    ];
    fails(4, &[&call as &[&str], &["--input", "@nofile"]].concat());
    let said = fails(4, &["read", "file_AAAA"]);
    assert!(said.contains("call the tool again"), "{said}");
    let said = fails(2, &["read", "file_AAAA", "--range", "9-1"]);
    assert!(said.contains("such as 0-65535"), "{said}");

    let (code, _, said) = run(stead(directory.path())
        .arg("serve")
        .env_remove("STEAD_DATABASE")
        .env_remove("STEAD_PUBLIC_URL"));
    assert_eq!(code, 78);
    for variable in ["STEAD_PUBLIC_URL", "STEAD_DATABASE", "STEAD_KEY"] {
        assert!(said.contains(variable), "{variable}: {said}");
    }
    let (code, _, said) = run(stead(directory.path())
        .arg("serve")
        .env("STEAD_KEY", &key)
        .env("STEAD_DATABASE", "postgres://me:hush@localhost/stead"));
    assert_eq!(code, 78);
    assert!(
        said.contains("STEAD_DATABASE_URL") && !said.contains("hush"),
        "{said}"
    );
    for (url, expected) in [
        ("postgres://me:hush@localhost/stead", "STEAD_DATABASE_URL"),
        ("postgres://me@localhost/stead?password=hush", "PGPASSFILE"),
        // `STEAD_DATABASE` already names a file, so there would be two databases.
        ("postgres://me@localhost/stead", "--database-url"),
    ] {
        let (code, _, said) = run(stead(directory.path())
            .args(["serve", "--database-url", url])
            .env("STEAD_KEY", &key));
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(expected) && !said.contains("hush"), "{said}");
    }
    let (code, _, said) = run(stead(directory.path())
        .arg("serve")
        .env_remove("STEAD_DATABASE")
        .env("STEAD_KEY", &key)
        .env("STEAD_DATABASE_URL", "mysql://me:hush@localhost/stead"));
    assert_eq!(code, 78);
    assert!(
        said.contains("expected postgres://") && !said.contains("hush"),
        "{said}"
    );
}

#[test]
fn connections_are_shown_with_the_steps_at_the_product() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let connections = |args: &[&str]| {
        let (code, out, said) = run(stead(directory.path())
            .env("STEAD_KEY", &key)
            .arg("connections")
            .args(args));
        assert_eq!(code, 0, "{said}");
        out
    };
    for product in ["mail", "calendar", "sheets", "drive", "workspace"] {
        connections(&["create", product, "--product", product]);
    }
    let settings = r#"{"account":"myorg-myaccount"}"#;
    connections(&[
        "create",
        "warehouse",
        "--product",
        "warehouse",
        "--settings",
        settings,
    ]);
    let all = connections(&["list"]);
    let first: Vec<&str> = all.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(first, ["NAME", "PRODUCT", "STATE", "CLIENT"]);
    for (product, steps) in [
        ("mail", "Gmail API"),
        ("calendar", "Google Calendar API"),
        ("sheets", "Google Sheets API"),
        ("drive", "Google Drive API"),
        ("workspace", "Capabilities"),
        ("warehouse", "CREATE SECURITY INTEGRATION"),
    ] {
        let shown: Value =
            serde_json::from_str(&connections(&["show", product, "--json"])).unwrap();
        let redirect_uri = shown["redirect_uri"].as_str().unwrap();
        let named: Vec<&str> = all
            .lines()
            .find(|line| line.ends_with(redirect_uri))
            .unwrap()
            .split_whitespace()
            .collect();
        assert_eq!(named, [product, redirect_uri], "{all}");
        let shown = connections(&["show", product]);
        assert!(
            shown.contains(steps) && !shown.contains("<redirect URI>"),
            "{shown}"
        );
        let (steps, scopes) = shown.split_once("\n\nScopes\n\n").unwrap();
        assert!(steps.contains("\n\nSet-up\n\n"), "{shown}");
        assert!(!scopes.trim().is_empty(), "{shown}");
        assert_eq!(shown.matches(redirect_uri).count(), 2, "{shown}");
    }
}

#[test]
fn a_broken_demo_names_the_tool_at_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let (code, out, _) = run(stead(directory.path()).args(["demo", "--break", "mail_list_drafts"]));
    assert_eq!(code, 1);
    let last = out.lines().last().unwrap();
    assert!(
        last.contains(" tools worked in ") && last.ends_with(" s; failed: mail_list_drafts"),
        "{last}"
    );
    // The texts after the names start in the same column.
    let columns = out
        .lines()
        .filter(|line| line.starts_with("  ok") || line.starts_with("  FAIL"))
        .map(|line| line.find(" ms  ").unwrap());
    let columns: std::collections::BTreeSet<usize> = columns.collect();
    assert_eq!(columns.len(), 1, "{out}");

    let (code, out, _) = run(stead(directory.path()).args(["demo", "--json"]));
    assert_eq!(code, 0);
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() > 45 && lines[0]["good"] == true, "{}", lines[0]);
    assert_eq!(lines.last().unwrap()["failed"], serde_json::json!([]));
}
