//! Queries, with the types that Snowflake gives, and statements that change rows and tables.

use serde_json::{Value, json};

use super::{ADA, GRACE, column, fails};
use crate::client::{Reply, Stage};

#[tokio::test]
async fn rows_are_filtered_grouped_joined_and_sorted() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for (sql, expected) in [
        (
            "SELECT customer_id, COUNT(*), SUM(amount) FROM orders GROUP BY customer_id ORDER BY 1",
            json!([
                ["1", "2", "1560.50"],
                ["2", "1", "19.90"],
                ["3", "1", "7.25"]
            ]),
        ),
        (
            "SELECT customer_id AS c, AVG(amount) FROM orders GROUP BY c HAVING COUNT(*) > 1",
            json!([["1", "780.25000000"]]),
        ),
        (
            "SELECT id FROM orders WHERE amount < 20 OR note = 'urgent' ORDER BY id",
            json!([["100"], ["101"], ["103"]]),
        ),
        (
            "SELECT id FROM orders WHERE id IN (101, 103) AND NOT paid AND id >= 102",
            json!([["103"]]),
        ),
        (
            "SELECT id FROM orders WHERE id BETWEEN 101 AND 102 AND note IS NULL ORDER BY id DESC",
            json!([["102"], ["101"]]),
        ),
        (
            "SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.amount > 300 ORDER BY o.id",
            json!([["Babbage & Sons", "100"], ["Babbage & Sons", "102"]]),
        ),
        (
            "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE paid) ORDER BY name",
            json!([["Jacquard Looms"], ["O'Hara \"Tools\""]]),
        ),
        (
            "WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT COUNT(*), MAX(placed_at) FROM big",
            json!([["2", "1777453200.000000000"]]),
        ),
        (
            "SELECT t.total FROM (SELECT SUM(amount) AS total FROM SALES.PUBLIC.ORDERS) t",
            json!([["1587.65"]]),
        ),
        (
            "SELECT id FROM orders WHERE id < 102 UNION SELECT id FROM archive.orders_2024 ORDER BY id",
            json!([["1"], ["100"], ["101"]]),
        ),
        (
            "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM order_lines l WHERE l.order_id = o.id AND l.line > 1)",
            json!([["100"]]),
        ),
        (
            "SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY id) FROM orders ORDER BY id LIMIT 3",
            json!([["100", "1"], ["101", "1"], ["102", "2"]]),
        ),
        (
            "SELECT DISTINCT CASE WHEN paid THEN 'paid' ELSE 'open' END AS state FROM orders ORDER BY state",
            json!([["open"], ["paid"]]),
        ),
        (
            "SELECT note FROM orders ORDER BY note DESC LIMIT 2 OFFSET 1",
            json!([[null], ["urgent"]]),
        ),
        (
            "SELECT \"title\" FROM \"marketing\".PUBLIC.\"campaigns\" WHERE \"id\" = 1",
            json!([["Spring"]]),
        ),
    ] {
        assert_eq!(rows(&stage, &access, sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn values_have_the_types_of_their_columns() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let sql = "SELECT MAX(since) AS last, COUNT(*) > 2 AS many, SUM(id) / 4 AS share, MIN(name) || '!' AS who, \
        'it''s \\'' AS quoted, since_year FROM (SELECT c.*, YEAR(since) AS since_year FROM customers c) GROUP BY since_year";
    let reply = stage.sql(&access, sql).await;
    let response = reply.ok();
    let types = response["resultSetMetaData"]["rowType"].as_array().unwrap();
    let types: Vec<(&str, &str, i64)> = types
        .iter()
        .map(|column| {
            (
                column["name"].as_str().unwrap(),
                column["type"].as_str().unwrap(),
                column["scale"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        types,
        [
            ("LAST", "date", 0),
            ("MANY", "boolean", 0),
            ("SHARE", "fixed", 6),
            ("WHO", "text", 0),
            ("QUOTED", "text", 0),
            ("SINCE_YEAR", "fixed", 0),
        ]
    );
    assert_eq!(
        response["data"],
        json!([[
            "20551",
            "true",
            "1.500000",
            "Babbage & Sons!",
            "it's '",
            "2026"
        ]])
    );
    assert_eq!(column(&response, "WHO"), ["Babbage & Sons!"]);
}

#[tokio::test]
async fn dates_and_times_compare_with_texts_and_with_the_clock() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for (sql, expected) in [
        (
            "SELECT id FROM customers WHERE since >= '2026-2-16' ORDER BY id",
            json!([["2"], ["3"]]),
        ),
        (
            "SELECT id FROM orders WHERE placed_at = '2026-04-27 09:00:00'",
            json!([["100"]]),
        ),
        (
            "SELECT DATEDIFF(day, since, CURRENT_DATE()), since + 1, DATE_TRUNC('month', since) FROM customers WHERE id = 1",
            json!([["123", "20455", "20454"]]),
        ),
        (
            "SELECT '2026-05-04'::DATE, CAST('12.345' AS NUMBER(10,2)), CURRENT_TIMESTAMP(), DATEADD(month, 1, '2026-01-31'::date)",
            json!([["20577", "12.35", "1777885200.000000000", "20512"]]),
        ),
    ] {
        assert_eq!(rows(&stage, &access, sql).await, expected, "{sql}");
    }
    for (sql, code) in [
        ("SELECT 'spring'::DATE", "100040"),
        ("SELECT 'x'::INT", "100038"),
        ("SELECT id / (id - id) FROM orders", "100051"),
        ("SELECT id FROM customers WHERE since > 'soon'", "100040"),
    ] {
        fails(&stage.sql(&access, sql).await, 422, code);
    }
}

#[tokio::test]
async fn bound_values_are_values_wherever_they_stand() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let body = json!({
        "statement": "WITH w AS (SELECT id, note FROM orders WHERE placed_at > ?) SELECT id, ? FROM w WHERE id < ? ORDER BY id LIMIT ?",
        "bindings": {
            "1": {"type": "TIMESTAMP_NTZ", "value": "1777280400000000000"},
            "2": {"type": "TEXT", "value": "\\' OR ''1''=1 --"},
            "3": {"type": "FIXED", "value": "103"},
            "4": {"type": "FIXED", "value": "5"},
        },
    });
    let response = stage.submit(&access, "", &body).await.ok();
    let text = "\\' OR ''1''=1 --";
    assert_eq!(response["data"], json!([["101", text], ["102", text]]));
}

#[tokio::test]
async fn a_column_that_is_not_grouped_by_is_refused() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for sql in [
        "SELECT * FROM ORDERS GROUP BY ID",
        "SELECT customer_id, COUNT(*) FROM orders",
        "SELECT note FROM orders GROUP BY customer_id",
    ] {
        fails(&stage.sql(&access, sql).await, 422, "000979");
    }
}

#[tokio::test]
async fn what_the_sandbox_does_not_play_is_refused_by_name() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for (sql, name) in [
        (
            "SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1",
            "QUALIFY",
        ),
        ("SELECT SOUNDEX(note) FROM orders", "SOUNDEX"),
        ("SELECT '{}'::VARIANT", "VARIANT"),
        ("SELECT * FROM TABLE(FLATTEN(ARRAY_CONSTRUCT(1)))", "table"),
        ("ALTER TABLE orders ADD COLUMN x INT", "ALTER TABLE"),
        ("CREATE SCHEMA s", "CREATE SCHEMA"),
    ] {
        let reply = stage.sql(&access, sql).await;
        fails(&reply, 422, "000002");
        assert!(reply.text.contains(name), "{}", reply.text);
    }
}

async fn run(stage: &Stage, access: &str, sql: &str) -> Reply {
    let reply = stage.sql(access, sql).await;
    assert_eq!(reply.status, 200, "{sql}: {}", reply.text);
    reply
}

async fn rows(stage: &Stage, access: &str, sql: &str) -> Value {
    run(stage, access, sql).await.json()["data"].clone()
}

#[tokio::test]
async fn rows_are_updated_and_deleted_and_counted() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let sql = "UPDATE orders SET note = 'late', amount = amount * 2 WHERE NOT paid";
    let updated = run(&stage, &access, sql).await.json();
    assert_eq!(updated["stats"]["numRowsUpdated"], 2);
    assert_eq!(column(&updated, "number of rows updated"), ["2"]);
    assert_eq!(
        rows(
            &stage,
            &access,
            "SELECT id, amount FROM orders WHERE note = 'late' ORDER BY id"
        )
        .await,
        json!([["101", "39.80"], ["103", "14.50"]])
    );
    let sql = "UPDATE orders SET note = c.name FROM customers c WHERE c.id = orders.customer_id AND c.id = 2";
    run(&stage, &access, sql).await;
    let deleted = run(&stage, &access, "DELETE FROM orders WHERE amount > 1000")
        .await
        .json();
    assert_eq!(deleted["stats"]["numRowsDeleted"], 1);
    assert_eq!(
        rows(&stage, &access, "SELECT id, note FROM orders ORDER BY id").await,
        json!([["101", "Jacquard Looms"], ["102", null], ["103", "late"]])
    );
    let world = stage.sandbox().world();
    let tables = world["users"][0]["warehouse"]["tables"]
        .as_array()
        .unwrap()
        .clone();
    let orders = tables
        .iter()
        .find(|table| table["name"] == "ORDERS")
        .unwrap();
    assert_eq!(orders["rows"], 3);
    run(&stage, &access, "TRUNCATE TABLE orders").await;
    assert_eq!(
        rows(&stage, &access, "SELECT COUNT(*) FROM orders").await,
        json!([["0"]])
    );
    fails(
        &stage.sql(&access, "DELETE FROM open_orders").await,
        422,
        "002003",
    );
    fails(
        &stage.sql(&access, "UPDATE orders SET nope = 1").await,
        422,
        "000904",
    );
}

#[tokio::test]
async fn tables_and_views_are_made_filled_and_dropped() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let sql = "CREATE TABLE visits (id INT NOT NULL PRIMARY KEY, \"when\" TIMESTAMP_NTZ, price NUMBER(10, 2), seen BOOLEAN, day DATE)";
    let made = run(&stage, &access, sql).await.json();
    assert_eq!(
        made["data"],
        json!([["Table VISITS successfully created."]])
    );
    fails(&stage.sql(&access, sql).await, 422, "002002");
    run(
        &stage,
        &access,
        "CREATE TABLE IF NOT EXISTS visits (id INT)",
    )
    .await;
    let sql = "INSERT INTO visits VALUES (1, '2026-05-04 10:00:00', 1.005, 'yes', '2026-05-04'), (2, NULL, '7', FALSE, NULL)";
    assert_eq!(
        run(&stage, &access, sql).await.json()["stats"]["numRowsInserted"],
        2
    );
    assert_eq!(
        rows(&stage, &access, "SELECT * FROM visits ORDER BY id").await,
        json!([
            ["1", "1777888800.000000000", "1.00", "true", "20577"],
            ["2", null, "7.00", "false", null]
        ])
    );
    assert_eq!(
        column(
            &run(&stage, &access, "SHOW PRIMARY KEYS IN TABLE visits")
                .await
                .json(),
            "column_name"
        ),
        ["ID"]
    );
    let sql = "SELECT data_type FROM information_schema.columns WHERE table_name = 'VISITS' ORDER BY ordinal_position";
    assert_eq!(
        column(&run(&stage, &access, sql).await.json(), "DATA_TYPE"),
        ["NUMBER", "TIMESTAMP_NTZ", "NUMBER", "BOOLEAN", "DATE"]
    );
    run(
        &stage,
        &access,
        "CREATE VIEW dear AS SELECT id, price FROM visits WHERE price > 5",
    )
    .await;
    run(
        &stage,
        &access,
        "CREATE OR REPLACE TABLE copies AS SELECT id, price AS p FROM dear",
    )
    .await;
    run(
        &stage,
        &access,
        "INSERT INTO copies (id) SELECT id + 10 FROM visits",
    )
    .await;
    let copies = run(&stage, &access, "SELECT * FROM copies ORDER BY id")
        .await
        .json();
    assert_eq!(
        copies["data"],
        json!([["2", "7.00"], ["11", null], ["12", null]])
    );
    assert_eq!(copies["resultSetMetaData"]["rowType"][1]["scale"], 2);
    for (sql, code) in [
        ("INSERT INTO visits (price) VALUES (1)", "100072"),
        ("INSERT INTO visits (id) VALUES ('one')", "100038"),
        ("INSERT INTO visits (id, price) VALUES (1)", "002020"),
        (
            "INSERT INTO visits (id, day) VALUES (1, 'someday')",
            "100040",
        ),
        ("DROP VIEW visits", "002003"),
    ] {
        fails(&stage.sql(&access, sql).await, 422, code);
    }
    run(&stage, &access, "DROP TABLE visits").await;
    fails(
        &stage.sql(&access, "SELECT * FROM visits").await,
        422,
        "002003",
    );
    fails(
        &stage.sql(&access, "DROP TABLE visits").await,
        422,
        "002003",
    );
    run(&stage, &access, "DROP TABLE IF EXISTS visits").await;
}

#[tokio::test]
async fn a_reset_brings_every_row_and_table_back() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    run(&stage, &access, "DELETE FROM customers").await;
    run(&stage, &access, "DROP TABLE events").await;
    run(&stage, &access, "CREATE TABLE mine (a INT)").await;
    stage.sandbox().reset();
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    assert_eq!(
        rows(
            &stage,
            &access,
            "SELECT (SELECT COUNT(*) FROM customers), (SELECT COUNT(*) FROM events)"
        )
        .await,
        json!([["3", "2500"]])
    );
    fails(
        &stage.sql(&access, "SELECT * FROM mine").await,
        422,
        "002003",
    );
}

#[tokio::test]
async fn a_role_changes_only_what_it_may_use() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(GRACE, "refresh_token").await;
    let body = |sql: &str| json!({"statement": sql, "database": "NAVY", "warehouse": "COMPUTE_WH"});
    for sql in [
        "DELETE FROM SALES.PUBLIC.ORDERS",
        "UPDATE SALES.PUBLIC.ORDERS SET ID = 1",
        "INSERT INTO SALES.PUBLIC.ORDERS (ID) VALUES (1)",
        "DROP TABLE SALES.PUBLIC.ORDERS",
        "CREATE TABLE SALES.PUBLIC.MINE (ID INT)",
    ] {
        fails(&stage.submit(&access, "", &body(sql)).await, 422, "002003");
    }
    let sql = "DELETE FROM moths WHERE relay = 70";
    assert_eq!(stage.submit(&access, "", &body(sql)).await.status, 200);
}
