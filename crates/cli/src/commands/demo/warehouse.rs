use serde_json::{Value, json};

use super::case::{Case, World, list, same, same_texts};

/// Every warehouse tool.
pub(super) const CASES: &[Case] = &[
    Case {
        tool: "warehouse_execute_query",
        input: |world| {
            let table = with_foreign_key(world);
            let columns = list(table, "columns");
            let columns: Vec<String> = columns.iter().take(2).map(quoted).collect();
            json!({
                "statement": format!("INSERT INTO {} ({}) VALUES (?, ?)", path(table), columns.join(", ")),
                "bindings": { "1": { "type": "FIXED", "value": "9001" }, "2": 1 },
            })
        },
        check: |world, data| {
            same("state", &json!("done"), &data["state"])?;
            let inserted = &data["result"]["stats"]["numRowsInserted"];
            same("inserted rows", &json!(1), inserted)?;
            Ok(format!(
                "1 row inserted, {} now",
                with_foreign_key(world)["rows"]
            ))
        },
    },
    Case {
        tool: "warehouse_get_query_status",
        input: |world| json!({ "statement_handle": statement(world, 0)["handle"] }),
        check: |world, data| {
            same("state", &json!("done"), &data["state"])?;
            let (rows, seen) = (
                &statement(world, 0)["rows"],
                &data["result"]["resultSetMetaData"],
            );
            same("rows", rows, &seen["numRows"])?;
            Ok(format!(
                "{rows} rows in {} partitions",
                list(seen, "partitionInfo").len()
            ))
        },
    },
    Case {
        tool: "warehouse_get_query_partition",
        input: |world| json!({ "statement_handle": statement(world, 0)["handle"], "partition": last_partition(world) }),
        check: |world, data| {
            let last = list(&data["result"], "data")
                .last()
                .map_or(&Value::Null, |row| &row[0]);
            let rows = statement(world, 0)["rows"].as_u64().unwrap_or_default();
            same("last row", &json!(rows.to_string()), last)?;
            Ok(format!("partition {}", last_partition(world)))
        },
    },
    Case {
        tool: "warehouse_cancel_query",
        input: |world| json!({ "statement_handle": statement(world, 1)["handle"] }),
        check: |_, data| {
            same("state", &json!("cancelled"), &data["state"])?;
            Ok(String::from("cancelled"))
        },
    },
    Case {
        tool: "warehouse_get_schemata",
        input: |world| json!({ "database": quoted(&database(world)["name"]) }),
        check: |world, data| {
            let views = json!("INFORMATION_SCHEMA");
            let expected = list(database(world), "schemas").iter().chain([&views]);
            let count = same_texts("schemas", expected, column(data, "SCHEMA_NAME"))?;
            Ok(format!("{count} schemas"))
        },
    },
    Case {
        tool: "warehouse_get_tables",
        input: |world| json!({ "database": quoted(&database(world)["name"]) }),
        check: |world, data| {
            let expected = tables(world, database(world)).map(|table| &table["name"]);
            let count = same_texts("tables", expected, column(data, "TABLE_NAME"))?;
            Ok(format!("{count} tables and views"))
        },
    },
    Case {
        tool: "warehouse_get_columns",
        input: |world| of_table(with_foreign_key(world), "database", "schema", "table"),
        check: |world, data| {
            let expected = list(with_foreign_key(world), "columns").iter();
            let count = same_texts("columns", expected, column(data, "COLUMN_NAME"))?;
            Ok(format!("{count} columns"))
        },
    },
    Case {
        tool: "warehouse_get_table_constraints",
        input: |world| of_table(with_foreign_key(world), "database", "schema", "table"),
        check: |world, data| {
            let expected = list(with_foreign_key(world), "constraints").iter();
            let count = same_texts("constraints", expected, column(data, "CONSTRAINT_NAME"))?;
            Ok(format!("{count} constraints"))
        },
    },
    Case {
        tool: "warehouse_get_referential_constraints",
        input: |world| json!({ "database": quoted(&database(world)["name"]) }),
        check: |world, data| {
            let with = tables(world, database(world))
                .filter(|table| !list(table, "foreign_keys").is_empty());
            let count = same_texts(
                "tables",
                with.map(|table| &table["name"]),
                column(data, "TABLE_NAME"),
            )?;
            Ok(format!("{count} foreign keys"))
        },
    },
    Case {
        tool: "warehouse_show_databases_schemas",
        input: |_| json!({ "object_type": "databases" }),
        check: |world, data| {
            let expected = list(account(world), "databases")
                .iter()
                .map(|database| &database["name"]);
            let count = same_texts("databases", expected, column(data, "name"))?;
            Ok(format!("{count} databases"))
        },
    },
    Case {
        tool: "warehouse_show_warehouses",
        input: |_| json!({ "like_pattern": "%" }),
        check: |world, data| {
            let expected = list(account(world), "warehouses").iter();
            let count = same_texts("warehouses", expected, column(data, "name"))?;
            Ok(format!("{count} warehouse"))
        },
    },
    Case {
        tool: "warehouse_show_grants",
        input: |world| json!({ "grant_view": "to_user", "user_name": account(world)["user"] }),
        check: |world, data| {
            let expected = list(account(world), "roles").iter();
            let count = same_texts("roles", expected, column(data, "role"))?;
            Ok(format!("{count} roles"))
        },
    },
    Case {
        tool: "warehouse_show_primary_keys",
        input: |world| {
            of_table(
                with_foreign_key(world),
                "database_name",
                "schema_name",
                "table_name",
            )
        },
        check: |world, data| {
            let expected = list(with_foreign_key(world), "primary_key").iter();
            let count = same_texts("columns", expected, column(data, "column_name"))?;
            Ok(format!("{count} column"))
        },
    },
    Case {
        tool: "warehouse_show_imported_exported_keys",
        input: |world| {
            let mut input = of_table(
                with_foreign_key(world),
                "database_name",
                "schema_name",
                "table_name",
            );
            input["key_direction"] = json!("imported");
            input
        },
        check: |world, data| {
            let expected = list(with_foreign_key(world), "foreign_keys").iter();
            let count = same_texts("tables", expected, column(data, "pk_table_name"))?;
            Ok(format!("{count} foreign key"))
        },
    },
];

fn account(world: &World) -> &Value {
    &world.all()["warehouse"]
}

/// The database with the most tables.
fn database(world: &World) -> &Value {
    let databases = list(account(world), "databases").iter();
    databases
        .max_by_key(|database| tables(world, database).count())
        .unwrap_or(&Value::Null)
}

fn tables<'a>(world: &'a World, database: &'a Value) -> impl Iterator<Item = &'a Value> {
    let tables = list(account(world), "tables").iter();
    tables.filter(|table| table["database"] == database["name"])
}

fn with_foreign_key(world: &World) -> &Value {
    let mut tables = list(account(world), "tables").iter();
    tables
        .find(|table| !list(table, "foreign_keys").is_empty())
        .unwrap_or(&Value::Null)
}

/// A statement from before: the first has ended, the second runs.
fn statement(world: &World, number: usize) -> &Value {
    list(account(world), "statements")
        .get(number)
        .unwrap_or(&Value::Null)
}

fn last_partition(world: &World) -> u64 {
    statement(world, 0)["partitions"]
        .as_u64()
        .unwrap_or_default()
        .saturating_sub(1)
}

/// Database, schema and table as a tool's parameters of these names.
fn of_table(table: &Value, database: &str, schema: &str, name: &str) -> Value {
    json!({ database: quoted(&table["database"]), schema: quoted(&table["schema"]), name: quoted(&table["name"]) })
}

fn path(table: &Value) -> String {
    ["database", "schema", "name"]
        .map(|part| quoted(&table[part]))
        .join(".")
}

/// A name in double quotes keeps its case.
fn quoted(name: &Value) -> String {
    format!(
        "\"{}\"",
        name.as_str().unwrap_or_default().replace('"', "\"\"")
    )
}

fn column<'a>(data: &'a Value, name: &'a str) -> impl Iterator<Item = &'a Value> {
    list(data, "rows").iter().map(move |row| &row[name])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warehouse_tool_is_shown() {
        let product = stead::core::catalogue::Catalogue::new([&stead::warehouse::PRODUCT]);
        for tool in product.newest() {
            let name = tool.entry().name();
            assert!(CASES.iter().any(|case| case.tool == name), "{name}");
        }
    }
}
