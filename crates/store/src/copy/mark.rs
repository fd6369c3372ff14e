//! The progress of a copy: a row of `stead_state` in the target, which each page's transaction updates.

use serde::{Deserialize, Serialize};
use stead_core::{
    Result,
    store::{Commit, TABLES, Table, Value},
};

use super::end::{End, refused, value};
use crate::{
    engine::{Statement, Step},
    unfinished,
};

/// The target's record of the copy into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The identity of the source.
    from: String,
    /// The table that is being copied. `None` after the last one.
    table: Option<String>,
    /// Key of the last row that was copied from it.
    after: Option<Vec<KeyValue>>,
    /// Rows that were copied so far, from all tables.
    pub(super) rows: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum KeyValue {
    Integer(i64),
    Text(String),
}

impl Mark {
    /// Returns the mark of the copy from this database. Creates it if the target is empty.
    ///
    /// # Errors
    /// If the target has rows of its own, or an unfinished copy of another database.
    pub(super) async fn begin(from: String, to: &dyn End) -> Result<Self> {
        if let Some(mark) = Self::read(to).await? {
            if mark.from != from {
                return Err(refused(
                    "the target has an unfinished copy of another database; copy into an empty one",
                ));
            }
            return Ok(mark);
        }
        for table in TABLES {
            let any = Statement {
                sql: format!("SELECT 1 FROM \"{}\" LIMIT 1", table.name),
                values: Vec::new(),
            };
            if !to.read(any).await?.is_empty() {
                return Err(refused(format!(
                    "the target isn't empty, because its table {} has rows; copy into an empty database",
                    table.name
                )));
            }
        }
        let mark = Self {
            from,
            table: TABLES.first().map(|first| first.name.to_owned()),
            after: None,
            rows: 0,
        };
        let first = Statement {
            sql: String::from("INSERT INTO \"stead_state\" (\"name\", \"value\") VALUES ($1, $2)"),
            values: vec![
                Value::Text(String::from(unfinished::NAME)),
                Value::Text(mark.text()?),
            ],
        };
        committed(to.write(vec![Step::Change(first)]).await?)?;
        Ok(mark)
    }

    async fn read(to: &dyn End) -> Result<Option<Self>> {
        let Statement { sql, values } = unfinished::mark();
        let Some(Value::Text(mark)) = value(to, sql, values).await? else {
            return Ok(None);
        };
        let mark = serde_json::from_str(&mark);
        mark.map(Some).map_err(|_| {
            refused("the target has a copy that another Stead started; copy into an empty database")
        })
    }

    /// The tables that aren't completely copied yet, with the key to continue after.
    pub(super) fn left(
        &self,
    ) -> impl Iterator<Item = (&'static Table, Option<Vec<Value>>)> + use<> {
        let at = TABLES
            .iter()
            .position(|table| Some(table.name) == self.table.as_deref());
        let mut after = self
            .after
            .as_ref()
            .map(|key| key.iter().cloned().map(Value::from).collect());
        let rest = TABLES.iter().skip(at.unwrap_or(TABLES.len()));
        rest.map(move |table| (*table, after.take()))
    }

    /// Commits a step of the copy together with the mark that follows it.
    pub(super) async fn advance(
        &mut self,
        next: Self,
        mut steps: Vec<Step>,
        to: &dyn End,
    ) -> Result<()> {
        steps.push(Step::Change(Statement {
            sql: String::from(
                "UPDATE \"stead_state\" SET \"value\" = $1 WHERE \"name\" = $2 AND \"value\" = $3",
            ),
            values: vec![
                Value::Text(next.text()?),
                Value::Text(String::from(unfinished::NAME)),
                Value::Text(self.text()?),
            ],
        }));
        committed(to.write(steps).await?)?;
        *self = next;
        Ok(())
    }

    /// Returns the mark after this many more rows were copied. The last of them has this key.
    pub(super) fn behind(&self, table: &Table, key: &[Value], rows: u64) -> Self {
        let key = key.iter().map(|value| match value {
            Value::Integer(number) => KeyValue::Integer(*number),
            Value::Text(text) => KeyValue::Text(text.clone()),
            // A key has no nullable columns.
            Value::Null => KeyValue::Text(String::new()),
        });
        Self {
            from: self.from.clone(),
            table: Some(table.name.to_owned()),
            after: Some(key.collect()),
            rows: self.rows.saturating_add(rows),
        }
    }

    /// This mark once all rows are copied.
    pub(super) fn complete(&self) -> Self {
        Self {
            table: None,
            after: None,
            ..self.clone()
        }
    }

    /// Removes the mark. From then on, the target is a database like any other.
    pub(super) async fn end(self, mut steps: Vec<Step>, to: &dyn End) -> Result<()> {
        steps.push(Step::Change(Statement {
            sql: String::from("DELETE FROM \"stead_state\" WHERE \"name\" = $1 AND \"value\" = $2"),
            values: vec![
                Value::Text(String::from(unfinished::NAME)),
                Value::Text(self.text()?),
            ],
        }));
        let ended = to.write(steps).await.and_then(committed);
        // A write that failed may have been committed anyway.
        match ended {
            Err(error) if Self::read(to).await?.is_some() => Err(error),
            _ => Ok(()),
        }
    }

    fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|_| refused("the copy's progress can't be written"))
    }
}

impl From<KeyValue> for Value {
    fn from(value: KeyValue) -> Self {
        match value {
            KeyValue::Integer(number) => Self::Integer(number),
            KeyValue::Text(text) => Self::Text(text),
        }
    }
}

fn committed(outcome: Commit) -> Result<()> {
    match outcome {
        Commit::Committed => Ok(()),
        Commit::Conflict => Err(refused(
            "the target changed during the copy, because another copy or program writes to it; stop that first",
        )),
    }
}
