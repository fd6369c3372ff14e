//! nginx, as the product and as the nearest rival.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, Result};

use super::{process::Running, responses};

/// Where an nginx listens: for HTTP/1.1, and for HTTP/2 without TLS.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) http1: u16,
    pub(crate) http2: u16,
}

/// What an nginx does with every request.
pub(crate) enum Site {
    /// It plays the product.
    Stub,
    /// It adds a bearer token and passes the request on to this port, over connections that stay open.
    AddsBearer(u16),
}

/// Starts nginx and waits until it listens. Everything that it writes goes to `folder`.
pub(crate) fn start(program: &Path, folder: &Path, ports: Ports, site: &Site) -> Result<Running> {
    fs::create_dir_all(folder)?;
    if let Site::Stub = site {
        responses::write(folder)?;
    }
    let file = folder.join("nginx.conf");
    fs::write(&file, configuration(folder, ports, site))?;
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
        .wait_for_port(ports.http1)
        .with_context(|| format!("nginx does not listen; see {}", log.display()))?;
    Ok(running)
}

/// One process that does all the work: one worker, whose time is the whole, and nothing left behind when it ends. Several may
/// share the ports.
fn configuration(folder: &Path, Ports { http1, http2 }: Ports, site: &Site) -> String {
    let folder = folder.display();
    let (upstream, locations) = match site {
        Site::Stub => (String::new(), responses::locations(http1)),
        Site::AddsBearer(upstream) => (
            format!(
                "
    upstream product {{
        server 127.0.0.1:{upstream};
        keepalive 256;
        keepalive_requests 1000000000;
    }}"
            ),
            // Without temporary files a large body goes as fast as its reader, and the disk has no part in it.
            format!(
                "
        location / {{
            proxy_pass http://product;
            proxy_http_version 1.1;
            proxy_max_temp_file_size 0;
            proxy_request_buffering off;
            proxy_set_header Connection \"\";
            proxy_set_header Authorization \"Bearer {}\";
        }}",
                responses::token()
            ),
        ),
    };
    format!(
        "daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{
    worker_connections 2048;
}}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    open_file_cache max=16;
    keepalive_requests 1000000000;
    client_max_body_size 0;
    client_body_temp_path {folder}/client_body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;{upstream}
    server {{
        listen 127.0.0.1:{http1} reuseport;
        listen 127.0.0.1:{http2} http2 reuseport;
        default_type application/json;
        root {folder};{locations}
    }}
}}
"
    )
}
