//! Statements that change rows or tables: INSERT, UPDATE, DELETE, TRUNCATE, CREATE TABLE, CREATE VIEW and DROP.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use sqlparser::ast::{
    AssignmentTarget, ColumnDef, ColumnOption, CreateTable, CreateView, Delete, Expr, FromTable,
    IndexColumn, Insert, ObjectName, ObjectType, SetExpr, TableConstraint, TableFactor,
    TableObject, TableWithJoins, Truncate, Update, UpdateTableFromKind,
};

use super::{
    Changed, Engine, Outcome, Place, Relation,
    functions::convert,
    read::{ident, name_of, path_of},
    translate,
    values::{converted, kind_of_type},
};
use crate::warehouse::{
    account::{Column, Key, KeyKind, Kind, Table},
    errors::SqlError,
};

/// Tables by their names in the statement.
type Places = BTreeMap<String, Place>;

/// INSERT INTO … VALUES, or with a query.
pub(super) fn insert(
    engine: &Engine<'_>,
    insert: Insert,
    places: &Places,
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
        let named = insert
            .columns
            .iter()
            .map(|name| column_of(&table, &name_of(name)).cloned());
        named.collect::<Result<Vec<_>, _>>()?
    };
    let check = |given: usize| {
        if given == columns.len() {
            return Ok(());
        }
        let message = format!(
            "SQL compilation error:\nInsert value list does not match column list expecting {} but got {given}",
            columns.len(),
        );
        Err(SqlError::new("002020", "21S01", message))
    };
    if let SetExpr::Values(values) = source.body.as_ref() {
        values.rows.iter().try_for_each(|row| check(row.len()))?;
    }
    let (found, _) = engine.query(&mut source, places)?;
    check(found.columns.len())?;
    let rows = fitted(&columns, found.values)?;
    if insert.overwrite {
        engine
            .rows
            .execute(&format!("DELETE FROM {}", table.stored))?;
    }
    let inserted = rows.len();
    engine
        .rows
        .insert(&table.stored, &columns, rows.into_iter())?;
    let changes = Changed {
        inserted,
        ..Changed::default()
    };
    Ok(changed(&[("number of rows inserted", inserted)], changes))
}

/// Converts the values of rows to the types of the columns.
fn fitted(columns: &[Column], rows: Vec<Vec<Value>>) -> Result<Vec<Vec<Value>>, SqlError> {
    let row = |row: Vec<Value>| {
        let values = columns.iter().zip(row);
        values
            .map(|(column, value)| converted(column.kind, value))
            .collect()
    };
    rows.into_iter().map(row).collect()
}

/// UPDATE … SET … FROM … WHERE.
pub(super) fn update(
    engine: &Engine<'_>,
    update: Update,
    places: &Places,
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
    let (mut target, mut selection) = (update.table, update.selection);
    let table = changed_table(engine, &target)?;
    let mut translator = engine.translator(places);
    let mut set = Vec::new();
    for mut assignment in update.assignments {
        let AssignmentTarget::ColumnName(name) = &assignment.target else {
            return Err(SqlError::unsupported("a tuple in SET"));
        };
        let name = path_of(name).pop().unwrap_or_default();
        let kind = column_of(&table, &name)?.kind;
        translate(&mut translator, &mut assignment.value)?;
        set.push(format!(
            "{} = {}",
            ident(&name),
            convert(kind, assignment.value)
        ));
    }
    translate(&mut translator, &mut target)?;
    translate(&mut translator, &mut from)?;
    translate(&mut translator, &mut selection)?;
    let mut sql = format!("UPDATE {target} SET {}", set.join(", "));
    if !from.is_empty() {
        sql += &format!(" FROM {}", joined(&from));
    }
    let updated = engine
        .rows
        .execute(&(sql + &condition(selection.as_ref())))?;
    let counts = [
        ("number of rows updated", updated),
        ("number of multi-joined rows updated", 0),
    ];
    let changes = Changed {
        updated,
        ..Changed::default()
    };
    Ok(changed(&counts, changes))
}

/// DELETE FROM … WHERE.
pub(super) fn delete(
    engine: &Engine<'_>,
    delete: Delete,
    places: &Places,
) -> Result<Outcome, SqlError> {
    let (FromTable::WithFromKeyword(mut tables) | FromTable::WithoutKeyword(mut tables)) =
        delete.from;
    if delete.using.is_some() || delete.returning.is_some() || tables.len() != 1 {
        return Err(SqlError::unsupported("this form of DELETE"));
    }
    changed_table(engine, &tables[0])?;
    let mut translator = engine.translator(places);
    let mut selection = delete.selection;
    translate(&mut translator, &mut tables)?;
    translate(&mut translator, &mut selection)?;
    let (from, condition) = (joined(&tables), condition(selection.as_ref()));
    let deleted = engine
        .rows
        .execute(&format!("DELETE FROM {from}{condition}"))?;
    let changes = Changed {
        deleted,
        ..Changed::default()
    };
    Ok(changed(&[("number of rows deleted", deleted)], changes))
}

/// TRUNCATE TABLE.
pub(super) fn truncate(engine: &Engine<'_>, truncate: &Truncate) -> Result<Outcome, SqlError> {
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

/// CREATE TABLE with columns, or with AS and a query.
pub(super) fn create_table(
    engine: &mut Engine<'_>,
    create: CreateTable,
    places: &Places,
) -> Result<Outcome, SqlError> {
    if create.like.is_some() || create.clone.is_some() || create.external || create.iceberg {
        return Err(SqlError::unsupported("this form of CREATE TABLE"));
    }
    let path = engine.target(&create.name)?;
    if let Some(kept) = make_room(engine, &path, create.or_replace, create.if_not_exists)? {
        return Ok(kept);
    }
    let columns = create.columns.iter().map(column);
    let mut columns = columns.collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    if let Some(mut query) = create.query {
        engine.session.needs_warehouse()?;
        let (found, _) = engine.query(&mut query, places)?;
        if columns.is_empty() {
            columns = found.columns;
        }
        rows = fitted(&columns, found.values)?;
    }
    let stored = engine.account.new_name();
    engine.rows.create(&stored, &columns)?;
    engine.rows.insert(&stored, &columns, rows.into_iter())?;
    let table = Table {
        keys: keys(&path[2], &create.columns, &create.constraints),
        ..Table::new(path[2].clone(), stored, columns)
    };
    engine.account.add(&path, table);
    Ok(Outcome::status(format!(
        "Table {} successfully created.",
        path[2]
    )))
}

/// CREATE VIEW with AS and a query.
pub(super) fn create_view(
    engine: &mut Engine<'_>,
    mut create: CreateView,
    places: &Places,
) -> Result<Outcome, SqlError> {
    if create.materialized || places.values().any(|place| place.stored.starts_with('i')) {
        return Err(SqlError::unsupported("this form of CREATE VIEW"));
    }
    let path = engine.target(&create.name)?;
    if let Some(kept) = make_room(engine, &path, create.or_replace, create.if_not_exists)? {
        return Ok(kept);
    }
    let (found, _) = engine.query(&mut create.query, places)?;
    let mut columns = found.columns;
    for (column, name) in columns.iter_mut().zip(&create.columns) {
        column.name = name_of(&name.name);
    }
    let stored = engine.account.new_name();
    let names = columns.iter().map(|column| ident(&column.name).to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    let query = create.query;
    engine
        .rows
        .execute(&format!("CREATE VIEW {stored} ({names}) AS {query}"))?;
    let table = Table {
        is_view: true,
        ..Table::new(path[2].clone(), stored, columns)
    };
    engine.account.add(&path, table);
    Ok(Outcome::status(format!(
        "View {} successfully created.",
        path[2]
    )))
}

/// DROP TABLE and DROP VIEW.
pub(super) fn drop_objects(
    engine: &mut Engine<'_>,
    kind: ObjectType,
    if_exists: bool,
    names: &[ObjectName],
) -> Result<Outcome, SqlError> {
    let (is_view, title) = match kind {
        ObjectType::Table => (false, "Table"),
        ObjectType::View => (true, "View"),
        other => return Err(SqlError::unsupported(&format!("DROP {other}"))),
    };
    let [name] = names else {
        return Err(SqlError::unsupported("DROP of several objects"));
    };
    let path = engine.session.complete(&path_of(name))?;
    let found = engine
        .target(name)
        .ok()
        .and_then(|[database, schema, table]| {
            let table = engine.account.table([&database, &schema, &table])?;
            (table.is_view == is_view).then(|| table.stored.clone())
        });
    match found {
        Some(stored) => {
            engine.rows.execute(&format!("DROP {title} {stored}"))?;
            engine.account.remove(&path);
            Ok(Outcome::status(format!(
                "{} successfully dropped.",
                path[2]
            )))
        }
        None if if_exists => Ok(Outcome::status(format!(
            "Drop statement executed successfully ({} already dropped).",
            path[2]
        ))),
        None => Err(SqlError::no_object(title, &path.join("."))),
    }
}

/// Handles an existing object with this name: replaces it, keeps it, or returns an error.
fn make_room(
    engine: &mut Engine<'_>,
    path: &[String; 3],
    replace: bool,
    keep: bool,
) -> Result<Option<Outcome>, SqlError> {
    let [database, schema, name] = path;
    let Some(table) = engine.account.table([database, schema, name]) else {
        return Ok(None);
    };
    if replace {
        let kind = if table.is_view { "VIEW" } else { "TABLE" };
        engine
            .rows
            .execute(&format!("DROP {kind} {}", table.stored))?;
        engine.account.remove(path);
        return Ok(None);
    }
    if keep {
        let message = format!("{name} already exists, statement succeeded.");
        return Ok(Some(Outcome::status(message)));
    }
    let message = format!(
        "SQL compilation error:\nObject '{}' already exists.",
        path.join(".")
    );
    Err(SqlError::new("002002", "42710", message))
}

fn column(definition: &ColumnDef) -> Result<Column, SqlError> {
    let data_type = &definition.data_type;
    let kind = kind_of_type(data_type)
        .ok_or_else(|| SqlError::unsupported(&format!("the type {data_type}")))?;
    let mut nullable = true;
    for option in &definition.options {
        match &option.option {
            ColumnOption::NotNull | ColumnOption::PrimaryKey(_) => nullable = false,
            ColumnOption::Null | ColumnOption::Unique(_) | ColumnOption::Comment(_) => {}
            other => return Err(SqlError::unsupported(&format!("{other} of a column"))),
        }
    }
    let name = name_of(&definition.name);
    Ok(Column {
        name,
        kind,
        nullable,
    })
}

/// Primary and unique keys, which Snowflake records but doesn't enforce.
fn keys(table: &str, columns: &[ColumnDef], constraints: &[TableConstraint]) -> Vec<Key> {
    let of_columns = columns.iter().flat_map(|column| {
        let kinds = column
            .options
            .iter()
            .filter_map(|option| match option.option {
                ColumnOption::PrimaryKey(_) => Some(KeyKind::Primary),
                ColumnOption::Unique(_) => Some(KeyKind::Unique),
                _ => None,
            });
        kinds.map(|kind| (None, vec![name_of(&column.name)], kind))
    });
    let of_table = constraints
        .iter()
        .filter_map(|constraint| match constraint {
            TableConstraint::PrimaryKey(key) => {
                Some((key.name.as_ref(), names(&key.columns), KeyKind::Primary))
            }
            TableConstraint::Unique(key) => {
                Some((key.name.as_ref(), names(&key.columns), KeyKind::Unique))
            }
            _ => None,
        });
    let named = of_columns.chain(of_table).enumerate();
    let key = |(number, (name, columns, kind)): (usize, (Option<&_>, _, _))| Key {
        name: name.map_or_else(|| format!("SYS_CONSTRAINT_{table}_{number}"), name_of),
        columns,
        kind,
    };
    named.map(key).collect()
}

fn names(columns: &[IndexColumn]) -> Vec<String> {
    let names = columns
        .iter()
        .filter_map(|column| match &column.column.expr {
            Expr::Identifier(name) => Some(name_of(name)),
            _ => None,
        });
    names.collect()
}

fn column_of<'a>(table: &'a Table, name: &str) -> Result<&'a Column, SqlError> {
    let column = table.columns.iter().find(|column| column.name == name);
    column.ok_or_else(|| SqlError::no_column(name))
}

/// A table that can be changed.
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
    let columns = counts
        .iter()
        .map(|(name, _)| Column::new(*name, Kind::Fixed(0)));
    let row = counts.iter().map(|(_, count)| Some(count.to_string()));
    Outcome {
        changed: Some(changed),
        ..Outcome::rows(Relation {
            columns: columns.collect(),
            rows: vec![row.collect()],
        })
    }
}
