//! `stead connections` at a running service and in the database.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::Value;

use super::{new_key, run};

/// `stead dev` on free ports, which ends with the test.
pub(super) struct Dev {
    child: Child,
    facts: Value,
    /// Kept open, because it prints what happens.
    _out: BufReader<ChildStdout>,
}

impl Dev {
    pub(super) fn start(directory: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stead"))
            .args(["dev", "--json", "--listen", "127.0.0.1:0"])
            .args(["--sandbox-listen", "127.0.0.1:0"])
            .current_dir(directory)
            .env_clear()
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        out.read_line(&mut line).expect("text");
        Self {
            child,
            facts: serde_json::from_str(&line).expect("its facts"),
            _out: out,
        }
    }

    pub(super) fn fact(&self, name: &str) -> &str {
        self.facts[name].as_str().expect("a text")
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn connections_work_alike_at_a_service_and_in_the_database() {
    let directory = tempfile::tempdir().unwrap();
    let dev = Dev::start(directory.path());
    let key = new_key(directory.path());
    let [url, id, secret] = ["url", "client_id", "client_secret"].map(|name| dev.fact(name));
    let at_service = [
        ("STEAD_URL", url),
        ("STEAD_CLIENT_ID", id),
        ("STEAD_CLIENT_SECRET", secret),
    ];
    let in_database = [
        ("STEAD_DATABASE", "stead.db"),
        ("STEAD_PUBLIC_URL", "https://stead.example.com"),
        ("STEAD_KEY", key.as_str()),
    ];
    let connections = |environment: &[(&str, &str)], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
        command
            .current_dir(directory.path())
            .env_clear()
            .envs(environment.iter().copied())
            .arg("connections")
            .args(args)
            .arg("--json");
        run(&mut command)
    };
    for (environment, public_url) in [
        (&at_service, url),
        (&in_database, "https://stead.example.com"),
    ] {
        let done = |args: &[&str]| {
            let (code, out, said) = connections(environment, args);
            assert_eq!(code, 0, "{args:?}: {said}");
            out
        };
        let shown = |args: &[&str]| serde_json::from_str::<Value>(&done(args)).unwrap();
        let made = shown(&["create", "letters", "--product", "mail"]);
        assert_eq!(
            made["client_id"],
            Value::Null,
            "the application's client id is another one: {made}"
        );
        let redirect_uri = made["redirect_uri"].as_str().unwrap();
        assert!(redirect_uri.starts_with(&format!("{public_url}/sso/v1/oauth/conn_")));

        std::fs::write(directory.path().join("secret"), "top-secret\n").unwrap();
        let client = ["--client-id", "id", "--client-secret-file", "secret"];
        let changed = shown(&[&["change", "letters"] as &[&str], &client].concat());
        assert_eq!(
            (&changed["client_id"], &changed["state"]),
            (&"id".into(), &"ready".into())
        );
        assert_eq!(shown(&["show", "letters"]), changed);
        let listed = shown(&["list"]);
        assert!(listed.as_array().unwrap().contains(&changed), "{listed}");

        for misspelled in [
            &["show", "leters"] as &[&str],
            &["change", "leters", "--disable"],
            &["delete", "leters"],
        ] {
            let (code, _, said) = connections(environment, misspelled);
            let problem: Value = serde_json::from_str(&said).unwrap();
            assert_eq!(
                (code, &problem["kind"]),
                (4, &"unknown_connection".into()),
                "{said}"
            );
            assert_eq!(
                problem["detail"],
                "no connection has the name \"leters\"; did you mean letters?"
            );
        }
        done(&["delete", "letters"]);
        assert!(!done(&["list"]).contains("letters"));
    }

    let (_, _, said) = connections(&at_service, &["show", "meil"]);
    assert!(said.contains("; did you mean mail"), "{said}");
    // Elsewhere, these flags would be the application's. Here they're the product client's.
    let by_environment = [("STEAD_CLIENT_SECRET", secret)];
    let by_flags = ["--url", url, "--client-id", id];
    let show = [&["show", "mail"] as &[&str], &by_flags].concat();
    let (code, _, said) = connections(&by_environment, &show);
    assert_eq!(code, 0, "{said}");
    let by_flags = [
        &["change", "mail", "--client-id", "other", "--url", url] as &[&str],
        &["--app-client-id", id],
    ];
    let (code, out, said) = connections(&by_environment, &by_flags.concat());
    assert_eq!(code, 0, "{said}");
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap()["client_id"],
        "other"
    );
}

#[test]
fn connections_are_either_those_of_a_service_or_those_of_the_database() {
    let directory = tempfile::tempdir().unwrap();
    let list = |environment: &[(&str, &str)], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
        command
            .current_dir(directory.path())
            .env_clear()
            .envs(environment.iter().copied())
            .args(["connections", "list"])
            .args(args);
        let (code, out, said) = run(&mut command);
        assert_eq!(out, "");
        (code, said)
    };
    let url = "http://127.0.0.1:1";
    for (environment, args) in [
        (&[] as &[_], &["--url", url, "--database", "a.db"] as &[_]),
        (&[("STEAD_DATABASE", "a.db")], &["--url", url]),
        (&[("STEAD_URL", url), ("STEAD_DATABASE", "a.db")], &[]),
    ] {
        let (code, said) = list(environment, args);
        assert_eq!(code, 2, "{said}");
        assert!(
            said.starts_with("stead: both a service and a database are given\n"),
            "{said}"
        );
        for name in ["--url", "STEAD_URL", "--database", "STEAD_DATABASE"] {
            assert!(said.contains(name), "{name}: {said}");
        }
    }
    assert!(!directory.path().join("a.db").exists());

    let (code, said) = list(&[], &[]);
    assert_eq!(code, 78, "{said}");
    for name in [
        "neither a service nor a database is given",
        "--url",
        "STEAD_URL",
        "STEAD_CLIENT_ID",
        "STEAD_CLIENT_SECRET",
        "--database",
        "STEAD_DATABASE",
        "--public-url",
        "--key-file",
    ] {
        assert!(said.contains(name), "{name}: {said}");
    }
    let (code, said) = list(&[("STEAD_URL", url)], &[]);
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("STEAD_CLIENT_ID") && !said.contains("public URL"),
        "{said}"
    );
}
