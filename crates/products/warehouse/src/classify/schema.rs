//! Finds out whether statements change objects or rights, by their first words.

use stead_core::product::sent::Unclear;

use super::tokens::{Statement, Token, statements};

/// Whether one of the statements creates, changes or drops an object, or changes rights.
///
/// # Errors
/// [`Unclear`] if a statement can't be read, or runs others that can't be seen, such as `CALL`.
pub(crate) fn changes_schema(sql: &str) -> Result<bool, Unclear> {
    let statements = statements(sql).ok_or(Unclear)?;
    let mut all_keep = Ok(false);
    for statement in &statements {
        match changes(statement) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(Unclear) => all_keep = Err(Unclear),
        }
    }
    all_keep
}

fn changes(statement: &Statement) -> Result<bool, Unclear> {
    let words: Vec<&str> = statement.tokens.iter().map(word).collect();
    match words.as_slice() {
        ["ALTER", "SESSION", ..] => Ok(false),
        [
            "CREATE" | "ALTER" | "DROP" | "UNDROP" | "TRUNCATE" | "COMMENT" | "GRANT" | "REVOKE",
            ..,
        ] => Ok(true),
        // A query can begin with a procedure that it defines and runs.
        ["WITH" | "(", ..] if words.contains(&"PROCEDURE") => Err(Unclear),
        [
            "SELECT" | "WITH" | "(" | "VALUES" | "SHOW" | "DESC" | "DESCRIBE" | "LIST" | "LS"
            | "EXPLAIN" | "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "COPY" | "PUT" | "GET"
            | "REMOVE" | "RM" | "USE" | "SET" | "UNSET" | "COMMIT" | "ROLLBACK",
            ..,
        ] => Ok(false),
        // Other words after `BEGIN` belong to a block.
        ["BEGIN"]
        | ["BEGIN" | "START", "TRANSACTION" | "WORK"]
        | ["BEGIN", "NAME", _]
        | ["BEGIN" | "START", "TRANSACTION" | "WORK", "NAME", _] => Ok(false),
        _ => Err(Unclear),
    }
}

/// A word, or the bracket of a query in brackets. Nothing for any other token.
fn word(token: &Token) -> &str {
    match token {
        Token::Word(word) => word,
        Token::Mark('(') => "(",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_change_objects_or_rights() {
        for sql in [
            "CREATE TABLE t (a INT)",
            "create or replace table t as select 1",
            "/* harmless */ DROP TABLE t",
            "-- SELECT\nDROP TABLE t",
            "SELECT 1; DROP TABLE t",
            "CALL p(); DROP TABLE t",
            "UNDROP TABLE t",
            "ALTER TABLE t ADD COLUMN b INT",
            "ALTER USER ada SET PASSWORD = 'x'",
            "TRUNCATE TABLE t",
            "COMMENT ON TABLE t IS 'x'",
            "GRANT ROLE sysadmin TO USER eve",
            "REVOKE SELECT ON t FROM ROLE r",
            "BEGIN; DROP TABLE t; COMMIT",
            "BEGIN name := 1; DROP TABLE t; END",
        ] {
            assert_eq!(changes_schema(sql), Ok(true), "{sql}");
        }
    }

    #[test]
    fn statements_that_do_not() {
        for sql in [
            "SELECT 'DROP TABLE t'",
            "(SELECT 1) UNION (SELECT 2)",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "SHOW TABLES",
            "DESCRIBE TABLE t",
            "EXPLAIN DROP TABLE t",
            "INSERT INTO t VALUES ('CREATE')",
            "UPDATE t SET a = 1",
            "DELETE FROM t",
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
            "COPY INTO t FROM @stage",
            "USE WAREHOUSE w; SELECT 1",
            "ALTER SESSION SET TIMEZONE = 'UTC'",
            "BEGIN TRANSACTION; INSERT INTO t VALUES (1); COMMIT;",
            "BEGIN NAME t1; ROLLBACK",
            "START TRANSACTION NAME t1",
        ] {
            assert_eq!(changes_schema(sql), Ok(false), "{sql}");
        }
    }

    #[test]
    fn hidden_statements_are_unclear() {
        for sql in [
            "",
            "CALL p()",
            "EXECUTE IMMEDIATE 'DROP TABLE t'",
            "EXECUTE TASK t",
            "BEGIN DROP TABLE t; END",
            "DECLARE x INT; BEGIN RETURN 1; END",
            "IF (TRUE) THEN DROP TABLE t; END IF",
            "WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS 'x' CALL p()",
            "SHOW TABLES ->> DROP TABLE t",
            "\"DROP\" TABLE t",
            "SELECT 'a",
            "SELECT 1 /* x",
            "D\u{200b}ROP TABLE t",
        ] {
            assert_eq!(changes_schema(sql), Err(Unclear), "{sql}");
        }
        let long = format!("SELECT '{}'", "x".repeat(128 * 1024));
        assert_eq!(changes_schema(&long), Err(Unclear));
    }
}
