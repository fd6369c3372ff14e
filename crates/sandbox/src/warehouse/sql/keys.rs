//! SHOW PRIMARY KEYS, IMPORTED KEYS and EXPORTED KEYS.

use super::{Relation, Session, cursor::Cursor, database, information_schema::CREATED, visible};
use crate::warehouse::{
    account::{Account, Database, Kind, Schema, Table},
    errors::SqlError,
};

/// A table with where it is.
type Place<'account> = (&'account Database, &'account Schema, &'account Table);

/// The primary keys of a scope, one row per column.
pub(super) fn primary(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    let sort_keys = scope(account, session, cursor)?;
    cursor.end()?;
    let mut result = Relation::of(&[
        ("created_on", Kind::TimestampLtz),
        ("database_name", Kind::Text),
        ("schema_name", Kind::Text),
        ("table_name", Kind::Text),
        ("column_name", Kind::Text),
        ("key_sequence", Kind::Fixed(0)),
        ("constraint_name", Kind::Text),
        ("rely", Kind::Text),
        ("comment", Kind::Text),
    ]);
    for (database, schema, table) in sort_keys {
        let Some(key) = table.primary_key() else {
            continue;
        };
        for (number, column) in (1_u32..).zip(&key.columns) {
            let number = number.to_string();
            result.push([
                CREATED,
                database.name,
                schema.name,
                &table.name,
                column,
                &number,
                &key.name,
                "false",
                "",
            ]);
        }
    }
    Ok(result)
}

/// The foreign keys of a table, or those that refer to it.
pub(super) fn foreign(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
    imported: bool,
) -> Result<Relation, SqlError> {
    cursor.expect("IN")?;
    let _said = cursor.keyword("TABLE");
    let path = cursor.path()?;
    cursor.end()?;
    let (database, schema, table) = table(account, session, &path)?;
    let mut result = Relation::of(&[
        ("created_on", Kind::TimestampLtz),
        ("pk_database_name", Kind::Text),
        ("pk_schema_name", Kind::Text),
        ("pk_table_name", Kind::Text),
        ("pk_column_name", Kind::Text),
        ("fk_database_name", Kind::Text),
        ("fk_schema_name", Kind::Text),
        ("fk_table_name", Kind::Text),
        ("fk_column_name", Kind::Text),
        ("key_sequence", Kind::Fixed(0)),
        ("update_rule", Kind::Text),
        ("delete_rule", Kind::Text),
        ("fk_name", Kind::Text),
        ("pk_name", Kind::Text),
        ("deferrability", Kind::Text),
        ("rely", Kind::Text),
        ("comment", Kind::Text),
    ]);
    for from in &schema.tables {
        for key in &from.keys {
            let Some(to) = key.refers_to() else {
                continue;
            };
            let side = if imported { from.name.as_str() } else { to };
            let Some(unique) = schema
                .table(to)
                .and_then(Table::primary_key)
                .filter(|_| side == table.name)
            else {
                continue;
            };
            for (number, (column, referred)) in
                (1_u32..).zip(key.columns.iter().zip(&unique.columns))
            {
                let number = number.to_string();
                result.push([
                    CREATED,
                    database.name,
                    schema.name,
                    to,
                    referred,
                    database.name,
                    schema.name,
                    &from.name,
                    column,
                    &number,
                    "NO ACTION",
                    "NO ACTION",
                    &key.name,
                    &unique.name,
                    "NOT DEFERRABLE",
                    "false",
                    "",
                ]);
            }
        }
    }
    Ok(result)
}

/// The tables of `IN ACCOUNT`, `IN DATABASE …`, `IN SCHEMA …` or `IN TABLE …`.
fn scope<'account>(
    account: &'account Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Vec<Place<'account>>, SqlError> {
    let databases = |databases: Vec<&'account Database>| {
        let of = |database: &'account Database| {
            database
                .schemas
                .iter()
                .flat_map(move |schema| of_schema(database, schema))
        };
        databases.into_iter().flat_map(of).collect()
    };
    let current = || match &session.database {
        Some(name) => database(account, session, name).map(|database| vec![database]),
        None => Ok(visible(account, session)),
    };
    if !cursor.keyword("IN") {
        return current().map(databases);
    }
    if cursor.keyword("ACCOUNT") {
        return Ok(databases(visible(account, session)));
    }
    if cursor.keyword("DATABASE") {
        if cursor.peek().is_none() {
            return current().map(databases);
        }
        return Ok(databases(vec![database(
            account,
            session,
            &cursor.name()?,
        )?]));
    }
    if cursor.keyword("SCHEMA") {
        let path = cursor.path()?;
        let (outer, name) = match (path.as_slice(), &session.database) {
            ([database, schema], _) => (database, schema),
            ([schema], Some(database)) => (database, schema),
            ([schema], None) => {
                let message = format!(
                    "SQL compilation error:\nMust specify the full search path starting from database for {schema}"
                );
                return Err(SqlError::new("001059", "22023", message));
            }
            _ => return Err(cursor.unexpected()),
        };
        let outer = database(account, session, outer)?;
        let schema = outer
            .schema(name)
            .ok_or_else(|| SqlError::no_object("Schema", &path.join(".")))?;
        return Ok(of_schema(outer, schema).collect());
    }
    let _said = cursor.keyword("TABLE");
    let path = cursor.path()?;
    Ok(vec![table(account, session, &path)?])
}

fn of_schema<'account>(
    database: &'account Database,
    schema: &'account Schema,
) -> impl Iterator<Item = Place<'account>> {
    schema
        .tables
        .iter()
        .map(move |table| (database, schema, table))
}

fn table<'account>(
    account: &'account Account,
    session: &Session,
    path: &[String],
) -> Result<Place<'account>, SqlError> {
    let [outer, middle, name] = session.complete(path)?;
    let outer = database(account, session, &outer)?;
    let missing = || SqlError::no_object("Table", &path.join("."));
    let schema = outer.schema(&middle).ok_or_else(missing)?;
    let table = schema.table(&name).ok_or_else(missing)?;
    Ok((outer, schema, table))
}
