//! Decides for a tool whether SQL is a single statement that only reads. Policies decide the same way.

use sqlparser::ast::{
    Expr, Fetch, LimitClause, Query, SetExpr, Statement as Tree, Top, TopQuantity, Value,
};
use stead_core::tool::Effect;

use super::{
    on_large_stack,
    statement::{self, Kind},
    tokens,
};

/// Kinds of statements that only read.
const READING: [&str; 5] = ["select", "show", "describe", "list", "explain"];

/// A single statement that only reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Whether it's a SHOW.
    pub(crate) is_show: bool,
    pub(crate) bound: Bound,
}

/// How a statement bounds its rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A query that doesn't. A LIMIT can be inserted at this position of the SQL.
    Open(usize),
    /// A query that has its own LIMIT, FETCH or TOP; `None` if it isn't a plain number.
    Own(Option<u64>),
    /// Not a query, so it takes no LIMIT.
    NoQuery,
}

/// Reads a statement.
///
/// # Errors
/// The reason why the SQL isn't certain to be a single statement that only reads.
pub(crate) fn reading(sql: &str) -> Result<Reading, String> {
    let read = on_large_stack(|| Ok(of_one(sql)));
    read.unwrap_or_else(|| Err(UNREADABLE.to_owned()))
}

const UNREADABLE: &str = "Stead can't read this statement, so it may do more than read; simplify it, or use warehouse_execute_query";

fn of_one(sql: &str) -> Result<Reading, String> {
    let Some(statements) = tokens::statements(sql) else {
        return Err(UNREADABLE.to_owned());
    };
    let [statement] = statements.as_slice() else {
        let number = statements.len();
        return Err(format!(
            "there are {number} statements; run one in each call, or all of them with warehouse_execute_query"
        ));
    };
    let read = statement::read(statement);
    let names: Option<Vec<&str>> = read.kinds.iter().map(Kind::name).collect();
    let Some(names) = names else {
        return Err(UNREADABLE.to_owned());
    };
    if names.contains(&"select_with_function") {
        let message = "the query calls a function of your own, an AI function, or one that Stead doesn't know; use warehouse_execute_query";
        return Err(message.to_owned());
    }
    if let Some(other) = names.iter().find(|name| !READING.contains(name)) {
        return Err(format!(
            "the statement is of the kind {other:?}, which does more than read; use warehouse_execute_query"
        ));
    }
    if read.effect != Effect::Read {
        return Err(UNREADABLE.to_owned());
    }
    let bound = match (&read.tree, names.as_slice()) {
        (Some(Tree::Query(query)), ["select"]) => match own_bound(query) {
            Some(own) => Bound::Own(own),
            None => Bound::Open(statement.end),
        },
        _ => Bound::NoQuery,
    };
    Ok(Reading {
        is_show: names == ["show"],
        bound,
    })
}

/// The LIMIT, FETCH or TOP of a query, and not of those within it.
fn own_bound(query: &Query) -> Option<Option<u64>> {
    if let Some(clause) = &query.limit_clause {
        let limit = match clause {
            LimitClause::LimitOffset { limit, .. } => limit.as_ref(),
            LimitClause::OffsetCommaLimit { limit, .. } => Some(limit),
        };
        return Some(limit.and_then(number));
    }
    if let Some(Fetch { quantity, .. }) = &query.fetch {
        return Some(quantity.as_ref().and_then(number));
    }
    match query.body.as_ref() {
        SetExpr::Query(inner) => own_bound(inner),
        SetExpr::Select(select) => match &select.top {
            Some(Top {
                quantity: Some(TopQuantity::Constant(most)),
                ..
            }) => Some(Some(*most)),
            Some(_) => Some(None),
            None => None,
        },
        _ => None,
    }
}

fn number(expression: &Expr) -> Option<u64> {
    match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_inserted_after_the_last_token_of_an_open_query() {
        for (sql, before) in [
            ("SELECT 1", "SELECT 1"),
            ("select 'a;b' ; ", "select 'a;b'"),
            ("-- first\nSELECT 1 -- last", "-- first\nSELECT 1"),
            (
                "SELECT * FROM (SELECT 1 LIMIT 5) /* end */;",
                "SELECT * FROM (SELECT 1 LIMIT 5)",
            ),
            (
                "SELECT 1 UNION SELECT 2 ORDER BY 1",
                "SELECT 1 UNION SELECT 2 ORDER BY 1",
            ),
            (
                "WITH a AS (SELECT TOP 5 x FROM t) SELECT \"ü\" FROM a",
                "WITH a AS (SELECT TOP 5 x FROM t) SELECT \"ü\" FROM a",
            ),
        ] {
            assert_eq!(
                reading(sql).unwrap().bound,
                Bound::Open(before.len()),
                "{sql}"
            );
            let mut limited = sql.to_owned();
            limited.insert_str(before.len(), " LIMIT 7");
            assert_eq!(reading(&limited).unwrap().bound, Bound::Own(Some(7)));
        }
    }

    #[test]
    fn own_bounds_are_read() {
        for (sql, own) in [
            ("SELECT 1 LIMIT 5", Some(5)),
            ("SELECT 1 LIMIT 5 OFFSET 2", Some(5)),
            ("SELECT TOP 7 x FROM t", Some(7)),
            (
                "SELECT x FROM t ORDER BY x FETCH FIRST 3 ROWS ONLY",
                Some(3),
            ),
            ("(SELECT 1 LIMIT 5)", Some(5)),
            ("SELECT 1 LIMIT ?", None),
            ("SELECT 1 LIMIT NULL", None),
        ] {
            assert_eq!(reading(sql).unwrap().bound, Bound::Own(own), "{sql}");
        }
    }

    #[test]
    fn other_statements_take_no_limit() {
        for sql in [
            "SHOW TABLES",
            "desc table t",
            "LIST @s",
            "EXPLAIN SELECT 1",
            "explain using text select 1",
        ] {
            let read = reading(sql).unwrap();
            assert_eq!(read.bound, Bound::NoQuery, "{sql}");
            assert_eq!(read.is_show, sql.starts_with("SHOW"), "{sql}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_reason() {
        for (sql, reason) in [
            ("SELECT 1; SELECT 2", "2 statements"),
            ("DELETE FROM t", "\"delete\""),
            ("EXPLAIN DELETE FROM t", "\"delete\""),
            ("CREATE TABLE t (a INT)", "\"create_table\""),
            ("CALL p()", "\"call\""),
            ("SELECT my_function(1)", "function"),
            ("SELECT * FROM TABLE(db.s.f())", "function"),
            ("SELECT SYSTEM$CANCEL_QUERY('x')", "function"),
            ("SELECT seq.NEXTVAL", "function"),
            ("USE ROLE r", "\"use\""),
            ("BEGIN SELECT 1; END", "2 statements"),
            ("EXECUTE IMMEDIATE 'DROP TABLE t'", "\"execute_immediate\""),
            ("SELECT 1 INTO x", "can't read"),
            ("SHOW TABLES ->> SELECT * FROM $1", "can't read"),
            ("SELECT 'open", "can't read"),
            ("", "can't read"),
            ("WITH a AS (SELECT 1) DELETE FROM t", "can't read"),
        ] {
            let refused = reading(sql).unwrap_err();
            assert!(refused.contains(reason), "{sql}: {refused}");
            assert!(refused.contains("warehouse_execute_query"), "{refused}");
        }
    }
}
