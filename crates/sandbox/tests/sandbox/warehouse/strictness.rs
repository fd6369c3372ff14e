//! What the SQL API refuses before a statement is looked at.

use serde_json::json;

use super::{ADA, HOST, STATEMENTS, fails};
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
