//! Compares the output of the commands, plain and with `--json`, with the files in
//! `tests/golden/cli`. `UPDATE_GOLDEN=1 cargo test -p stead-cli --test command_line -- golden`
//! writes the files.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod normal;

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};

use super::{connections::Dev, new_key, run};
use normal::Normal;

/// Commands at `stead dev`, and what they printed.
struct Walk {
    directory: tempfile::TempDir,
    /// `stead dev`, or else a database with its key.
    dev: Option<Dev>,
    key: String,
    normal: Normal,
    records: Vec<Value>,
}

impl Walk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let dev = Dev::start(directory.path());
        let mut normal = Normal::default();
        normal.literal(dev.fact("url"), "http://127.0.0.1:8484");
        Self {
            directory,
            dev: Some(dev),
            key: String::new(),
            normal,
            records: Vec::new(),
        }
    }

    /// The same in a database, which has a connection.
    fn in_database() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let key = new_key(directory.path());
        let mut normal = Normal::default();
        normal.literal(key.split(':').next().unwrap(), "(ring key)");
        let mut walk = Self {
            directory,
            dev: None,
            key,
            normal,
            records: Vec::new(),
        };
        walk.run("connections create mail --product mail");
        walk
    }

    /// Runs a command and keeps what it prints; returns its JSON, if that was asked for.
    fn run(&mut self, line: &str) -> Value {
        self.with(line, &[])
    }

    /// The same with arguments that have spaces.
    fn with(&mut self, line: &str, more: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
        command
            .current_dir(self.directory.path())
            .env_clear()
            .args(line.split(' '))
            .args(more);
        match &self.dev {
            Some(dev) => command.envs([
                ("STEAD_URL", dev.fact("url")),
                ("STEAD_CLIENT_ID", dev.fact("client_id")),
                ("STEAD_CLIENT_SECRET", dev.fact("client_secret")),
            ]),
            None => command.envs([
                ("STEAD_DATABASE", "stead.db"),
                ("STEAD_PUBLIC_URL", "https://stead.example.com"),
                ("STEAD_KEY", self.key.as_str()),
            ]),
        };
        let (code, out, said) = run(&mut command);
        let json = serde_json::from_str::<Value>(&out);
        let mut record = json!({
            "command": self.normal.line(&[&[line], more].concat().join(" ")),
            "exit": code,
        });
        if !out.is_empty() {
            record["out"] = match &json {
                Ok(value) => self.normal.value("", value),
                Err(_) => self.lines(&out),
            };
        }
        if !said.is_empty() {
            record["err"] = match serde_json::from_str::<Value>(&said) {
                Ok(value) => self.normal.value("", &value),
                Err(_) => self.lines(&said),
            };
        }
        self.records.push(record);
        json.unwrap_or_default()
    }

    /// A command that only reads, plain and as JSON; returns the JSON.
    fn both(&mut self, line: &str) -> Value {
        self.run(line);
        self.run(&format!("{line} --json"))
    }

    /// Each line; one of JSON by its members.
    fn lines(&mut self, text: &str) -> Value {
        let lines = text
            .lines()
            .map(|line| match serde_json::from_str::<Value>(line) {
                Ok(value) if value.is_object() => self.normal.value("", &value),
                _ => Value::from(self.normal.line(line)),
            });
        lines.collect()
    }

    fn end(self, name: &str) {
        let path = PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/golden/cli"
        ));
        let path = path.join(format!("{name}.json"));
        let now = Value::from(self.records);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, format!("{now:#}\n")).unwrap();
            return;
        }
        let stored = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let stored: Value = serde_json::from_str(&stored).unwrap();
        let (stored, now) = (stored.as_array().unwrap(), now.as_array().unwrap());
        for (stored, now) in stored.iter().zip(now) {
            assert!(
                stored == now,
                "golden/cli/{name}.json\n- {stored:#}\n+ {now:#}"
            );
        }
        assert_eq!(stored.len(), now.len(), "golden/cli/{name}.json");
    }
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member]
        .as_str()
        .unwrap_or_else(|| panic!("no {member}: {value}"))
}

#[test]
fn connections() {
    let mut walk = Walk::new();
    walk.both("connections list");
    walk.run("connections create letters --product mail");
    walk.run("connections create post --product mail --json");
    walk.run("connections create letters --product mail");
    walk.both("connections show letters");
    fs::write(walk.directory.path().join("secret"), "top-secret\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let secret = walk.directory.path().join("secret");
        fs::set_permissions(secret, fs::Permissions::from_mode(0o600)).unwrap();
    }
    walk.run("connections change letters --client-id id --client-secret-file secret");
    walk.run("connections change post --disable --json");
    walk.both("connections show nothing");
    walk.run("connections delete letters");
    walk.run("connections delete post --json");
    walk.end("connections");
}

#[test]
fn accounts() {
    let mut walk = Walk::new();
    walk.both("accounts list --connection mail --state active");
    walk.both("accounts show mail ada");
    walk.run("accounts suspend mail ada");
    walk.run("accounts resume mail ada --json");
    walk.run("accounts refresh mail ada --json");
    walk.both("accounts show mail nobody");
    walk.run("accounts disconnect mail ada");
    walk.run("accounts disconnect mail user-1 --erase --json");
    walk.run("accounts disconnect mail nobody --json");
    walk.run("connect mail newcomer");
    walk.run("connect mail newcomer --json");
    fs::write(
        walk.directory.path().join("accounts.jsonl"),
        "{\"connection_name\": \"mail\", \"identifier\": \"user-7\", \"access_token\": \"ya29.a\", \"scopes\": []}\n",
    )
    .unwrap();
    walk.both("accounts import accounts.jsonl --dry-run");
    walk.run("accounts import accounts.jsonl");
    walk.end("accounts");
}

#[test]
fn account_tokens() {
    let mut walk = Walk::new();
    walk.run("account-tokens create --connection mail --identifier ada --access read");
    let made =
        walk.run("account-tokens create --connection mail --identifier ada --access write --json");
    walk.both("account-tokens list --connection mail --identifier ada");
    if let Some(id) = made["token_id"].as_str() {
        walk.run(&format!(
            "account-tokens delete {id} --connection mail --identifier ada"
        ));
    }
    walk.both("account-tokens list --connection mail --identifier nobody");
    walk.end("account_tokens");
}

#[test]
fn mcp_sessions() {
    let mut walk = Walk::new();
    walk.run("mcp-sessions create --identifier ada");
    let made =
        walk.run("mcp-sessions create --identifier grace --connection mail --read-only --json");
    walk.both("mcp-sessions list");
    if let Some(id) = made["session_id"].as_str() {
        walk.run(&format!("mcp-sessions delete {id}"));
    }
    walk.both("mcp-sessions delete mcp_1");
    walk.end("mcp_sessions");
}

#[test]
fn policies_and_approvals() {
    let mut walk = Walk::new();
    let policy = r#"{"name": "everyone", "environment": true, "requires_approval": {"tools": ["mail_list_drafts"]}}"#;
    fs::write(walk.directory.path().join("policy.json"), policy).unwrap();
    walk.both("policy set policy.json");
    walk.both("policy list");
    walk.both("policy show everyone");
    walk.both("policy show nothing");
    walk.both("policy test --tool mail_list_drafts");
    walk.both("call mail_list_drafts --connection mail --identifier ada");
    let waiting = walk.both("approvals list");
    if let Some(id) = waiting[0]["approval_id"].as_str() {
        walk.both(&format!("approvals show {id}"));
        walk.both(&format!("approvals approve {id}"));
        walk.both(&format!("approvals deny {id}"));
    }
    walk.both("approvals show appr_1");
    walk.run("policy delete everyone");
    walk.end("policies");
}

#[test]
fn credentials() {
    let mut walk = Walk::new();
    walk.run("credentials create --name plain");
    let made = walk.run("credentials create --name agent --scope tools:execute:mail --rate 60 --expires-in 90d --json");
    let id = text(&made, "client_id").to_owned();
    walk.both("credentials list");
    walk.both(&format!("credentials show {id}"));
    walk.both(&format!("credentials change {id} --rate 0"));
    walk.run(&format!("credentials rotate {id}"));
    walk.run(&format!("credentials rotate {id} --json"));
    walk.run(&format!("credentials revoke {id}"));
    walk.both("credentials show app_1");
    walk.end("credentials");
}

#[test]
fn members() {
    let mut walk = Walk::new();
    walk.run("members invite ada@example.com --role owner");
    walk.run("members invite bob@example.com --role viewer --json");
    walk.both("members list");
    walk.run("members disable bob@example.com");
    walk.run("members enable bob@example.com --json");
    walk.run("members reset-password bob@example.com");
    walk.both("members disable nobody@example.com");
    walk.end("members");
}

#[test]
fn keys() {
    let mut walk = Walk::in_database();
    walk.both("keys list");
    walk.run("keys add");
    let added = walk.run("keys add --json");
    let id = text(&added, "key_id").to_owned();
    walk.run(&format!("keys activate {id}"));
    walk.run(&format!("keys activate {id} --now --json"));
    walk.both("keys reencrypt");
    walk.both("keys list");
    walk.both("keys rewrap");
    walk.both("keys retire key_1");
    walk.end("keys");
}

#[test]
fn webhooks() {
    let mut walk = Walk::new();
    let url = "http://127.0.0.1:9/hook";
    walk.run(&format!("webhooks create {url} --event connection.deleted"));
    let made = walk.run(&format!(
        "webhooks create {url} --event connection.deleted --json"
    ));
    let id = text(&made, "id").to_owned();
    walk.both("webhooks list");
    for command in ["show", "deliveries", "disable", "enable", "rotate"] {
        walk.both(&format!("webhooks {command} {id}"));
    }
    walk.both("webhooks show hook_1");
    walk.run(&format!("webhooks delete {id}"));
    walk.end("webhooks");
}

/// Commands that follow from the declarations of operations.
#[test]
fn derived() {
    let mut walk = Walk::new();
    let made = walk.run("members invite ada@example.com --role owner --json");
    let id = text(&made, "member_id").to_owned();
    walk.both(&format!("members show {id}"));
    walk.both("members show mem_1");
    walk.run(&format!("members delete {id}"));
    let made = walk.run("webhooks create http://127.0.0.1:9/hook --json");
    let id = text(&made, "id").to_owned();
    walk.run(&format!("webhooks change {id} --new-url http://127.0.0.1:9/other --events account.* --disabled --json"));
    walk.both(&format!("webhooks change {id} --events nothing.at.all"));
    walk.both("authorizations verify auth_1 --identifier ada");
    walk.run("webhooks change");
    walk.end("derived");
}

#[test]
fn calls() {
    let mut walk = Walk::new();
    walk.both("tools --product sheets");
    walk.both("tools --product post");
    walk.both("call mail_list_drafts --connection mail --identifier ada");
    walk.both("call mail_list_draft --connection mail --identifier ada");
    walk.with(
        "call mail_fetch_mails --connection mail --identifier ada --json",
        &["--input", r#"{"max_results": "many"}"#],
    );
    walk.both("read file_AAAA");
    walk.both("executions --limit 1 --tool nothing");
    walk.both("events --type key.added");
    walk.both("audit list --action key.added");
    walk.both("audit list --action policy.set");
    walk.end("calls");
}
