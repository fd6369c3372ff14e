//! Classifications of requests.

use http::Method;
use serde_json::json;
use stead_testkit::cases;

use super::*;

fn sent(method: &str, path: &str, body: &Value) -> Option<Classification> {
    classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some("async=true"),
        content_type: Some("application/json"),
        body: Some(body.to_string().as_bytes()),
    })
}

pub(super) fn values(of: &Classification, kind: &str) -> String {
    let facts = of.facts.iter().filter(|fact| fact.kind == kind);
    let values: Vec<&str> = facts
        .map(|fact| fact.value.as_deref().unwrap_or("?"))
        .collect();
    values.join(" ")
}

pub(super) fn submitted(body: &Value) -> Classification {
    sent("POST", "/api/v2/statements", body).unwrap()
}

#[track_caller]
fn check(sql: &str, kinds: &str, effect: Effect) {
    let found = submitted(&json!({"statement": sql}));
    assert_eq!(values(&found, STATEMENT), kinds, "{sql}");
    assert_eq!(found.effect, Some(effect), "{sql}");
}

#[test]
fn statements_that_read() {
    for sql in [
        "SELECT 1",
        "select * from t where a = 'x; DROP TABLE t' -- DELETE",
        "SELECT \"DROP\" FROM t /* ; DELETE */ WHERE x IN (1, 2) // end",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "WITH a AS (SELECT 1), b (x, y) AS (SELECT 1, 2) SELECT * FROM a, b",
        "SELECT count(*), sum(x) OVER (PARTITION BY y ORDER BY z) FROM t GROUP BY ALL QUALIFY row_number() OVER (ORDER BY x) = 1",
        "SELECT v:a.b[0]::VARCHAR(10), $1, ? FROM t, LATERAL FLATTEN(input => t.v)",
        "SELECT * FROM TABLE(GENERATOR(ROWCOUNT => 5))",
        "SELECT $$ it's ; DROP $$",
        "SELECT 'a\\'; DROP TABLE t; --'",
        "SELECT * FROM (VALUES (1, 2)) AS v (a, b)",
        "SELECT insert('abc', 1, 2, 'z'), current_timestamp(), dateadd(day, 1, d) FROM t",
        "SELECT 1;",
        "SELECT 1; SELECT 2",
    ] {
        check(sql, "select", Effect::Read);
    }
    check("SHOW TABLES LIKE 'x' IN DATABASE a", "show", Effect::Read);
    check("desc table a.b.c", "describe", Effect::Read);
    check("EXPLAIN SELECT 1", "explain select", Effect::Read);
    check(
        "EXPLAIN USING JSON\nSELECT 1",
        "explain select",
        Effect::Read,
    );
}

#[test]
fn statements_that_change_something() {
    for (sql, kind) in [
        ("INSERT INTO t VALUES (1)", "insert"),
        ("INSERT INTO t SELECT * FROM u", "insert"),
        ("UPDATE t SET a = 1", "update"),
        ("CREATE TABLE t AS SELECT 1", "create_table"),
        ("CREATE TRANSIENT TABLE t (a INT)", "create_table"),
        ("CREATE VIEW v AS SELECT 1", "create_view"),
        ("COPY INTO t FROM @s", "copy_into"),
        ("COPY INTO @s FROM (SELECT * FROM t)", "unload"),
        ("USE ROLE accountadmin", "use"),
        ("SET a = 1", "set"),
        ("GRANT SELECT ON TABLE t TO ROLE r", "grant"),
        ("SELECT my_function(1)", "select_with_function"),
        ("SELECT a.b.count(1)", "select_with_function"),
        (
            "SELECT * FROM TABLE(my_procedure())",
            "select_with_function",
        ),
        ("SELECT s.NEXTVAL", "select_with_function"),
        ("SELECT s.\"NEXTVAL\"", "select_with_function"),
    ] {
        check(sql, kind, Effect::Write);
    }
    for (sql, kinds) in [
        ("DELETE FROM t", "delete"),
        ("SELECT system$wait /* x */ (5)", "select_with_function"),
        ("SELECT \"SYSTEM$ABORT_SESSION\"(1)", "select_with_function"),
        ("SELECT SYSTEM$CANCEL_QUERY('x')", "select_with_function"),
        ("DROP /* x */ TABLE t", "drop_table"),
        ("drop database d", "drop_database"),
        ("TRUNCATE TABLE t", "truncate"),
        ("CREATE OR REPLACE TABLE t (a INT)", "create_table"),
        ("INSERT OVERWRITE INTO t SELECT 1", "insert"),
        (
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
            "merge",
        ),
        ("CALL p()", "call"),
        ("EXECUTE IMMEDIATE 'DROP TABLE t'", "execute_immediate"),
        ("EXPLAIN DELETE FROM t", "delete explain"),
        ("SELECT 1; DROP TABLE t", "drop_table select"),
        ("SELECT '\\\\'; DROP TABLE t; --'", "drop_table select"),
        ("SELECT 1 -- x\n; DELETE FROM t", "delete select"),
    ] {
        check(sql, kinds, Effect::Delete);
    }
}

#[test]
fn unknown_statements_may_do_anything() {
    for sql in [
        "",
        ";",
        "-- only a comment",
        "SELECT 1 INTO x",
        "SELECT * INTO t2 FROM t",
        "SELECT * FROM t FOR UPDATE",
        "BEGIN DELETE FROM t; END",
        "BEGIN\n LET x := 1; DROP TABLE t; END",
        "DECLARE x INT; BEGIN DROP TABLE t; END",
        "EXECUTE TASK t",
        "PUT file:///x @s",
        "GET @s file:///x",
        "UNDROP TABLE t",
        "SELECT 'unterminated",
        "SELECT \"unterminated",
        "SELECT $$unterminated",
        "SELECT 1 /* unterminated",
        "SELECT 1 /* a /* b */ ; DROP TABLE t */",
        "SELECT 1 /*/ ; DROP TABLE t /*/",
        "SELECT 1 -- x\rDROP TABLE t",
        "SELECT 1 -- x\u{2028}; DROP TABLE t",
        "SHOW TABLES ->> DROP TABLE t",
        "SELECT 1 ->> SELECT * FROM $1",
        "SELECT\u{a0}1",
        "SELECT\u{200b} 1",
        "ＳＥＬＥＣＴ 1",
        "SELECT ‘a’; DROP TABLE t",
        "SELECT\0 1",
        "SELECT `a`; DROP TABLE t",
        "SELECT \\'; DROP TABLE t; --'",
        "SELECT U&'\\0027'",
        "SELECT E'\\''; DROP TABLE t --'",
        "SELECT 'a''b' 'c'x",
        "SELECT a$$b$$",
        "SELECT (1",
        "SELECT 1)",
        "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a",
        "WITH a AS (INSERT INTO t VALUES (1)) SELECT * FROM a",
        "EXPLAIN EXPLAIN SELECT 1",
        "EXPLAIN",
        "EXPLAIN USING",
        "anything",
        "SELECT IDENTIFIER('SYSTEM$WAIT')(5)",
        "SELECT FROM WHERE",
    ] {
        let found = submitted(&json!({"statement": sql}));
        assert!(
            values(&found, STATEMENT).split(' ').any(|kind| kind == "?"),
            "{sql}: {found:?}"
        );
        assert_eq!(found.effect, Some(Effect::Delete), "{sql}");
        assert!(values(&found, DATABASE).contains('?'), "{sql}");
    }
    for body in [
        json!({}),
        json!({"statement": 7}),
        json!({"statement": null}),
        json!({"Statement": "SELECT 1"}),
        json!({"statement": "SELECT 1", "STATEMENT": "DROP TABLE t"}),
        json!({"statement": "SELECT 1", "parameters": []}),
        json!(["SELECT 1"]),
    ] {
        let found = submitted(&body);
        assert_eq!(values(&found, STATEMENT), "?", "{body}");
        assert_eq!(found.effect, Some(Effect::Delete), "{body}");
    }
    let twice = br#"{"statement":"DROP TABLE t","statement":"SELECT 1"}"#;
    let method = Method::POST;
    let request = SentRequest {
        method: &method,
        path: "/api/v2/statements",
        query: None,
        content_type: Some("application/json"),
        body: Some(twice),
    };
    assert_eq!(values(&classify(&request).unwrap(), STATEMENT), "?");
    let streamed = SentRequest {
        body: None,
        ..request
    };
    assert_eq!(values(&classify(&streamed).unwrap(), STATEMENT), "?");
}

#[test]
fn databases_and_schemas() {
    let table = r#"
        SELECT * FROM a.b.c => {} => A => A.B
        SELECT * FROM "a"."b".c JOIN D.e.f ON 1 = 1 => {} => D a => D.E a.b
        SELECT * FROM a..c => {} => A => A.PUBLIC
        SELECT * FROM b.c => {"database": "X"} => X => X.B
        SELECT * FROM c => {"database": "X", "schema": "Y"} => X => X.PUBLIC X.Y
        SELECT * FROM c => {"database": "X"} => X => ? X.PUBLIC
        SELECT * FROM c => {} => ? => ?
        SELECT * FROM c => {"DATABASE": "X"} => ? => ?
        SELECT 1 => {} =>  =>
        SELECT (SELECT max(x) FROM secret.s.t) FROM a.b.c => {} => A SECRET => A.B SECRET.S
        SELECT * FROM a.b.c WHERE x IN (SELECT y FROM secret.s.t) => {} => A SECRET => A.B SECRET.S
        WITH x AS (SELECT * FROM secret.s.t) SELECT * FROM a.b.c => {} => A SECRET => A.B SECRET.S
        SELECT * FROM a.b.c UNION SELECT * FROM secret.s.t => {} => A SECRET => A.B SECRET.S
        SELECT * FROM "a.b".c.d => {} => a.b => ?
        SELECT * FROM IDENTIFIER('secret.s.t') => {"database": "X"} => ? X => ?
        SELECT * FROM TABLE('secret.s.t') => {"database": "X"} => ? X => ?
        SELECT * FROM TABLE($x) => {"database": "X"} => ? X => ?
        SELECT * FROM @secret.s.stage => {"database": "X"} => ? => ?
        SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID())) => {"database": "X"} => ? X => ?
        SELECT secret.s.f(1) => {"database": "X"} => ? X => ?
        USE DATABASE secret; SELECT * FROM t => {"database": "X"} => ? => ?
        SELECT * FROM "x".b.c => {"parameters": {"quoted_identifiers_ignore_case": true}} => ? => ?
        INSERT INTO a.b.c SELECT * FROM secret.s.t => {} => A SECRET => A.B SECRET.S
        CREATE TABLE a.b.c AS SELECT * FROM secret.s.t => {} => A SECRET => A.B SECRET.S
        CREATE TABLE a.b.c CLONE secret.s.t => {} => ? A => ? A.B
        CREATE TABLE a.b.c LIKE secret.s.t => {} => ? A => ? A.B
        DELETE FROM a.b.c USING secret.s.t WHERE 1 = 1 => {} => A SECRET => A.B SECRET.S
        UPDATE a.b.c SET x = (SELECT y FROM secret.s.t) => {} => A SECRET => A.B SECRET.S
        MERGE INTO a.b.c USING secret.s.t ON 1 = 1 WHEN MATCHED THEN DELETE => {} => A SECRET => A.B SECRET.S
        DROP TABLE secret.s.t => {"database": "X"} => ? X => ?
        SHOW TABLES IN DATABASE a => {} => A => ?
        SHOW TABLES IN SCHEMA a.b => {} => A => A.B
        SHOW PRIMARY KEYS IN TABLE "a".b.c => {} => a => a.B
        SHOW TABLES LIKE 'x IN DATABASE a' IN ACCOUNT => {} => ? => ?
        SHOW TABLES IN DATABASE a IN DATABASE b => {} => ? => ?
        SHOW DATABASES => {} => ? => ?
        SHOW WAREHOUSES => {} =>  =>
        DESC TABLE a.b.c => {} => ? => ?
    "#;
    for [sql, body, databases, schemas] in cases(table) {
        let mut body: Value = serde_json::from_str(body).unwrap();
        body["statement"] = json!(sql);
        let found = submitted(&body);
        assert_eq!(values(&found, DATABASE), databases, "{sql}");
        assert_eq!(values(&found, SCHEMA), schemas, "{sql}");
    }
}

#[test]
fn roles() {
    let table = r#"
        {"statement": "SELECT 1", "role": "ANALYST"} => ANALYST
        {"statement": "SELECT 1"} => ?
        {"statement": "SELECT 1", "role": ["A"]} => ?
        {"statement": "SELECT 1", "Role": "ADMIN", "role": "ANALYST"} => ?
        {"statement": "USE ROLE admin; SELECT 1", "role": "ANALYST"} => ?
        {"statement": "EXECUTE IMMEDIATE $x", "role": "ANALYST"} => ?
    "#;
    for [body, role] in cases(table) {
        let found = submitted(&serde_json::from_str(body).unwrap());
        assert_eq!(values(&found, ROLE), role, "{body}");
    }
}

#[test]
fn other_requests() {
    let handle = "/api/v2/statements/01b2c3d4-0000";
    assert_eq!(
        sent("GET", handle, &json!({})),
        Some(Classification::default())
    );
    let cancel = format!("{handle}/cancel");
    assert_eq!(
        sent("POST", &cancel, &json!({})),
        Some(Classification::default())
    );
    for (method, path) in [
        ("POST", "/api/v2/statements/"),
        ("POST", "/api/v2/Statements"),
        ("POST", "/api/v2/statements;x"),
        ("POST", "/api/v2//statements"),
        ("POST", "/api/v2/x/../statements"),
        ("POST", "/api/v2/statements%2F"),
        ("PUT", "/api/v2/statements"),
        ("POST", "/api/v2/statements/h/cancel/x"),
        ("POST", "/api/v2/databases"),
        ("GET", "/api/v2/databases/d/schemas"),
        ("GET", "/api/v2/results/h"),
        ("POST", "/queries/v1/query-request"),
    ] {
        assert_eq!(
            sent(method, path, &json!({"statement": "SELECT 1"})),
            None,
            "{method} {path}"
        );
    }
}
