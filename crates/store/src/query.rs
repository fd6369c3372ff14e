//! Look-ups and removals: from conditions to SQL, and from what the database answers back to rows.

use std::marker::PhantomData;

use jiff::Timestamp;
use stead_core::{Error, ErrorKind, Result, store::Versioned};

use crate::{
    engine::{Record, Statement, Value},
    table::Table,
};

/// A query for rows of one table.
pub(crate) struct Query<T> {
    conditions: String,
    values: Vec<Value>,
    order: &'static str,
    limit: Option<u32>,
    table: PhantomData<fn() -> T>,
}

impl<T: Table> Query<T> {
    /// All rows of the table.
    pub(crate) fn all() -> Self {
        Self {
            conditions: String::new(),
            values: Vec::new(),
            order: "",
            limit: None,
            table: PhantomData,
        }
    }

    /// Only rows that meet a condition, written as column and operator, such as `"name" >`.
    pub(crate) fn only(mut self, condition: &'static str, value: Value) -> Self {
        self.values.push(value);
        let joint = if self.conditions.is_empty() {
            "WHERE"
        } else {
            "AND"
        };
        self.conditions
            .push_str(&format!(" {joint} {condition} ${}", self.values.len()));
        self
    }

    /// Only rows that meet a condition, where there is a value for it.
    pub(crate) fn only_if(self, condition: &'static str, value: Option<Value>) -> Self {
        match value {
            Some(value) => self.only(condition, value),
            None => self,
        }
    }

    /// In this order.
    pub(crate) fn order(mut self, order: &'static str) -> Self {
        self.order = order;
        self
    }

    /// At most so many.
    pub(crate) fn limit(mut self, limit: u32) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The SQL that finds the rows.
    pub(crate) fn into_statement(self) -> Statement {
        let columns: String = T::KEY
            .iter()
            .chain(T::OTHERS)
            .map(|column| format!("\"{column}\", "))
            .collect();
        self.select(&format!("{columns}\"version\", \"body\""))
    }

    /// The SQL that removes the rows. Not every database can limit a DELETE by itself.
    pub(crate) fn into_removal(self) -> Statement {
        let key: Vec<String> = T::KEY
            .iter()
            .map(|column| format!("\"{column}\""))
            .collect();
        let key = key.join(", ");
        let Statement { sql, values } = self.select(&key);
        Statement {
            sql: format!("DELETE FROM \"{}\" WHERE ({key}) IN ({sql})", T::NAME),
            values,
        }
    }

    fn select(mut self, columns: &str) -> Statement {
        let mut sql = format!("SELECT {columns} FROM \"{}\"{}", T::NAME, self.conditions);
        if !self.order.is_empty() {
            sql.push_str(" ORDER BY ");
            sql.push_str(self.order);
        }
        if let Some(limit) = self.limit {
            self.values.push(Value::Integer(i64::from(limit)));
            sql.push_str(&format!(" LIMIT ${}", self.values.len()));
        }
        Statement {
            sql,
            values: self.values,
        }
    }
}

/// The row of a record.
///
/// # Errors
/// [`ErrorKind::IntegrityViolated`] where the body is no such row, or is another one than the columns say.
pub(crate) fn read<T: Table>(mut record: Record, read_at: Timestamp) -> Result<Versioned<T>> {
    let body = record.pop().flatten();
    let version = record.pop().flatten();
    let columns = record;

    let Some(Value::Text(Some(body))) = body else {
        return Err(violated::<T>(&columns, "its body is not text"));
    };
    let Some(Value::Integer(version)) = version else {
        return Err(violated::<T>(&columns, "its version is not a number"));
    };
    let Some(version) = u64::try_from(version).ok().filter(|version| *version > 0) else {
        return Err(violated::<T>(&columns, "its version is below 1"));
    };
    // What serde_json says may quote the body.
    let row: T = serde_json::from_str(&body)
        .map_err(|_| violated::<T>(&columns, "its body does not read"))?;
    if !columns
        .iter()
        .map(Option::as_ref)
        .eq(row.values().iter().map(Some))
    {
        return Err(violated::<T>(&columns, "its columns and its body disagree"));
    }
    Ok(Versioned {
        row,
        version,
        read_at,
    })
}

fn violated<T: Table>(columns: &[Option<Value>], what: &str) -> Error {
    let key: Vec<String> = columns
        .iter()
        .take(T::KEY.len())
        .map(|value| match value {
            Some(Value::Text(Some(text))) => text.clone(),
            Some(Value::Integer(integer)) => integer.to_string(),
            Some(Value::Text(None)) | None => String::from("?"),
        })
        .collect();
    let key = key.join("/");
    Error::new(
        ErrorKind::IntegrityViolated,
        format!("row {key} of table {} cannot be used: {what}", T::NAME),
    )
    .with_context("table", T::NAME)
    .with_context("key", key)
}

#[cfg(test)]
mod tests {
    use stead_core::store::{AccountRow, CredentialRow};

    use super::*;

    #[test]
    fn conditions_and_the_limit_are_numbered() {
        let statement = Query::<AccountRow>::all()
            .only("\"connection_id\" =", Value::text("conn"))
            .only_if("\"id\" >", None)
            .only_if("\"id\" >", Some(Value::text("acct")))
            .order("\"id\"")
            .limit(5)
            .into_statement();
        assert_eq!(
            statement.sql,
            "SELECT \"id\", \"connection_id\", \"identifier\", \"version\", \"body\" FROM \"account\" \
             WHERE \"connection_id\" = $1 AND \"id\" > $2 ORDER BY \"id\" LIMIT $3"
        );
        assert_eq!(
            statement.values,
            [Value::text("conn"), Value::text("acct"), Value::Integer(5)]
        );
    }

    #[test]
    fn a_removal_names_the_rows_by_their_whole_key() {
        let statement = Query::<CredentialRow>::all()
            .only("\"live\" =", Value::flag(false))
            .order("\"created_at\"")
            .limit(5)
            .into_removal();
        assert_eq!(
            statement.sql,
            "DELETE FROM \"credential\" WHERE (\"account_id\", \"generation\") IN \
             (SELECT \"account_id\", \"generation\" FROM \"credential\" \
             WHERE \"live\" = $1 ORDER BY \"created_at\" LIMIT $2)"
        );
        assert_eq!(statement.values, [Value::flag(false), Value::Integer(5)]);
    }

    #[test]
    fn an_unreadable_record_is_named() {
        let record = vec![
            Some(Value::text("acct_1")),
            Some(Value::Integer(3)),
            None,
            None,
            Some(Value::Integer(1)),
            None,
        ];
        let error = read::<CredentialRow>(record, Timestamp::UNIX_EPOCH).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
        assert_eq!(
            error.message(),
            "row acct_1/3 of table credential cannot be used: its body is not text"
        );
    }
}
