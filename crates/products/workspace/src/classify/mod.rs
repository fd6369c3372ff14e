//! Classifies a request for policies: the pages, databases and addresses that it names.

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, Contents, Fact, FactKind, SentRequest, Shapes,
        sent::{Unclear, member, object, text},
    },
    tool::Effect,
};

use crate::id::uuid;

const PAGE: &str = "page";
const DATABASE: &str = "database";
const URL: &str = "url";

/// Known queries and bodies.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Facts that policies can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: PAGE,
        description: "A page or block that the request names: the 32 digits of its id in lower case, without hyphens.",
    },
    FactKind {
        name: DATABASE,
        description: "A database or data source that the request names: the 32 digits of its id in lower case, without hyphens.",
    },
    FactKind {
        name: URL,
        description: "An address that Notion fetches, or shows as an image, a file or a page within a page: as in the request.",
    },
];

/// Classifies a request.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["v1", path @ ..] = segments.as_slice() else {
        return None;
    };
    let known = by_path(request, path)?.holding(contents(request), KINDS, request);
    let body = request.json();
    Some(of_template(
        of_markdown(known, body.as_ref()),
        body.as_ref(),
    ))
}

/// The query and the body, with ids in the form that policies use.
fn contents(request: &SentRequest<'_>) -> Contents {
    let mut contents = SHAPES.read(request);
    for Fact { kind, value } in &mut contents.facts {
        if *kind != URL {
            *value = value.take().and_then(|id| plain_id(&id));
        }
    }
    contents
}

fn by_path(request: &SentRequest<'_>, path: &[&str]) -> Option<Classification> {
    let known = Classification::default();
    let body = request.json();
    let parent = |known| parent(known, body.as_ref());
    let classification = match (request.method.as_str(), path) {
        ("GET" | "HEAD", ["users"] | ["users", _])
        | ("GET" | "HEAD" | "POST", ["file_uploads"])
        | ("GET" | "HEAD", ["file_uploads", _])
        | ("POST", ["file_uploads", _, "send" | "complete"]) => known,
        ("POST", ["search"]) => known.effect(Effect::Read).unknown(PAGE).unknown(DATABASE),
        ("POST", ["pages" | "databases" | "data_sources"]) => must_have(parent(known)),
        ("GET" | "HEAD", ["pages", id] | ["pages", id, "markdown"])
        | ("GET" | "HEAD", ["pages", id, "properties", _])
        | ("GET" | "HEAD", ["blocks", id] | ["blocks", id, "children"])
        | ("DELETE" | "PATCH", ["blocks", id])
        | ("PATCH", ["blocks", id, "children"] | ["pages", id, "markdown"]) => {
            removes(named(known, PAGE, id), request, body.as_ref())
        }
        ("PATCH", ["pages", id]) => removes(parent(named(known, PAGE, id)), request, body.as_ref()),
        ("POST", ["pages", id, "move"]) => {
            let target = must_have(parent(Classification::default()));
            let mut known = named(known, PAGE, id);
            known.facts.extend(target.facts);
            known
        }
        ("GET" | "HEAD", ["databases" | "data_sources", id])
        | ("GET" | "HEAD", ["data_sources", id, "templates"]) => named(known, DATABASE, id),
        ("PATCH", ["databases" | "data_sources", id]) => {
            removes(parent(named(known, DATABASE, id)), request, body.as_ref())
        }
        ("POST", ["databases" | "data_sources", id, "query"]) => {
            named(known.effect(Effect::Read), DATABASE, id)
        }
        ("GET" | "HEAD", ["comments"]) => of_query(known, request),
        // A discussion's id doesn't tell its page.
        ("POST", ["comments"]) => {
            let is_discussion = body
                .as_ref()
                .is_none_or(|body| member(body, "discussion_id") != Ok(None));
            if is_discussion {
                parent(known).unknown(PAGE)
            } else {
                must_have(parent(known))
            }
        }
        ("GET" | "HEAD" | "PATCH" | "DELETE", ["comments", _]) => known.unknown(PAGE),
        _ => return None,
    };
    Some(classification)
}

/// Adds an id in the form that policies use.
fn named(known: Classification, kind: &'static str, id: &str) -> Classification {
    known.must(kind, Ok(plain_id(id)))
}

fn plain_id(id: &str) -> Option<String> {
    uuid(id).map(|id| id.replace('-', ""))
}

/// Text in Markdown. Links and embedded content may name any page or address.
fn of_markdown(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let reaches_out = |text: &str| {
        let links = ["<", "://", "![", "www."];
        links
            .into_iter()
            .any(|mark| text.to_ascii_lowercase().contains(mark))
    };
    // Texts of `PATCH …/markdown`, and of `markdown` in new pages.
    let places = [
        "markdown",
        "insert_content",
        "replace_content",
        "replace_content_range",
        "update_content",
    ];
    let members = body.iter().flat_map(|body| body.iter());
    let mut written = members.filter(|(name, _)| places.contains(&name.as_str()));
    if written.any(|(_, value)| any_text(value, &reaches_out)) {
        known.unknown(PAGE).unknown(DATABASE).unknown(URL)
    } else {
        known
    }
}

fn any_text(value: &Value, is: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, is)),
        Value::Object(members) => members.values().any(|value| any_text(value, is)),
        _ => false,
    }
}

/// A template that is named by its position instead of its id.
fn of_template(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let template = body.and_then(|body| body.get("template"));
    match template.filter(|template| !template.is_null()) {
        Some(template) if template["type"] != "none" && template["template_id"].is_null() => {
            known.unknown(PAGE)
        }
        _ => known,
    }
}

/// Adds the parent that the body names, if there is one.
fn parent(known: Classification, body: Option<&Map<String, Value>>) -> Classification {
    let both = |known: Classification| known.unknown(PAGE).unknown(DATABASE);
    let parent = body.ok_or(Unclear).and_then(|body| object(body, "parent"));
    let parent = match parent {
        Ok(Some(parent)) => parent,
        Ok(None) => return known,
        Err(Unclear) => return both(known),
    };
    let is_known = parent.keys().all(|name| {
        let names = [
            "type",
            "page_id",
            "block_id",
            "database_id",
            "data_source_id",
            "workspace",
        ];
        names.contains(&name.as_str())
    });
    if !is_known {
        return both(known);
    }
    let places = [
        ("page_id", PAGE),
        ("block_id", PAGE),
        ("database_id", DATABASE),
        ("data_source_id", DATABASE),
    ];
    let before = known.facts.len();
    let known = places
        .into_iter()
        .fold(known, |known, (name, kind)| match text(parent, name) {
            Ok(Some(id)) => named(known, kind, id),
            Ok(None) => known,
            Err(Unclear) => known.unknown(kind),
        });
    // The workspace itself, or an unknown parent.
    if known.facts.len() == before {
        both(known)
    } else {
        known
    }
}

/// A request that creates something names its parent. Without one, the parent could be anything.
fn must_have(known: Classification) -> Classification {
    if known.facts.is_empty() {
        known.unknown(PAGE).unknown(DATABASE)
    } else {
        known
    }
}

/// The page or block whose comments are listed.
fn of_query(known: Classification, request: &SentRequest<'_>) -> Classification {
    match request.query_values("block_id").as_deref() {
        Ok([]) | Err(_) => known.unknown(PAGE),
        Ok(ids) => ids.iter().fold(known, |known, id| named(known, PAGE, id)),
    }
}

/// Marks a change that moves something to the trash as a deletion. If it can't be read, it may be one.
fn removes(
    known: Classification,
    request: &SentRequest<'_>,
    body: Option<&Map<String, Value>>,
) -> Classification {
    let keeps = |name: &str| {
        body.is_some_and(|body| matches!(member(body, name), Ok(None | Some(Value::Bool(false)))))
    };
    let is_change = request.method.as_str() == "PATCH";
    let keeps_all = ["archived", "in_trash", "erase_content"]
        .into_iter()
        .all(keeps);
    if is_change && (!keeps_all || body.is_some_and(empties)) {
        known.effect(Effect::Delete)
    } else {
        known
    }
}

/// Whether a change removes content, or replaces all of it.
fn empties(body: &Map<String, Value>) -> bool {
    let is_empty = |value: &Value| {
        let nothing = |name: &str| {
            let text = value.get(name).and_then(Value::as_str);
            text.is_some_and(|text| text.trim().is_empty())
        };
        nothing("new_str") || nothing("content") || value["allow_deleting_content"] == true
    };
    body.iter().any(|(name, value)| match name.as_str() {
        "replace_content" => true,
        "replace_content_range" => is_empty(value),
        "update_content" => {
            let updates = value["content_updates"].as_array();
            is_empty(value) || updates.into_iter().flatten().any(is_empty)
        }
        // A database column that is set to null is removed.
        "properties" => {
            let columns = value.as_object();
            columns.is_some_and(|columns| columns.values().any(Value::is_null))
        }
        // A block whose text becomes empty.
        _ => value["rich_text"].as_array().is_some_and(Vec::is_empty),
    })
}

#[cfg(test)]
mod tests;
