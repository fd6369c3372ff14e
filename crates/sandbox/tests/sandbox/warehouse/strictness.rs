//! The SQL API's checks before it parses a statement, the information schema, and SHOW.

use serde_json::{Value, json};

use super::{ADA, GRACE, HOST, STATEMENTS, Warehouse, column, fails};
use crate::client::{Stage, cases};

#[tokio::test]
async fn addresses_methods_and_queries_are_checked() {
    let ada = Warehouse::of(ADA).await;
    let statement = json!({"statement": "SELECT 1"});
    let table = "
        ?requestId=6f1f3a52-9c1d-4b0e-8a51-1f2f3a4b5c6d&retry=false&async=false&nullable=true => 200 090001
        ?requestID=6f1f3a52-9c1d-4b0e-8a51-1f2f3a4b5c6d => 400 390400
        ?requestId=once => 400 390400
        ?async=1 => 400 390400
        ?nullable=true&nullable=false => 400 390400
        ?partition=0 => 400 390400
        /x/y => 404 390404
        /01c00000-0000-0a1b-0000-000000000001 => 405 390405
    ";
    for [query, expected] in cases(table) {
        let (status, code) = expected.split_once(' ').unwrap();
        let reply = ada.submit(query, &statement).await;
        fails(&reply, status.parse().unwrap(), code);
    }
    for query in ["async=true", "partition=-1"] {
        let handle = format!("01c00000-0000-0a1b-0000-000000000001?{query}");
        fails(&ada.ask(&handle).await, 400, "390400");
    }
    let get = async |path: &str| ada.stage.get(&format!("{HOST}{path}"), &ada.access).await;
    assert_eq!(get("/api/v1/statements").await.status, 404);
    let reply = get("/api/v2/grants/ROLE/ANALYST").await;
    fails(&reply, 501, "390501");
    assert!(reply.text.contains("Snowflake has it"), "{}", reply.text);
}

#[tokio::test]
async fn headers_are_checked() {
    let Warehouse { stage, access } = Warehouse::of(ADA).await;
    let good = [
        ("user-agent", "test/1"),
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("authorization", &format!("Bearer {access}")),
        ("x-snowflake-authorization-token-type", "OAUTH"),
    ];
    let table = "
        => => 200 090001
        user-agent => => 400 390400
        accept => text/html => 415 390415
        accept => application/json, text/plain;q=0.5 => 200 090001
        content-type => text/plain => 415 390415
        authorization => Bearer made-up => 401 390303
        authorization => => 401 390303
        x-snowflake-authorization-token-type => KEYPAIR_JWT => 401 390303
        x-snowflake-authorization-token-type => oauth2 => 400 390400
    ";
    for [name, value, expected] in cases(table) {
        let (status, code) = expected.split_once(' ').unwrap();
        let mut request = stage
            .http
            .post(stage.url(STATEMENTS))
            .body(r#"{"statement": "SELECT 1"}"#);
        for (header, usual) in good {
            request = request.header(header, if header == name { value } else { usual });
        }
        fails(&stage.send(request).await, status.parse().unwrap(), code);
    }
}

#[tokio::test]
async fn bodies_are_checked() {
    let ada = Warehouse::of(ADA).await;
    let table = r#"
        {} => 400 390142
        [] => 400 390142
        {"statement": 1} => 400 390142
        {"statement": "SELECT 1", "async": true} => 400 390142
        {"statement": "SELECT 1", "timeout": "10"} => 400 390142
        {"statement": "SELECT 1", "timeout": -1} => 400 390142
        {"statement": "SELECT ?", "bindings": {"1": 1}} => 400 390142
        {"statement": "SELECT ?", "bindings": {"1": {"type": "FIXED", "value": 1}}} => 400 390142
        {"statement": "SELECT ?", "bindings": {"1": {"type": "NUMBER", "value": "1"}}} => 400 390142
        {"statement": "SELECT ?", "bindings": {"0": {"type": "FIXED", "value": "1"}}} => 400 390142
        {"statement": "SELECT ?", "bindings": {"2": {"type": "FIXED", "value": "1"}}} => 400 390142
        {"statement": "SELECT 1", "parameters": {"no_such": "1"}} => 400 390142
        {"statement": "SELECT 1", "parameters": {"TIMEZONE": {}}} => 400 390142
        {"statement": "SELECT 1", "parameters": {"MULTI_STATEMENT_COUNT": "-1"}} => 400 390142
        {"statement": "SELECT ?", "bindings": {"1": {"type": "FIXED", "value": "one"}}} => 422 100037
        {"statement": "SELECT ?, ?", "bindings": {"1": {"type": "FIXED", "value": "1"}}} => 422 002049
        {"statement": "SELECT 1", "database": "sales"} => 422 390201
        {"statement": "SELECT 1", "database": "NAVY"} => 422 390201
        {"statement": "SELECT 1", "schema": "NOWHERE"} => 422 390201
        {"statement": "SELECT 1", "warehouse": "compute_wh"} => 422 390201
    "#;
    for [body, expected] in cases(table) {
        let body: Value = serde_json::from_str(body).unwrap();
        let (status, code) = expected.split_once(' ').unwrap();
        let reply = ada.submit("", &body).await;
        fails(&reply, status.parse().unwrap(), code);
    }
}

#[tokio::test]
async fn a_text_that_cannot_be_read_as_sql_is_a_syntax_error() {
    let ada = Warehouse::of(ADA).await;
    let table = r#"
        SELEC 1 => 001003 unexpected
        SELECT => 001003 unexpected
        SELECT 'open => 001003 unexpected
        SELECT * FROM ORDERS WHERE => 001003 unexpected
        DROP ORDERS => 001003 unexpected
        SHOW TABLES => 001003 unexpected
        SHOW GRANTS LIKE 'x' => 001003 unexpected
        SHOW DATABASES LIKE x => 001003 unexpected
        SHOW WAREHOUSES LIKE 'x' extra => 001003 unexpected
        SHOW PRIMARY KEYS IN => 001003 unexpected
        INSERT INTO ORDERS => 001003 unexpected
        SELECT * FROM orders LIMIT x => 001003 unexpected
        ; -- nothing => 000900
        SELECT NOPE FROM ORDERS => 000904
        SELECT * FROM NOWHERE => 002003
        SELECT * FROM NAVY.PUBLIC.MOTHS => 002003
    "#;
    ada.refuses(table).await;
}

#[tokio::test]
async fn the_information_schema_is_the_world() {
    let ada = Warehouse::of(ADA).await;
    let sql = "SELECT * FROM \"SALES\".INFORMATION_SCHEMA.SCHEMATA ORDER BY SCHEMA_NAME";
    let schemata = ada.run(sql).await;
    assert_eq!(
        column(&schemata, "SCHEMA_NAME"),
        ["ARCHIVE", "INFORMATION_SCHEMA", "PUBLIC"]
    );
    let body = json!({
        "statement": "SELECT TABLE_NAME, ROW_COUNT FROM \"SALES\".INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME ILIKE ? ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT 2",
        "bindings": {"1": {"type": "TEXT", "value": "PUBLIC"}, "2": {"type": "TEXT", "value": "o%"}},
    });
    let tables = ada.submit("", &body).await.ok();
    assert_eq!(column(&tables, "TABLE_NAME"), ["OPEN_ORDERS", "ORDERS"]);
    assert_eq!(column(&tables, "ROW_COUNT"), ["NULL", "4"]);
    let sql = "SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE FROM SALES.INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'ORDERS' ORDER BY ORDINAL_POSITION";
    let columns = ada.run(sql).await;
    assert_eq!(
        column(&columns, "COLUMN_NAME"),
        ["ID", "CUSTOMER_ID", "AMOUNT", "PAID", "PLACED_AT", "NOTE"]
    );
    assert_eq!(column(&columns, "IS_NULLABLE")[..2], ["NO", "YES"]);
    let odd = "SELECT \"größe\" FROM \"Odd \"\"names\"\" 2025.Q1\"";
    assert_eq!(column(&ada.run(odd).await, "größe"), ["1.5"]);
}

#[tokio::test]
async fn foreign_keys_are_joined_to_their_tables() {
    let ada = Warehouse::of(ADA).await;
    let sql = "SELECT rc.CONSTRAINT_NAME, tc.TABLE_NAME, rc.UNIQUE_CONSTRAINT_NAME FROM SALES.INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS rc \
        LEFT JOIN SALES.INFORMATION_SCHEMA.TABLE_CONSTRAINTS tc ON tc.CONSTRAINT_SCHEMA = rc.CONSTRAINT_SCHEMA AND tc.CONSTRAINT_NAME = rc.CONSTRAINT_NAME \
        ORDER BY rc.CONSTRAINT_NAME";
    let keys = ada.run(sql).await;
    assert_eq!(
        keys["data"],
        json!([
            ["FK_LINES_ORDERS", "ORDER_LINES", "PK_ORDERS"],
            ["FK_ORDERS_CUSTOMERS", "ORDERS", "PK_CUSTOMERS"]
        ])
    );
    let unqualified = sql.replace("rc.CONSTRAINT_NAME, tc", "CONSTRAINT_NAME, tc");
    fails(&ada.sql(&unqualified).await, 422, "000904");
}

#[tokio::test]
async fn show_takes_patterns_and_scopes() {
    let ada = Warehouse::of(ADA).await;
    let table = r#"
        SHOW DATABASES => name: SALES, marketing
        SHOW DATABASES LIKE 'MARK%' => name: marketing
        SHOW SCHEMAS IN DATABASE "marketing" => name: INFORMATION_SCHEMA, PUBLIC
        SHOW SCHEMAS LIKE 'arch%' IN ACCOUNT => database_name: SALES
        SHOW SCHEMAS => database_name: SALES, SALES, SALES
        SHOW WAREHOUSES => name: COMPUTE_WH
        SHOW WAREHOUSES LIKE 'nothing' => name:
        SHOW PRIMARY KEYS IN TABLE ORDER_LINES => column_name: ORDER_ID, LINE
        SHOW PRIMARY KEYS IN SCHEMA ARCHIVE => table_name: ORDERS_2024
        SHOW PRIMARY KEYS IN SCHEMA "SALES"."ARCHIVE" => table_name: ORDERS_2024
        SHOW PRIMARY KEYS IN DATABASE "marketing" => table_name:
        SHOW PRIMARY KEYS IN ACCOUNT => table_name: CUSTOMERS, ORDERS, ORDER_LINES, ORDER_LINES, ORDERS_2024
        SHOW IMPORTED KEYS IN TABLE ORDERS => pk_table_name: CUSTOMERS
        SHOW EXPORTED KEYS IN TABLE "SALES"."PUBLIC"."ORDERS" => fk_table_name: ORDER_LINES
        SHOW GRANTS TO USER ADA => role: ANALYST, SYSADMIN
        SHOW GRANTS OF ROLE NAVY => grantee_name: GRACE
        SHOW GRANTS TO ROLE NAVY => privilege: USAGE, OWNERSHIP
        SHOW GRANTS ON TABLE SALES.PUBLIC.ORDERS => grantee_name: ANALYST, ANALYST, SYSADMIN
        SHOW GRANTS ON ACCOUNT => privilege: CREATE DATABASE
    "#;
    for [sql, expected] in cases(table) {
        let (name, values) = expected.split_once(':').unwrap();
        let found = column(&ada.run(sql).await, name);
        assert_eq!(found.join(", "), values.trim(), "{sql}");
    }
    let table = r#"
        SHOW SCHEMAS IN DATABASE NOWHERE => 002043
        SHOW PRIMARY KEYS IN DATABASE NAVY => 002043
        SHOW GRANTS TO USER NOBODY => 002003
        SHOW GRANTS ON TABLE NOWHERE => 002003
        SHOW GRANTS TO ROLE analyst_not => 002003
        SHOW GRANTS ON FUNCTION area(NUMBER) => 002003
        SHOW GRANTS ON FUNCTION "SALES"."PUBLIC"."AREA"(NUMBER(38, 0), DOUBLE PRECISION) => 002003
        SHOW GRANTS ON PROCEDURE area() => 002003
        SHOW GRANTS ON EXTERNAL TABLE NOWHERE => 002003
        SHOW GRANTS ON EXTERNAL TABLE SALES.PUBLIC.ORDERS => 002003
        SHOW IMPORTED KEYS IN TABLE NOWHERE => 002003
        SHOW GRANTS ON FUNCTION area => 001003
        SHOW GRANTS ON FUNCTION area(NUMBER,) => 001003
        SHOW GRANTS ON FUNCTION area(NUMBER(38) => 001003
        SHOW GRANTS ON FUNCTION area(NUMBER()) x => 001003
        SHOW GRANTS ON EXTERNAL orders => 001003
    "#;
    ada.refuses(table).await;
}

#[tokio::test]
async fn a_schema_without_a_database_needs_a_current_one() {
    let grace = Warehouse::of(GRACE).await;
    let table = "
        SHOW PRIMARY KEYS IN SCHEMA PUBLIC => 001059 Must specify the full search path
    ";
    grace.refuses(table).await;
    let keys = grace.run("SHOW PRIMARY KEYS").await;
    assert_eq!(keys["data"], json!([]));
}

#[tokio::test]
async fn the_world_describes_the_warehouses() {
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
