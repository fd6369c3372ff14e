//! `stead webhooks` at a running service, with a receiver in this process.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{connections::Dev, run};

/// An endpoint that responds with a status; what came in, in order.
struct Endpoint {
    url: String,
    status: Arc<AtomicU16>,
    came: Receiver<Value>,
}

impl Endpoint {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/hook", listener.local_addr().expect("it listens"));
        let status = Arc::new(AtomicU16::new(204));
        let (sender, came) = channel();
        let now = Arc::clone(&status);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Some(event) = stream.ok().and_then(|stream| serve(stream, &now)) else {
                    continue;
                };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Self { url, status, came }
    }

    fn set(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The next event of a type.
    fn next(&self, event_type: &str) -> Value {
        loop {
            let event = self
                .came
                .recv_timeout(Duration::from_secs(60))
                .expect("an event comes");
            if event["type"] == event_type {
                return event;
            }
        }
    }
}

fn serve(mut stream: TcpStream, status: &AtomicU16) -> Option<Value> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length?.parse().ok()? {
                let status = status.load(Ordering::SeqCst);
                let said = match status {
                    204 => "content-length: 0\r\n\r\n",
                    _ => "content-length: 12\r\n\r\nout\nof order",
                };
                let response = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{said}");
                stream.write_all(response.as_bytes()).ok()?;
                return serde_json::from_str(body).ok();
            }
        }
        let read = stream.read(&mut piece).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&piece[..read]);
    }
}

#[test]
fn webhooks_are_made_tried_out_sent_again_and_deleted_at_a_service() {
    let directory = tempfile::tempdir().unwrap();
    let dev = Dev::start(directory.path());
    let endpoint = Endpoint::start();
    let stead = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
        command
            .current_dir(directory.path())
            .env_clear()
            .env("STEAD_URL", dev.fact("url"))
            .env("STEAD_CLIENT_ID", dev.fact("client_id"))
            .env("STEAD_CLIENT_SECRET", dev.fact("client_secret"))
            .args(args);
        let (code, out, said) = run(&mut command);
        for line in out.lines() {
            // Lines to copy may be longer than 80 columns.
            let is_wrapped = !args.contains(&"--json") && !line.starts_with("STEAD_");
            assert!(
                !is_wrapped || line.chars().count() <= 80,
                "{args:?}: {line}"
            );
        }
        (code, out, said)
    };
    let done = |args: &[&str]| {
        let (code, out, said) = stead(&[&["webhooks"], args].concat());
        assert_eq!(code, 0, "{args:?}: {said}");
        out
    };
    let shown = |args: &[&str]| -> Value {
        serde_json::from_str(&done(&[args, &["--json"]].concat())).unwrap()
    };
    let account = |verb: &str| {
        let (code, _, said) = stead(&["accounts", verb, "mail", "you"]);
        assert_eq!(code, 0, "{said}");
    };
    // Deletes the webhook that `dev` starts with.
    for webhook in shown(&["list"]).as_array().unwrap() {
        done(&["delete", webhook["id"].as_str().unwrap()]);
    }
    assert_eq!(
        done(&["list"]),
        "There are no webhooks yet. Create one with `stead webhooks create`.\n"
    );
    let out = done(&["create", &endpoint.url, "--event", "account.*"]);
    let lines: Vec<&str> = out.lines().collect();
    let id = lines[0].strip_prefix("STEAD_WEBHOOK_ID=").unwrap();
    let secret = lines[1].strip_prefix("STEAD_WEBHOOK_SECRET=").unwrap();
    assert!(secret.starts_with("whsec_") && lines.len() == 2, "{out}");

    let webhook = shown(&["show", id]);
    assert_eq!(webhook["url"], endpoint.url);
    assert!(!webhook.to_string().contains(secret), "{webhook}");
    assert_eq!(shown(&["list"]), serde_json::json!([webhook]));
    let listed = done(&["list"]);
    assert!(listed.contains(id) && listed.contains("ok"), "{listed}");
    let text = done(&["show", id]);
    assert!(text.contains("\n  events\n    account.*"), "{text}");

    let tested = done(&["test", id]);
    assert!(tested.contains("delivered after 1 attempt\n"), "{tested}");
    endpoint.next("webhook.test");
    endpoint.set(503);
    let (code, out, said) = stead(&["webhooks", "test", id]);
    assert_eq!(code, 1, "{said}");
    assert!(out.ends_with("\n  503 out of order\n"), "{out}");
    assert!(said.contains("didn't accept the test event"), "{said}");
    endpoint.next("webhook.test");

    // A rejected event waits for its next attempt, and `replay` sends it immediately.
    account("suspend");
    let suspended = endpoint.next("account.suspended");
    let event = suspended["id"].as_str().unwrap();
    let delivery = || {
        let all = shown(&["deliveries", id]);
        let all = all.as_array().unwrap();
        all.iter().find(|one| one["event_id"] == event).cloned()
    };
    let mut waiting = std::iter::repeat_with(delivery).take(1_000).flatten();
    let waiting = waiting.next().expect("a row of the delivery");
    assert_eq!(waiting["state"], "waiting");
    let text = done(&["deliveries", id]);
    assert!(text.contains("waiting after "), "{text}");
    assert!(done(&["show", id]).contains("state    failing since "));
    endpoint.set(204);
    let again = done(&["replay", id, event]);
    assert!(again.contains(event), "{again}");
    assert_eq!(endpoint.next("account.suspended")["id"], event);
    let mut rows = std::iter::repeat_with(delivery).take(1_000).flatten();
    let delivered = rows.find(|one| one["state"] == "delivered");
    assert!(delivered.is_some());

    let since = suspended["timestamp"].as_str().unwrap();
    let again = done(&["replay", id, "--since", since]);
    assert_eq!(again, "Stead sends all events since then again.\n");
    assert_eq!(endpoint.next("account.suspended")["id"], event);
    let (code, _, said) = stead(&["webhooks", "replay", id, "--since", "yesterday"]);
    assert_eq!(code, 2, "{said}");

    let rotated = done(&["rotate", id]);
    assert!(rotated.contains("STEAD_WEBHOOK_SECRET=whsec_") && !rotated.contains(secret));
    let text = done(&["show", id]);
    assert!(text.contains("the previous one signs until "), "{text}");

    assert_eq!(done(&["disable", id]), format!("{id} is disabled.\n"));
    assert!(done(&["list"]).contains("disabled"));
    account("resume");
    assert_eq!(done(&["enable", id]), format!("{id} is enabled.\n"));
    // The webhook now gets the events from the time when it was disabled.
    endpoint.next("account.resumed");

    assert_eq!(done(&["delete", id]), format!("Deleted {id}.\n"));
    for gone in ["show", "test", "deliveries", "rotate", "enable", "delete"] {
        let (code, _, said) = stead(&["webhooks", gone, id]);
        assert_eq!(code, 4, "{gone}: {said}");
    }
    let (code, _, said) = stead(&["webhooks", "create", "http://example.com/"]);
    assert_eq!(code, 4, "{said}");
}
