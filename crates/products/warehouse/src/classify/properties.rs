//! Properties that hold for any text.

use proptest::{prelude::*, test_runner::RngSeed};
use serde_json::json;

use super::{
    STATEMENT,
    tests::{submitted, values},
};

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "SELECT", "FROM", "WITH", "AS", "(", ")", "(((", "[", "{", "}", "'", "\"", "$$", "--",
        "/*", "*/", "//", "\n", ";", "a", ".", ",", "1", "e", "+", "-", "NOT", "CASE", "WHEN",
        "END", "BEGIN", "INSERT", "INTO", "DELETE", "DROP", "TABLE", "UNION", "EXPLAIN", "USING",
        "SHOW", "IN", "->>", "->", "\\", "@", "$x", ":", "::", "é", "\u{2028}", "\0", "ARRAY", "<",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(sql in pieces(), any in any::<String>()) {
        for sql in [sql.clone(), sql.replace(' ', ""), any] {
            submitted(&json!({ "statement": sql }));
        }
    }

    #[test]
    fn any_statement_is_classified_correctly(sql in pieces(), any in any::<String>()) {
        for sql in [&sql, &format!("SELECT {any}"), &any] {
            crate::fuzzing::policy_sql(sql);
        }
    }

    /// A statement after a text that can be read with certainty is seen as another statement.
    #[test]
    fn a_second_statement_is_seen(text in "\\PC{0,20}") {
        let quoted = crate::sql::literal(&text).unwrap();
        let found = submitted(&json!({ "statement": format!("SELECT {quoted}; DROP TABLE t") }));
        prop_assert_eq!(values(&found, STATEMENT), "drop_table select");
    }
}

#[test]
fn trees_that_are_deep_end_in_time() {
    for (piece, end) in [
        ("(", ")"),
        ("1+", ""),
        ("NOT ", ""),
        ("-", ""),
        ("f(", ")"),
        ("[", "]"),
        ("CASE WHEN ", ""),
        ("SELECT 1 UNION ", ""),
        ("a AND ", ""),
        ("(SELECT ", ")"),
        ("x:", ""),
        ("ARRAY<", ">"),
        ("1::", ""),
        ("EXPLAIN ", ""),
        ("{'a':", "}"),
        ("SELECT * FROM (", ")"),
        ("0 FROM (((((", ")))))"),
        ("f(x, (y, z) -> ", ")"),
        ("1 IN (", ")"),
        ("WITH a AS (", ")"),
        ("EXISTS (", ")"),
        ("CAST(", " AS INT)"),
    ] {
        for times in [8, 15, 23, 40, 299, 20_000] {
            let sql = format!("SELECT {}1{}", piece.repeat(times), end.repeat(times));
            submitted(&json!({ "statement": sql }));
        }
    }
}
