//! What the SQL API refuses before a statement is looked at; the information schema, and SHOW.

use serde_json::{Value, json};

use super::{ADA, GRACE, HOST, STATEMENTS, column, fails};
use crate::client::Stage;

#[tokio::test]
async fn addresses_methods_and_queries_are_checked() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let statement = json!({"statement": "SELECT 1"});
    for (query, status, code) in [
        (
            "?requestId=6f1f3a52-9c1d-4b0e-8a51-1f2f3a4b5c6d&retry=false&async=false&nullable=true",
            200,
            "090001",
        ),
        (
            "?requestID=6f1f3a52-9c1d-4b0e-8a51-1f2f3a4b5c6d",
            400,
            "390400",
        ),
        ("?requestId=once", 400, "390400"),
        ("?async=1", 400, "390400"),
        ("?nullable=true&nullable=false", 400, "390400"),
        ("?partition=0", 400, "390400"),
        ("/x/y", 404, "390404"),
        ("/01c00000-0000-0a1b-0000-000000000001", 405, "390405"),
    ] {
        fails(
            &stage.submit(&access, query, &statement).await,
            status,
            code,
        );
    }
    fails(
        &stage
            .ask(&access, "01c00000-0000-0a1b-0000-000000000001?async=true")
            .await,
        400,
        "390400",
    );
    fails(
        &stage
            .ask(&access, "01c00000-0000-0a1b-0000-000000000001?partition=-1")
            .await,
        400,
        "390400",
    );
    assert_eq!(
        stage
            .get(&format!("{HOST}/api/v1/statements"), &access)
            .await
            .status,
        404
    );
    let reply = stage
        .get(&format!("{HOST}/api/v2/grants/ROLE/ANALYST"), &access)
        .await;
    fails(&reply, 501, "390501");
    assert!(reply.text.contains("Snowflake has it"), "{}", reply.text);
}

#[tokio::test]
async fn headers_are_checked() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let good = [
        ("user-agent", "test/1"),
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("authorization", &format!("Bearer {access}")),
        ("x-snowflake-authorization-token-type", "OAUTH"),
    ];
    for (name, value, status, code) in [
        ("", "", 200, "090001"),
        ("user-agent", "", 400, "390400"),
        ("accept", "text/html", 415, "390415"),
        (
            "accept",
            "application/json, text/plain;q=0.5",
            200,
            "090001",
        ),
        ("content-type", "text/plain", 415, "390415"),
        ("authorization", "Bearer made-up", 401, "390303"),
        ("authorization", "", 401, "390303"),
        (
            "x-snowflake-authorization-token-type",
            "KEYPAIR_JWT",
            401,
            "390303",
        ),
        (
            "x-snowflake-authorization-token-type",
            "oauth2",
            400,
            "390400",
        ),
    ] {
        let mut request = stage
            .http
            .post(stage.url(STATEMENTS))
            .body(r#"{"statement": "SELECT 1"}"#);
        for (header, usual) in good {
            request = request.header(header, if header == name { value } else { usual });
        }
        fails(&stage.send(request).await, status, code);
    }
}

#[tokio::test]
async fn bodies_are_checked() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for (body, code) in [
        (json!({}), "390142"),
        (json!([]), "390142"),
        (json!({"statement": 1}), "390142"),
        (json!({"statement": "SELECT 1", "async": true}), "390142"),
        (json!({"statement": "SELECT 1", "timeout": "10"}), "390142"),
        (json!({"statement": "SELECT 1", "timeout": -1}), "390142"),
        (
            json!({"statement": "SELECT ?", "bindings": {"1": 1}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT ?", "bindings": {"1": {"type": "FIXED", "value": 1}}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT ?", "bindings": {"1": {"type": "NUMBER", "value": "1"}}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT ?", "bindings": {"0": {"type": "FIXED", "value": "1"}}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT ?", "bindings": {"2": {"type": "FIXED", "value": "1"}}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT 1", "parameters": {"no_such": "1"}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT 1", "parameters": {"TIMEZONE": {}}}),
            "390142",
        ),
        (
            json!({"statement": "SELECT 1", "parameters": {"MULTI_STATEMENT_COUNT": "-1"}}),
            "390142",
        ),
    ] {
        fails(&stage.submit(&access, "", &body).await, 400, code);
    }
    for (body, code) in [
        (
            json!({"statement": "SELECT ?", "bindings": {"1": {"type": "FIXED", "value": "one"}}}),
            "100037",
        ),
        (
            json!({"statement": "SELECT ?, ?", "bindings": {"1": {"type": "FIXED", "value": "1"}}}),
            "002049",
        ),
        (
            json!({"statement": "SELECT 1", "database": "sales"}),
            "390201",
        ),
        (
            json!({"statement": "SELECT 1", "database": "NAVY"}),
            "390201",
        ),
        (
            json!({"statement": "SELECT 1", "schema": "NOWHERE"}),
            "390201",
        ),
        (
            json!({"statement": "SELECT 1", "warehouse": "compute_wh"}),
            "390201",
        ),
    ] {
        fails(&stage.submit(&access, "", &body).await, 422, code);
    }
}

#[tokio::test]
async fn a_text_that_cannot_be_read_as_sql_is_a_syntax_error() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for sql in [
        "SELEC 1",
        "SELECT",
        "SELECT 'open",
        "SELECT * FROM ORDERS WHERE",
        "DROP ORDERS",
        "SHOW TABLES",
        "SHOW GRANTS LIKE 'x'",
        "SHOW DATABASES LIKE x",
        "SHOW WAREHOUSES LIKE 'x' extra",
        "SHOW PRIMARY KEYS IN",
        "INSERT INTO ORDERS",
    ] {
        let reply = stage.sql(&access, sql).await;
        fails(&reply, 422, "001003");
        assert!(reply.text.contains("unexpected"), "{}", reply.text);
    }
    fails(&stage.sql(&access, " ; -- nothing").await, 422, "000900");
    fails(
        &stage.sql(&access, "SELECT NOPE FROM ORDERS").await,
        422,
        "000904",
    );
    fails(
        &stage.sql(&access, "SELECT * FROM NOWHERE").await,
        422,
        "002003",
    );
    fails(
        &stage.sql(&access, "SELECT * FROM NAVY.PUBLIC.MOTHS").await,
        422,
        "002003",
    );
    fails(
        &stage.sql(&access, "SELECT * FROM orders LIMIT x").await,
        422,
        "001003",
    );
}

async fn shown(stage: &Stage, access: &str, sql: &str) -> Value {
    let reply = stage.sql(access, sql).await;
    assert_eq!(reply.status, 200, "{sql}: {}", reply.text);
    reply.json()
}

#[tokio::test]
async fn the_information_schema_is_the_world() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let schemata = shown(
        &stage,
        &access,
        "SELECT * FROM \"SALES\".INFORMATION_SCHEMA.SCHEMATA ORDER BY SCHEMA_NAME",
    )
    .await;
    assert_eq!(
        column(&schemata, "SCHEMA_NAME"),
        ["ARCHIVE", "INFORMATION_SCHEMA", "PUBLIC"]
    );
    let body = json!({
        "statement": "SELECT TABLE_NAME, ROW_COUNT FROM \"SALES\".INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME ILIKE ? ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT 2",
        "bindings": {"1": {"type": "TEXT", "value": "PUBLIC"}, "2": {"type": "TEXT", "value": "o%"}},
    });
    let tables = stage.submit(&access, "", &body).await.ok();
    assert_eq!(column(&tables, "TABLE_NAME"), ["OPEN_ORDERS", "ORDERS"]);
    assert_eq!(column(&tables, "ROW_COUNT"), ["NULL", "4"]);
    let sql = "SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE FROM SALES.INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'ORDERS' ORDER BY ORDINAL_POSITION";
    let columns = shown(&stage, &access, sql).await;
    assert_eq!(
        column(&columns, "COLUMN_NAME"),
        ["ID", "CUSTOMER_ID", "AMOUNT", "PAID", "PLACED_AT", "NOTE"]
    );
    assert_eq!(column(&columns, "IS_NULLABLE")[..2], ["NO", "YES"]);
    let odd = "SELECT \"größe\" FROM \"Odd \"\"names\"\" 2025.Q1\"";
    assert_eq!(column(&shown(&stage, &access, odd).await, "größe"), ["1.5"]);
}

#[tokio::test]
async fn foreign_keys_are_joined_to_their_tables() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let sql = "SELECT rc.CONSTRAINT_NAME, tc.TABLE_NAME, rc.UNIQUE_CONSTRAINT_NAME FROM SALES.INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS rc \
        LEFT JOIN SALES.INFORMATION_SCHEMA.TABLE_CONSTRAINTS tc ON tc.CONSTRAINT_SCHEMA = rc.CONSTRAINT_SCHEMA AND tc.CONSTRAINT_NAME = rc.CONSTRAINT_NAME \
        ORDER BY rc.CONSTRAINT_NAME";
    let keys = shown(&stage, &access, sql).await;
    assert_eq!(
        keys["data"],
        json!([
            ["FK_LINES_ORDERS", "ORDER_LINES", "PK_ORDERS"],
            ["FK_ORDERS_CUSTOMERS", "ORDERS", "PK_CUSTOMERS"]
        ])
    );
    fails(
        &stage
            .sql(
                &access,
                &sql.replace("rc.CONSTRAINT_NAME, tc", "CONSTRAINT_NAME, tc"),
            )
            .await,
        422,
        "000904",
    );
}

#[tokio::test]
async fn show_takes_patterns_and_scopes() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    for (sql, name, expected) in [
        ("SHOW DATABASES", "name", vec!["SALES", "marketing"]),
        ("SHOW DATABASES LIKE 'MARK%'", "name", vec!["marketing"]),
        (
            "SHOW SCHEMAS IN DATABASE \"marketing\"",
            "name",
            vec!["INFORMATION_SCHEMA", "PUBLIC"],
        ),
        (
            "SHOW SCHEMAS LIKE 'arch%' IN ACCOUNT",
            "database_name",
            vec!["SALES"],
        ),
        (
            "SHOW SCHEMAS",
            "database_name",
            vec!["SALES", "SALES", "SALES"],
        ),
        ("SHOW WAREHOUSES", "name", vec!["COMPUTE_WH"]),
        ("SHOW WAREHOUSES LIKE 'nothing'", "name", vec![]),
        (
            "SHOW PRIMARY KEYS IN TABLE ORDER_LINES",
            "column_name",
            vec!["ORDER_ID", "LINE"],
        ),
        (
            "SHOW PRIMARY KEYS IN SCHEMA ARCHIVE",
            "table_name",
            vec!["ORDERS_2024"],
        ),
        (
            "SHOW PRIMARY KEYS IN SCHEMA \"SALES\".\"ARCHIVE\"",
            "table_name",
            vec!["ORDERS_2024"],
        ),
        (
            "SHOW PRIMARY KEYS IN DATABASE \"marketing\"",
            "table_name",
            vec![],
        ),
        (
            "SHOW PRIMARY KEYS IN ACCOUNT",
            "table_name",
            vec![
                "CUSTOMERS",
                "ORDERS",
                "ORDER_LINES",
                "ORDER_LINES",
                "ORDERS_2024",
            ],
        ),
        (
            "SHOW IMPORTED KEYS IN TABLE ORDERS",
            "pk_table_name",
            vec!["CUSTOMERS"],
        ),
        (
            "SHOW EXPORTED KEYS IN TABLE \"SALES\".\"PUBLIC\".\"ORDERS\"",
            "fk_table_name",
            vec!["ORDER_LINES"],
        ),
        (
            "SHOW GRANTS TO USER ADA",
            "role",
            vec!["ANALYST", "SYSADMIN"],
        ),
        ("SHOW GRANTS OF ROLE NAVY", "grantee_name", vec!["GRACE"]),
        (
            "SHOW GRANTS TO ROLE NAVY",
            "privilege",
            vec!["USAGE", "OWNERSHIP"],
        ),
        (
            "SHOW GRANTS ON TABLE SALES.PUBLIC.ORDERS",
            "grantee_name",
            vec!["ANALYST", "ANALYST", "SYSADMIN"],
        ),
        (
            "SHOW GRANTS ON ACCOUNT",
            "privilege",
            vec!["CREATE DATABASE"],
        ),
    ] {
        assert_eq!(
            column(&shown(&stage, &access, sql).await, name),
            expected,
            "{sql}"
        );
    }
    for sql in [
        "SHOW SCHEMAS IN DATABASE NOWHERE",
        "SHOW PRIMARY KEYS IN DATABASE NAVY",
    ] {
        fails(&stage.sql(&access, sql).await, 422, "002043");
    }
    for sql in [
        "SHOW GRANTS TO USER NOBODY",
        "SHOW GRANTS ON TABLE NOWHERE",
        "SHOW GRANTS TO ROLE analyst_not",
        "SHOW GRANTS ON FUNCTION area(NUMBER)",
        "SHOW GRANTS ON FUNCTION \"SALES\".\"PUBLIC\".\"AREA\"(NUMBER(38, 0), DOUBLE PRECISION)",
        "SHOW GRANTS ON PROCEDURE area()",
        "SHOW GRANTS ON EXTERNAL TABLE NOWHERE",
        "SHOW GRANTS ON EXTERNAL TABLE SALES.PUBLIC.ORDERS",
        "SHOW IMPORTED KEYS IN TABLE NOWHERE",
    ] {
        fails(&stage.sql(&access, sql).await, 422, "002003");
    }
    for sql in [
        "SHOW GRANTS ON FUNCTION area",
        "SHOW GRANTS ON FUNCTION area(NUMBER,)",
        "SHOW GRANTS ON FUNCTION area(NUMBER(38)",
        "SHOW GRANTS ON FUNCTION area(NUMBER()) x",
        "SHOW GRANTS ON EXTERNAL orders",
    ] {
        fails(&stage.sql(&access, sql).await, 422, "001003");
    }
}

#[tokio::test]
async fn a_schema_by_itself_needs_a_current_database() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(GRACE, "refresh_token").await;
    let reply = stage
        .sql(&access, "SHOW PRIMARY KEYS IN SCHEMA PUBLIC")
        .await;
    fails(&reply, 422, "001059");
    assert!(
        reply.text.contains("Must specify the full search path"),
        "{}",
        reply.text
    );
    let keys = shown(&stage, &access, "SHOW PRIMARY KEYS").await;
    assert_eq!(keys["data"], json!([]));
}

#[tokio::test]
async fn the_world_tells_what_is_there() {
    let stage = Stage::new().await;
    let world = stage.sandbox().world();
    let ada = &world["users"][0]["warehouse"];
    assert_eq!(ada["tables"].as_array().unwrap().len(), 8);
    assert_eq!(ada["warehouses"], json!(["COMPUTE_WH"]));
    assert_eq!(ada["statements"][0]["partitions"], 3);
    let grace = &world["users"][1]["warehouse"];
    assert_eq!(
        grace["databases"],
        json!([{"name": "NAVY", "schemas": ["PUBLIC"]}])
    );
}
