//! Decides whether all functions in a query only read.
//!
//! Source: SQL reference, "Function and stored procedure reference". A user-defined function can't have the name of a
//! system-defined one ("Naming and overloading procedures and UDFs").

use super::tokens::Token;

/// System-defined functions that compute from their arguments, the session or its results, in alphabetical order. Functions
/// that act, have extra costs or reach outside (`SYSTEM$…`, `AI_…`, presigned URLs) aren't in the list.
static READING: &str = include_str!("functions.txt");

/// Words before a parenthesis that can't be a function's name ("Reserved & limited keywords"). Also `IDENTIFIER`, whose
/// parentheses contain a name.
const RESERVED: [&str; 43] = [
    "ALL",
    "AND",
    "ANY",
    "AS",
    "BETWEEN",
    "BY",
    "DISTINCT",
    "ELSE",
    "EXISTS",
    "FROM",
    "GROUP",
    "HAVING",
    "IDENTIFIER",
    "ILIKE",
    "IN",
    "INTERSECT",
    "INTO",
    "IS",
    "JOIN",
    "LATERAL",
    "LIKE",
    "MINUS",
    "NOT",
    "ON",
    "OR",
    "ORDER",
    "QUALIFY",
    "RLIKE",
    "ROW",
    "SAMPLE",
    "SELECT",
    "SET",
    "SOME",
    "TABLE",
    "TABLESAMPLE",
    "THEN",
    "TO",
    "UNION",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
];

/// Other words that can precede an expression.
const OPERATORS: [&str; 10] = [
    "CASE",
    "CONNECT_BY_ROOT",
    "ESCAPE",
    "FETCH",
    "FIRST",
    "LIMIT",
    "NEXT",
    "OFFSET",
    "PRIOR",
    "TOP",
];

/// Whether all functions only read. A qualified or quoted name is a user-defined function, or one of a package.
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
            Token::Word(name) => !is_member && is_known(tokens, at, name),
            // A computed name: `IDENTIFIER('f')(1)`.
            Token::Quoted(_) | Token::Text(_) | Token::Number => false,
            Token::Mark(mark) => !matches!(mark, ')' | ']' | '}' | '?'),
        }
    })
}

/// Whether a word before a parenthesis is a reading function, or syntax.
fn is_known(tokens: &[Token], at: usize, name: &str) -> bool {
    RESERVED.contains(&name)
        || READING.lines().any(|known| known == name)
        || is_in_place(tokens, at, name)
}

/// Whether a word is syntax in this position, although it could also be a function's name.
fn is_in_place(tokens: &[Token], at: usize, name: &str) -> bool {
    let back = |steps: usize| at.checked_sub(steps).and_then(|at| tokens.get(at));
    let is_word = |steps, words: &[&str]| {
        back(steps).is_some_and(|token| words.iter().any(|word| token.is_word(word)))
    };
    let is_mark = |steps, marks: &[char]| {
        back(steps).is_some_and(|token| marks.iter().any(|mark| token.is_mark(*mark)))
    };
    // An expression can't begin after a closing bracket or a name.
    let follows_table = match back(1) {
        Some(Token::Quoted(_) | Token::Mark(')')) => true,
        Some(Token::Word(word)) => {
            !RESERVED.contains(&word.as_str()) && !OPERATORS.contains(&word.as_str())
        }
        _ => false,
    };
    match name {
        "ARRAY" | "BINARY" | "CHARACTER" | "DECIMAL" | "MAP" | "NCHAR" | "NUMBER" | "NUMERIC"
        | "NVARCHAR" | "OBJECT" | "STRING" | "TEXT" | "TIMESTAMP" | "TIMESTAMP_LTZ"
        | "TIMESTAMP_NTZ" | "TIMESTAMP_TZ" | "VARBINARY" | "VARCHAR" | "VECTOR" => {
            let is_cast = is_word(1, &["AS"]) || is_mark(1, &[':']) && is_mark(2, &[':']);
            // `CREATE TABLE t (a NUMBER(10, 2))`
            let is_made = tokens.first().is_some_and(|first| first.is_word("CREATE"))
                && !tokens.iter().any(|token| token.is_word("SELECT"));
            is_cast || is_made && follows_table && is_mark(2, &['(', ','])
        }
        "AT" | "BEFORE" | "CHANGES" | "MATCH_RECOGNIZE" | "PIVOT" | "UNPIVOT" => follows_table,
        "BERNOULLI" | "BLOCK" | "SYSTEM" => is_word(1, &["SAMPLE", "TABLESAMPLE"]),
        "CUBE" | "ROLLUP" => is_word(1, &["BY"]) && is_word(2, &["GROUP"]),
        "EXCEPT" => (tokens.get(at + 2)).is_some_and(|inner| inner.is_word("SELECT")),
        "EXCLUDE" | "RENAME" => {
            let is_star = is_word(2, &["SELECT", "DISTINCT", "ALL"]) || is_mark(2, &[',', '.']);
            is_mark(1, &[')']) || is_mark(1, &['*']) && is_star
        }
        "FILTER" | "SEED" => is_mark(1, &[')']),
        "OVER" => is_mark(1, &[')']) || is_word(1, &["NULLS"]),
        "SETS" => is_word(1, &["GROUPING"]),
        _ => false,
    }
}

/// Whether a function acts on the system, such as `SYSTEM$CANCEL_QUERY(…)`.
pub(super) fn any_acts(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match token {
        Token::Word(name) | Token::Quoted(name) => name.to_ascii_uppercase().starts_with("SYSTEM$"),
        _ => false,
    })
}

/// Whether a name is followed by column names: `WITH t (a, b) AS (`, `AS t (a, b)`.
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
        assert!(RESERVED.iter().all(|word| !names.contains(word)));
    }
}
