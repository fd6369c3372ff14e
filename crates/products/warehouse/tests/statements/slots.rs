//! Every name and pattern in the inputs of the ten tools.

use serde_json::{Value, json};

use crate::reading::{bound, databases, schemas, shaped, view};
use crate::sent::Sent;

/// The place of a malicious text in a tool's input, and how to read it back.
pub(crate) struct Slot {
    pub(crate) tool: &'static str,
    pub(crate) input: fn(&str) -> Value,
    pub(crate) read: fn(&Sent) -> String,
    /// A name, which SQL stores in its own form. Otherwise a pattern, which doesn't change.
    pub(crate) is_name: bool,
}

pub(crate) const SLOTS: &[Slot] = &[
    name(
        "warehouse_get_schemata",
        |x| json!({"database": x}),
        |sent| view(sent, "SCHEMATA"),
    ),
    pattern(
        "warehouse_get_schemata",
        |x| json!({"database": "D", "schema_like": x}),
        |sent| bound(sent, "SCHEMATA", 1),
    ),
    name(
        "warehouse_get_tables",
        |x| json!({"database": x}),
        |sent| view(sent, "TABLES"),
    ),
    name(
        "warehouse_get_tables",
        |x| json!({"database": "D", "schema": x}),
        |sent| bound(sent, "TABLES", 1),
    ),
    pattern(
        "warehouse_get_tables",
        |x| json!({"database": "D", "schema": "S", "table_name_like": x}),
        |sent| bound(sent, "TABLES", 2),
    ),
    name(
        "warehouse_get_columns",
        |x| json!({"database": x}),
        |sent| view(sent, "COLUMNS"),
    ),
    name(
        "warehouse_get_columns",
        |x| json!({"database": "D", "schema": "S", "table": x}),
        |sent| bound(sent, "COLUMNS", 2),
    ),
    pattern(
        "warehouse_get_columns",
        |x| json!({"database": "D", "column_name_like": x}),
        |sent| bound(sent, "COLUMNS", 1),
    ),
    name(
        "warehouse_get_table_constraints",
        |x| json!({"database": x}),
        |sent| view(sent, "TABLE_CONSTRAINTS"),
    ),
    name(
        "warehouse_get_table_constraints",
        |x| json!({"database": "D", "table": x}),
        |sent| bound(sent, "TABLE_CONSTRAINTS", 1),
    ),
    name(
        "warehouse_get_referential_constraints",
        |x| json!({"database": x}),
        |sent| view(sent, "REFERENTIAL_CONSTRAINTS"),
    ),
    name(
        "warehouse_get_referential_constraints",
        |x| json!({"database": "D", "schema": x}),
        |sent| bound(sent, "REFERENTIAL_CONSTRAINTS", 1),
    ),
    pattern(
        "warehouse_show_databases_schemas",
        |x| json!({"object_type": "databases", "like_pattern": x}),
        databases,
    ),
    name(
        "warehouse_show_databases_schemas",
        |x| json!({"object_type": "schemas", "database_name": x}),
        |sent| schemas(sent).0,
    ),
    pattern(
        "warehouse_show_databases_schemas",
        |x| json!({"object_type": "schemas", "database_name": "D", "like_pattern": x}),
        |sent| schemas(sent).1,
    ),
    pattern(
        "warehouse_show_warehouses",
        |x| json!({"like_pattern": x}),
        |sent| shaped(sent, &["SHOW", "WAREHOUSES", "LIKE", "'"]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "to_role", "role_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "TO", "ROLE", "\""]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "of_role", "role_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "OF", "ROLE", "\""]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "to_user", "user_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "TO", "USER", "\""]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "on_object", "object_type": "WAREHOUSE", "object_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "ON", "WAREHOUSE", "\""]),
    ),
    name(
        "warehouse_show_primary_keys",
        |x| json!({"database_name": x}),
        |sent| shaped(sent, &["SHOW", "PRIMARY", "KEYS", "IN", "DATABASE", "\""]),
    ),
    name(
        "warehouse_show_primary_keys",
        |x| json!({"database_name": x, "schema_name": x}),
        |sent| {
            let shape = ["SHOW", "PRIMARY", "KEYS", "IN", "SCHEMA", "\"", ".", "\""];
            shaped(sent, &shape)
        },
    ),
    name(
        "warehouse_show_primary_keys",
        |x| json!({"table_name": x}),
        |sent| shaped(sent, &["SHOW", "PRIMARY", "KEYS", "IN", "TABLE", "\""]),
    ),
    name(
        "warehouse_show_imported_exported_keys",
        |x| json!({"key_direction": "imported", "table_name": x}),
        |sent| shaped(sent, &["SHOW", "IMPORTED", "KEYS", "IN", "TABLE", "\""]),
    ),
    name(
        "warehouse_show_imported_exported_keys",
        |x| json!({"key_direction": "exported", "table_name": x, "schema_name": x, "database_name": x}),
        |sent| {
            shaped(
                sent,
                &[
                    "SHOW", "EXPORTED", "KEYS", "IN", "TABLE", "\"", ".", "\"", ".", "\"",
                ],
            )
        },
    ),
];

const fn name(tool: &'static str, input: fn(&str) -> Value, read: fn(&Sent) -> String) -> Slot {
    Slot {
        tool,
        input,
        read,
        is_name: true,
    }
}

const fn pattern(tool: &'static str, input: fn(&str) -> Value, read: fn(&Sent) -> String) -> Slot {
    Slot {
        tool,
        input,
        read,
        is_name: false,
    }
}
