//! A property that holds for every statement: if it's classified as reading, it only reads, and no other statement hides
//! behind it.

use std::{panic::resume_unwind, thread};

use serde_json::json;
use sqlparser::{dialect::SnowflakeDialect, parser::Parser};
use stead_core::{product::Classification, tool::Effect};

use super::{STACK, STATEMENT, statement, submitted};
use crate::sql::{Name, literal};

/// Kinds of statements that only read.
const READING: [&str; 5] = ["describe", "explain", "list", "select", "show"];

/// A statement is unknown, or it's classified correctly.
pub(crate) fn holds(sql: &str) {
    // Uses the same stack size as `classify`, once for all checks. A panic on that thread panics here too.
    let checked = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || check(sql));
        thread.expect("a thread").join()
    });
    if let Err(panic) = checked {
        resume_unwind(panic);
    }
}

fn check(sql: &str) {
    let found = read(sql);
    let drops = read(&format!("{sql}\n; DROP TABLE t"));
    if let Some(found) = &found {
        assert!(found.effect.is_some(), "{sql:?}");
        // A second statement is seen, unless a text was still open at the end.
        let is_seen = |drops: &Classification| drops.effect == Some(Effect::Delete);
        assert!(
            drops.as_ref().is_none_or(is_seen),
            "{sql:?} hides a statement"
        );
        let again = read(&format!("/* a */ {sql}"));
        assert_eq!(again.as_ref(), Some(found), "{sql:?} after a comment");
        if found.effect == Some(Effect::Read) {
            reads(sql, found);
        }
    }
    embedded(sql);
}

fn read(sql: &str) -> Option<Classification> {
    let body = json!({ "statement": sql });
    submitted(body.as_object()).ok()
}

fn reads(sql: &str, found: &Classification) {
    let kinds = found.facts.iter().filter(|fact| fact.kind == STATEMENT);
    for kind in kinds {
        let kind = kind.value.as_deref();
        assert!(
            kind.is_some_and(|kind| READING.contains(&kind)),
            "{sql:?} is {kind:?}"
        );
    }
    // Another parser checks the whole text, including comments and constants.
    let trees = Parser::parse_sql(&SnowflakeDialect {}, sql).unwrap_or_default();
    let changes = trees.iter().find_map(statement::changing);
    assert_eq!(changes, None, "{sql:?}");
}

/// A text that the tools insert into a statement stays a text, and a name stays a name.
fn embedded(text: &str) {
    let is_read = |sql: String| {
        let found = read(&sql).expect("a statement that reads for sure");
        assert_eq!(found.effect, Some(Effect::Read), "{sql:?}");
        reads(&sql, &found);
    };
    if let Ok(literal) = literal(text) {
        is_read(format!("SELECT {literal}"));
    }
    if let Ok(name) = Name::read(text) {
        is_read(format!("SELECT 1 FROM {}", name.quoted()));
    }
}
