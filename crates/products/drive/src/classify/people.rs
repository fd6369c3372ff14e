//! Finds the people with whom a request shares a file.

use serde_json::{Map, Value};
use stead_core::product::{
    Classification,
    sent::{Part, Unclear, list, member, text},
};

use super::RECIPIENT;

type Body<'a> = Option<&'a Map<String, Value>>;

/// A new permission.
pub(super) fn permission(known: Classification, body: Body<'_>) -> Classification {
    known.must(RECIPIENT, body.ok_or(Unclear).and_then(grantee))
}

fn grantee(body: &Map<String, Value>) -> Part<String> {
    let (address, domain) = (text(body, "emailAddress")?, text(body, "domain")?);
    match (text(body, "type")?, address, domain) {
        (Some("anyone"), None, None) => Ok(Some("anyone".to_owned())),
        (Some("user" | "group"), Some(address), None) => plain_address(address).map(Some),
        (Some("domain"), None, Some(domain)) => plain_domain(domain).map(Some),
        _ => Err(Unclear),
    }
}

/// A changed permission. Only the id for everyone tells whose permission it is.
pub(super) fn of_permission(known: Classification, id: &str) -> Classification {
    match id {
        "anyone" | "anyoneWithLink" => known.fact(RECIPIENT, "anyone"),
        _ => known.unknown(RECIPIENT),
    }
}

/// A comment. The product may notify an address in its text.
pub(super) fn comment(known: Classification, body: Body<'_>) -> Classification {
    let content = body.ok_or(Unclear).and_then(|body| text(body, "content"));
    let names = ["assigneeEmailAddress", "mentionedEmailAddresses"];
    let is_plain = body.is_some_and(|body| names.iter().all(|name| member(body, name) == Ok(None)));
    match content {
        Ok(content) if is_plain && !content.unwrap_or_default().contains(['@', '\u{FF20}']) => {
            known
        }
        _ => known.unknown(RECIPIENT),
    }
}

/// A published revision, which anyone can read.
pub(super) fn revision(known: Classification, body: Body<'_>) -> Classification {
    let is_off = |name: &str| {
        body.is_some_and(|body| matches!(member(body, name), Ok(None | Some(Value::Bool(false)))))
    };
    let names = ["published", "publishAuto", "publishedOutsideDomain"];
    if names.into_iter().all(is_off) {
        known
    } else {
        known.fact(RECIPIENT, "anyone")
    }
}

/// The addresses in these lists.
pub(super) fn each(known: Classification, body: Body<'_>, names: &[&str]) -> Classification {
    names.iter().fold(known, |known, name| {
        match body.ok_or(Unclear).and_then(|body| list(body, name)) {
            Ok(items) => items.iter().fold(known, |known, item| {
                let address = item.as_str().ok_or(Unclear).and_then(plain_address);
                known.must(RECIPIENT, address.map(Some))
            }),
            Err(Unclear) => known.unknown(RECIPIENT),
        }
    })
}

/// The reviewers of an approval.
pub(super) fn reviewers(known: Classification, body: Body<'_>) -> Classification {
    ["addReviewers", "replaceReviewers"]
        .iter()
        .fold(known, |known, name| {
            match body.ok_or(Unclear).and_then(|body| list(body, name)) {
                Ok([]) => known,
                // Lists of objects, which can also name a person without an address.
                _ => known.unknown(RECIPIENT),
            }
        })
}

/// Metadata that shares the file, if the product accepts it.
pub(super) fn listed_in(known: Classification, metadata: &Map<String, Value>) -> Classification {
    let names = ["permissions", "permissionIds", "shared", "owners"];
    if names.iter().all(|name| member(metadata, name) == Ok(None)) {
        known
    } else {
        known.unknown(RECIPIENT)
    }
}

fn plain_address(text: &str) -> Result<String, Unclear> {
    let (local, domain) = text.split_once('@').ok_or(Unclear)?;
    let in_local =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&'*+-/=?^_`{|}~.".contains(&byte);
    let is_plain = !local.is_empty() && local.bytes().all(in_local);
    let domain = plain_domain(domain)?;
    is_plain
        .then(|| format!("{}@{domain}", local.to_ascii_lowercase()))
        .ok_or(Unclear)
}

fn plain_domain(text: &str) -> Result<String, Unclear> {
    let in_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let is_plain = !text.is_empty() && text.bytes().all(in_domain) && !text.ends_with('.');
    is_plain.then(|| text.to_ascii_lowercase()).ok_or(Unclear)
}
