//! The contents of the information schema and of SHOW. `catalog.sql` defines their columns.

use rusqlite::types::Value;

use super::{Session, rows::Rows};
use crate::warehouse::{
    account::{Account, Database, Key, KeyKind, Kind, Schema, Table},
    errors::SqlError,
};

/// The creation time of everything.
const CREATED: &str = "2025-01-06 08:00:00.000000000";
/// Views of the information schema, each with the column that has the database.
const VIEWS: [(&str, &str); 5] = [
    ("SCHEMATA", "CATALOG_NAME"),
    ("TABLES", "TABLE_CATALOG"),
    ("COLUMNS", "TABLE_CATALOG"),
    ("TABLE_CONSTRAINTS", "CONSTRAINT_CATALOG"),
    ("REFERENTIAL_CONSTRAINTS", "CONSTRAINT_CATALOG"),
];

/// Creates a view of a database for one statement, named `stored`. Returns whether there's such a view.
pub(super) fn lend(
    rows: &Rows,
    stored: &str,
    database: &str,
    view: &str,
) -> Result<bool, SqlError> {
    let Some((view, catalog)) = VIEWS.into_iter().find(|(name, _)| *name == view) else {
        return Ok(false);
    };
    let database = database.replace('\'', "''");
    rows.execute(&format!(
        "CREATE TEMP VIEW {stored} AS SELECT * FROM i_{view} WHERE {catalog} = '{database}'"
    ))?;
    Ok(true)
}

/// The databases that the role may use, sorted by name.
pub(super) fn visible<'a>(account: &'a Account, session: &Session) -> Vec<&'a Database> {
    let role = session.role.as_str();
    let all = account.databases.iter();
    let mut visible: Vec<&Database> = all.filter(|one| one.roles.contains(&role)).collect();
    visible.sort_by_key(|database| database.name);
    visible
}

/// Fills the tables with what the session's role can see.
pub(super) fn fill(rows: &Rows, account: &Account, session: &Session) -> Result<(), SqlError> {
    let person = &session.person;
    let add = |table: &str, values: &[&dyn Shown]| {
        let values = values.iter().map(|value| value.shown());
        rows.add(table, values.chain([text(CREATED)]).collect())
    };
    for table in [
        "databases",
        "schemas",
        "tables",
        "columns",
        "keys",
        "warehouses",
        "grants",
        "roles",
    ] {
        rows.execute(&format!("DELETE FROM c_{table}"))?;
    }
    for database in visible(account, session) {
        let default = person
            .namespace
            .is_some_and(|(name, _)| name == database.name);
        let current = session.database.as_deref() == Some(database.name);
        add(
            "c_databases",
            &[&database.name, &default, &current, &database.comment],
        )?;
        let about = "Views describing the contents of schemas in this database";
        let own = database
            .schemas
            .iter()
            .map(|schema| (schema.name, "SYSADMIN", ""));
        let mut schemas: Vec<_> = own.chain([("INFORMATION_SCHEMA", "", about)]).collect();
        schemas.sort_unstable();
        for (name, owner, comment) in schemas {
            let default = person.namespace == Some((database.name, name));
            let current = current && session.schema.as_deref() == Some(name);
            add(
                "c_schemas",
                &[&database.name, &name, &owner, &default, &current, &comment],
            )?;
        }
        for schema in &database.schemas {
            for table in &schema.tables {
                fill_table(rows, database, schema, table)?;
            }
        }
    }
    let usable = |roles: &[&str]| roles.contains(&session.role.as_str());
    for one in account.warehouses.iter().filter(|one| usable(&one.roles)) {
        let default = person.warehouse == Some(one.name);
        let current = session.warehouse.as_deref() == Some(one.name);
        add(
            "c_warehouses",
            &[
                &one.name, &one.state, &one.size, &default, &current, &0_i64, &60_i64,
            ],
        )?;
    }
    for grant in &account.grants {
        let object = grant.object.join(".");
        add(
            "c_grants",
            &[&grant.role, &grant.privilege, &grant.on, &object],
        )?;
    }
    for user in &account.users {
        for role in &user.roles {
            add("c_roles", &[role, &user.name])?;
        }
    }
    Ok(())
}

/// Adds a table with its columns and keys.
fn fill_table(
    rows: &Rows,
    database: &Database,
    schema: &Schema,
    table: &Table,
) -> Result<(), SqlError> {
    let place = || [text(database.name), text(schema.name), text(&table.name)];
    let count = i64::try_from(rows.count(table)).unwrap_or_default();
    let [kind, transient] = if table.is_view {
        ["VIEW", ""]
    } else {
        ["BASE TABLE", "NO"]
    };
    let number = |number: i64| {
        if table.is_view {
            Value::Null
        } else {
            Value::Integer(number)
        }
    };
    let mut row = place().to_vec();
    row.extend([
        text(kind),
        text(transient),
        number(count),
        number(count * 512),
        number(1),
    ]);
    row.extend([text(table.comment), text(CREATED)]);
    rows.add("c_tables", row)?;
    for (number, column) in (1..).zip(&table.columns) {
        let (kind, length, precision, scale, moment) = described(column.kind);
        let nullable = if column.nullable { "YES" } else { "NO" };
        let mut row = place().to_vec();
        row.extend([
            text(&column.name),
            Value::Integer(number),
            text(nullable),
            text(kind),
        ]);
        row.extend(
            [length, precision, scale, moment]
                .map(|number| number.map_or(Value::Null, Value::Integer)),
        );
        rows.add("c_columns", row)?;
    }
    for key in &table.keys {
        let unique = key
            .refers_to()
            .and_then(|other| schema.table(other)?.primary_key());
        let kind = match key.kind {
            KeyKind::Primary => "PRIMARY KEY",
            KeyKind::Unique => "UNIQUE",
            KeyKind::Foreign(_) => "FOREIGN KEY",
        };
        for (number, column) in (1..).zip(&key.columns) {
            let index = usize::try_from(number - 1).unwrap_or_default();
            let other = unique.and_then(|unique: &Key| unique.columns.get(index));
            let mut row = place().to_vec();
            row.extend([
                text(&key.name),
                text(kind),
                Value::Integer(number),
                text(column),
            ]);
            row.extend([
                text(key.refers_to().unwrap_or_default()),
                text(other.map_or("", String::as_str)),
            ]);
            row.extend([
                text(unique.map_or("", |unique| unique.name.as_str())),
                text(CREATED),
            ]);
            rows.add("c_keys", row)?;
        }
    }
    Ok(())
}

/// A type in the form of COLUMNS: its name, length, precision, scale and datetime precision.
fn described(
    kind: Kind,
) -> (
    &'static str,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
) {
    match kind {
        Kind::Fixed(scale) => ("NUMBER", None, Some(38), Some(i64::from(scale)), None),
        Kind::Real => ("FLOAT", None, None, None, None),
        Kind::Text => ("TEXT", Some(16_777_216), None, None, None),
        Kind::Boolean => ("BOOLEAN", None, None, None, None),
        Kind::Binary => ("BINARY", Some(8_388_608), None, None, None),
        Kind::Date => ("DATE", None, None, None, None),
        Kind::Time => ("TIME", None, None, None, Some(9)),
        Kind::TimestampNtz => ("TIMESTAMP_NTZ", None, None, None, Some(9)),
        Kind::TimestampLtz => ("TIMESTAMP_LTZ", None, None, None, Some(9)),
        Kind::TimestampTz => ("TIMESTAMP_TZ", None, None, None, Some(9)),
    }
}

/// A text, or NULL if it's empty.
fn text(text: &str) -> Value {
    match text {
        "" => Value::Null,
        text => Value::Text(text.to_owned()),
    }
}

/// A value of a row.
trait Shown {
    fn shown(&self) -> Value;
}

impl Shown for &str {
    fn shown(&self) -> Value {
        text(self)
    }
}

impl Shown for String {
    fn shown(&self) -> Value {
        text(self)
    }
}

/// `Y` or `N`.
impl Shown for bool {
    fn shown(&self) -> Value {
        text(if *self { "Y" } else { "N" })
    }
}

impl Shown for i64 {
    fn shown(&self) -> Value {
        Value::Integer(*self)
    }
}
