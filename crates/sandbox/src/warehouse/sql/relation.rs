//! Columns and rows.

use std::cmp::Ordering;

use crate::warehouse::{
    account::{Cell, Column, Kind},
    errors::SqlError,
};

/// A table, a view of the information schema, or a result.
#[derive(Debug, Clone, Default)]
pub(in crate::warehouse) struct Relation {
    pub(in crate::warehouse) columns: Vec<Column>,
    pub(in crate::warehouse) rows: Vec<Vec<Cell>>,
    /// The name by which a statement calls each column's table.
    aliases: Vec<String>,
}

impl Relation {
    /// A relation without rows, of columns that may all hold NULL.
    pub(super) fn of(columns: &[(&str, Kind)]) -> Self {
        Self::with(
            columns
                .iter()
                .map(|(name, kind)| Column::new(*name, *kind))
                .collect(),
            Vec::new(),
        )
    }

    /// Columns and rows.
    pub(in crate::warehouse) fn with(columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Self {
        Self {
            aliases: vec![String::new(); columns.len()],
            columns,
            rows,
        }
    }

    /// Adds a row; an empty text is NULL.
    pub(super) fn push<const N: usize>(&mut self, row: [&str; N]) {
        let cell = |cell: &str| (!cell.is_empty()).then(|| cell.to_owned());
        self.rows.push(row.into_iter().map(cell).collect());
    }

    /// The same under another name.
    pub(super) fn with_alias(mut self, alias: &str) -> Self {
        self.aliases.fill(alias.to_owned());
        self
    }

    /// The same columns without rows.
    pub(super) fn headings(&self) -> Self {
        Self {
            columns: self.columns.clone(),
            rows: Vec::new(),
            aliases: self.aliases.clone(),
        }
    }

    /// The place of a column.
    pub(super) fn column_index(&self, path: &[String]) -> Result<usize, SqlError> {
        let (table, name) = match path {
            [name] => (None, name),
            [table, name] => (Some(table), name),
            _ => return Err(SqlError::no_column(&path.join("."))),
        };
        let matches = |index: &usize| {
            self.columns[*index].name == *name
                && table.is_none_or(|table| self.aliases[*index] == *table)
        };
        let mut found = (0..self.columns.len()).filter(matches);
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            (Some(_), Some(_)) => Err(SqlError::new(
                "000904",
                "42000",
                format!(
                    "SQL compilation error: error line 1 at position 0\nambiguous column name '{name}'"
                ),
            )),
            _ => Err(SqlError::no_column(&path.join("."))),
        }
    }

    /// Every row with each row of the other that fits; with none, the other's columns are NULL.
    pub(super) fn left_join(self, other: Self, matches: impl Fn(&[Cell]) -> bool) -> Self {
        let width = other.columns.len();
        let mut rows = Vec::new();
        for row in self.rows {
            let joined = other
                .rows
                .iter()
                .map(|more| [row.as_slice(), more].concat());
            let mut fitting: Vec<Vec<Cell>> = joined.filter(|row| matches(row)).collect();
            if fitting.is_empty() {
                fitting.push([row, vec![None; width]].concat());
            }
            rows.extend(fitting);
        }
        Self {
            columns: [self.columns, other.columns].concat(),
            aliases: [self.aliases, other.aliases].concat(),
            rows,
        }
    }

    /// Sorts by these columns, the first one first; NULL comes last.
    pub(super) fn sort(&mut self, sort_keys: &[(usize, bool)]) {
        let kinds: Vec<Kind> = self.columns.iter().map(|column| column.kind).collect();
        self.rows.sort_by(|one, other| {
            let by_each = sort_keys.iter().map(|(index, descending)| {
                let order = compare(&one[*index], &other[*index], kinds[*index]);
                if *descending { order.reverse() } else { order }
            });
            by_each.fold(Ordering::Equal, Ordering::then)
        });
    }
}

/// Compares two values of a kind.
pub(super) fn compare(one: &Cell, other: &Cell, kind: Kind) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => match (kind, one.parse::<f64>(), other.parse::<f64>()) {
            (Kind::Text | Kind::Binary | Kind::Boolean, ..) => one.cmp(other),
            (_, Ok(one), Ok(other)) => one.total_cmp(&other),
            _ => one.cmp(other),
        },
    }
}
