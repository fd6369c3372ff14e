//! Finds the databases and schemas that a statement names.

use std::{collections::BTreeSet, ops::ControlFlow};

use sqlparser::ast::{ObjectName, ObjectNamePart, Statement as Tree, visit_relations};
use stead_core::product::sent::Part;

use super::{
    statement::Read,
    tokens::{Statement, Token},
};

/// The request's session settings for its statements.
pub(super) struct Session {
    pub(super) database: Part<String>,
    pub(super) schema: Part<String>,
}

/// Databases, and schemas with their databases; `None` for one that isn't known.
#[derive(Default)]
pub(super) struct Places {
    pub(super) databases: BTreeSet<Option<String>>,
    pub(super) schemas: BTreeSet<Option<String>>,
}

/// The product's table functions whose arguments are values, not names.
const OVER_VALUES: [&str; 4] = [
    "FLATTEN",
    "GENERATOR",
    "SPLIT_TO_TABLE",
    "STRTOK_SPLIT_TO_TABLE",
];

impl Places {
    /// Adds the places of a statement, and the one that the request names.
    pub(super) fn add(&mut self, statement: &Statement, read: &Read, session: &Session) {
        if let Ok(Some(database)) = &session.database {
            self.databases.insert(Some(database.clone()));
        }
        if statement.begins_with("SHOW") {
            return self.add_shown(&statement.tokens, session);
        }
        let Some(tree) = &read.tree else {
            return self.add_unknown();
        };
        if has_hidden_names(&statement.tokens) {
            self.add_unknown();
        }
        match tree {
            Tree::Query(_)
            | Tree::Insert(_)
            | Tree::Update(_)
            | Tree::Delete(_)
            | Tree::Merge(_)
            | Tree::CreateTable(_)
            | Tree::CreateView(_) => {
                let ControlFlow::Continue(()) = visit_relations(tree, |name| {
                    self.add_object(parts(name).as_deref(), session);
                    ControlFlow::<std::convert::Infallible>::Continue(())
                });
                // The walk over tables doesn't visit these names.
                let others = ["CLONE", "LIKE", "REFERENCES", "POLICY", "TAG", "TEMPLATE"];
                let is_made = matches!(tree, Tree::CreateTable(_) | Tree::CreateView(_));
                let names_others = |token: &Token| others.iter().any(|other| token.is_word(other));
                if is_made && statement.tokens.iter().any(names_others) {
                    self.add_unknown();
                }
                // A user-defined function can be in any schema, and can read anything.
                let is_plain = read
                    .kinds
                    .iter()
                    .all(|kind| matches!(kind.name(), Some("select" | "explain")))
                    || super::functions::all_read(&statement.tokens);
                if !is_plain {
                    self.add_unknown();
                }
            }
            Tree::StartTransaction { .. } | Tree::Commit { .. } | Tree::Rollback { .. } => {}
            _ => self.add_unknown(),
        }
    }

    pub(super) fn add_unknown(&mut self) {
        self.databases.insert(None);
        self.schemas.insert(None);
    }

    /// Adds the place of a table, a view or a similar object: `table`, `schema.table`, `database.schema.table`.
    fn add_object(&mut self, name: Option<&[String]>, session: &Session) {
        let session_database = session.database.clone().ok().flatten();
        let session_schema = session.schema.clone().ok().flatten();
        match name {
            Some([_]) => {
                // By default, SEARCH_PATH is the current schema, then PUBLIC.
                self.add_schema(session_database.clone(), Some("PUBLIC".to_owned()));
                self.add_schema(session_database, session_schema);
            }
            Some([schema, _]) => self.add_schema(session_database, Some(schema.clone())),
            Some([database, schema, _]) => {
                // The form `database..table`.
                let schema = if schema.is_empty() { "PUBLIC" } else { schema };
                self.add_schema(Some(database.clone()), Some(schema.to_owned()));
            }
            _ => self.add_unknown(),
        }
    }

    fn add_schema(&mut self, database: Option<String>, schema: Option<String>) {
        let both = database
            .as_ref()
            .zip(schema)
            .filter(|(database, schema)| !database.contains('.') && !schema.contains('.'))
            .map(|(database, schema)| format!("{database}.{schema}"));
        self.schemas.insert(both);
        self.databases.insert(database);
    }

    /// Adds the scope of `SHOW … IN DATABASE name`. Without a scope, SHOW may list everything.
    fn add_shown(&mut self, tokens: &[Token], session: &Session) {
        let is = |at: usize, words: &[&str]| {
            let token: Option<&Token> = tokens.get(at);
            token.is_some_and(|token| words.iter().any(|word| token.is_word(word)))
        };
        // Objects of the account, not of a database.
        let of_account =
            is(1, &["WAREHOUSES", "ROLES", "USERS"]) || is(1, &["GRANTS"]) && is(2, &["TO", "OF"]);
        let mut ins = (2..tokens.len()).filter(|at| is(*at, &["IN"]));
        let (place, more) = (ins.next(), ins.next());
        let name = place.filter(|_| more.is_none()).and_then(|at| {
            let Some(Token::Word(kind)) = tokens.get(at + 1) else {
                return None;
            };
            Some((kind.as_str(), name_at(tokens.get(at + 2..)?)?))
        });
        match name {
            None if of_account && place.is_none() => {}
            Some(("DATABASE", name)) if name.len() == 1 => {
                self.databases.extend(name.into_iter().map(Some));
                self.schemas.insert(None);
            }
            Some(("SCHEMA", mut name)) if name.len() <= 2 => {
                name.push(String::new());
                self.add_object(Some(&name), session);
            }
            Some(("TABLE" | "VIEW", name)) => self.add_object(Some(&name), session),
            _ => self.add_unknown(),
        }
    }
}

/// Whether a name may be in a text, a variable or a stage.
fn has_hidden_names(tokens: &[Token]) -> bool {
    let mut pairs = tokens.iter().zip(tokens.iter().skip(1)).enumerate();
    tokens.iter().any(|token| token.is_mark('@'))
        || pairs.any(|(at, (token, next))| {
            let is_call = next.is_mark('(');
            let over_values = || {
                let inner = tokens.get(at + 2);
                inner.is_some_and(|inner| OVER_VALUES.iter().any(|name| inner.is_word(name)))
            };
            is_call && (token.is_word("IDENTIFIER") || token.is_word("TABLE") && !over_values())
                || is_call && token.is_word("RESULT_SCAN")
                // The forms `FROM 'database.schema.table'`, `FROM $1`, `FROM ?` and `FROM :name`.
                || (token.is_word("FROM") || token.is_word("JOIN") || token.is_word("TABLE"))
                    && (matches!(next, Token::Text(_)) || ['$', '?', ':'].iter().any(|mark| next.is_mark(*mark)))
        })
}

/// The parts of a name in their stored form; `None` if one is computed.
fn parts(name: &ObjectName) -> Option<Vec<String>> {
    let part = |part: &ObjectNamePart| {
        let ident = part.as_ident()?;
        match ident.quote_style {
            None => Some(ident.value.to_ascii_uppercase()),
            Some('"') => Some(ident.value.clone()),
            Some(_) => None,
        }
    };
    name.0.iter().map(part).collect()
}

/// The name at the beginning of the tokens.
fn name_at(tokens: &[Token]) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut tokens = tokens.iter();
    loop {
        match tokens.next()? {
            Token::Word(word) => parts.push(word.clone()),
            Token::Quoted(name) => parts.push(name.clone()),
            _ => return None,
        }
        if !tokens.next().is_some_and(|one| one.is_mark('.')) {
            return Some(parts);
        }
    }
}
