//! Stead as an operator runs it: a database that its own commands created, and `stead serve` over it.

use std::{
    fs::{self, File},
    io::{BufWriter, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{
    load::Load,
    process::{Running, free_port, output},
};
use crate::shell;

/// A tool that sends one request.
pub(crate) const TOOL: &str = "mail_list_drafts";
/// The path that raw requests read.
const PATH: &str = "/gmail/v1/users/me/profile";
const MCP_REVISION: &str = "2026-07-28";

/// An SQLite file with a mail connection, an application, and imported accounts.
pub(crate) struct Database {
    pub(crate) accounts: usize,
    folder: PathBuf,
    binary: PathBuf,
    port: u16,
    key: String,
    client_id: String,
    client_secret: String,
}

impl Database {
    pub(crate) fn make(binary: &Path, folder: &Path, stub: u16, accounts: usize) -> Result<Self> {
        // Removes the files of an earlier run.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        // The stub has no quota, so Stead doesn't have to keep one.
        let settings = format!(
            "private_hosts = [\"127.0.0.1\"]\n[products.mail]\nrate_limited = false\n\
             [products.mail.origins]\ngmail = \"http://127.0.0.1:{stub}\"\npeople = \"http://127.0.0.1:{stub}\"\n"
        );
        fs::write(folder.join("stead.toml"), settings)?;
        let mut database = Self {
            accounts,
            folder: folder.to_owned(),
            binary: binary.to_owned(),
            port: free_port()?,
            key: String::new(),
            client_id: String::new(),
            client_secret: String::new(),
        };
        database.key = text(&database.json("keys generate")?, "key")?;
        database.json("connections create mail --product mail --client-id bench")?;
        let application = database.json("credentials create --rate 0 --name bench")?;
        database.client_id = text(&application, "client_id")?;
        database.client_secret = text(&application, "client_secret")?;
        database.import()?;
        Ok(database)
    }

    fn import(&self) -> Result<()> {
        let path = self.folder.join("accounts.jsonl");
        let mut file = BufWriter::new(File::create(&path)?);
        for number in 0..self.accounts {
            let account = json!({
                "connection_name": "mail", "identifier": user(number), "access_token": token(),
                "scopes": ["https://mail.google.com/"],
            });
            writeln!(file, "{account}")?;
        }
        file.flush()?;
        println!("importing {} accounts", self.accounts);
        self.json(&format!("accounts import {}", path.display()))?;
        fs::remove_file(path)?;
        Ok(())
    }

    /// Returns what a command of the binary prints as JSON.
    fn json(&self, line: &str) -> Result<Value> {
        let text = output(self.command().arg("--json").args(line.split(' ')))?;
        serde_json::from_str(&text).with_context(|| format!("`stead {line}` prints no JSON"))
    }

    fn command(&self) -> Command {
        let address = format!("127.0.0.1:{}", self.port);
        let mut command = Command::new(&self.binary);
        command
            .env("STEAD_PUBLIC_URL", format!("http://{address}"))
            .env("STEAD_LISTEN", address)
            .env("STEAD_CONFIG", self.folder.join("stead.toml"))
            .env("STEAD_PRODUCT_CLIENT_SECRET", "secret")
            .env("STEAD_KEY", &self.key)
            .env("STEAD_DATABASE", self.file());
        command
    }

    fn file(&self) -> PathBuf {
        self.folder.join("stead.db")
    }

    /// The size of the file in bytes, including its log if there is one.
    pub(crate) fn bytes(&self) -> Result<f64> {
        let log = fs::metadata(self.folder.join("stead.db-wal"));
        Ok((fs::metadata(self.file())?.len() + log.map_or(0, |log| log.len())) as f64)
    }

    /// Starts the service, and waits until it's healthy.
    pub(crate) fn serve(&self) -> Result<Service> {
        let path = self.folder.join("serve.log");
        let log = File::options().create(true).append(true).open(&path)?;
        let mut command = self.command();
        command.arg("serve").stdout(log.try_clone()?).stderr(log);
        let (port, began) = (self.port, shell::now());
        let mut process = Running::start(command)?;
        process
            .wait_until(|| is_ok(port, "/healthz"))
            .with_context(|| format!("stead serve; see {}", path.display()))?;
        Ok(Service {
            process,
            port,
            started_in: began.elapsed(),
            bearer: String::new(),
            mcp_bearer: String::new(),
        })
    }

    /// The same, with a signed-in application. Its tokens last an hour.
    pub(crate) fn serve_calls(&self) -> Result<Service> {
        let mut service = self.serve()?;
        let (id, secret) = (&self.client_id, &self.client_secret);
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        let form_type = "content-type: application/x-www-form-urlencoded\r\n";
        let response = post(self.port, "/oauth/token", form_type, &form)?;
        service.bearer = text(&response, "access_token")?;
        let session =
            json!({ "identifier": user(0), "view": "full", "verify_url": "http://127.0.0.1/back" });
        let headers = format!(
            "content-type: application/json\r\nauthorization: Bearer {}\r\n",
            service.bearer
        );
        let response = post(
            self.port,
            "/v1/mcp-sessions",
            &headers,
            &session.to_string(),
        )?;
        service.mcp_bearer = text(&response, "token")?;
        Ok(service)
    }
}

pub(crate) struct Service {
    pub(crate) process: Running,
    /// The time from the start of the process to its first response to `/healthz`.
    pub(crate) started_in: Duration,
    port: u16,
    bearer: String,
    mcp_bearer: String,
}

impl Service {
    pub(crate) fn wait_until_ready(&mut self) -> Result<()> {
        let port = self.port;
        self.process.wait_until(|| is_ok(port, "/readyz"))
    }

    /// Raw requests that use this many accounts in turn.
    pub(crate) fn proxied(&self, accounts: usize) -> Load {
        let paths = (0..accounts).map(|number| format!("/proxy/mail/{}{PATH}", user(number)));
        self.load(paths.collect(), &self.bearer)
    }

    pub(crate) fn tool(&self) -> Load {
        let body = json!({ "connection_name": "mail", "identifier": user(0), "input": {} });
        Load {
            body: Some(body.to_string()),
            ..self.load(vec![format!("/v1/tools/{TOOL}/execute")], &self.bearer)
        }
    }

    /// The tool's call, as a client sends it with the newest revision of MCP.
    pub(crate) fn mcp(&self) -> Load {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MCP_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": TOOL, "arguments": {}, "_meta": meta } });
        let mut load = self.load(vec!["/mcp".to_owned()], &self.mcp_bearer);
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", MCP_REVISION),
            ("mcp-method", "tools/call"),
            ("mcp-name", TOOL),
        ];
        load.headers
            .extend(headers.map(|(name, value)| (name, value.to_owned())));
        load.body = Some(call.to_string());
        load
    }

    fn load(&self, paths: Vec<String>, bearer: &str) -> Load {
        Load {
            port: self.port,
            paths,
            headers: vec![("authorization", format!("Bearer {bearer}"))],
            ..Load::default()
        }
    }
}

fn user(number: usize) -> String {
    format!("user-{number}@example.com")
}

fn is_ok(port: u16, path: &str) -> bool {
    send(port, &format!("GET {path} HTTP/1.0\r\n\r\n")).is_ok_and(|text| text.contains(" 200 "))
}

fn post(port: u16, path: &str, headers: &str, body: &str) -> Result<Value> {
    let length = body.len();
    let head = format!("POST {path} HTTP/1.0\r\n{headers}content-length: {length}\r\n\r\n");
    let response = send(port, &(head + body))?;
    let (head, body) = response.split_once("\r\n\r\n").context("no response")?;
    ensure!(
        head.contains(" 200 ") || head.contains(" 201 "),
        "{path}: {response}"
    );
    serde_json::from_str(body).with_context(|| format!("{path} responds with no JSON"))
}

/// Returns the whole response to an HTTP/1.0 request. The server closes the connection after it.
fn send(port: u16, request: &str) -> Result<String> {
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    connection.write_all(request.as_bytes())?;
    let mut text = String::new();
    connection.read_to_string(&mut text)?;
    Ok(text)
}

fn text(value: &Value, name: &str) -> Result<String> {
    let text = value[name].as_str();
    Ok(text
        .with_context(|| format!("there is no {name} in {value}"))?
        .to_owned())
}

/// A token that is as long as Google's access tokens.
pub(crate) fn token() -> String {
    "t".repeat(220)
}
