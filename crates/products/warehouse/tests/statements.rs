//! What the metadata and SHOW tools write, read by an independent SQL parser.

use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlparser::{
    ast::{
        Expr, ObjectName, SetExpr, ShowStatementFilter, ShowStatementFilterPosition,
        ShowStatementInParentType, ShowStatementOptions, Statement, TableFactor,
    },
    dialect::SnowflakeDialect,
    parser::Parser,
    tokenizer::{Token, Tokenizer},
};
use stead_core::{
    catalogue::Catalogue,
    tool::{Answer, Call},
};
use stead_testkit::{Canned, drive, fixture};
use stead_warehouse::PRODUCT;
use uuid::Uuid;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::new([&PRODUCT]));

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// Where a hostile text is put into a tool's input, and where it is read back from.
struct Slot {
    tool: &'static str,
    input: fn(&str) -> Value,
    read: fn(&Sent) -> String,
    /// A name, which is stored as SQL stores it; else a pattern, which stays as it is.
    is_name: bool,
}

/// A statement that a tool sent.
#[derive(Debug)]
struct Sent {
    sql: String,
    body: Value,
}

const SLOTS: &[Slot] = &[
    name(
        "warehouse_get_schemata",
        |x| json!({"database": x}),
        |sent| view(sent, "SCHEMATA"),
    ),
    pattern(
        "warehouse_get_schemata",
        |x| json!({"database": "D", "schema_like": x}),
        |sent| bound(sent, "SCHEMATA", 1),
    ),
    name(
        "warehouse_get_tables",
        |x| json!({"database": x}),
        |sent| view(sent, "TABLES"),
    ),
    name(
        "warehouse_get_tables",
        |x| json!({"database": "D", "schema": x}),
        |sent| bound(sent, "TABLES", 1),
    ),
    pattern(
        "warehouse_get_tables",
        |x| json!({"database": "D", "schema": "S", "table_name_like": x}),
        |sent| bound(sent, "TABLES", 2),
    ),
    name(
        "warehouse_get_columns",
        |x| json!({"database": x}),
        |sent| view(sent, "COLUMNS"),
    ),
    name(
        "warehouse_get_columns",
        |x| json!({"database": "D", "schema": "S", "table": x}),
        |sent| bound(sent, "COLUMNS", 2),
    ),
    pattern(
        "warehouse_get_columns",
        |x| json!({"database": "D", "column_name_like": x}),
        |sent| bound(sent, "COLUMNS", 1),
    ),
    name(
        "warehouse_get_table_constraints",
        |x| json!({"database": x}),
        |sent| view(sent, "TABLE_CONSTRAINTS"),
    ),
    name(
        "warehouse_get_table_constraints",
        |x| json!({"database": "D", "table": x}),
        |sent| bound(sent, "TABLE_CONSTRAINTS", 1),
    ),
    name(
        "warehouse_get_referential_constraints",
        |x| json!({"database": x}),
        |sent| view(sent, "REFERENTIAL_CONSTRAINTS"),
    ),
    name(
        "warehouse_get_referential_constraints",
        |x| json!({"database": "D", "schema": x}),
        |sent| bound(sent, "REFERENTIAL_CONSTRAINTS", 1),
    ),
    pattern(
        "warehouse_show_databases_schemas",
        |x| json!({"object_type": "databases", "like_pattern": x}),
        databases,
    ),
    name(
        "warehouse_show_databases_schemas",
        |x| json!({"object_type": "schemas", "database_name": x}),
        |sent| schemas(sent).0,
    ),
    pattern(
        "warehouse_show_databases_schemas",
        |x| json!({"object_type": "schemas", "database_name": "D", "like_pattern": x}),
        |sent| schemas(sent).1,
    ),
    pattern(
        "warehouse_show_warehouses",
        |x| json!({"like_pattern": x}),
        |sent| shaped(sent, &["SHOW", "WAREHOUSES", "LIKE", "'"]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "to_role", "role_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "TO", "ROLE", "\""]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "of_role", "role_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "OF", "ROLE", "\""]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "to_user", "user_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "TO", "USER", "\""]),
    ),
    name(
        "warehouse_show_grants",
        |x| json!({"grant_view": "on_object", "object_type": "WAREHOUSE", "object_name": x}),
        |sent| shaped(sent, &["SHOW", "GRANTS", "ON", "WAREHOUSE", "\""]),
    ),
    name(
        "warehouse_show_primary_keys",
        |x| json!({"database_name": x}),
        |sent| shaped(sent, &["SHOW", "PRIMARY", "KEYS", "IN", "DATABASE", "\""]),
    ),
    name(
        "warehouse_show_primary_keys",
        |x| json!({"schema_name": x}),
        |sent| shaped(sent, &["SHOW", "PRIMARY", "KEYS", "IN", "SCHEMA", "\""]),
    ),
    name(
        "warehouse_show_primary_keys",
        |x| json!({"table_name": x}),
        |sent| shaped(sent, &["SHOW", "PRIMARY", "KEYS", "IN", "TABLE", "\""]),
    ),
    name(
        "warehouse_show_imported_exported_keys",
        |x| json!({"key_direction": "imported", "table_name": x}),
        |sent| shaped(sent, &["SHOW", "IMPORTED", "KEYS", "IN", "TABLE", "\""]),
    ),
    name(
        "warehouse_show_imported_exported_keys",
        |x| json!({"key_direction": "exported", "table_name": x, "schema_name": x, "database_name": x}),
        |sent| {
            shaped(
                sent,
                &[
                    "SHOW", "EXPORTED", "KEYS", "IN", "TABLE", "\"", ".", "\"", ".", "\"",
                ],
            )
        },
    ),
];

/// The tokens of every other SHOW, with a quote for each text.
const SHOWN: &[&str] = &[
    "SHOW WAREHOUSES",
    "SHOW WAREHOUSES LIKE '",
    "SHOW GRANTS TO ROLE \"",
    "SHOW GRANTS OF ROLE \"",
    "SHOW GRANTS TO USER \"",
    "SHOW GRANTS ON ACCOUNT",
    "SHOW GRANTS ON WAREHOUSE \"",
    "SHOW GRANTS ON FILE FORMAT \"",
    "SHOW GRANTS ON TABLE \" . \" . \"",
    "SHOW GRANTS ON FUNCTION \" . \" . \" ( NUMBER , NUMBER )",
    "SHOW PRIMARY KEYS IN ACCOUNT",
    "SHOW PRIMARY KEYS IN DATABASE \"",
    "SHOW PRIMARY KEYS IN SCHEMA \"",
    "SHOW PRIMARY KEYS IN SCHEMA \" . \"",
    "SHOW PRIMARY KEYS IN TABLE \"",
    "SHOW PRIMARY KEYS IN TABLE \" . \"",
    "SHOW PRIMARY KEYS IN TABLE \" . \" . \"",
    "SHOW IMPORTED KEYS IN TABLE \"",
    "SHOW IMPORTED KEYS IN TABLE \" . \" . \"",
    "SHOW EXPORTED KEYS IN TABLE \" . \"",
    "SHOW EXPORTED KEYS IN TABLE \" . \" . \"",
];

/// A thousand names that were made to break out, through every place of the ten tools that takes one: nearly all are
/// taken, each gives one statement of the expected kind, and the parser reads the name back.
#[test]
fn hostile_names_are_names() {
    let names = hostile();
    assert_eq!(names.len(), 1000);
    let tools: std::collections::BTreeSet<&str> = SLOTS.iter().map(|slot| slot.tool).collect();
    assert_eq!(tools.len(), 10);
    for slot in SLOTS {
        let mut taken = 0;
        for name in &names {
            let Some(sent) = sent(slot.tool, (slot.input)(name)) else {
                let refused = name.contains('\0') || slot.is_name && !is_a_name(name);
                assert!(refused, "{} refuses {name:?}", slot.tool);
                continue;
            };
            taken += 1;
            let meant = if slot.is_name {
                stored(name)
            } else {
                name.clone()
            };
            assert_eq!(
                (slot.read)(&sent),
                meant,
                "{} with {name:?}: {}",
                slot.tool,
                sent.sql
            );
        }
        assert!(taken >= 900, "{} takes {taken} of 1000", slot.tool);
    }
}

/// Every statement of the fixtures is one that the parser takes whole, or has the tokens that SHOW has.
#[test]
fn every_statement_of_the_fixtures_is_read() {
    let mut read = 0;
    for tool in CATALOGUE
        .newest()
        .filter(|tool| SLOTS.iter().any(|slot| slot.tool == tool.entry().name()))
    {
        for one in fixture::load(FIXTURES.as_ref(), tool.entry().name()).expect("what was planned")
        {
            for exchange in &one.exchanges {
                let sql = exchange.request.body.as_ref().expect("a body")["statement"]
                    .as_str()
                    .expect("what was planned");
                match one_statement(sql) {
                    Some(
                        Statement::Query(_)
                        | Statement::ShowDatabases { .. }
                        | Statement::ShowSchemas { .. },
                    ) => {}
                    // The parser takes the other forms of SHOW for a variable's name, so their tokens are compared.
                    _ => assert!(SHOWN.contains(&shape(sql).join(" ").as_str()), "{sql}"),
                }
                read += 1;
            }
        }
    }
    assert!(read > 150, "{read}");
}

/// All eight combinations of the scopes of SHOW PRIMARY KEYS are taken, and each has its own statement or session.
#[test]
fn every_combination_of_scopes_is_taken() {
    let mut seen = std::collections::BTreeSet::new();
    for combination in 0..8 {
        let mut input = json!({});
        for (bit, parameter) in ["database_name", "schema_name", "table_name"]
            .into_iter()
            .enumerate()
        {
            if combination & (1 << bit) != 0 {
                input[parameter] = json!(format!("n{bit}"));
            }
        }
        let sent =
            sent("warehouse_show_primary_keys", input.clone()).unwrap_or_else(|| panic!("{input}"));
        assert_eq!(
            sent.body["database"],
            if combination & 1 == 0 {
                Value::Null
            } else {
                json!("N0")
            }
        );
        assert_eq!(
            sent.body["schema"],
            if combination & 2 == 0 {
                Value::Null
            } else {
                json!("N1")
            }
        );
        assert_eq!(
            sent.sql.ends_with("ACCOUNT"),
            combination == 0,
            "{}",
            sent.sql
        );
        assert!(seen.insert(sent.body.to_string()), "{}", sent.sql);
    }
}

const fn name(tool: &'static str, input: fn(&str) -> Value, read: fn(&Sent) -> String) -> Slot {
    Slot {
        tool,
        input,
        read,
        is_name: true,
    }
}

const fn pattern(tool: &'static str, input: fn(&str) -> Value, read: fn(&Sent) -> String) -> Slot {
    Slot {
        tool,
        input,
        read,
        is_name: false,
    }
}

/// The one request of a tool; nothing where it refuses its input.
fn sent(tool: &str, mut input: Value) -> Option<Sent> {
    let tool = CATALOGUE.find(tool, None, None).expect("a tool");
    tool.schema()
        .expect("a schema")
        .validate(&mut input)
        .expect("an input");
    let parsed = tool.entry().parse(input).expect("what was planned");
    let canned = Canned::new(&PRODUCT, [Answer::new(200, http::HeaderMap::new(), "{}")]);
    drive(
        &*parsed,
        &Call::new(Uuid::from_u128(1), Timestamp::UNIX_EPOCH),
        &canned,
    )
    .ok()?;
    let [request] = <[_; 1]>::try_from(canned.requests()).expect("one request");
    let body: Value =
        serde_json::from_slice(request.body.as_ref().expect("a body")).expect("what was planned");
    assert_eq!(
        body.get("parameters"),
        None,
        "the product executes one statement alone"
    );
    Some(Sent {
        sql: body["statement"].as_str().expect("a text").to_owned(),
        body,
    })
}

fn one_statement(sql: &str) -> Option<Statement> {
    let mut statements = Parser::parse_sql(&SnowflakeDialect {}, sql).ok()?;
    assert_eq!(statements.len(), 1, "{sql}");
    statements.pop()
}

/// The database of `SELECT … FROM "DB".INFORMATION_SCHEMA.<view> …`.
fn view(sent: &Sent, view: &str) -> String {
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

fn database(relation: &TableFactor) -> String {
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

/// The value of a bind variable of such a query, whose WHERE compares columns with placeholders alone.
fn bound(sent: &Sent, of: &str, number: usize) -> String {
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

fn comparisons(condition: &Expr, placeholders: &mut usize) {
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
fn databases(sent: &Sent) -> String {
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

/// Database and pattern of SHOW SCHEMAS.
fn schemas(sent: &Sent) -> (String, String) {
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

fn like(options: ShowStatementOptions) -> String {
    match options.filter_position {
        Some(
            ShowStatementFilterPosition::Infix(ShowStatementFilter::Like(pattern))
            | ShowStatementFilterPosition::Suffix(ShowStatementFilter::Like(pattern)),
        ) => pattern,
        None => String::new(),
        other => panic!("no LIKE: {other:?}"),
    }
}

/// What stands at the quotes of a statement that has exactly these tokens: the same text wherever there are several.
fn shaped(sent: &Sent, expected: &[&str]) -> String {
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

fn shape(sql: &str) -> Vec<String> {
    let mut texts = Vec::new();
    tokens(sql)
        .iter()
        .map(|token| token_shape(token, &mut texts))
        .collect()
}

fn token_shape(token: &Token, texts: &mut Vec<String>) -> String {
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

fn tokens(sql: &str) -> Vec<Token> {
    let tokens = Tokenizer::new(&SnowflakeDialect {}, sql)
        .tokenize()
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    let spaces =
        |token: &Token| matches!(token, Token::Whitespace(space) if space.to_string() == " ");
    tokens.into_iter().filter(|token| !spaces(token)).collect()
}

fn parts(name: &ObjectName) -> Vec<String> {
    name.0
        .iter()
        .map(|part| part.as_ident().expect("a name").value.clone())
        .collect()
}

/// Names of quotes, ends of statements, comments, escapes and words of SQL, the same at every run.
fn hostile() -> Vec<String> {
    const PIECES: &[&str] = &[
        "'",
        "\"",
        "\"\"",
        "''",
        ";",
        "--",
        "//",
        "/*",
        "*/",
        "\\",
        "\\'",
        "\\\"",
        "$$",
        ".",
        ",",
        "(",
        ")",
        "?",
        ":x",
        "%",
        "_",
        "\u{ff07}",
        "\u{ff02}",
        "\u{2019}",
        "\u{a0}",
        "\u{202e}",
        "ü",
        "日本",
        "🦀",
        " ",
        " OR 1=1 ",
        "DROP TABLE t",
        "UNION SELECT",
        "IN ACCOUNT",
        "LIKE",
        "a",
        "Z",
        "x1",
        "@",
        "#",
        "{}",
        "[]",
        "`",
        "&",
        "|",
        "!",
        "->>",
        "\0",
        "\n",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    let known = [
        "x' OR 1=1 --",
        "x\\' OR 1=1 --",
        "x\"; DROP TABLE t; --",
        "\"a\"\"b\"",
        "\"",
        "a.b",
        "$$",
        "ACCOUNTADMIN\" UNION",
        "DB\".PUBLIC.T --",
        "TABLE x; DROP",
        "\\",
        "'",
        "plain_name",
    ];
    let mut names: Vec<String> = known.map(str::to_owned).into();
    while names.len() < 1000 {
        let pieces = 1 + next(7);
        // One name in a dozen may hold a control character, which no name has.
        let among = if next(12) == 0 {
            PIECES.len()
        } else {
            PIECES.len() - 2
        };
        names.push((0..pieces).map(|_| PIECES[next(among)]).collect());
    }
    names
}

/// How SQL reads a name, in the words of its reference.
fn stored(text: &str) -> String {
    if let Some(inner) = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        && inner.split("\"\"").all(|part| !part.contains('"'))
    {
        return inner.split("\"\"").collect::<Vec<_>>().join("\"");
    }
    let first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let plain = text.starts_with(first)
        && text
            .chars()
            .all(|letter| first(letter) || letter.is_ascii_digit() || letter == '$');
    if plain {
        text.to_ascii_uppercase()
    } else {
        text.to_owned()
    }
}

fn is_a_name(text: &str) -> bool {
    let stored = stored(text);
    !stored.is_empty() && !stored.chars().any(char::is_control)
}
