//! Classifies a request for policies: the spreadsheets and addresses that it uses.

mod cells;
mod formulas;

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, FactKind, SentRequest, Shapes,
        sent::{Unclear, text},
    },
    tool::Effect,
};

const SPREADSHEET: &str = "spreadsheet";
const URL: &str = "url";

/// Facts that policies can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: SPREADSHEET,
        description: "A spreadsheet that the request reads or changes: its id. If a formula may read another spreadsheet, that one is unknown.",
    },
    FactKind {
        name: URL,
        description: "An address that a formula fetches. It isn't read from the formula, so it's unknown for every formula that may fetch one.",
    },
];

/// Known queries and bodies.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Classifies a request.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let known = by_path(request)?.holding(SHAPES.read(request), KINDS, request);
    // A written value may be a formula, or complete one.
    let writes = !request.is_get() && known.effect != Some(Effect::Read);
    let body = request.json().filter(|_| writes);
    Some(if body.is_some_and(|body| formulas::reach_out(&body)) {
        known.unknown(SPREADSHEET).unknown(URL)
    } else {
        known
    })
}

fn by_path(request: &SentRequest<'_>) -> Option<Classification> {
    let known = Classification::default();
    let path = request.path.strip_prefix("/v4/spreadsheets")?;
    if path.is_empty() {
        // A spreadsheet that doesn't exist yet.
        return (request.method.as_str() == "POST").then(|| known.unknown(SPREADSHEET));
    }
    let path = path.strip_prefix('/')?;
    let (id, below) = match path.split_once('/') {
        Some((id, below)) => (id, Some(below)),
        None => (path, None),
    };
    let (id, verb) = match (id.split_once(':'), below) {
        (Some((id, verb)), None) => (id, verb),
        (None, _) => (id, ""),
        _ => return None,
    };
    is_plain(id).then_some(())?;
    let known = known.fact(SPREADSHEET, id);
    let body = request.json();
    let method = request.method.as_str();
    let Some(below) = below else {
        return match (method, verb) {
            ("GET" | "HEAD", "") => Some(known),
            ("POST", "getByDataFilter") => Some(known.effect(Effect::Read)),
            ("POST", "batchUpdate") if cells::deletes(body.as_ref()) => {
                Some(known.effect(Effect::Delete))
            }
            ("POST", "batchUpdate") => Some(known),
            _ => None,
        };
    };
    values(method, below, &known, body.as_ref())
        .or_else(|| metadata(method, below, &known))
        .or_else(|| copy(method, below, known, body.as_ref()))
}

/// Requests to values of cells. A range can be any text except another segment of these paths.
fn values(
    method: &str,
    below: &str,
    known: &Classification,
    body: Option<&Map<String, Value>>,
) -> Option<Classification> {
    let known = known.clone();
    let written = |known: Classification| match cells::clears(body) {
        true => known.effect(Effect::Delete),
        false => known,
    };
    match (method, below) {
        ("GET" | "HEAD", "values:batchGet") => return Some(known),
        ("POST", "values:batchGetByDataFilter") => return Some(known.effect(Effect::Read)),
        ("POST", "values:batchUpdate" | "values:batchUpdateByDataFilter") => {
            return Some(written(known));
        }
        ("POST", "values:batchClear" | "values:batchClearByDataFilter") => {
            return Some(known.effect(Effect::Delete));
        }
        _ => {}
    }
    let range = below.strip_prefix("values/")?;
    if range.contains(['/', '\\', ';']) || matches!(range, "" | "." | "..") {
        return None;
    }
    let ends = |verb: &str| {
        range
            .strip_suffix(verb)
            .is_some_and(|range| !range.is_empty())
    };
    match method {
        "GET" | "HEAD" => Some(known),
        "PUT" => Some(written(known)),
        "POST" if ends(":append") => Some(known),
        "POST" if ends(":clear") => Some(known.effect(Effect::Delete)),
        _ => None,
    }
}

/// Requests to developer metadata.
fn metadata(method: &str, below: &str, known: &Classification) -> Option<Classification> {
    let known = known.clone();
    match (method, below) {
        ("POST", "developerMetadata:search") => Some(known.effect(Effect::Read)),
        ("GET" | "HEAD", _) => is_plain(below.strip_prefix("developerMetadata/")?).then_some(known),
        _ => None,
    }
}

/// Copies a sheet into the spreadsheet that the body names.
fn copy(
    method: &str,
    below: &str,
    known: Classification,
    body: Option<&Map<String, Value>>,
) -> Option<Classification> {
    let sheet = below.strip_prefix("sheets/")?.strip_suffix(":copyTo")?;
    let target = body
        .ok_or(Unclear)
        .and_then(|body| text(body, "destinationSpreadsheetId"));
    (method == "POST" && is_plain(sheet)).then(|| known.must(SPREADSHEET, target))
}

/// Whether a path segment is an id without escapes.
fn is_plain(id: &str) -> bool {
    let of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.bytes().all(of_id)
}

#[cfg(test)]
mod tests;
