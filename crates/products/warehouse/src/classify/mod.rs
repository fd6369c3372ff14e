//! Classifies a request for policies: its kinds of statements, and the databases, schemas and role that it uses.

mod functions;
mod names;
mod reading;
mod schema;
mod statement;
mod tokens;

use std::{collections::BTreeSet, thread};

use serde_json::{Map, Value};
use stead_core::{
    product::{
        Classification, FactKind, SentRequest, Shapes,
        sent::{Part, Unclear, object, text},
    },
    tool::Effect,
};

use self::{names::Session, statement::Kind};
pub(crate) use self::{
    reading::{Bound, reading},
    schema::changes_schema,
};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use property::holds as statement_holds;

const STATEMENT: &str = "statement";
const DATABASE: &str = "database";
const SCHEMA: &str = "schema";
const ROLE: &str = "role";
const LOCATION: &str = "location";

/// Known queries and bodies.
const SHAPES: Shapes = Shapes::new(include_str!("../shapes.txt"));

/// Stack size for parsing statements. Only the part that's used takes memory.
const STACK: usize = 32 * 1024 * 1024;

/// Facts that policies can name.
pub(crate) const KINDS: &[FactKind] = &[
    FactKind {
        name: STATEMENT,
        description: "The kind of a statement, such as `select`, `show`, `insert`, `create_table` or `call`.",
    },
    FactKind {
        name: DATABASE,
        description: "A database that a statement or the request names: in its stored form, such as `ANALYTICS`.",
    },
    FactKind {
        name: SCHEMA,
        description: "A schema with its database, in their stored form: `ANALYTICS.PUBLIC`.",
    },
    FactKind {
        name: ROLE,
        description: "The role that the request asks for, in its stored form: `ANALYST`.",
    },
    FactKind {
        name: LOCATION,
        description: "The target of an unload: a stage as in the statement, in upper case outside quotes (`@EXPORTS/DAILY`), or an address (`s3://bucket/path`).",
    },
];

/// Classifies a request. Only the interface for statements is known.
pub(crate) fn classify(request: &SentRequest<'_>) -> Option<Classification> {
    let segments = request.segments()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let known = Classification::default();
    match (request.method.as_str(), segments.as_slice()) {
        ("POST", ["api", "v2", "statements"]) => {
            let body = request.json();
            let read = on_large_stack(|| submitted(body.as_ref()));
            match read.filter(|_| SHAPES.read(request).is_known) {
                Some(read) => Some(read),
                None => {
                    let known = known.effect(Effect::Delete);
                    let kinds = KINDS.iter();
                    Some(kinds.fold(known, |known, kind| known.unknown(kind.name)))
                }
            }
        }
        ("GET" | "HEAD", ["api", "v2", "statements", _])
        | ("POST", ["api", "v2", "statements", _, "cancel"]) => {
            Some(known.holding(SHAPES.read(request), KINDS, request))
        }
        _ => None,
    }
}

/// Runs the parser on its own thread. It needs a large stack frame for each level, more than the service's threads have.
/// `None` if no thread can be started.
fn on_large_stack<T: Send>(read: impl FnOnce() -> Result<T, Unclear> + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, read).ok()?;
        thread.join().ok()?.ok()
    })
}

/// Classifies the statements that a body submits.
fn submitted(body: Option<&Map<String, Value>>) -> Result<Classification, Unclear> {
    let body = body.ok_or(Unclear)?;
    let sql = text(body, "statement")?.ok_or(Unclear)?;
    let statements = tokens::statements(sql).ok_or(Unclear)?;
    let mut session = Session {
        database: named(body, DATABASE),
        schema: named(body, SCHEMA),
    };
    object(body, "parameters")?;
    let read: Vec<statement::Read> = statements.iter().map(statement::read).collect();
    let kinds: Vec<&Kind> = read.iter().flat_map(|read| &read.kinds).collect();
    let changes_session = kinds.iter().any(|kind| kind.changes_session());
    if changes_session {
        session.database = Err(Unclear);
    }
    let role = text(body, ROLE).and_then(|role| role.ok_or(Unclear));
    let role = role.ok().filter(|_| !changes_session);

    let mut known = Classification::default();
    let effects = read.iter().map(|read| read.effect);
    known.effect = effects.max_by_key(|effect| weight(*effect));
    let kinds: BTreeSet<Option<&str>> = kinds.iter().map(|kind| kind.name()).collect();
    known = all(known, STATEMENT, kinds);
    let mut places = names::Places::default();
    for (statement, read) in statements.iter().zip(&read) {
        places.add(statement, read, &session);
    }
    known = all(known, DATABASE, places.databases);
    known = all(known, SCHEMA, places.schemas);
    known = all(
        known,
        LOCATION,
        read.iter().flat_map(|read| read.location.clone()),
    );
    Ok(all(known, ROLE, [role]))
}

fn weight(effect: Effect) -> u8 {
    match effect {
        Effect::Read => 0,
        Effect::Write => 1,
        Effect::Delete => 2,
    }
}

fn named(body: &Map<String, Value>, name: &str) -> Part<String> {
    Ok(text(body, name)?
        .filter(|name| !name.is_empty())
        .map(str::to_owned))
}

fn all<T: Into<String>>(
    known: Classification,
    kind: &'static str,
    values: impl IntoIterator<Item = Option<T>>,
) -> Classification {
    values.into_iter().fold(known, |known, value| match value {
        Some(value) => known.fact(kind, value),
        None => known.unknown(kind),
    })
}

#[cfg(test)]
mod properties;
#[cfg(any(test, feature = "fuzzing"))]
mod property;
#[cfg(test)]
mod tests;
