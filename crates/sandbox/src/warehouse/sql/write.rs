//! INSERT, UPDATE, DELETE and TRUNCATE.

use std::collections::BTreeMap;

use sqlparser::ast::{
    AssignmentTarget, Delete, Expr, FromTable, Insert, ObjectName, SetExpr, TableFactor,
    TableObject, TableWithJoins, Truncate, Update, UpdateTableFromKind,
};

use super::{
    Changed, Engine, Outcome,
    build::convert,
    names::{ident, name_of, path_of},
    relation::Relation,
    translate,
    types::Place,
};
use crate::warehouse::{
    account::{Column, Kind, Table},
    errors::SqlError,
};

/// INSERT INTO … VALUES, or of a query.
pub(super) fn insert(
    engine: &mut Engine<'_>,
    insert: Insert,
    places: &BTreeMap<String, Place>,
) -> Result<Outcome, SqlError> {
    let refused = insert.or.is_some()
        || insert.on.is_some()
        || insert.returning.is_some()
        || insert.partitioned.is_some()
        || !insert.assignments.is_empty();
    let (TableObject::TableName(name), Some(mut source), false) =
        (&insert.table, insert.source, refused)
    else {
        return Err(SqlError::unsupported("this form of INSERT"));
    };
    engine.session.needs_warehouse()?;
    let table = base_table(engine, name)?;
    let columns = if insert.columns.is_empty() {
        table.columns.clone()
    } else {
        let named = insert.columns.iter().map(|name| {
            let name = name_of(name);
            let column = table.columns.iter().find(|column| column.name == name);
            column.cloned().ok_or_else(|| SqlError::no_column(&name))
        });
        named.collect::<Result<Vec<_>, _>>()?
    };
    let given = match source.body.as_ref() {
        SetExpr::Values(values) => values
            .rows
            .iter()
            .map(Vec::len)
            .find(|given| *given != columns.len()),
        _ => {
            let mut translator = engine.translator(places);
            translator.types.enter(&source);
            let given = translator.types.columns(&source).len();
            (given != columns.len()).then_some(given)
        }
    };
    if let Some(given) = given {
        let message = format!(
            "SQL compilation error:\nInsert value list does not match column list expecting {} but got {given}",
            columns.len(),
        );
        return Err(SqlError::new("002020", "21S01", message));
    }
    engine.translate_query(&mut source, places)?;
    if insert.overwrite {
        engine
            .rows
            .execute(&format!("DELETE FROM {}", table.stored))?;
    }
    let inserted = fill(engine, &table.stored, &columns, &source.to_string())?;
    Ok(changed(
        &[("number of rows inserted", inserted)],
        Changed {
            inserted,
            ..Changed::default()
        },
    ))
}

/// Inserts what a translated query gives, each value as its column takes it.
pub(super) fn fill(
    engine: &Engine<'_>,
    stored: &str,
    columns: &[Column],
    query: &str,
) -> Result<usize, SqlError> {
    let names = columns.iter().map(|column| ident(&column.name).to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    let given = (0..columns.len()).map(|number| format!("c{number}"));
    let given = given.collect::<Vec<_>>();
    let values = columns.iter().zip(&given).map(|(column, name)| {
        let value = Expr::Identifier(sqlparser::ast::Ident::new(name));
        convert(column.kind, value).to_string()
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let given = given.join(", ");
    engine.rows.execute(&format!(
        "INSERT INTO {stored} ({names}) WITH given({given}) AS ({query}) SELECT {values} FROM given"
    ))
}

/// UPDATE … SET … FROM … WHERE.
pub(super) fn update(
    engine: &mut Engine<'_>,
    update: Update,
    places: &BTreeMap<String, Place>,
) -> Result<Outcome, SqlError> {
    if update.returning.is_some() || update.limit.is_some() || update.or.is_some() {
        return Err(SqlError::unsupported("this form of UPDATE"));
    }
    let mut from = match update.from {
        None => Vec::new(),
        Some(UpdateTableFromKind::AfterSet(from)) => from,
        Some(UpdateTableFromKind::BeforeSet(_)) => {
            return Err(SqlError::unsupported("FROM before SET"));
        }
    };
    let mut target = update.table;
    let table = changed_table(engine, &target)?;
    let mut translator = engine.translator(places);
    let all = [std::slice::from_ref(&target), from.as_slice()].concat();
    translator.types.enter_tables(&all);
    let mut set = Vec::new();
    for mut assignment in update.assignments {
        let AssignmentTarget::ColumnName(name) = &assignment.target else {
            return Err(SqlError::unsupported("a tuple in SET"));
        };
        let name = path_of(name).pop().unwrap_or_default();
        let column = table.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| SqlError::no_column(&name))?;
        translate(&mut translator, &mut assignment.value)?;
        set.push(format!(
            "{} = {}",
            ident(&name),
            convert(column.kind, assignment.value)
        ));
    }
    let mut selection = update.selection;
    translate(&mut translator, &mut target)?;
    translate(&mut translator, &mut from)?;
    translate(&mut translator, &mut selection)?;
    let mut sql = format!("UPDATE {target} SET {}", set.join(", "));
    if !from.is_empty() {
        sql += &format!(" FROM {}", joined(&from));
    }
    sql += &condition(selection.as_ref());
    let updated = engine.rows.execute(&sql)?;
    Ok(changed(
        &[
            ("number of rows updated", updated),
            ("number of multi-joined rows updated", 0),
        ],
        Changed {
            updated,
            ..Changed::default()
        },
    ))
}

/// DELETE FROM … WHERE.
pub(super) fn delete(
    engine: &mut Engine<'_>,
    delete: Delete,
    places: &BTreeMap<String, Place>,
) -> Result<Outcome, SqlError> {
    let (FromTable::WithFromKeyword(mut tables) | FromTable::WithoutKeyword(mut tables)) =
        delete.from;
    if delete.using.is_some() || delete.returning.is_some() || tables.len() != 1 {
        return Err(SqlError::unsupported("this form of DELETE"));
    }
    changed_table(engine, &tables[0])?;
    let mut translator = engine.translator(places);
    translator.types.enter_tables(&tables);
    let mut selection = delete.selection;
    translate(&mut translator, &mut tables)?;
    translate(&mut translator, &mut selection)?;
    let from = joined(&tables);
    let deleted = engine.rows.execute(&format!(
        "DELETE FROM {from}{}",
        condition(selection.as_ref())
    ))?;
    Ok(changed(
        &[("number of rows deleted", deleted)],
        Changed {
            deleted,
            ..Changed::default()
        },
    ))
}

/// TRUNCATE TABLE.
pub(super) fn truncate(engine: &mut Engine<'_>, truncate: &Truncate) -> Result<Outcome, SqlError> {
    for target in &truncate.table_names {
        match base_table(engine, &target.name) {
            Ok(table) => engine
                .rows
                .execute(&format!("DELETE FROM {}", table.stored))?,
            Err(_) if truncate.if_exists => 0,
            Err(error) => return Err(error),
        };
    }
    Ok(Outcome::status("Statement executed successfully."))
}

/// A table that can be written to.
fn base_table(engine: &Engine<'_>, name: &ObjectName) -> Result<Table, SqlError> {
    let path = engine.session.complete(&path_of(name))?;
    let missing = || SqlError::no_object("Table", &path.join("."));
    engine.target(name).map_err(|_| missing())?;
    let [database, schema, table] = &path;
    let table = engine.account.table([database, schema, table]);
    table
        .filter(|table| !table.is_view)
        .cloned()
        .ok_or_else(missing)
}

/// The table of an UPDATE or a DELETE.
fn changed_table(engine: &Engine<'_>, target: &TableWithJoins) -> Result<Table, SqlError> {
    match (&target.relation, target.joins.as_slice()) {
        (TableFactor::Table { name, .. }, []) => base_table(engine, name),
        _ => Err(SqlError::unsupported("a change of joined tables")),
    }
}

fn joined(tables: &[TableWithJoins]) -> String {
    let tables: Vec<String> = tables.iter().map(ToString::to_string).collect();
    tables.join(", ")
}

fn condition(selection: Option<&Expr>) -> String {
    selection.map_or_else(String::new, |selection| format!(" WHERE {selection}"))
}

fn changed(counts: &[(&str, usize)], changed: Changed) -> Outcome {
    let columns: Vec<(&str, Kind)> = counts
        .iter()
        .map(|(name, _)| (*name, Kind::Fixed(0)))
        .collect();
    let mut relation = Relation::of(&columns);
    let row = counts.iter().map(|(_, count)| Some(count.to_string()));
    relation.rows.push(row.collect());
    Outcome {
        changed: Some(changed),
        ..Outcome::rows(relation)
    }
}
