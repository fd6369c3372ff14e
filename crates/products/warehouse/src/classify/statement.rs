//! Classifies a statement, if its meaning is certain.

use std::ops::ControlFlow;

use sqlparser::{
    ast::{Expr, Query, SetExpr, Statement as Tree, Update, Value, Visit, Visitor},
    dialect::SnowflakeDialect,
    parser::Parser,
};
use stead_core::tool::Effect;

use super::{
    functions,
    tokens::{Statement, Token},
};

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Named(String),
    /// A statement that isn't understood.
    Unknown,
}

impl Kind {
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Unknown => None,
        }
    }

    /// Whether names may mean something else after this statement.
    pub(super) fn changes_session(&self) -> bool {
        match self {
            Self::Named(name) => matches!(
                name.as_str(),
                "use" | "set" | "alter_session" | "call" | "execute_immediate"
            ),
            Self::Unknown => true,
        }
    }
}

/// The parsed facts of a statement.
#[derive(Debug)]
pub(super) struct Read {
    /// More than one kind for an explained statement.
    pub(super) kinds: Vec<Kind>,
    pub(super) effect: Effect,
    /// The syntax tree, if names are read from it.
    pub(super) tree: Option<Tree>,
    /// The target of an unload; the inner `None` means that it can't be read.
    pub(super) location: Option<Option<String>>,
}

impl Read {
    fn new(name: &str, effect: Effect) -> Self {
        Self {
            kinds: vec![Kind::Named(name.to_owned())],
            effect,
            tree: None,
            location: None,
        }
    }

    /// A statement that isn't understood may do anything.
    fn unknown() -> Self {
        Self {
            kinds: vec![Kind::Unknown],
            effect: Effect::Delete,
            tree: None,
            location: Some(None),
        }
    }
}

/// Parses a statement.
pub(super) fn read(statement: &Statement) -> Read {
    let Some(Token::Word(first)) = statement.tokens.first() else {
        return of_tree(statement, "select");
    };
    match first.as_str() {
        // These don't run anything else.
        "SHOW" => Read::new("show", Effect::Read),
        "DESC" | "DESCRIBE" => Read::new("describe", Effect::Read),
        "LIST" | "LS" => Read::new("list", Effect::Read),
        "EXPLAIN" => explained(statement),
        "SELECT" | "WITH" => of_tree(statement, "select"),
        "COPY" if is_unload(&statement.tokens) => unload(statement),
        other => of_tree(statement, &other.to_ascii_lowercase()),
    }
}

/// A plan, which is classified like the statement that it explains.
fn explained(statement: &Statement) -> Read {
    let using = statement
        .tokens
        .get(1)
        .is_some_and(|one| one.is_word("USING"));
    let words = if using { 3 } else { 1 };
    let tokens = statement.tokens.get(words..).unwrap_or_default().to_vec();
    let mut sql = statement.sql.trim_start();
    for _ in 0..words {
        let end = sql.find(|one: char| !one.is_ascii_alphanumeric());
        sql = sql[end.unwrap_or(sql.len())..].trim_start();
    }
    let inner = Statement {
        tokens,
        sql: sql.to_owned(),
        end: statement.end,
    };
    let is_plain = matches!(inner.tokens.first(), Some(Token::Word(word)) if word != "EXPLAIN");
    if !is_plain {
        return Read::unknown();
    }
    let mut read = read(&inner);
    read.kinds.push(Kind::Named("explain".to_owned()));
    read
}

/// Parses a statement that the parser must understand. Its kind begins with its first word.
fn of_tree(statement: &Statement, first: &str) -> Read {
    let parsed = Parser::parse_sql(&SnowflakeDialect {}, &statement.sql);
    let Some(tree) = parsed
        .ok()
        .and_then(|trees| <[Tree; 1]>::try_from(trees).ok())
    else {
        return Read::unknown();
    };
    let [tree] = tree;
    let (name, effect) = match &tree {
        Tree::Query(query) => match (reads(query), functions::all_read(&statement.tokens)) {
            (false, _) => return Read::unknown(),
            (true, true) => ("select".to_owned(), Effect::Read),
            (true, false) => ("select_with_function".to_owned(), Effect::Write),
        },
        Tree::Update(update) if !keeps_values(update) => ("update".to_owned(), Effect::Delete),
        other => match changing(other) {
            Some((name, effect)) => (name, effect),
            None => return Read::unknown(),
        },
    };
    if name.split('_').next() != Some(first) {
        return Read::unknown();
    }
    let tokens = &statement.tokens;
    // The forms `CREATE OR REPLACE` and `CREATE OR ALTER`.
    let replaces = tokens.get(1).is_some_and(|one| one.is_word("OR"));
    let owns = matches!(tree, Tree::Grant(_)) && tokens.iter().any(|one| one.is_word("OWNERSHIP"));
    let deletes = replaces || owns || is_on(tokens, "PURGE") || functions::any_acts(tokens);
    let effect = if deletes { Effect::Delete } else { effect };
    Read {
        kinds: vec![Kind::Named(name)],
        effect,
        tree: Some(tree),
        location: None,
    }
}

/// Whether the target of `COPY INTO` is a stage or an address instead of a table.
fn is_unload(tokens: &[Token]) -> bool {
    tokens.get(1).is_some_and(|one| one.is_word("INTO"))
        && (tokens.get(2)).is_some_and(|one| one.is_mark('@') || matches!(one, Token::Text(_)))
}

/// A statement that writes rows to a stage or an address.
fn unload(statement: &Statement) -> Read {
    let tokens = &statement.tokens;
    let deletes = is_on(tokens, "OVERWRITE") || functions::any_acts(tokens);
    let effect = if deletes {
        Effect::Delete
    } else {
        Effect::Write
    };
    let written = match tokens.get(2) {
        Some(Token::Text(text)) => Some(text.as_str()),
        _ => statement.sql.split_once('@').map(|(before, after)| {
            let end = after.find(|one: char| one.is_ascii_whitespace() || one == '(');
            let from = before.len();
            &statement.sql[from..from + 1 + end.unwrap_or(after.len())]
        }),
    };
    let is_plain = |text: &&str| !text.contains(['\'', '"', '\\', ' ', '\n', '\r', '\t']);
    let location = written
        .filter(is_plain)
        .map(|text| match text.split_once('/') {
            // The name of a stage is stored in upper case, a path below it unchanged.
            Some((stage, path)) if text.starts_with('@') => {
                format!("{}/{path}", stage.to_ascii_uppercase())
            }
            None if text.starts_with('@') => text.to_ascii_uppercase(),
            _ => text.to_owned(),
        });
    Read {
        location: Some(location),
        ..Read::new("unload", effect)
    }
}

/// Whether an option is set and not clearly off.
fn is_on(tokens: &[Token], option: &str) -> bool {
    let at = |at: usize| tokens.get(at);
    tokens.iter().enumerate().any(|(index, token)| {
        let is_off = at(index + 1).is_some_and(|one| one.is_mark('='))
            && at(index + 2).is_some_and(|one| one.is_word("FALSE"));
        token.is_word(option) && !is_off
    })
}

/// Whether all assigned values are certain not to be NULL, which would remove the old value.
fn keeps_values(update: &Update) -> bool {
    update.assignments.iter().all(|one| is_value(&one.value))
}

fn is_value(expression: &Expr) -> bool {
    match expression {
        Expr::Value(value) => !matches!(value.value, Value::Null | Value::Placeholder(_)),
        Expr::Identifier(name) => !name.value.eq_ignore_ascii_case("DEFAULT"),
        Expr::CompoundIdentifier(_) => true,
        Expr::BinaryOp { left, right, .. } => is_value(left) && is_value(right),
        Expr::UnaryOp { expr, .. } | Expr::Nested(expr) => is_value(expr),
        _ => false,
    }
}

/// The kind of a statement that changes something.
pub(super) fn changing(tree: &Tree) -> Option<(String, Effect)> {
    let (name, effect) = match tree {
        Tree::Insert(insert) if insert.overwrite => ("insert", Effect::Delete),
        Tree::Insert(_) => ("insert", Effect::Write),
        Tree::Update(_) => ("update", Effect::Write),
        Tree::Merge(_) => ("merge", Effect::Delete),
        Tree::Delete(_) => ("delete", Effect::Delete),
        Tree::Truncate(_) => ("truncate", Effect::Delete),
        Tree::CopyIntoSnowflake { .. } => ("copy_into", Effect::Write),
        Tree::Remove(_) => ("remove", Effect::Delete),
        // The statements that these run aren't visible.
        Tree::Call(_) => ("call", Effect::Delete),
        Tree::Execute {
            immediate: true, ..
        } => ("execute_immediate", Effect::Delete),
        Tree::CreateTable(_) => ("create_table", Effect::Write),
        Tree::CreateView(_) => ("create_view", Effect::Write),
        Tree::CreateSchema { .. } => ("create_schema", Effect::Write),
        Tree::CreateDatabase { .. } => ("create_database", Effect::Write),
        Tree::CreateStage { .. } => ("create_stage", Effect::Write),
        Tree::CreateSequence { .. } => ("create_sequence", Effect::Write),
        Tree::CreateFunction(_) => ("create_function", Effect::Write),
        Tree::CreateProcedure { .. } => ("create_procedure", Effect::Write),
        Tree::CreateRole(_) => ("create_role", Effect::Write),
        Tree::CreateUser(_) => ("create_user", Effect::Write),
        Tree::AlterTable(_) => ("alter_table", Effect::Delete),
        // These can also drop, rename and revoke.
        Tree::AlterView { .. } => ("alter_view", Effect::Delete),
        Tree::AlterSchema(_) => ("alter_schema", Effect::Delete),
        Tree::AlterUser(_) => ("alter_user", Effect::Delete),
        Tree::AlterSession { .. } => ("alter_session", Effect::Write),
        Tree::Drop { object_type, .. } => {
            let kind = object_type.to_string().to_ascii_lowercase();
            return Some((format!("drop_{}", kind.replace(' ', "_")), Effect::Delete));
        }
        Tree::DropFunction(_) => ("drop_function", Effect::Delete),
        Tree::DropProcedure { .. } => ("drop_procedure", Effect::Delete),
        Tree::Grant(_) => ("grant", Effect::Write),
        Tree::Revoke(_) => ("revoke", Effect::Delete),
        Tree::Use(_) => ("use", Effect::Write),
        Tree::Set(_) => ("set", Effect::Write),
        Tree::Comment { .. } => ("comment", Effect::Write),
        Tree::StartTransaction { statements, .. } if statements.is_empty() => {
            ("begin", Effect::Write)
        }
        Tree::Commit { .. } => ("commit", Effect::Write),
        Tree::Rollback { .. } => ("rollback", Effect::Write),
        _ => return None,
    };
    Some((name.to_owned(), effect))
}

/// Whether no part of a query writes, locks or stores its result.
fn reads(query: &Query) -> bool {
    query.visit(&mut Writes).is_continue()
}

/// Stops at the first part of a query that does more than read.
struct Writes;

impl Visitor for Writes {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let is_plain = query.locks.is_empty()
            && query.for_clause.is_none()
            && query.settings.is_none()
            && query.format_clause.is_none()
            && query.pipe_operators.is_empty();
        if is_plain && body_reads(&query.body) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn pre_visit_statement(&mut self, _: &Tree) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

fn body_reads(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => select.into.is_none(),
        // The visitor reaches these separately.
        SetExpr::Query(_) | SetExpr::Values(_) => true,
        SetExpr::SetOperation { left, right, .. } => body_reads(left) && body_reads(right),
        _ => false,
    }
}
