//! Which functions a query may call and still only read.
//!
//! Source: SQL reference, "Function and stored procedure reference". A function of one's own cannot have the name of a
//! system-defined one ("Naming and overloading procedures and UDFs").

use super::tokens::Token;

/// System-defined functions that compute from their arguments, the session or its results, in alphabetical order. Functions
/// that act, cost apart or reach outside (`SYSTEM$…`, `AI_…`, presigned addresses) are not among them.
static READING: &str = include_str!("functions.txt");

/// Words that stand before a bracket and are not functions: of the syntax, and of types.
const SYNTAX: [&str; 87] = [
    "ALL",
    "AND",
    "ANY",
    "ARRAY",
    "AS",
    "AT",
    "BEFORE",
    "BERNOULLI",
    "BETWEEN",
    "BINARY",
    "BLOCK",
    "BY",
    "CHANGES",
    "CHAR",
    "CHARACTER",
    "CUBE",
    "DECIMAL",
    "DISTINCT",
    "ELSE",
    "EXCEPT",
    "EXCLUDE",
    "EXISTS",
    "FILTER",
    "FROM",
    "GROUP",
    "HAVING",
    "IDENTIFIER",
    "ILIKE",
    "IN",
    "INTERSECT",
    "INTERVAL",
    "INTO",
    "IS",
    "JOIN",
    "LATERAL",
    "LIKE",
    "LIMIT",
    "MAP",
    "MATCH_RECOGNIZE",
    "MINUS",
    "NCHAR",
    "NOT",
    "NUMBER",
    "NUMERIC",
    "NVARCHAR",
    "OBJECT",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OVER",
    "PARTITION",
    "PIVOT",
    "QUALIFY",
    "RENAME",
    "RLIKE",
    "ROLLUP",
    "ROW",
    "SAMPLE",
    "SEED",
    "SELECT",
    "SET",
    "SETS",
    "SOME",
    "STRING",
    "SYSTEM",
    "TABLE",
    "TABLESAMPLE",
    "TEXT",
    "THEN",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
    "TIMESTAMP_NTZ",
    "TIMESTAMP_TZ",
    "TOP",
    "UNION",
    "UNPIVOT",
    "USING",
    "VALUES",
    "VARBINARY",
    "VARCHAR",
    "VECTOR",
    "WHEN",
    "WHERE",
    "WITHIN",
    "WITH",
];

/// Whether all that is called only reads. A qualified or quoted name is one's own function, or one of a package.
pub(super) fn all_read(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().all(|(at, token)| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_member = before.is_some_and(|one| one.is_mark('.') || one.is_mark('!'));
        let is_called = tokens.get(at + 1).is_some_and(|next| next.is_mark('('));
        match token {
            // Advances a sequence.
            Token::Word(name) | Token::Quoted(name)
                if is_member && name.eq_ignore_ascii_case("NEXTVAL") =>
            {
                false
            }
            _ if !is_called => true,
            Token::Word(_) | Token::Quoted(_) if names_columns(tokens, at) => true,
            Token::Word(name) => !is_member && is_known(name),
            // A name that is computed: `IDENTIFIER('f')(1)`.
            Token::Quoted(_) | Token::Text | Token::Number => false,
            Token::Mark(mark) => !matches!(mark, ')' | ']' | '}' | '?'),
        }
    })
}

fn is_known(name: &str) -> bool {
    SYNTAX.contains(&name) || READING.lines().any(|known| known == name)
}

/// Whether what follows a name are the names of columns: `WITH t (a, b) AS (`, `AS t (a, b)`.
fn names_columns(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let is_after =
        |words: &[&str]| before.is_some_and(|before| words.iter().any(|word| before.is_word(word)));
    let inner = tokens.get(at + 2..).unwrap_or_default();
    let length = inner
        .iter()
        .take_while(|one| matches!(one, Token::Word(_) | Token::Quoted(_) | Token::Mark(',')))
        .count();
    if length == 0 || !inner.get(length).is_some_and(|one| one.is_mark(')')) {
        return false;
    }
    let is_defined = inner.get(length + 1).is_some_and(|one| one.is_word("AS"))
        && inner.get(length + 2).is_some_and(|one| one.is_mark('('));
    let is_listed = before.is_some_and(|before| before.is_mark(','));
    is_after(&["AS"]) || is_defined && (is_listed || is_after(&["WITH", "RECURSIVE"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_listed_once_and_in_order() {
        let names: Vec<&str> = READING.lines().collect();
        assert!(names.is_sorted_by(|one, next| one < next));
        for acting in [
            "SYSTEM$",
            "AI_",
            "NEXTVAL",
            "COMPLETE",
            "GET_PRESIGNED_URL",
            "BUILD_",
        ] {
            assert!(
                !names.iter().any(|name| name.starts_with(acting)),
                "{acting}"
            );
        }
        assert!(SYNTAX.iter().all(|word| !names.contains(word)));
    }
}
