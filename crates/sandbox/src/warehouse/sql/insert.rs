//! INSERT INTO … VALUES.

use sqlparser::tokenizer::Token;

use super::{Outcome, Session, cursor::Cursor, relation::Relation, select};
use crate::warehouse::{
    account::{Account, Cell, Column, Kind},
    errors::SqlError,
};

/// An INSERT whose first word has been read.
pub(super) fn run(
    account: &mut Account,
    session: &Session,
    cursor: &mut Cursor,
) -> Result<Outcome, SqlError> {
    cursor.expect("INTO")?;
    let [database, schema, name] = session.complete(&cursor.path()?)?;
    session.needs_warehouse()?;
    let missing = || SqlError::no_object("Table", &format!("{database}.{schema}.{name}"));
    account
        .database(&database, &session.role)
        .ok_or_else(missing)?;
    let table = account
        .table_mut([&database, &schema, &name])
        .filter(|table| !table.is_view)
        .ok_or_else(missing)?;
    let sort_keys = columns(&table.columns, cursor)?;
    cursor.expect("VALUES")?;
    let mut rows = Vec::new();
    loop {
        rows.push(row(session, cursor, &table.columns, &sort_keys)?);
        if !cursor.symbol(&Token::Comma) {
            break;
        }
    }
    cursor.end()?;
    let inserted = rows.len();
    table.rows.extend(rows);
    let mut relation = Relation::of(&[("number of rows inserted", Kind::Fixed(0))]);
    relation.push([inserted.to_string().as_str()]);
    Ok(Outcome {
        relation,
        seconds: 0,
        inserted: Some(inserted),
    })
}

/// The places of the named columns; all in order where none is named.
fn columns(all: &[Column], cursor: &mut Cursor) -> Result<Vec<usize>, SqlError> {
    if !cursor.symbol(&Token::LParen) {
        return Ok((0..all.len()).collect());
    }
    let mut sort_keys = Vec::new();
    loop {
        let name = cursor.name()?;
        let index = all.iter().position(|column| column.name == name);
        sort_keys.push(index.ok_or_else(|| SqlError::no_column(&name))?);
        if !cursor.symbol(&Token::Comma) {
            break;
        }
    }
    cursor.expect_symbol(&Token::RParen)?;
    Ok(sort_keys)
}

fn row(
    session: &Session,
    cursor: &mut Cursor,
    all: &[Column],
    sort_keys: &[usize],
) -> Result<Vec<Cell>, SqlError> {
    cursor.expect_symbol(&Token::LParen)?;
    let mut given = Vec::new();
    loop {
        let value = select::value(session, cursor, &mut 0)?;
        given.push(value.ok_or_else(|| cursor.unexpected())?.cell);
        if !cursor.symbol(&Token::Comma) {
            break;
        }
    }
    cursor.expect_symbol(&Token::RParen)?;
    if given.len() != sort_keys.len() {
        let message = format!(
            "SQL compilation error:\nInsert value list does not match column list expecting {} but got {}",
            sort_keys.len(),
            given.len()
        );
        return Err(SqlError::new("002020", "21S01", message));
    }
    let mut row = vec![None; all.len()];
    for (index, cell) in sort_keys.iter().zip(given) {
        row[*index] = cell;
    }
    match all
        .iter()
        .zip(&row)
        .find(|(column, cell)| !column.nullable && cell.is_none())
    {
        Some((column, _)) => Err(SqlError::new(
            "100072",
            "22000",
            format!("NULL result in a non-nullable column {}", column.name),
        )),
        None => Ok(row),
    }
}
