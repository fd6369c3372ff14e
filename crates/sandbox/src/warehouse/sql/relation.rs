//! Columns and rows.

use crate::warehouse::account::{Cell, Column, Kind};

/// A view of the information schema, or a result.
#[derive(Debug, Clone, Default)]
pub(in crate::warehouse) struct Relation {
    pub(in crate::warehouse) columns: Vec<Column>,
    pub(in crate::warehouse) rows: Vec<Vec<Cell>>,
}

impl Relation {
    /// A relation without rows, of columns that may all hold NULL.
    pub(super) fn of(columns: &[(&str, Kind)]) -> Self {
        let columns = columns.iter();
        let columns = columns.map(|(name, kind)| Column::new(*name, *kind));
        Self::with(columns.collect(), Vec::new())
    }

    /// Columns and rows.
    pub(in crate::warehouse) fn with(columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Self {
        Self { columns, rows }
    }

    /// Adds a row; an empty text is NULL.
    pub(super) fn push<const N: usize>(&mut self, row: [&str; N]) {
        let cell = |cell: &str| (!cell.is_empty()).then(|| cell.to_owned());
        self.rows.push(row.into_iter().map(cell).collect());
    }
}
