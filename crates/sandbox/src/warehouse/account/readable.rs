//! The account in words, as one user's default role sees it.

use serde_json::{Value, json};

use super::{Account, Column, Database, FINISHED, Person, RUNNING, Table};

/// Roles, warehouses, databases, tables, and the statements of the history.
pub(crate) fn of(account: &Account, email: &str, count: &dyn Fn(&Table) -> usize) -> Value {
    let person = account.person(email);
    let role = person.map_or("PUBLIC", Person::default_role);
    let usable = account
        .warehouses
        .iter()
        .filter(|warehouse| warehouse.roles.contains(&role));
    let seen: Vec<&Database> = account
        .databases
        .iter()
        .filter(|database| database.roles.contains(&role))
        .collect();
    json!({
        "user": person.map(|person| person.name),
        "roles": person.map(|person| person.roles.as_slice()).unwrap_or_default(),
        "warehouses": usable.map(|warehouse| warehouse.name).collect::<Vec<_>>(),
        "databases": seen.iter().map(|database| one_database(database)).collect::<Vec<_>>(),
        "tables": seen.iter().flat_map(|database| tables(database, count)).collect::<Vec<_>>(),
        "statements": statements(email),
    })
}

fn one_database(database: &Database) -> Value {
    let schemas: Vec<&str> = database.schemas.iter().map(|schema| schema.name).collect();
    json!({"name": database.name, "schemas": schemas})
}

/// Tables and views with columns, keys and the number of rows.
fn tables(database: &Database, count: &dyn Fn(&Table) -> usize) -> impl Iterator<Item = Value> {
    database.schemas.iter().flat_map(|schema| {
        let one = |table: &Table| one_table(database.name, schema.name, table, count(table));
        schema.tables.iter().map(one).collect::<Vec<_>>()
    })
}

fn one_table(database: &str, schema: &str, table: &Table, rows: usize) -> Value {
    json!({
        "database": database,
        "schema": schema,
        "name": table.name,
        "is_view": table.is_view,
        "columns": table.columns.iter().map(|Column { name, .. }| name).collect::<Vec<_>>(),
        "primary_key": table.primary_key().map(|key| key.columns.as_slice()).unwrap_or_default(),
        "constraints": table.keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(),
        "foreign_keys": table.keys.iter().filter_map(|key| key.refers_to()).collect::<Vec<_>>(),
        "rows": rows,
    })
}

/// Statements that were submitted before the sandbox began: one that has ended, and one that runs for an
/// hour.
fn statements(email: &str) -> Value {
    if email != "ada@example.com" {
        return json!([]);
    }
    json!([
        {"handle": FINISHED, "seconds": 0, "rows": 2500, "partitions": 3},
        {"handle": RUNNING, "seconds": 3600},
    ])
}
