//! What the stub responds, as Gmail gives it.

use std::{
    fs::{self, File},
    path::Path,
};

use anyhow::Result;
use serde_json::{Value, json};

const KIB: usize = 1024;
/// A page of drafts, and everything that is not named otherwise.
pub(crate) const SMALL: usize = KIB;
pub(crate) const MEDIUM: usize = 20 * KIB;
pub(crate) const LARGE: usize = 5 * KIB * KIB;
pub(crate) const HUGE: u64 = 1 << 30;

/// A list of threads, as large as [`MEDIUM`].
pub(crate) const THREADS: &str = "/gmail/v1/users/me/threads";
pub(crate) const LARGE_PATH: &str = "/gmail/v1/users/me/large";
pub(crate) const HUGE_PATH: &str = "/gmail/v1/users/me/huge";
pub(crate) const UPLOAD_PATH: &str = "/upload/gmail/v1/users/me/messages/send";
/// Mails of the list.
pub(crate) const MAILS: usize = 20;
pub(crate) const MESSAGES: &str = "/gmail/v1/users/me/messages";

/// A token as long as an access token of Google's.
pub(crate) fn token() -> String {
    "t".repeat(220)
}

/// Writes what is too long for a line of nginx's configuration.
pub(crate) fn write(folder: &Path) -> Result<()> {
    fs::write(folder.join("medium"), threads())?;
    fs::write(folder.join("large"), "0".repeat(LARGE))?;
    // No block of it is on the disk.
    File::create(folder.join("huge"))?.set_len(HUGE)?;
    Ok(())
}

/// What is where at the stub.
pub(crate) fn locations(port: u16) -> String {
    format!(
        "
        location / {{ return 200 '{}'; }}
        location = {MESSAGES} {{ return 200 '{}'; }}
        location {MESSAGES}/ {{ return 200 '{}'; }}
        location = {THREADS} {{ try_files /medium =404; }}
        location = {LARGE_PATH} {{ try_files /large =404; }}
        location = {HUGE_PATH} {{ try_files /huge =404; }}
        # Responds when it has read the whole body.
        location /upload/ {{
            proxy_pass http://127.0.0.1:{port}/uploaded;
            proxy_method GET;
            proxy_set_body \"\";
        }}",
        drafts(),
        messages(),
        message()
    )
}

/// A page of drafts of exactly [`SMALL`] bytes.
pub(crate) fn drafts() -> String {
    let drafts: Vec<Value> = (0..8)
        .map(|number| json!({ "id": format!("r{number}"), "message": { "id": format!("m{number}"), "threadId": format!("t{number}") } }))
        .collect();
    padded(
        SMALL,
        |padding| json!({ "drafts": drafts, "nextPageToken": padding, "resultSizeEstimate": 8 }),
    )
}

fn threads() -> String {
    let mut threads: Vec<Value> = (0..120)
        .map(|number| json!({ "id": format!("t{number}"), "snippet": format!("Hello, this is mail {number}"), "historyId": "1" }))
        .collect();
    threads.push(Value::Null);
    let last = threads.len() - 1;
    padded(MEDIUM, |padding| {
        let mut threads = threads.clone();
        threads[last] = json!({ "id": "t-last", "snippet": padding, "historyId": "1" });
        json!({ "threads": threads, "resultSizeEstimate": 121 })
    })
}

fn messages() -> String {
    let messages: Vec<Value> = (0..MAILS)
        .map(|number| json!({ "id": format!("m{number}"), "threadId": format!("t{number}") }))
        .collect();
    json!({ "messages": messages, "resultSizeEstimate": MAILS }).to_string()
}

fn message() -> String {
    padded(SMALL, |padding| {
        json!({
            "id": "m0", "threadId": "t0", "labelIds": ["INBOX"], "snippet": "Hello", "historyId": "1",
            "internalDate": "1767225600000", "sizeEstimate": 900,
            "payload": {
                "partId": "", "mimeType": "text/plain", "filename": "",
                "headers": [
                    { "name": "From", "value": "Ada <ada@example.com>" },
                    { "name": "To", "value": "Bob <bob@example.com>" },
                    { "name": "Subject", "value": "Hello" },
                    { "name": "Date", "value": "Thu, 1 Jan 2026 00:00:00 +0000" },
                    { "name": "X-Padding", "value": padding },
                ],
                "body": { "size": 18, "data": "SGVsbG8sIGhvdyBhcmUgeW91Pw==" },
            },
        })
    })
}

/// JSON of exactly so many bytes.
fn padded(bytes: usize, with: impl Fn(&str) -> Value) -> String {
    let missing = bytes.saturating_sub(with("").to_string().len());
    with(&"p".repeat(missing)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_their_lengths() {
        assert_eq!(drafts().len(), SMALL);
        assert_eq!(message().len(), SMALL);
        assert_eq!(threads().len(), MEDIUM);
        let page: Value = serde_json::from_str(&drafts()).unwrap();
        assert_eq!(page["drafts"][7]["message"]["threadId"], "t7");
    }

    #[test]
    fn nothing_in_them_ends_a_line_of_nginx() {
        // A parameter has 4096 bytes at most, and `$` begins a variable.
        for text in [drafts(), messages(), message()] {
            assert!(
                text.len() < 4096 && !text.contains(['\'', '$', '\\']),
                "{text}"
            );
        }
    }
}
