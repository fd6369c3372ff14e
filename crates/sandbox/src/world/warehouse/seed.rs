//! The seed of the account.

use super::{
    Account, Column, Database, Grant, Key, KeyKind, Kind, Person, Schema, Table, VirtualWarehouse,
};

/// Roles that see Acme's business.
const BUSINESS: &[&str] = &["ANALYST", "SYSADMIN"];

/// The account as every sandbox begins with it.
pub(super) fn account() -> Account {
    Account {
        users: vec![
            Person {
                email: "ada@example.com",
                name: "ADA",
                roles: &["ANALYST", "SYSADMIN"],
                warehouse: Some("COMPUTE_WH"),
                namespace: Some(("SALES", "PUBLIC")),
            },
            // Grace has no defaults: she names all she needs.
            Person {
                email: "grace@example.com",
                name: "GRACE",
                roles: &["NAVY"],
                warehouse: None,
                namespace: None,
            },
        ],
        warehouses: vec![
            VirtualWarehouse {
                name: "COMPUTE_WH",
                size: "X-Small",
                state: "STARTED",
                roles: &["ANALYST", "SYSADMIN", "NAVY"],
            },
            VirtualWarehouse {
                name: "Loading dock",
                size: "Large",
                state: "SUSPENDED",
                roles: &["SYSADMIN"],
            },
        ],
        databases: vec![sales(), marketing(), navy()],
        grants: vec![
            grant("ANALYST", "USAGE", "DATABASE", &["SALES"]),
            grant("ANALYST", "USAGE", "SCHEMA", &["SALES", "PUBLIC"]),
            grant(
                "ANALYST",
                "SELECT",
                "TABLE",
                &["SALES", "PUBLIC", "CUSTOMERS"],
            ),
            grant("ANALYST", "SELECT", "TABLE", &["SALES", "PUBLIC", "ORDERS"]),
            grant("ANALYST", "INSERT", "TABLE", &["SALES", "PUBLIC", "ORDERS"]),
            grant(
                "SYSADMIN",
                "OWNERSHIP",
                "TABLE",
                &["SALES", "PUBLIC", "ORDERS"],
            ),
            grant("ANALYST", "USAGE", "WAREHOUSE", &["COMPUTE_WH"]),
            grant("NAVY", "USAGE", "WAREHOUSE", &["COMPUTE_WH"]),
            grant("NAVY", "OWNERSHIP", "DATABASE", &["NAVY"]),
            grant("SYSADMIN", "CREATE DATABASE", "ACCOUNT", &["SANDBOX_ACME"]),
        ],
    }
}

fn sales() -> Database {
    let customers = table(
        "CUSTOMERS",
        "Who buys",
        &[
            ("ID", Kind::Fixed(0)),
            ("NAME", Kind::Text),
            ("EMAIL", Kind::Text),
            ("SINCE", Kind::Date),
        ],
        &[
            &["1", "Babbage & Sons", "office@babbage.example", "20454"],
            &["2", "Jacquard Looms", "weave@jacquard.example", "20500"],
            &["3", "O'Hara \"Tools\"", "", "20551"],
        ],
        vec![
            key("PK_CUSTOMERS", &["ID"], KeyKind::Primary),
            key("UQ_CUSTOMERS_EMAIL", &["EMAIL"], KeyKind::Unique),
        ],
    );
    let orders = table(
        "ORDERS",
        "What was bought",
        &[
            ("ID", Kind::Fixed(0)),
            ("CUSTOMER_ID", Kind::Fixed(0)),
            ("AMOUNT", Kind::Fixed(2)),
            ("PAID", Kind::Boolean),
            ("PLACED_AT", Kind::TimestampNtz),
            ("NOTE", Kind::Text),
        ],
        &[
            &[
                "100",
                "1",
                "1250.00",
                "true",
                "1777280400.000000000",
                "urgent",
            ],
            &["101", "2", "19.90", "false", "1777366800.000000000", ""],
            &["102", "1", "310.50", "true", "1777453200.000000000", ""],
            &[
                "103",
                "3",
                "7.25",
                "false",
                "1777539600.000000000",
                "fragile",
            ],
        ],
        vec![
            key("PK_ORDERS", &["ID"], KeyKind::Primary),
            key(
                "FK_ORDERS_CUSTOMERS",
                &["CUSTOMER_ID"],
                KeyKind::Foreign("CUSTOMERS"),
            ),
        ],
    );
    let lines = table(
        "ORDER_LINES",
        "",
        &[
            ("ORDER_ID", Kind::Fixed(0)),
            ("LINE", Kind::Fixed(0)),
            ("ITEM", Kind::Text),
        ],
        &[
            &["100", "1", "Difference engine"],
            &["100", "2", "Oil"],
            &["101", "1", "Punched cards"],
        ],
        vec![
            key("PK_ORDER_LINES", &["ORDER_ID", "LINE"], KeyKind::Primary),
            key("FK_LINES_ORDERS", &["ORDER_ID"], KeyKind::Foreign("ORDERS")),
        ],
    );
    let mut open = table(
        "OPEN_ORDERS",
        "Orders that are not paid",
        &[("ID", Kind::Fixed(0)), ("AMOUNT", Kind::Fixed(2))],
        &[&["101", "19.90"], &["103", "7.25"]],
        Vec::new(),
    );
    open.is_view = true;
    let mut events = table(
        "EVENTS",
        "A long table",
        &[("ID", Kind::Fixed(0)), ("KIND", Kind::Text)],
        &[],
        Vec::new(),
    );
    events.rows = (1..=2500)
        .map(|id| {
            vec![
                Some(id.to_string()),
                (id % 7 != 0).then(|| format!("kind {}", id % 5)),
            ]
        })
        .collect();
    let odd = table(
        "Odd \"names\" 2025.Q1",
        "",
        &[("ID", Kind::Fixed(0)), ("größe", Kind::Real)],
        &[&["1", "1.5"]],
        Vec::new(),
    );
    let old = table(
        "ORDERS_2024",
        "",
        &[("ID", Kind::Fixed(0))],
        &[&["1"]],
        vec![key("PK_ORDERS_2024", &["ID"], KeyKind::Primary)],
    );
    Database {
        name: "SALES",
        comment: "Acme's sales",
        roles: BUSINESS,
        schemas: vec![
            Schema {
                name: "PUBLIC",
                tables: vec![customers, orders, lines, open, events, odd],
            },
            Schema {
                name: "ARCHIVE",
                tables: vec![old],
            },
        ],
    }
}

/// A database that was created with its name in double quotes.
fn marketing() -> Database {
    let campaigns = table(
        "campaigns",
        "",
        &[("id", Kind::Fixed(0)), ("title", Kind::Text)],
        &[&["1", "Spring"]],
        Vec::new(),
    );
    Database {
        name: "marketing",
        comment: "",
        roles: BUSINESS,
        schemas: vec![Schema {
            name: "PUBLIC",
            tables: vec![campaigns],
        }],
    }
}

fn navy() -> Database {
    let moths = table(
        "MOTHS",
        "",
        &[("RELAY", Kind::Fixed(0)), ("PANEL", Kind::Text)],
        &[&["70", "F"]],
        Vec::new(),
    );
    Database {
        name: "NAVY",
        comment: "",
        roles: &["NAVY"],
        schemas: vec![Schema {
            name: "PUBLIC",
            tables: vec![moths],
        }],
    }
}

/// A table; an empty text means NULL.
fn table(
    name: &'static str,
    comment: &'static str,
    columns: &[(&str, Kind)],
    rows: &[&[&str]],
    keys: Vec<Key>,
) -> Table {
    let in_primary_key = |column: &str| {
        keys.iter()
            .any(|key| key.kind == KeyKind::Primary && key.columns.contains(&column))
    };
    Table {
        name,
        is_view: false,
        comment,
        columns: columns
            .iter()
            .map(|(column, kind)| Column {
                name: (*column).to_owned(),
                kind: *kind,
                nullable: !in_primary_key(column),
            })
            .collect(),
        rows: rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|cell| (!cell.is_empty()).then(|| (*cell).to_owned()))
                    .collect()
            })
            .collect(),
        keys,
    }
}

fn key(name: &'static str, columns: &'static [&'static str], kind: KeyKind) -> Key {
    Key {
        name,
        columns,
        kind,
    }
}

fn grant(
    role: &'static str,
    privilege: &'static str,
    on: &'static str,
    object: &'static [&'static str],
) -> Grant {
    Grant {
        role,
        privilege,
        on,
        object,
    }
}
