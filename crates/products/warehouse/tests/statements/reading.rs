//! Reads statements with an independent parser.

use serde_json::json;
use sqlparser::{
    ast::{
        Expr, ObjectName, SetExpr, ShowStatementFilter, ShowStatementFilterPosition,
        ShowStatementInParentType, ShowStatementOptions, Statement, TableFactor,
    },
    dialect::SnowflakeDialect,
    parser::Parser,
    tokenizer::{Token, Tokenizer},
};

use crate::sent::Sent;

pub(crate) fn one_statement(sql: &str) -> Option<Statement> {
    let mut statements = Parser::parse_sql(&SnowflakeDialect {}, sql).ok()?;
    assert_eq!(statements.len(), 1, "{sql}");
    statements.pop()
}

/// The database of `SELECT … FROM "DB".INFORMATION_SCHEMA.<view> …`.
pub(crate) fn view(sent: &Sent, view: &str) -> String {
    let Some(Statement::Query(query)) = one_statement(&sent.sql) else {
        panic!("no query: {}", sent.sql)
    };
    let SetExpr::Select(select) = *query.body else {
        panic!("no SELECT: {}", sent.sql)
    };
    let [from] = select.from.as_slice() else {
        panic!("not one FROM: {}", sent.sql)
    };
    let mut databases: Vec<String> = from
        .joins
        .iter()
        .map(|join| &join.relation)
        .chain([&from.relation])
        .map(database)
        .collect();
    let TableFactor::Table { name, .. } = &from.relation else {
        panic!("no table: {}", sent.sql)
    };
    assert_eq!(
        parts(name)[1..],
        ["INFORMATION_SCHEMA", view],
        "{}",
        sent.sql
    );
    databases.dedup();
    let [database] = <[String; 1]>::try_from(databases).expect("one database");
    assert_eq!(sent.body["database"], json!(database));
    database
}

pub(crate) fn database(relation: &TableFactor) -> String {
    let TableFactor::Table {
        name, args: None, ..
    } = relation
    else {
        panic!("no table: {relation}")
    };
    let quoted = name.0[0].as_ident().expect("a name").quote_style;
    assert_eq!(quoted, Some('"'));
    parts(name).swap_remove(0)
}

/// The value of a bind variable of such a query. Its WHERE clause compares columns only with placeholders.
pub(crate) fn bound(sent: &Sent, of: &str, number: usize) -> String {
    view(sent, of);
    let Some(Statement::Query(query)) = one_statement(&sent.sql) else {
        panic!("no query")
    };
    let SetExpr::Select(select) = *query.body else {
        panic!("no SELECT")
    };
    let mut placeholders = 0;
    comparisons(&select.selection.expect("a WHERE"), &mut placeholders);
    assert_eq!(
        sent.body["bindings"].as_object().map(serde_json::Map::len),
        Some(placeholders),
        "{}",
        sent.sql
    );
    let binding = &sent.body["bindings"][number.to_string()];
    assert_eq!(binding["type"], "TEXT");
    binding["value"].as_str().expect("a text").to_owned()
}

pub(crate) fn comparisons(condition: &Expr, placeholders: &mut usize) {
    match condition {
        Expr::BinaryOp {
            left,
            op: sqlparser::ast::BinaryOperator::And,
            right,
        } => {
            comparisons(left, placeholders);
            comparisons(right, placeholders);
        }
        Expr::BinaryOp { right: value, .. }
        | Expr::ILike {
            pattern: value,
            escape_char: None,
            ..
        } => {
            assert_eq!(value.to_string(), "?");
            *placeholders += 1;
        }
        other => panic!("{other} compares no column with a placeholder"),
    }
}

/// The pattern of SHOW DATABASES.
pub(crate) fn databases(sent: &Sent) -> String {
    let Some(Statement::ShowDatabases {
        terse: false,
        history: false,
        show_options,
    }) = one_statement(&sent.sql)
    else {
        panic!("no SHOW DATABASES: {}", sent.sql)
    };
    assert_eq!(show_options.show_in, None);
    like(show_options)
}

/// The database and the pattern of SHOW SCHEMAS.
pub(crate) fn schemas(sent: &Sent) -> (String, String) {
    let Some(Statement::ShowSchemas {
        terse: false,
        history: false,
        show_options,
    }) = one_statement(&sent.sql)
    else {
        panic!("no SHOW SCHEMAS: {}", sent.sql)
    };
    let show_in = show_options.show_in.clone().expect("a scope");
    assert_eq!(
        show_in.parent_type,
        Some(ShowStatementInParentType::Database)
    );
    let [database] = <[String; 1]>::try_from(parts(&show_in.parent_name.expect("a database")))
        .expect("one name");
    (database, like(show_options))
}

pub(crate) fn like(options: ShowStatementOptions) -> String {
    match options.filter_position {
        Some(
            ShowStatementFilterPosition::Infix(ShowStatementFilter::Like(pattern))
            | ShowStatementFilterPosition::Suffix(ShowStatementFilter::Like(pattern)),
        ) => pattern,
        None => String::new(),
        other => panic!("no LIKE: {other:?}"),
    }
}

/// The text in the quotes of a statement that has exactly these tokens. If there are several quotes, they must have the
/// same text.
pub(crate) fn shaped(sent: &Sent, expected: &[&str]) -> String {
    let mut texts = Vec::new();
    let tokens = tokens(&sent.sql);
    let shape: Vec<String> = tokens
        .iter()
        .map(|token| token_shape(token, &mut texts))
        .collect();
    assert_eq!(shape, expected, "{}", sent.sql);
    texts.dedup();
    let [text] = <[String; 1]>::try_from(texts).expect("one text");
    text
}

pub(crate) fn shape(sql: &str) -> Vec<String> {
    let mut texts = Vec::new();
    tokens(sql)
        .iter()
        .map(|token| token_shape(token, &mut texts))
        .collect()
}

pub(crate) fn token_shape(token: &Token, texts: &mut Vec<String>) -> String {
    match token {
        Token::Word(word) if word.quote_style == Some('"') => {
            texts.push(word.value.clone());
            String::from("\"")
        }
        Token::SingleQuotedString(text) => {
            texts.push(text.clone());
            String::from("'")
        }
        other => other.to_string(),
    }
}

pub(crate) fn tokens(sql: &str) -> Vec<Token> {
    let tokens = Tokenizer::new(&SnowflakeDialect {}, sql)
        .tokenize()
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    let spaces =
        |token: &Token| matches!(token, Token::Whitespace(space) if space.to_string() == " ");
    tokens.into_iter().filter(|token| !spaces(token)).collect()
}

pub(crate) fn parts(name: &ObjectName) -> Vec<String> {
    name.0
        .iter()
        .map(|part| part.as_ident().expect("a name").value.clone())
        .collect()
}
