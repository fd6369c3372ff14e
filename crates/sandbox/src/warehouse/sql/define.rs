//! CREATE TABLE, CREATE VIEW and DROP.

use std::collections::BTreeMap;

use sqlparser::ast::{
    ColumnDef, ColumnOption, CreateTable, CreateView, Expr, IndexColumn, ObjectName, ObjectType,
    TableConstraint,
};

use super::{
    Engine, Outcome,
    names::{ident, name_of, path_of},
    types::{Place, Typed},
    values::kind_of_type,
    write::fill,
};
use crate::warehouse::{
    account::{Column, Key, KeyKind, Kind, Table},
    errors::SqlError,
};

/// CREATE TABLE with columns, or AS a query.
pub(super) fn create_table(
    engine: &mut Engine<'_>,
    create: CreateTable,
    places: &BTreeMap<String, Place>,
) -> Result<Outcome, SqlError> {
    if create.like.is_some() || create.clone.is_some() || create.external || create.iceberg {
        return Err(SqlError::unsupported("this form of CREATE TABLE"));
    }
    let path = engine.target(&create.name)?;
    if let Some(kept) = make_room(engine, &path, create.or_replace, create.if_not_exists)? {
        return Ok(kept);
    }
    let mut columns = create
        .columns
        .iter()
        .map(column)
        .collect::<Result<Vec<_>, _>>()?;
    let mut query = create.query;
    if let Some(query) = &mut query {
        engine.session.needs_warehouse()?;
        let (given, _) = engine.translate_query(query, places)?;
        if columns.is_empty() {
            columns = given.into_iter().map(declared).collect();
        }
    }
    let stored = engine.account.new_name();
    engine.rows.create(&stored, &columns, false)?;
    if let Some(query) = query
        && let Err(error) = fill(engine, &stored, &columns, &query.to_string())
    {
        engine.rows.execute(&format!("DROP TABLE {stored}"))?;
        return Err(error);
    }
    let table = Table {
        keys: keys(&path[2], &create.columns, &create.constraints),
        ..Table::new(path[2].clone(), stored, columns)
    };
    engine.account.add(&path, table);
    let message = format!("Table {} successfully created.", path[2]);
    Ok(Outcome::status(message))
}

/// CREATE VIEW AS a query.
pub(super) fn create_view(
    engine: &mut Engine<'_>,
    mut create: CreateView,
    places: &BTreeMap<String, Place>,
) -> Result<Outcome, SqlError> {
    if create.materialized || places.values().any(|place| place.stored.starts_with('i')) {
        return Err(SqlError::unsupported("this form of CREATE VIEW"));
    }
    let path = engine.target(&create.name)?;
    if let Some(kept) = make_room(engine, &path, create.or_replace, create.if_not_exists)? {
        return Ok(kept);
    }
    let (given, _) = engine.translate_query(&mut create.query, places)?;
    let mut columns: Vec<Column> = given.into_iter().map(declared).collect();
    for (column, name) in columns.iter_mut().zip(&create.columns) {
        column.name = name_of(&name.name);
    }
    let stored = engine.account.new_name();
    let names = columns.iter().map(|column| ident(&column.name).to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    engine.rows.execute(&format!(
        "CREATE VIEW {stored} ({names}) AS {}",
        create.query
    ))?;
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
    let Some(stored) = found else {
        if if_exists {
            let message = "Drop statement executed successfully";
            return Ok(Outcome::status(format!(
                "{message} ({} already dropped).",
                path[2]
            )));
        }
        return Err(SqlError::no_object(title, &path.join(".")));
    };
    engine.rows.execute(&format!("DROP {title} {stored}"))?;
    engine.account.remove(&path);
    Ok(Outcome::status(format!(
        "{} successfully dropped.",
        path[2]
    )))
}

/// Where there is an object of this name: replaces it, keeps it, or refuses.
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
    Ok(Column {
        name: name_of(&definition.name),
        kind,
        nullable,
    })
}

fn declared(column: Typed) -> Column {
    Column {
        name: column.name,
        kind: column.kind.unwrap_or(Kind::Text),
        nullable: column.nullable,
    }
}

/// Primary and unique keys, which are said and not enforced.
fn keys(table: &str, columns: &[ColumnDef], constraints: &[TableConstraint]) -> Vec<Key> {
    let of_columns = columns.iter().flat_map(|column| {
        let key = |option: &ColumnOption| match option {
            ColumnOption::PrimaryKey(_) => Some(KeyKind::Primary),
            ColumnOption::Unique(_) => Some(KeyKind::Unique),
            _ => None,
        };
        let kinds = column
            .options
            .iter()
            .filter_map(move |option| key(&option.option));
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
    named
        .map(|(number, (name, columns, kind))| Key {
            name: name.map_or_else(|| format!("SYS_CONSTRAINT_{table}_{number}"), name_of),
            columns,
            kind,
        })
        .collect()
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
