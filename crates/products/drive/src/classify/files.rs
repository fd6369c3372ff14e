//! Classifies requests to files: metadata, content, permissions and comments.

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, SentRequest,
        sent::{Unclear, list, member, object, text},
    },
    tool::Effect,
};
use stead_google::{Upload, upload};

use super::{FILE, FOLDER, KINDS, RECIPIENT, SHAPES, people, search, webhook};

/// Classifies a request below `/drive/v3/files`.
pub(super) fn classify(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let body = request.json();
    let body = body.as_ref();
    let method = request.method.as_str();
    let get = if request.is_get() { "GET" } else { method };
    let classification = match (get, path) {
        ("GET", []) => search::folder(known.unknown(FILE), request),
        ("POST", []) => created(known, body),
        ("GET", ["generateIds"]) => known,
        ("GET", ["generateCseToken"]) => known.unknown(FILE),
        ("DELETE", ["trash"]) => known.unknown(FILE).unknown(FOLDER),
        ("GET", [id])
        | (
            "GET",
            [
                id,
                "export" | "listLabels" | "permissions" | "comments" | "revisions",
            ],
        )
        | ("GET", [id, "accessproposals" | "approvals"])
        | ("GET", [id, "permissions" | "comments" | "revisions", _])
        | ("GET", [id, "accessproposals" | "approvals", _])
        | ("GET", [id, "comments", _, "replies"] | [id, "comments", _, "replies", _])
        | ("DELETE", [id] | [id, "permissions" | "comments" | "revisions", _])
        | ("DELETE", [id, "comments", _, "replies", _])
        | ("POST", [id, "download" | "modifyLabels"]) => file(known, id),
        ("PATCH", [id]) => changed(file(known, id), request, body),
        ("POST", [id, "copy"]) => copied(file(known, id), body),
        ("POST", [id, "watch"]) => webhook(file(known, id), request),
        ("POST", [id, "permissions"]) => people::permission(file(known, id), body),
        ("PATCH", [id, "permissions", permission]) => {
            people::of_permission(file(known, id), permission)
        }
        ("POST", [id, "comments"] | [id, "comments", _, "replies"])
        | ("PATCH", [id, "comments", _] | [id, "comments", _, "replies", _]) => {
            people::comment(file(known, id), body)
        }
        ("PATCH", [id, "revisions", _]) => people::revision(file(known, id), body),
        ("POST", [id, "accessproposals", action]) if action.ends_with(":resolve") => {
            file(known, id).unknown(RECIPIENT)
        }
        ("POST", [id, "approvals:start"]) => {
            people::each(file(known, id), body, &["reviewerEmails"])
        }
        ("POST", [id, "approvals", action]) => {
            let known = file(known, id);
            match action.split_once(':')?.1 {
                "approve" | "cancel" | "comment" | "decline" => known,
                "reassign" => people::reviewers(known, body),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(classification)
}

/// Classifies an upload, in one request or several.
pub(super) fn uploaded(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let sent = upload(request);
    let metadata = match &sent {
        Upload::Media(_) => Some(Map::new()),
        Upload::Multipart { metadata, .. } | Upload::Begins(metadata) => Some(metadata.clone()),
        Upload::Unclear => None,
    };
    let is_empty = match &sent {
        Upload::Media(media) | Upload::Multipart { media, .. } => media.is_empty(),
        Upload::Begins(_) => false,
        Upload::Unclear => true,
    };
    let classification = match (request.method.as_str(), path) {
        ("POST", []) => created(known, metadata.as_ref()),
        ("PATCH", [id]) => {
            let known = changed(file(known, id), request, metadata.as_ref());
            if is_empty {
                known.effect(Effect::Delete)
            } else {
                known
            }
        }
        // Continues an upload that an earlier request started.
        ("PUT", [] | [_]) => {
            let known = known.unknown(FILE).unknown(FOLDER).unknown(RECIPIENT);
            match request.body {
                Some(piece) if !piece.is_empty() => known,
                _ => known.effect(Effect::Delete),
            }
        }
        _ => return None,
    };
    let metadata = metadata.unwrap_or_default();
    Some(classification.holding(SHAPES.object("File", &metadata), KINDS, request))
}

fn file(known: Classification, id: &str) -> Classification {
    known.fact(FILE, id)
}

/// Adds the folder of a new file; the root if the request names none.
fn created(known: Classification, metadata: Option<&Map<String, Value>>) -> Classification {
    let Some(metadata) = metadata else {
        return known.unknown(FILE).unknown(FOLDER).unknown(RECIPIENT);
    };
    let known = known.must(FILE, text(metadata, "id"));
    let known = match list(metadata, "parents") {
        Ok([]) => known.fact(FOLDER, "root"),
        parents => listed(known, parents),
    };
    people::listed_in(target(known, metadata), metadata)
}

/// Adds the folder of a copy. If the request names none, it's the source's folder, which isn't known.
fn copied(known: Classification, metadata: Option<&Map<String, Value>>) -> Classification {
    let Some(metadata) = metadata else {
        return known.unknown(FOLDER).unknown(RECIPIENT);
    };
    let known = match list(metadata, "parents") {
        Ok([]) => known.unknown(FOLDER),
        parents => listed(known, parents),
    };
    let known = known.part(FILE, text(metadata, "id"));
    people::listed_in(target(known, metadata), metadata)
}

/// Adds the facts of a change to metadata or content. A move is in the query; a move to the trash is a deletion.
fn changed(
    known: Classification,
    request: &SentRequest<'_>,
    metadata: Option<&Map<String, Value>>,
) -> Classification {
    let mut known = known;
    let is_in = |name| request.query_values(name) != Ok(Vec::new());
    if is_in("removeParents") && !is_in("addParents") {
        known = known.effect(Effect::Delete);
    }
    for name in ["addParents", "removeParents"] {
        known = match request.query_values(name) {
            Ok(values) => {
                let ids = values.iter().flat_map(|value| value.split(','));
                ids.fold(known, |known, id| folder(known, id.trim()))
            }
            Err(Unclear) => known.unknown(FOLDER),
        };
    }
    let Some(metadata) = metadata else {
        return known
            .effect(Effect::Delete)
            .unknown(FOLDER)
            .unknown(RECIPIENT);
    };
    if list(metadata, "parents") != Ok(&[]) {
        known = listed(known, list(metadata, "parents"));
    }
    known = people::listed_in(target(known, metadata), metadata);
    match member(metadata, "trashed") {
        Ok(None | Some(Value::Bool(false))) => known,
        _ => known.effect(Effect::Delete),
    }
}

/// Adds the target of a shortcut.
fn target(known: Classification, metadata: &Map<String, Value>) -> Classification {
    match object(metadata, "shortcutDetails") {
        Ok(None) => known,
        Ok(Some(details)) => known.must(FILE, text(details, "targetId")),
        Err(Unclear) => known.unknown(FILE),
    }
}

fn listed(known: Classification, parents: Result<&[Value], Unclear>) -> Classification {
    match parents {
        Ok(parents) => parents.iter().fold(known, |known, parent| {
            folder(known, parent.as_str().unwrap_or_default())
        }),
        Err(Unclear) => known.unknown(FOLDER),
    }
}

fn folder(known: Classification, id: &str) -> Classification {
    let of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.bytes().all(of_id) {
        known.fact(FOLDER, id)
    } else {
        known.unknown(FOLDER)
    }
}
