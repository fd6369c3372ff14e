//! Classifies a request for policies: the files and folders that it names, and the people it shares them with.

mod files;
mod people;
mod search;

use stead_core::product::{
    Classification, FactKind, SentRequest, Shapes,
    sent::{Unclear, text},
};

const FILE: &str = "file";
const FOLDER: &str = "folder";
const RECIPIENT: &str = "recipient";
const WEBHOOK: &str = "webhook";

/// Known queries and bodies.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Facts that policies can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: FILE,
        description: "A file that the request reads or changes: its id.",
    },
    FactKind {
        name: FOLDER,
        description: "A folder or shared drive that the request lists, puts a file into or takes one out of: its id, or `root`.",
    },
    FactKind {
        name: RECIPIENT,
        description: "Someone whom the request shares a file with: an address or a domain in lower case, or `anyone`.",
    },
    FactKind {
        name: WEBHOOK,
        description: "An address for Google Drive's notifications of changes, such as `https://app.example/changes`.",
    },
];

/// Classifies a request.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    // An escaped colon may or may not separate a verb.
    if request.path.to_ascii_lowercase().contains("%3a") {
        return None;
    }
    let known = match segments.as_slice() {
        ["drive", "v3", "files", path @ ..] => files::classify(request, path),
        ["drive", "v3", path @ ..] => other(request, path),
        ["download", "drive", "v3", "files", path @ ..] => {
            request.is_get().then(|| files::classify(request, path))?
        }
        ["upload", "drive", "v3", "files", path @ ..]
        | ["resumable", "upload", "drive", "v3", "files", path @ ..] => {
            files::uploaded(request, path)
        }
        _ => None,
    };
    Some(known?.holding(SHAPES.read(request), KINDS, request))
}

/// Classifies a request that isn't about files.
fn other(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let classification = match (request.method.as_str(), path) {
        ("GET" | "HEAD", ["about" | "apps"] | ["apps", _])
        | ("GET" | "HEAD", ["changes", "startPageToken"])
        | ("POST", ["channels", "stop"]) => known,
        ("GET" | "HEAD", ["changes"]) => known.unknown(FILE).unknown(FOLDER),
        ("POST", ["changes", "watch"]) => webhook(known.unknown(FILE).unknown(FOLDER), request),
        ("GET" | "HEAD", ["operations", _]) => known.unknown(FILE),
        // A list of all drives, or a drive that doesn't exist yet.
        ("GET" | "HEAD" | "POST", ["drives" | "teamdrives"]) => known.unknown(FOLDER),
        ("GET" | "HEAD" | "PATCH" | "DELETE", ["drives" | "teamdrives", id])
        | ("POST", ["drives", id, "hide" | "unhide"]) => known.fact(FOLDER, *id),
        _ => return None,
    };
    Some(classification)
}

/// Adds the address that a channel calls.
fn webhook(known: Classification, request: &SentRequest<'_>) -> Classification {
    let body = request.json();
    let address = body.as_ref().ok_or(Unclear);
    let address = address.and_then(|body| Ok(text(body, "address")?.map(str::to_owned)));
    known.must(WEBHOOK, address)
}

#[cfg(test)]
mod tests;
