//! A running `stead serve`, and its calls.

use std::{fs::File, thread, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use super::{
    http::Request,
    load::Load,
    process::Running,
    store::{PRODUCTS, Product, Store, text},
};
use crate::shell;

const MCP_REVISION: &str = "2026-07-28";

/// Longest wait for a start.
const START: Duration = Duration::from_secs(60);

/// A service whose application has signed in. Its tokens last an hour.
pub(crate) struct Stead {
    pub(crate) process: Running,
    pub(crate) port: u16,
    /// From the start of the process to its first response to `/healthz`.
    pub(crate) started_in: Duration,
    /// Of two applications.
    pub(crate) bearers: [String; 2],
    mcp_bearer: String,
}

impl Stead {
    pub(crate) fn start(store: &Store) -> Result<Self> {
        let mut stead = Self::start_without_tokens(store)?;
        stead.sign_in(store)?;
        let session = json!({
            "identifier": Store::user(0), "view": "full", "verify_url": "http://127.0.0.1/back",
        })
        .to_string();
        let mut request = Request::post(store.port, "/v1/mcp-sessions");
        request.bearer = Some(&stead.bearers[0]);
        stead.mcp_bearer = text(&request.json(&session)?, "token")?;
        Ok(stead)
    }

    /// Both applications get another token.
    pub(crate) fn sign_in(&mut self, store: &Store) -> Result<()> {
        for (bearer, (id, secret)) in self.bearers.iter_mut().zip(&store.applications) {
            let form =
                format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
            let mut request = Request::post(store.port, "/oauth/token");
            request.content_type = "application/x-www-form-urlencoded";
            *bearer = text(&request.json(&form)?, "access_token")?;
        }
        Ok(())
    }

    /// The same without a call of any kind.
    pub(crate) fn start_without_tokens(store: &Store) -> Result<Self> {
        let path = store.folder.join("serve.log");
        let log = File::options().create(true).append(true).open(&path)?;
        let mut command = store.command(&["serve"]);
        command.stdout(log.try_clone()?).stderr(log);
        let began = shell::now();
        let mut process = Running::start(command)?;
        while Request::get(store.port, "/healthz").status() != Some(200) {
            if let Some(status) = process.ended()? {
                bail!("stead serve ended with {status}; see {}", path.display());
            }
            ensure!(began.elapsed() < START, "stead serve is not ready");
            thread::sleep(Duration::from_micros(500));
        }
        Ok(Self {
            process,
            port: store.port,
            started_in: began.elapsed(),
            bearers: Default::default(),
            mcp_bearer: String::new(),
        })
    }

    /// A proxied request for the first account of mail.
    pub(crate) fn proxy(&self, path: &str) -> Load {
        self.load(vec![proxied("mail", &Store::user(0), path)])
    }

    /// Proxied requests for so many accounts of mail, one after the other.
    pub(crate) fn proxy_for(&self, accounts: usize) -> Load {
        let paths =
            (0..accounts).map(|number| proxied("mail", &Store::user(number), PRODUCTS[0].path));
        self.load(paths.collect())
    }

    /// Proxied requests of several products, one after the other.
    pub(crate) fn proxy_of(&self, products: &[&Product]) -> Load {
        let user = Store::user(0);
        let paths = products
            .iter()
            .map(|product| proxied(product.name, &user, product.path));
        self.load(paths.collect())
    }

    /// A proxied request of the second application.
    pub(crate) fn proxy_of_second(&self, path: &str) -> Load {
        Load::get(self.port, &proxied("mail", &Store::user(1), path)).with_bearer(&self.bearers[1])
    }

    /// Several proxied requests for the first account of mail, one after the other.
    pub(crate) fn proxy_each(&self, paths: &[String]) -> Load {
        let user = Store::user(0);
        let paths = paths.iter().map(|path| proxied("mail", &user, path));
        self.load(paths.collect())
    }

    fn load(&self, paths: Vec<String>) -> Load {
        Load::get_each(self.port, paths).with_bearer(&self.bearers[0])
    }

    pub(crate) fn tool(&self, name: &str) -> Load {
        let body = json!({ "connection_name": "mail", "identifier": Store::user(0), "input": {} });
        Load::post(
            self.port,
            &format!("/v1/tools/{name}/execute"),
            body.to_string(),
        )
        .with_bearer(&self.bearers[0])
    }

    /// The call as a client of the newest revision sends it.
    pub(crate) fn mcp(&self, tool: &str) -> Load {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MCP_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": tool, "arguments": {}, "_meta": meta } });
        Load::post(self.port, "/mcp", call.to_string())
            .with_bearer(&self.mcp_bearer)
            .with_header("accept", "application/json, text/event-stream")
            .with_header("mcp-protocol-version", MCP_REVISION)
            .with_header("mcp-method", "tools/call")
            .with_header("mcp-name", tool)
    }

    /// The path of a proxied request of the first account of mail.
    pub(crate) fn path(path: &str) -> String {
        proxied("mail", &Store::user(0), path)
    }

    pub(crate) fn resident_mib(&self) -> Result<f64> {
        let bytes = self.process.resident_bytes().context("no memory")?;
        Ok(bytes as f64 / 1024.0 / 1024.0)
    }
}

fn proxied(connection: &str, identifier: &str, path: &str) -> String {
    format!("/proxy/{connection}/{identifier}{path}")
}
