//! Shared by all parts: nginx as the product, nginx to compare with, and databases.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{
    Options,
    load::{Load, RESPONSE},
    process::{Running, free_port},
    service::{Database, token},
};
use crate::shell;

/// The number of accounts in a database, unless a part varies it.
pub(crate) const ACCOUNTS: usize = 10_000;

pub(crate) struct Stage {
    pub(crate) options: Options,
    pub(crate) binary: PathBuf,
    /// The folder of all files.
    pub(crate) folder: PathBuf,
    /// nginx that adds a bearer token and passes the request on.
    pub(crate) nginx: Running,
    nginx_port: u16,
    stub_port: u16,
    _stub: Running,
}

impl Stage {
    pub(crate) fn open(options: Options, binary: PathBuf) -> Result<Self> {
        let folder = shell::root().join("target/bench");
        let (stub_port, nginx_port) = (free_port()?, free_port()?);
        let response = format!("return 200 '{}';", drafts());
        let stub = start_nginx(&folder.join("stub"), stub_port, "", &response)?;
        let upstream = format!(
            "upstream product {{ server 127.0.0.1:{stub_port}; keepalive 256; keepalive_requests 1000000000; }}"
        );
        let adds_bearer = format!(
            "proxy_pass http://product; proxy_http_version 1.1; proxy_set_header Connection \"\";
            proxy_set_header Authorization \"Bearer {}\";",
            token()
        );
        let nginx = start_nginx(&folder.join("nginx"), nginx_port, &upstream, &adds_bearer)?;
        Ok(Self {
            options,
            binary,
            folder,
            nginx,
            nginx_port,
            stub_port,
            _stub: stub,
        })
    }

    /// Creates a database whose product is the stub.
    pub(crate) fn database(&self, name: &str, binary: &Path, accounts: usize) -> Result<Database> {
        Database::make(binary, &self.folder.join(name), self.stub_port, accounts)
    }

    /// The load that sends requests through nginx.
    pub(crate) fn nginx_load(&self) -> Load {
        Load {
            port: self.nginx_port,
            paths: vec!["/".to_owned()],
            ..Load::default()
        }
    }
}

/// Starts nginx as a single process, so that its CPU time is the total. `location` answers all requests.
fn start_nginx(folder: &Path, port: u16, upstream: &str, location: &str) -> Result<Running> {
    fs::create_dir_all(folder)?;
    let at = folder.display();
    let configuration = format!(
        "daemon off;
master_process off;
pid {at}/nginx.pid;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {at}/client_body;
    proxy_temp_path {at}/proxy;
    fastcgi_temp_path {at}/fastcgi;
    uwsgi_temp_path {at}/uwsgi;
    scgi_temp_path {at}/scgi;
    {upstream}
    server {{
        listen 127.0.0.1:{port};
        default_type application/json;
        location / {{ {location} }}
    }}
}}
"
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, configuration)?;
    // A user's PATH may lack the system's programs.
    let line = "PATH=$PATH:/usr/sbin exec nginx \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", line, "nginx", "-p"]).arg(folder);
    command.arg("-c").arg(&file);
    command.arg("-e").arg(folder.join("error.log"));
    let mut nginx = Running::start(command)?;
    nginx
        .wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok())
        .with_context(|| format!("nginx does not listen; see {at}/error.log"))?;
    Ok(nginx)
}

/// A page of drafts like Gmail's, with exactly [`RESPONSE`] bytes.
fn drafts() -> String {
    let ids = (0..8).map(|id| {
        json!({ "id": format!("r{id}"), "message": { "id": format!("m{id}"), "threadId": format!("t{id}") } })
    });
    let ids: Vec<Value> = ids.collect();
    let page = |padding: &str| {
        json!({ "drafts": ids, "nextPageToken": padding, "resultSizeEstimate": 8 }).to_string()
    };
    page(&"p".repeat(RESPONSE - page("").len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_has_its_length_and_no_characters_special_to_nginx() {
        let page = drafts();
        assert_eq!(page.len(), RESPONSE);
        assert!(!page.contains(['\'', '$', '\\']), "{page}");
    }
}
