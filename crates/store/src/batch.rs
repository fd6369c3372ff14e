//! From a batch to the steps of a transaction.

use std::collections::HashSet;

use stead_core::{
    Error, ErrorKind, Result,
    store::{Batch, Row, RowKey, Write},
};

use crate::{
    engine::{Statement, Step, Transaction, Value},
    table::{Table, place},
};

/// The steps of a batch: its guards, then its writes in order. `None` where the batch writes a row twice, which
/// no state of the database can allow.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] for a row that could be written and never be read again.
pub(crate) fn steps(batch: &Batch) -> Result<Option<Transaction>> {
    let mut transaction = Transaction::default();
    for (key, version) in &batch.guards {
        transaction.steps.push(Step::Require(guard(key, *version)?));
    }
    let mut written = HashSet::new();
    for write in &batch.writes {
        let key = match write {
            Write::Insert(row) | Write::Update(row, _) => row.key(),
            Write::Delete(key, _) => key.clone(),
            _ => return Err(unknown()),
        };
        transaction.shreds |= shreds(write);
        transaction.steps.push(Step::Change(change(write)?));
        if !written.insert(key) {
            return Ok(None);
        }
    }
    Ok(Some(transaction))
}

/// The same expression for whichever row it is.
macro_rules! with_row {
    ($any:expr, $row:ident => $expression:expr) => {
        match $any {
            Row::Connection($row) => $expression,
            Row::Account($row) => $expression,
            Row::Credential($row) => $expression,
            Row::Authorization($row) => $expression,
            Row::AppCredential($row) => $expression,
            Row::AccessToken($row) => $expression,
            Row::DataKey($row) => $expression,
            Row::Execution($row) => $expression,
            Row::Event($row) => $expression,
            Row::Outbox($row) => $expression,
            _ => Err(unknown()),
        }
    };
}

fn change(write: &Write) -> Result<Statement> {
    match write {
        Write::Insert(any) => with_row!(any, row => insert(row)),
        Write::Update(any, version) => with_row!(any, row => update(row, *version)),
        Write::Delete(key, version) => delete(key, *version),
        _ => Err(unknown()),
    }
}

fn insert<T: Table>(row: &T) -> Result<Statement> {
    let mut values = row.values();
    values.push(Value::Integer(1));
    values.push(Value::text(body(row)?));
    let columns: String = T::KEY
        .iter()
        .chain(T::OTHERS)
        .map(|column| format!("\"{column}\", "))
        .collect();
    let places: Vec<String> = (1..=values.len())
        .map(|number| format!("${number}"))
        .collect();
    let sql = format!(
        "INSERT INTO \"{}\" ({columns}\"version\", \"body\") VALUES ({})",
        T::NAME,
        places.join(", ")
    );
    Ok(Statement { sql, values })
}

fn update<T: Table>(row: &T, version: u64) -> Result<Statement> {
    let mut values = row.values();
    let mut number = T::KEY.len();
    let mut next = || {
        number += 1;
        number
    };
    let others: String = T::OTHERS
        .iter()
        .map(|column| format!("\"{column}\" = ${}, ", next()))
        .collect();
    values.push(Value::text(body(row)?));
    let body_place = next();
    values.push(Value::count(version));
    let sql = format!(
        "UPDATE \"{}\" SET {others}\"body\" = ${body_place}, \"version\" = \"version\" + 1 WHERE {}",
        T::NAME,
        at(T::KEY, next())
    );
    Ok(Statement { sql, values })
}

fn delete(key: &RowKey, version: u64) -> Result<Statement> {
    let (table, columns, mut values) = place(key).ok_or_else(unknown)?;
    values.push(Value::count(version));
    Ok(Statement {
        sql: format!(
            "DELETE FROM \"{table}\" WHERE {}",
            at(columns, values.len())
        ),
        values,
    })
}

fn guard(key: &RowKey, version: u64) -> Result<Statement> {
    let (table, columns, mut values) = place(key).ok_or_else(unknown)?;
    values.push(Value::count(version));
    Ok(Statement {
        sql: format!(
            "SELECT \"version\" FROM \"{table}\" WHERE {}",
            at(columns, values.len())
        ),
        values,
    })
}

/// The condition on key and version; the key's values are the first ones.
fn at(key: &[&str], version_place: usize) -> String {
    let key: String = key
        .iter()
        .zip(1..)
        .map(|(column, number)| format!("\"{column}\" = ${number} AND "))
        .collect();
    format!("{key}\"version\" = ${version_place}")
}

fn body<T: Table>(row: &T) -> Result<String> {
    let unfit = || {
        Error::new(
            ErrorKind::InvalidRequest,
            format!(
                "a row of table {} cannot be stored: it nests too deeply",
                T::NAME
            ),
        )
    };
    let body = serde_json::to_string(row).map_err(|_| unfit())?;
    // Free JSON can be nested deeper inside a row than a reader goes; all else in a row is flat.
    if matches!(T::NAME, "connection" | "event") && serde_json::from_str::<T>(&body).is_err() {
        return Err(unfit());
    }
    Ok(body)
}

/// Whether a write may replace or remove ciphertext that should not outlive it.
fn shreds(write: &Write) -> bool {
    match write {
        Write::Update(row, _) => matches!(
            row,
            Row::Credential(_) | Row::Connection(_) | Row::DataKey(_)
        ),
        Write::Delete(key, _) => !matches!(
            key,
            RowKey::Execution(_) | RowKey::Event(_) | RowKey::AccessToken(_)
        ),
        _ => false,
    }
}

fn unknown() -> Error {
    Error::new(
        ErrorKind::Internal,
        "this store does not know this kind of row or write",
    )
}
