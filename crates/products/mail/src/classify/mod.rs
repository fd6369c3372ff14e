//! Classifies a request for policies: the people who get a mail, now or later.

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
        Classification, FactKind, SentRequest, Shapes,
        sent::{Unclear, list, member, object, text},
    },
    tool::Effect,
};
use stead_google::{Upload, upload};

pub(crate) use recipients::of_header as plain_recipients;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use recipients::of_mail as recipients_of;

/// An address that gets mails.
const RECIPIENT: &str = "recipient";
/// A topic to which Gmail reports changes.
const WEBHOOK: &str = "webhook";
/// An address that a mail program fetches when it shows the mail.
const URL: &str = "url";

/// Facts that policies can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: RECIPIENT,
        description: "Someone whom the request sends mails to, or allows mails to be sent to: an address in lower case, such as `ada@example.com`.",
    },
    FactKind {
        name: WEBHOOK,
        description: "The topic for Gmail's notifications of changes, such as `projects/app/topics/mail`.",
    },
    FactKind {
        name: URL,
        description: "An address that is fetched when the mail is displayed. It isn't read from the mail, so it's unknown for every mail that isn't plain text.",
    },
];

/// Known queries and bodies.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Labels that hide a mail and delete it after 30 days.
pub(crate) const DELETING_LABELS: [&str; 2] = ["TRASH", "SPAM"];

/// Gmail accepts both alphabets, with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Classifies a request.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let known = match segments.as_slice() {
        ["gmail", "v1", "users", _, rest @ ..] => gmail(request, rest),
        ["upload", "gmail", "v1", "users", _, rest @ ..]
        | ["resumable", "upload", "gmail", "v1", "users", _, rest @ ..] => uploaded(request, rest),
        ["v1", rest @ ..] => people::classify(request, rest),
        _ => None,
    };
    Some(known?.holding(SHAPES.read(request), KINDS, request))
}

/// The mail that a request sends, saves as a draft or adds to the mailbox.
pub(crate) fn mail_of(request: &SentRequest<'_>) -> Option<Vec<u8>> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        ["gmail", "v1", "users", _, "messages"]
        | ["gmail", "v1", "users", _, "messages", "send" | "import"] => {
            raw(request.json().as_ref())
        }
        ["gmail", "v1", "users", _, "drafts"] | ["gmail", "v1", "users", _, "drafts", _] => {
            let body = request.json()?;
            raw(object(&body, "message").ok().flatten())
        }
        ["upload", "gmail", "v1", "users", _, ..] => mail_in(request).map(<[u8]>::to_vec),
        _ => None,
    }
}

/// Classifies a request to Gmail. The path begins after the user.
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
        // The body names the draft by its id. Gmail may or may not use the rest of the body.
        ("POST", ["drafts", "send"]) => known.unknown(RECIPIENT).unknown(URL),
        ("POST", ["messages", "batchDelete"] | ["messages" | "threads", _, "trash"]) => {
            known.effect(Effect::Delete)
        }
        ("POST", ["messages", "batchModify"] | ["messages" | "threads", _, "modify"]) => {
            labelled(known, request.json().as_ref())
        }
        // Adds a mail to the mailbox without sending one.
        ("POST", ["messages"] | ["messages", "import"]) => {
            let mail = request.json().and_then(|mail| raw(Some(&mail)));
            shown(known, mail.as_deref())
        }
        ("POST", ["messages" | "threads", _, "untrash"])
        | ("DELETE", ["messages" | "threads" | "drafts" | "labels", _])
        | ("POST", ["labels"])
        | ("PUT" | "PATCH", ["labels", _])
        | ("POST", ["stop"]) => known,
        ("POST", ["watch"]) => {
            let body = request.json();
            let topic = body.as_ref().ok_or(Unclear);
            let topic = topic.and_then(|body| Ok(text(body, "topicName")?.map(str::to_owned)));
            known.must(WEBHOOK, topic)
        }
        (_, ["settings", setting @ ..]) => return settings(request, setting),
        _ => return None,
    };
    Some(classification)
}

/// A change of settings, with the addresses that get mails or can be used as the sender.
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
            let disposition = body.as_ref().ok_or(Unclear);
            let known = match disposition.and_then(|body| text(body, "disposition")) {
                Ok(None | Some("leaveInInbox" | "archive" | "markRead")) => known,
                _ => known.effect(Effect::Delete),
            };
            match of("emailAddress") {
                Ok(None) if is_off => known,
                address => known.must(RECIPIENT, address),
            }
        }
        ("POST", ["forwardingAddresses"]) => known.must(RECIPIENT, of("forwardingEmail")),
        ("POST", ["delegates"]) => known.must(RECIPIENT, of("delegateEmail")),
        ("POST", ["filters"]) => {
            let action = body.as_ref().ok_or(Unclear);
            match action.and_then(|body| object(body, "action")) {
                Ok(None) => known,
                Ok(Some(action)) => labelled(
                    known.part(RECIPIENT, address(action, "forward")),
                    Some(action),
                ),
                Err(Unclear) => known.unknown(RECIPIENT).effect(Effect::Delete),
            }
        }
        ("POST", ["sendAs"]) => send_as(known.must(RECIPIENT, of("sendAsEmail")), body.as_ref()),
        ("PUT" | "PATCH", ["sendAs", id]) => {
            let known = known.must(RECIPIENT, Ok(recipients::address(id)));
            send_as(known.part(RECIPIENT, of("sendAsEmail")), body.as_ref())
        }
        ("POST", ["sendAs", id, "verify"]) => known.must(RECIPIENT, Ok(recipients::address(id))),
        // Everyone who writes to the user gets the reply.
        ("PUT", ["vacation"]) => {
            let is_off = body.as_ref().is_some_and(|body| {
                member(body, "enableAutoReply")
                    .is_ok_and(|on| on.is_none_or(|on| *on == Value::Bool(false)))
            });
            let known = shows_html(known, body.as_ref(), "responseBodyHtml");
            if is_off {
                known
            } else {
                known.unknown(RECIPIENT)
            }
        }
        ("PUT", ["language"])
        | (
            "DELETE",
            [
                "forwardingAddresses" | "delegates" | "filters" | "sendAs",
                _,
            ],
        )
        | ("DELETE", ["sendAs", _, "smimeInfo", _])
        | ("DELETE", ["cse", "identities", _]) => known,
        // Gives other programs access to the mails, or other people access to encrypted ones.
        ("PUT", ["imap" | "pop"])
        | ("POST", ["sendAs", _, "smimeInfo"] | ["sendAs", _, "smimeInfo", _, "setDefault"])
        | ("POST", ["cse", "identities" | "keypairs"])
        | ("PATCH", ["cse", "identities", _]) => {
            let kinds = KINDS.iter();
            let known = kinds.fold(known, |known, kind| known.unknown(kind.name));
            known.effect(Effect::Delete)
        }
        _ => return None,
    };
    Some(classification)
}

/// A sender alias. Its body can set another address for replies, and another server for sending.
fn send_as(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let Some(body) = body else {
        return known.unknown(RECIPIENT);
    };
    let known = shows_html(known, Some(body), "signature");
    let known = known.part(RECIPIENT, address(body, "replyToAddress"));
    match member(body, "smtpMsa") {
        Ok(None) => known,
        _ => known.unknown(RECIPIENT),
    }
}

/// Marks a change of labels that moves mails to the trash as a deletion. If it can't be read, it may be one.
fn labelled(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let stays = |label: &Value| {
        let label = label.as_str();
        label.is_some_and(|label| {
            !DELETING_LABELS
                .iter()
                .any(|one| one.eq_ignore_ascii_case(label))
        })
    };
    match body
        .ok_or(Unclear)
        .and_then(|body| list(body, "addLabelIds"))
    {
        Ok(labels) if labels.iter().all(stays) => known,
        _ => known.effect(Effect::Delete),
    }
}

/// Adds unknown addresses for a member that may contain HTML.
fn shows_html(
    known: Classification,
    body: Option<&Map<String, Value>>,
    name: &str,
) -> Classification {
    match body.ok_or(Unclear).and_then(|body| text(body, name)) {
        Ok(None | Some("")) => known,
        _ => known.unknown(URL),
    }
}

/// Adds unknown addresses for a mail, unless it's plain text.
fn shown(known: Classification, mail: Option<&[u8]>) -> Classification {
    let is_plain = mail
        .and_then(stead_google::headers)
        .is_some_and(|(headers, _)| {
            let mut kinds = headers.iter().filter(|(name, _)| name == "content-type");
            let kind = kinds.next().map(|(_, kind)| kind.to_ascii_lowercase());
            let kind = kind.as_deref().map_or("text/plain", str::trim);
            let is_text = kind
                .split(';')
                .next()
                .is_some_and(|kind| kind.trim() == "text/plain");
            is_text && kinds.next().is_none()
        });
    if is_plain { known } else { known.unknown(URL) }
}

/// The address in a member; none if it's empty.
fn address(body: &Map<String, Value>, name: &str) -> Result<Option<String>, Unclear> {
    match text(body, name)? {
        None | Some("") => Ok(None),
        Some(given) => recipients::address(given).map(Some).ok_or(Unclear),
    }
}

/// A mail uploaded as a file, with or without metadata.
fn uploaded(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let goes_out = match (request.method.as_str(), path) {
        ("POST", ["messages", "send"] | ["drafts"]) | ("PUT", ["drafts", _]) => true,
        ("POST", ["messages"] | ["messages", "import"]) => false,
        // Also continues an upload that an earlier request started.
        ("POST" | "PUT", ["drafts", "send"] | ["messages", "send"] | ["drafts"]) => {
            return Some(known.unknown(RECIPIENT).unknown(URL));
        }
        _ => return None,
    };
    let mail = mail_in(request);
    let known = shown(known, mail);
    if goes_out {
        Some(listed(known, mail.and_then(recipients::of_mail)))
    } else {
        Some(known)
    }
}

/// The mail in an upload, if it's certain that there is no second one.
fn mail_in<'a>(request: &SentRequest<'a>) -> Option<&'a [u8]> {
    match upload(request) {
        Upload::Media(mail) if is_mail(request.content_type) => Some(mail),
        Upload::Multipart {
            metadata,
            media_type,
            media,
        } if media_type == "message/rfc822" && is_empty(&metadata) => Some(media),
        _ => None,
    }
}

fn is_mail(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("message/rfc822"))
}

/// Whether the metadata contains no mail and nothing unknown.
fn is_empty(metadata: &Map<String, Value>) -> bool {
    let has_none = |name: &str, object: &Map<String, Value>| {
        member(object, "raw") == Ok(None) && SHAPES.object(name, object).is_known
    };
    let inner = metadata.get("message").and_then(Value::as_object);
    match inner {
        Some(inner) => has_none("Message", inner) && SHAPES.object("Draft", metadata).is_known,
        None => has_none("Message", metadata),
    }
}

/// A draft, which contains its mail in a member.
fn draft(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let mail = body.and_then(|body| object(body, "message").ok().flatten());
    recipients(known, mail)
}

/// The recipients of a mail in JSON. It must not contain a second mail next to `raw`.
fn recipients(known: Classification, mail: Option<&Map<String, Value>>) -> Classification {
    let raw = raw(mail);
    let found = raw.as_deref().and_then(recipients::of_mail);
    listed(shown(known, raw.as_deref()), found)
}

fn raw(mail: Option<&Map<String, Value>>) -> Option<Vec<u8>> {
    let mail = mail?;
    let raw = text(mail, "raw").ok()??;
    let raw = raw.replace('+', "-").replace('/', "_");
    let has_payload = member(mail, "payload") != Ok(None);
    BASE64.decode(raw).ok().filter(|_| !has_payload)
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
