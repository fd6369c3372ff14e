//! How the service stops: in order at the first signal, immediately at the second.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::json;

use crate::{new_key, stead};

/// How many requests are under way when the signal comes.
const REQUESTS: usize = 50;
const FORM: &str = "grant_type=client_credentials&client_id=app_1&client_secret=wrong";

struct Service {
    child: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    fn start(directory: &Path) -> Self {
        let key = new_key(directory);
        let mut child = stead(directory)
            .env("STEAD_KEY", key)
            .args(["serve", "--create", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service runs");
        let mut out = BufReader::new(child.stdout.take().expect("the service runs"));
        let mut line = String::new();
        out.read_line(&mut line).expect("the service runs");
        let (_, rest) = line.split_once("http://").expect("an address");
        let address = rest.split(' ').next().expect("the service runs").to_owned();
        Self {
            child,
            out,
            address,
        }
    }

    /// Requests whose bodies the service waits for, which it says.
    fn requests(&self) -> Vec<TcpStream> {
        let request = format!(
            "POST /oauth/token HTTP/1.1\r\nHost: {}\r\nExpect: 100-continue\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n",
            self.address,
            FORM.len()
        );
        let mut open = Vec::new();
        for _ in 0..REQUESTS {
            let mut stream = TcpStream::connect(&self.address).expect("the service runs");
            stream
                .write_all(request.as_bytes())
                .expect("the service runs");
            let mut response = [0; 25];
            stream.read_exact(&mut response).expect("the service runs");
            assert_eq!(&response, b"HTTP/1.1 100 Continue\r\n\r\n");
            open.push(stream);
        }
        open
    }

    fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        let sent = kill
            .args(["-s", name, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("the service runs").success());
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("the service runs");
        line
    }

    /// The exit code, and what was said on standard error.
    fn end(&mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        let mut errors = self.child.stderr.take().expect("the service runs");
        errors.read_to_string(&mut said).expect("the service runs");
        (self.child.wait().expect("the service runs").code(), said)
    }
}

/// Whether this test was started with SIGHUP ignored, as by nohup: the service that it starts then ignores it too.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|bits| {
        bits.trim()
            .ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f'])
    })
}

#[test]
fn the_first_signal_lets_every_request_finish() {
    for signal in ["HUP", "TERM", "INT"] {
        if signal == "HUP" && is_hangup_ignored() {
            let directory = tempfile::tempdir().unwrap();
            let service = Service::start(directory.path());
            service.signal(signal);
            assert_eq!(service.requests().len(), REQUESTS, "it goes on");
            continue;
        }
        let directory = tempfile::tempdir().unwrap();
        let mut service = Service::start(directory.path());
        let requests = service.requests();
        service.signal(signal);
        let line = service.line();
        let waiting = format!("Stopping: waiting for {REQUESTS} requests in progress.");
        assert!(line.starts_with(&waiting), "{signal}: {line}");
        for mut stream in requests {
            stream.write_all(FORM.as_bytes()).unwrap();
            let mut response = String::new();
            stream.read_to_string(&mut response).unwrap();
            // The client ID is unknown, and many wrong secrets are rate limited.
            let answered = ["HTTP/1.1 401 ", "HTTP/1.1 429 "];
            assert!(
                answered.iter().any(|status| response.starts_with(status)),
                "{signal}: {response}"
            );
        }
        let (code, said) = service.end();
        assert_eq!(code, Some(0), "{signal}: {said}");
    }
}

#[test]
fn the_second_signal_cuts_requests_off_and_says_how_many() {
    let directory = tempfile::tempdir().unwrap();
    let mut service = Service::start(directory.path());
    let requests = service.requests();
    service.signal("TERM");
    service.line();
    service.signal("TERM");
    let (code, said) = service.end();
    assert_eq!(code, Some(1), "{said}");
    let cut_off = format!("requests were cut off: {REQUESTS}");
    assert!(said.contains(&cut_off), "{said}");
    for mut stream in requests {
        let mut response = String::new();
        assert!(!matches!(stream.read_to_string(&mut response), Ok(1..)));
    }
}

#[test]
fn a_service_that_trusts_links_warns_at_its_start() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let mut child = stead(directory.path())
        .env("STEAD_KEY", key)
        .args([
            "serve",
            "--create",
            "--listen",
            "127.0.0.1:0",
            "--trust-whoever-has-the-link",
        ])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let errors = BufReader::new(child.stderr.take().unwrap());
    let mut lines = errors.lines().map(|line| line.unwrap());
    let warning = lines.find(|line| line.contains("connects the wrong person"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(warning.is_some());
}

#[test]
fn dev_stops_even_if_nothing_reads_its_output() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = stead(directory.path())
        .args(["dev", "--json", "--listen", "127.0.0.1:0"])
        .args(["--sandbox-listen", "127.0.0.1:0"])
        .args(["--proxy-listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let facts: serde_json::Value = serde_json::from_str(&line).unwrap();
    let fact = |name: &str| facts[name].as_str().unwrap();
    let address = fact("url").strip_prefix("http://").unwrap();
    let post = |path: &str, headers: &str, body: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        let request = format!("{head}{headers}\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        body.to_owned()
    };
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        fact("client_id"),
        fact("client_secret")
    );
    let form_type = "Content-Type: application/x-www-form-urlencoded";
    let token: serde_json::Value =
        serde_json::from_str(&post("/oauth/token", form_type, &form)).unwrap();
    let token = token["access_token"].as_str().unwrap();
    let headers = format!("Content-Type: application/json\r\nAuthorization: Bearer {token}");
    // Each call prints a line of over 120 bytes, and a pipe holds 64 KiB.
    let call = json!({
        "connection_name": "mail", "identifier": "ada",
        "method": "GET", "path": "/gmail/v1/users/me/profile",
    });
    for _ in 0..600 {
        post("/v1/proxy", &headers, &call.to_string());
    }
    let mut kill = Command::new("kill");
    kill.arg(child.id().to_string());
    assert!(kill.status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // Lines are only lost once the pipe is full.
    let lines = out.lines().map(|line| line.unwrap());
    let calls = lines.filter(|line| line.contains(r#""event":"call""#));
    assert!(calls.count() > 300);
}
