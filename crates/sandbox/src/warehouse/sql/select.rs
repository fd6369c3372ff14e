//! SELECT.

use sqlparser::tokenizer::Token;

use super::{
    Outcome, Session,
    bindings::BoundValue,
    cursor::Cursor,
    information_schema, pattern,
    relation::{Relation, compare},
};
use crate::warehouse::{
    account::{Account, Cell, Column, Kind},
    errors::SqlError,
};

/// What is between SELECT and FROM.
enum Item {
    All,
    Count,
    Column(Vec<String>),
    Value(BoundValue),
}

/// A comparison of a column with a value or with another column.
struct Condition {
    column: usize,
    test: Test,
}

enum Test {
    Is(BoundValue),
    Column(usize),
    Matches(Option<String>),
}

/// A SELECT whose first word has been read.
pub(super) fn run(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Outcome, SqlError> {
    let mut seconds = 0;
    let mut items = Vec::new();
    loop {
        let item = item(session, cursor, &mut seconds)?;
        let alias = if cursor.keyword("AS") {
            Some(cursor.name()?)
        } else {
            None
        };
        items.push((item, alias));
        if !cursor.symbol(&Token::Comma) {
            break;
        }
    }
    let relation = if cursor.keyword("FROM") {
        session.needs_warehouse()?;
        let from = from(account, session, cursor)?;
        let selected = apply_clauses(from, cursor)?;
        project(&selected, items)?
    } else {
        cursor.end()?;
        constants(items)?
    };
    Ok(Outcome {
        relation,
        seconds,
        inserted: None,
    })
}

/// A constant, a `?`, or what the session says of itself.
pub(super) fn value(
    session: &Session,
    cursor: &mut Cursor,
    seconds: &mut i64,
) -> Result<Option<BoundValue>, SqlError> {
    if let Some(bound) = cursor.placeholder()? {
        return Ok(Some(bound));
    }
    if let Some(number) = signed(cursor) {
        let scale = number
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        return Ok(Some(BoundValue {
            kind: Kind::Fixed(u8::try_from(scale).unwrap_or(u8::MAX)),
            cell: Some(number),
        }));
    }
    if matches!(cursor.peek(), Some(Token::SingleQuotedString(_))) {
        return Ok(Some(text(Some(cursor.text()?))));
    }
    for (word, cell) in [("TRUE", "true"), ("FALSE", "false")] {
        if cursor.keyword(word) {
            return Ok(Some(BoundValue {
                kind: Kind::Boolean,
                cell: Some(cell.to_owned()),
            }));
        }
    }
    if cursor.keyword("NULL") {
        return Ok(Some(text(None)));
    }
    if cursor.then(&Token::LParen) {
        return function(session, cursor, seconds).map(Some);
    }
    Ok(None)
}

fn signed(cursor: &mut Cursor) -> Option<String> {
    if matches!(cursor.peek(), Some(Token::Minus)) && cursor.symbol(&Token::Minus) {
        return cursor.number().map(|number| format!("-{number}"));
    }
    cursor.number()
}

fn function(
    session: &Session,
    cursor: &mut Cursor,
    seconds: &mut i64,
) -> Result<BoundValue, SqlError> {
    for (name, value) in [
        ("CURRENT_USER", Some(session.person.name.to_owned())),
        ("CURRENT_ROLE", Some(session.role.clone())),
        ("CURRENT_WAREHOUSE", session.warehouse.clone()),
        ("CURRENT_DATABASE", session.database.clone()),
        ("CURRENT_SCHEMA", session.schema.clone()),
        ("CURRENT_VERSION", Some("10.15.0".to_owned())),
    ] {
        if cursor.keyword(name) {
            cursor.expect_symbol(&Token::LParen)?;
            cursor.expect_symbol(&Token::RParen)?;
            return Ok(text(value));
        }
    }
    if !cursor.keyword("SYSTEM$WAIT") {
        return Err(cursor.unexpected());
    }
    cursor.expect_symbol(&Token::LParen)?;
    let waits = cursor
        .number()
        .and_then(|number| number.parse::<u32>().ok())
        .ok_or_else(|| cursor.unexpected())?;
    cursor.expect_symbol(&Token::RParen)?;
    *seconds += i64::from(waits);
    Ok(text(Some(format!("waited {waits} seconds"))))
}

fn item(session: &Session, cursor: &mut Cursor, seconds: &mut i64) -> Result<Item, SqlError> {
    if cursor.symbol(&Token::Mul) {
        return Ok(Item::All);
    }
    if cursor.then(&Token::LParen) && cursor.keyword("COUNT") {
        for symbol in [Token::LParen, Token::Mul, Token::RParen] {
            cursor.expect_symbol(&symbol)?;
        }
        return Ok(Item::Count);
    }
    match value(session, cursor, seconds)? {
        Some(bound) => Ok(Item::Value(bound)),
        None => cursor.path().map(Item::Column),
    }
}

/// One table, or two of which the second is joined on the left.
fn from(account: &Account, session: &Session, cursor: &mut Cursor) -> Result<Relation, SqlError> {
    let first = relation(account, session, cursor)?;
    if !cursor.keywords("LEFT JOIN") {
        return Ok(first);
    }
    let second = relation(account, session, cursor)?;
    cursor.expect("ON")?;
    // The columns of both are needed to read the condition.
    let both = first.headings().left_join(second.headings(), |_| false);
    let conditions = conditions(&both, cursor)?;
    Ok(first.left_join(second, |row| {
        conditions
            .iter()
            .all(|condition| condition.matches(row, &both))
    }))
}

fn relation(
    account: &Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Relation, SqlError> {
    let path = cursor.path()?;
    let [database, schema, table] = session.complete(&path)?;
    let name = format!("{database}.{schema}.{table}");
    let object = account
        .database(&database, &session.role)
        .ok_or_else(|| SqlError::no_object("Database", &database))?;
    let relation = if schema == "INFORMATION_SCHEMA" {
        information_schema::view(object, &table)
            .ok_or_else(|| SqlError::no_object("Object", &name))?
    } else {
        let schema = object
            .schema(&schema)
            .ok_or_else(|| SqlError::no_object("Schema", &format!("{database}.{schema}")))?;
        let table = schema
            .table(&table)
            .ok_or_else(|| SqlError::no_object("Object", &name))?;
        Relation::with(table.columns.clone(), table.rows.clone())
    };
    let is_alias = matches!(cursor.peek(), Some(Token::Word(_)))
        && ["WHERE", "ORDER", "LIMIT", "LEFT", "ON"]
            .iter()
            .all(|word| !cursor.clone().keyword(word));
    let alias = if is_alias { cursor.name()? } else { table };
    Ok(relation.with_alias(&alias))
}

/// WHERE, ORDER BY and LIMIT.
fn apply_clauses(mut relation: Relation, cursor: &mut Cursor) -> Result<Relation, SqlError> {
    if cursor.keyword("WHERE") {
        let conditions = conditions(&relation, cursor)?;
        let columns = relation.headings();
        relation.rows.retain(|row| {
            conditions
                .iter()
                .all(|condition| condition.matches(row, &columns))
        });
    }
    if cursor.keywords("ORDER BY") {
        let mut sort_keys = Vec::new();
        loop {
            let index = relation.column_index(&cursor.path()?)?;
            let descending = cursor.keyword("DESC");
            let _said = !descending && cursor.keyword("ASC");
            sort_keys.push((index, descending));
            if !cursor.symbol(&Token::Comma) {
                break;
            }
        }
        relation.sort(&sort_keys);
    }
    if cursor.keyword("LIMIT") {
        let limit = match cursor.placeholder()? {
            Some(bound) => bound.cell,
            None => cursor.number(),
        };
        let limit = limit
            .and_then(|limit| limit.parse().ok())
            .ok_or_else(|| cursor.unexpected())?;
        relation.rows.truncate(limit);
    }
    cursor.end()?;
    Ok(relation)
}

fn conditions(relation: &Relation, cursor: &mut Cursor) -> Result<Vec<Condition>, SqlError> {
    let mut all = Vec::new();
    loop {
        let column = relation.column_index(&cursor.path()?)?;
        let test = if cursor.symbol(&Token::Eq) {
            match constant(cursor)? {
                Some(bound) => Test::Is(bound),
                None => Test::Column(relation.column_index(&cursor.path()?)?),
            }
        } else {
            cursor.expect("ILIKE")?;
            let pattern = constant(cursor)?.ok_or_else(|| cursor.unexpected())?;
            Test::Matches(pattern.cell)
        };
        all.push(Condition { column, test });
        if !cursor.keyword("AND") {
            return Ok(all);
        }
    }
}

/// A constant or a `?`.
fn constant(cursor: &mut Cursor) -> Result<Option<BoundValue>, SqlError> {
    if let Some(bound) = cursor.placeholder()? {
        return Ok(Some(bound));
    }
    if let Some(number) = signed(cursor) {
        return Ok(Some(BoundValue {
            kind: Kind::Fixed(0),
            cell: Some(number),
        }));
    }
    if matches!(cursor.peek(), Some(Token::SingleQuotedString(_))) {
        return Ok(Some(text(Some(cursor.text()?))));
    }
    Ok(None)
}

impl Condition {
    /// Whether a row fits. NULL fits nothing.
    fn matches(&self, row: &[Cell], columns: &Relation) -> bool {
        let Some(own) = &row[self.column] else {
            return false;
        };
        let equal = |other: &Cell| {
            other.is_some()
                && compare(&row[self.column], other, columns.columns[self.column].kind).is_eq()
        };
        match &self.test {
            Test::Is(bound) => equal(&bound.cell),
            Test::Column(other) => equal(&row[*other]),
            Test::Matches(wanted) => wanted
                .as_ref()
                .is_some_and(|wanted| pattern::matches(wanted, own, false)),
        }
    }
}

/// The asked columns of the rows.
fn project(relation: &Relation, items: Vec<(Item, Option<String>)>) -> Result<Relation, SqlError> {
    if let [(Item::Count, alias)] = items.as_slice() {
        let name = alias.clone().unwrap_or_else(|| "COUNT(*)".to_owned());
        let column = Column::new(name, Kind::Fixed(0));
        return Ok(Relation::with(
            vec![column],
            vec![vec![Some(relation.rows.len().to_string())]],
        ));
    }
    let mut columns = Vec::new();
    let mut cells: Vec<Result<usize, BoundValue>> = Vec::new();
    for (number, (item, alias)) in items.into_iter().enumerate() {
        match item {
            Item::All => {
                columns.extend(relation.columns.iter().cloned());
                cells.extend((0..relation.columns.len()).map(Ok));
            }
            Item::Column(path) => {
                let index = relation.column_index(&path)?;
                let mut column = relation.columns[index].clone();
                column.name = alias.unwrap_or(column.name);
                columns.push(column);
                cells.push(Ok(index));
            }
            Item::Value(bound) => {
                columns.push(Column::new(
                    alias.unwrap_or_else(|| default_name(&bound, number)),
                    bound.kind,
                ));
                cells.push(Err(bound));
            }
            Item::Count => {
                let message = "SQL compilation error:\nCOUNT(*) must be the only item here.";
                return Err(SqlError::new("002079", "42601", message));
            }
        }
    }
    let rows = relation.rows.iter().map(|row| {
        let cell = |cell: &Result<usize, BoundValue>| match cell {
            Ok(index) => row[*index].clone(),
            Err(bound) => bound.cell.clone(),
        };
        cells.iter().map(cell).collect()
    });
    Ok(Relation::with(columns, rows.collect()))
}

/// One row of values.
fn constants(items: Vec<(Item, Option<String>)>) -> Result<Relation, SqlError> {
    let mut one = Relation::of(&[]);
    one.rows.push(Vec::new());
    match items
        .iter()
        .find(|(item, _)| !matches!(item, Item::Value(_)))
    {
        Some((Item::Column(path), _)) => Err(SqlError::no_column(&path.join("."))),
        Some(_) => Err(SqlError::new(
            "002003",
            "42S02",
            "SQL compilation error:\nSELECT without FROM takes only values.",
        )),
        None => project(&one, items),
    }
}

/// A value's own name, as the product calls a column of it.
fn default_name(bound: &BoundValue, number: usize) -> String {
    match (&bound.cell, bound.kind) {
        (Some(text), Kind::Text) => format!("'{}'", text.to_uppercase()),
        (Some(text), _) => text.clone(),
        (None, _) if number == 0 => "NULL".to_owned(),
        (None, _) => format!("NULL_{number}"),
    }
}

fn text(cell: Cell) -> BoundValue {
    BoundValue {
        kind: Kind::Text,
        cell,
    }
}
