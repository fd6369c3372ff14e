//! Pages of a list, with opaque tokens that are bound to the other parameters.

use sha2::{Digest as _, Sha256};

use super::{
    errors::{ApiError, ErrorShape},
    method::Call,
};
use crate::ids;

/// Parameters that may change between pages.
const CHANGEABLE: [&str; 3] = ["pageToken", "fields", "prettyPrint"];

/// A part of a list.
#[derive(Debug)]
pub(crate) struct Page<Item> {
    pub(crate) items: Vec<Item>,
    pub(crate) next: Option<String>,
    pub(crate) total: usize,
}

/// The page of `all` that the call asks for.
///
/// A token is valid for the same method, user and parameters; those in `free` may change as well. People says
/// that all must match (people.connections.list, `pageToken`); Gmail does not speak of it, and its page size
/// may change.
pub(crate) fn page<Item>(
    call: &Call,
    all: Vec<Item>,
    size: usize,
    free: &[&str],
) -> Result<Page<Item>, ApiError> {
    let total = all.len();
    let binding = binding(call, free);
    let start = match call.text("pageToken") {
        None | Some("") => 0,
        Some(token) => start(token, &binding).ok_or_else(|| {
            ApiError::invalid(
                "Request contains an invalid argument: page token is not valid for this request.",
            )
        })?,
    };
    let items: Vec<Item> = all.into_iter().skip(start).take(size).collect();
    let end = start + items.len();
    let next = (end < total).then(|| ids::seal("page", &format!("{end}|{binding}")));
    Ok(Page { items, next, total })
}

fn start(token: &str, binding: &str) -> Option<usize> {
    let text = ids::open("page", token)?;
    let (start, bound) = text.split_once('|')?;
    (bound == binding).then(|| start.parse().ok())?
}

/// A digest of who asks for what.
fn binding(call: &Call, free: &[&str]) -> String {
    let mut pairs: Vec<(&str, &str)> = call
        .query
        .iter()
        .filter(|(name, _)| !CHANGEABLE.contains(name) && !free.contains(name))
        .collect();
    pairs.sort_unstable();
    let mut digest = Sha256::new();
    for text in [call.method.id, call.user.as_str()]
        .into_iter()
        .chain(pairs.into_iter().flat_map(|(name, value)| [name, value]))
    {
        digest.update(text.as_bytes());
        digest.update([0]);
    }
    let digest = digest.finalize();
    ids::hex(&digest[..8])
}

/// Items of a page: what the parameter says, or `default`. Gmail refuses more than `most`, the others bring it down.
pub(crate) fn size(
    call: &Call,
    parameter: &str,
    default: i64,
    most: i64,
) -> Result<usize, ApiError> {
    let asked = call.number(parameter).unwrap_or(default);
    let is_gmail = call.api.name == "gmail";
    if asked < 1 || (is_gmail && asked > most) {
        return Err(match call.api.errors {
            ErrorShape::Older => ApiError::of(
                400,
                "invalidParameter",
                format!("Invalid value '{asked}'. Values must be within the range: [1, {most}]"),
            ),
            _ if is_gmail => ApiError::invalid(format!(
                "Invalid value for {parameter}: {asked}. It must be between 1 and {most}."
            )),
            _ => ApiError::invalid_value(parameter),
        });
    }
    Ok(usize::try_from(asked.min(most)).unwrap_or_default())
}
