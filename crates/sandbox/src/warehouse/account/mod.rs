//! The warehouse account `sandbox-acme`: two users, four roles, three databases.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::users::parse_seed;

/// A value as Snowflake returns it: a text, or NULL.
pub(crate) type Cell = Option<String>;

/// The first statement in the history. It's Ada's, and it's finished.
pub(crate) const FINISHED: &str = "01c00000-0000-0a1b-0000-000000000001";
/// Another statement of Ada's, which runs for an hour.
pub(crate) const RUNNING: &str = "01c00000-0000-0a1b-0000-000000000002";

/// How many rows the long table has.
const EVENTS: u32 = 2500;

static SEED: LazyLock<Account> = LazyLock::new(|| {
    let mut account: Account = parse_seed(include_str!("account.json"));
    let mut named = 0;
    let databases = account.databases.iter_mut();
    let schemas = databases.flat_map(|database| &mut database.schemas);
    for table in schemas.flat_map(|schema| &mut schema.tables) {
        named += 1;
        table.stored = format!("t{named}");
    }
    account.named = named;
    if let Some(events) = account.schema_mut("SALES", "PUBLIC").and_then(|schema| {
        schema
            .tables
            .iter_mut()
            .find(|table| table.name == "EVENTS")
    }) {
        let kind = |id: u32| (!id.is_multiple_of(7)).then(|| format!("kind {}", id % 5));
        events.rows = (1..=EVENTS)
            .map(|id| vec![Some(id.to_string()), kind(id)])
            .collect();
    }
    account
});

/// Everything in one account.
#[derive(Debug, Clone, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Account {
    pub(crate) users: Vec<Person>,
    pub(crate) warehouses: Vec<VirtualWarehouse>,
    pub(crate) databases: Vec<Database>,
    pub(crate) grants: Vec<Grant>,
    /// How many names were used for tables in SQLite.
    #[serde(default)]
    named: usize,
}

/// A user and their roles.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Person {
    pub(crate) email: &'static str,
    pub(crate) name: &'static str,
    /// The roles except PUBLIC, which everyone has. The first one is the default.
    #[serde(borrow)]
    pub(crate) roles: Vec<&'static str>,
    #[serde(borrow, default)]
    pub(crate) warehouse: Option<&'static str>,
    /// The database and the schema with which a session starts.
    #[serde(borrow, default)]
    pub(crate) namespace: Option<(&'static str, &'static str)>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct VirtualWarehouse {
    pub(crate) name: &'static str,
    pub(crate) size: &'static str,
    pub(crate) state: &'static str,
    #[serde(borrow)]
    pub(crate) roles: Vec<&'static str>,
}

/// A database, and the roles that may use it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Database {
    pub(crate) name: &'static str,
    #[serde(default)]
    pub(crate) comment: &'static str,
    #[serde(borrow)]
    pub(crate) roles: Vec<&'static str>,
    pub(crate) schemas: Vec<Schema>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Schema {
    pub(crate) name: &'static str,
    pub(crate) tables: Vec<Table>,
}

/// A table or a view, with its rows.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// The name of the SQLite table that holds its rows.
    #[serde(default)]
    pub(crate) stored: String,
    #[serde(default)]
    pub(crate) is_view: bool,
    #[serde(default)]
    pub(crate) comment: &'static str,
    pub(crate) columns: Vec<Column>,
    /// Seeded rows.
    #[serde(default)]
    pub(crate) rows: Vec<Vec<Cell>>,
    #[serde(default)]
    pub(crate) keys: Vec<Key>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    #[serde(default = "nullable")]
    pub(crate) nullable: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A number of 38 digits with this many after the decimal point.
    Fixed(u8),
    Real,
    Text,
    Boolean,
    Binary,
    Date,
    Time,
    TimestampNtz,
    TimestampLtz,
    TimestampTz,
}

/// A constraint.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) kind: KeyKind,
}

/// The kind of a constraint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyKind {
    Primary,
    Unique,
    /// It refers to the primary key of a table in the same schema.
    Foreign(String),
}

/// A privilege of a role.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Grant {
    pub(crate) role: &'static str,
    pub(crate) privilege: &'static str,
    /// The kind of object, in the spelling of SHOW GRANTS ON.
    pub(crate) on: &'static str,
    /// The object's names, outermost first.
    #[serde(borrow)]
    pub(crate) object: Vec<&'static str>,
}

impl Account {
    /// A copy of the seed.
    pub(crate) fn seeded() -> Self {
        SEED.clone()
    }

    /// The user with this email address.
    pub(crate) fn person(&self, email: &str) -> Option<&Person> {
        self.users.iter().find(|user| user.email == email)
    }

    /// A database, if the role may use it.
    pub(crate) fn database(&self, name: &str, role: &str) -> Option<&Database> {
        self.databases
            .iter()
            .find(|database| database.name == name && database.roles.contains(&role))
    }

    /// All tables and views.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Table> {
        let schemas = self.databases.iter().flat_map(|database| &database.schemas);
        schemas.flat_map(|schema| &schema.tables)
    }

    pub(crate) fn table(&self, [database, schema, table]: [&str; 3]) -> Option<&Table> {
        let database = self.databases.iter().find(|one| one.name == database)?;
        database.schema(schema)?.table(table)
    }

    /// A name that no other SQLite table has.
    pub(crate) fn new_name(&mut self) -> String {
        self.named += 1;
        format!("t{}", self.named)
    }

    /// Adds a table or view to its schema.
    pub(crate) fn add(&mut self, [database, schema, _]: &[String; 3], table: Table) {
        if let Some(schema) = self.schema_mut(database, schema) {
            schema.tables.push(table);
        }
    }

    /// Removes a table or view from its schema.
    pub(crate) fn remove(&mut self, [database, schema, table]: &[String; 3]) {
        if let Some(schema) = self.schema_mut(database, schema) {
            schema.tables.retain(|one| one.name != *table);
        }
    }

    fn schema_mut(&mut self, database: &str, schema: &str) -> Option<&mut Schema> {
        let database = self.databases.iter_mut().find(|one| one.name == database)?;
        database.schemas.iter_mut().find(|one| one.name == schema)
    }
}

impl Person {
    /// Whether the user may act in this role.
    pub(crate) fn has_role(&self, role: &str) -> bool {
        role == "PUBLIC" || self.roles.contains(&role)
    }

    /// The role of a session without an explicit role.
    pub(crate) fn default_role(&self) -> &'static str {
        self.roles.first().copied().unwrap_or("PUBLIC")
    }
}

impl Database {
    pub(crate) fn schema(&self, name: &str) -> Option<&Schema> {
        self.schemas.iter().find(|schema| schema.name == name)
    }
}

impl Schema {
    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

impl Table {
    /// A table without keys.
    pub(crate) fn new(name: String, stored: String, columns: Vec<Column>) -> Self {
        Self {
            name,
            stored,
            is_view: false,
            comment: "",
            columns,
            rows: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// The primary key.
    pub(crate) fn primary_key(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.kind == KeyKind::Primary)
    }
}

impl Key {
    /// The table that a foreign key refers to.
    pub(crate) fn refers_to(&self) -> Option<&str> {
        match &self.kind {
            KeyKind::Foreign(table) => Some(table),
            KeyKind::Primary | KeyKind::Unique => None,
        }
    }
}

impl Column {
    /// A column that may hold NULL.
    pub(crate) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            nullable: true,
        }
    }
}

fn nullable() -> bool {
    true
}

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

/// Shows tables and views with their columns, keys and numbers of rows.
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

/// Statements that were submitted before the sandbox started: a finished one, and one that runs for an hour.
fn statements(email: &str) -> Value {
    if email != "ada@example.com" {
        return json!([]);
    }
    json!([
        {"handle": FINISHED, "seconds": 0, "rows": 2500, "partitions": 3},
        {"handle": RUNNING, "seconds": 3600},
    ])
}
