//! Statements that change rows and tables.

use serde_json::{Value, json};

use super::{ADA, GRACE, column, fails};
use crate::client::{Reply, Stage};

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
