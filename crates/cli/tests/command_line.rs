//! The binary as a person or a program uses it: exit codes, and what it says.

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
fn connections_are_kept_with_their_redirect_uri() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let connections = |args: &[&str]| {
        run(stead(directory.path())
            .env("STEAD_KEY", &key)
            .arg("connections")
            .args(args))
    };
    let (code, out, said) = connections(&["create", "mail", "--product", "mail"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        out.contains("http://127.0.0.1:8484/sso/v1/oauth/conn_") && out.contains("/callback"),
        "{out}"
    );

    std::fs::write(directory.path().join("secret"), "top-secret\n").unwrap();
    let change = [
        "change",
        "mail",
        "--client-id",
        "id",
        "--client-secret-file",
        "secret",
    ];
    assert_eq!(connections(&change).0, 0);
    let (_, out, _) = connections(&["show", "mail", "--json"]);
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (
            shown["state"].as_str(),
            shown["has_client_secret"].as_bool()
        ),
        (Some("ready"), Some(true))
    );
    assert!(!out.contains("top-secret"));

    let (code, _, said) = connections(&["create", "mail", "--product", "mail"]);
    assert_eq!(code, 4, "{said}");
    let (code, _, said) = connections(&["show", "nothing", "--json"]);
    assert_eq!(code, 4);
    assert_eq!(
        serde_json::from_str::<Value>(&said).unwrap()["kind"],
        "unknown_connection"
    );
}

#[test]
fn the_catalogue_is_an_array_for_programs() {
    let directory = tempfile::tempdir().unwrap();
    let (code, out, _) = run(stead(directory.path()).args(["tools", "--json"]));
    assert_eq!(code, 0);
    let tools: Value = serde_json::from_str(&out).unwrap();
    for tool in tools.as_array().unwrap() {
        for member in [
            "name",
            "product",
            "tool_version",
            "schema_version",
            "effect",
            "description",
        ] {
            assert!(tool[member].is_string(), "{member}: {tool}");
        }
        assert!(
            tool["scopes"].is_array() && tool["input_schema"]["type"] == "object",
            "{tool}"
        );
    }
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
