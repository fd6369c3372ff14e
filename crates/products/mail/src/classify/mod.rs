//! What a request is, for rules: whom it mails, or lets mails go to.

mod people;
mod recipients;

use base64::{
    Engine as _,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, FactKind, SentRequest,
        sent::{Unclear, member, object, text},
    },
    tool::Effect,
};
use stead_google::{Upload, upload};

/// Whom a mail goes to.
const RECIPIENT: &str = "recipient";

/// What rules can name.
pub(crate) const KINDS: &[FactKind] = &[FactKind {
    name: RECIPIENT,
    description: "Whom the request mails, or lets mails go to: an address in lower case, such as `ada@example.com`.",
}];

/// Gmail takes both alphabets, with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What a request is.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        ["gmail", "v1", "users", _, rest @ ..] => gmail(request, rest),
        ["upload", "gmail", "v1", "users", _, rest @ ..]
        | ["resumable", "upload", "gmail", "v1", "users", _, rest @ ..] => uploaded(request, rest),
        ["v1", rest @ ..] => people::classify(request, rest),
        _ => None,
    }
}

/// A request to Gmail, below the user.
fn gmail(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    if request.is_get() {
        let is_known = matches!(
            path,
            ["profile" | "history"]
                | [
                    "messages" | "threads" | "drafts" | "labels" | "settings",
                    ..
                ]
        );
        return is_known.then_some(known);
    }
    let classification = match (request.method.as_str(), path) {
        ("POST", ["messages", "send"]) => recipients(known, request.json().as_ref()),
        ("POST", ["drafts"]) | ("PUT", ["drafts", _]) => draft(known, request.json().as_ref()),
        // The draft is named by its id; whatever else is in the body may count or not.
        ("POST", ["drafts", "send"]) => known.unknown(RECIPIENT),
        ("POST", ["messages", "batchDelete"]) => known.effect(Effect::Delete),
        // Puts a mail into the mailbox, and sends none.
        ("POST", ["messages"] | ["messages", "import" | "batchModify"])
        | ("POST", ["messages" | "threads", _, "modify" | "trash" | "untrash"])
        | ("DELETE", ["messages" | "threads" | "drafts" | "labels", _])
        | ("POST", ["labels"])
        | ("PUT" | "PATCH", ["labels", _])
        | ("POST", ["stop" | "watch"]) => known,
        (_, ["settings", setting @ ..]) => return settings(request, setting),
        _ => return None,
    };
    Some(classification)
}

/// A change of settings: addresses that get mails, or in whose name they go out.
fn settings(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let body = request.json();
    let of = |name| {
        body.as_ref()
            .ok_or(Unclear)
            .and_then(|body| address(body, name))
    };
    let classification = match (request.method.as_str(), path) {
        ("PUT", ["autoForwarding"]) => {
            let is_off = body.as_ref().is_some_and(|body| {
                member(body, "enabled")
                    .is_ok_and(|on| on.is_none_or(|on| *on == Value::Bool(false)))
            });
            match of("emailAddress") {
                Ok(None) if is_off => known,
                address => known.must(RECIPIENT, address),
            }
        }
        ("POST", ["forwardingAddresses"]) => known.must(RECIPIENT, of("forwardingEmail")),
        ("POST", ["delegates"]) => known.must(RECIPIENT, of("delegateEmail")),
        ("POST", ["filters"]) => {
            let forward = body.as_ref().ok_or(Unclear).and_then(|body| {
                let action = object(body, "action")?;
                action.map_or(Ok(None), |action| address(action, "forward"))
            });
            known.part(RECIPIENT, forward)
        }
        ("POST", ["sendAs"]) => send_as(known.must(RECIPIENT, of("sendAsEmail")), body.as_ref()),
        ("PUT" | "PATCH", ["sendAs", id]) => {
            let known = known.must(RECIPIENT, Ok(recipients::address(id)));
            send_as(known.part(RECIPIENT, of("sendAsEmail")), body.as_ref())
        }
        ("POST", ["sendAs", id, "verify"]) => known.must(RECIPIENT, Ok(recipients::address(id))),
        // Whoever writes gets the reply.
        ("PUT", ["vacation"]) => {
            let is_off = body.as_ref().is_some_and(|body| {
                member(body, "enableAutoReply")
                    .is_ok_and(|on| on.is_none_or(|on| *on == Value::Bool(false)))
            });
            if is_off {
                known
            } else {
                known.unknown(RECIPIENT)
            }
        }
        ("PUT", ["imap" | "pop" | "language"])
        | (
            "DELETE",
            [
                "forwardingAddresses" | "delegates" | "filters" | "sendAs",
                _,
            ],
        )
        | ("POST", ["sendAs", _, "smimeInfo"] | ["sendAs", _, "smimeInfo", _, "setDefault"])
        | ("DELETE", ["sendAs", _, "smimeInfo", _])
        | ("POST", ["cse", "identities" | "keypairs"])
        | ("PATCH" | "DELETE", ["cse", "identities", _]) => known,
        _ => return None,
    };
    Some(classification)
}

/// An alias: replies go to another address, and mails through another server, where the body says so.
fn send_as(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let Some(body) = body else {
        return known.unknown(RECIPIENT);
    };
    let known = known.part(RECIPIENT, address(body, "replyToAddress"));
    match member(body, "smtpMsa") {
        Ok(None) => known,
        _ => known.unknown(RECIPIENT),
    }
}

/// The address in a member; an empty one is as good as none.
fn address(body: &Map<String, Value>, name: &str) -> Result<Option<String>, Unclear> {
    match text(body, name)? {
        None | Some("") => Ok(None),
        Some(given) => recipients::address(given).map(Some).ok_or(Unclear),
    }
}

/// A mail as a file, with or without metadata.
fn uploaded(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let goes_out = match (request.method.as_str(), path) {
        ("POST", ["messages", "send"] | ["drafts"]) | ("PUT", ["drafts", _]) => true,
        ("POST", ["messages"] | ["messages", "import"]) => false,
        // Sessions of an upload that was begun before, too.
        ("POST" | "PUT", ["drafts", "send"] | ["messages", "send"] | ["drafts"]) => {
            return Some(known.unknown(RECIPIENT));
        }
        _ => return None,
    };
    if !goes_out {
        return Some(known);
    }
    let mail = match upload(request) {
        Upload::Media(mail) if is_mail(request.content_type) => Some(mail),
        Upload::Multipart {
            metadata,
            media_type,
            media,
        } if media_type == "message/rfc822" && is_empty(&metadata) => Some(media),
        _ => None,
    };
    Some(listed(known, mail.and_then(recipients::of_mail)))
}

fn is_mail(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("message/rfc822"))
}

/// Whether metadata holds no mail of its own.
fn is_empty(metadata: &Map<String, Value>) -> bool {
    let has_none = |object: &Map<String, Value>| {
        ["raw", "payload"]
            .iter()
            .all(|name| member(object, name) == Ok(None))
    };
    has_none(metadata) && object(metadata, "message").is_ok_and(|inner| inner.is_none_or(has_none))
}

/// A draft: its mail is in a member.
fn draft(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let mail = body.and_then(|body| object(body, "message").ok().flatten());
    recipients(known, mail)
}

/// The recipients of a mail in JSON. What it holds besides `raw` must not be a second mail.
fn recipients(known: Classification, mail: Option<&Map<String, Value>>) -> Classification {
    let found = mail.and_then(|mail| {
        let raw = text(mail, "raw").ok()??;
        let raw = raw.replace('+', "-").replace('/', "_");
        let has_payload = member(mail, "payload") != Ok(None);
        recipients::of_mail(&BASE64.decode(raw).ok().filter(|_| !has_payload)?)
    });
    listed(known, found)
}

fn listed(
    known: Classification,
    found: Option<impl IntoIterator<Item = String>>,
) -> Classification {
    match found {
        Some(found) => found
            .into_iter()
            .fold(known, |known, one| known.fact(RECIPIENT, one)),
        None => known.unknown(RECIPIENT),
    }
}

#[cfg(test)]
mod tests;
