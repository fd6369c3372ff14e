//! Runs statements: sqlparser parses them, SQLite runs them on rows in memory, and the results have the types that the
//! tables declare. This translates plain SQL and isn't a dialect. If the sandbox doesn't play a feature of Snowflake,
//! the error names it (000002), and isn't a syntax error.

mod catalog;
mod change;
mod functions;
mod kinds;
mod read;
mod rows;
mod show;
mod translate;
mod values;

use std::{collections::BTreeMap, ops::ControlFlow};

use jiff::Timestamp;
use rusqlite::types::{Value, ValueRef};
use sqlparser::ast::{ObjectName, Query, Statement, Visit as _, VisitMut, visit_expressions_mut};

pub(super) use read::{Text, split};
pub(super) use rows::Rows;
pub(super) use values::{BoundValue, bind};

use super::errors::SqlError;
use crate::warehouse::account::{Account, Cell, Column, Kind, Person};
use functions::unit_is_text;
use kinds::Kinds;
use read::path_of;
use translate::Named;

/// Rewrites a statement in place.
struct Translator<'a> {
    /// Tables by their names in the statement.
    places: &'a BTreeMap<String, Place>,
    kinds: Kinds<'a>,
    session: &'a Session,
    now: Timestamp,
    /// How many seconds the statement takes.
    seconds: i64,
}

/// A table in a statement.
#[derive(Debug, Clone)]
struct Place {
    /// The name of the SQLite table.
    stored: String,
    /// The table's own name, without database and schema.
    name: String,
    columns: Vec<Column>,
}

/// The columns and rows of a result.
#[derive(Debug, Clone, Default)]
pub(super) struct Relation {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A result of SQLite.
struct Found {
    columns: Vec<Column>,
    /// Whether each column comes from a table, and so has a declared type.
    declared: Vec<bool>,
    values: Vec<Vec<Value>>,
}

impl Found {
    /// If a column has no type, its values decide.
    fn new(columns: Vec<(String, Option<Kind>)>, values: Vec<Vec<Value>>) -> Self {
        let declared = columns.iter().map(|(_, kind)| kind.is_some()).collect();
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(index, (name, kind))| {
                Column::new(name, kind.unwrap_or_else(|| kind_of_values(&values, index)))
            });
        Self {
            columns: columns.collect(),
            declared,
            values,
        }
    }

    /// The result in the form of the API.
    fn shown(self) -> Relation {
        let columns = self.columns;
        let row = |row: &Vec<Value>| {
            let cells = columns.iter().zip(row);
            let cells =
                cells.map(|(column, value)| values::shown(column.kind, ValueRef::from(value)));
            cells.collect()
        };
        let rows = self.values.iter().map(row).collect();
        Relation { columns, rows }
    }
}

/// The user and the context of a statement.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) person: Person,
    pub(super) role: String,
    pub(super) warehouse: Option<String>,
    pub(super) database: Option<String>,
    pub(super) schema: Option<String>,
}

/// The result of a statement.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) relation: Relation,
    /// How many seconds the statement takes.
    pub(super) seconds: i64,
    /// How many rows it changed. `None` if the statement changes none.
    pub(super) changed: Option<Changed>,
}

/// Numbers of changed rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changed {
    pub(super) inserted: usize,
    pub(super) updated: usize,
    pub(super) deleted: usize,
}

impl Outcome {
    fn rows(relation: Relation) -> Self {
        Self {
            relation,
            seconds: 0,
            changed: None,
        }
    }

    /// The status row of a statement without rows.
    fn status(text: impl Into<String>) -> Self {
        Self::rows(Relation {
            columns: vec![Column::new("status", Kind::Text)],
            rows: vec![vec![Some(text.into())]],
        })
    }
}

/// What a statement runs on.
pub(super) struct Engine<'a> {
    pub(super) account: &'a mut Account,
    pub(super) rows: &'a Rows,
    pub(super) session: &'a Session,
    pub(super) bindings: &'a [BoundValue],
    pub(super) now: Timestamp,
}

impl Engine<'_> {
    /// Runs a statement.
    pub(super) fn run(&mut self, text: &Text) -> Result<Outcome, SqlError> {
        if let Some(shown) = show::run(self, text) {
            return Ok(Outcome::rows(shown?.shown()));
        }
        let mut statement = text.parse(self.bindings.len())?;
        let _done: ControlFlow<()> = visit_expressions_mut(&mut statement, |expr| {
            unit_is_text(expr);
            ControlFlow::Continue(())
        });
        let mut lent = Vec::new();
        let places = self.places(&statement, &mut lent)?;
        let outcome = self.run_over(statement, &places);
        for stored in lent {
            self.rows.execute(&format!("DROP VIEW temp.{stored}"))?;
        }
        outcome
    }

    fn run_over(
        &mut self,
        statement: Statement,
        places: &BTreeMap<String, Place>,
    ) -> Result<Outcome, SqlError> {
        match statement {
            Statement::Query(mut query) => {
                let (found, seconds) = self.query(&mut query, places)?;
                Ok(Outcome {
                    seconds,
                    ..Outcome::rows(found.shown())
                })
            }
            Statement::Insert(insert) => change::insert(self, insert, places),
            Statement::Update(update) => change::update(self, update, places),
            Statement::Delete(delete) => change::delete(self, delete, places),
            Statement::Truncate(truncate) => change::truncate(self, &truncate),
            Statement::CreateTable(create) => change::create_table(self, create, places),
            Statement::CreateView(create) => change::create_view(self, create, places),
            Statement::Drop {
                object_type,
                if_exists,
                names,
                ..
            } => change::drop_objects(self, object_type, if_exists, &names),
            other => {
                let text = other.to_string();
                let words: Vec<&str> = text.split(' ').take(2).collect();
                Err(SqlError::unsupported(&words.join(" ").to_uppercase()))
            }
        }
    }

    /// Rewrites a query for SQLite and runs it. Returns the result, and how many seconds it takes.
    fn query(
        &self,
        query: &mut Query,
        places: &BTreeMap<String, Place>,
    ) -> Result<(Found, i64), SqlError> {
        let mut translator = self.translator(places);
        let kinds = translator.kinds.of_query(query);
        translate(&mut translator, query)?;
        let mut found = self.rows.query(&query.to_string(), Vec::new())?;
        for (index, column) in found.columns.iter_mut().enumerate() {
            if found.declared[index] {
                column.nullable = translator.kinds.is_nullable(&column.name);
            } else if let Some(Some(kind)) = kinds.get(index) {
                column.kind = *kind;
            }
        }
        Ok((found, translator.seconds))
    }

    fn translator<'a>(&'a self, places: &'a BTreeMap<String, Place>) -> Translator<'a> {
        Translator {
            places,
            kinds: Kinds::new(places, self.bindings),
            session: self.session,
            now: self.now,
            seconds: 0,
        }
    }

    /// The tables that a statement reads, by their names in the statement. Creates views of the information schema, and
    /// adds them to `lent`.
    fn places(
        &self,
        statement: &Statement,
        lent: &mut Vec<String>,
    ) -> Result<BTreeMap<String, Place>, SqlError> {
        let mut named = Named::default();
        let _done = statement.visit(&mut named);
        if !named.tables.is_empty() {
            self.session.needs_warehouse()?;
        }
        let mut places = BTreeMap::new();
        for name in named.tables {
            let [database, schema, table] = self.session.complete(&path_of(&name))?;
            let full = format!("{database}.{schema}.{table}");
            let missing = || SqlError::no_object("Object", &full);
            let object = self
                .account
                .database(&database, &self.session.role)
                .ok_or_else(|| SqlError::no_object("Database", &database))?;
            let (stored, columns) = if schema == "INFORMATION_SCHEMA" {
                if lent.is_empty() {
                    catalog::fill(self.rows, self.account, self.session)?;
                }
                let stored = format!("i{}", lent.len());
                if !catalog::lend(self.rows, &stored, &database, &table)? {
                    return Err(missing());
                }
                lent.push(stored.clone());
                (stored, Vec::new())
            } else {
                let schema = object.schema(&schema).ok_or_else(|| {
                    SqlError::no_object("Schema", &format!("{database}.{schema}"))
                })?;
                let table = schema.table(&table).ok_or_else(missing)?;
                (table.stored.clone(), table.columns.clone())
            };
            let place = Place {
                stored,
                name: table,
                columns,
            };
            places.insert(name.to_string(), place);
        }
        Ok(places)
    }

    /// The full name of a table or view that a statement creates, changes or drops.
    fn target(&self, name: &ObjectName) -> Result<[String; 3], SqlError> {
        let path = self.session.complete(&path_of(name))?;
        let [database, schema, _] = &path;
        let object = self
            .account
            .database(database, &self.session.role)
            .ok_or_else(|| SqlError::no_object("Database", database))?;
        if object.schema(schema).is_none() {
            let name = format!("{database}.{schema}");
            return Err(SqlError::no_object("Schema", &name));
        }
        Ok(path)
    }
}

/// Rewrites a part of a statement.
fn translate(translator: &mut Translator<'_>, part: &mut impl VisitMut) -> Result<(), SqlError> {
    match part.visit(translator) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// The type of a column, according to its values.
fn kind_of_values(values: &[Vec<Value>], index: usize) -> Kind {
    let mut kinds = values.iter().filter_map(|row| match row.get(index)? {
        Value::Integer(_) => Some(Kind::Fixed(0)),
        Value::Real(_) => Some(Kind::Real),
        Value::Text(_) => Some(Kind::Text),
        Value::Null | Value::Blob(_) => None,
    });
    let first = kinds.next().unwrap_or(Kind::Text);
    kinds.fold(first, |kind, other| match (kind, other) {
        (Kind::Fixed(_), Kind::Real) => Kind::Real,
        (_, Kind::Text) => Kind::Text,
        (kind, _) => kind,
    })
}

impl Session {
    /// Checks that there's a warehouse, which statements with stored rows need.
    fn needs_warehouse(&self) -> Result<(), SqlError> {
        match self.warehouse {
            Some(_) => Ok(()),
            None => Err(SqlError::new(
                "000606",
                "57P03",
                "No active warehouse selected in the current session.  Select an active warehouse with the 'use warehouse' command.",
            )),
        }
    }

    /// Completes the full name of an object with the session's database and schema.
    fn complete(&self, path: &[String]) -> Result<[String; 3], SqlError> {
        let database = || {
            let missing = "Cannot perform SELECT. This session does not have a current database. Call 'USE DATABASE', or use a qualified name.";
            self.database
                .clone()
                .ok_or_else(|| SqlError::new("090105", "22000", missing))
        };
        let schema = || {
            let missing = "Cannot perform SELECT. This session does not have a current schema. Call 'USE SCHEMA', or use a qualified name.";
            self.schema
                .clone()
                .ok_or_else(|| SqlError::new("090106", "22000", missing))
        };
        Ok(match path {
            [table] => [database()?, schema()?, table.clone()],
            [schema, table] => [database()?, schema.clone(), table.clone()],
            [database, schema, table] => [database.clone(), schema.clone(), table.clone()],
            _ => return Err(SqlError::no_object("Object", &path.join("."))),
        })
    }
}
