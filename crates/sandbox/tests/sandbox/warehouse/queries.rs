//! Queries: what SQL can ask of the tables, with the types that Snowflake gives.

use serde_json::{Value, json};

use super::{ADA, column, fails};
use crate::client::Stage;

/// The rows of a query.
async fn rows(stage: &Stage, access: &str, sql: &str) -> Value {
    let reply = stage.sql(access, sql).await;
    assert_eq!(reply.status, 200, "{sql}: {}", reply.text);
    reply.json()["data"].clone()
}

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
