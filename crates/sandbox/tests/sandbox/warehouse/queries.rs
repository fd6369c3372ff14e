//! Queries, with the types that Snowflake gives, and statements that change rows and tables.

use serde_json::{Value, json};

use super::{ADA, GRACE, Warehouse, column, fails};
use crate::client::cases;

#[tokio::test]
async fn rows_are_filtered_grouped_joined_and_sorted() {
    let ada = Warehouse::of(ADA).await;
    let table = r#"
        SELECT customer_id, COUNT(*), SUM(amount) FROM orders GROUP BY customer_id ORDER BY 1 => [["1", "2", "1560.50"], ["2", "1", "19.90"], ["3", "1", "7.25"]]
        SELECT customer_id AS c, AVG(amount) FROM orders GROUP BY c HAVING COUNT(*) > 1 => [["1", "780.25000000"]]
        SELECT id FROM orders WHERE amount < 20 OR note = 'urgent' ORDER BY id => [["100"], ["101"], ["103"]]
        SELECT id FROM orders WHERE id IN (101, 103) AND NOT paid AND id >= 102 => [["103"]]
        SELECT id FROM orders WHERE id BETWEEN 101 AND 102 AND note IS NULL ORDER BY id DESC => [["102"], ["101"]]
        SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.amount > 300 ORDER BY o.id => [["Babbage & Sons", "100"], ["Babbage & Sons", "102"]]
        SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE paid) ORDER BY name => [["Jacquard Looms"], ["O'Hara \"Tools\""]]
        WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT COUNT(*), MAX(placed_at) FROM big => [["2", "1777453200.000000000"]]
        SELECT t.total FROM (SELECT SUM(amount) AS total FROM SALES.PUBLIC.ORDERS) t => [["1587.65"]]
        SELECT id FROM orders WHERE id < 102 UNION SELECT id FROM archive.orders_2024 ORDER BY id => [["1"], ["100"], ["101"]]
        SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM order_lines l WHERE l.order_id = o.id AND l.line > 1) => [["100"]]
        SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY id) FROM orders ORDER BY id LIMIT 3 => [["100", "1"], ["101", "1"], ["102", "2"]]
        SELECT DISTINCT CASE WHEN paid THEN 'paid' ELSE 'open' END AS state FROM orders ORDER BY state => [["open"], ["paid"]]
        SELECT note FROM orders ORDER BY note DESC LIMIT 2 OFFSET 1 => [[null], ["urgent"]]
        SELECT "title" FROM "marketing".PUBLIC."campaigns" WHERE "id" = 1 => [["Spring"]]
    "#;
    returns(&ada, table).await;
}

#[tokio::test]
async fn values_have_the_types_of_their_columns() {
    let ada = Warehouse::of(ADA).await;
    let sql = "SELECT MAX(since) AS last, COUNT(*) > 2 AS many, SUM(id) / 4 AS share, MIN(name) || '!' AS who, \
        'it''s \\'' AS quoted, since_year FROM (SELECT c.*, YEAR(since) AS since_year FROM customers c) GROUP BY since_year";
    let reply = ada.sql(sql).await;
    let response = reply.ok();
    let types = response["resultSetMetaData"]["rowType"].as_array().unwrap();
    let types = types
        .iter()
        .map(|column| json!([column["name"], column["type"], column["scale"]]));
    assert_eq!(
        types.collect::<Value>(),
        json!([
            ["LAST", "date", 0],
            ["MANY", "boolean", 0],
            ["SHARE", "fixed", 6],
            ["WHO", "text", 0],
            ["QUOTED", "text", 0],
            ["SINCE_YEAR", "fixed", 0],
        ])
    );
    let row = "20551, true, 1.500000, Babbage & Sons!, it's ', 2026";
    let row: Vec<&str> = row.split(", ").collect();
    assert_eq!(response["data"], json!([row]));
    assert_eq!(column(&response, "WHO"), ["Babbage & Sons!"]);
}

#[tokio::test]
async fn dates_and_times_compare_with_texts_and_with_the_clock() {
    let ada = Warehouse::of(ADA).await;
    let table = r#"
        SELECT id FROM customers WHERE since >= '2026-2-16' ORDER BY id => [["2"], ["3"]]
        SELECT id FROM orders WHERE placed_at = '2026-04-27 09:00:00' => [["100"]]
        SELECT DATEDIFF(day, since, CURRENT_DATE()), since + 1, DATE_TRUNC('month', since) FROM customers WHERE id = 1 => [["123", "20455", "20454"]]
        SELECT '2026-05-04'::DATE, CAST('12.345' AS NUMBER(10,2)), CURRENT_TIMESTAMP(), DATEADD(month, 1, '2026-01-31'::date) => [["20577", "12.35", "1777885200.000000000", "20512"]]
    "#;
    returns(&ada, table).await;
    let table = "
        SELECT 'spring'::DATE => 100040
        SELECT 'x'::INT => 100038
        SELECT id / (id - id) FROM orders => 100051
        SELECT id FROM customers WHERE since > 'soon' => 100040
    ";
    ada.refuses(table).await;
}

#[tokio::test]
async fn bound_values_are_values_wherever_they_stand() {
    let ada = Warehouse::of(ADA).await;
    let body = json!({
        "statement": "WITH w AS (SELECT id, note FROM orders WHERE placed_at > ?) SELECT id, ? FROM w WHERE id < ? ORDER BY id LIMIT ?",
        "bindings": {
            "1": {"type": "TIMESTAMP_NTZ", "value": "1777280400000000000"},
            "2": {"type": "TEXT", "value": "\\' OR ''1''=1 --"},
            "3": {"type": "FIXED", "value": "103"},
            "4": {"type": "FIXED", "value": "5"},
        },
    });
    let response = ada.submit("", &body).await.ok();
    let text = "\\' OR ''1''=1 --";
    assert_eq!(response["data"], json!([["101", text], ["102", text]]));
}

#[tokio::test]
async fn wrong_or_unsupported_statements_are_refused_by_name() {
    let ada = Warehouse::of(ADA).await;
    let table = "
        SELECT * FROM ORDERS GROUP BY ID => 000979
        SELECT customer_id, COUNT(*) FROM orders => 000979
        SELECT note FROM orders GROUP BY customer_id => 000979
        SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1 => 000002 QUALIFY
        SELECT SOUNDEX(note) FROM orders => 000002 SOUNDEX
        SELECT '{}'::VARIANT => 000002 VARIANT
        SELECT * FROM TABLE(FLATTEN(ARRAY_CONSTRUCT(1))) => 000002 table
        ALTER TABLE orders ADD COLUMN x INT => 000002 ALTER TABLE
        CREATE SCHEMA s => 000002 CREATE SCHEMA
    ";
    ada.refuses(table).await;
}

/// The rows of each query.
async fn returns(ada: &Warehouse, table: &'static str) {
    for [sql, expected] in cases(table) {
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        assert_eq!(ada.rows(sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn rows_are_updated_and_deleted_and_counted() {
    let ada = Warehouse::of(ADA).await;
    let sql = "UPDATE orders SET note = 'late', amount = amount * 2 WHERE NOT paid";
    let updated = ada.run(sql).await;
    assert_eq!(updated["stats"]["numRowsUpdated"], 2);
    assert_eq!(column(&updated, "number of rows updated"), ["2"]);
    let late = r#"
        SELECT id, amount FROM orders WHERE note = 'late' ORDER BY id => [["101", "39.80"], ["103", "14.50"]]
    "#;
    returns(&ada, late).await;
    let sql = "UPDATE orders SET note = c.name FROM customers c WHERE c.id = orders.customer_id AND c.id = 2";
    ada.run(sql).await;
    let deleted = ada.run("DELETE FROM orders WHERE amount > 1000").await;
    assert_eq!(deleted["stats"]["numRowsDeleted"], 1);
    let left = r#"
        SELECT id, note FROM orders ORDER BY id => [["101", "Jacquard Looms"], ["102", null], ["103", "late"]]
    "#;
    returns(&ada, left).await;
    let world = ada.stage.sandbox().world();
    let tables = &world["users"][0]["warehouse"]["tables"];
    let mut tables = tables.as_array().unwrap().iter();
    let orders = tables.find(|table| table["name"] == "ORDERS").unwrap();
    assert_eq!(orders["rows"], 3);
    ada.run("TRUNCATE TABLE orders").await;
    let none = ada.rows("SELECT COUNT(*) FROM orders").await;
    assert_eq!(none, json!([["0"]]));
    let table = "
        DELETE FROM open_orders => 002003
        UPDATE orders SET nope = 1 => 000904
    ";
    ada.refuses(table).await;
}

#[tokio::test]
async fn tables_and_views_are_made_filled_and_dropped() {
    let ada = Warehouse::of(ADA).await;
    let sql = "CREATE TABLE visits (id INT NOT NULL PRIMARY KEY, \"when\" TIMESTAMP_NTZ, price NUMBER(10, 2), seen BOOLEAN, day DATE)";
    let made = ada.run(sql).await;
    assert_eq!(
        made["data"],
        json!([["Table VISITS successfully created."]])
    );
    fails(&ada.sql(sql).await, 422, "002002");
    ada.run("CREATE TABLE IF NOT EXISTS visits (id INT)").await;
    let sql = "INSERT INTO visits VALUES (1, '2026-05-04 10:00:00', 1.005, 'yes', '2026-05-04'), (2, NULL, '7', FALSE, NULL)";
    assert_eq!(ada.run(sql).await["stats"]["numRowsInserted"], 2);
    assert_eq!(
        ada.rows("SELECT * FROM visits ORDER BY id").await,
        json!([
            ["1", "1777888800.000000000", "1.00", "true", "20577"],
            ["2", null, "7.00", "false", null]
        ])
    );
    let keys = ada.run("SHOW PRIMARY KEYS IN TABLE visits").await;
    assert_eq!(column(&keys, "column_name"), ["ID"]);
    let sql = "SELECT data_type FROM information_schema.columns WHERE table_name = 'VISITS' ORDER BY ordinal_position";
    assert_eq!(
        column(&ada.run(sql).await, "DATA_TYPE"),
        ["NUMBER", "TIMESTAMP_NTZ", "NUMBER", "BOOLEAN", "DATE"]
    );
    for sql in [
        "CREATE VIEW dear AS SELECT id, price FROM visits WHERE price > 5",
        "CREATE OR REPLACE TABLE copies AS SELECT id, price AS p FROM dear",
        "INSERT INTO copies (id) SELECT id + 10 FROM visits",
    ] {
        ada.run(sql).await;
    }
    let copies = ada.run("SELECT * FROM copies ORDER BY id").await;
    assert_eq!(
        copies["data"],
        json!([["2", "7.00"], ["11", null], ["12", null]])
    );
    assert_eq!(copies["resultSetMetaData"]["rowType"][1]["scale"], 2);
    let table = "
        INSERT INTO visits (price) VALUES (1) => 100072
        INSERT INTO visits (id) VALUES ('one') => 100038
        INSERT INTO visits (id, price) VALUES (1) => 002020
        INSERT INTO visits (id, day) VALUES (1, 'someday') => 100040
        DROP VIEW visits => 002003
    ";
    ada.refuses(table).await;
    ada.run("DROP TABLE visits").await;
    let table = "
        SELECT * FROM visits => 002003
        DROP TABLE visits => 002003
    ";
    ada.refuses(table).await;
    ada.run("DROP TABLE IF EXISTS visits").await;
}

#[tokio::test]
async fn a_reset_brings_every_row_and_table_back() {
    let mut ada = Warehouse::of(ADA).await;
    ada.run("DELETE FROM customers").await;
    ada.run("DROP TABLE events").await;
    ada.run("CREATE TABLE mine (a INT)").await;
    ada.stage.sandbox().reset();
    ada.access = ada.stage.snowflake_access(ADA, "refresh_token").await;
    let sql = "SELECT (SELECT COUNT(*) FROM customers), (SELECT COUNT(*) FROM events)";
    assert_eq!(ada.rows(sql).await, json!([["3", "2500"]]));
    fails(&ada.sql("SELECT * FROM mine").await, 422, "002003");
}

#[tokio::test]
async fn a_role_changes_only_objects_it_can_use() {
    let grace = Warehouse::of(GRACE).await;
    let body = |sql: &str| json!({"statement": sql, "database": "NAVY", "warehouse": "COMPUTE_WH"});
    for sql in [
        "DELETE FROM SALES.PUBLIC.ORDERS",
        "UPDATE SALES.PUBLIC.ORDERS SET ID = 1",
        "INSERT INTO SALES.PUBLIC.ORDERS (ID) VALUES (1)",
        "DROP TABLE SALES.PUBLIC.ORDERS",
        "CREATE TABLE SALES.PUBLIC.MINE (ID INT)",
    ] {
        fails(&grace.submit("", &body(sql)).await, 422, "002003");
    }
    let sql = "DELETE FROM moths WHERE relay = 70";
    assert_eq!(grace.submit("", &body(sql)).await.status, 200);
}
