//! nginx, as the product and as the nearest rival.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, Result};

use super::process::Running;

/// What an nginx does with every request.
pub(crate) enum Site<'a> {
    /// It gives this JSON.
    Fixed(&'a str),
    /// It adds a bearer token and passes the request on to this port, over connections that stay open.
    AddsBearer(u16),
}

/// Starts nginx on `port` and waits until it listens. Everything that it writes goes to `folder`.
pub(crate) fn start(program: &Path, folder: &Path, port: u16, site: &Site<'_>) -> Result<Running> {
    fs::create_dir_all(folder)?;
    let file = folder.join("nginx.conf");
    fs::write(&file, configuration(folder, port, site))?;
    let log = folder.join("error.log");
    let mut command = Command::new(program);
    command
        .arg("-p")
        .arg(folder)
        .arg("-c")
        .arg(&file)
        .arg("-e")
        .arg(&log);
    let mut running = Running::start(command)
        .with_context(|| format!("cannot start nginx with {}", file.display()))?;
    running
        .wait_for_port(port)
        .with_context(|| format!("nginx does not listen; see {}", log.display()))?;
    Ok(running)
}

/// One process that does all the work: one worker, whose time is the whole, and nothing left behind when it ends.
fn configuration(folder: &Path, port: u16, site: &Site<'_>) -> String {
    let folder = folder.display();
    let site = match site {
        Site::Fixed(body) => format!(
            "
    server {{
        listen 127.0.0.1:{port};
        default_type application/json;
        location / {{
            return 200 '{body}';
        }}
    }}"
        ),
        Site::AddsBearer(upstream) => format!(
            "
    upstream product {{
        server 127.0.0.1:{upstream};
        keepalive 64;
        keepalive_requests 1000000000;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://product;
            proxy_http_version 1.1;
            proxy_set_header Connection \"\";
            proxy_set_header Authorization \"Bearer {token}\";
        }}
    }}",
            // As long as an access token of Google's.
            token = "t".repeat(220)
        ),
    };
    format!(
        "daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{
    worker_connections 1024;
}}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/client_body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;{site}
}}
"
    )
}
