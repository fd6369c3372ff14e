//! The information schema of a database (SQL reference, "Snowflake Information Schema").

use super::Relation;
use crate::warehouse::account::{Database, Key, KeyKind, Kind, Schema, Table};

/// When everything was made: 2025-01-06T08:00:00Z.
pub(super) const CREATED: &str = "1736150400.000000000";
/// Who owns everything.
pub(super) const OWNER: &str = "SYSADMIN";

/// A view of it; nothing for one that there is not.
pub(super) fn view(
    database: &Database,
    name: &str,
    count: &dyn Fn(&Table) -> usize,
) -> Option<Relation> {
    match name {
        "SCHEMATA" => Some(schemata(database)),
        "TABLES" => Some(tables(database, count)),
        "COLUMNS" => Some(columns(database)),
        "TABLE_CONSTRAINTS" => Some(table_constraints(database)),
        "REFERENTIAL_CONSTRAINTS" => Some(referential_constraints(database)),
        _ => None,
    }
}

fn schemata(database: &Database) -> Relation {
    let mut view = Relation::of(&[
        ("CATALOG_NAME", Kind::Text),
        ("SCHEMA_NAME", Kind::Text),
        ("SCHEMA_OWNER", Kind::Text),
        ("IS_TRANSIENT", Kind::Text),
        ("IS_MANAGED_ACCESS", Kind::Text),
        ("RETENTION_TIME", Kind::Text),
        ("CREATED", Kind::TimestampLtz),
        ("LAST_ALTERED", Kind::TimestampLtz),
        ("COMMENT", Kind::Text),
    ]);
    for schema in &database.schemas {
        view.push([
            database.name,
            schema.name,
            OWNER,
            "NO",
            "NO",
            "1",
            CREATED,
            CREATED,
            "",
        ]);
    }
    let about = "Views describing the contents of schemas in this database";
    view.push([
        database.name,
        "INFORMATION_SCHEMA",
        "",
        "NO",
        "NO",
        "1",
        CREATED,
        CREATED,
        about,
    ]);
    view
}

fn tables(database: &Database, count: &dyn Fn(&Table) -> usize) -> Relation {
    let mut view = Relation::of(&[
        ("TABLE_CATALOG", Kind::Text),
        ("TABLE_SCHEMA", Kind::Text),
        ("TABLE_NAME", Kind::Text),
        ("TABLE_OWNER", Kind::Text),
        ("TABLE_TYPE", Kind::Text),
        ("IS_TRANSIENT", Kind::Text),
        ("CLUSTERING_KEY", Kind::Text),
        ("ROW_COUNT", Kind::Fixed(0)),
        ("BYTES", Kind::Fixed(0)),
        ("RETENTION_TIME", Kind::Fixed(0)),
        ("CREATED", Kind::TimestampLtz),
        ("LAST_ALTERED", Kind::TimestampLtz),
        ("COMMENT", Kind::Text),
    ]);
    for (schema, table) in all(database) {
        let rows = if table.is_view { 0 } else { count(table) };
        let bytes = (rows * 512).to_string();
        let count = rows.to_string();
        let [kind, transient, count, bytes, retention] = if table.is_view {
            ["VIEW", "", "", "", ""]
        } else {
            ["BASE TABLE", "NO", &count, &bytes, "1"]
        };
        view.push([
            database.name,
            schema.name,
            &table.name,
            OWNER,
            kind,
            transient,
            "",
            count,
            bytes,
            retention,
            CREATED,
            CREATED,
            table.comment,
        ]);
    }
    view
}

fn columns(database: &Database) -> Relation {
    let mut view = Relation::of(&[
        ("TABLE_CATALOG", Kind::Text),
        ("TABLE_SCHEMA", Kind::Text),
        ("TABLE_NAME", Kind::Text),
        ("COLUMN_NAME", Kind::Text),
        ("ORDINAL_POSITION", Kind::Fixed(0)),
        ("COLUMN_DEFAULT", Kind::Text),
        ("IS_NULLABLE", Kind::Text),
        ("DATA_TYPE", Kind::Text),
        ("CHARACTER_MAXIMUM_LENGTH", Kind::Fixed(0)),
        ("NUMERIC_PRECISION", Kind::Fixed(0)),
        ("NUMERIC_SCALE", Kind::Fixed(0)),
        ("DATETIME_PRECISION", Kind::Fixed(0)),
        ("IS_IDENTITY", Kind::Text),
        ("COMMENT", Kind::Text),
    ]);
    for (schema, table) in all(database) {
        for (number, column) in (1..).zip(&table.columns) {
            let (name, length, precision, scale, moment) = described(column.kind);
            let nullable = if column.nullable { "YES" } else { "NO" };
            let number: i32 = number;
            view.push([
                database.name,
                schema.name,
                &table.name,
                &column.name,
                &number.to_string(),
                "",
                nullable,
                name,
                length,
                precision,
                &scale,
                moment,
                "NO",
                "",
            ]);
        }
    }
    view
}

/// Name, length, precision, scale and precision of the moment, as the view describes a type.
fn described(
    kind: Kind,
) -> (
    &'static str,
    &'static str,
    &'static str,
    String,
    &'static str,
) {
    let plain = |name, length, moment| (name, length, "", String::new(), moment);
    match kind {
        Kind::Fixed(scale) => ("NUMBER", "", "38", scale.to_string(), ""),
        Kind::Real => plain("FLOAT", "", ""),
        Kind::Text => plain("TEXT", "16777216", ""),
        Kind::Boolean => plain("BOOLEAN", "", ""),
        Kind::Binary => plain("BINARY", "8388608", ""),
        Kind::Date => plain("DATE", "", ""),
        Kind::Time => plain("TIME", "", "9"),
        Kind::TimestampNtz => plain("TIMESTAMP_NTZ", "", "9"),
        Kind::TimestampLtz => plain("TIMESTAMP_LTZ", "", "9"),
        Kind::TimestampTz => plain("TIMESTAMP_TZ", "", "9"),
    }
}

fn table_constraints(database: &Database) -> Relation {
    let mut view = Relation::of(&[
        ("CONSTRAINT_CATALOG", Kind::Text),
        ("CONSTRAINT_SCHEMA", Kind::Text),
        ("CONSTRAINT_NAME", Kind::Text),
        ("TABLE_CATALOG", Kind::Text),
        ("TABLE_SCHEMA", Kind::Text),
        ("TABLE_NAME", Kind::Text),
        ("CONSTRAINT_TYPE", Kind::Text),
        ("IS_DEFERRABLE", Kind::Text),
        ("INITIALLY_DEFERRED", Kind::Text),
        ("ENFORCED", Kind::Text),
        ("RELY", Kind::Text),
        ("CREATED", Kind::TimestampLtz),
        ("LAST_ALTERED", Kind::TimestampLtz),
        ("COMMENT", Kind::Text),
    ]);
    for (schema, table, key) in keys(database) {
        let kind = match key.kind {
            KeyKind::Primary => "PRIMARY KEY",
            KeyKind::Unique => "UNIQUE",
            KeyKind::Foreign(_) => "FOREIGN KEY",
        };
        view.push([
            database.name,
            schema.name,
            &key.name,
            database.name,
            schema.name,
            &table.name,
            kind,
            "NO",
            "YES",
            "NO",
            "NO",
            CREATED,
            CREATED,
            "",
        ]);
    }
    view
}

fn referential_constraints(database: &Database) -> Relation {
    let mut view = Relation::of(&[
        ("CONSTRAINT_CATALOG", Kind::Text),
        ("CONSTRAINT_SCHEMA", Kind::Text),
        ("CONSTRAINT_NAME", Kind::Text),
        ("UNIQUE_CONSTRAINT_CATALOG", Kind::Text),
        ("UNIQUE_CONSTRAINT_SCHEMA", Kind::Text),
        ("UNIQUE_CONSTRAINT_NAME", Kind::Text),
        ("MATCH_OPTION", Kind::Text),
        ("UPDATE_RULE", Kind::Text),
        ("DELETE_RULE", Kind::Text),
        ("COMMENT", Kind::Text),
        ("CREATED", Kind::TimestampLtz),
        ("LAST_ALTERED", Kind::TimestampLtz),
    ]);
    for (schema, _, key) in keys(database) {
        let Some(other) = key.refers_to() else {
            continue;
        };
        let unique = schema
            .table(other)
            .and_then(Table::primary_key)
            .map_or("", |key| key.name.as_str());
        view.push([
            database.name,
            schema.name,
            &key.name,
            database.name,
            schema.name,
            unique,
            "FULL",
            "NO ACTION",
            "NO ACTION",
            "",
            CREATED,
            CREATED,
        ]);
    }
    view
}

/// Every table and view with its schema.
fn all(database: &Database) -> impl Iterator<Item = (&Schema, &Table)> {
    database
        .schemas
        .iter()
        .flat_map(|schema| schema.tables.iter().map(move |table| (schema, table)))
}

/// Every constraint with its table and schema.
fn keys(database: &Database) -> impl Iterator<Item = (&Schema, &Table, &Key)> {
    all(database).flat_map(|(schema, table)| table.keys.iter().map(move |key| (schema, table, key)))
}
