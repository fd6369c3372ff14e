//! How the dashboard gets its first member if the service's output is kept in a log.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::Stdio,
};

use crate::{new_key, run, stead};

/// What a service with these options says until it listens, and after that until it is ended.
fn said(directory: &Path, key: &str, options: &[&str]) -> String {
    let mut service = stead(directory)
        .env("STEAD_KEY", key)
        .args(["serve", "--create", "--listen", "127.0.0.1:0"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the service runs");
    let mut out = BufReader::new(service.stdout.take().expect("the service runs"));
    let mut line = String::new();
    out.read_line(&mut line).expect("the service runs");
    // The service prints its notices about members before it sends the first response.
    let (_, rest) = line.split_once("http://").expect("an address");
    let address = rest.split(' ').next().expect("an address");
    let mut stream = std::net::TcpStream::connect(address).expect("the service listens");
    let request = format!("GET /healthz HTTP/1.0\r\nHost: {address}\r\n\r\n");
    std::io::Write::write_all(&mut stream, request.as_bytes()).expect("the service listens");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .expect("the service responds");
    service.kill().expect("the service runs");
    let mut said = line;
    out.read_to_string(&mut said).expect("text");
    let mut errors = service.stderr.take().expect("the service runs");
    errors.read_to_string(&mut said).expect("text");
    service.wait().expect("the service ends");
    said
}

#[test]
fn no_setup_link_is_logged_and_the_hinted_command_invites_an_owner() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let hint = "stead members invite EMAIL --role owner";
    let quiet = said(directory.path(), &key, &["--no-setup-link"]);
    assert!(!quiet.contains("no member"), "{quiet}");
    let first = said(directory.path(), &key, &[]);
    assert!(first.contains(hint), "{first}");
    assert!(!first.contains("stead_setup_"), "{first}");
    let invite = hint.replace("EMAIL", "ada@example.com");
    let words = invite.split(' ').skip(1);
    let (code, link, why) = run(stead(directory.path())
        .env("STEAD_KEY", &key)
        .args(words)
        .arg("--quiet"));
    assert_eq!(code, 0, "{why}");
    let link = link.trim();
    let page = "http://127.0.0.1:8484/dashboard/invitation?token=stead_invitation_";
    assert!(link.starts_with(page), "{link}");
    let after = said(directory.path(), &key, &[]);
    assert!(!after.contains("no member"), "{after}");
}
